"""Motions that cannot start, commands that are refused, and reflexes that need somebody's hand."""

from typing import Any

import numpy as np
import pytest
from sim_client import DEVIATIONS, EXTERNAL, SimClient, drive, field, served

from kinegraph.robot.errors import InvalidOperationError
from kinegraph.robot.sim import SimulatedRobot
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

HOME = np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])
# The elbow points sideways out of the plane of shoulder and wrist: joints 1 and 5 do the same.
SINGULAR = np.array([0.0, 0.0, np.pi / 2, -1.5, 0.0, 1.5, 0.0])
# The hand is folded back onto the base.
FOLDED = np.array([0.0, -1.7, 0.0, -3.0, 0.0, 0.6, 0.0])
FAR = {
    f"{side}_{kind}_thresholds_{phase}": 1e4
    for side in ("lower", "upper")
    for kind in ("torque", "force")
    for phase in ("acceleration", "nominal")
}
BOTH = pytest.mark.parametrize("version", [10, 5])


def start(client: SimClient, generator: str, controller: str = "JointImpedance") -> str:
    """How a Move is answered first."""
    enums = client.protocol.enums
    return client.request(
        "Move",
        controller_mode=enums["MoveControllerMode"][controller],
        motion_generator_mode=enums["MoveMotionGeneratorMode"][generator],
        **DEVIATIONS,
    )


def torque_motion(robot: SimulatedRobot, client: SimClient) -> int:
    """A motion whose torques are zero, as each version spells it."""
    generator = "None" if client.protocol.version == 10 else "JointVelocity"
    number = client.move(generator, EXTERNAL)
    robot.step()
    return number


def recover(robot: SimulatedRobot, client: SimClient) -> str:
    number = client.post("AutomaticErrorRecovery")
    robot.step(500)
    return client.status("AutomaticErrorRecovery", client.reply(number))


def zeros(*_: Any) -> dict[str, Any]:
    return {"tau_J_d": np.zeros(7)}


@BOTH
@pytest.mark.parametrize("generator", ["CartesianPosition", "CartesianVelocity"])
def test_no_cartesian_motion_starts_at_a_singular_pose(version: int, generator: str) -> None:
    with served(fci=version, q=SINGULAR) as (robot, client):
        assert start(client, generator) == "StartAtSingularPoseRejected"
        assert start(client, "JointPosition") == "MotionStarted"
        client.request("StopMove")
        robot.place(HOME)
        assert start(client, generator) == "MotionStarted"


@BOTH
def test_an_arm_that_touches_itself_stops_and_needs_a_hand(version: int) -> None:
    with served(fci=version, q=FOLDED) as (robot, client):
        move = client.move("JointPosition")
        robot.step()
        state = drive(robot, client, lambda *_: {"q_c": FOLDED}, 2)
        assert list(np.flatnonzero(field(state, "current_errors"))) == [2]
        assert client.ended(move) == "ReflexAborted"
        assert recover(robot, client) == "ManualErrorRecoveryRequiredRejected"
        with pytest.raises(InvalidOperationError, match="recover_by_hand"):
            robot.recover_by_hand()
        robot.place(HOME)
        assert recover(robot, client) == "Success"


def pushed_out(robot: SimulatedRobot, client: SimClient) -> Array:
    """A motion in which joint 7 is pushed out of its range; the last state."""
    client.request("SetCollisionBehavior", **FAR)
    torque_motion(robot, client)
    robot.apply_torques(1.0 * np.eye(7)[6])
    state = client.state()
    while not field(state, "current_errors").any():
        state = drive(robot, client, zeros, 1)
    robot.apply_torques(np.zeros(7))
    robot.step(300)
    return robot.state


def near_the_end() -> Array:
    return np.append(HOME[:6], 2.88)


