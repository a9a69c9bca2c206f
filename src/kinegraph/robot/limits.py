"""How fast a robot may be commanded: the constants of the rate limiters, for both versions.

Sources: fci-protocol 12.1 and 12.3 (libfranka 0.21 for version 10, 0.9.2 for version 5).
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array

if TYPE_CHECKING:
    from kinegraph.scene.graph import SceneGraph

__all__ = [
    "DEFAULT_CUTOFF_FREQUENCY",
    "MAX_CUTOFF_FREQUENCY",
    "JointVelocityTable",
    "RateLimits",
    "rate_limits",
]

DEFAULT_CUTOFF_FREQUENCY = 100.0
"""Cutoff of the low-pass filter unless another is asked for, Hz."""

MAX_CUTOFF_FREQUENCY = 1000.0
"""A cutoff from which on nothing is filtered, Hz."""

_MARGIN = 1e-3  # what the robot's library keeps away from each nominal limit
_DT = 1e-3
_FER_LOST_PACKETS = 3  # losses that the velocity limits of version 5 leave room for


def seven(values: ArrayLike, name: str) -> Array:
    """Return a read-only copy of seven finite numbers.

    Raises:
        InvalidArgumentError: Not seven numbers, or one that is not finite. Also a `ValueError`.
    """
    return numbers(values, 7, name)


def numbers(values: ArrayLike, count: int, name: str) -> Array:
    """Return a read-only copy of `count` finite numbers.

    Raises:
        InvalidArgumentError: Another count, or a number that is not finite. Also a `ValueError`.
    """
    array = as_numbers(name, values)
    if array.shape != (count,):
        raise InvalidArgumentError(f"{name} has shape {array.shape}, {count} numbers are needed")
    if not np.isfinite(array).all():
        raise InvalidArgumentError(f"{name} is infinite or NaN: {array.tolist()}")
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False)
class JointVelocityTable:
    r"""What the velocity limits of the FR3's joints depend on.

    :math:`\bar v(q) = \min(v_{max}, \max(0, -o + \sqrt{2 d (q_{up} - q)})) - 10^{-3}` and its
    mirror image towards the lower end; beyond an end the limit is -1e-3, so that the joint turns
    back.

    Attributes:
        max_velocity: (7,) rad/s.
        velocity_offset: (7,) o, rad/s.
        deceleration_limit: (7,) d, rad/s^2.
        upper_position: (7,) rad.
        lower_position: (7,) rad.

    Raises:
        InvalidArgumentError: Not seven finite numbers, a limit that is not positive, or lower not
            below upper. Also a `ValueError`.
    """

    max_velocity: Array
    velocity_offset: Array
    deceleration_limit: Array
    upper_position: Array
    lower_position: Array

    def __post_init__(self) -> None:
        for name in _TABLE_FIELDS:
            object.__setattr__(self, name, seven(getattr(self, name), name))
        for name in ("max_velocity", "deceleration_limit"):
            if not (getattr(self, name) > 0.0).all():
                raise InvalidArgumentError(f"{name} must be positive: {getattr(self, name)}")
        if not (self.lower_position < self.upper_position).all():
            raise InvalidArgumentError(
                f"lower_position {self.lower_position} is not below {self.upper_position}"
            )

    @classmethod
    def from_graph(
        cls, graph: "SceneGraph", joint_names: Sequence[str] | None = None
    ) -> "JointVelocityTable":
        """Read the table from a robot's own description.

        Args:
            graph: Scene with the arm.
            joint_names: The seven joints from base to flange. Left out: for each of `joint1` to
                `joint7` the joint whose name contains it and that has the element, as libfranka
                finds them.

        Raises:
            InvalidArgumentError: A joint is not there, or lacks `<limit>` or
                `<position_based_velocity_limits>`. Also a `ValueError`.
        """
        joints = {joint.getName(): joint for joint in graph.getJoints()}
        names = list(joint_names) if joint_names is not None else _arm_joints(joints)
        if len(names) != 7:
            raise InvalidArgumentError(f"an arm has seven joints, not {len(names)}: {names}")
        rows = [_velocity_row(joints.get(name), name) for name in names]
        return cls(*np.array(rows).T)


_TABLE_FIELDS = tuple(JointVelocityTable.__dataclass_fields__)


def _arm_joints(joints: dict[str, Any]) -> list[str]:
    names = []
    for number in range(1, 8):
        found = [name for name in joints if f"joint{number}" in name]
        full = [name for name in found if joints[name].position_based_velocity_limits is not None]
        if not found:
            raise InvalidArgumentError(f"no joint whose name contains 'joint{number}'")
        if not full:
            raise _missing("position_based_velocity_limits", found[0])
        if len(full) > 1:
            raise InvalidArgumentError(f"several joints could be joint{number}: {', '.join(full)}")
        names.append(full[0])
    return names


def _missing(element: str, name: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"Missing <{element}> element for joint: {name}", joint=name)


def _velocity_row(joint: Any, name: str) -> tuple[float, ...]:
    if joint is None:
        raise InvalidArgumentError(f"no joint {name!r}", joint=name)
    if joint.limits is None:
        raise _missing("limit", name)
    extra = joint.position_based_velocity_limits
    if extra is None:
        raise _missing("position_based_velocity_limits", name)
    return (
        joint.limits.velocity,
        extra.velocity_offset,
        extra.deceleration_limit,
        joint.limits.upper,
        joint.limits.lower,
    )


@dataclass(frozen=True, eq=False)
class RateLimits:
    """What the rate limiters hold a command to; each already less the library's margin.

    Attributes:
        torque_rate: (7,) Nm/s.
        joint_velocity: A table (limits depend on the position), or (7,) rad/s.
        joint_acceleration: (7,) rad/s^2.
        joint_jerk: (7,) rad/s^3.
        cartesian: (6,) velocity, acceleration, jerk: m, m/s, ..., then rad/s, ...
        elbow: (3,) velocity, acceleration, jerk of joint 3, rad/s, ...

    Raises:
        InvalidArgumentError: Wrong counts, or numbers that are not finite and positive.
            Also a `ValueError`.
    """

    torque_rate: Array
    joint_velocity: JointVelocityTable | Array
    joint_acceleration: Array
    joint_jerk: Array
    cartesian: Array
    elbow: Array

    def __post_init__(self) -> None:
        counts = {"cartesian": 6, "elbow": 3}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if isinstance(value, JointVelocityTable):
                continue
            array = numbers(value, counts.get(name, 7), name)
            if not (array > 0.0).all():
                raise InvalidArgumentError(f"{name} must be positive: {array.tolist()}")
            object.__setattr__(self, name, array)

    @cached_property
    def array(self) -> Array:
        """The numbers as the kernels take them, read-only."""
        flat = np.concatenate(
            (
                [float(isinstance(self.joint_velocity, JointVelocityTable))],
                self.torque_rate,
                self.joint_jerk,
                self.joint_acceleration,
                self.cartesian,
                self.elbow,
                *self._velocity_columns(),
            )
        )
        flat.setflags(write=False)
        return flat

    def _velocity_columns(self) -> tuple[Array, ...]:
        if isinstance(self.joint_velocity, JointVelocityTable):
            return tuple(getattr(self.joint_velocity, name) for name in _TABLE_FIELDS)
        return (self.joint_velocity, *(np.zeros(7) for _ in range(4)))

    def joint_velocity_limits(self, q: ArrayLike) -> tuple[Array, Array]:
        """Return the upper and the lower velocity of each joint at a position.

        Args:
            q: (7,) joint positions, rad.

        Returns:
            (7,) upper and (7,) lower, rad/s; beyond an end of the range they change sign.

        Raises:
            InvalidArgumentError: `q` is not seven finite numbers. Also a `ValueError`.
        """
        from kinegraph.robot.limiter_kernels import lower_velocity, upper_velocity

        values, flat = seven(q, "q").tolist(), self.array.copy()
        upper = np.array([upper_velocity(flat, i, at) for i, at in enumerate(values)])
        lower = np.array([lower_velocity(flat, i, at) for i, at in enumerate(values)])
        return upper, lower


def fr3_velocity_table() -> JointVelocityTable:
    """Return the table that libfranka 0.21 is tested with; a robot serves its own."""
    return JointVelocityTable(
        max_velocity=np.array([2.62, 2.62, 2.62, 2.62, 5.26, 4.18, 5.26]),
        velocity_offset=np.array([0.30, 0.20, 0.20, 0.30, 0.35, 0.35, 0.35]),
        deceleration_limit=np.array([6.0, 2.585, 3.5, 4.0, 17.0, 5.5, 17.0]),
        upper_position=np.array([2.7501, 1.7918, 2.9065, -0.1458, 2.8101, 4.5205, 3.0196]),
        lower_position=np.array([-2.7501, -1.7918, -2.9065, -3.0481, -2.8101, 0.54092, -3.0196]),
    )


def _less(*nominal: float) -> Array:
    return np.array(nominal) - _MARGIN


def _fr3(table: JointVelocityTable | None) -> RateLimits:
    return RateLimits(
        torque_rate=_less(*[1000.0] * 7),
        joint_velocity=fr3_velocity_table() if table is None else table,
        joint_acceleration=_less(*[10.0] * 7),
        joint_jerk=_less(*[5000.0] * 7),
        cartesian=_less(3.0, 9.0, 4500.0, 2.5, 17.0, 8500.0),
        elbow=_less(1.5, 10.0, 5000.0),
    )


def _braked(velocity: Array, acceleration: Array) -> Array:
    """Velocity limits that leave room for the losses that version 5 tolerates."""
    return velocity - _FER_LOST_PACKETS * _DT * acceleration


def _fer(table: JointVelocityTable | None) -> RateLimits:
    acceleration = _less(15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0)
    flat = _braked(_less(*[2.175] * 4, *[2.61] * 3), acceleration)
    translation, rotation = _less(2.0, 13.0, 6500.0), _less(2.5, 25.0, 12500.0)
    elbow = _less(2.175, 10.0, 5000.0)
    for axis in (translation, rotation, elbow):
        axis[:1] = _braked(axis[:1], axis[1:2])
    return RateLimits(
        torque_rate=_less(*[1000.0] * 7),
        joint_velocity=flat if table is None else table,
        joint_acceleration=acceleration,
        joint_jerk=_less(7500.0, 3750.0, 5000.0, 6250.0, 7500.0, 10000.0, 10000.0),
        cartesian=np.concatenate((translation, rotation)),
        elbow=elbow,
    )


_BY_VERSION: dict[int, Callable[[JointVelocityTable | None], RateLimits]] = {10: _fr3, 5: _fer}
_DEFAULTS: dict[int, RateLimits] = {}


def rate_limits(version: int, table: JointVelocityTable | None = None) -> RateLimits:
    """Return the limits of a version.

    Args:
        version: 10 (FR3) or 5 (FER).
        table: What the robot serves about its joint velocities. Left out: the figures that
            libfranka is tested with.

    Raises:
        InvalidArgumentError: There is no such version. Also a `ValueError`.
    """
    if not isinstance(version, Hashable) or version not in _BY_VERSION:
        raise InvalidArgumentError(f"no FCI version {version}; there are {sorted(_BY_VERSION)}")
    if table is not None:
        return _BY_VERSION[version](table)
    if version not in _DEFAULTS:
        _DEFAULTS[version] = _BY_VERSION[version](None)
    return _DEFAULTS[version]
