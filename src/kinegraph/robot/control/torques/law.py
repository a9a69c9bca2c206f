"""The impedance law as a function of arrays."""

import numpy as np

from kinegraph.robot.control.arms import ArmTable
from kinegraph.robot.control.checks import check_finite_vector, check_kind, check_shape
from kinegraph.robot.control.law_layout import M_feedback
from kinegraph.robot.control.options import CartesianOptions, ImpedanceOptions
from kinegraph.robot.control.options_layout import CUTOFF_OFF
from kinegraph.robot.control.torques.law_kernels import complete_law, impedance_law
from kinegraph.robot.control.workspace import Workspace
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["impedance_torques"]


def impedance_torques(
    arm: ArmTable,
    q: VectorLike,
    dq: VectorLike,
    q_goal: VectorLike,
    jacobian: Array,
    *,
    dq_goal: VectorLike | None = None,
    coriolis: VectorLike | None = None,
    options: ImpedanceOptions | None = None,
) -> Array:
    """Return the law's torques, clamped, without gravity (the robot adds it).

    tau = J^T (Kx J e + Kxd J ev) + coriolis + Kq e + Kqd ev, with e = q_goal - q and
    ev = g dq_goal - dq, g the gain of the velocity feed-forward (0 if it is off).

    Args:
        arm: The arm's table, for its torque limits.
        q: (n,) measured, rad.
        dq: (n,) measured, rad/s.
        q_goal: (n,) goal, rad.
        jacobian: (6, n) at q, linear rows first, base axes.
        dq_goal: (n,) the goal's velocity, rad/s; None for zero.
        coriolis: (n,) torques of the model, Nm; None for zero.
        options: Gains, clamp, feed-forward, and projection count.

    Returns:
        (n,) Nm.

    Raises:
        InvalidArgumentError: An option is refused, a number is not finite, or a shape is wrong.
    """
    impedance = ImpedanceOptions() if options is None else options
    check_kind("options", impedance, ImpedanceOptions)
    packed = CartesianOptions(backend=impedance).packed(arm)
    work, zero = Workspace(), np.zeros(arm.n)
    for field, name, value in (
        ("q", "q", q),
        ("dq", "dq", dq),
        ("law_reference", "q_goal", q_goal),
        ("law_rate", "dq_goal", zero if dq_goal is None else dq_goal),
        ("coriolis", "coriolis", zero if coriolis is None else coriolis),
    ):
        work.write(field, check_finite_vector(name, value, arm.n))
    matrix = check_shape("jacobian", jacobian, (6, arm.n))
    work.write("jacobian", check_finite_vector("jacobian", matrix.ravel(), None))
    impedance_law(packed, work.memory, CUTOFF_OFF)
    complete_law(packed, work.memory, M_feedback)
    return work.read("law", arm.n)
