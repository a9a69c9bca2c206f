"""The simulated robot with a hand: what it reports, what it serves, how it starts and stops."""

import socket
import subprocess
import sys
import threading

import numpy as np
import pytest
from robot_addresses import fresh_address
from waiting_for import wait_until

from kinegraph.robot import (
    Gripper,
    InvalidArgumentError,
    NetworkError,
    Robot,
    RobotState,
    SceneRobot,
    SimulatedHand,
    SimulatedRobot,
    SimulatedTool,
    description_text,
    description_with_hand,
)
from kinegraph.scene import UnknownNameError, parseURDFString

pytestmark = pytest.mark.compiled


def test_the_states_have_the_hands_mass_centre_and_frame() -> None:
    robot = SimulatedRobot("127.0.0.1", realtime=False, hand=True)
    state = RobotState.from_row(robot.state)
    assert abs(state.m_ee - 0.73) < 1e-6
    np.testing.assert_allclose(state.F_x_Cee, [-0.01, 0.0, 0.03], rtol=1e-7)
    np.testing.assert_allclose(state.I_ee, np.diag([0.001, 0.0025, 0.0017]).ravel(), rtol=1e-7)
    c = np.sqrt(0.5)
    expected = [c, -c, 0.0, 0.0, c, c, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.1034, 1.0]
    for frame in (state.F_T_NE, state.F_T_EE):
        np.testing.assert_allclose(frame, expected, rtol=1e-7)


def test_a_tool_that_is_given_counts_more_than_the_hand() -> None:
    robot = SimulatedRobot("127.0.0.1", realtime=False, hand=True, tool=SimulatedTool(mass=0.5))
    assert RobotState.from_row(robot.state).m_ee == 0.5


def test_without_a_hand_there_is_none() -> None:
    assert SimulatedRobot("127.0.0.1", realtime=False).hand is None
    with pytest.raises(InvalidArgumentError, match="no hand"):
        SimulatedRobot("127.0.0.1", hand_object_width=0.04)
    with pytest.raises(InvalidArgumentError, match="does not fit"):
        SimulatedRobot("127.0.0.1", hand=True, hand_object_width=0.4)


def test_hand_and_arm_share_the_clock_that_is_stepped() -> None:
    host = fresh_address()
    with SimulatedRobot(host, realtime=False, hand=True, hand_object_width=0.03) as robot:
        hand = robot.hand
        assert hand is not None
        with Gripper(host) as gripper:
            action = gripper.start_grasp(0.03, 0.1, 10.0)
            wait_until(lambda: hand.is_moving)
            robot.step(200)
            wait_until(lambda: abs(gripper.state.width - 0.06) < 1e-9)
            robot.step(400)
            assert action.wait() is True
        assert hand.state.time == 600


def test_the_robots_client_and_the_hands_live_side_by_side_in_real_time() -> None:
    host = fresh_address()
    with SimulatedRobot(host, hand=True), Robot(host) as robot, Gripper(host) as gripper:
        thread = threading.Thread(target=gripper.move, args=(0.04, 0.1))
        thread.start()
        times = [state.time for state, _ in zip(robot.states(), range(100), strict=False)]
        thread.join(20.0)
        assert (np.diff(times) >= 1).all()
        assert abs(gripper.read_once().width - 0.04) < 1e-9


def test_a_hand_that_cannot_listen_leaves_no_robot_behind() -> None:
    host = fresh_address()
    with SimulatedHand(host):
        robot = SimulatedRobot(host, hand=True)
        with pytest.raises(NetworkError, match="1338"):
            robot.start()
        with socket.socket() as free:
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            free.bind((host, 1337))
    for _ in range(2):  # and then it starts, again and again
        with robot, Gripper(host) as gripper:
            assert gripper.stop()


def test_any_free_port_is_any_free_port_for_the_hand_too() -> None:
    with SimulatedRobot(fresh_address(), port=0, hand=True, realtime=False) as robot:
        assert robot.hand is not None
        assert robot.hand.address[1] not in (0, robot.address[1])
    other = SimulatedRobot(fresh_address(), port=4000, hand=True, realtime=False)
    assert other.hand is not None
    assert other.hand.address[1] == 4001


def test_the_command_serves_a_hand() -> None:
    host = fresh_address()
    command = [sys.executable, "-P", "-m", "kinegraph.cli.main", "sim", "--host", host]
    with subprocess.Popen(
        [*command, "--hand", "--hand-object", "0.03"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        assert lines[1] == f"kinegraph sim: serving a hand on {host}:1338\n"
        with Gripper(host) as gripper:
            assert gripper.grasp(0.03, 0.1, 10.0)
        process.terminate()
        process.communicate(timeout=60.0)
    assert process.returncode == 0
    refused = subprocess.run(
        [*command, "--hand-object", "0.03"], capture_output=True, text=True, timeout=60, check=False
    )
    assert refused.returncode == 1
    assert "no hand" in refused.stderr


# --- the description ----------------------------------------------------------------------------


def test_the_hand_weighs_what_desk_says_with_its_fingers_closed() -> None:
    graph = parseURDFString(description_text("hand"))
    bodies = [link.inertial for link in graph.getLinks() if link.inertial is not None]
    places = [np.zeros(3), np.array([0.0, 0.0, 0.0584]), np.array([0.0, 0.0, 0.0584])]
    centres = [place + body.origin.translation for place, body in zip(places, bodies, strict=True)]
    masses = np.array([body.mass for body in bodies])
    assert abs(masses.sum() - 0.73) < 1e-12
    turn = np.array([[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, np.sqrt(2.0)]]) / np.sqrt(2.0)
    centre = masses @ np.array(centres) / masses.sum()
    np.testing.assert_allclose(turn @ centre, [-0.01, 0.0, 0.03], atol=1e-12)
    total = np.zeros((3, 3))
    for body, at in zip(bodies, centres, strict=True):
        inertia = np.array([[body.ixx, body.ixy, body.ixz], [body.ixy, body.iyy, body.iyz],
                            [body.ixz, body.iyz, body.izz]])  # fmt: skip
        d = at - centre
        total += inertia + body.mass * (d @ d * np.eye(3) - np.outer(d, d))
    np.testing.assert_allclose(turn @ total @ turn.T, np.diag([0.001, 0.0025, 0.0017]), atol=1e-12)


@pytest.mark.parametrize("arm", ["fr3", "fer"])
def test_an_arm_with_a_hand_has_fingers_whose_names_no_client_mistakes(arm: str) -> None:
    graph = parseURDFString(description_with_hand(arm))
    arm_only = {joint.getName() for joint in parseURDFString(description_text(arm)).getJoints()}
    names = {joint.getName() for joint in graph.getJoints()} - arm_only
    assert names == {"hand_mount", "hand_finger_left", "hand_finger_right", "hand_tcp_mount"}
    assert not any(f"joint{i}" in name for name in names for i in range(1, 8))


def test_only_arms_carry_a_hand() -> None:
    with pytest.raises(UnknownNameError):
        description_with_hand("gripper")


def test_a_served_hand_is_where_the_robot_says_its_end_effector_is() -> None:
    host, text = fresh_address(), description_with_hand("fr3")
    with (
        SimulatedRobot(host, urdf=text, hand=True) as simulated,
        Robot(host) as robot,
        SceneRobot(robot) as scene,
    ):
        assert abs(robot.state.m_ee - 0.73) < 1e-6
        tip = scene.link_pose("hand_tcp").matrix
        reported = RobotState.from_row(simulated.state).O_T_EE.reshape(4, 4, order="F")
        np.testing.assert_allclose(tip, reported, atol=1e-5)
