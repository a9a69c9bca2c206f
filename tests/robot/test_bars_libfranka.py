"""Bars of the acceptance of the simulated robot that a real libfranka (pylibfranka) judges."""

import importlib.util
import json
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from children import PROGRAMS, Child, run_program
from oracles import ALL_INSTALL, third_party
from real_libfranka import LIMIT_ERRORS
from robot_addresses import fresh_address
from shown_states import random_row, show_states

from kinegraph.robot.sim import SimulatedRobot, SimulatedTool
from kinegraph.scene.array_types import Array

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.slow,
    pytest.mark.skipif(
        not ALL_INSTALL and importlib.util.find_spec("pylibfranka") is None,
        reason="pylibfranka has no wheel here",
    ),
]
LIMIT_S = 120.0


def libfranka(program: str, robot: SimulatedRobot, *task: str) -> Any:
    return run_program(
        sys.executable, f"libfranka_{program}", robot.address[0], *task, limit_s=LIMIT_S
    )


@pytest.fixture(params=[True, False], ids=["enforced", "free"])
def robot(request: pytest.FixtureRequest) -> Iterator[SimulatedRobot]:
    """In real time, but it waits for each command of a motion: a busy machine loses none."""
    with SimulatedRobot(fresh_address(), lockstep_s=5.0, enforce=request.param) as robot:
        yield robot


def test_a0_1_connecting_fifty_times_in_a_row(robot: SimulatedRobot) -> None:
    assert len(libfranka("reading", robot, "connects", "50")["ms"]) == 50


def test_a0_1_connecting_after_a_client_was_killed_in_its_motion(robot: SimulatedRobot) -> None:
    for _ in range(3):
        program = str(PROGRAMS / "libfranka_motions.py")
        command = [sys.executable, program, robot.address[0], "hold_until_killed"]
        with Child(command) as client:
            client.wait_for("moving", LIMIT_S)
            client.process.kill()
        assert len(libfranka("reading", robot, "connects", "1")["ms"]) == 1
    assert robot.counters["motions"] == 3


def test_a1_2_one_state_of_a_robot_with_a_tool() -> None:
    frame = np.eye(4)
    frame[:3, 3] = [0.01, 0.02, 0.1]
    inertia = np.diag([1e-3, 2e-3, 3e-3])
    tool = SimulatedTool(
        mass=0.7, centre=np.array([0.0, 0.01, 0.05]), inertia=inertia, F_T_NE=frame
    )
    with SimulatedRobot(fresh_address(), tool=tool) as robot:
        seen = libfranka("reading", robot, "one_state")
        pose = robot.end_effector_pose()
    assert seen["O_ddP_O"] == pytest.approx([0.0, 0.0, -9.81], abs=1e-6)
    assert seen["m_ee"] == pytest.approx(0.7, abs=1e-7)
    assert seen["F_x_Cee"] == pytest.approx([0.0, 0.01, 0.05], abs=1e-7)
    assert seen["I_ee"] == pytest.approx(inertia.ravel(), abs=1e-7)
    assert seen["F_T_NE"] == pytest.approx(frame.ravel(order="F"), abs=1e-7)
    assert seen["F_T_EE"] == pytest.approx(frame.ravel(order="F"), abs=1e-7)
    assert seen["O_T_EE"] == pytest.approx(pose.ravel(order="F"), abs=1e-6)
    assert seen["robot_mode"] == "Idle"
    assert seen["theta"] == pytest.approx(seen["q"], abs=0.01)
    assert seen["control_command_success_rate"] == 0.0


@pytest.mark.parametrize("loaded", [False, True], ids=["bare", "loaded"])
def test_a2_2_libfranka_s_model_is_pinocchio_s_at_200_configurations(loaded: bool) -> None:
    pinocchio: Any = third_party("pinocchio")
    rng = np.random.default_rng(7)
    tool = SimulatedTool(mass=0.6, centre=np.array([0.01, 0.02, 0.05])) if loaded else None
    with SimulatedRobot(fresh_address(), realtime=False, tool=tool) as robot:
        rows = models_at(robot, rng, 200)
        model = pinocchio.buildModelFromXML(robot.urdf)
    flange = model.getFrameId("fr3_link8")
    if loaded:
        carry(pinocchio, model, flange, rows[0]["load"])
    data = model.createData()
    for row in rows:
        q, dq = np.array(row["q"]), np.array(row["dq"])
        mass = pinocchio.crba(model, data, q)
        mass = np.triu(mass) + np.triu(mass, 1).T
        close(row["mass"], mass.ravel(order="F"))
        model.gravity.linear = np.array(row["gravity_earth"])
        close(row["gravity"], pinocchio.computeGeneralizedGravity(model, data, q))
        close(row["coriolis"], pinocchio.computeCoriolisMatrix(model, data, q, dq) @ dq)
        pinocchio.computeJointJacobians(model, data, q)
        pinocchio.updateFramePlacements(model, data)
        frame = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
        jacobian = pinocchio.getFrameJacobian(model, data, flange, frame)
        close(row["jacobian"], jacobian.ravel(order="F"))


