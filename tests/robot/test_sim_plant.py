"""The simulated arm as a body: balance, energy, loads, pushes, friction, stops, estimates."""

from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address
from sim_client import EXTERNAL, SimClient, drive, field

from kinegraph.kinematics.dynamics import forward_dynamics, inverse_dynamics
from kinegraph.kinematics.dynamics_plan import plan_dynamics
from kinegraph.robot.sim import SimulatedRobot, SimulatedTool
from kinegraph.scene.array_types import Array
from kinegraph.scene.urdf import parseURDFString

pytestmark = pytest.mark.compiled

HOME = np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])


def by_hand(**options: Any) -> SimulatedRobot:
    return SimulatedRobot(fresh_address(), realtime=False, **options)


def floating(robot: SimulatedRobot, client: SimClient, tau: Array, cycles: int) -> Any:
    """A torque motion with a constant torque."""
    client.connect()
    client.move("None", EXTERNAL)
    robot.step()
    return drive(robot, client, lambda *_: {"tau_J_d": tau}, cycles)


def test_an_arm_without_a_motion_rests_bit_by_bit() -> None:
    robot = by_hand()
    robot.step(1000)
    np.testing.assert_array_equal(robot.q, HOME)


def test_an_arm_under_zero_torques_rests() -> None:
    with by_hand() as robot, SimClient(robot.address) as client:
        floating(robot, client, np.zeros(7), 500)
        np.testing.assert_allclose(robot.q, HOME, atol=1e-12)


