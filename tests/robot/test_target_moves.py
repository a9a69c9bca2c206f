"""Relative moves, waypoints and chunks of a session, against the simulated robot."""

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address
from shared_cases import GOLDEN
from waiting_for import wait_until

from kinegraph.cli.demo_scene import PART, TIP, build_scene
from kinegraph.robot import (
    CartesianOptions,
    ControlError,
    InvalidArgumentError,
    InvalidOperationError,
    MotionLimits,
    Robot,
    SceneRobot,
    SimulatedRobot,
)
from kinegraph.robot.control.record_layout import R_target
from kinegraph.robot.control.relative_moves import checked_step, moved
from kinegraph.robot.control.target_steps import checked_rows, following, landing
from kinegraph.robot.control.targets import CartesianTargets
from kinegraph.scene import Isometry3d, UnknownLinkError

pytestmark = pytest.mark.compiled

HOST = fresh_address()
K82: dict[str, Any] = json.loads((GOLDEN / "fci" / "reports.json").read_text())["K82"]


@pytest.fixture
def ready() -> Iterator[SceneRobot]:
    """The scene, its tool's frame and mass known to a robot that waits for its client."""
    with (
        SimulatedRobot(host=HOST, lockstep_s=0.2),
        Robot(HOST) as robot,
        build_scene(robot) as scene,
    ):
        scene.sync_tool()
        scene.sync_load()
        yield scene


@pytest.fixture
def arm(ready: SceneRobot) -> Iterator[CartesianTargets]:
    """A running session that may go anywhere."""
    wide = CartesianOptions(max_deviation=2.0, max_angular_deviation=3.0)
    running = ready.cartesian_targets(wide)
    yield running
    running.cancel()


def turned(vector: list[float]) -> np.ndarray[Any, Any]:
    """The rotation of a rotation vector."""
    return checked_step([0.0, 0.0, 0.0, *vector])[1]


@pytest.mark.parametrize("frame", ["base", "tool"])
def test_k82_relative_moves_are_in_the_frame_asked_for(arm: CartesianTargets, frame: str) -> None:
    case, right = K82["given"], K82["expected"][f"{frame}_axes"]
    arm.set_pose(np.array(case["O_T_EE"]).reshape(4, 4).T)
    answer = arm.move_by([*case["delta_position"], *case["delta_rotation_vector"]], frame)
    tolerance = K82["expected"]["tol"]
    for pose in (answer, arm.target_pose()):
        np.testing.assert_allclose(pose.translation, right["position"], rtol=0, atol=tolerance)
        np.testing.assert_allclose(pose.linear, right["rotation"], rtol=0, atol=tolerance)


@pytest.mark.parametrize("frame", ["base", "tool"])
def test_a_transform_is_the_same_step_as_its_translation_and_rotation_vector(frame: str) -> None:
    step = [0.01, -0.02, 0.03, 0.2, -0.1, 0.3]
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turned(step[3:]), step[:3]
    start = np.array([0.4, 0.1, 0.5, 1.0, 0.0, 0.0, 0.0])
    axes = np.eye(3) if frame == "base" else None
    by_numbers = moved(start, checked_step(step), axes)
    for same in (matrix, Isometry3d(matrix), matrix.tolist()):
        np.testing.assert_allclose(moved(start, checked_step(same), axes), by_numbers, atol=1e-15)


def test_a_tool_step_by_a_transform_is_its_product_with_the_target() -> None:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turned([0.3, 0.2, -0.4]), (0.05, 0.02, -0.01)
    start = np.array([0.4, 0.1, 0.5, 0.6, 0.0, 0.8, 0.0])
    pose = Isometry3d.from_quaternion(start[:3], start[3:])
    got = moved(start, checked_step(matrix))
    want = pose @ Isometry3d(matrix)
    np.testing.assert_allclose(
        Isometry3d.from_quaternion(got[:3], got[3:]).matrix, want.matrix, atol=1e-14
    )


