"""franka-rs, which is no libfranka at all, drives the simulated robots of both versions."""

from typing import Any

import numpy as np
import pytest
from drives import Drive, Driven, of
from landings import check_landed, check_recovered, check_steps
from third_party import needs_peers

from kinegraph.kinematics.dynamics import gravity_torque, mass_matrix
from kinegraph.kinematics.dynamics_plan import plan_dynamics
from kinegraph.robot.sim import SimulatedRobot
from kinegraph.scene.urdf import parseURDFString

pytestmark = [pytest.mark.compiled, pytest.mark.slow, needs_peers]
BENT = (0.3, -0.5, 0.2, -2.0, 0.4, 1.9, -0.6)


def franka_rs(*task: str, **settings: Any) -> Drive:
    return Drive("v10", "franka_rs_client.py", task, **settings)


def both(*task: str, **settings: Any) -> list[Drive]:
    return [franka_rs(*task, fci=fci, **settings) for fci in (10, 5)]


@of(*both("handshake"))
def test_it_agrees_on_the_version(drive: Drive, driven: Driven) -> None:
    assert driven.said["fci"] == driven.said["server"] == drive.fci
    assert driven.said["mode"] == "idle"


@of(*both("calls", q=BENT))
def test_every_call_is_taken_or_refused_by_name(driven: Driven) -> None:
    said = driven.said
    assert sorted(said["refused"]) == ["cartesian", "collision", "joint"]
    assert all("invalid argument" in text for text in said["refused"].values())
    assert said["mode"] == "idle"
    assert said["flat"] == 69
    check_steps(said["steps"])
    assert said["pose_error"] < 2e-6  # float32 on the wire of version 10


@of(franka_rs("calls", q=BENT))
def test_its_model_of_the_served_description_is_ours(driven: Driven) -> None:
    plan = plan_dynamics(parseURDFString(SimulatedRobot().urdf), None, "fr3_link8")
    at = np.array(driven.said["q"])
    np.testing.assert_allclose(driven.said["mass"], mass_matrix(plan, at), rtol=1e-9, atol=1e-12)
    weight = gravity_torque(plan, at)
    np.testing.assert_allclose(driven.said["gravity"], weight, rtol=1e-9, atol=1e-9)


@of(
    *(
        drive
        for task in ("joints", "cartesian", "follows")
        for backend in ("robot", "impedance")
        for drive in both(task, backend)
    )
)
def test_targets_are_reached_with_both_backends(drive: Drive, driven: Driven) -> None:
    check_landed(driven.said, "Joint" if drive.task[0] == "joints" else "Cartesian")
    assert driven.said["mode"] == "idle"
    assert driven.counters["violations"] == 0


@of(franka_rs("cartesian", "impedance", enforce=False))
def test_without_enforcement_they_land_too(driven: Driven) -> None:
    check_landed(driven.said, "Cartesian")
    assert driven.counters["reflexes"] == 0


@of(*both("stops"))
def test_a_stop_from_another_thread_preempts_the_motion(driven: Driven) -> None:
    assert "preempted" in driven.said["text"]
    assert not driven.said["running"]
    assert driven.said["after"] == "idle"
    check_landed(driven.said, "Joint")


@of(*both("reflex", inject=("reflex", 0.3)), *both("reflex", inject=("collision", 0.3)))
def test_a_reflex_is_named_and_recovered_from(drive: Drive, driven: Driven) -> None:
    assert drive.inject is not None
    names = {"reflex": "joint_reflex", "collision": "cartesian_reflex"}
    check_recovered(driven.said, names[drive.inject[0]])
    check_landed(driven.said, "Cartesian")