def close(ours: list[float], judge: Array) -> None:
    """Equal within 1e-9 of the largest entry."""
    np.testing.assert_allclose(ours, judge, rtol=0.0, atol=1e-9 * np.abs(judge).max())


def models_at(robot: SimulatedRobot, rng: np.random.Generator, count: int) -> list[Any]:
    """What libfranka computes at random positions and velocities that the robot reports."""
    program = str(PROGRAMS / "libfranka_reading.py")
    command = [sys.executable, program, robot.address[0], "models", str(count)]
    text = show_states(robot, command, lambda row: random_row(robot, row, rng), LIMIT_S)
    rows: list[Any] = json.loads(text.splitlines()[-1])["rows"]
    assert len(rows) == count
    return rows


def carry(pinocchio: Any, model: Any, flange: int, load: list[float]) -> None:
    """Hang the load that libfranka reckons with on pinocchio's flange."""
    inertia = np.array(load[4:]).reshape(3, 3, order="F")
    body = pinocchio.Inertia(load[0], np.array(load[1:4]), inertia)
    frame = model.frames[flange]
    model.appendBodyToJoint(frame.parentJoint, body, frame.placement)


def test_a2_1_the_model_loads(robot: SimulatedRobot) -> None:
    assert libfranka("reading", robot, "load_model")["ms"] > 0.0


def test_a3_setters_in_range_out_of_range_and_during_a_motion(robot: SimulatedRobot) -> None:
    seen = libfranka("reading", robot, "setters")
    assert set(seen["accepted"].values()) == {""}
    assert all("invalid argument" in text for text in seen["refused"].values())
    assert all("not possible" in text for text in seen["moving"].values())
    assert len(seen["refused"]) == len(seen["moving"]) == 6
    state = seen["state"]
    turn = [0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.01, 0.02, 0.1, 1.0]
    for name in ("NE_T_EE", "EE_T_K", "F_T_EE"):
        assert state[name] == pytest.approx(turn, abs=1e-7), name
    assert state["m_load"] == pytest.approx(0.5, abs=1e-7)
    assert state["F_x_Cload"] == pytest.approx([0.0, 0.0, 0.03], abs=1e-7)


def test_a4_7_two_hundred_motions_on_one_connection(robot: SimulatedRobot) -> None:
    modes = libfranka("motions", robot, "many_motions", "200")["modes"]
    assert modes == ["Idle"] * 200
    assert robot.counters["motions"] == 200


def test_a4_8_stop_from_a_second_thread(robot: SimulatedRobot) -> None:
    seen = libfranka("motions", robot, "stopped")
    assert "Move command preempted!" in seen["text"]
    assert seen["stop"] == [""]
    assert seen["mode"] == "Idle"


@pytest.mark.parametrize("kind", list(LIMIT_ERRORS))
def test_a5_1_what_the_robot_does_not_follow(kind: str) -> None:
    with SimulatedRobot(fresh_address(), lockstep_s=5.0) as robot:
        task = ("joint_limit",) if kind == "joint_limit" else ("provoked", kind)
        seen = libfranka("reflexes", robot, *task)
    assert len(seen["errors"]) == 1
    assert seen["errors"][0] in LIMIT_ERRORS[kind]
    assert f'["{seen["errors"][0]}"]' in seen["text"]
    assert seen["cycles"] <= 5
    assert seen["mode"] == "Reflex"
    assert 'not possible in the current mode ("Reflex")' in seen["refused"]
    assert (seen["recovered"], seen["errors_left"]) == ("Idle", [])
    assert seen["reason_kept"] == seen["errors"]
    assert seen["motion"] == "Idle"
