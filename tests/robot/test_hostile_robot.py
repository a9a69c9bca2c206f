"""A peer that is no robot, or a broken one: one error that names the thing; no NaN is sent."""

import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numba
import numpy as np
import pytest
from leaks import memory_mb
from robot_addresses import fresh_address
from scripted_robot import HEADER, ScriptedRobot
from waiting_for import SOON_S, wait_until

from kinegraph.robot.commands import CartesianVelocities, Torques
from kinegraph.robot.errors import (
    ControlError,
    FrankaError,
    IncompatibleVersionError,
    ModelError,
    NetworkError,
    ProtocolError,
)
from kinegraph.robot.loop.callback import CompiledTorques
from kinegraph.robot.robot import Robot
from kinegraph.robot.state import RobotState
from kinegraph.robot.testing import Relay
from kinegraph.robot.wire import state_layout as layout
from kinegraph.robot.wire.wire_kernels import encode_state
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

MEMORY_MB = 50.0


@numba.njit(nogil=True)
def pull(state: Array, period_s: float, torques: Array) -> int:
    for i in range(7):
        torques[i] = -2.0 * state[layout.S_dq + i] - state[layout.S_q + i]
    return 0


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    with ScriptedRobot(fresh_address()) as scripted, Robot(scripted.address) as robot:
        robot.start_session(CompiledTorques(pull)).stop(SOON_S)


@contextmanager
def ends_soon() -> Iterator[None]:
    """Fail when the block hangs or takes memory."""
    memory, began = memory_mb(), time.monotonic()
    yield
    assert time.monotonic() - began < SOON_S
    assert memory_mb() - memory < MEMORY_MB


# --- connecting -----------------------------------------------------------------------------------


def scripted_with(urdf: str | None = None, **settings: object) -> ScriptedRobot:
    scripted = ScriptedRobot(fresh_address(), urdf=urdf)
    for name, value in settings.items():
        assert hasattr(scripted, name)
        setattr(scripted, name, value)
    return scripted


CONNECTS: dict[str, tuple[dict[str, object], type[FrankaError], str]] = {
    "wrong version": (
        {"connect_payload": struct.pack("<BH", 1, 77)},
        IncompatibleVersionError,
        "server version: 77",
    ),
    "truncated": ({"connect_payload": b"\0"}, ProtocolError, "Incorrect TCP message size"),
    "undefined status": (
        {"connect_payload": struct.pack("<BH", 9, 10)},
        ProtocolError,
        "Protocol error during connection attempt",
    ),
    "never": ({"unanswered": {"Connect"}}, NetworkError, "no reply to Connect within 1 s"),
    "no states": ({"sends": False}, NetworkError, "no state arrives at UDP port"),
    "no model": ({"urdf": ""}, ModelError, "model"),
    "model that is no XML": ({"urdf": "<robot><link"}, ModelError, "model cannot be used"),
    "model of another thing": ({"urdf": "<sdf/>"}, ModelError, "model cannot be used"),
    "model never": (
        {"unanswered": {"GetRobotModel"}},
        NetworkError,
        "no reply to Get Robot Model within 1 s",
    ),
}


@pytest.mark.parametrize("name", CONNECTS)
def test_connecting_ends_in_an_error_that_names_it(name: str) -> None:
    settings, kind, text = CONNECTS[name]
    with scripted_with(**settings) as scripted, ends_soon():  # type: ignore[arg-type]
        with pytest.raises(kind, match=text) as caught:
            Robot(scripted.address, timeout_s=1.0 if kind is NetworkError else 15.0)
        assert type(caught.value) is kind


def test_a_model_that_announces_200_mb_is_refused_without_the_memory() -> None:
    with scripted_with(unanswered={"GetRobotModel"}) as scripted, ends_soon():

        def announce() -> None:
            header = HEADER.pack(scripted.protocol.commands["GetRobotModel"], 1, 200 << 20)
            scripted.send_raw(header + bytes(1000))

        scripted.mangle = partial(once_asked, scripted, announce)
        with pytest.raises(ProtocolError, match=r"209715200 bytes"):
            Robot(scripted.address, timeout_s=5.0)


def once_asked(scripted: ScriptedRobot, action: Callable[[], None], data: bytes) -> list[bytes]:
    """Do something when the model was asked for."""
    if scripted.count("GetRobotModel") > 0:
        action()
    return [data]


# --- states ---------------------------------------------------------------------------------------


