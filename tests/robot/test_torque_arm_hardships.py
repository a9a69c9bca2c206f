"""Arms that misbehave, and calls that come when they must not."""

import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from other_arms import described, start_of
from racing import race

from kinegraph.robot.control import CartesianOptions, JointOptions
from kinegraph.robot.errors import ControlError, InvalidOperationError
from kinegraph.robot.torque_arm import ArmControl, ArmState, SimulatedArm, joint_law
from kinegraph.robot.torque_arm import session as session_module
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

N = described("iiwa").n


class Watched:
    """A simulated arm that calls back, and notes how it is used."""

    def __init__(self) -> None:
        self.plant = SimulatedArm(described("iiwa"), start_of("iiwa"))
        self.table, self.gravity = self.plant.table, self.plant.gravity
        self.torque_rate = self.plant.torque_rate
        self.at_read: Callable[[], object] = lambda: None
        self.at_send: Callable[[], object] = lambda: None
        self.time_of: Callable[[float], float] = lambda time_s: time_s
        self.stops = self.inside = self.most_inside = 0

    def read(self) -> ArmState:
        self.at_read()
        state = self.plant.read()
        return ArmState(state.q, state.dq, self.time_of(state.time_s))

    def send(self, torques: Array) -> None:
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        self.at_send()
        self.plant.send(torques)
        self.inside -= 1

    def stop(self) -> None:
        self.stops += 1
        self.plant.stop()


def watched() -> tuple[Watched, ArmControl]:
    arm = Watched()
    return arm, ArmControl(arm, described("iiwa"))


@pytest.mark.parametrize("ask", ["wait", "follow", "step"])
def test_an_arm_whose_clock_stands_still_ends_the_session(ask: str) -> None:
    arm, control = watched()
    targets = control.joint_targets(pace="stepped")
    targets.move_by([0.0] * (N - 1) + [0.9])
    arm.time_of = lambda time_s: 0.001
    asked: dict[str, Callable[[], object]] = {
        "wait": lambda: targets.wait(timeout_s=60.0),
        "follow": lambda: targets.follow(np.tile(targets.target(), (9, 1)), 0.1),
        "step": lambda: control.step(2000),
    }
    with pytest.raises(ControlError, match=r"no new state in 1000 cycles: its clock stands at"):
        asked[ask]()
    assert arm.stops == 1


@pytest.mark.parametrize("time_s", [np.nan, np.inf])
def test_a_time_that_is_none_ends_the_session_by_its_name(time_s: float) -> None:
    arm, control = watched()
    targets = control.joint_targets(pace="stepped")
    arm.time_of = lambda _: time_s
    with pytest.raises(ControlError, match="time_s"):
        control.step()
    assert not targets.is_running
    assert arm.stops == 1


def test_waiting_ends_in_a_dry_run_of_an_arm_that_moves_by_torques_alone() -> None:
    arm, control = watched()
    options = JointOptions(backend=joint_law(arm.table), dry_run=True)
    with control.joint_targets(options, pace="stepped") as targets:
        assert targets.follow(np.tile(targets.target(), (3, 1)), 0.01)
        targets.move_by(np.full(N, 0.3))
        assert not targets.wait(timeout_s=0.5)
    assert arm.plant.is_braked
    assert arm.stops == 0


@pytest.mark.parametrize("where", ["at_read", "at_send"])
@pytest.mark.parametrize("call", ["step", "stop"])
def test_what_the_arm_calls_from_within_is_refused(where: str, call: str) -> None:
    arm, control = watched()
    targets = control.joint_targets(pace="stepped")
    setattr(arm, where, control.step if call == "step" else targets.stop)
    with pytest.raises(ControlError, match=f"{call}: called from within the arm's own") as caught:
        control.step()
    assert isinstance(caught.value.__cause__, InvalidOperationError)
    assert arm.stops == 1


@pytest.mark.parametrize("pace", ["stepped", "clock"])
def test_an_arm_may_cancel_from_within(pace: Any) -> None:
    arm, control = watched()
    targets = control.joint_targets(pace=pace)
    arm.at_send = targets.cancel
    if pace == "stepped":
        assert not control.step()
    targets.stop()
    assert not targets.is_running
    assert arm.stops == 1


def test_threads_that_step_take_turns() -> None:
    arm, control = watched()
    targets = control.joint_targets(pace="stepped")
    threads = [threading.Thread(target=lambda: control.step(100)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert targets.cycle_count == 401
    assert arm.most_inside == 1
    targets.stop()


def test_of_threads_that_start_one_gets_the_arm() -> None:
    _, control = watched()
    got, refused = race(lambda: control.cartesian_targets(pace="stepped"), 5)
    assert (len(got), len(refused)) == (1, 4)
    got[0].stop()


def test_a_start_that_is_interrupted_stops_the_arm_and_frees_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arm, control = watched()

    def press() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as pressed:
        pressed.setattr(session_module.ArmSession, "_raise_error", lambda self: press())
        with pytest.raises(KeyboardInterrupt):
            control.joint_targets(pace="clock")
    arm.at_read = press
    with pytest.raises(KeyboardInterrupt):
        control.joint_targets(pace="stepped")
    arm.at_read = lambda: None
    assert arm.stops == 1  # the second one never got to its first torques
    with control.joint_targets(pace="stepped"):
        pass


def test_an_interrupt_in_a_step_stops_the_arm() -> None:
    arm, control = watched()
    targets = control.cartesian_targets(pace="stepped")

    def press() -> None:
        raise KeyboardInterrupt

    arm.at_send = press
    with pytest.raises(KeyboardInterrupt):
        control.step()
    assert not targets.is_running
    assert arm.stops == 1


def test_what_its_session_never_got_leaves_an_arm_alone() -> None:
    arm, control = watched()
    away = CartesianOptions(max_deviation=-1.0)
    with pytest.raises(ValueError, match="max_deviation"):
        control.cartesian_targets(away, pace="stepped")
    with pytest.raises(InvalidOperationError, match="no session runs"):
        control.step()
    assert arm.stops == 0


def test_a_forked_child_is_told_at_once() -> None:
    _, control = watched()
    with control.joint_targets(pace="clock") as targets:
        child = os.fork()
        if child == 0:
            told = 0
            calls: list[Callable[[], object]] = [
                targets.stop,
                lambda: targets.move_by(np.zeros(N)),
                control.step,
            ]
            for call in calls:
                try:
                    call()
                except InvalidOperationError:
                    told += 1
            targets.cancel()
            os._exit(told)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
        assert targets.is_running
