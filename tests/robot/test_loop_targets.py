"""The session of a target controller: targets in, records out, chains exchanged at cycle edges.

The controller is one of the test's own, which writes down what it was given.
"""

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numba
import numpy as np
import pytest
from robot_addresses import fresh_address
from scripted_robot import ScriptedRobot
from waiting_for import SOON_S, wait_until

from kinegraph.robot.control.record_layout import R_target, R_target_orientation
from kinegraph.robot.control.target_form import CARTESIAN_FORM
from kinegraph.robot.control.target_layout import TARGET_SIZE
from kinegraph.robot.errors import ControlError, InvalidArgumentError
from kinegraph.robot.loop.target_controller import TargetController
from kinegraph.robot.robot import Robot
from kinegraph.robot.torque_session import TorqueSession
from kinegraph.robot.wire.state_layout import C_tau_J_d
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

# Where the test's controller writes what it was given, in its record.
GIVEN, FLAGS, CHAIN, MIXED, CYCLE = 50, 60, 61, 62, 63
CHAIN_SIZE = 400
ANCHOR = (0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0)
# Options of the test's controller.
FAULT, RAISE_AT = 0, 1


@numba.njit
def note_all(
    options: Array,
    chain: Array,
    arm: Array,
    memory: Array,
    state: Array,
    target: Array,
    flags: int,
    record: Array,
    tau: Array,
) -> int:
    for i in range(7):
        record[GIVEN + i] = target[i]
        tau[i] = 0.5
    record[FLAGS] = flags
    record[CHAIN] = chain[1]
    record[MIXED] = 0.0
    for i in range(2, CHAIN_SIZE):
        if chain[i] != chain[1]:
            record[MIXED] = 1.0
    if memory[0] == 0.0:
        for i in range(3):
            record[R_target + i] = ANCHOR[i]
        for i in range(4):
            record[R_target_orientation + i] = ANCHOR[3 + i]
    memory[0] += 1.0
    record[CYCLE] = memory[0]
    if options[FAULT] != 0.0 and memory[0] > 5.0:
        return int(options[FAULT])
    if options[RAISE_AT] != 0.0 and memory[0] > options[RAISE_AT]:
        raise ValueError("stumbled")
    return 1 if flags & 1 else 0


@pytest.fixture
def scripted() -> Iterator[ScriptedRobot]:
    with ScriptedRobot(fresh_address()) as robot:
        yield robot


@pytest.fixture
def robot(scripted: ScriptedRobot) -> Iterator[Robot]:
    with Robot(scripted.address, timeout_s=5.0) as client:
        yield client


def chain_of(value: float, columns: float = 7.0) -> np.ndarray:
    chain = np.full(CHAIN_SIZE, value)
    chain[0] = columns
    return chain


def controller_for(robot: Robot, **options: Any) -> TargetController:
    packed = np.zeros(4)
    packed[FAULT] = options.pop("fault", 0.0)
    packed[RAISE_AT] = options.pop("raise_at", 0.0)
    waiters = robot.link.loop.waiters
    return TargetController(
        packed, chain_of(1.0), np.zeros(1), np.zeros(1), waiters, cycle=note_all, **options
    )


def newest(controller: TargetController) -> Array:
    values = controller.slot.read()
    assert values is not None
    return values


def start(robot: Robot, controller: TargetController) -> TorqueSession:
    return robot.start_session(controller, cutoff_frequency=1000.0)


def after_cycles(session: TorqueSession, count: int) -> None:
    goal = session.cycle_count + count
    wait_until(lambda: session.cycle_count >= goal)


def records(controller: TargetController) -> np.ndarray:
    rows, lost = controller.records.reader(0).read()
    assert lost == 0
    return rows


def test_the_anchor_is_the_first_target(robot: Robot) -> None:
    controller = controller_for(robot)
    session = start(robot, controller)
    assert newest(controller).tolist() == [*ANCHOR, *[0.0] * 7]
    after_cycles(session, 3)
    session.stop()
    assert records(controller)[1, GIVEN : GIVEN + 7].tolist() == list(ANCHOR)


def test_a_controllers_form_sizes_its_targets_and_records_and_names_it(robot: Robot) -> None:
    fields = (*CARTESIAN_FORM.record_fields, ("more", 5))
    form = replace(CARTESIAN_FORM, name="other", target_size=9, record_fields=fields)
    controller = controller_for(robot, form=form, raise_at=5.0)
    session = start(robot, controller)
    assert newest(controller).tolist() == [*ANCHOR, 0.0, 0.0]
    with pytest.raises(ControlError, match="the other controller raised an exception"):
        session.wait(SOON_S)
    rows = records(controller)
    assert rows.shape[1] == form.record_size
    assert rows[:, CYCLE].tolist() == list(range(1, len(rows) + 1))


