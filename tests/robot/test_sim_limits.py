"""The table of checks, version by version: what just keeps a limit passes, what breaks it is named.

In version 10 clients see their last commands rounded to binary32, and the robot forgives that much;
steps that are to break a limit are large enough not to be taken for it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from sim_client import EXTERNAL, SimClient, drive, field, served

from kinegraph.robot.sim import SimulatedRobot
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

HOME = np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])
DT = 1e-3
ACCELERATION = {10: (10.0,) * 7, 5: (15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0)}
JERK = {10: (5000.0,) * 7, 5: (7500.0, 3750.0, 5000.0, 6250.0, 7500.0, 10000.0, 10000.0)}
# Velocity, acceleration, jerk of the end effector, linear and angular.
LINEAR = {10: (3.0, 9.0, 4500.0), 5: (2.0, 13.0, 6500.0)}
ANGULAR = {10: (2.5, 17.0, 8500.0), 5: (2.5, 25.0, 12500.0)}
KEPT, BROKEN = 0.95, 1.3
BOTH = pytest.mark.parametrize("version", [10, 5])
JOINTS = pytest.mark.parametrize("joint", range(7))


def bits_after(
    robot: SimulatedRobot, client: SimClient, commands: Sequence[dict[str, Any]]
) -> list[int]:
    """Error bits after some commands of a motion that has been started."""
    state = drive(robot, client, lambda _, k: commands[k], len(commands))
    return [int(bit) for bit in np.flatnonzero(field(state, "current_errors"))]


def outcome(
    version: int, generator: str, commands: Any, controller: str = "JointImpedance", **options: Any
) -> list[int]:
    """Error bits after a motion's first commands; a function is given the pose at the start."""
    with served(fci=version, **options) as (robot, client):
        if generator == "Torques":
            generator = "None" if version == 10 else "JointVelocity"
            controller = EXTERNAL
        client.move(generator, controller)
        robot.step()
        pose = robot.end_effector_pose().ravel(order="F")
        made: Any = commands(pose) if callable(commands) else commands
        return bits_after(robot, client, made)


def position_step(joint: int, size: float) -> list[dict[str, Any]]:
    return [{"q_c": HOME}, {"q_c": HOME}, {"q_c": HOME + size * np.eye(7)[joint]}]


def velocity_step(joint: int, size: float) -> list[dict[str, Any]]:
    still = {"dq_c": np.zeros(7)}
    return [still, still, {"dq_c": size * np.eye(7)[joint]}]


def twist_step(axis: int, size: float) -> list[dict[str, Any]]:
    still = {"O_dP_EE_c": np.zeros(6)}
    return [still, still, {"O_dP_EE_c": size * np.eye(6)[axis]}]


def pose_step(axis: int, size: float) -> Any:
    """Steps of translation or rotation about an axis of the base."""

    def commands(pose: Array) -> list[dict[str, Any]]:
        moved = pose.reshape(4, 4, order="F").copy()
        if axis < 3:
            moved[axis, 3] += size
        else:
            turn = np.eye(4)
            i, j = [(1, 2), (2, 0), (0, 1)][axis - 3]
            turn[i, i] = turn[j, j] = np.cos(size)
            turn[j, i], turn[i, j] = np.sin(size), -np.sin(size)
            moved[:3, :3] = turn[:3, :3] @ moved[:3, :3]
        return [{"O_T_EE_c": pose}, {"O_T_EE_c": pose}, {"O_T_EE_c": moved.ravel(order="F")}]

    return commands


@BOTH
@JOINTS
def test_a_step_of_a_joint_position_is_named_by_what_it_breaks(version: int, joint: int) -> None:
    jerk, acceleration = JERK[version][joint] * DT**3, ACCELERATION[version][joint] * DT**2
    assert outcome(version, "JointPosition", position_step(joint, KEPT * jerk)) == []
    assert outcome(version, "JointPosition", position_step(joint, BROKEN * jerk)) == [15]
    assert outcome(version, "JointPosition", position_step(joint, BROKEN * acceleration)) == [14]


@BOTH
@JOINTS
def test_a_step_of_a_joint_velocity_is_named_by_what_it_breaks(version: int, joint: int) -> None:
    jerk, acceleration = JERK[version][joint] * DT**2, ACCELERATION[version][joint] * DT
    assert outcome(version, "JointVelocity", velocity_step(joint, KEPT * jerk)) == []
    assert outcome(version, "JointVelocity", velocity_step(joint, BROKEN * jerk)) == [15]
    assert outcome(version, "JointVelocity", velocity_step(joint, BROKEN * acceleration)) == [15]


