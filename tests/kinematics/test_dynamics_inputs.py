"""What the dynamics functions refuse, and properties that hold whatever the robot."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from dynamics_robots import TIPS, robot_urdf
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.kinematics import dynamics, plan_chain
from kinegraph.kinematics.dynamics import DynamicsPlan, Load, plan_dynamics
from kinegraph.scene import parseURDFString
from kinegraph.scene.errors import (
    InvalidInertialError,
    LengthError,
    NotFiniteError,
    ShapeError,
    WrongTypeError,
)

Q = np.zeros(7)
FUNCTIONS = {
    "mass_matrix": 1,
    "gravity_torque": 1,
    "manipulability": 1,
    "coriolis_torque": 2,
    "jacobian_derivative": 2,
    "inverse_dynamics": 3,
    "forward_dynamics": 3,
}
BAD = [
    (np.zeros(6), LengthError, "length 6, the plan has 7"),
    (np.zeros((2, 2, 7)), ShapeError, r"\(2, 2, 7\)"),
    (0.0, ShapeError, "must be"),
    (np.array([0, 0, np.nan, 0, 0, 0, 0]), NotFiniteError, r"\[2\] of 'fr3_joint3' is nan"),
    (np.array([0, 0, 0, 0, 0, 0, -np.inf]), NotFiniteError, "'fr3_joint7' is -inf"),
    (["0"] * 7, WrongTypeError, "real numbers"),
    ([True] * 7, WrongTypeError, "real numbers"),
    (np.zeros(7, complex), WrongTypeError, "real numbers"),
    ([[0.0] * 7, [0.0]], ShapeError, "no array"),
]


@cache
def plan(name: str = "fr3") -> DynamicsPlan:
    return plan_dynamics(parseURDFString(robot_urdf(name)), None, TIPS[name])


@pytest.mark.parametrize(("bad", "error", "text"), BAD)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_vectors_that_do_not_fit_are_refused_in_every_place(
    name: str, bad: Any, error: type[Exception], text: str
) -> None:
    for place in range(FUNCTIONS[name]):
        arguments = [Q] * FUNCTIONS[name]
        arguments[place] = bad
        with pytest.raises(error, match=text):
            getattr(dynamics, name)(plan(), *arguments)


def test_shapes_that_differ_are_refused() -> None:
    with pytest.raises(LengthError, match=r"dq has shape \(7,\)"):
        dynamics.coriolis_torque(plan(), np.zeros((2, 7)), Q)


@pytest.mark.parametrize("gravity", [[0.0, 0.0], [0.0, 0.0, np.nan], "down", None])
def test_gravity_must_be_three_finite_numbers(gravity: Any) -> None:
    with pytest.raises((ShapeError, NotFiniteError, WrongTypeError), match="gravity"):
        dynamics.gravity_torque(plan(), Q, gravity)


def test_a_load_must_be_a_load() -> None:
    with pytest.raises(WrongTypeError, match="load"):
        dynamics.mass_matrix(plan(), Q, 1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((-0.1,), InvalidInertialError),
        ((np.nan,), NotFiniteError),
        (("1",), WrongTypeError),
        ((1.0, [0.0, 0.0]), ShapeError),
        ((1.0, [0.0, 0.0, np.inf]), NotFiniteError),
        ((1.0, [0, 0, 0], np.zeros(9)), ShapeError),
        ((1.0, [0, 0, 0], np.full((3, 3), np.nan)), NotFiniteError),
        ((1.0, [0, 0, 0], [[1, 0.2, 0], [0, 1, 0], [0, 0, 1]]), InvalidInertialError),
    ],
)
def test_loads_that_no_body_has_are_refused(arguments: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Load(*arguments)


def test_a_load_keeps_its_own_copies() -> None:
    center = np.zeros(3)
    load = Load(1.0, center)
    center[0] = 5.0
    assert load.center[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        load.center[0] = 1.0


def test_a_load_without_mass_does_not_count() -> None:
    load = Load(0.0, np.ones(3), np.eye(3))
    np.testing.assert_array_equal(
        dynamics.mass_matrix(plan(), Q, load), dynamics.mass_matrix(plan(), Q)
    )


def test_a_robot_without_masses_has_no_finite_acceleration() -> None:
    text = robot_urdf("random_chain")
    start, end = text.index('<link name="l8">'), text.index('<joint name="j8"')
    bare = text[:start] + '<link name="l8"/><link name="side8"/>' + text[end:]
    p = plan_dynamics(parseURDFString(bare), None, "tip")
    rows = np.zeros((2, 8))
    with pytest.raises(NotFiniteError, match="row 0 is singular"):
        dynamics.forward_dynamics(p, rows, rows, rows)


def test_armature_adds_to_the_diagonal() -> None:
    armature = np.linspace(0.1, 0.7, 7)
    tau = np.arange(7.0)
    ddq = dynamics.forward_dynamics(plan(), Q + 0.3, Q, tau, [0, 0, 0], None, armature)
    M = dynamics.mass_matrix(plan(), Q + 0.3) + np.diag(armature)
    np.testing.assert_allclose(M @ ddq, tau, atol=1e-12)


def test_rows_of_manipulability_must_have_a_known_name() -> None:
    with pytest.raises(WrongTypeError, match="linear"):
        dynamics.manipulability(plan(), Q, "lin")  # type: ignore[arg-type]


def test_manipulability_is_zero_where_the_arm_is_stretched_out() -> None:
    assert dynamics.manipulability(plan(), Q) == pytest.approx(0.0, abs=1e-9)


vectors = st.lists(st.floats(-3.2, 3.2), min_size=8, max_size=8).map(np.array)
robots = st.sampled_from(sorted(TIPS))
LOAD = Load(2.0, np.array([0.1, 0.0, 0.2]), np.diag([0.01, 0.02, 0.02]))


@given(name=robots, q=vectors)
@settings(deadline=None)
def test_mass_matrix_is_symmetric_and_positive_definite(name: str, q: np.ndarray) -> None:
    p = plan(name)
    M = dynamics.mass_matrix(p, q[: p.n], LOAD)
    np.testing.assert_array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0.0


@given(name=robots, q=vectors, dq=vectors)
@settings(deadline=None)
def test_velocities_change_the_kinetic_energy_by_what_the_coriolis_torques_take(
    name: str, q: np.ndarray, dq: np.ndarray
) -> None:
    """dq' (dM/dt dq / 2 - c) = 0: the passivity that energy conservation asks for."""
    p = plan(name)
    q, dq = q[: p.n], dq[: p.n]
    h = 1e-4
    ahead, behind = (dynamics.mass_matrix(p, q + s * dq, LOAD) for s in (h, -h))
    power = 0.5 * dq @ ((ahead - behind) / (2.0 * h)) @ dq
    # The error of the central difference grows with h**2 and the third power of the speed.
    scale = 1.0 + np.linalg.norm(dq) ** 5 * np.abs(ahead).max()
    assert dq @ dynamics.coriolis_torque(p, q, dq, LOAD) == pytest.approx(
        power, abs=10.0 * h**2 * scale
    )