def test_an_arm_outside_its_range_is_recovered_by_hand() -> None:
    with served(fci=5, q=near_the_end()) as (robot, client):
        state = pushed_out(robot, client)
        assert list(np.flatnonzero(field(state, "last_motion_errors"))) == [0]
        assert robot.q[6] > 2.8973 + 0.005
        assert recover(robot, client) == "ManualErrorRecoveryRequiredRejected"
        robot.recover_by_hand()
        robot.step()
        assert field(robot.state, "robot_mode") == 1
        assert robot.q[6] < 2.8973
        assert not robot.errors
        assert start(client, "JointPosition") == "MotionStarted"


def test_an_arm_outside_its_range_may_be_guided_back() -> None:
    with served(fci=5, q=near_the_end()) as (robot, client):
        pushed_out(robot, client)
        robot.guide(True)
        robot.apply_torques(-1.0 * np.eye(7)[6])
        while robot.q[6] > 2.85:
            robot.step()
        robot.apply_torques(np.zeros(7))
        robot.guide(False)
        robot.step(200)
        assert field(robot.state, "robot_mode") == 4
        assert recover(robot, client) == "Success"


@BOTH
def test_a_reflex_may_be_said_to_need_a_hand(version: int) -> None:
    with served(fci=version) as (robot, client):
        robot.inject_reflex("joint_reflex", manual=True)
        assert recover(robot, client) == "ManualErrorRecoveryRequiredRejected"
        robot.recover_by_hand()
        assert recover(robot, client) == "Success"
        assert robot.reflex_reason == ("joint_reflex",)
        robot.inject_reflex("joint_reflex")
        assert recover(robot, client) == "Success"


@BOTH
@pytest.mark.parametrize(
    ("what", "status"), [("reflex", "ReflexAborted"), ("stop", "EmergencyAborted")]
)
def test_a_recovery_that_waits_for_the_arm_may_be_aborted(
    version: int, what: str, status: str
) -> None:
    with served(fci=version) as (robot, client):
        client.request("SetCollisionBehavior", **FAR)
        torque_motion(robot, client)
        robot.apply_torques(40.0 * np.eye(7)[0])
        drive(robot, client, zeros, 60)
        robot.apply_torques(np.zeros(7))
        robot.inject_reflex("joint_reflex")
        number = client.post("AutomaticErrorRecovery")
        assert not client.has_reply(number)
        if what == "reflex":
            robot.inject_reflex("cartesian_reflex")
        else:
            robot.press_user_stop()
        robot.step()
        assert client.status("AutomaticErrorRecovery", client.reply(number)) == status


def test_a_safety_function_preempts_and_rejects_until_it_is_off() -> None:
    rejected = "CommandRejectedDueToActivatedSafetyFunctions"
    with served() as (robot, client):
        move = torque_motion(robot, client)
        robot.activate_safety_function(True)
        assert client.ended(move) == "PreemptedDueToActivatedSafetyFunctions"
        assert start(client, "JointPosition") == rejected
        assert client.request("SetLoad", m_load=0.1) == rejected
        assert client.request("AutomaticErrorRecovery") == rejected
        assert client.request("GetRobotModel") == rejected
        assert client.request("StopMove") == "Success"
        robot.activate_safety_function(False)
        assert client.request("GetRobotModel") == "Success"
        assert start(client, "JointPosition") == "MotionStarted"


def test_version_5_knows_no_safety_functions() -> None:
    with served(fci=5) as (robot, _), pytest.raises(InvalidOperationError, match="version 5"):
        robot.activate_safety_function(True)


@BOTH
def test_a_joint_that_is_pushed_beyond_its_speed_stops_the_motion(version: int) -> None:
    with served(fci=version) as (robot, client):
        client.request("SetCollisionBehavior", **FAR)
        move = torque_motion(robot, client)
        robot.apply_torques(60.0 * np.eye(7)[0])
        state = drive(robot, client, zeros, 5)
        while not field(state, "current_errors").any():
            state = drive(robot, client, zeros, 1)
        assert list(np.flatnonzero(field(state, "current_errors"))) == [3]
        assert client.ended(move) == "ReflexAborted"