def number_in(name: str, index: int, value: float) -> Callable[[Array], None]:
    def change(row: Array) -> None:
        row[layout.STATE_OFFSETS[name] + index] = value

    return change


FIELDS = [("q", 3), ("dq", 0), ("tau_J", 6), ("O_T_EE", 5), ("tau_J_d", 1)]


@pytest.mark.parametrize(("name", "index"), FIELDS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_none_ends_the_motion_by_its_name(
    name: str, index: int, value: float
) -> None:
    with ScriptedRobot(fresh_address()) as scripted, ends_soon():
        with Relay(fresh_address(), scripted.address) as relay, Robot(relay.address[0]) as robot:
            session = robot.start_session(CompiledTorques(pull))
            scripted.later(lambda: number_in(name, index, value)(scripted.row))
            with pytest.raises(ProtocolError, match=rf"{name}\[{index}\] = ") as caught:
                session.wait(SOON_S)
            assert caught.value.field == f"{name}[{index}]"
            wait_until(lambda: scripted.count("StopMove") > 0)
        sent = np.array(scripted.commands)
    assert len(sent)
    assert np.isfinite(sent).all()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_python_loop_never_sees_such_a_state(value: float) -> None:
    seen = []
    with ScriptedRobot(fresh_address()) as scripted, Robot(scripted.address) as robot:

        def callback(state: object, period_s: float) -> Torques:
            seen.append(np.isfinite(state.q).all())  # type: ignore[attr-defined]
            if len(seen) == 20:
                scripted.later(lambda: number_in("q", 2, value)(scripted.row))
            return Torques(-2.0 * state.q)  # type: ignore[attr-defined]

        with pytest.raises(ProtocolError, match=r"q\[2\]"):
            robot.control_torques(callback)
        sent = np.array(scripted.commands)
    assert all(seen)
    assert np.isfinite(sent).all()


@pytest.mark.parametrize("unanswered", [False, True])
def test_a_mode_that_nobody_knows_is_other_and_ends_a_motion(unanswered: bool) -> None:
    kind, text = (NetworkError, "no reply to") if unanswered else (ControlError, '"Other"')
    with (
        ScriptedRobot(fresh_address()) as scripted,
        ends_soon(),
        Robot(scripted.address, timeout_s=1.0) as robot,
    ):
        session = robot.start_session(CompiledTorques(pull))
        if unanswered:
            scripted.unanswered.add("StopMove")
        scripted.later(lambda: scripted.row.__setitem__(layout.S_robot_mode, 255.0))
        with pytest.raises(kind, match=text):
            session.wait(SOON_S)


def test_a_pose_that_is_none_ends_a_cartesian_motion_by_its_name() -> None:
    count = 0

    def callback(state: RobotState, period_s: float) -> CartesianVelocities:
        nonlocal count
        count += 1
        if count == 20:
            scripted.later(lambda: number_in("O_T_EE", 0, 1.5)(scripted.row))
        return CartesianVelocities([0.0] * 6)

    with (
        ScriptedRobot(fresh_address()) as scripted,
        ends_soon(),
        Robot(scripted.address) as robot,
        pytest.raises(ProtocolError, match="O_T_EE"),
    ):
        robot.control_cartesian_velocities(callback)


def test_ids_that_go_backwards_end_a_motion() -> None:
    with (
        ScriptedRobot(fresh_address()) as scripted,
        ends_soon(),
        Robot(scripted.address) as robot,
    ):
        session = robot.start_session(CompiledTorques(pull))
        scripted.step = -1
        with pytest.raises(NetworkError, match="No new state for"):
            session.wait(SOON_S)
        assert robot.counters.stale > 10


def test_a_flood_of_states_takes_no_memory_and_the_client_follows() -> None:
    with ScriptedRobot(fresh_address()) as scripted, Robot(scripted.address) as robot, ends_soon():
        session = robot.start_session(CompiledTorques(pull))
        scripted.sends = False
        row, packet = scripted.row.copy(), np.zeros(4096, np.uint8)
        number, began = int(robot.state.time) + 100, time.monotonic()
        for k in range(40_000):  # two seconds of it
            row[layout.S_time] = number + k
            length = encode_state(10, row, packet)
            scripted.send_datagram(packet[:length].tobytes())
            while time.monotonic() - began < k / 20_000:
                pass
        wait_until(lambda: robot.state.time >= number + 39_000)
        scripted.message_id = number + 40_000
        scripted.sends = True
        session.stop(SOON_S)
        assert robot.counters.received > 1000
