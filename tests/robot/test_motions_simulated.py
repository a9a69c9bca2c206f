"""Motions of every kind against the simulated robot of both versions, by both sorts of callback."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import pytest
from robot_addresses import fresh_address

from kinegraph.robot.commands import (
    CartesianPose,
    CartesianVelocities,
    JointPositions,
    JointVelocities,
    Torques,
)
from kinegraph.robot.errors import InvalidOperationError
from kinegraph.robot.modes import ControllerMode
from kinegraph.robot.robot import Robot
from kinegraph.robot.sim.robot import SimulatedRobot
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.state_layout import (
    S_control_command_success_rate,
    S_controller_mode,
    S_dq,
    S_dq_d,
    S_elbow_c,
    S_O_T_EE_c,
    S_q,
    S_q_d,
)
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

DURATION_S, END_S = 0.4, 0.7  # the arm follows torques with a lag, and settles in between
ANGLE, SPEED = 0.03, 0.15  # rad of joint 4, rad/s at most
LENGTH, PACE = 0.02, 0.1  # m along z, m/s at most
STIFF, DAMP = 400.0, 40.0
Q4, Z = S_q_d + 3, S_O_T_EE_c + 14


@numba.njit(nogil=True)
def rise(x: float) -> float:
    return 0.5 * (1.0 - math.cos(math.pi * min(x, 1.0)))


@numba.njit(nogil=True)
def swell(x: float) -> float:
    return 0.5 * (1.0 - math.cos(2.0 * math.pi * min(x, 1.0)))


@numba.njit(nogil=True)
def advance(state: Array, period_s: float, memory: Array) -> None:
    """Let the motion's clock run from the first command that the robot has taken."""
    if state[S_control_command_success_rate] > 0.0:
        memory[0] += period_s


@numba.njit(nogil=True)
def joint_positions(state: Array, period_s: float, out: Array, memory: Array) -> int:
    if period_s == 0.0:
        memory[1:8] = state[S_q_d : S_q_d + 7]
    advance(state, period_s, memory)
    out[:] = memory[1:8]
    out[3] += ANGLE * rise(memory[0] / DURATION_S)
    return int(memory[0] >= END_S)


@numba.njit(nogil=True)
def joint_velocities(state: Array, period_s: float, out: Array, memory: Array) -> int:
    advance(state, period_s, memory)
    out[3] = SPEED * swell(memory[0] / DURATION_S)
    return int(memory[0] >= END_S)


@numba.njit(nogil=True)
def cartesian_pose(state: Array, period_s: float, out: Array, memory: Array) -> int:
    if period_s == 0.0:
        memory[1:17] = state[S_O_T_EE_c : S_O_T_EE_c + 16]
    advance(state, period_s, memory)
    out[:16] = memory[1:17]
    out[14] += LENGTH * rise(memory[0] / DURATION_S)
    return int(memory[0] >= END_S)


@numba.njit(nogil=True)
def cartesian_velocities(state: Array, period_s: float, out: Array, memory: Array) -> int:
    advance(state, period_s, memory)
    out[2] = PACE * swell(memory[0] / DURATION_S)
    return int(memory[0] >= END_S)


@numba.njit(nogil=True)
def follow(state: Array, period_s: float, out: Array) -> int:
    for i in range(7):
        out[i] = STIFF * (state[S_q_d + i] - state[S_q + i])
        out[i] += DAMP * (state[S_dq_d + i] - state[S_dq + i])
    return 0


def follow_in_python(state: RobotState, period_s: float) -> Torques:
    return Torques(STIFF * (state.q_d - state.q) + DAMP * (state.dq_d - state.dq))


COMPILED = {
    "joint_positions": joint_positions,
    "joint_velocities": joint_velocities,
    "cartesian_pose": cartesian_pose,
    "cartesian_velocities": cartesian_velocities,
}
# Where the state shows the motion, and how far it goes.
TARGETS = {
    "joint_positions": (Q4, ANGLE),
    "joint_velocities": (Q4, SPEED * DURATION_S / 2),
    "cartesian_pose": (Z, LENGTH),
    "cartesian_velocities": (Z, PACE * DURATION_S / 2),
}


def in_python(kind: str) -> Callable[[RobotState, float], Any]:
    """The same motion as the compiled callback, with the types of Python."""
    elapsed, start = rise(0.0) + swell(0.0), None  # compiled before the motion

    def callback(state: RobotState, period_s: float) -> Any:
        nonlocal elapsed, start
        if start is None:
            start = state
        if state.control_command_success_rate > 0.0:
            elapsed += period_s
        x, done = elapsed / DURATION_S, elapsed >= END_S
        if kind == "joint_positions":
            q = start.q_d.copy()
            q[3] += ANGLE * rise(x)
            return JointPositions(q, done)
        if kind == "joint_velocities":
            return JointVelocities([0, 0, 0, SPEED * swell(x), 0, 0, 0], done)
        if kind == "cartesian_pose":
            pose = start.O_T_EE_c.copy()
            pose[14] += LENGTH * rise(x)
            return CartesianPose(pose, motion_finished=done)
        return CartesianVelocities([0, 0, PACE * swell(x), 0, 0, 0], motion_finished=done)

    return callback


@pytest.fixture(params=[10, 5])
def simulated(request: pytest.FixtureRequest) -> Iterator[SimulatedRobot]:
    # A loaded machine may answer late at the start of a motion; that is not what is tested here.
    with SimulatedRobot(fresh_address(), fci=request.param, lockstep_s=2.0, max_lost=2000) as robot:
        yield robot


