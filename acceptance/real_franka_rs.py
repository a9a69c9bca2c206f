"""A1.3 and A6: what franka-rs finds at our simulated robot, and its target controllers on it."""

import json

import numpy as np
from bars import Sheet
from children import PROGRAMS
from peers import python_of
from real_libfranka import LOCKSTEP, libfranka, rust
from shown_states import random_row, show_states
from simulator import SERVER_HOST, simulator

from kinegraph.robot import SimulatedRobot

__all__ = ["models", "targets"]

POSES = 20
LIMIT_S = 60.0


def models(sheet: Sheet) -> None:
    """A1.3, A2.1: poses of franka-rs's model against the states', and the model's loading."""
    with SimulatedRobot(SERVER_HOST, realtime=False) as robot:
        program = str(PROGRAMS / "franka_rs.py")
        command = [str(python_of("v10")), program, SERVER_HOST, "poses", str(POSES)]
        rng = np.random.default_rng(5)
        text = show_states(robot, command, lambda row: random_row(robot, row, rng), LIMIT_S)
    worst = json.loads(text.splitlines()[-1])["worst"]
    sheet.report("A1.3.pose_difference_m", worst, "<= 2e-6", n=POSES)
    with simulator():
        sheet.report("A2.1.load_model_ms", libfranka("load_model")["ms"], "< 50")


def targets(sheet: Sheet) -> None:
    """A6: steps and circles by its two backends, with the limits enforced."""
    with simulator(*LOCKSTEP):
        if sheet.wants("A6.1"):
            seen = rust("cartesian", "robot")
            sheet.report("A6.1.land_mm", seen["land_mm"], "<= 0.05")
            sheet.report("A6.1.over_mm", seen["over_mm"], "<= 0.1")
            sheet.report("A6.1.mode_after", seen["mode"], "== idle")
        if sheet.wants("A6.2"):
            seen = rust("cartesian", "impedance")
            sheet.report("A6.2.land_mm", seen["land_mm"], "<= 0.5")
            sheet.report("A6.2.over_mm", seen["over_mm"])
        if sheet.wants("A6.3"):
            sheet.report("A6.3.robot_rad", rust("joints", "robot")["error_rad"], "<= 1e-4")
            sheet.report("A6.3.impedance_rad", rust("joints", "impedance")["error_rad"], "<= 2e-3")
        if sheet.wants("A6.4"):
            seen = rust("circle")
            sheet.report("A6.4.circle_mm", seen["circle_mm"], "< 5")
            sheet.report("A6.4.mode_after", seen["mode"], "== idle")
    if sheet.wants("A6.2"):
        with simulator(*LOCKSTEP, "--friction"):
            seen = rust("cartesian", "impedance")
        sheet.report("A6.2.friction.land_mm", seen["land_mm"], "<= 3")
        # What the springs hold against friction is what the arm stands off by.
        ratio = seen["land_mm"] / max(seen["felt_mm"], 1e-9)
        sheet.report("A6.2.friction.land_over_felt", ratio, "0.7 to 1.3")
