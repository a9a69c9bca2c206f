"""A joint: how a child link moves on its parent link."""

import math
from enum import IntEnum
from typing import Any

from kinegraph.scene.array_types import Array
from kinegraph.scene.joint_parts import (
    JointCalibration,
    JointDynamics,
    JointLimits,
    JointMimic,
    JointSafety,
    PositionBasedVelocityLimits,
)
from kinegraph.scene.names import checked_name
from kinegraph.scene.pose import Isometry3d, TransformLike, as_isometry
from kinegraph.scene.sealing import seal, sealable
from kinegraph.scene.vectors import frozen_array, is_approx, numbers

__all__ = [
    "Joint",
    "JointType",
    "JointType_CONTINUOUS",
    "JointType_FIXED",
    "JointType_FLOATING",
    "JointType_PLANAR",
    "JointType_PRISMATIC",
    "JointType_REVOLUTE",
    "JointType_UNKNOWN",
]


class JointType(IntEnum):
    """How a joint moves; numbers as in tesseract."""

    UNKNOWN = 0
    REVOLUTE = 1
    CONTINUOUS = 2
    PRISMATIC = 3
    FLOATING = 4
    PLANAR = 5
    FIXED = 6


JointType_UNKNOWN = JointType.UNKNOWN
JointType_REVOLUTE = JointType.REVOLUTE
JointType_CONTINUOUS = JointType.CONTINUOUS
JointType_PRISMATIC = JointType.PRISMATIC
JointType_FLOATING = JointType.FLOATING
JointType_PLANAR = JointType.PLANAR
JointType_FIXED = JointType.FIXED

UNBOUNDED = (-math.inf, math.inf)
PARTS = {
    "dynamics": JointDynamics,
    "limits": JointLimits,
    "safety": JointSafety,
    "calibration": JointCalibration,
    "mimic": JointMimic,
    "position_based_velocity_limits": PositionBasedVelocityLimits,
}
"""The optional parts of a joint and their classes."""


IDENTITY = Isometry3d.Identity()
X_AXIS = frozen_array((1.0, 0.0, 0.0))


@sealable
class Joint:
    """A joint between two links.

    The origin maps the parent link's frame to the joint's frame; the child link's frame is the
    joint's frame after the motion. A joint in a `SceneGraph` is read-only; edit a `clone()`.

    Attributes:
        type: How the joint moves.
        axis: (3,) direction in the joint's frame, of any length; for PLANAR the plane's normal.
            Read-only array; assign a new one to change it.
        parent_link_name: The link that carries the joint.
        child_link_name: The link that the joint moves.
        parent_to_joint_origin_transform: Pose of the joint's frame in the parent link's frame.
        dynamics: Damping and friction, or None.
        limits: Limits, or None.
        safety: Soft limits, or None.
        calibration: Reference positions, or None.
        mimic: The rule by which the joint follows another one, or None.
        position_based_velocity_limits: Franka's velocity envelope, or None.

    Raises:
        InvalidNameError: The name is empty. Also a `ValueError`.
        WrongTypeError: The name is no str. Also a `TypeError`.
    """

    __slots__ = (
        "__weakref__",
        "_axis",
        "_name",
        "_origin",
        "calibration",
        "child_link_name",
        "dynamics",
        "limits",
        "mimic",
        "parent_link_name",
        "position_based_velocity_limits",
        "safety",
        "type",
    )
    __hash__ = None  # type: ignore[assignment]  # editable, so not hashable

    type: JointType
    parent_link_name: str
    child_link_name: str
    dynamics: JointDynamics | None
    limits: JointLimits | None
    safety: JointSafety | None
    calibration: JointCalibration | None
    mimic: JointMimic | None
    position_based_velocity_limits: PositionBasedVelocityLimits | None
    _name: str
    _axis: Array
    _origin: Isometry3d

    def __init__(self, name: str) -> None:
        self._name = checked_name(name, "Joint")
        self.clear()

    def clear(self) -> None:
        """Reset everything but the name to the defaults."""
        self.type = JointType.UNKNOWN
        self._axis = X_AXIS
        self.child_link_name = self.parent_link_name = ""
        self._origin = IDENTITY
        self.dynamics = self.limits = self.safety = self.calibration = self.mimic = None
        self.position_based_velocity_limits = None

    def getName(self) -> str:
        """Return the name, fixed at construction."""
        return self._name

    @property
    def axis(self) -> Array:  # noqa: D102  documented with the class
        return self._axis

    @axis.setter
    def axis(self, value: Any) -> None:
        self._axis = frozen_array(numbers(value, 3, f"axis of joint {self._name!r}"))

    @property
    def parent_to_joint_origin_transform(self) -> Isometry3d:  # noqa: D102
        return self._origin

    @parent_to_joint_origin_transform.setter
    def parent_to_joint_origin_transform(self, value: TransformLike) -> None:
        self._origin = as_isometry(value, f"origin of joint {self._name!r}")

    @property
    def position_bounds(self) -> tuple[float, float]:
        """Where the joint can be: (-inf, inf) for a continuous joint, (0, 0) for a fixed one.

        For the others lower and upper limit, or (-inf, inf) without limits. The limits of a
        continuous joint keep the numbers of the file, which do not bound it.
        """
        if self.type is JointType.FIXED:
            return (0.0, 0.0)
        if self.type is JointType.CONTINUOUS or self.limits is None:
            return UNBOUNDED
        return (self.limits.lower, self.limits.upper)

    def clone(self, name: str | None = None) -> "Joint":
        """Return an editable deep copy, renamed if a name is given.

        Parent, child and mimic names stay as they are.
        """
        copy: Joint = object.__new__(Joint)
        copy._name = self._name if name is None else checked_name(name, "Joint")
        copy.type = self.type
        copy._axis = self._axis
        copy._origin = self._origin
        copy.parent_link_name = self.parent_link_name
        copy.child_link_name = self.child_link_name
        for part in PARTS:
            value = getattr(self, part)
            setattr(copy, part, None if value is None else value.clone())
        return copy

    def _seal(self) -> None:
        if self.limits is not None:
            seal(self.limits)
        for part in (
            self.dynamics,
            self.safety,
            self.calibration,
            self.mimic,
            self.position_based_velocity_limits,
        ):
            if part is not None:
                seal(part)
        seal(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Joint):
            return NotImplemented
        return (
            self._name == other._name
            and self.type == other.type
            and self.parent_link_name == other.parent_link_name
            and self.child_link_name == other.child_link_name
            and is_approx(self._axis, other._axis)
            and self._origin.isApprox(other._origin)
            and all(getattr(self, part) == getattr(other, part) for part in PARTS)
        )

    def __repr__(self) -> str:
        return (
            f"Joint({self._name!r}, {JointType(self.type).name}, "
            f"{self.parent_link_name!r} -> {self.child_link_name!r})"
        )