@pytest.fixture
def robot(simulated: SimulatedRobot) -> Iterator[Robot]:
    with Robot(simulated.address[0]) as client:
        yield client


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "with torques"])
@pytest.mark.parametrize("sort", ["python", "compiled"])
@pytest.mark.parametrize("kind", list(COMPILED))
def test_a_motion_ends_at_its_target(robot: Robot, kind: str, sort: str, beside: bool) -> None:
    at, length = TARGETS[kind]
    before = robot.read_once().row
    if sort == "compiled":
        callback: Any = COMPILED[kind]
        torques: Any = follow if beside else None
    else:
        callback = in_python(kind)
        torques = follow_in_python if beside else None
    getattr(robot, f"control_{kind}")(callback, torques=torques)
    after = robot.read_once().row
    assert after[at] - before[at] == pytest.approx(length, abs=1e-3)
    # The arm itself is where the motion is.
    assert np.abs(after[S_q : S_q + 7] - after[S_q_d : S_q_d + 7]).max() < 2e-3
    assert robot.read_once().robot_mode.name == "Idle"


@numba.njit(nogil=True)
def swinging_elbow(state: Array, period_s: float, out: Array, memory: Array) -> int:
    if period_s == 0.0:
        memory[1:17] = state[S_O_T_EE_c : S_O_T_EE_c + 16]
        memory[17:19] = state[S_elbow_c : S_elbow_c + 2]
    advance(state, period_s, memory)
    out[:18] = memory[1:19]
    out[16] += ANGLE * rise(memory[0] / DURATION_S)
    return int(memory[0] >= END_S)


def swinging_elbow_in_python() -> Callable[[RobotState, float], CartesianPose]:
    """The same with the types of Python."""
    elapsed, start = rise(0.0), None

    def callback(state: RobotState, period_s: float) -> CartesianPose:
        nonlocal elapsed, start
        if start is None:
            start = state
        if state.control_command_success_rate > 0.0:
            elapsed += period_s
        elbow = start.elbow_c.copy()
        elbow[0] += ANGLE * rise(elapsed / DURATION_S)
        return CartesianPose(start.O_T_EE_c, elbow, elapsed >= END_S)

    return callback


@pytest.mark.parametrize("sort", ["python", "compiled"])
def test_an_elbow_moves_while_the_end_effector_stays(robot: Robot, sort: str) -> None:
    before = robot.read_once()
    callback: Any = swinging_elbow if sort == "compiled" else swinging_elbow_in_python()
    robot.control_cartesian_pose(callback)
    after = robot.read_once()
    assert after.q_d[2] - before.q_d[2] == pytest.approx(ANGLE, abs=1e-3)
    assert pytest.approx(before.O_T_EE, abs=1e-3) == after.O_T_EE


@pytest.mark.parametrize("controller", ["JointImpedance", "CartesianImpedance"])
def test_the_controller_is_the_one_that_was_asked_for(
    simulated: SimulatedRobot, robot: Robot, controller: str
) -> None:
    seen = set()
    motion = in_python("joint_positions")

    def watching(state: RobotState, period_s: float) -> Any:
        seen.add(ControllerMode(state.row[S_controller_mode]).name)
        return motion(state, period_s)

    robot.control_joint_positions(watching, controller_mode=ControllerMode[controller])
    assert seen == {controller}


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "with torques"])
@pytest.mark.parametrize("kind", list(COMPILED))
def test_a_motion_step_by_step_ends_at_its_target(robot: Robot, kind: str, beside: bool) -> None:
    at, length = TARGETS[kind]
    before = robot.read_once().row
    callback = in_python(kind)
    singular = {"positions": "position", "velocities": "velocity", "pose": "pose"}
    space, _, what = kind.partition("_")
    start = getattr(robot, f"start_{space}_{singular[what]}_control")
    periods = []
    with start(torques=beside) as control:
        while not control.is_finished:
            state, period_s = control.read_once()
            periods.append(period_s)
            command = callback(state, period_s)
            control.write_once(command, follow_in_python(state, period_s) if beside else None)
    after = robot.read_once().row
    assert after[at] - before[at] == pytest.approx(length, abs=1e-3)
    assert np.abs(after[S_q : S_q + 7] - after[S_q_d : S_q_d + 7]).max() < 2e-3
    assert periods[0] == 0.0
    assert min(periods[1:]) >= 1e-3


def test_torques_step_by_step_hold_the_arm(simulated: SimulatedRobot, robot: Robot) -> None:
    start, cycles = simulated.q, 0
    with robot.start_torque_control() as control:
        while not control.is_finished:
            state, _ = control.read_once()
            cycles += 1
            torques = 50.0 * (start - state.q) - 5.0 * state.dq
            control.write_once(Torques(torques, cycles == 200))
    assert simulated.q == pytest.approx(start, abs=1e-3)


def test_asynchronous_positions_are_reached(simulated: SimulatedRobot, robot: Robot) -> None:
    if simulated.fci_version == 5:
        with pytest.raises(InvalidOperationError, match="not available on FCI version 5"):
            robot.start_async_joint_position_control([0.5] * 7)
        return
    target = robot.read_once().q_d.copy()
    target[3] += 0.05
    with robot.start_async_joint_position_control([0.5] * 7) as control:
        control.read_once()
        control.write_once(JointPositions(target))
        for _ in range(20):  # no command for these
            control.read_once()
        control.write_once(JointPositions(target, True))
    assert robot.read_once().q_d == pytest.approx(target, abs=1e-3)
    assert simulated.q == pytest.approx(target, abs=2e-3)
