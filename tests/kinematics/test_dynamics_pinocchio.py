"""The dynamics against pinocchio at 200 random states of each robot."""

from functools import cache

import numpy as np
import pytest
from dynamics_robots import TIPS, random_chain, robot_urdf
from oracles import third_party

from kinegraph.kinematics import dynamics
from kinegraph.kinematics.dynamics import DynamicsPlan, Load, plan_dynamics
from kinegraph.scene import parseURDFString
from kinegraph.scene.array_types import Array

third_party("pinocchio")
from dynamics_pinocchio import PinocchioArm  # noqa: E402

COUNT = 200
GRAVITY = np.array([0.3, -0.4, -9.7])
A = np.array([[0.06, 0.01, 0.0], [0.0, 0.05, -0.02], [0.03, 0.0, 0.04]])
LOADS = {"free": None, "loaded": Load(1.35, np.array([0.03, -0.02, 0.14]), A @ A.T)}


@cache
def arms(name: str, load: str) -> tuple[DynamicsPlan, PinocchioArm]:
    urdf = robot_urdf(name)
    plan = plan_dynamics(parseURDFString(urdf), None, TIPS[name])
    return plan, PinocchioArm(urdf, list(plan.joint_names), TIPS[name], LOADS[load])


def states(n: int) -> Array:
    """q, dq and ddq, (3, COUNT, n); angles beyond the limits too."""
    return np.random.default_rng(n).uniform(-3.5, 3.5, (3, COUNT, n))


def close(values: Array, expected: list[Array]) -> None:
    """Each row to 1e-9 of its largest number."""
    reference = np.array(expected)
    axes = tuple(range(1, reference.ndim))
    error = np.abs(values - reference).max(axis=axes)
    assert (error <= 1e-9 * np.abs(reference).max(axis=axes)).all()


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("name", TIPS)
def test_mass_matrix_is_crba(name: str, load: str) -> None:
    plan, arm = arms(name, load)
    q, _, _ = states(plan.n)
    close(dynamics.mass_matrix(plan, q, LOADS[load]), [arm.mass_matrix(x) for x in q])


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("name", TIPS)
def test_inverse_dynamics_is_rnea(name: str, load: str) -> None:
    plan, arm = arms(name, load)
    q, dq, ddq = states(plan.n)
    tau = dynamics.inverse_dynamics(plan, q, dq, ddq, GRAVITY, LOADS[load])
    close(tau, [arm.inverse_dynamics(*x, GRAVITY) for x in zip(q, dq, ddq, strict=True)])


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("name", TIPS)
def test_coriolis_torque_is_the_coriolis_matrix_times_velocity(name: str, load: str) -> None:
    plan, arm = arms(name, load)
    q, dq, _ = states(plan.n)
    tau = dynamics.coriolis_torque(plan, q, dq, LOADS[load])
    close(tau, [arm.coriolis_torque(*x) for x in zip(q, dq, strict=True)])


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("name", TIPS)
def test_gravity_torque_is_generalized_gravity(name: str, load: str) -> None:
    plan, arm = arms(name, load)
    q, _, _ = states(plan.n)
    tau = dynamics.gravity_torque(plan, q, GRAVITY, LOADS[load])
    close(tau, [arm.gravity_torque(x, GRAVITY) for x in q])


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("name", TIPS)
def test_forward_dynamics_is_aba(name: str, load: str) -> None:
    plan, arm = arms(name, load)
    q, dq, tau = states(plan.n)
    ddq = dynamics.forward_dynamics(plan, q, dq, 10.0 * tau, GRAVITY, LOADS[load])
    rows = zip(q, dq, 10.0 * tau, strict=True)
    close(ddq, [arm.forward_dynamics(*x, GRAVITY) for x in rows])


@pytest.mark.parametrize("name", TIPS)
def test_jacobian_derivative_is_the_time_variation_of_the_frame_jacobian(name: str) -> None:
    plan, arm = arms(name, "free")
    q, dq, _ = states(plan.n)
    rows = zip(q, dq, strict=True)
    expected = [arm.jacobian_and_rate(*x)[1] for x in rows]
    close(dynamics.jacobian_derivative(plan, q, dq), expected)


@pytest.mark.parametrize("kinds", ["R", "P", "CC", "PPP", "RRRRRRR", "RCPRPRRCPRRRPR"])
def test_chains_of_any_length_and_kind_agree(kinds: str) -> None:
    urdf = random_chain(len(kinds), kinds)
    plan = plan_dynamics(parseURDFString(urdf), None, "tip")
    arm = PinocchioArm(urdf, list(plan.joint_names), "tip", LOADS["loaded"])
    q, dq, ddq = states(plan.n)
    tau = dynamics.inverse_dynamics(plan, q, dq, ddq, GRAVITY, LOADS["loaded"])
    close(tau, [arm.inverse_dynamics(*x, GRAVITY) for x in zip(q, dq, ddq, strict=True)])
    close(dynamics.mass_matrix(plan, q, LOADS["loaded"]), [arm.mass_matrix(x) for x in q])


def test_joints_that_are_not_named_belong_to_the_body_that_carries_them() -> None:
    urdf = random_chain(7, "RPRRPR")
    plan = plan_dynamics(parseURDFString(urdf), ["j5", "j2", "j3"], "tip")
    arm = PinocchioArm(urdf, ["j5", "j2", "j3"], "tip", LOADS["loaded"])
    q, dq, ddq = states(3)
    tau = dynamics.inverse_dynamics(plan, q, dq, ddq, GRAVITY, LOADS["loaded"])
    close(tau, [arm.inverse_dynamics(*x, GRAVITY) for x in zip(q, dq, ddq, strict=True)])
