"""The small parts of a joint: limits, mimic rule, dynamics, safety, calibration.

Plain editable values with tesseract's field names; `==` compares numbers to 1e-6.
"""

from dataclasses import dataclass, fields
from typing import Any, TypeVar

from kinegraph.scene.names import almost_equal
from kinegraph.scene.sealing import plain_class, sealable

__all__ = [
    "JointCalibration",
    "JointDynamics",
    "JointLimits",
    "JointMimic",
    "JointSafety",
    "PositionBasedVelocityLimits",
]

P = TypeVar("P", bound="_Part")


class _Part:
    """Base of the parts: clear, clone and compare field by field."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # editable, so not hashable

    def clear(self) -> None:
        """Reset every field to its default."""
        for field in fields(self):  # type: ignore[arg-type]
            setattr(self, field.name, field.default)

    def clone(self: P) -> P:
        """Return an editable copy."""
        cls: Any = plain_class(type(self))
        copy: P = cls(*[getattr(self, name) for name in cls.__dataclass_fields__])
        return copy

    def _values(self) -> list[Any]:
        return [getattr(self, name) for name in self.__dataclass_fields__]  # type: ignore[attr-defined]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Part):
            return NotImplemented
        names = self.__dataclass_fields__  # type: ignore[attr-defined]
        if names is not other.__dataclass_fields__:  # type: ignore[attr-defined]
            return False
        return all(map(_equal, self._values(), other._values()))


def _equal(a: Any, b: Any) -> bool:
    return a == b if isinstance(a, str) or isinstance(b, str) else almost_equal(a, b)


@sealable
@dataclass(slots=True, eq=False)
class JointLimits(_Part):
    """How far, how strongly and how fast a joint may move (rad or m, Nm or N, per s)."""

    lower: float = 0.0
    upper: float = 0.0
    effort: float = 0.0
    velocity: float = 0.0
    acceleration: float = 0.0
    jerk: float = 0.0


@sealable
@dataclass(slots=True, eq=False)
class JointMimic(_Part):
    """A joint that follows another: q = multiplier * q_master + offset."""

    offset: float = 0.0
    multiplier: float = 1.0
    joint_name: str = ""


@sealable
@dataclass(slots=True, eq=False)
class JointDynamics(_Part):
    """Damping (Nms/rad or Ns/m) and friction (Nm or N) of a joint."""

    damping: float = 0.0
    friction: float = 0.0


@sealable
@dataclass(slots=True, eq=False)
class JointSafety(_Part):
    """Soft limits and gains of the PR2's safety controller; stored, never used."""

    soft_upper_limit: float = 0.0
    soft_lower_limit: float = 0.0
    k_position: float = 0.0
    k_velocity: float = 0.0


@sealable
@dataclass(slots=True, eq=False)
class JointCalibration(_Part):
    """Where a joint's reference switch changes."""

    reference_position: float = 0.0
    rising: float = 0.0
    falling: float = 0.0


@sealable
@dataclass(slots=True, eq=False)
class PositionBasedVelocityLimits(_Part):
    """Franka's extension of URDF: how the velocity limit narrows near the position limits.

    The offset is in rad/s or m/s, the limit in rad/s² or m/s².
    """

    velocity_offset: float = 0.0
    deceleration_limit: float = 0.0
