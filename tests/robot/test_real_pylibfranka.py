"""libfranka 0.21.3 drives the simulated FR3: every generator to its target, reflexes, stops."""

from typing import Any

import pytest
from drives import Drive, Driven, of
from landings import READY, check_landed, check_recovered
from robot_addresses import fresh_address
from third_party import needs_peers, running, tell

from kinegraph.robot.sim import SimulatedRobot

pytestmark = [pytest.mark.compiled, pytest.mark.slow, needs_peers]
SCRIPT = "pylibfranka_client.py"
GENERATORS = ("JointPositions", "JointVelocities", "CartesianPose", "CartesianVelocities")
CONTROLLERS = ("JointImpedance", "CartesianImpedance")
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
NEAR = (*READY[:6], 2.0)  # in reach of where joint 7 has to be slower


def libfranka(*task: str, **settings: Any) -> Drive:
    return Drive("v10", SCRIPT, task, **settings)


@of(
    *(libfranka("lands", kind, control) for kind in GENERATORS for control in CONTROLLERS),
    libfranka("torques"),
)
def test_every_generator_lands_on_its_target(drive: Drive, driven: Driven) -> None:
    check_landed(driven.said, (*drive.task, "Torques")[1])
    assert driven.said["mode"] == "Idle"
    assert driven.said["errors"] == []
    assert driven.counters["violations"] == 0


@of(*(libfranka("lands", kind, "JointImpedance", enforce=False) for kind in GENERATORS))
def test_without_enforcement_they_land_too(drive: Drive, driven: Driven) -> None:
    check_landed(driven.said, drive.task[1])


@of(libfranka("asynchronous"))
def test_a_target_of_the_asynchronous_kind_is_reached(driven: Driven) -> None:
    assert driven.said["taken"] == [True, True]
    assert driven.said["statuses"] == ["kExecuting", "kTargetReached"]
    check_landed(driven.said, "JointPositions")
    assert driven.said["mode"] == "Idle"
    assert driven.said["errors"] == []


@of(libfranka("stops"))
def test_a_stop_from_another_thread_preempts_the_motion(driven: Driven) -> None:
    assert "preempted" in driven.said["text"]
    assert driven.said["after"] == "Idle"
    check_landed(driven.said, "JointPositions")


# Only a client that shall be missed is not waited for.
@of(
    *(
        libfranka("reflex", name, lockstep_s=0.05 if name == "silence" else 5.0, q=NEAR)
        for name in REFLEXES
    )
)
def test_a_broken_rule_is_named_and_recovered_from(drive: Drive, driven: Driven) -> None:
    name = drive.task[1]
    check_recovered(driven.said, REFLEXES[name])
    if name != "joint_envelope":
        assert driven.said["cycles"] <= 16  # within five cycles of the command
    check_landed(driven.said, "CartesianPose")


@of(libfranka("breaks", "joint_step", enforce=False))
def test_without_enforcement_a_broken_rule_is_only_counted(driven: Driven) -> None:
    assert driven.said == {"text": "", "cycles": 199, "mode": "Move", "errors": []}
    assert driven.counters["violations"] > 0
    assert driven.counters["reflexes"] == 0


def test_a_client_that_is_killed_in_motion_frees_the_robot() -> None:
    with SimulatedRobot(fresh_address(), lockstep_s=5.0) as robot:
        for _ in range(3):
            with running("v10", SCRIPT, robot.address[0], "unending") as process:
                assert process.stdout is not None
                assert "moving" in process.stdout.readline()
                process.kill()
                process.wait()
        task = ("lands", "JointPositions", "JointImpedance")
        said = tell("v10", SCRIPT, robot.address[0], *task)
    check_landed(said, "JointPositions")
    assert said["mode"] == "Idle"