@given(name=robots, q=vectors, dq=vectors, tau=vectors)
@settings(deadline=None)
def test_forward_dynamics_undoes_inverse_dynamics(
    name: str, q: np.ndarray, dq: np.ndarray, tau: np.ndarray
) -> None:
    p = plan(name)
    q, dq, tau = q[: p.n], dq[: p.n], tau[: p.n]
    ddq = dynamics.forward_dynamics(p, q, dq, tau, load=LOAD)
    again = dynamics.inverse_dynamics(p, q, dq, ddq, load=LOAD)
    np.testing.assert_allclose(again, tau, atol=1e-9 * (1.0 + np.abs(ddq).max()))


@given(name=robots, q=vectors, dq=vectors, ddq=vectors)
@settings(deadline=None)
def test_inverse_dynamics_is_the_sum_of_its_parts(
    name: str, q: np.ndarray, dq: np.ndarray, ddq: np.ndarray
) -> None:
    p = plan(name)
    q, dq, ddq = q[: p.n], dq[: p.n], ddq[: p.n]
    parts = dynamics.mass_matrix(p, q, LOAD) @ ddq
    parts += dynamics.coriolis_torque(p, q, dq, LOAD) + dynamics.gravity_torque(p, q, load=LOAD)
    whole = dynamics.inverse_dynamics(p, q, dq, ddq, load=LOAD)
    np.testing.assert_allclose(whole, parts, atol=1e-11 * (1.0 + np.abs(parts).max()))


@given(name=robots, q=vectors)
@settings(deadline=None)
def test_gravity_does_no_work_on_a_closed_path(name: str, q: np.ndarray) -> None:
    """The torques are the gradient of an energy, so their own derivative is symmetric."""
    p = plan(name)
    q = q[: p.n]
    h = 1e-5
    unit = np.eye(p.n) * h
    slope = [
        (dynamics.gravity_torque(p, q + e) - dynamics.gravity_torque(p, q - e)) / (2.0 * h)
        for e in unit
    ]
    np.testing.assert_allclose(slope, np.transpose(slope), atol=1e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("kind", ["none", "graph", "chain"])
def test_what_is_no_plan_of_dynamics_is_refused_by_name(name: str, kind: str) -> None:
    graph = parseURDFString(robot_urdf("fr3"))
    plan = {"none": None, "graph": graph, "chain": plan_chain(graph, TIPS["fr3"])}[kind]
    with pytest.raises(WrongTypeError, match=f"{name}: a plan of plan_dynamics"):
        getattr(dynamics, name)(plan, *[Q] * FUNCTIONS[name])


@pytest.mark.parametrize("rows", ["some", ["all"], {"all"}, None, np.zeros(2)])
def test_rows_of_another_kind_are_refused(rows: Any) -> None:
    graph = parseURDFString(robot_urdf("fr3"))
    with pytest.raises(WrongTypeError, match="rows must be one of"):
        dynamics.manipulability(plan_dynamics(graph, None, TIPS["fr3"]), Q, rows)
