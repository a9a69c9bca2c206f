"""libfranka 0.21.3 drives the simulated FR3: every generator to its target, reflexes, stops."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address
from third_party import needs_peers, running, tell

from kinegraph.robot.sim import SimulatedRobot

pytestmark = [pytest.mark.compiled, pytest.mark.slow, needs_peers]
SCRIPT = "pylibfranka_client.py"
READY = (0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2)
STEP = np.array([0.05, -0.05, 0.05, 0.08, -0.05, 0.05, 0.1])
LANDED = 1e-3  # rad and m
GENERATORS = ("JointPositions", "JointVelocities", "CartesianPose", "CartesianVelocities")
# What the robot names the broken rules.
JOINT, CARTESIAN = "joint_motion_generator_", "cartesian_motion_generator_"
REFLEXES = {
    "silence": "communication_constraints_violation",
    "joint_jump": JOINT + "velocity_discontinuity",
    "joint_step": JOINT + "velocity_discontinuity",
    "joint_start": "joint_position_motion_generator_start_pose_invalid",
    "joint_envelope": JOINT + "velocity_limits_violation",
    "velocity_step": JOINT + "acceleration_discontinuity",
    "pose_step": CARTESIAN + "velocity_discontinuity",
    "pose_start": "cartesian_position_motion_generator_start_pose_invalid",
    "twist_step": CARTESIAN + "acceleration_discontinuity",
    "torque_step": "controller_torque_discontinuity",
}


@pytest.fixture
def robot() -> Iterator[SimulatedRobot]:
    """It waits for each command of a motion, so that a busy machine loses none."""
    with SimulatedRobot(fresh_address(), lockstep_s=5.0) as robot:
        yield robot


def told(robot: SimulatedRobot, task: str, *arguments: str) -> dict[str, Any]:
    return tell("v10", SCRIPT, robot.address[0], task, *arguments)


def check_landed(seen: dict[str, Any], generator: str) -> None:
    begin, end = (seen[name] for name in ("begin", "end"))
    if generator.startswith("Cartesian"):
        way = np.subtract(end["O_T_EE"], begin["O_T_EE"])
        np.testing.assert_allclose(way, 0.03 * np.eye(16)[12], atol=LANDED)
    else:
        np.testing.assert_allclose(np.subtract(end["q"], begin["q"]), STEP, atol=LANDED)


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("controller", ["JointImpedance", "CartesianImpedance"])
def test_every_generator_lands_on_its_target(
    robot: SimulatedRobot, generator: str, controller: str
) -> None:
    seen = told(robot, "lands", generator, controller)
    check_landed(seen, generator)
    assert seen["mode"] == "Idle"
    assert seen["errors"] == []
    assert robot.counters["violations"] == 0


def test_a_torque_loop_lands_on_its_target(robot: SimulatedRobot) -> None:
    seen = told(robot, "torques")
    check_landed(seen, "Torques")
    assert seen["mode"] == "Idle"
    assert robot.counters["violations"] == 0


def test_a_target_of_the_asynchronous_kind_is_reached(robot: SimulatedRobot) -> None:
    seen = told(robot, "asynchronous")
    assert seen["taken"] == [True, True]
    assert seen["statuses"] == ["kExecuting", "kTargetReached"]
    check_landed(seen, "JointPositions")
    assert seen["mode"] == "Idle"
    assert seen["errors"] == []


def test_a_stop_from_another_thread_preempts_the_motion(robot: SimulatedRobot) -> None:
    seen = told(robot, "stops")
    assert "preempted" in seen["text"]
    assert seen["after"] == "Idle"
    check_landed({"begin": seen["begin"], "end": seen["again"]}, "JointPositions")


@pytest.mark.parametrize("name", REFLEXES)
def test_a_broken_rule_is_named_and_recovered_from(name: str) -> None:
    q = [*READY, 2.0]  # in reach of where joint 7 has to be slower
    with SimulatedRobot(fresh_address(), lockstep_s=0.05, q=q) as robot:
        seen = told(robot, "reflex", name)
    assert REFLEXES[name] in seen["text"]
    assert seen["errors"] == [REFLEXES[name]]
    assert seen["mode"] == "Reflex"
    if name != "joint_envelope":
        assert seen["cycles"] <= 16  # within five cycles of the command
    assert "command not possible" in seen["refused"].lower()
    assert seen["recovered"] == "Idle"
    assert seen["cleared"] == []
    check_landed(seen, "CartesianPose")
    assert seen["after"] == "Idle"


@pytest.mark.parametrize("generator", GENERATORS)
def test_without_enforcement_they_land_too(generator: str) -> None:
    with SimulatedRobot(fresh_address(), lockstep_s=5.0, enforce=False) as robot:
        check_landed(told(robot, "lands", generator, "JointImpedance"), generator)


def test_without_enforcement_a_broken_rule_is_only_counted() -> None:
    with SimulatedRobot(fresh_address(), lockstep_s=5.0, enforce=False) as robot:
        seen = told(robot, "breaks", "joint_step")
        assert seen == {"text": "", "cycles": 199, "mode": "Move", "errors": []}
        assert robot.counters["violations"] > 0
        assert robot.counters["reflexes"] == 0


def test_a_client_that_is_killed_in_motion_frees_the_robot() -> None:
    with SimulatedRobot(fresh_address(), lockstep_s=5.0) as robot:
        for _ in range(3):
            with running("v10", SCRIPT, robot.address[0], "unending") as process:
                assert process.stdout is not None
                assert "moving" in process.stdout.readline()
                process.kill()
                process.wait()
        seen = told(robot, "lands", "JointPositions", "JointImpedance")
    check_landed(seen, "JointPositions")
    assert seen["mode"] == "Idle"
