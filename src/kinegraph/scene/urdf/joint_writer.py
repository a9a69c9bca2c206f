"""Joints as URDF elements."""

from dataclasses import fields
from typing import Any

from kinegraph.scene.errors import URDFError
from kinegraph.scene.graph.paths import RIGID
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.markup.origin_writer import origin
from kinegraph.scene.markup.vocabulary import REFERENCE_POSITION
from kinegraph.scene.markup.writing import Attributes, element, exact, exact_all

X_AXIS = exact_all((1.0, 0.0, 0.0))
"""The axis of a joint that says nothing."""


def joint_element(joint: Joint) -> str:
    """Return the `joint` element.

    Axis and limits of a fixed or floating joint, which no reader looks at, are left out.

    Raises:
        URDFError: The type is UNKNOWN.
    """
    if joint.type is JointType.UNKNOWN:
        raise URDFError(f"joint {joint.getName()!r}: URDF cannot hold the joint type UNKNOWN")
    children = [
        element("parent", [("link", joint.parent_link_name)]),
        element("child", [("link", joint.child_link_name)]),
        *origin(joint.parent_to_joint_origin_transform),
    ]
    if joint.type not in RIGID:
        axis = exact_all(joint.axis.tolist())
        if axis != X_AXIS:  # as text: -0.0 equals 0.0
            children.append(element("axis", [("xyz", axis)]))
        children += _part("limit", joint.limits)
    children += _mimic(joint)
    children += _part("dynamics", joint.dynamics)
    children += _part("safety_controller", joint.safety)
    children += _calibration(joint)
    children += _part("position_based_velocity_limits", joint.position_based_velocity_limits)
    kind = JointType(joint.type).name.lower()
    return element("joint", [("name", joint.getName()), ("type", kind)], children)


def _part(tag: str, part: Any) -> list[str]:
    """Return an element whose attributes are the fields of a part."""
    return [] if part is None else [element(tag, _numbers(part))]


def _numbers(part: Any) -> Attributes:
    return [(field.name, exact(getattr(part, field.name))) for field in fields(part)]


def _mimic(joint: Joint) -> list[str]:
    if joint.mimic is None:
        return []
    rule = [
        ("joint", joint.mimic.joint_name),
        ("multiplier", exact(joint.mimic.multiplier)),
        ("offset", exact(joint.mimic.offset)),
    ]
    return [element("mimic", rule)]


def _calibration(joint: Joint) -> list[str]:
    if joint.calibration is None:
        return []
    numbers = dict(_numbers(joint.calibration))
    reference = numbers.pop("reference_position")
    extra = [(REFERENCE_POSITION, reference)] if reference != exact(0.0) else []
    return [element("calibration", [*numbers.items(), *extra])]
