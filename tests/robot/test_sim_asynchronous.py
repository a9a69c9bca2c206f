"""Asynchronous joint positions of version 10: targets at any rate, the robot plans the way."""

from typing import Any

import numpy as np
import pytest
from sim_client import SimClient, field, served

from kinegraph.robot.sim import SimulatedRobot
from kinegraph.robot.wire import state_layout as layout
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

HOME = np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])
SPEEDS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])


def begun(robot: SimulatedRobot, client: SimClient, speeds: Array) -> int:
    fields: dict[str, Any] = {"use_async_motion_generator": 1, "maximum_velocity": speeds}
    move = client.move("JointPosition", **fields)
    robot.step()
    client.state()
    return move


def step_through(robot: SimulatedRobot, cycles: int) -> tuple[Array, Array]:
    """Desired velocities and accelerations of some cycles."""
    speeds, accelerations = [], []
    for _ in range(cycles):
        robot.step()
        state = robot.state
        speeds.append(field(state, "dq_d"))
        accelerations.append(field(state, "ddq_d"))
    return np.array(speeds), np.array(accelerations)


def test_targets_that_come_now_and_then_are_reached_within_the_speeds_given() -> None:
    rng = np.random.default_rng(4)
    with served(trace=10) as (robot, client):
        move = begun(robot, client, SPEEDS)
        for cycles in (1, 3, 250, 40, 700):  # the newest target replaces the others
            goal = HOME + rng.uniform(-0.1, 0.1, 7)
            client.command(robot.state[layout.S_time], q_c=goal)
            speeds, accelerations = step_through(robot, cycles)
            assert (np.abs(speeds) <= SPEEDS + 1e-12).all()
            assert np.abs(accelerations).max() <= 10.0
        step_through(robot, 2500)
        np.testing.assert_allclose(robot.q, goal, atol=1e-4)
        assert not client.has_reply(move)  # nothing is lost, however rarely commands come
        client.command(robot.state[layout.S_time], q_c=goal, motion_generation_finished=1.0)
        robot.step(2)
        assert client.ended(move) == "Success"


def test_speeds_that_are_not_given_are_those_of_the_joints() -> None:
    with served() as (robot, client):
        begun(robot, client, np.zeros(7))
        client.command(robot.state[layout.S_time], q_c=HOME - 2.0 * np.eye(7)[0])
        speeds, _ = step_through(robot, 800)
        assert 2.0 < np.abs(speeds[:, 0]).max() <= 2.62
        assert not robot.errors


def test_a_stop_preempts_it_and_the_arm_comes_to_rest() -> None:
    with served() as (robot, client):
        move = begun(robot, client, SPEEDS)
        client.command(robot.state[layout.S_time], q_c=HOME + 0.3)
        step_through(robot, 300)
        assert client.request("StopMove") == "Success"
        assert client.ended(move) == "Preempted"
        robot.step(500)
        np.testing.assert_allclose(robot.dq, 0.0, atol=1e-6)


@pytest.mark.parametrize(
    "speeds", [np.full(7, np.nan), -SPEEDS, np.full(7, np.inf)], ids=["NaN", "negative", "infinite"]
)
def test_speeds_that_are_none_are_refused(speeds: Array) -> None:
    with served() as (robot, client):
        with pytest.raises(AssertionError):
            begun(robot, client, speeds)
        assert field(robot.state, "robot_mode") == 1
