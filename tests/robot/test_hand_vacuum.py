"""The client of a vacuum gripper: its bytes, its answers, its states."""

import math
import pickle
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from robot_addresses import fresh_address
from scripted_hand import ABORTED, FAIL, HEADER, UNSUCCESSFUL, ScriptedHand, status

from kinegraph.robot import (
    CommandError,
    IncompatibleVersionError,
    InvalidArgumentError,
    ProtocolError,
    VacuumDeviceStatus,
    VacuumGripper,
    VacuumGripperState,
    VacuumProfile,
)
from kinegraph.robot.wire.gripper_tables import VACUUM_GRIPPER

pytestmark = pytest.mark.compiled

STATE = struct.Struct("<IBBBBii")


@pytest.fixture
def device() -> Iterator[ScriptedHand]:
    with ScriptedHand(fresh_address(), VACUUM_GRIPPER) as device:
        yield device


@pytest.fixture
def gripper(device: ScriptedHand) -> Iterator[VacuumGripper]:
    with VacuumGripper(device.address) as gripper:
        yield gripper


def test_requests_have_the_documented_bytes(device: ScriptedHand, gripper: VacuumGripper) -> None:
    assert gripper.vacuum(5, 1.5, VacuumProfile.P2)
    assert gripper.vacuum(255, 0.0)
    assert gripper.drop_off(0.25)
    assert gripper.stop()
    assert device.requests[0][:12] == HEADER.pack(0, 0, 14) + struct.pack("<H", 1)
    assert device.requests[1:] == [
        HEADER.pack(1, 1, 20) + struct.pack("<BBq", 5, 2, 1500),
        HEADER.pack(1, 2, 20) + struct.pack("<BBq", 255, 0, 0),
        HEADER.pack(2, 3, 18) + struct.pack("<q", 250),
        HEADER.pack(3, 4, 10),
    ]


ACTIONS: dict[str, Callable[[VacuumGripper], bool]] = {
    "Vacuum": lambda gripper: gripper.vacuum(5, 1.0),
    "DropOff": lambda gripper: gripper.drop_off(1.0),
    "Stop": lambda gripper: gripper.stop(),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_answers_are_libfrankas(device: ScriptedHand, gripper: VacuumGripper, name: str) -> None:
    numbers = (UNSUCCESSFUL, FAIL, ABORTED, 9)
    device.replies[name] = [status(number) for number in numbers]
    assert ACTIONS[name](gripper) is False
    for said in ("failed", "aborted"):
        with pytest.raises(CommandError, match=f"^libfranka vacuum gripper: Command {said}!$"):
            ACTIONS[name](gripper)
    with pytest.raises(ProtocolError, match="libfranka vacuum gripper: Unexpected response"):
        ACTIONS[name](gripper)
    assert ACTIONS[name](gripper) is True


def test_states_are_decoded_field_by_field(device: ScriptedHand, gripper: VacuumGripper) -> None:
    stream = gripper.states(20.0)
    device.send_state(STATE.pack(7, 1, 0, 0, 3, 80, -500) + b"more")
    device.send_state(STATE.pack(8, 0, 1, 0, 0, 1, 2))
    device.send_state(STATE.pack(9, 0, 0, 1, 1, 3, 4))
    red, yellow = VacuumDeviceStatus.Red, VacuumDeviceStatus.Yellow
    assert next(stream) == VacuumGripperState(True, False, False, red, 80, -500, 7)
    assert next(stream) == VacuumGripperState(part_detached=True, actual_power=1, vacuum=2, time=8)
    expected = VacuumGripperState(False, False, True, yellow, 3, 4, 9)
    assert next(stream) == gripper.state == pickle.loads(pickle.dumps(expected))


def test_states_that_are_none_are_dropped(device: ScriptedHand, gripper: VacuumGripper) -> None:
    stream = gripper.states(20.0)
    device.send_state(STATE.pack(7, 0, 0, 0, 4, 0, 0))
    device.send_state(STATE.pack(7, 0, 0, 0, 0, 0, 0)[:15])
    device.send_state(STATE.pack(8, 0, 0, 0, 0, 0, 0))
    assert next(stream).time == 8
    assert gripper.dropped == 2


BAD: list[Callable[[VacuumGripper], Any]] = [
    lambda gripper: gripper.vacuum(-1, 1.0),
    lambda gripper: gripper.vacuum(256, 1.0),
    lambda gripper: gripper.vacuum(1.5, 1.0),  # type: ignore[arg-type]
    lambda gripper: gripper.vacuum(5, -1.0),
    lambda gripper: gripper.vacuum(5, math.nan),
    lambda gripper: gripper.vacuum(5, math.inf),
    lambda gripper: gripper.vacuum(5, 1.0, 2),  # type: ignore[arg-type]
    lambda gripper: gripper.drop_off(math.inf),
    lambda gripper: gripper.drop_off("soon"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("call", BAD)
def test_what_can_be_no_request_is_not_sent(
    device: ScriptedHand, gripper: VacuumGripper, call: Callable[[VacuumGripper], Any]
) -> None:
    with pytest.raises(InvalidArgumentError):
        call(gripper)
    assert len(device.requests) == 1


def test_another_version_is_told(device: ScriptedHand) -> None:
    device.replies["Connect"] = [b"\1\0\3\0"]
    with pytest.raises(IncompatibleVersionError, match="version 1 with a vacuum gripper"):
        VacuumGripper(device.address)
