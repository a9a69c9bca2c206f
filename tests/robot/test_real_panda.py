"""libfranka 0.9.2 (panda-python) drives the simulated robot of version 5 with its own loops."""

from typing import Any

import numpy as np
import pytest
from drives import Drive, Driven, of
from landings import check_landed, check_recovered, check_steps
from robot_addresses import fresh_address
from third_party import needs_peers, running, tell

from kinegraph.robot.sim import SimulatedRobot

pytestmark = [pytest.mark.compiled, pytest.mark.slow, needs_peers]
SCRIPT = "panda_client.py"
GENERATORS = ("JointPositions", "JointVelocities", "CartesianPose", "CartesianVelocities")
CONTROLLERS = ("JointImpedance", "CartesianImpedance", "External")
JOINT, CARTESIAN = "joint_motion_generator_", "cartesian_motion_generator_"
REFLEXES = {
    "silence": "communication_constraints_violation",
    "joint_jump": JOINT + "velocity_discontinuity",
    "joint_start": "joint_position_motion_generator_start_pose_invalid",
    "velocity_step": JOINT + "acceleration_discontinuity",
    "pose_step": CARTESIAN + "velocity_discontinuity",
    "pose_start": "cartesian_position_motion_generator_start_pose_invalid",
    "twist_step": CARTESIAN + "acceleration_discontinuity",
    "torque_step": "controller_torque_discontinuity",
}


def panda(*task: str, **settings: Any) -> Drive:
    return Drive("v5", SCRIPT, task, fci=5, **settings)


@of(panda("calls"))
def test_every_call_is_taken_or_refused_by_name(driven: Driven) -> None:
    said, refused = driven.said, driven.said["refused"]
    assert sorted(refused) == ["cartesian", "collision", "ee", "joint", "load", "model"]
    assert "loading model library" in refused["model"]
    assert all("invalid argument" in text for name, text in refused.items() if name != "model")
    assert said["version"] == 5
    assert len(said["times"]) == 100
    check_steps(1e3 * np.diff(said["times"]))
    assert said["m_load"] == 0.5
    np.testing.assert_allclose(said["EE_T_K"], said["F_T_EE"], atol=1e-9)
    assert said["F_T_EE"][12:15] == pytest.approx([0.01, 0.02, 0.1])
    assert said["text"] == "{"


@of(
    *(panda("lands", generator, control) for generator in GENERATORS for control in CONTROLLERS),
    panda("lands", "Torques"),
)
def test_every_loop_lands_on_its_target(drive: Drive, driven: Driven) -> None:
    check_landed(driven.said, drive.task[1])
    assert driven.said["mode"] == "kIdle"
    assert driven.said["errors"] == []
    assert driven.counters["violations"] == 0


@of(*(panda("lands", kind, "JointImpedance", "free", enforce=False) for kind in GENERATORS))
def test_without_limiter_and_enforcement_they_land_too(drive: Drive, driven: Driven) -> None:
    check_landed(driven.said, drive.task[1])


@of(panda("controllers", library=True))
def test_its_own_controllers_run_on_a_robot_with_a_model_library(driven: Driven) -> None:
    said = driven.said
    assert said["pose_error"] < 1e-12
    assert said["jacobian_error"] < 1e-6
    assert said["joints"]
    check_landed(said, "JointPositions")
    assert said["pose"]
    # It ends half a second after its trajectory, while its spring still swings.
    np.testing.assert_allclose(said["moved"], [0.03, 0.0, 0.0], atol=5e-3)
    assert said["started"]
    assert len(said["logged"]) == 10
    assert said["rows"] > 1000
    assert said["whole"] > 0.99  # between its motions states go by unread
    assert said["teaching"] == [True, False]
    np.testing.assert_allclose(said["rise"], [0.0, 0.0, 0.03], atol=1e-3)
    assert said["mode"] == "kIdle"


@of(panda("stops"))
def test_a_stop_from_another_thread_preempts_the_motion(driven: Driven) -> None:
    assert "preempted" in driven.said["text"]
    assert driven.said["after"] == "kIdle"
    check_landed(driven.said, "JointPositions")


# Only a client that shall be missed is not waited for.
@of(*(panda("reflex", name, lockstep_s=0.05 if name == "silence" else 5.0) for name in REFLEXES))
def test_a_broken_rule_is_named_and_recovered_from(drive: Drive, driven: Driven) -> None:
    check_recovered(driven.said, REFLEXES[drive.task[1]])
    assert driven.said["cycles"] <= 16  # within five cycles of the command
    check_landed(driven.said, "CartesianPose")


@of(panda("breaks", "velocity_step", "200", enforce=False))
def test_without_enforcement_a_broken_rule_is_only_counted(driven: Driven) -> None:
    assert driven.said == {"text": "", "cycles": 200, "mode": "kIdle", "errors": []}
    assert driven.counters["violations"] > 0
    assert driven.counters["reflexes"] == 0


@of(Drive("v5", SCRIPT, ("handshake",), fci=10))
def test_a_robot_of_version_10_is_refused_by_name(driven: Driven) -> None:
    assert "protocol version 10" in driven.said["refused"]


def test_a_client_that_is_killed_in_motion_frees_the_robot() -> None:
    with SimulatedRobot(fresh_address(), fci=5, lockstep_s=5.0) as robot:
        for _ in range(3):
            with running("v5", SCRIPT, robot.address[0], "unending") as process:
                assert process.stdout is not None
                assert "moving" in process.stdout.readline()
                process.kill()
                process.wait()
        said = tell("v5", SCRIPT, robot.address[0], "lands", "JointPositions", "JointImpedance")
    check_landed(said, "JointPositions")
    assert said["mode"] == "kIdle"