def test_moves_add_up_from_the_target_and_not_from_the_arm(arm: CartesianTargets) -> None:
    start = arm.target_pose()
    for _ in range(9):  # sooner than the arm can follow
        arm.move_by([0.002, 0.0, 0.001])
    answer = arm.move_by([0.002, 0.0, 0.001])
    np.testing.assert_allclose(answer.translation - start.translation, (0.02, 0, 0.01), atol=1e-12)
    np.testing.assert_array_equal(answer.linear, start.linear)
    assert arm.wait(tolerance=2e-3, timeout_s=30.0)
    off = arm.measured_pose().translation - answer.translation
    assert np.linalg.norm(off) < 2e-3


def test_moves_of_several_threads_all_count(arm: CartesianTargets) -> None:
    start = arm.target()

    def push() -> None:
        for _ in range(100):
            arm.move_by([1e-5, 0.0, 0.0])

    threads = [threading.Thread(target=push) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_allclose(arm.target() - start, (4e-3, 0.0, 0.0), atol=1e-12)


def test_a_step_in_the_axes_of_a_link(ready: SceneRobot, arm: CartesianTargets) -> None:
    start = arm.target_pose()
    for link in (PART, TIP, ready.arm.flange_link):
        axes = ready.relative_pose(ready.arm.base_link, link).linear
        before = arm.target_pose()
        after = arm.move_by([0.0, 0.001, 0.0, 0.0, 0.0, 0.01], link)
        np.testing.assert_allclose(
            after.translation - before.translation, axes @ (0.0, 0.001, 0.0), atol=1e-5
        )
        turn = after.linear @ before.linear.T
        np.testing.assert_allclose(turn, axes @ turned([0, 0, 0.01]) @ axes.T, atol=1e-5)
    assert start != arm.target_pose()


def test_bad_steps_are_refused_and_change_nothing(arm: CartesianTargets) -> None:
    before = arm.target_pose()
    scaled = np.diag([2.0, 2.0, 2.0, 1.0])
    bad_steps: list[Any] = [[1, 2], "up", None, [0, np.nan, 0], [np.inf] * 6, np.eye(3), scaled]
    for bad in bad_steps:
        with pytest.raises(InvalidArgumentError):
            arm.move_by(bad)
    with pytest.raises(InvalidArgumentError, match="delta"):
        arm.move_by([1.8e308, 0.0, 0.0, 0.0, 0.0, np.nan])
    nothing: Any = None
    with pytest.raises(InvalidArgumentError, match="frame"):
        arm.move_by([0.0, 0.0, 0.1], nothing)
    with pytest.raises(UnknownLinkError, match="tabel"):
        arm.move_by([0.0, 0.0, 0.1], "tabel")
    assert arm.target_pose() == before
    arm.cancel()
    with pytest.raises(InvalidOperationError, match="has ended"):
        arm.move_by([0.0, 0.0, 0.01])
    assert arm.target_pose() == before


def test_move_to_returns_when_the_arm_is_there(arm: CartesianTargets) -> None:
    goal = arm.target_pose() @ Isometry3d.from_rpy((0.0, 0.0, 0.02), (0.0, 0.0, 0.1))
    assert arm.move_to(goal, tolerance=2e-3, timeout_s=30.0)
    assert arm.at_rest()
    assert max(arm.distance()) < 2e-3
    np.testing.assert_allclose(arm.target_pose().matrix, goal.matrix, atol=1e-12)
    assert arm.move_to(
        goal.translation + np.array([0.0, 0.01, 0.0]), tolerance=2e-3, timeout_s=30.0
    )
    np.testing.assert_allclose(arm.target_pose().linear, goal.linear, atol=1e-12)


def test_move_to_says_what_is_missing_when_the_time_is_up(arm: CartesianTargets) -> None:
    goal = arm.target() + np.array([0.1, 0.0, 0.0])
    with pytest.raises(ControlError, match=r"not there after 0 s.* mm .*under way") as caught:
        arm.move_to(goal, timeout_s=0.0)
    # It was asked where the arm is under way: between its start and where it is now.
    assert arm.distance()[0] - 2e-3 <= caught.value.distance <= 0.1 + 2e-3
    np.testing.assert_array_equal(arm.target(), goal)
    assert arm.is_running


def test_move_to_yields_to_a_newer_target(arm: CartesianTargets) -> None:
    start = arm.target()
    answers: list[bool] = []
    mover = threading.Thread(
        target=lambda: answers.append(
            arm.move_to(start + np.array([0.2, 0.0, 0.0]), timeout_s=60.0)
        )
    )
    mover.start()
    wait_until(lambda: arm.target()[0] > start[0] + 0.1)
    arm.set_position(start)
    mover.join(30.0)
    assert answers == [False]
    np.testing.assert_array_equal(arm.target(), start)


def test_move_to_yields_to_a_target_that_comes_while_it_looks() -> None:
    class Overtaken(Clock):
        """Another thread sets a target that the arm is at."""

        def at_rest(self) -> bool:
            self.newest += 2
            return True

        def missing(self) -> float:
            return 0.0

        def clock(self) -> float:
            return 0.0

    targets: Any = Overtaken([0.0])
    with pytest.raises(StopIteration) as ended:
        next(landing(targets, 1e-3, 10.0, targets.newest))
    assert ended.value.value is False


def test_move_to_raises_what_ended_the_session(ready: SceneRobot) -> None:
    arm = ready.cartesian_targets(CartesianOptions(max_deviation=0.02))
    with pytest.raises(ControlError, match="strayed"):
        arm.move_to(arm.target() + np.array([0.05, 0.0, 0.0]), timeout_s=30.0)
    with pytest.raises(InvalidOperationError, match="has ended"):
        arm.move_to(arm.target())


def test_bad_arguments_of_move_to_change_nothing(arm: CartesianTargets) -> None:
    before = arm.target_pose()
    bad_poses: list[Any] = [[1, 2], "up", None, [0, np.nan, 0], np.eye(3), 2 * np.eye(4)]
    for bad in bad_poses:
        with pytest.raises(InvalidArgumentError, match="pose"):
            arm.move_to(bad)
    for numbers in ({"tolerance": 0.0}, {"tolerance": np.nan}, {"timeout_s": -1.0}):
        with pytest.raises(InvalidArgumentError, match=next(iter(numbers))):
            arm.move_to(before, **numbers)
    assert arm.target_pose() == before


class Clock:
    """Targets without a robot: takes what is put, and is at the times of a list."""

    def __init__(self, times: list[float]) -> None:
        self.times = times
        self.put_at: list[tuple[float, float]] = []
        self.is_running, self.is_stopping, self.newest = True, False, 0

    def robot_time(self) -> float:
        return self.times[0]

    @staticmethod
    def take_time(pause: float) -> float:
        return pause

    def put_after(self, ticket: int, values: np.ndarray[Any, Any]) -> int | None:
        return self.put(values) if self.is_newest(ticket) else None

    def put(self, values: np.ndarray[Any, Any]) -> int:
        self.put_at.append((self.times[0], float(values[0])))
        self.newest += 2
        return self.newest

    def brought_forward(self, row: np.ndarray[Any, Any], _: float) -> np.ndarray[Any, Any]:
        return row

    def is_newest(self, ticket: int) -> bool:
        return ticket == self.newest

    def follow(self, count: int, dt: float) -> bool | None:
        """Follow rows 0, 1, ...; each step takes until the next of the times."""
        rows = np.zeros((count, 7))
        rows[:, 0] = np.arange(count)
        targets: Any = self
        steps = following(targets, rows, dt)
        while True:
            try:
                assert next(steps) >= 0.0
            except StopIteration as stop:
                answer: bool | None = stop.value
                return answer
            self.times.pop(0)


def test_rows_are_set_at_their_times_by_the_robots_clock() -> None:
    clock = Clock([5.0 + 0.001 * k for k in range(100)])
    assert clock.follow(4, 0.02) is True
    assert [row for _, row in clock.put_at] == [0.0, 1.0, 2.0, 3.0]
    np.testing.assert_allclose([at for at, _ in clock.put_at], 5.0 + 0.02 * np.arange(4), atol=1e-9)
    assert clock.robot_time() == pytest.approx(5.08)  # the last stood for one dt


def test_rows_whose_time_has_passed_are_left_out_but_not_the_last() -> None:
    clock = Clock([0.0, 0.02, 0.0701, 0.5])
    assert clock.follow(6, 0.02) is True
    assert [row for _, row in clock.put_at] == [0.0, 1.0, 3.0, 5.0]
    assert Clock([0.0, 10.0]).follow(3, 1e-300) is True


def test_a_stop_and_an_end_leave_the_rest_of_a_chunk() -> None:
    clock = Clock([0.0, 1.0])
    clock.is_stopping = True
    assert clock.follow(3, 0.02) is False
    clock = Clock([0.0, 1.0])
    clock.is_running = False
    assert clock.follow(3, 0.02) is None
    assert [row for _, row in clock.put_at] == [0.0]


def circle(start: np.ndarray[Any, Any], radius: float, count: int) -> np.ndarray[Any, Any]:
    """Positions (count + 1, 3) on a horizontal circle, from its start back to it."""
    angle = np.linspace(0.0, 2.0 * np.pi, count + 1)
    way = np.stack([np.cos(angle) - 1.0, np.sin(angle), 0.0 * angle], axis=1)
    return start + radius * way


def test_a_circle_is_followed_in_order_and_never_early(ready: SceneRobot) -> None:
    fast = CartesianOptions(limits=MotionLimits(0.6, 4.0, 200.0))
    with ready.cartesian_targets(fast) as arm:
        start = arm.target_pose().matrix
        rows = np.repeat(start[None], 51, axis=0)
        rows[:, :3, 3] = circle(start[:3, 3], 0.04, 50)
        begun_ms = 1e3 * arm.robot_time()
        assert arm.follow(rows, 0.02) is True
        assert arm.wait(tolerance=2e-3, timeout_s=30.0)
        records, lost = arm.records().read()
        times_ms = arm.cycles().read()[0][: len(records), 0]
    assert lost == 0
    seen = records[:, R_target : R_target + 3]
    from_centre = seen - (start[:3, 3] - np.array([0.04, 0.0, 0.0]))
    place = np.unwrap(np.arctan2(from_centre[:, 1], from_centre[:, 0])) / (2.0 * np.pi / 50)
    # A target whose next row is late goes on for half a row more, and back to where it was given.
    assert (np.maximum.accumulate(place) - place).max() < 1.6
    assert (place <= np.maximum(times_ms - begun_ms, 0.0) / 20.0 + 0.05).all()
    np.testing.assert_allclose(seen[-1], rows[-1, :3, 3], atol=1e-12)


def test_a_newer_chunk_takes_over_and_a_setter_too(arm: CartesianTargets) -> None:
    start = arm.target()
    slow = np.stack([start + np.array([0.001 * i, 0.0, 0.0]) for i in range(1, 4)])
    answers: dict[str, bool] = {}

    def play(name: str, chunk: np.ndarray[Any, Any]) -> None:
        answers[name] = arm.follow(chunk, 30.0)

    first = threading.Thread(target=play, args=("first", slow))
    first.start()
    wait_until(lambda: np.array_equal(arm.target(), slow[0]))
    second = threading.Thread(target=play, args=("second", slow + np.array([0.0, 0.0, 0.01])))
    second.start()
    first.join(30.0)
    assert answers == {"first": False}
    assert arm.target()[2] == pytest.approx(start[2] + 0.01, abs=1e-12)
    arm.set_position(start)
    second.join(30.0)
    assert answers == {"first": False, "second": False}
    np.testing.assert_array_equal(arm.target(), start)


def test_a_stop_from_another_thread_ends_a_chunk(arm: CartesianTargets) -> None:
    answers: list[bool] = []
    rows = np.stack([arm.target() + np.array([0.001, 0.0, 0.0])] * 3)
    player = threading.Thread(target=lambda: answers.append(arm.follow(rows, 60.0)))
    player.start()
    wait_until(lambda: np.array_equal(arm.target(), rows[0]))
    arm.stop()
    player.join(30.0)
    assert answers == [False]
    with pytest.raises(InvalidOperationError, match="has ended"):
        arm.follow(rows, 0.02)


def test_a_session_that_fails_raises_in_follow(ready: SceneRobot) -> None:
    arm = ready.cartesian_targets(CartesianOptions(max_deviation=0.02))
    with pytest.raises(ControlError, match="strayed"):
        arm.follow([arm.target() + np.array([0.1, 0.0, 0.0])], 60.0)


def test_a_chunk_is_checked_whole_before_its_first_row(arm: CartesianTargets) -> None:
    before = arm.target_pose()
    good = np.repeat(before.matrix[None], 5, axis=0)
    good[:, 0, 3] += 0.01
    last_nan, last_scaled, mirrored = good.copy(), good.copy(), good.copy()
    last_nan[4, 0, 3] = np.nan
    last_scaled[4, :3, :3] *= 1.01
    mirrored[4, :3, 0] *= -1.0
    for bad in (last_nan, last_scaled, mirrored):
        with pytest.raises(InvalidArgumentError, match="row 4"):
            arm.follow(bad, 0.02)
    shapes: list[Any] = [[], good[0], np.zeros((3, 4)), "chunk", None, [[0, 0, "1"]]]
    for bad in shapes:
        with pytest.raises(InvalidArgumentError, match="poses"):
            arm.follow(bad, 0.02)
    steps: list[Any] = [0.0, -0.02, np.nan, np.inf, "1"]
    for dt in steps:
        with pytest.raises(InvalidArgumentError, match="dt"):
            arm.follow(good, dt)
    assert arm.target_pose() == before


def test_a_chunk_may_be_a_list_of_transforms() -> None:
    poses = [Isometry3d.from_rpy((0.1 * i, 0.0, 0.4), (0.0, 0.0, 0.1 * i)) for i in range(3)]
    as_array = np.stack([pose.matrix for pose in poses])
    got = checked_rows("poses", poses, np.zeros(4))
    np.testing.assert_array_equal(got, checked_rows("poses", as_array, np.zeros(4)))
    scaled = as_array.copy()
    scaled[:, :3, :3] *= 1.0 + 2e-4  # rigid within 1e-3
    np.testing.assert_allclose(checked_rows("poses", scaled, np.zeros(4)), got, atol=1e-12)


def test_the_event_loop_goes_on_while_the_arm_moves(arm: CartesianTargets) -> None:
    start = arm.target()
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.0)

    async def job() -> list[bool]:
        counter = asyncio.create_task(count())
        rows = circle(start, 0.01, 20)
        answers = [
            await arm.follow_async(rows, 0.02),
            await arm.wait_async(tolerance=2e-3, timeout_s=30.0),
            await arm.move_to_async(start + np.array([0.0, 0.01, 0.0]), 2e-3, 30.0),
        ]
        counter.cancel()
        return answers

    assert asyncio.run(job()) == [True, True, True]
    assert turns > 100
    np.testing.assert_allclose(arm.target(), start + np.array([0.0, 0.01, 0.0]), atol=1e-12)


