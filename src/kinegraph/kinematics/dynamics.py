r"""Rigid-body dynamics of any set of joints of a scene.

`plan_dynamics` lumps a scene into bodies once; the functions here evaluate a plan for one
configuration (n,) or for many (N, n). The kernels behind them, for loops of their own, are in
`kinegraph.kinematics.dynamics_kernels`.

The equation of motion is :math:`M(q) \ddot q + c(q, \dot q) + g(q) = \tau`, with q in rad or m
in the order of `plan.joint_names` and torques in Nm or N. Gravity is an acceleration in the frame
of the plan's base link.
"""

import math
from typing import Any, Literal

import numpy as np

from kinegraph.kinematics.dynamics_layout import dynamics_workspace
from kinegraph.kinematics.dynamics_plan import DynamicsPlan, plan_dynamics
from kinegraph.kinematics.payload import NO_LOAD, Load
from kinegraph.kinematics.values import finite_point
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.errors import LengthError, NotFiniteError, ShapeError, WrongTypeError

__all__ = [
    "DynamicsPlan",
    "Load",
    "coriolis_torque",
    "dynamics_workspace",
    "forward_dynamics",
    "gravity_torque",
    "inverse_dynamics",
    "jacobian_derivative",
    "manipulability",
    "mass_matrix",
    "plan_dynamics",
]

GRAVITY = (0.0, 0.0, -9.81)
"""Standard gravity in a base frame whose z axis points up, m/s^2."""

WEIGHTLESS = (0.0, 0.0, 0.0)

ROWS = {"all": slice(0, 6), "linear": slice(0, 3), "angular": slice(3, 6)}


def mass_matrix(plan: DynamicsPlan, q: VectorLike, load: Load | None = None) -> Array:
    """Joint-space inertia M(q).

    Args:
        plan: From `plan_dynamics`.
        q: (n,) joint values, or (N, n) rows of them.
        load: What the flange link carries besides.

    Returns:
        (n, n) or (N, n, n), symmetric; kg m^2 between turning joints.

    Raises:
        LengthError: Rows are not of length n. Also a `ValueError`.
        ShapeError: Another number of axes than one or two. Also a `TypeError` and a `ValueError`.
        NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
    """
    from kinegraph.kinematics.dynamics_batch_kernels import mass_matrices

    (values,), shape = _inputs("mass_matrix", plan, q=q)
    out = np.empty((*shape, plan.n))
    rows = values.shape[0] // max(plan.n, 1)
    mass_matrices(plan.data, values, rows, _row(load), plan.workspace(), out.reshape(-1))
    return out


def inverse_dynamics(
    plan: DynamicsPlan,
    q: VectorLike,
    dq: VectorLike,
    ddq: VectorLike,
    gravity: VectorLike = GRAVITY,
    load: Load | None = None,
) -> Array:
    """Torques of a motion, M(q) ddq + c(q, dq) + g(q).

    Args:
        plan: From `plan_dynamics`.
        q: (n,) or (N, n) joint values.
        dq: Velocities, shaped as `q`.
        ddq: Accelerations, shaped as `q`.
        gravity: (3,) acceleration of gravity in the base frame, m/s^2.
        load: What the flange link carries besides.

    Returns:
        Torques, shaped as `q`.

    Raises:
        LengthError, ShapeError, NotFiniteError: As `mass_matrix`, or shapes that differ.
    """
    (values, rates, changes), shape = _inputs("inverse_dynamics", plan, q=q, dq=dq, ddq=ddq)
    return _torques(plan, (values, rates, changes), shape, (1.0, 1.0), gravity, load)


def gravity_torque(
    plan: DynamicsPlan,
    q: VectorLike,
    gravity: VectorLike = GRAVITY,
    load: Load | None = None,
) -> Array:
    """Torques g(q) that hold the joints at rest. Arguments and errors as `inverse_dynamics`."""
    (values,), shape = _inputs("gravity_torque", plan, q=q)
    return _torques(plan, (values, values, values), shape, (0.0, 0.0), gravity, load)


