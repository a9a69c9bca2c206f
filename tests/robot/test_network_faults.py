"""A torque loop over a network that loses, delays, doubles, swaps and cuts datagrams.

The robot's clock waits for its client (lockstep), a short time where a command was lost, so that
the machine's load loses nothing; what is lost, the relay loses.
"""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numba
import numpy as np
import pytest
from robot_addresses import fresh_address
from waiting_for import SOON_S, wait_until

from kinegraph.robot.commands import (
    CartesianPose,
    CartesianVelocities,
    JointPositions,
    JointVelocities,
)
from kinegraph.robot.errors import ControlError, NetworkError
from kinegraph.robot.loop.callback import CompiledTorques
from kinegraph.robot.robot import Robot
from kinegraph.robot.sim.robot import SimulatedRobot
from kinegraph.robot.testing import DatagramFaults, Faults, Relay
from kinegraph.robot.wire.state_layout import S_dq
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

CYCLES = 200
LOCKSTEP_S = 0.02
RATES = (0.01, 0.05, 0.2)


@numba.njit(nogil=True)
def damp(state: Array, period_s: float, torques: Array) -> int:
    for i in range(7):
        torques[i] = -2.0 * state[S_dq + i]
    return 0


@contextmanager
def through(
    faults: Faults, *, fci: int = 10, enforce: bool = True, lockstep_s: float = LOCKSTEP_S
) -> Iterator[tuple[SimulatedRobot, Relay, Robot]]:
    """A robot, a relay and a client."""
    with (
        SimulatedRobot(fresh_address(), fci=fci, enforce=enforce, lockstep_s=lockstep_s) as sim,
        Relay(fresh_address(), sim.address[0], faults=faults, seed=4) as relay,
        Robot(relay.address[0]) as robot,
    ):
        yield sim, relay, robot


def run_a_motion(sim: SimulatedRobot, relay: Relay, robot: Robot) -> None:
    """Hold the arm for some cycles; it stays where it is and nobody complains."""
    home = sim.q
    session = robot.start_session(CompiledTorques(damp))
    wait_until(lambda: session.cycle_count >= CYCLES or not session.is_running)
    session.stop(SOON_S)
    assert sim.counters["reflexes"] == 0
    assert sim.counters["motions"] == 1
    np.testing.assert_allclose(sim.q, home, atol=1e-3)
    figures = relay.figures()["motions"]
    assert figures["answered"] >= CYCLES
    # Never a command for a state that was old already, for one that never came, or two for one.
    assert figures["stale"] == figures["unknown"] == figures["duplicates"] == 0


def one_fault(kind: str, rate: float) -> DatagramFaults:
    if kind == "late":
        return DatagramFaults(delay=0.003, jitter=0.002, late=rate)
    return DatagramFaults(**{kind: rate})


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("kind", ["drop", "late", "dup", "reorder", "trunc", "garbage"])
@pytest.mark.parametrize("direction", ["states", "commands"])
def test_a_motion_survives(direction: str, kind: str, rate: float) -> None:
    fault, none = one_fault(kind, rate), DatagramFaults()
    faults = Faults(states=fault) if direction == "states" else Faults(none, fault)
    with through(faults) as (sim, relay, robot):
        run_a_motion(sim, relay, robot)
        counters, robots = robot.counters, sim.counters
        counted = relay.figures()["counters"][direction]
    if direction == "states":
        assert counters.short + counters.strange <= counted["truncated"] + counted["garbage"]
        if kind in ("drop", "trunc"):
            assert counters.stale == 0
        if kind in ("dup", "reorder"):
            assert counters.stale >= 0.5 * counted["duplicated"] + 0.5 * counted["reordered"]
    else:
        assert robots["malformed"] <= counted["truncated"] + counted["garbage"]
        assert robots["duplicate"] + robots["late"] <= counted["duplicated"] + robots["lost"]


