"""The robot's own controllers: how they give way, what they hold, what filters do to them."""

from typing import Any

import numpy as np
import pytest
from sim_client import EXTERNAL, SimClient, drive, field, served

from kinegraph.robot.sim import SimulatedRobot
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

HOME = np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])
# Frame K: turned by 90 degrees about z, 10 cm before the end effector.
TURNED = np.array([0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0.0, 0.0, 0.1, 1.0])
STIFFNESS = np.array([1000.0, 500.0, 2000.0, 50.0, 100.0, 80.0])
FAR = {
    f"{side}_{kind}_thresholds_{phase}": 1e4
    for side in ("lower", "upper")
    for kind in ("torque", "force")
    for phase in ("acceleration", "nominal")
}
BOTH = pytest.mark.parametrize("version", [10, 5])


def hold(*_: Any) -> dict[str, Any]:
    return {"q_c": HOME}


def stiffness_frame(robot: SimulatedRobot, q: Array | None = None) -> Array:
    tool = field(robot.state, "EE_T_K").reshape(4, 4, order="F")
    return np.asarray(robot.end_effector_pose(q) @ tool)


def given_way(robot: SimulatedRobot) -> Array:
    """How far K stands from where it should be: m and rad, in the axes of K."""
    there, here = stiffness_frame(robot, HOME), stiffness_frame(robot)
    moved = here[:3, :3].T @ (here[:3, 3] - there[:3, 3])
    turned = here[:3, :3].T @ there[:3, :3]
    skew = 0.5 * (turned.T - turned)
    return np.append(moved, (skew[2, 1], skew[0, 2], skew[1, 0]))


def held(robot: SimulatedRobot, client: SimClient, controller: str, cycles: int) -> None:
    client.request("SetCollisionBehavior", **FAR)
    client.move("JointPosition", controller)
    robot.step()
    drive(robot, client, hold, cycles)