def test_a_cancelled_chunk_leaves_its_last_target(arm: CartesianTargets) -> None:
    rows = arm.target() + np.array([[0.001, 0.0, 0.0], [0.05, 0.0, 0.0]])

    async def job() -> None:
        task = asyncio.create_task(arm.follow_async(rows, 30.0))
        while not np.array_equal(arm.target(), rows[0]):
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(job())
    assert arm.is_running
    np.testing.assert_array_equal(arm.target(), rows[0])
    assert arm.wait(tolerance=2e-3, timeout_s=30.0)


def test_a_newer_target_ends_the_awaited_one(arm: CartesianTargets) -> None:
    start = arm.target()
    far = start + np.array([0.2, 0.0, 0.0])

    async def job() -> list[bool]:
        first = asyncio.create_task(arm.move_to_async(far, timeout_s=60.0))
        await asyncio.sleep(0.01)
        second = asyncio.create_task(arm.follow_async(start[None], 60.0))
        await asyncio.sleep(0.01)
        arm.move_by([0.0, 0.0, 0.0])
        return [await first, await second]

    assert asyncio.run(job()) == [False, False]


def test_what_ends_the_session_is_raised_in_the_event_loop(ready: SceneRobot) -> None:
    arm = ready.cartesian_targets(CartesianOptions(max_deviation=0.02))
    far = arm.target() + np.array([0.1, 0.0, 0.0])
    with pytest.raises(ControlError, match="not there after 0 s"):
        asyncio.run(arm.move_to_async(far, timeout_s=0.0))
    with pytest.raises(ControlError, match="strayed"):
        asyncio.run(arm.wait_async(timeout_s=30.0))
    with pytest.raises(InvalidOperationError, match="has ended"):
        asyncio.run(arm.follow_async(far[None], 0.02))
    with pytest.raises(InvalidArgumentError, match="tolerance"):
        asyncio.run(arm.wait_async(tolerance=-1.0))
