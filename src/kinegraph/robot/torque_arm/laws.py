"""Torque laws for an arm of any size: the presets' springs, scaled by the rated torques."""

from dataclasses import replace

import numpy as np

from kinegraph.robot.control.arms import ArmTable
from kinegraph.robot.control.gains import CARTESIAN_GAINS, Gains
from kinegraph.robot.control.options import ImpedanceOptions
from kinegraph.robot.control.presets import JOINT

__all__ = ["cartesian_law", "joint_law"]

# Of the Cartesian law's joint springs: 0.45 1/rad of the rated torque, within what CARTESIAN has.
POSTURE_STIFFNESS, SOFTEST, STIFFEST = 0.45, 10.0, 50.0
# Its joint dampers are so many seconds of the springs.
POSTURE_DAMPING_TIME = 0.12
# Of the joint law: 7 1/rad of the rated torque, dampers 2 sqrt(K) as JOINT has, about.
JOINT_STIFFNESS, JOINT_DAMPING = 7.0, 2.0


def cartesian_law(arm: ArmTable, base: ImpedanceOptions | None = None) -> ImpedanceOptions:
    """Return a law of the Cartesian controller for an arm.

    Springs and dampers at the tip are those of `CARTESIAN`. For a rated torque E of a joint its
    spring is Kq = 0.45 E per rad, at least 10 and at most 50 Nm/rad, and its damper 0.12 s Kq;
    a Franka arm's are 40 and 4.7 at the shoulder, 10 and 1.2 at the wrist.

    Args:
        arm: The arm's table.
        base: All else of the law. Left out: the defaults.
    """
    stiffness = np.clip(POSTURE_STIFFNESS * arm.rated_torque, SOFTEST, STIFFEST)
    gains = Gains(
        CARTESIAN_GAINS.cartesian_stiffness,
        CARTESIAN_GAINS.cartesian_damping,
        stiffness,
        POSTURE_DAMPING_TIME * stiffness,
    )
    return replace(ImpedanceOptions() if base is None else base, gains=gains)


def joint_law(arm: ArmTable, base: ImpedanceOptions = JOINT) -> ImpedanceOptions:
    """Return a law of the joint controller for an arm.

    For a rated torque E of a joint its spring is Kq = 7 E per rad, and its damper 2 sqrt(Kq); a
    Franka arm's are 609 and 49 at the shoulder, 84 and 18 at the wrist.

    Args:
        arm: The arm's table.
        base: All else of the law.
    """
    stiffness = JOINT_STIFFNESS * arm.rated_torque
    gains = Gains((0.0,) * 6, (0.0,) * 6, stiffness, JOINT_DAMPING * np.sqrt(stiffness))
    return replace(base, gains=gains)