def test_every_cycle_leaves_a_record_and_its_torques_are_sent(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    controller = controller_for(robot)
    session = start(robot, controller)
    after_cycles(session, 50)
    session.stop()
    numbers = records(controller)[:, CYCLE]
    assert numbers.tolist() == list(range(1, numbers.size + 1))
    assert session.cycles().read()[0].shape[0] >= numbers.size
    assert all((row[C_tau_J_d : C_tau_J_d + 7] == 0.5).all() for row in scripted.commands)


def test_a_target_published_right_before_the_stop_is_not_lost(robot: Robot) -> None:
    for number in range(30):
        controller = controller_for(robot)
        session = start(robot, controller)
        controller.slot.publish(np.full(TARGET_SIZE, float(number)))
        session.stop()
        last = records(controller)[-1]
        assert last[GIVEN : GIVEN + 7].tolist() == [float(number)] * 7
        assert last[FLAGS] == 1.0


def test_a_stop_waits_for_a_target_that_is_being_written(robot: Robot) -> None:
    controller = controller_for(robot)
    session = start(robot, controller)
    controller.slot.sequence[0] += 1  # as a writer leaves it that was interrupted
    session.request_stop()
    after_cycles(session, 20)
    assert session.is_running
    assert robot.counters.torn >= 20
    controller.slot.values[:] = 3.0
    controller.slot.sequence[0] += 1
    session.wait(SOON_S)
    given = records(controller)[:, GIVEN : GIVEN + 7]
    assert given[-1].tolist() == [3.0] * 7
    assert given[-2].tolist() == list(ANCHOR)


def test_targets_are_never_mixed(robot: Robot) -> None:
    controller = controller_for(robot)
    session = start(robot, controller)
    values = np.empty(TARGET_SIZE)
    for number in range(20_000):
        values[:] = number
        controller.slot.publish(values)
    session.stop()
    given = records(controller)[1:, GIVEN : GIVEN + 7]
    given = given[(given != ANCHOR).any(axis=1)]
    assert (given == given[:, :1]).all()
    assert (np.diff(given[:, 0]) >= 0).all()
    assert given[-1, 0] == 19_999


def test_a_new_chain_is_taken_over_at_the_edge_of_a_cycle_and_announced_once(
    robot: Robot,
) -> None:
    controller = controller_for(robot)
    session = start(robot, controller)
    for number in range(2, 60):
        controller.replace_chain(chain_of(float(number)))
    after_cycles(session, 3)
    session.stop()
    rows = records(controller)
    assert not rows[:, MIXED].any()
    changed = np.flatnonzero(np.diff(rows[:, CHAIN])) + 1
    announced = np.flatnonzero(rows[:, FLAGS].astype(int) & 2)
    assert announced.tolist() == changed.tolist()
    assert rows[-1, CHAIN] == 59.0
    assert len(changed) == 58


def test_a_chain_set_between_two_sessions_is_the_next_ones_first(robot: Robot) -> None:
    controller = controller_for(robot)
    controller.replace_chain(chain_of(5.0))
    session = start(robot, controller)
    controller.replace_chain(chain_of(6.0))
    after_cycles(session, 3)
    session.stop()
    controller.replace_chain(chain_of(7.0))
    controller.extra.memory[0] = 0.0
    before = controller.records.published
    session = start(robot, controller)
    session.stop()
    rows = records(controller)
    assert rows[0, CHAIN] == 5.0
    assert rows[before, CHAIN] == 7.0
    assert rows[before, FLAGS].astype(int) & 2 == 0


@pytest.mark.parametrize(
    ("chain", "text"),
    [(chain_of(1.0, columns=6.0), "6 columns"), (np.full(100_000, 7.0), "there is room for")],
)
def test_a_chain_that_does_not_fit_is_refused(robot: Robot, chain: np.ndarray, text: str) -> None:
    controller = controller_for(robot)
    with pytest.raises(InvalidArgumentError, match=text):
        controller.replace_chain(chain)


def test_a_fault_of_the_controller_stops_the_motion(scripted: ScriptedRobot, robot: Robot) -> None:
    controller = controller_for(
        robot, fault=-3.0, explain=lambda fault: ControlError(f"fault {fault} it is")
    )
    session = start(robot, controller)
    with pytest.raises(ControlError, match="fault -3 it is"):
        session.wait(SOON_S)
    wait_until(lambda: scripted.count("StopMove") == 1)
    assert len(scripted.commands) == 5


def test_a_controller_that_raises_stops_the_motion(scripted: ScriptedRobot, robot: Robot) -> None:
    session = start(robot, controller_for(robot, raise_at=5.0))
    with pytest.raises(ControlError, match="raised an exception"):
        session.wait(SOON_S)
    wait_until(lambda: scripted.count("StopMove") == 1)


def test_targets_from_several_threads_all_count(robot: Robot) -> None:
    controller = controller_for(robot)
    session = start(robot, controller)

    def count_up(entry: int) -> None:
        for _ in range(500):
            with controller.slot.lock:
                values = newest(controller)
                values[entry] += 1.0
                controller.slot.publish(values)

    controller.slot.publish(np.zeros(TARGET_SIZE))
    threads = [threading.Thread(target=count_up, args=(entry,)) for entry in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    session.stop()
    assert records(controller)[-1, GIVEN : GIVEN + 7].tolist() == [500.0] * 4 + [0.0] * 3
