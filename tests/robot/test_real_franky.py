"""franky, a planner on libfranka 0.21.2, drives the simulated FR3."""

import json
from typing import Any

import pytest
from drives import Drive, Driven, of
from landings import check_landed, check_recovered
from robot_addresses import fresh_address
from third_party import needs_peers, running

from kinegraph.robot.sim import SimulatedRobot

pytestmark = [pytest.mark.compiled, pytest.mark.slow, needs_peers]
SCRIPT = "franky_client.py"
MOTIONS = (
    "joint_motion",
    "joint_waypoints",
    "joint_velocities",
    "joint_velocity_waypoints",
    "joint_tracker",
    "joint_impedance",
    "cartesian_motion",
    "cartesian_limited",
    "cartesian_waypoints",
    "cartesian_velocities",
    "cartesian_tracker",
    "cartesian_impedance",
)


def franky(*task: str, **settings: Any) -> Drive:
    return Drive("v5", SCRIPT, task, **settings)


@of(*(franky("lands", name, enforce=enforce) for name in MOTIONS for enforce in (True, False)))
def test_every_motion_lands_on_its_target(drive: Drive, driven: Driven) -> None:
    check_landed(driven.said, drive.task[1].replace("cart", "Cart"))
    assert driven.said["mode"] == "Idle"
    assert driven.said["errors"] == []
    assert driven.counters["reflexes"] == 0


@of(franky("calls"))
def test_every_call_is_taken_or_refused_by_name(driven: Driven) -> None:
    said = driven.said
    assert sorted(said["refused"]) == ["cartesian", "collision", "joint", "load"]
    assert all("invalid argument" in text for text in said["refused"].values())
    assert said["m_load"] == 0.5
    assert said["F_T_EE"][12:15] == pytest.approx([0.0, 0.0, 0.1])
    assert said["pose_error"] < 2e-6  # float32 on the wire
    assert said["gravity"][3] > 10.0  # the forearm hangs on joint 4
    assert said["recovered"]
    assert not said["has_errors"]
    assert not said["in_control"]
    assert said["urdf"] == SimulatedRobot().urdf


@of(franky("stops"))
def test_a_stop_from_another_thread_preempts_the_motion(driven: Driven) -> None:
    assert "preempted" in driven.said["text"]
    assert driven.said["after"] == "Idle"
    check_landed(driven.said, "joint_motion")


@of(franky("reflex", inject=("reflex", 0.2)), franky("reflex", inject=("collision", 0.2)))
def test_a_reflex_is_named_and_recovered_from(driven: Driven) -> None:
    check_recovered(driven.said, "joint_reflex")  # franky's thresholds: the joints feel it first
    check_landed(driven.said, "Cartesian")


@of(franky("handshake", fci=5))
def test_a_robot_of_version_5_is_refused_by_name(driven: Driven) -> None:
    assert "server version: 5" in driven.said["refused"]


def test_a_push_makes_it_react_without_an_error() -> None:
    with (
        SimulatedRobot(fresh_address(), lockstep_s=5.0) as robot,
        running("v5", SCRIPT, robot.address[0], "reacts") as process,
    ):
        assert process.stdout is not None
        assert "moving" in process.stdout.readline()
        robot.apply_wrench([0.0, 0.0, -15.0, 0.0, 0.0, 0.0])
        out, errors = process.communicate(timeout=60.0)
    assert process.returncode == 0, errors
    said = json.loads(out)
    assert said["left"] > 0.05  # of 15 cm
    assert said["errors"] == []
    assert said["mode"] == "Idle"
