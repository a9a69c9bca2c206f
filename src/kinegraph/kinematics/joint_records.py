"""From a `Joint` to the numbers of its row in a flat tree."""

import math
from typing import NamedTuple

from kinegraph.kinematics.tree_layout import FIXED, FLOATS, SLIDES, TURNS
from kinegraph.scene.errors import InvalidJointError, UnsupportedError
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.pose import Isometry3d

__all__ = ["JointRecord", "MimicRule", "joint_record", "origin_numbers"]

# By the number of a `JointType`: hashing an enumeration's member costs more than all the rest.
KINDS = {
    JointType.FIXED: FIXED,
    JointType.REVOLUTE: TURNS,
    JointType.CONTINUOUS: TURNS,
    JointType.PRISMATIC: SLIDES,
    JointType.FLOATING: FLOATS,
}
KIND_OF = tuple(KINDS.get(each) for each in sorted(JointType))

# A joint without axis, multiplier and offset.
NO_MOTION = (1.0, 0.0, 0.0, 1.0, 0.0)

# What `SceneGraph.addJoint` gives a continuous joint that has no limits.
CONTINUOUS_BOUND = 4.0 * math.pi
CONTINUOUS_LIMITS = (-CONTINUOUS_BOUND, CONTINUOUS_BOUND, 2.0, 1.0, 1000.0)
SAME_BOUNDS = 1e-5

NO_LIMITS = (0.0, 0.0, 0.0, 0.0, 0.0)

MimicRule = tuple[str, float, float]
"""Master, multiplier, offset."""


class JointRecord(NamedTuple):
    """The row of one joint.

    Attributes:
        kind: FIXED, TURNS, SLIDES or FLOATS.
        numbers: 17 numbers in the order of `tree_layout`.
        limits: Lower, upper, velocity, acceleration, jerk.
        mimic: The rule of a moving joint that follows another one.
        typed: The joint's type, to tell revolute from continuous.
    """

    kind: int
    numbers: tuple[float, ...]
    limits: tuple[float, ...]
    mimic: MimicRule | None
    typed: JointType


def joint_record(joint: Joint, method: str) -> JointRecord:
    """Check a joint and read its numbers.

    Args:
        joint: From a graph or a user.
        method: For error messages.

    Raises:
        UnsupportedError: Planar or unknown type. Also a `RuntimeError`.
        InvalidJointError: A moving joint without limits, or with an axis of length zero or that
            is not finite. Also a `ValueError`.
    """
    kind = KIND_OF[joint.type]
    rotation, translation = joint._origin.rows()
    if kind in (FIXED, FLOATS):
        return JointRecord(kind, (*rotation, *translation, *NO_MOTION), NO_LIMITS, None, joint.type)
    if kind is None:
        raise UnsupportedError(
            f"{method}: joint {joint.getName()!r} is of type {JointType(joint.type).name}; a "
            "solver takes fixed, revolute, continuous, prismatic and floating joints"
        )
    axis, limits = _unit_axis(joint, method), _limits(joint, method)
    mimic: MimicRule | None = None
    if joint.mimic is not None:
        mimic = (joint.mimic.joint_name, joint.mimic.multiplier, joint.mimic.offset)
    numbers = (*rotation, *translation, *axis, 1.0, 0.0)
    return JointRecord(kind, numbers, limits, mimic, joint.type)


def origin_numbers(transform: Isometry3d) -> tuple[float, ...]:
    """Return the rotation row by row and the translation."""
    rotation, translation = transform.rows()
    return (*rotation, *translation)


def _unit_axis(joint: Joint, method: str) -> tuple[float, float, float]:
    x, y, z = joint.axis.tolist()
    length = math.hypot(x, y, z)
    if not (0.0 < length < math.inf):
        raise InvalidJointError(
            f"{method}: joint {joint.getName()!r} moves, but its axis is ({x}, {y}, {z}); "
            "an axis needs a finite length other than zero"
        )
    return x / length, y / length, z / length


def _limits(joint: Joint, method: str) -> tuple[float, ...]:
    limits = joint.limits
    if limits is None:
        if joint.type is JointType.CONTINUOUS:
            return CONTINUOUS_LIMITS
        raise InvalidJointError(
            f"{method}: joint {joint.getName()!r} is {JointType(joint.type).name.lower()} and has "
            "no limits"
        )
    lower, upper = limits.lower, limits.upper
    if joint.type is JointType.CONTINUOUS and not upper - lower > SAME_BOUNDS:
        lower, upper = -CONTINUOUS_BOUND, CONTINUOUS_BOUND
    return lower, upper, limits.velocity, limits.acceleration, limits.jerk
