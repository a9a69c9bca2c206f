"""What a session and its robot held is free when they are, without the garbage collector."""

import contextlib
import gc
import socket
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from other_arms import described, start_of
from robot_addresses import fresh_address
from waiting_for import wait_until

from kinegraph.robot import (
    CartesianOptions,
    JointOptions,
    Robot,
    SceneRobot,
    SimulatedRobot,
    Torques,
    motion_finished,
)
from kinegraph.robot.control.target_handle import TargetHandle
from kinegraph.robot.errors import FrankaError, InvalidArgumentError
from kinegraph.robot.link import RobotLink
from kinegraph.robot.loop.loop_thread import LoopThread
from kinegraph.robot.loop.target_controller import TargetController
from kinegraph.robot.session import MotionSession
from kinegraph.robot.torque_arm import ArmControl, SimulatedArm
from kinegraph.robot.torque_arm.session import ArmSession

pytestmark = pytest.mark.compiled

HOST = fresh_address()
LARGE: tuple[type[Any], ...] = (
    Robot,
    RobotLink,
    LoopThread,
    MotionSession,
    TargetController,
    TargetHandle,
    ArmControl,
    ArmSession,
)
"""Whatever holds rings, and whatever holds that."""


@pytest.fixture(scope="module", autouse=True)
def sim() -> Iterator[SimulatedRobot]:
    """A robot for all tests of the file."""
    with SimulatedRobot(HOST, lockstep_s=0.2) as robot:
        with Robot(HOST):
            pass  # compiles, on a loop that is none
        yield robot


@pytest.fixture
def alive(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[str]]]:
    """Names of the large things that were made in the test and are still there; no collector."""
    made: list[weakref.ref[Any]] = []

    def noting(kind: type[Any]) -> Callable[..., None]:
        begin = kind.__init__

        def init(self: Any, *given: Any, **named: Any) -> None:
            made.append(weakref.ref(self))
            begin(self, *given, **named)

        return init

    for kind in LARGE:
        monkeypatch.setattr(kind, "__init__", noting(kind))
    gc.collect()
    gc.disable()
    yield lambda: sorted({type(found).__name__ for ref in made if (found := ref()) is not None})
    gc.enable()


def end_regularly(robot: Robot) -> None:
    with robot.start_joint_target_control() as arm:
        arm.move_by([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.01])


def end_in_a_scene(robot: Robot) -> None:
    options = CartesianOptions(observer=lambda state, sent: None)
    with SceneRobot(robot) as scene, scene.cartesian_targets(options, tool="scene") as arm:
        arm.move_by([0.0, 0.0, 0.002])


def end_by_an_exception(robot: Robot) -> None:
    with contextlib.suppress(ZeroDivisionError), robot.start_cartesian_target_control():
        raise ZeroDivisionError


def end_with_the_robot(robot: Robot) -> None:
    robot.start_joint_target_control()  # dropped: it lands by itself
    robot.close()


def end_without_a_motion(robot: Robot) -> None:
    with robot.start_joint_target_control(JointOptions(dry_run=True)):
        pass


def end_without_the_robot(robot: Robot) -> None:
    arm = robot.start_joint_target_control()
    robot.link.connection.channel._socket.shutdown(socket.SHUT_RDWR)
    for ask in (arm.wait, arm.stop, arm.stop):
        with contextlib.suppress(FrankaError):
            ask()


def end_before_the_start(robot: Robot) -> None:
    with contextlib.suppress(InvalidArgumentError):
        robot.start_joint_target_control(JointOptions(max_deviation=-1.0))
    with robot.start_joint_target_control(), contextlib.suppress(FrankaError):
        robot.start_joint_target_control()


def end_a_python_loop(robot: Robot) -> None:
    robot.control_torques(lambda state, period_s: motion_finished(Torques([0.0] * 7)))


ENDINGS = [
    end_regularly,
    end_in_a_scene,
    end_by_an_exception,
    end_with_the_robot,
    end_without_a_motion,
    end_without_the_robot,
    end_before_the_start,
    end_a_python_loop,
]


@pytest.mark.parametrize("end", ENDINGS, ids=lambda end: end.__name__)
def test_a_closed_robot_frees_what_its_session_held(
    alive: Callable[[], list[str]], end: Callable[[Robot], None]
) -> None:
    with Robot(HOST) as robot:
        end(robot)
    del robot
    wait_until(lambda: alive() == [])  # the thread that outlasts a dropped session comes to its end


def test_a_recorded_robot_is_freed_too(alive: Callable[[], list[str]], tmp_path: Path) -> None:
    with Robot(HOST) as robot, robot.record(tmp_path / "run.log") as recorder:
        end_regularly(robot)
    del robot, recorder
    assert alive() == []


def test_an_ended_session_is_freed_while_its_robot_goes_on(
    alive: Callable[[], list[str]],
) -> None:
    with Robot(HOST) as robot:
        end_regularly(robot)
        end_in_a_scene(robot)
        assert alive() == ["LoopThread", "Robot", "RobotLink"]


@pytest.mark.parametrize("pace", ["stepped", "clock"])
def test_the_session_of_an_arm_is_freed_with_its_handle(
    alive: Callable[[], list[str]], pace: Any
) -> None:
    control = ArmControl(SimulatedArm(described("iiwa"), start_of("iiwa")), described("iiwa"))
    with control.cartesian_targets(pace=pace) as arm:
        arm.move_by([0.0, 0.0, 0.001])
    del arm
    wait_until(lambda: alive() == ["ArmControl"])  # its thread comes to its end
    del control
    assert alive() == []
