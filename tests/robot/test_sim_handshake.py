"""Connecting to the simulated robot, and what it answers without a motion."""

import struct
from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address
from sim_client import SimClient, field, served

from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError, NetworkError
from kinegraph.robot.sim import SimulatedRobot, SimulatedTool
from kinegraph.robot.wire import state_layout as layout
from kinegraph.scene.urdf import parseURDFString

pytestmark = pytest.mark.compiled


def by_hand(**options: Any) -> SimulatedRobot:
    return SimulatedRobot(fresh_address(), realtime=False, **options)


@pytest.mark.parametrize("version", [10, 5])
def test_connecting_is_answered_with_the_version_and_states_follow(version: int) -> None:
    with by_hand(fci=version) as robot, SimClient(robot.address, version) as client:
        assert client.connect() == bytes([0, version, 0])
        robot.step()
        first = client.state()
        robot.step(3)
        assert client.state()[layout.S_time] == first[layout.S_time] + 3
        assert client.sender[0] == robot.address[0]


@pytest.mark.parametrize(("served", "announced"), [(10, 5), (5, 10), (10, 9)])
def test_another_version_is_refused_and_gets_no_states(served: int, announced: int) -> None:
    with by_hand(fci=served) as robot:
        with SimClient(robot.address) as client:
            assert client.connect(announced) == bytes([1, served, 0])
            robot.step(5)
            assert robot.counters["states_sent"] == 0
        with SimClient(robot.address) as client:
            assert client.connect(served)[0] == 0


def test_the_idle_state_is_that_of_a_resting_robot() -> None:
    tool = SimulatedTool(0.73, np.array([-0.01, 0.0, 0.03]), np.diag([1e-3, 2e-3, 3e-3]))
    with by_hand(tool=tool) as robot, SimClient(robot.address) as client:
        client.connect()
        robot.step(2)
        state = client.state()
        assert field(state, "robot_mode") == 1
        assert field(state, "motion_generator_mode") == 0
        assert field(state, "controller_mode") == 3
        assert field(state, "control_command_success_rate") == 0
        np.testing.assert_allclose(field(state, "O_ddP_O"), (0, 0, -9.81), atol=1e-6)
        for name in ("tau_J_d", "dq_d", "ddq_d", "O_dP_EE_c", "O_ddP_EE_c", "elbow_c"):
            assert not field(state, name).any(), name
        np.testing.assert_array_equal(field(state, "O_T_EE_c"), field(state, "O_T_EE_d"))
        np.testing.assert_allclose(field(state, "elbow"), (robot.q[2], -1.0))
        assert 1e-4 < np.abs(field(state, "theta") - field(state, "q")).max() < 0.01
        assert field(state, "m_ee") == np.float32(0.73)
        np.testing.assert_allclose(field(state, "F_x_Cee"), (-0.01, 0.0, 0.03), rtol=1e-6)


def test_the_served_description_is_a_scene_with_the_same_flange() -> None:
    with by_hand() as robot, SimClient(robot.address) as client:
        client.connect()
        payload = client.reply(client.post("GetRobotModel"))
        assert payload[0] == 0
        graph = parseURDFString(payload[1:])
        assert graph.getJoint("fr3_joint7") is not None
        assert payload[1:].decode() == robot.urdf


def test_a_second_client_is_told_no_and_does_not_disturb_the_first() -> None:
    with by_hand() as robot, SimClient(robot.address) as first:
        first.connect()
        with SimClient(robot.address) as second:
            assert second.connect() == bytes([2, 10, 0])  # no status that a client knows
            with pytest.raises(ConnectionError):
                second.reply(1)
        robot.step()
        assert first.request("StopMove") == "Success"
        assert first.state()[layout.S_time] > 0


def test_a_second_client_that_waits_for_the_first_to_leave_comes_in() -> None:
    with by_hand() as robot, SimClient(robot.address) as second:
        with SimClient(robot.address) as first:
            first.connect()
            port = second.udp.getsockname()[1]
            number = second.send(0, struct.pack("<HH", 10, port))
            assert not second.has_reply(number)
        assert second.reply(number) == bytes([0, 10, 0])
        robot.step()
        assert second.state()[layout.S_time] > 0


def test_the_next_client_comes_in_at_once_when_the_first_has_gone() -> None:
    with by_hand() as robot:
        for _ in range(20):
            with SimClient(robot.address) as client:
                assert client.connect()[0] == 0


def test_several_robots_live_side_by_side() -> None:
    with served() as (_, first), served() as (other, second):
        other.step(4)
        assert second.state()[layout.S_time] == first.state()[layout.S_time] + 4


def test_the_virtual_wall_of_version_5_is_not_active_and_there_is_no_model_library() -> None:
    with by_hand(fci=5) as robot, SimClient(robot.address, 5) as client:
        client.connect()
        wall = client.reply(client.post("GetCartesianLimit", id=2))
        assert len(wall) == 154
        assert (wall[0], wall[-1]) == (0, 0)
        assert client.request("LoadModelLibrary") == "Error"


def test_a_stopped_robot_can_be_started_again() -> None:
    robot = by_hand()
    for _ in range(2):
        with robot, SimClient(robot.address) as client:
            assert client.connect()[0] == 0


def test_an_address_that_is_taken_is_a_network_error_with_the_address() -> None:
    with by_hand() as robot:
        host, port = robot.address
        with pytest.raises(NetworkError, match=f"{host}:{port}"):
            SimulatedRobot(host, port, realtime=False).start()


@pytest.mark.parametrize(
    "options",
    [{"fci": 9}, {"q": [0.0] * 6}, {"q": [np.nan] * 7}, {"max_lost": 0}, {"lockstep_s": -1.0}],
    ids=str,
)
def test_values_that_make_no_robot_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        SimulatedRobot(**options)


@pytest.mark.parametrize(
    "arguments", [{"mass": -1.0}, {"mass": np.nan}, {"centre": np.zeros(2)}], ids=str
)
def test_a_tool_that_no_body_is_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        SimulatedTool(**arguments)


def test_a_clock_that_runs_by_itself_cannot_be_stepped() -> None:
    robot = SimulatedRobot(fresh_address())
    with pytest.raises(InvalidOperationError):
        robot.step()
