"""What stands around the simulated arm: virtual walls, and pushes in any frame."""

import numpy as np
import pytest
from sim_client import EXTERNAL, SimClient, drive, field, served

from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.sim import SimulatedRobot
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

HOME = np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])


def beyond(x: float) -> Array:
    """Frame whose origin is the low corner of a wall that begins at `x`."""
    frame = np.eye(4)
    frame[:3, 3] = (x, -1.0, 0.0)
    return frame


def forward(robot: SimulatedRobot, client: SimClient, sign: float, cycles: int) -> Array:
    """A Cartesian velocity motion along x with at most 0.1 m/s."""
    client.move("CartesianVelocity")
    robot.step()
    state = client.state()
    for k in range(cycles):
        speed = sign * 0.1 * (1.0 - np.cos(np.pi * min(1.0, k / 300))) / 2.0
        state = drive(robot, client, lambda *_: {"O_dP_EE_c": speed * np.eye(6)[0]}, 1)  # noqa: B023
        if field(state, "current_errors").any():
            break
    return state


def test_a_virtual_wall_is_reported_as_it_was_set_up() -> None:
    with served(fci=5) as (robot, client):
        robot.set_virtual_wall(3, [0.5, 2.0, 1.0], beyond(0.35))
        robot.set_virtual_wall(7, [0.1, 0.2, 0.3], np.eye(4), active=False)
        robot.set_virtual_wall(3, [0.6, 2.0, 1.0], beyond(0.35))
        for wall, size, frame, active in (
            (3, (0.6, 2.0, 1.0), beyond(0.35), True),
            (7, (0.1, 0.2, 0.3), np.eye(4), False),
            (4, (0.0, 0.0, 0.0), np.eye(4), False),
        ):
            payload = client.reply(client.post("GetCartesianLimit", id=wall))
            reply = np.frombuffer(payload, client.protocol.dtype("GetCartesianLimit.Response"))[0]
            assert (reply["status"], bool(reply["object_activation"])) == (0, active)
            np.testing.assert_array_equal(reply["object_world_size"], size)
            np.testing.assert_array_equal(reply["object_frame"], frame.ravel(order="F"))


def test_entering_a_wall_is_a_reflex_and_leaving_it_is_not() -> None:
    with served(fci=5) as (robot, client):
        robot.set_virtual_wall(1, [1.0, 2.0, 2.0], beyond(robot.end_effector_pose()[0, 3] + 0.02))
        state = forward(robot, client, 1.0, 1000)
        assert list(np.flatnonzero(field(state, "current_errors"))) == [1]
        robot.step(400)
        number = client.post("AutomaticErrorRecovery")
        assert client.status("AutomaticErrorRecovery", client.reply(number)) == "Success"
        robot.step()
        state = forward(robot, client, -1.0, 600)
        assert not robot.errors
        assert field(state, "robot_mode") == 2


def test_a_wall_that_is_not_active_stops_nothing() -> None:
    with served(fci=5) as (robot, client):
        wall = beyond(robot.end_effector_pose()[0, 3] + 0.02)
        robot.set_virtual_wall(1, [1.0, 2.0, 2.0], wall, active=False)
        forward(robot, client, 1.0, 700)
        assert not robot.errors


def test_walls_that_cannot_be_are_refused() -> None:
    with served(fci=5) as (robot, _):
        for arguments in (
            (-1, [1.0, 1.0, 1.0], np.eye(4)),
            (1, [1.0, 1.0], np.eye(4)),
            (1, [np.nan, 1.0, 1.0], np.eye(4)),
            (1, [1.0, 1.0, 1.0], 2.0 * np.eye(4)),
            (1, [1.0, 1.0, 1.0], np.eye(3)),
        ):
            with pytest.raises(InvalidArgumentError):
                robot.set_virtual_wall(*arguments)
        for wall in range(8):
            robot.set_virtual_wall(wall, [1.0, 1.0, 1.0], beyond(2.0))
        with pytest.raises(InvalidArgumentError, match="8"):
            robot.set_virtual_wall(8, [1.0, 1.0, 1.0], beyond(2.0))
    with served() as (robot, _), pytest.raises(InvalidOperationError, match="version 10"):
        robot.set_virtual_wall(1, [1.0, 1.0, 1.0], np.eye(4))


def felt(robot: SimulatedRobot) -> Array:
    """The wrench about the base's origin that the robot estimates of what pushes it."""
    robot.step(1500)
    return field(robot.state, "O_F_ext_hat_K")


def about_base(force: Array, torque: Array, at: Array) -> Array:
    return np.append(force, torque + np.cross(at, force))


@pytest.mark.parametrize("frame", ["base", "end_effector", "flange"])
@pytest.mark.parametrize("point", [None, (0.02, -0.03, 0.1)])
def test_a_push_acts_where_and_in_which_axes_it_is_given(
    frame: str, point: tuple[float, float, float] | None
) -> None:
    tool = np.array([0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0.0, 0.0, 0.1, 1.0])
    wrench = np.array([4.0, -3.0, 5.0, 0.3, 0.2, -0.1])
    with served() as (robot, client):
        client.request("SetNEToEE", NE_T_EE=tool)
        robot.step()
        robot.apply_wrench(wrench, frame=frame, point=point)
        robot.step(1500)
        axes = {"base": np.eye(4), "flange": robot.flange_pose()}
        axes["end_effector"] = robot.end_effector_pose()
        turn, origin = axes[frame][:3, :3], axes[frame][:3, 3]
        at = origin + turn @ np.array(point or (0.0, 0.0, 0.0))
        if frame == "base" and point is None:
            at = robot.end_effector_pose()[:3, 3]
        expected = about_base(turn @ wrench[:3], turn @ wrench[3:], at)
        np.testing.assert_allclose(felt(robot), expected, rtol=3e-3, atol=3e-3)


def test_a_push_may_begin_and_end_while_the_clock_runs() -> None:
    with served(realtime=True, enforce=False) as (robot, client):
        client.state()
        robot.apply_wrench([0.0, 0.0, -8.0, 0.0, 0.0, 0.0], frame="flange")
        state = client.state()
        while abs(field(state, "O_F_ext_hat_K")[2]) < 7.0:
            state = client.state()
        robot.apply_wrench(np.zeros(6))
        while abs(field(state, "O_F_ext_hat_K")[2]) > 1.0:
            state = client.state()


def test_a_frame_that_does_not_exist_names_the_nearest() -> None:
    with served() as (robot, _), pytest.raises(InvalidArgumentError, match="flange"):
        robot.apply_wrench(np.zeros(6), frame="flnge")


def test_an_injected_collision_leaves_a_push_alone() -> None:
    with served() as (robot, client):
        robot.apply_wrench([5.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        robot.inject("collision", 0.01)
        client.move("None", EXTERNAL)
        robot.step()
        drive(robot, client, lambda *_: {"tau_J_d": np.zeros(7)}, 200)
        np.testing.assert_allclose(felt(robot)[0], 5.0, atol=0.05)