def coriolis_torque(
    plan: DynamicsPlan, q: VectorLike, dq: VectorLike, load: Load | None = None
) -> Array:
    """Torques c(q, dq) of the velocities alone. Arguments and errors as `inverse_dynamics`."""
    (values, rates), shape = _inputs("coriolis_torque", plan, q=q, dq=dq)
    return _torques(plan, (values, rates, rates), shape, (1.0, 0.0), WEIGHTLESS, load)


def forward_dynamics(
    plan: DynamicsPlan,
    q: VectorLike,
    dq: VectorLike,
    tau: VectorLike,
    gravity: VectorLike = GRAVITY,
    load: Load | None = None,
    armature: VectorLike | None = None,
) -> Array:
    """Accelerations under torques, (M + diag(armature))^-1 (tau - c - g).

    Args:
        plan: From `plan_dynamics`.
        q: (n,) or (N, n) joint values.
        dq: Velocities, shaped as `q`.
        tau: Torques, shaped as `q`.
        gravity: (3,) acceleration of gravity in the base frame, m/s^2.
        load: What the flange link carries besides.
        armature: (n,) inertia of the drives as the joints feel it, kg m^2 or kg. None for none.

    Returns:
        Accelerations, shaped as `q`.

    Raises:
        LengthError, ShapeError: As `mass_matrix`, or shapes that differ.
        NotFiniteError: A number is NaN or infinite, or a joint moves no mass, so that its
            acceleration has no bound. Also a `ValueError`.
    """
    from kinegraph.kinematics.dynamics_batch_kernels import accelerations

    (values, rates, torques), shape = _inputs("forward_dynamics", plan, q=q, dq=dq, tau=tau)
    drives = np.zeros(plan.n)
    if armature is not None:
        (drives,), _ = _inputs("forward_dynamics", plan, armature=armature)
        if drives.shape != (plan.n,):
            raise ShapeError(f"forward_dynamics: armature needs {plan.n} numbers")
    g, out = _gravity(gravity), np.empty(shape)
    rows = values.shape[0] // max(plan.n, 1)
    work = plan.workspace()
    row = accelerations(
        plan.data, values, rates, torques, rows, g, drives, _row(load), work, out.reshape(-1)
    )
    if row != 0:
        raise NotFiniteError(
            f"forward_dynamics: the mass matrix of row {row - 1} is singular: "
            f"some of {', '.join(plan.joint_names)} move no mass"
        )
    return out


def jacobian_derivative(plan: DynamicsPlan, q: VectorLike, dq: VectorLike) -> Array:
    """Rate of change of the flange link's Jacobian, base axes at the link's origin.

    With J it gives the link's acceleration as J ddq + dJ dq.

    Args:
        plan: From `plan_dynamics`.
        q: (n,) or (N, n) joint values.
        dq: Velocities, shaped as `q`.

    Returns:
        (6, n) or (N, 6, n), linear rows first, per second.

    Raises:
        LengthError, ShapeError, NotFiniteError: As `mass_matrix`, or shapes that differ.
    """
    (values, rates), shape = _inputs("jacobian_derivative", plan, q=q, dq=dq)
    return _jacobians(plan, values, rates, shape)[1]


def manipulability(
    plan: DynamicsPlan, q: VectorLike, rows: Literal["all", "linear", "angular"] = "all"
) -> Any:
    r"""How far from singular the flange link's Jacobian is: :math:`\sqrt{\det J J^T}`.

    After Yoshikawa, Manipulability of Robotic Mechanisms (1985). With fewer joints than rows it is
    :math:`\sqrt{\det J^T J}`; both are the product of the singular values.

    Args:
        plan: From `plan_dynamics`.
        q: (n,) or (N, n) joint values.
        rows: Which rows of the Jacobian count. "all" mixes m and rad.

    Returns:
        A float or (N,).

    Raises:
        LengthError, ShapeError, NotFiniteError: As `mass_matrix`.
        WrongTypeError: `rows` is none of the three. Also a `TypeError`.
    """
    if not isinstance(rows, str) or rows not in ROWS:
        raise WrongTypeError(f"manipulability: rows must be one of {list(ROWS)}, not {rows!r}")
    (values,), shape = _inputs("manipulability", plan, q=q)
    jacobian = _jacobians(plan, values, np.zeros_like(values), shape)[0][..., ROWS[rows], :]
    product = np.linalg.svd(jacobian, compute_uv=False).prod(axis=-1)
    return float(product) if product.ndim == 0 else product


