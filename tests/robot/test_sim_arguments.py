"""What makes no simulated robot, hand or relay is refused with the argument's name."""

import os
from typing import Any

import numpy as np
import pytest
from printed_names import shown
from robot_addresses import fresh_address

from kinegraph.robot import Robot, SimulatedHand, SimulatedRobot
from kinegraph.robot.argument_checks import check_host
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.testing import Relay

WRONG: list[Any] = [
    "no\0",
    b"x",
    -1,
    float("nan"),
    float("inf"),
    10**400,
    1j,
    [],
    {},
    object(),
    [1.0] * 6,
    np.zeros(7, complex),
]
ROBOT = (
    "host port priority cpu model_library fci q friction armature enforce "
    "max_lost tool true_load realtime lockstep_s trace hand"
)
HAND = "host port max_width width object_width temperature period_s realtime"
CALLS = (
    "place apply_torques apply_wrench set_true_load guide activate_safety_function inject_reflex"
)
RELAY = "listen server device faults port server_port priority"


def name_of(value: object) -> str:
    return f"{type(value).__name__} {value!r:.8}"


@pytest.mark.parametrize("wrong", WRONG, ids=name_of)
@pytest.mark.parametrize(
    "name", [*ROBOT.split(), "host", "port", "model_library", "priority", "cpu"]
)
def test_what_makes_no_robot_is_refused(name: str, wrong: Any) -> None:
    if name == "model_library" and isinstance(wrong, bytes):
        return
    arguments: dict[str, Any] = {"host": fresh_address(), name: wrong}
    with pytest.raises(InvalidArgumentError):
        SimulatedRobot(**arguments)


@pytest.mark.parametrize("wrong", WRONG, ids=name_of)
@pytest.mark.parametrize("name", HAND.split())
def test_what_makes_no_hand_is_refused(name: str, wrong: Any) -> None:
    arguments: dict[str, Any] = {"host": fresh_address(), name: wrong}
    with pytest.raises(InvalidArgumentError):
        SimulatedHand(**arguments)


@pytest.mark.parametrize("wrong", WRONG, ids=name_of)
@pytest.mark.parametrize("name", RELAY.split())
def test_what_makes_no_relay_is_refused(name: str, wrong: Any) -> None:
    arguments: dict[str, Any] = {"listen": fresh_address(), name: wrong}
    with pytest.raises(InvalidArgumentError):
        Relay(**arguments)


@pytest.mark.parametrize("wrong", ["", "a\0b", "a\nb", None, 1, b"127.0.0.1", []], ids=shown)
def test_what_can_be_no_host_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidArgumentError, match="host"):
        check_host("host", wrong)


@pytest.mark.parametrize("wrong", [*WRONG, np.zeros(2)], ids=name_of)
@pytest.mark.parametrize("name", ["realtime", "version"])
def test_what_is_no_version_and_no_kind_of_realtime_is_refused(name: str, wrong: Any) -> None:
    arguments: dict[str, Any] = {"host": fresh_address(), name: wrong}
    with pytest.raises(InvalidArgumentError):
        Robot(**arguments)


@pytest.mark.compiled
def test_a_running_robot_refuses_what_it_cannot_use() -> None:
    with SimulatedRobot(fresh_address(), hand=True) as robot:
        before = robot.q
        wrongs: list[Any] = ["no", b"x", [1.0], {}, object(), [10**400] * 7, ["0"] * 7]
        for wrong in wrongs:
            for call in CALLS.split():
                with pytest.raises(InvalidArgumentError):
                    getattr(robot, call)(wrong)
            assert robot.hand is not None
            with pytest.raises(InvalidArgumentError):
                robot.hand.object_width = wrong
        assert np.array_equal(robot.q, before)


@pytest.mark.compiled
def test_a_forked_process_is_told_at_once_that_the_robot_is_not_its_own() -> None:
    with SimulatedRobot(fresh_address()) as robot:
        child = os.fork()
        if child == 0:
            try:
                robot.press_user_stop()
            except Exception as error:
                os._exit(0 if "forked process" in str(error) else 2)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        robot.place(robot.q)
