"""The `joint` element."""

from xml.etree.ElementTree import Element

from kinegraph.scene.array_types import Array
from kinegraph.scene.graph.joint_rules import TWO_TURNS, complete_bounds
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.joint_parts import (
    JointCalibration,
    JointDynamics,
    JointLimits,
    JointMimic,
    JointSafety,
    PositionBasedVelocityLimits,
)
from kinegraph.scene.markup.origin_reader import OriginReader
from kinegraph.scene.markup.place import Source
from kinegraph.scene.markup.values import not_negative, numbers, required, vector
from kinegraph.scene.markup.vocabulary import REFERENCE_POSITION
from kinegraph.scene.vectors import frozen_array

TYPES = {
    name: JointType[name.upper()]
    for name in ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
}
MOTIONLESS = (JointType.FIXED, JointType.FLOATING)
"""Types whose `axis` and `limit` are not looked at."""

CHILDREN = frozenset(
    (
        "axis",
        "calibration",
        "child",
        "dynamics",
        "limit",
        "mimic",
        "origin",
        "parent",
        "position_based_velocity_limits",
        "safety_controller",
    )
)

USUAL = frozenset(("axis", "child", "limit", "origin", "parent"))

# Attributes in the order of the classes' fields, with their defaults; None: must be there.
LIMITS = {
    "lower": 0.0,
    "upper": 0.0,
    "effort": None,
    "velocity": None,
    "acceleration": 0.0,  # half the velocity, put in afterwards
    "jerk": 1000.0,
}
MIMIC = {"offset": 0.0, "multiplier": 1.0}
DYNAMICS = {"damping": 0.0, "friction": 0.0}
SAFETY = {"soft_upper_limit": 0.0, "soft_lower_limit": 0.0, "k_position": 0.0, "k_velocity": None}
CALIBRATION = {REFERENCE_POSITION: 0.0, "rising": 0.0, "falling": 0.0}
VELOCITY_ENVELOPE = {"velocity_offset": None, "deceleration_limit": None}


class JointReader:
    """Reads joints of one file."""

    def __init__(self, source: Source, origins: OriginReader) -> None:
        self._source = source
        self._origins = origins
        self._axes: dict[str | None, Array] = {}

    def read(self, element: Element) -> Joint:
        """Return the joint of an element, with its limits completed; names are not looked up."""
        source = self._source
        name = element.get("name")
        if not name:
            source.fail(element, "is missing or empty", "name", name)
        joint = Joint(name)
        kind = joint.type = TYPES.get(element.get("type", ""), JointType.UNKNOWN)
        if kind is JointType.UNKNOWN:
            reason = f"is none of {', '.join(TYPES)}"
            source.fail(element, reason, "type", required(source, element, "type"))
        parts = source.parts(element, CHILDREN)
        get = parts.get
        joint.parent_link_name = self._link(element, get("parent"), "parent")
        joint.child_link_name = self._link(element, get("child"), "child")
        joint._origin = self._origins.read(get("origin"))
        if kind not in MOTIONLESS:
            axis = get("axis")
            if axis is not None:
                joint._axis = self._axis(axis)
            joint.limits = self._limits(element, kind, get("limit"))
        if not USUAL.issuperset(parts):
            self._optional_parts(joint, parts)
        return joint

    def _link(self, element: Element, part: Element | None, which: str) -> str:
        if part is None:
            self._source.fail(element, f"has no <{which}>")
        link = part.get("link")
        return required(self._source, part, "link") if link is None else link

    def _axis(self, element: Element) -> Array:
        text = element.get("xyz")
        axis = self._axes.get(text)
        if axis is None:
            values = vector(self._source, element, "xyz", 3)
            axis = self._axes[text] = frozen_array(values)
        return axis

    def _limits(
        self, joint: Element, kind: JointType, element: Element | None
    ) -> JointLimits | None:
        if element is None:
            if kind is JointType.PLANAR:
                return None
            if kind is not JointType.CONTINUOUS:
                self._source.fail(joint, f"has no <limit>, which a {kind.name.lower()} joint needs")
            return JointLimits(-TWO_TURNS, TWO_TURNS)
        source = self._source
        lower, upper, effort, velocity, acceleration, jerk = numbers(source, element, LIMITS)
        if lower > upper:
            reason = f"is greater than upper={element.get('upper', '0')!r}"
            source.fail(element, reason, "lower", element.get("lower", "0"))
        if min(effort, velocity, acceleration, jerk) < 0.0:
            for name in ("effort", "velocity", "acceleration", "jerk"):
                if element.get(name) is not None:
                    not_negative(source, element, name)
        if element.get("acceleration") is None:
            acceleration = 0.5 * velocity
        limits = JointLimits(lower, upper, effort, velocity, acceleration, jerk)
        if kind is JointType.CONTINUOUS:
            complete_bounds(limits)
        return limits

    def _optional_parts(self, joint: Joint, parts: dict[str, Element]) -> None:
        if (element := parts.get("mimic")) is not None:
            joint.mimic = self._mimic(element)
        if (element := parts.get("dynamics")) is not None:
            joint.dynamics = self._dynamics(element)
        if (element := parts.get("safety_controller")) is not None:
            joint.safety = self._safety(element)
        if (element := parts.get("calibration")) is not None:
            joint.calibration = self._calibration(element)
        if (element := parts.get("position_based_velocity_limits")) is not None:
            joint.position_based_velocity_limits = self._velocity_envelope(element)

    def _mimic(self, element: Element) -> JointMimic:
        offset, multiplier = numbers(self._source, element, MIMIC)
        return JointMimic(offset, multiplier, required(self._source, element, "joint"))

    def _dynamics(self, element: Element) -> JointDynamics:
        self._at_least_one(element, "damping", "friction")
        return JointDynamics(*numbers(self._source, element, DYNAMICS))

    def _safety(self, element: Element) -> JointSafety:
        return JointSafety(*numbers(self._source, element, SAFETY))

    def _calibration(self, element: Element) -> JointCalibration:
        self._at_least_one(element, "rising", "falling")
        # tesseract never reads reference_position, so neither do we; our writer has its own word.
        return JointCalibration(*numbers(self._source, element, CALIBRATION))

    def _velocity_envelope(self, element: Element) -> PositionBasedVelocityLimits:
        return PositionBasedVelocityLimits(*numbers(self._source, element, VELOCITY_ENVELOPE))

    def _at_least_one(self, element: Element, first: str, second: str) -> None:
        if element.get(first) is None and element.get(second) is None:
            self._source.fail(element, f"needs at least one of {first}, {second}")
