"""Losses in a row, counted to the datagram: the clock ticks when the client has done its part."""

from collections.abc import Sequence
from functools import partial
from itertools import accumulate

import numba
import numpy as np
import pytest
from stepped_network import after_cycles, stepped_network
from waiting_for import SOON_S, wait_until

from kinegraph.robot.commands import Torques
from kinegraph.robot.errors import ControlError
from kinegraph.robot.loop.callback import CompiledTorques
from kinegraph.robot.scene_robot import SceneRobot
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.state_layout import C_tau_J_d, S_dq, S_q
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

COMMUNICATION = "communication_constraints_violation"


@numba.njit(nogil=True)
def sway(state: Array, period_s: float, torques: Array) -> int:
    """Torques that follow the arm, so that a gap shows in them."""
    for i in range(7):
        torques[i] = -20.0 * state[S_dq + i] + 5.0 * np.sin(3.0 * state[S_q + i])
    return 0


def torques_of(commands: Array) -> Array:
    """The torques that the robot took, of a trace."""
    torques = commands[:, C_tau_J_d : C_tau_J_d + 7]
    return torques[np.isfinite(torques).all(axis=1)]


@pytest.mark.parametrize("fci", [10, 5])
@pytest.mark.parametrize("direction", ["states", "commands"])
def test_nineteen_lost_in_a_row_are_survived(fci: int, direction: str) -> None:
    with stepped_network(fci=fci) as (network, robot):
        session = robot.start_session(CompiledTorques(sway), limit_rate=True)
        after_cycles(session, 50)
        network.between(partial(network.relay.lose, 19, direction))  # type: ignore[arg-type]
        after_cycles(session, 50)
        rate = robot.state.control_command_success_rate
        assert session.is_running
        session.stop(SOON_S)
        counters = network.sim.counters
    assert counters["worst_lost_in_row"] == 19
    assert counters["reflexes"] == 0
    assert rate < 0.95


@pytest.mark.parametrize("count", [20, 30])
@pytest.mark.parametrize("direction", ["states", "commands"])
def test_twenty_lost_in_a_row_end_the_motion(direction: str, count: int) -> None:
    with stepped_network() as (network, robot):
        session = robot.start_session(CompiledTorques(sway), limit_rate=True)
        after_cycles(session, 50)
        network.between(partial(network.relay.lose, count, direction))  # type: ignore[arg-type]
        with pytest.raises(ControlError, match=COMMUNICATION) as caught:
            session.wait(SOON_S)
        assert COMMUNICATION in list(caught.value.reflex_reason)
        assert network.sim.counters["worst_lost_in_row"] == 20
        robot.automatic_error_recovery()  # the object is as good as before
        session = robot.start_session(CompiledTorques(sway), limit_rate=True)
        after_cycles(session, 20)
        session.stop(SOON_S)
        wait_until(lambda: bool(np.abs(network.sim.dq).max() < 1e-3))


@pytest.mark.parametrize("fci", [10, 5])
@pytest.mark.parametrize("direction", ["states", "commands"])
def test_without_enforcement_thirty_lost_make_no_torque_step(fci: int, direction: str) -> None:
    with stepped_network(fci=fci, enforce=False, trace=4000) as (network, robot):
        session = robot.start_session(CompiledTorques(sway), limit_rate=True)
        after_cycles(session, 50)
        network.between(partial(network.relay.lose, 30, direction))  # type: ignore[arg-type]
        after_cycles(session, 100)
        session.stop(SOON_S)
        assert network.sim.counters["worst_lost_in_row"] == 30
        _, commands = network.sim.trace()
    torques = torques_of(commands)
    assert len(torques) > 100
    assert np.abs(np.diff(torques, axis=0)).max() <= 1.0


def test_the_callback_learns_of_lost_states_by_the_robots_clock() -> None:
    periods: list[float] = []
    with stepped_network(enforce=False) as (network, robot):

        def callback(state: RobotState, period_s: float) -> Torques:
            if len(periods) == 40:
                network.relay.lose(30, "states")
            periods.append(period_s)
            return Torques([0.0] * 7, len(periods) >= 80)

        robot.control_torques(callback)
    gaps = [round(1e3 * period) for period in periods]
    assert gaps[0] == 0
    assert max(gaps) == 31
    assert gaps.count(1) == len(gaps) - 2


def starts(fields: Sequence[tuple[str, int]]) -> dict[str, int]:
    """Where each field of a row begins."""
    widths = [count for _, count in fields]
    return dict(zip([name for name, _ in fields], [0, *accumulate(widths)], strict=False))


@pytest.mark.parametrize("direction", ["states", "commands"])
def test_a_target_motion_goes_on_after_thirty_lost(direction: str) -> None:
    with stepped_network(enforce=False, trace=6000) as (network, robot), SceneRobot(robot) as scene:
        with scene.cartesian_targets() as arm:
            start = arm.target()
            arm.set_position(start + np.array([0.0, 0.0, 0.05]))
            count = arm.cycle_count
            wait_until(lambda: arm.cycle_count > count + 300)
            network.between(partial(network.relay.lose, 30, direction))  # type: ignore[arg-type]
            assert arm.wait(timeout_s=60.0)
            landed = arm.measured_pose().translation - start
            reader = arm.records()
            rows, _ = reader.read()
        _, commands = network.sim.trace()
    np.testing.assert_allclose(landed, [0.0, 0.0, 0.05], atol=2e-3)
    torques = torques_of(commands)
    assert np.abs(np.diff(torques, axis=0)).max() <= 1.0
    offsets = starts(reader.fields)
    height = rows[:, offsets["pose"] + 14]
    # After a gap the generator makes up at most 5 ms in a cycle, at less than 0.2 m/s.
    assert np.abs(np.diff(height)).max() <= 5e-3 * 0.2
