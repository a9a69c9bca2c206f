"""Whatever clients send, the simulated robot stays a robot: finite, answering, fit for the next."""

import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from robot_addresses import fresh_address
from sim_client import EXTERNAL, SimClient, field, served

from kinegraph.robot.sim import SimulatedRobot
from kinegraph.robot.wire import state_layout as layout
from kinegraph.robot.wire.tables import PROTOCOLS

pytestmark = pytest.mark.compiled

HOME = np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])
MOTIONS = [
    (generator, controller)
    for generator in ("JointPosition", "JointVelocity", "CartesianPosition", "CartesianVelocity")
    for controller in ("JointImpedance", "CartesianImpedance", EXTERNAL)
]
FIELDS = {"q_c": 7, "dq_c": 7, "O_T_EE_c": 16, "O_dP_EE_c": 6, "elbow_c": 2, "tau_J_d": 7}
LIKELY = st.sampled_from([0.0, 1.0, -1.0, 1e-9, 0.5, np.nan, np.inf, -np.inf, 1e300, -1e300])
NUMBERS = LIKELY | st.floats()
MANY = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def commands(draw: st.DrawFn) -> dict[str, Any]:
    given = {
        name: draw(st.lists(NUMBERS, min_size=count, max_size=count))
        for name, count in FIELDS.items()
        if draw(st.booleans())
    }
    return {**given, "valid_elbow": float(draw(st.booleans()))}


def is_sound(robot: SimulatedRobot) -> bool:
    """Whether the arm is somewhere, and at most as far as its stops let it."""
    return bool(np.isfinite(robot.q).all() and np.abs(robot.q).max() < 5.0)


def is_of_use(robot: SimulatedRobot, client: SimClient) -> bool:
    """Whether recovery and a motion work, as they must after anything."""
    robot.place(HOME)
    robot.step(2)
    if client.request("AutomaticErrorRecovery") != "Success":
        return False
    move = client.move("JointPosition")
    robot.step(2)
    for _ in range(3):
        finished = {"q_c": HOME, "motion_generation_finished": 1.0}
        client.command(robot.state[layout.S_time], **finished)
        robot.step()
    return client.ended(move) == "Success"


@pytest.mark.parametrize("enforce", [True, False])
@pytest.mark.parametrize("version", [10, 5])
@MANY
@given(st.sampled_from(MOTIONS), st.lists(commands(), min_size=1, max_size=4))
def test_no_command_makes_the_arm_leave_the_world(
    version: int, enforce: bool, motion: tuple[str, str], sent: list[dict[str, Any]]
) -> None:
    with served(fci=version, enforce=enforce) as (robot, client):
        move = client.move(*motion)
        robot.step(2)
        client.state()
        for fields in sent:
            client.command(robot.state[layout.S_time], **fields)
            robot.step()
        robot.step(30)
        assert is_sound(robot)
        assert client.request("StopMove") == "Success"
        assert client.ended(move) in PROTOCOLS[version].status_names["Move"].values()
        assert not client.has_reply(move)
        assert is_of_use(robot, client)


SETTERS = [
    "SetCollisionBehavior",
    "SetJointImpedance",
    "SetCartesianImpedance",
    "SetGuidingMode",
    "SetEEToK",
    "SetNEToEE",
    "SetLoad",
]


@st.composite
def payloads(draw: st.DrawFn, version: int) -> tuple[str, bytes]:
    """A setter with numbers that are likely to be taken, or with any."""
    name = draw(st.sampled_from(SETTERS + ["SetFilters"] * (version == 5)))
    size = PROTOCOLS[version].dtype(f"{name}.Request").itemsize
    if size % 8:
        return name, draw(st.binary(min_size=size, max_size=size))
    numbers = draw(st.lists(NUMBERS, min_size=size // 8, max_size=size // 8))
    return name, struct.pack(f"<{len(numbers)}d", *numbers)


@MANY
@given(
    st.sampled_from([10, 5]).flatmap(
        lambda v: st.tuples(st.just(v), st.lists(payloads(v), min_size=1, max_size=4))
    )
)
def test_no_setter_makes_the_arm_leave_the_world(case: tuple[int, list[tuple[str, bytes]]]) -> None:
    version, sent = case
    with served(fci=version) as (robot, client):
        names = PROTOCOLS[version].status_names
        for name, payload in sent:
            number = client.send(client.protocol.command(name), payload)
            assert client.reply(number)[0] in names[name]
        robot.step(5)
        assert is_sound(robot)
        move = client.move("JointPosition", "CartesianImpedance")
        robot.step(2)
        client.state()
        for _ in range(5):
            client.command(robot.state[layout.S_time], q_c=HOME)
            robot.step()
        client.request("StopMove")
        client.ended(move)
        robot.step(20)
        assert is_sound(robot)


@pytest.mark.parametrize(
    "inertia",
    [np.arange(1.0, 10.0), -np.eye(3).ravel(), np.zeros(9), np.full(9, 1e3), np.eye(3).ravel()],
    ids=["not symmetric", "negative", "none", "flat", "large"],
)
def test_an_inertia_of_no_body_is_shown_as_it_was_set_and_hurts_nobody(inertia: Any) -> None:
    with served() as (robot, client):
        assert client.request("SetLoad", m_load=1.0, I_load=inertia) == "Success"
        robot.step()
        np.testing.assert_array_equal(field(client.state(), "I_load"), inertia)
        robot.apply_torques(np.full(7, 2.0))
        robot.step(300)
        assert is_sound(robot)
        np.testing.assert_allclose(robot.q, HOME, atol=0.05)


@pytest.mark.parametrize("version", [10, 5])
def test_no_bytes_on_the_command_channel_keep_the_next_client_out(version: int) -> None:
    with SimulatedRobot(fresh_address(), fci=version, realtime=False) as robot:

        @MANY
        @given(st.lists(st.binary(max_size=60), max_size=4), st.booleans())
        def check(lumps: list[bytes], connected: bool) -> None:
            with SimClient(robot.address, version) as client:
                if connected:
                    assert client.connect()[0] == 0
                for lump in lumps:
                    try:
                        client.tcp.sendall(lump)
                    except OSError:
                        break
            with SimClient(robot.address, version) as client:
                assert client.connect()[0] == 0
                assert client.request("StopMove") == "Success"

        check()