@BOTH
@pytest.mark.parametrize("axis", range(6))
def test_a_step_of_a_pose_is_named_by_what_it_breaks(version: int, axis: int) -> None:
    _, acceleration, jerk = (LINEAR if axis < 3 else ANGULAR)[version]
    # Only a little of the jerk: the joints behind have limits of their own.
    small = pose_step(axis, 0.1 * jerk * DT**3)
    assert outcome(version, "CartesianPosition", small) == []
    broken = pose_step(axis, BROKEN * jerk * DT**3)
    assert outcome(version, "CartesianPosition", broken) == [20]
    jump = pose_step(axis, BROKEN * acceleration * DT**2)
    assert outcome(version, "CartesianPosition", jump) == [19]


@BOTH
@pytest.mark.parametrize("axis", range(6))
def test_a_step_of_a_twist_is_a_discontinuity_of_acceleration(version: int, axis: int) -> None:
    _, acceleration, jerk = (LINEAR if axis < 3 else ANGULAR)[version]
    small = twist_step(axis, 0.1 * jerk * DT**2)
    assert outcome(version, "CartesianVelocity", small) == []
    for size in (BROKEN * jerk * DT**2, BROKEN * acceleration * DT):
        assert outcome(version, "CartesianVelocity", twist_step(axis, size)) == [20]


@BOTH
def test_a_twist_that_only_the_joints_cannot_follow_is_named_on_their_side(version: int) -> None:
    stretched = HOME.copy()
    stretched[1], stretched[3] = -0.2, -0.3
    found = outcome(
        version, "CartesianVelocity", twist_step(0, 0.9 * LINEAR[version][2] * DT**2), q=stretched
    )
    assert found in ([29], [30])


@BOTH
@JOINTS
def test_a_step_of_a_torque_is_a_torque_discontinuity(version: int, joint: int) -> None:
    def commands(size: float) -> list[dict[str, Any]]:
        return [{"tau_J_d": k * size * np.eye(7)[joint]} for k in (0, 0, 1)]

    assert outcome(version, "Torques", commands(KEPT)) == []
    assert outcome(version, "Torques", commands(BROKEN)) == [32]


@BOTH
@pytest.mark.parametrize(
    ("elbow", "sign", "bit"),
    [((0.0, 0.0, 0.3e-6), -1.0, None), ((0.0, 0.0, 2e-5), -1.0, 17), ((0.0,), 1.0, 21)],
)
def test_an_elbow_is_checked_for_sign_and_speed(
    version: int, elbow: tuple[float, ...], sign: float, bit: int | None
) -> None:
    def commands(pose: Array) -> list[dict[str, Any]]:
        rest = {"O_T_EE_c": pose, "valid_elbow": 1.0}
        return [{**rest, "elbow_c": [value, sign]} for value in elbow]

    assert outcome(version, "CartesianPosition", commands) == ([] if bit is None else [bit])


STARTS = {
    "joint position": ("JointPosition", lambda _: [{"q_c": HOME + 0.11 * np.eye(7)[0]}], 11),
    "pose": ("CartesianPosition", lambda p: [{"O_T_EE_c": p + 0.06 * np.eye(16)[13]}], 16),
    "elbow": (
        "CartesianPosition",
        lambda p: [{"O_T_EE_c": p, "elbow_c": [0.11, -1.0], "valid_elbow": 1.0}],
        22,
    ),
    "frame": ("CartesianPosition", lambda p: [{"O_T_EE_c": 1.01 * p}], 31),
    "velocity": ("JointVelocity", lambda _: [{"dq_c": np.full(7, 0.1)}], 14),
}


@BOTH
@pytest.mark.parametrize("name", STARTS)
def test_a_wrong_start_outranks_everything_else(version: int, name: str) -> None:
    generator, commands, bit = STARTS[name]
    assert outcome(version, generator, commands) == [bit]


@pytest.mark.parametrize(
    ("version", "generator", "bits"),
    [
        (10, "JointVelocity", {13}),
        (5, "JointVelocity", {12}),
        (10, "CartesianVelocity", {28}),
        (5, "CartesianVelocity", {27}),
    ],
)
def test_creeping_out_of_the_range_of_joint_7_is_named(
    version: int, generator: str, bits: set[int]
) -> None:
    """Version 10 limits the speed near the end of the range, so that breaks first there."""
    near = HOME.copy()
    near[6] = 2.99 if version == 10 else 2.88
    with served(fci=version, q=near) as (robot, client):
        client.move(generator)
        robot.step()
        axis = robot.flange_pose()[:3, 2]  # joint 7 turns about the axis of the flange
        state = client.state()
        for k in range(3000):
            speed = 0.05 * (1.0 - np.cos(np.pi * min(1.0, k / 300))) / 2.0
            turn = np.append(np.zeros(3), speed * axis)
            command = {"dq_c": speed * np.eye(7)[6], "O_dP_EE_c": turn}
            state = drive(robot, client, lambda *_: command, 1)  # noqa: B023
            if field(state, "current_errors").any():
                break
        assert {int(bit) for bit in np.flatnonzero(field(state, "current_errors"))} == bits