@BOTH
@pytest.mark.parametrize("axis", range(6))
def test_a_cartesian_spring_gives_way_at_frame_k_as_its_stiffness_says(
    version: int, axis: int
) -> None:
    with served(fci=version) as (robot, client):
        client.request("SetEEToK", EE_T_K=TURNED)
        client.request("SetCartesianImpedance", K_x=STIFFNESS)
        robot.step()
        k = stiffness_frame(robot)
        size = 5.0 if axis < 3 else 0.5
        force = np.zeros(6)
        force[3 * (axis // 3) : 3 * (axis // 3) + 3] = size * k[:3, axis % 3]
        robot.apply_wrench(force, point=k[:3, 3])
        held(robot, client, "CartesianImpedance", 4000)
        expected = np.zeros(6)
        expected[axis] = size / STIFFNESS[axis]
        np.testing.assert_allclose(given_way(robot), expected, atol=0.03 * expected.max())


@BOTH
def test_the_null_space_is_held_too(version: int) -> None:
    with served(fci=version) as (robot, client):
        held(robot, client, "CartesianImpedance", 10)
        _, _, turn = np.linalg.svd(jacobian(robot))
        around = 2.0 * turn[6]  # moves the elbow alone
        robot.apply_torques(around)
        drive(robot, client, hold, 2000)
        np.testing.assert_allclose(robot.q - HOME, around / 100.0, atol=1e-3)
        np.testing.assert_allclose(given_way(robot), 0.0, atol=3e-4)
        robot.apply_torques(np.zeros(7))
        drive(robot, client, hold, 3000)
        np.testing.assert_allclose(robot.q, HOME, atol=1e-4)


def jacobian(robot: SimulatedRobot) -> Array:
    """Jacobian of the flange by differences."""
    columns = []
    for i in range(7):
        step = 1e-6 * np.eye(7)[i]
        up, down = robot.flange_pose(HOME + step), robot.flange_pose(HOME - step)
        turn = (up - down)[:3, :3] @ robot.flange_pose(HOME)[:3, :3].T
        columns.append([*(up - down)[:3, 3], turn[2, 1], turn[0, 2], turn[1, 0]])
    return np.array(columns).T / 2e-6


@pytest.mark.parametrize("armature", [True, False])
@pytest.mark.parametrize("controller", ["JointImpedance", "CartesianImpedance"])
def test_the_stiffest_controller_comes_to_rest_after_a_knock(
    armature: bool, controller: str
) -> None:
    with served(armature=armature) as (robot, client):
        client.request("SetJointImpedance", K_theta=14250.0)
        client.request("SetCartesianImpedance", K_x=[3000.0] * 3 + [300.0] * 3)
        held(robot, client, controller, 10)
        robot.apply_wrench([10.0, -20.0, 15.0, 1.0, 0.5, -0.5])
        drive(robot, client, hold, 20)
        robot.apply_wrench(np.zeros(6))
        drive(robot, client, hold, 2500)
        np.testing.assert_allclose(robot.q, HOME, atol=1e-5)
        np.testing.assert_allclose(robot.dq, 0.0, atol=1e-5)


def test_a_joint_spring_gives_way_as_its_stiffness_says() -> None:
    with served() as (robot, client):
        client.request("SetJointImpedance", K_theta=[600.0, 600, 600, 600, 250, 150, 50])
        robot.apply_torques([3.0, 0, 0, 0, 0, 0, 0.2])
        held(robot, client, "JointImpedance", 3000)
        np.testing.assert_allclose(robot.q - HOME, [5e-3, 0, 0, 0, 0, 0, 4e-3], atol=1e-5)


def test_the_frame_k_follows_a_pose_motion_within_half_a_millimetre() -> None:
    with served() as (robot, client):
        client.move("CartesianPosition", "CartesianImpedance")
        robot.step()
        start, worst = robot.end_effector_pose(), 0.0
        state = client.state()
        for k in range(2000):
            pose = start.copy()
            pose[0, 3] += 0.05 * (1.0 - np.cos(np.pi * k / 1000)) / 2.0
            state = drive(robot, client, lambda *_: {"O_T_EE_c": pose.ravel(order="F")}, 1)  # noqa: B023
            worst = max(worst, float(np.abs(robot.end_effector_pose() - pose)[:3, 3].max()))
        assert field(state, "robot_mode") == 2
        assert worst < 5e-4


FILTERS = ("joint_position", "joint_velocity", "cartesian_position", "cartesian_velocity")


def cutoffs(**hz: float) -> dict[str, float]:
    names = (*FILTERS, "controller")
    return {f"{name}_filter_frequency": hz.get(name, 1000.0) for name in names}


@pytest.mark.parametrize("generator", [0, 1, 2, 3])
def test_the_filter_of_a_generator_delays_the_arm(generator: int) -> None:
    """A first-order filter of cutoff f lags by v / (2 pi f) behind a steady speed v."""
    name = ("JointPosition", "JointVelocity", "CartesianPosition", "CartesianVelocity")[generator]
    lags = []
    for hz in (1000.0, 5.0):
        with served(fci=5) as (robot, client):
            assert client.request("SetFilters", **cutoffs(**{FILTERS[generator]: hz})) == "Success"
            client.request("SetCollisionBehavior", **FAR)
            client.move(name)
            robot.step()
            start = robot.end_effector_pose().ravel(order="F")
            drive(robot, client, lambda _, k: moving(name, k, start), 1500)  # noqa: B023
            state = robot.state
            if generator < 2:
                lags.append(field(state, "q_d")[0] - robot.q[0])
            else:
                lags.append(field(state, "O_T_EE_c")[12] - field(state, "O_T_EE")[12])
    speed = 0.05
    np.testing.assert_allclose(lags[1] - lags[0], speed / (2.0 * np.pi * 5.0), rtol=0.05)


def moving(name: str, k: int, start: Array) -> dict[str, Any]:
    """A command that rises smoothly to 0.05 rad/s or m/s within half a second."""
    t = 1e-3 * k
    share = min(1.0, t / 0.5)
    speed = 0.05 * (1.0 - np.cos(np.pi * share)) / 2.0
    smooth = 0.5 * (t - 0.5 / np.pi * np.sin(np.pi * share)) if t < 0.5 else 0.25 + t - 0.5
    way = 0.05 * smooth
    if name == "JointPosition":
        return {"q_c": HOME + way * np.eye(7)[0]}
    if name == "JointVelocity":
        return {"dq_c": speed * np.eye(7)[0]}
    if name == "CartesianPosition":
        return {"O_T_EE_c": start + way * np.eye(16)[12]}
    return {"O_dP_EE_c": speed * np.eye(6)[0]}


def test_the_filter_of_the_controller_delays_torques() -> None:
    moved = []
    for hz in (1000.0, 5.0):
        with served(fci=5) as (robot, client):
            client.request("SetFilters", **cutoffs(controller=hz))
            client.move("JointVelocity", EXTERNAL)
            robot.step()
            drive(robot, client, lambda *_: {"tau_J_d": 0.5 * np.eye(7)[0]}, 50)
            moved.append(robot.dq[0])
    assert 0.2 * moved[0] < moved[1] < 0.7 * moved[0]


@pytest.mark.parametrize("controller", ["JointImpedance", "CartesianImpedance"])
def test_a_filtered_controller_still_holds_the_arm(controller: str) -> None:
    with served(fci=5) as (robot, client):
        client.request("SetFilters", **cutoffs(controller=100.0, joint_position=50.0))
        held(robot, client, controller, 10)
        robot.apply_wrench([0.0, 10.0, 0.0, 0.0, 0.0, 0.0])
        drive(robot, client, hold, 50)
        robot.apply_wrench(np.zeros(6))
        drive(robot, client, hold, 3000)
        np.testing.assert_allclose(robot.q, HOME, atol=1e-4)