@pytest.mark.parametrize("fci", [10, 5])
def test_a_motion_survives_all_of_it_both_ways(fci: int) -> None:
    all_of_it = DatagramFaults(
        drop=0.05, delay=0.001, jitter=0.002, late=0.2, dup=0.05, reorder=0.05, trunc=0.05
    )
    with through(Faults.both_ways(all_of_it), fci=fci) as (sim, relay, robot):
        run_a_motion(sim, relay, robot)


def test_a_network_that_loses_all_commands_ends_the_motion_as_on_a_robot() -> None:
    with through(Faults()) as (sim, relay, robot):
        session = robot.start_session(CompiledTorques(damp))
        # Losses before the first command of a motion are none.
        wait_until(lambda: sim.counters["accepted"] > 0)
        relay.faults = Faults(commands=DatagramFaults(drop=1.0))
        with pytest.raises(ControlError, match="communication_constraints_violation") as caught:
            session.wait(SOON_S)
        assert caught.value.log
        assert "communication_constraints_violation" in sim.reflex_reason
        assert sim.counters["worst_lost_in_row"] == 20
        relay.faults = Faults()
        robot.automatic_error_recovery()
        robot.start_session(CompiledTorques(damp)).stop(SOON_S)
        assert np.abs(sim.dq).max() < 1e-3


def test_a_network_that_loses_all_states_is_a_network_error_and_the_arm_stops() -> None:
    with through(Faults()) as (sim, relay, robot):
        session = robot.start_session(CompiledTorques(damp))
        relay.faults = Faults(states=DatagramFaults(drop=1.0))
        with pytest.raises(NetworkError, match="UDP receive: Timeout"):
            session.wait(SOON_S)
        assert "communication_constraints_violation" in sim.reflex_reason
        robot.read_once()  # the last one that came
        with pytest.raises(NetworkError, match="UDP receive: Timeout"):
            robot.read_once()
        relay.faults = Faults()
        robot.automatic_error_recovery()
        robot.read_once()
        robot.start_session(CompiledTorques(damp)).stop(SOON_S)


def test_without_enforcement_a_loss_of_all_commands_is_survived() -> None:
    with through(Faults(), enforce=False) as (sim, relay, robot):
        session = robot.start_session(CompiledTorques(damp))
        wait_until(lambda: sim.counters["accepted"] > 0)  # losses before the first do not count
        relay.lose(60, "commands")
        wait_until(lambda: sim.counters["worst_lost_in_row"] >= 30)
        count = session.cycle_count
        wait_until(lambda: session.cycle_count >= count + 50)
        session.stop(SOON_S)
        assert sim.counters["reflexes"] == 0


LOOPS: dict[str, Callable[[Robot, Callable[[], bool]], None]] = {
    "joint positions": lambda robot, last: robot.control_joint_positions(
        lambda state, period_s: JointPositions(state.q_d, last())
    ),
    "joint velocities": lambda robot, last: robot.control_joint_velocities(
        lambda state, period_s: JointVelocities([0.0] * 7, last())
    ),
    "Cartesian pose": lambda robot, last: robot.control_cartesian_pose(
        lambda state, period_s: CartesianPose(state.O_T_EE_c, motion_finished=last())
    ),
    "Cartesian velocities": lambda robot, last: robot.control_cartesian_velocities(
        lambda state, period_s: CartesianVelocities([0.0] * 6, motion_finished=last())
    ),
}


@pytest.mark.parametrize("fci", [10, 5])
@pytest.mark.parametrize("name", LOOPS)
def test_every_kind_of_motion_survives_all_of_it(name: str, fci: int) -> None:
    faults = DatagramFaults(drop=0.03, dup=0.05, reorder=0.05, trunc=0.03)
    with through(Faults.both_ways(faults), fci=fci) as (sim, relay, robot):
        home, count = sim.q, itertools.count(1)
        LOOPS[name](robot, lambda: next(count) >= 100)
        assert sim.counters["reflexes"] == 0
        np.testing.assert_allclose(sim.q, home, atol=1e-3)
        figures = relay.figures()["motions"]
        assert figures["number"] == 1
        assert figures["stale"] == figures["unknown"] == figures["duplicates"] == 0
