"""Which joints a graph takes, and what it completes."""

import math
from typing import Any

from kinegraph.scene.arguments import check_number
from kinegraph.scene.errors import InvalidLimitError, WrongTypeError
from kinegraph.scene.joint import PARTS, Joint, JointType
from kinegraph.scene.joint_parts import JointLimits

NEEDS_NO_LIMITS = (JointType.FIXED, JointType.FLOATING, JointType.CONTINUOUS)
TWO_TURNS = 4.0 * math.pi
"""Bounds of a continuous joint that has none of its own, as in tesseract."""

EQUAL_BOUNDS = 1e-5
"""Bounds of a continuous joint closer than this do not count."""


def check_joint(joint: Joint) -> None:
    """Refuse a joint whose fields have wrong types or impossible numbers.

    Raises:
        WrongTypeError: A field has the wrong type. Also a `TypeError`.
        NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
        InvalidLimitError: lower > upper, or a negative limit. Also a `ValueError`.
    """
    if not isinstance(joint, Joint):
        raise WrongTypeError(f"a Joint is needed, not {joint!r:.100}")
    name = joint.getName()
    if not isinstance(joint.type, JointType):
        raise WrongTypeError(f"joint {name!r}: type must be a JointType, not {joint.type!r:.100}")
    for field in ("parent_link_name", "child_link_name"):
        if not isinstance(getattr(joint, field), str):
            raise WrongTypeError(f"joint {name!r}: {field} must be a str")
    for field, cls in PARTS.items():
        part = getattr(joint, field)
        if part is not None:
            if not isinstance(part, cls):
                raise WrongTypeError(f"joint {name!r}: {field} must be {cls.__name__} or None")
            _check_part(part, f"joint {name!r}: {field}")
    if joint.limits is not None:
        _check_limit_values(joint.limits, name)


def check_limits(limits: JointLimits, joint_name: str) -> None:
    """Refuse limits that no joint can have.

    Raises:
        WrongTypeError: No number. Also a `TypeError`.
        NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
        InvalidLimitError: lower > upper, or a negative limit. Also a `ValueError`.
    """
    _check_part(limits, f"joint {joint_name!r}: limits")
    _check_limit_values(limits, joint_name)


def _check_part(part: Any, what: str) -> None:
    for field in part.__dataclass_fields__:
        value = getattr(part, field)
        if field != "joint_name":
            check_number(value, f"{what}.{field}")
        elif not isinstance(value, str):
            raise WrongTypeError(f"{what}.{field} must be a str, not {value!r:.100}")


def _check_limit_values(limits: JointLimits, joint_name: str) -> None:
    for field in ("effort", "velocity", "acceleration", "jerk"):
        if getattr(limits, field) < 0.0:
            raise InvalidLimitError(
                f"joint {joint_name!r}: {field} limit {getattr(limits, field)!r} < 0"
            )
    if limits.lower > limits.upper:
        raise InvalidLimitError(
            f"joint {joint_name!r}: lower limit {limits.lower!r} > upper limit {limits.upper!r}"
        )


def lacks_limits(joint: Joint) -> bool:
    """Tell whether a joint's type needs limits that are not there."""
    return joint.limits is None and joint.type not in NEEDS_NO_LIMITS


def complete_joint(joint: Joint) -> None:
    """Make all numbers of a checked joint float, and give a continuous one the limits it lacks."""
    for field in PARTS:
        part = getattr(joint, field)
        if part is not None:
            make_float(part)
    if joint.type is not JointType.CONTINUOUS:
        return
    if joint.limits is None:
        joint.limits = JointLimits(-TWO_TURNS, TWO_TURNS, 0.0, 2.0, 1.0, 1000.0)
    else:
        complete_bounds(joint.limits)


def make_float(part: Any) -> None:
    """Turn integers and numpy's numbers of a checked part into plain floats."""
    for field in part.__dataclass_fields__:
        if field != "joint_name":
            setattr(part, field, float(getattr(part, field)))


def complete_bounds(limits: JointLimits) -> None:
    """Replace equal bounds of a continuous joint by two turns each way."""
    if abs(limits.upper - limits.lower) <= EQUAL_BOUNDS:
        limits.lower, limits.upper = -TWO_TURNS, TWO_TURNS
