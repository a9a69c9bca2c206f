"""What the controller knows about an arm: limits, braking, and what the robot enforces.

The numbers are those of section 1.3 of the controller's specification: FER for version 5 of the
interface, FR3 for version 10.
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.control.frozen_data import FrozenData
from kinegraph.robot.control.table_layout import MAX_JOINTS
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["FER", "FR3", "ArmTable", "PositionDependentLimits", "arm_table"]

# What the tables stay below the robot's limits, rad/s, rad/s^2 and rad/s^3: libfranka's tolerance.
RESERVE = 1e-3
# Most friction of a joint unless a table says it, as a share of the rated torque.
FRICTION_SHARE = 0.02


def frozen(values: VectorLike, name: str = "values") -> Array:
    """Return a read-only copy as float64.

    Raises:
        InvalidArgumentError: Not real numbers; under this name. Also a `ValueError`.
    """
    copy = as_numbers(name, values)
    copy.setflags(write=False)
    return copy


@dataclass(frozen=True, slots=True, eq=False)
class PositionDependentLimits(FrozenData):
    """Velocity limits that the robot lowers toward its position limits.

    v(d) = max(0, min(velocity, sqrt(2 deceleration d) - offset) - 1e-3), d the distance to the
    side's limit of this table.

    Attributes:
        velocity: (n,) limits far from the ends, rad/s.
        lower: (n,) rad.
        upper: (n,) rad.
        offset: (n,) rad/s.
        deceleration: (n,) rad/s^2.
    """

    velocity: Array
    lower: Array
    upper: Array
    offset: Array
    deceleration: Array

    def __post_init__(self) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, frozen(getattr(self, name), name))


@dataclass(frozen=True, slots=True, eq=False)
class ArmTable(FrozenData):
    """Limits of an arm of n joints.

    Attributes:
        name: Name for messages.
        lower: (n,) position limits, rad.
        upper: (n,) rad.
        flat_velocity: (n,) velocity limits away from the position limits, rad/s.
        max_joint_velocity: (n,) limits that joint budgets are fractions of, rad/s.
        max_joint_acceleration: (n,) rad/s^2.
        max_joint_jerk: (n,) rad/s^3.
        braking_slope: (n,) k of the braking profile, twice the deceleration, rad/s^2.
        braking_onset: (n,) c of the braking profile, rad/s.
        rated_torque: (n,) Nm, no clamp may be above it.
        torque_limits: (n,) default clamp, Nm.
        robot_limits: Limits that depend on the position, None if they do not.
        drive_inertia: (n,) inertia of the drives as the joints feel it, kg m^2, for the law's
            feed-forward; empty: zeros.
        friction_limits: (n,) most that a joint's friction is taken for, Nm; empty: 2 % of the
            rated torque.
    """

    name: str
    lower: Array
    upper: Array
    flat_velocity: Array
    max_joint_velocity: Array
    max_joint_acceleration: Array
    max_joint_jerk: Array
    braking_slope: Array
    braking_onset: Array
    rated_torque: Array
    torque_limits: Array
    robot_limits: PositionDependentLimits | None = None
    drive_inertia: VectorLike = ()
    friction_limits: VectorLike = ()

    def __post_init__(self) -> None:
        if not np.size(self.drive_inertia):
            object.__setattr__(self, "drive_inertia", np.zeros(np.size(self.lower)))
        if not np.size(self.friction_limits):
            object.__setattr__(self, "friction_limits", FRICTION_SHARE * self.rated_torque)
        for name in self.__slots__:
            value = getattr(self, name)
            if name not in ("name", "robot_limits"):
                object.__setattr__(self, name, frozen(value, name))
        if not 0 < self.n <= MAX_JOINTS:
            raise InvalidArgumentError(
                f"arm {self.name!r} has {self.n} joints, the controller takes 1 to {MAX_JOINTS}",
                field="arm",
            )

    @property
    def n(self) -> int:
        """Number of joints."""
        return int(self.lower.shape[0])


# Of both arms: rad/s, Nm, kg m^2, Nm, Nm.
BRAKING_ONSET = (0.30, 0.20, 0.20, 0.30, 0.35, 0.35, 0.35)
RATED_TORQUE = (87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0)
DRIVE_INERTIA = (0.6057, 0.6057, 0.4625, 0.4625, 0.2055, 0.2055, 0.2055)
FRICTION_LIMITS = (1.5, 1.5, 1.5, 1.5, 1.0, 0.7, 0.5)
TORQUE_LIMITS = (86.0, 86.0, 86.0, 86.0, 11.5, 11.5, 11.5)

# rad/s, as libfranka's rate limiter of version 5 has them, and rad/s^2.
FER_VELOCITY = (2.129003, 2.151503, 2.144003, 2.136503, 2.564003, 2.549003, 2.549003)
FER_ACCELERATION = np.array([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0])

FER = ArmTable(
    name="FER",
    lower=frozen([-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973]),
    upper=frozen([2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973]),
    flat_velocity=frozen(FER_VELOCITY),
    max_joint_velocity=frozen(FER_VELOCITY),
    max_joint_acceleration=frozen(FER_ACCELERATION - RESERVE),
    max_joint_jerk=frozen(500.0 * FER_ACCELERATION - RESERVE),
    braking_slope=frozen(FER_ACCELERATION),
    braking_onset=frozen(BRAKING_ONSET),
    rated_torque=frozen(RATED_TORQUE),
    torque_limits=frozen(TORQUE_LIMITS),
    drive_inertia=frozen(DRIVE_INERTIA),
    friction_limits=frozen(FRICTION_LIMITS),
)
"""The Franka Emika Robot (Panda), version 5."""

# rad/s and rad/s^2.
FR3_VELOCITY = np.array([2.62, 2.62, 2.62, 2.62, 5.26, 4.18, 5.26])
FR3_DECELERATION = np.array([6.0, 2.585, 3.5, 4.0, 17.0, 5.5, 17.0])

FR3 = ArmTable(
    name="FR3",
    lower=frozen([-2.7501, -1.7918, -2.9065, -3.0481, -2.8101, 0.54092, -3.0196]),
    upper=frozen([2.7501, 1.7918, 2.9065, -0.1458, 2.8101, 4.5205, 3.0196]),
    flat_velocity=frozen(FR3_VELOCITY - RESERVE),
    max_joint_velocity=frozen(FR3_VELOCITY),
    max_joint_acceleration=frozen(np.full(7, 10.0 - RESERVE)),
    max_joint_jerk=frozen(np.full(7, 5000.0 - RESERVE)),
    braking_slope=frozen(2.0 * FR3_DECELERATION),
    braking_onset=frozen(BRAKING_ONSET),
    rated_torque=frozen(RATED_TORQUE),
    torque_limits=frozen(TORQUE_LIMITS),
    robot_limits=PositionDependentLimits(
        velocity=frozen(FR3_VELOCITY),
        lower=frozen([-2.9007, -1.8361, -2.9007, -3.0770, -2.8763, 0.4398, -3.0508]),
        upper=frozen([2.9007, 1.8361, 2.9007, -0.1169, 2.8763, 4.6216, 3.0508]),
        offset=frozen([0.6599, 0.2517, 0.2000, 0.3533, 0.5757, 0.4878, 0.4628]),
        deceleration=frozen(FR3_DECELERATION),
    ),
    drive_inertia=frozen(DRIVE_INERTIA),
    friction_limits=frozen(FRICTION_LIMITS),
)
"""The Franka Research 3, version 10."""


def arm_table(version: int) -> ArmTable:
    """Return the table of the arm that speaks a version of the interface.

    Args:
        version: 5 (FER) or 10 (FR3).

    Raises:
        InvalidArgumentError: No arm is known to speak the version.
    """
    tables = {5: FER, 10: FR3}
    if not isinstance(version, Hashable) or version not in tables:
        raise InvalidArgumentError(
            f"no arm speaks version {version!r} of the interface; 5 is the FER, 10 the FR3",
            field="version",
        )
    return tables[version]
