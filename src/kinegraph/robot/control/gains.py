"""Springs and dampers of the impedance law, and those of known controllers."""

from dataclasses import dataclass

import numpy as np

from kinegraph.robot.control.arms import frozen
from kinegraph.robot.control.checks import (
    check_finite_vector,
    check_non_negative,
    check_positive,
)
from kinegraph.robot.control.frozen_data import FrozenData
from kinegraph.scene.array_types import VectorLike

__all__ = ["CARTESIAN_GAINS", "DROID_GAINS", "JOINT_GAINS", "Gains", "scaled_cartesian"]


@dataclass(frozen=True, slots=True, eq=False)
class Gains(FrozenData):
    """Springs and dampers of the law.

    Attributes:
        cartesian_stiffness: (6,) N/m and Nm/rad, base axes.
        cartesian_damping: (6,) N s/m and Nm s/rad.
        joint_stiffness: (n,) Nm/rad.
        joint_damping: (n,) Nm s/rad.
    """

    cartesian_stiffness: VectorLike
    cartesian_damping: VectorLike
    joint_stiffness: VectorLike
    joint_damping: VectorLike

    def __post_init__(self) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, frozen(getattr(self, name), name))

    def validate(self, n: int | None = None) -> None:
        """Raise InvalidArgumentError unless every gain is finite and not below zero.

        Args:
            n: Number of joints, None if it is not known yet.
        """
        for name in self.__slots__:
            count = 6 if name.startswith("cartesian") else n
            values = check_finite_vector(f"gains.{name}", getattr(self, name), count)
            for value in values:
                check_non_negative(f"gains.{name}", float(value))


CARTESIAN_GAINS = Gains(
    cartesian_stiffness=(750.0, 750.0, 750.0, 15.0, 15.0, 15.0),
    cartesian_damping=(50.0, 50.0, 90.0, 2.0, 2.0, 2.0),
    joint_stiffness=(40.0, 30.0, 50.0, 25.0, 35.0, 25.0, 10.0),
    joint_damping=(4.0, 6.0, 5.0, 5.0, 3.0, 2.0, 1.0),
)
"""Default gains of the Cartesian controller."""

DROID_GAINS = Gains(
    cartesian_stiffness=CARTESIAN_GAINS.cartesian_stiffness,
    cartesian_damping=(37.0, 37.0, 37.0, 2.0, 2.0, 2.0),
    joint_stiffness=CARTESIAN_GAINS.joint_stiffness,
    joint_damping=CARTESIAN_GAINS.joint_damping,
)
"""Gains of polymetis' HybridJointImpedanceControl as the DROID platform uses it."""

JOINT_GAINS = Gains(
    cartesian_stiffness=(0.0,) * 6,
    cartesian_damping=(0.0,) * 6,
    joint_stiffness=(600.0, 600.0, 600.0, 600.0, 250.0, 150.0, 50.0),
    joint_damping=(50.0, 50.0, 50.0, 50.0, 30.0, 25.0, 15.0),
)
"""Default gains of the joint controller."""


def scaled_cartesian(stiffness: float) -> Gains:
    """Return `CARTESIAN.gains` with another translational stiffness and the same damping ratios.

    Args:
        stiffness: N/m. Rotational stiffness follows by the same ratio, joint gains stay.

    Raises:
        InvalidArgumentError: The stiffness is not finite or not above zero.
    """
    check_positive("stiffness", stiffness)
    ratio = stiffness / 750.0
    return Gains(
        cartesian_stiffness=ratio * np.asarray(CARTESIAN_GAINS.cartesian_stiffness),
        cartesian_damping=np.sqrt(ratio) * np.asarray(CARTESIAN_GAINS.cartesian_damping),
        joint_stiffness=CARTESIAN_GAINS.joint_stiffness,
        joint_damping=CARTESIAN_GAINS.joint_damping,
    )
