"""The client against the simulated robot, both compiled, each on its own thread."""

from collections.abc import Iterator

import numba
import numpy as np
import pytest
from robot_addresses import fresh_address
from waiting_for import SOON_S, wait_until

from kinegraph.robot.commands import Torques
from kinegraph.robot.errors import CommandError, ControlError, NetworkError
from kinegraph.robot.loop.callback import CompiledTorques
from kinegraph.robot.modes import RobotMode
from kinegraph.robot.robot import Robot
from kinegraph.robot.sim.robot import SimulatedRobot
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.state_layout import S_dq, S_q, S_q_d, S_time
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

Q, Q_D, DQ = S_q, S_q_d, S_dq


@numba.njit(nogil=True)
def damp(state: Array, period_s: float, torques: Array) -> int:
    for i in range(7):
        torques[i] = -2.0 * state[DQ + i]
    return 0


@numba.njit(nogil=True)
def jump(state: Array, period_s: float, torques: Array) -> int:
    torques[:] = 0.0
    torques[3] = 60.0
    return 0


@pytest.fixture(params=[10, 5])
def simulated(request: pytest.FixtureRequest) -> Iterator[SimulatedRobot]:
    with SimulatedRobot(fresh_address(), fci=request.param, lockstep_s=5.0) as robot:
        yield robot


@pytest.fixture
def robot(simulated: SimulatedRobot) -> Iterator[Robot]:
    with Robot(simulated.address[0]) as client:
        yield client


def test_every_command_of_a_motion_is_accepted(simulated: SimulatedRobot, robot: Robot) -> None:
    session = robot.start_session(CompiledTorques(damp))
    wait_until(lambda: session.cycle_count >= 500)
    session.stop()
    counted = simulated.counters
    assert counted["lost"] == 0
    assert counted["accepted"] >= 500
    assert counted["malformed"] == 0
    assert robot.version == simulated.fci_version


def test_a_python_callback_holds_the_arm(simulated: SimulatedRobot, robot: Robot) -> None:
    start = simulated.q
    cycles = 0

    def hold(state: RobotState, period_s: float) -> Torques:
        nonlocal cycles
        cycles += 1
        torques = 50.0 * (start - state.q) - 5.0 * state.dq
        return Torques(torques, cycles >= 300)

    robot.control_torques(hold)
    assert cycles == 300
    assert simulated.counters["lost"] == 0
    assert simulated.q == pytest.approx(start, abs=1e-3)


def test_a_torque_jump_ends_in_a_reflex_with_its_name_and_recovers(
    simulated: SimulatedRobot, robot: Robot
) -> None:
    with pytest.raises(ControlError, match="controller_torque_discontinuity") as caught:
        robot.control_torques(jump, limit_rate=False, cutoff_frequency=1000.0)
    assert "controller_torque_discontinuity" in list(caught.value.reflex_reason)
    wait_until(lambda: robot.state.robot_mode is RobotMode.Reflex)
    with pytest.raises(CommandError, match='"Reflex"'):
        robot.control_torques(damp)
    robot.automatic_error_recovery()
    session = robot.start_session(CompiledTorques(damp))
    session.stop()


def test_a_motion_that_ends_with_its_first_command_is_always_told(
    simulated: SimulatedRobot, robot: Robot
) -> None:
    for _ in range(25):  # its end races the first reply to Move
        with pytest.raises(ControlError, match="controller_torque_discontinuity"):
            robot.control_torques(jump, limit_rate=False, cutoff_frequency=1000.0)
        robot.automatic_error_recovery()


def test_the_same_jump_passes_with_the_rate_limiter(
    simulated: SimulatedRobot, robot: Robot
) -> None:
    session = robot.start_session(CompiledTorques(jump), limit_rate=True, cutoff_frequency=1000.0)
    wait_until(lambda: session.cycle_count >= 20)
    robot.stop()
    with pytest.raises(ControlError, match="preempted"):
        session.wait(SOON_S)
    assert "controller_torque_discontinuity" not in simulated.reflex_reason


def test_a_user_stop_is_told(simulated: SimulatedRobot, robot: Robot) -> None:
    session = robot.start_session(CompiledTorques(damp))
    simulated.press_user_stop()
    with pytest.raises(ControlError, match="User Stop pressed!"):
        session.wait(SOON_S)


def test_fifty_motions_follow_each_other(simulated: SimulatedRobot, robot: Robot) -> None:
    controller = CompiledTorques(damp)
    for _ in range(50):
        robot.start_session(controller).stop()
    assert simulated.counters["motions"] == 50
    assert simulated.counters["reflexes"] == 0
    assert robot.counters.lost == 0


def test_a_load_shows_in_the_next_states(robot: Robot) -> None:
    robot.set_load(0.5, [0.0, 0.0, 0.1], np.diag([1e-3] * 3))
    wait_until(lambda: robot.state.m_load == pytest.approx(0.5))
    assert robot.state.F_x_Cload == pytest.approx([0.0, 0.0, 0.1], abs=1e-7)


def test_a_thousand_states_come_without_a_gap(robot: Robot) -> None:
    stream = robot.states()
    rows = np.concatenate([stream.read_rows() for _ in range(60)])
    while len(rows) < 1000:
        rows = np.concatenate([rows, stream.read_rows()])
    assert (np.diff(rows[:, S_time]) == 1).all()
    assert stream.lost == 0
    assert np.isfinite(rows[:, Q : Q + 7]).all()
    assert rows[-1, Q_D : Q_D + 7] == pytest.approx(rows[-1, Q : Q + 7], abs=1e-2)


def test_a_robot_whose_connection_is_cut_in_a_motion_says_so(
    simulated: SimulatedRobot, robot: Robot
) -> None:
    session = robot.start_session(CompiledTorques(damp))
    simulated.drop_client()
    with pytest.raises(NetworkError):
        session.wait(SOON_S)
    with Robot(simulated.address[0]) as again:
        again.read_once()
