"""Torque laws for an arm of any size: springs by the rated torques, dampers by the inertias."""

from dataclasses import replace

import numpy as np

from kinegraph.robot.control.arms import ArmTable
from kinegraph.robot.control.checks import check_kind, check_positive_vector
from kinegraph.robot.control.gains import CARTESIAN_GAINS, Gains
from kinegraph.robot.control.options import ImpedanceOptions
from kinegraph.robot.control.presets import JOINT
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["cartesian_law", "joint_law"]

# Of the Cartesian law's joint springs: 0.45 1/rad of the rated torque, within what CARTESIAN has.
POSTURE_STIFFNESS, SOFTEST, STIFFEST = 0.45, 10.0, 50.0
POSTURE_DAMPING_RATIO = 0.3
POSE_NUMBERS = 6
JOINT_STIFFNESS, JOINT_DAMPING_RATIO = 7.0, 0.7
# JOINT's dampers are about 2 sqrt(K).
LEAST_JOINT_DAMPING = 2.0


def cartesian_law(
    arm: ArmTable, base: ImpedanceOptions | None = None, *, inertia: VectorLike | None = None
) -> ImpedanceOptions:
    """Return a law of the Cartesian controller for an arm.

    Springs and dampers at the tip are those of `CARTESIAN`. A joint with rated torque E and
    inertia m has the spring K = 0.45 E per rad, at least 10 and at most 50 Nm/rad, and the damper
    0.6 sqrt(K m), three tenths of critical. A Franka arm's are 39 and 4.7 at the shoulder, 10 and
    0.9 at the wrist; `CARTESIAN` has 40 and 4, 10 and 1.

    An arm of fewer than six joints cannot follow the straight way to a pose that it reaches, and
    has to stay behind it meanwhile: for it `max_lead` is infinite.

    Args:
        arm: The arm's table.
        base: All else of the law. Left out: the defaults.
        inertia: (n,) what a joint moves, kg m^2, `ArmDescription.joint_inertia`. Left out: ones.

    Raises:
        InvalidArgumentError: No table, no law, or `inertia` is not n numbers above zero. Also a
            `ValueError`.
    """
    check_kind("arm", arm, ArmTable)
    chosen = ImpedanceOptions() if base is None else base
    check_kind("base", chosen, ImpedanceOptions)
    stiffness = np.clip(POSTURE_STIFFNESS * arm.rated_torque, SOFTEST, STIFFEST)
    damping = 2.0 * POSTURE_DAMPING_RATIO * np.sqrt(stiffness * _moved(arm, inertia))
    at_tip = (CARTESIAN_GAINS.cartesian_stiffness, CARTESIAN_GAINS.cartesian_damping)
    gains = Gains(*at_tip, stiffness, damping)
    law = replace(chosen, gains=gains)
    return law if arm.n >= POSE_NUMBERS else replace(law, max_lead=np.inf)


def joint_law(
    arm: ArmTable, base: ImpedanceOptions = JOINT, *, inertia: VectorLike | None = None
) -> ImpedanceOptions:
    """Return a law of the joint controller for an arm.

    A joint with rated torque E and inertia m has the spring K = 7 E per rad and the damper
    1.4 sqrt(K m), at least 2 sqrt(K) in SI units. A Franka arm's are 609 and 49 at the shoulder,
    84 and 18 at the wrist; `JOINT` has 600 and 50, 50 and 15.

    Args:
        arm: The arm's table.
        base: All else of the law.
        inertia: As for `cartesian_law`.

    Raises:
        InvalidArgumentError: No table, no law, or `inertia` is not n numbers above zero. Also a
            `ValueError`.
    """
    check_kind("arm", arm, ArmTable)
    check_kind("base", base, ImpedanceOptions)
    stiffness = JOINT_STIFFNESS * arm.rated_torque
    damping = np.maximum(
        2.0 * JOINT_DAMPING_RATIO * np.sqrt(stiffness * _moved(arm, inertia)),
        LEAST_JOINT_DAMPING * np.sqrt(stiffness),
    )
    return replace(base, gains=Gains((0.0,) * 6, (0.0,) * 6, stiffness, damping))


def _moved(arm: ArmTable, inertia: VectorLike | None) -> Array:
    if inertia is None:
        return np.ones(arm.n)
    return check_positive_vector("inertia", inertia, arm.n)
