"""Loops that Python drives: the interpreter changes threads quickly then, and only then."""

import gc
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from robot_addresses import fresh_address

from kinegraph.robot import Robot, RobotState, SimulatedRobot, Torques
from kinegraph.robot.limits import rate_limits
from kinegraph.robot.loop.cycle_kernels import begin_cycle, begin_session, end_cycle
from kinegraph.robot.loop.driving import SWITCH_S, QuickSwitching, cycle_calls
from kinegraph.robot.loop.loop_layout import B_FAULT, B_TORQUES, BOTH_HALVES, LoopMemory, rehearsal
from kinegraph.robot.loop.loop_thread import LoopThread
from kinegraph.robot.wire.tables import PROTOCOLS

pytestmark = pytest.mark.compiled


@pytest.fixture
def usual() -> Iterator[float]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.003)
    yield sys.getswitchinterval()
    sys.setswitchinterval(before)


@pytest.fixture
def robot() -> Iterator[Robot]:
    with SimulatedRobot(fresh_address(), lockstep_s=0.5) as sim, Robot(sim.address[0]) as client:
        yield client


def quick() -> bool:
    return sys.getswitchinterval() == pytest.approx(SWITCH_S)


def test_the_last_loop_that_ends_gives_the_setting_back(usual: float) -> None:
    with QuickSwitching() as first:
        second = QuickSwitching().begin()
        second.begin()
        first.end()
        assert quick()
        second.end()
        assert sys.getswitchinterval() == usual
    assert sys.getswitchinterval() == usual


def test_a_quicker_setting_is_left_alone(usual: float) -> None:
    sys.setswitchinterval(1e-5)
    with QuickSwitching():
        assert sys.getswitchinterval() == pytest.approx(1e-5)


def test_callbacks_are_called_under_it(robot: Robot, usual: float) -> None:
    seen = []

    def callback(_: RobotState, __: float) -> Torques:
        seen.append(quick())
        return Torques([0.0] * 7, motion_finished=len(seen) >= 5)

    robot.control_torques(callback)
    assert seen == [True] * 5
    assert sys.getswitchinterval() == usual

    def failing(_: RobotState, __: float) -> Torques:
        raise KeyError("on purpose")

    with pytest.raises(KeyError):
        robot.control_torques(failing)
    assert sys.getswitchinterval() == usual


def test_step_by_step_it_lasts_from_start_to_end(robot: Robot, usual: float) -> None:
    with robot.start_torque_control() as control:
        assert quick()
        for _ in range(5):
            control.read_once()
            control.write_once(Torques([0.0] * 7))
        assert quick()
    assert sys.getswitchinterval() == usual
    left = robot.start_torque_control()
    assert quick()
    del left
    gc.collect()
    assert sys.getswitchinterval() == usual


def scratch() -> LoopMemory:
    memory = rehearsal(LoopThread(PROTOCOLS[10], rate_limits(10), rows=64).memory)
    memory.block[B_TORQUES] = 1
    begin_session(memory)
    return memory


def test_the_calls_do_what_the_kernels_do() -> None:
    plain, quickly = scratch(), scratch()
    begin, end = cycle_calls(quickly)
    assert begin(quickly) == begin_cycle(plain) < 0  # it is told to end
    for memory in (plain, quickly):
        memory.torques[:] = [0.0, 1.0, np.nan, 0.0, 0.0, 0.0, 0.0]
    assert end(quickly, 0, BOTH_HALVES) == end_cycle(plain, 0, BOTH_HALVES) < 0
    assert plain.block[B_FAULT] == quickly.block[B_FAULT] == 2