@pytest.mark.parametrize("armature", [True, False])
def test_a_step_agrees_with_the_library_s_own_dynamics(armature: bool) -> None:
    options = {"armature": armature, "enforce": False}
    with by_hand(**options) as robot, SimClient(robot.address) as client:
        graph = parseURDFString(robot.urdf)
        names = [f"fr3_joint{i + 1}" for i in range(7)]
        plan = plan_dynamics(graph, names, "fr3_link8")
        tau = np.array([0.3, -0.2, 0.1, 0.4, 0.05, -0.04, 0.02])
        floating(robot, client, tau, 100)
        q, dq = robot.q, robot.dq
        drive(robot, client, lambda *_: {"tau_J_d": tau}, 1)
        inertia = (0.6057, 0.6057, 0.4625, 0.4625, 0.2055, 0.2055, 0.2055)
        ddq = forward_dynamics(
            plan, q, dq, tau, gravity=np.zeros(3), armature=np.array(inertia) * armature
        )
        np.testing.assert_allclose(robot.dq, dq + 1e-3 * ddq, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(robot.q, q + 1e-3 * robot.dq, rtol=1e-12, atol=1e-14)


def test_the_measured_torque_of_a_resting_arm_is_its_weight() -> None:
    robot = by_hand()
    robot.step(10)
    plan = plan_dynamics(parseURDFString(robot.urdf), None, "fr3_link8")
    weight = inverse_dynamics(plan, HOME, np.zeros(7), np.zeros(7))
    np.testing.assert_allclose(field(robot.state, "tau_J"), weight, atol=1e-9)


def test_a_load_that_the_robot_does_not_know_lets_a_free_arm_sink() -> None:
    load = SimulatedTool(0.5, np.array([0.0, 0.0, 0.1]))
    with by_hand(true_load=load) as robot, SimClient(robot.address) as client:
        height = robot.flange_pose()[2, 3]
        state = floating(robot, client, np.zeros(7), 200)
        assert robot.flange_pose()[2, 3] < height - 1e-3
        np.testing.assert_allclose(field(state, "O_F_ext_hat_K")[2], -0.5 * 9.81, rtol=0.2)


def test_a_load_that_the_robot_knows_does_not() -> None:
    load = SimulatedTool(0.5, np.array([0.0, 0.0, 0.1]))
    with by_hand(true_load=load) as robot, SimClient(robot.address) as client:
        client.connect()
        assert client.request("SetLoad", m_load=0.5, F_x_Cload=[0, 0, 0.1]) == "Success"
        robot.place(HOME)
        client.move("None", EXTERNAL)
        robot.step()
        state = drive(robot, client, lambda *_: {"tau_J_d": np.zeros(7)}, 300)
        np.testing.assert_allclose(robot.q, HOME, atol=1e-9)
        np.testing.assert_allclose(field(state, "O_F_ext_hat_K"), 0.0, atol=1e-3)


def test_a_push_is_estimated_about_the_base_and_in_the_stiffness_frame() -> None:
    wrench = np.array([4.0, -3.0, 5.0, 0.3, 0.2, -0.1])
    with by_hand() as robot, SimClient(robot.address) as client:
        client.connect()
        shift = np.eye(4)
        shift[:3, 3] = (0.0, 0.0, 0.05)
        client.request("SetEEToK", EE_T_K=shift.ravel(order="F"))
        robot.apply_wrench(wrench)
        robot.step(2000)
        state = robot.state
    pose = robot.end_effector_pose()
    at, turn = pose[:3, 3], pose[:3, :3]
    about_base = np.append(wrench[:3], wrench[3:] + np.cross(at, wrench[:3]))
    np.testing.assert_allclose(field(state, "O_F_ext_hat_K"), about_base, rtol=2e-3, atol=2e-3)
    about_k = wrench[3:] + np.cross(at - (pose @ shift)[:3, 3], wrench[:3])
    inside = np.append(turn.T @ wrench[:3], turn.T @ about_k)
    np.testing.assert_allclose(field(state, "K_F_ext_hat_K"), inside, rtol=2e-3, atol=2e-3)


def test_a_push_bends_the_held_arm_as_its_stiffness_says() -> None:
    robot = by_hand()
    robot.apply_torques(30.0 * np.eye(7)[0])
    robot.step(2000)
    np.testing.assert_allclose(robot.q[0], 30.0 / 3000.0, rtol=1e-6)
    robot.apply_torques(np.zeros(7))
    robot.step(2000)
    np.testing.assert_allclose(robot.q, HOME, atol=1e-9)


def test_touching_is_a_contact_and_hitting_a_reflex() -> None:
    with by_hand() as robot, SimClient(robot.address) as client:
        client.connect()
        limits = {
            f"{side}_{kind}_thresholds_{phase}": value
            for side, value in (("lower", 10.0), ("upper", 30.0))
            for kind in ("torque", "force")
            for phase in ("acceleration", "nominal")
        }
        assert client.request("SetCollisionBehavior", **limits) == "Success"
        move = client.move("JointPosition")
        robot.step()
        robot.apply_wrench([0.0, 0.0, 20.0, 0.0, 0.0, 0.0])
        state = drive(robot, client, lambda *_: {"q_c": HOME}, 100)
        assert field(state, "cartesian_contact").any()
        assert not field(state, "cartesian_collision").any()
        robot.apply_wrench([0.0, 0.0, 60.0, 0.0, 0.0, 0.0])
        state = drive(robot, client, lambda *_: {"q_c": HOME}, 20)
        assert client.ended(move) == "ReflexAborted"
        assert set(robot.reflex_reason) <= {"joint_reflex", "cartesian_reflex"}
        assert field(state, "cartesian_collision").any()


def test_friction_holds_below_its_level_and_slides_above() -> None:
    with by_hand(friction=True) as robot, SimClient(robot.address) as client:
        floating(robot, client, 0.2 * np.eye(7)[6], 500)  # below 0.28 Nm
        assert abs(robot.q[6] - HOME[6]) < 1e-4
        drive(robot, client, lambda *_: {"tau_J_d": 0.5 * np.eye(7)[6]}, 500)
        assert robot.q[6] - HOME[6] > 1e-2


def test_without_push_and_friction_a_swinging_arm_keeps_its_energy() -> None:
    with by_hand(enforce=False) as robot, SimClient(robot.address) as client:
        floating(robot, client, np.array([1.0, 0, 0.5, 0, 0, 0, 0]), 200)
        plan = plan_dynamics(parseURDFString(robot.urdf), None, "fr3_link8")
        inertia = np.diag((0.6057, 0.6057, 0.4625, 0.4625, 0.2055, 0.2055, 0.2055))

        def energy() -> float:
            from kinegraph.kinematics.dynamics import mass_matrix

            return float(0.5 * robot.dq @ (mass_matrix(plan, robot.q) + inertia) @ robot.dq)

        drive(robot, client, lambda *_: {"tau_J_d": np.zeros(7)}, 2)
        before = energy()
        drive(robot, client, lambda *_: {"tau_J_d": np.zeros(7)}, 500)
        assert before > 0.01
        np.testing.assert_allclose(energy(), before, rtol=5e-3)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_joint_that_is_driven_on_and_on_ends_at_its_stop(side: float) -> None:
    with by_hand(enforce=False) as robot, SimClient(robot.address) as client:
        floating(robot, client, side * 5.0 * np.eye(7)[6], 4000)
        assert 0.0 < side * robot.q[6] - 3.0196 < 0.05
        assert np.abs(robot.dq).max() < 0.05


def test_a_guided_arm_follows_the_hand_and_stays_there() -> None:
    robot = by_hand()
    robot.guide(True)
    robot.apply_torques(0.5 * np.eye(7)[0])
    robot.step(300)
    robot.apply_torques(np.zeros(7))
    robot.guide(False)
    robot.step(300)
    there = robot.q
    robot.step(1000)
    assert there[0] > 1e-3
    np.testing.assert_allclose(robot.q, there, atol=1e-6)