def _inputs(
    call: str, plan: DynamicsPlan, **given: VectorLike
) -> tuple[list[Array], tuple[int, ...]]:
    """Flat float64 copies of arrays of equal shape (n,) or (N, n), and that shape."""
    if not isinstance(plan, DynamicsPlan):
        raise WrongTypeError(f"{call}: a plan of plan_dynamics is needed, not {plan!r:.100}")
    flat: list[Array] = []
    shape: tuple[int, ...] | None = None
    for name, value in given.items():
        try:
            array = np.asarray(value)
        except ValueError as error:
            raise ShapeError(f"{call}: {name} is no array of numbers: {value!r:.100}") from error
        if array.dtype.kind not in "fiu":
            raise WrongTypeError(f"{call}: {name} must hold real numbers, not {value!r:.100}")
        if array.ndim not in (1, 2):
            raise ShapeError(f"{call}: {name} must be (n,) or (N, n), not {array.shape}")
        if array.shape[-1] != plan.n:
            raise LengthError(
                f"{call}: {name} has rows of length {array.shape[-1]}, the plan has {plan.n} joints"
            )
        if shape is not None and array.shape != shape:
            raise LengthError(f"{call}: {name} has shape {array.shape}, the first array {shape}")
        shape = array.shape
        values = np.array(array, dtype=np.float64, order="C")
        # The sum of squares tells it faster, unless it overflows.
        if not math.isfinite(np.vdot(values, values)) and not np.isfinite(values).all():
            index = tuple(np.argwhere(~np.isfinite(values))[0].tolist())
            joint = plan.joint_names[index[-1]]
            raise NotFiniteError(f"{call}: {name}{list(index)} of {joint!r} is {values[index]}")
        flat.append(values.reshape(-1))
    return flat, shape or ()


def _gravity(gravity: VectorLike) -> Array:
    # A copy, because kernels take memory that could be written to.
    checked = gravity is GRAVITY or gravity is WEIGHTLESS
    return np.array(gravity if checked else finite_point(gravity, "gravity"))


def _row(load: Load | None) -> Array:
    if load is None:
        return NO_LOAD
    if not isinstance(load, Load):
        raise WrongTypeError(f"load must be a Load or None, not {load!r:.100}")
    return load.row()


def _torques(
    plan: DynamicsPlan,
    inputs: tuple[Array, Array, Array],
    shape: tuple[int, ...],
    factors: tuple[float, float],
    gravity: VectorLike,
    load: Load | None,
) -> Array:
    from kinegraph.kinematics.dynamics_batch_kernels import torques

    g, out = _gravity(gravity), np.empty(shape)
    q, dq, ddq = inputs
    rows, (moving, accelerating) = q.shape[0] // max(plan.n, 1), factors
    work, tau = plan.workspace(), out.reshape(-1)
    torques(plan.data, q, dq, ddq, rows, moving, accelerating, g, _row(load), work, tau)
    return out


def _jacobians(
    plan: DynamicsPlan, q: Array, dq: Array, shape: tuple[int, ...]
) -> tuple[Array, Array]:
    from kinegraph.kinematics.dynamics_batch_kernels import jacobian_rates

    lead = shape[:-1]
    jacobian, derivative = np.empty((*lead, 6, plan.n)), np.empty((*lead, 6, plan.n))
    rows = q.shape[0] // max(plan.n, 1)
    work = plan.workspace()
    jacobian_rates(plan.data, q, dq, rows, work, jacobian.reshape(-1), derivative.reshape(-1))
    return jacobian, derivative
