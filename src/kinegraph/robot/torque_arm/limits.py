"""An arm's table from the limits in its description.

A description has positions, velocities and efforts. What else the controllers need follows from
these by formulas that give the Franka arms' own values, about, for the Franka arms' velocities and
efforts.
"""

from collections.abc import Sequence

import numpy as np

from kinegraph.robot.control.arms import RESERVE, ArmTable
from kinegraph.robot.control.checks import check_kind, check_positive_vector, refuse
from kinegraph.robot.control.table_layout import MAX_JOINTS
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.errors import UnknownJointError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import Joint

__all__ = ["table_from_graph"]

ACCELERATION_TIME = 0.25
"""From rest to the velocity limit at the acceleration limit, s. FR3: 0.26."""
JERK_RATE = 500.0
"""Jerk limits are so many times the acceleration limits, 1/s. FER and FR3: 500."""
BRAKING_RATE = 25.0
"""Slope of the braking profile at the position limit, 1/s. FER: 19 to 28."""
TORQUE_SHARE = 0.95
"""Share of the rated torques that is the default clamp. FER and FR3: 0.99 and 0.96."""
DRIVE_TIME_SQUARED, LEAST_DRIVE_INERTIA = 0.007, 0.1
"""Inertia of the drives for a rated torque, s^2, and at least, kg m^2. Franka: 0.005 to 0.017."""
UNBOUNDED = 1e6
"""Position limits of joints without any: no motion gets there, rad."""


def table_from_graph(
    graph: SceneGraph,
    joint_names: Sequence[str],
    *,
    name: str | None = None,
    rated_torque: VectorLike | None = None,
    max_velocity: VectorLike | None = None,
    max_acceleration: VectorLike | None = None,
    max_jerk: VectorLike | None = None,
    drive_inertia: VectorLike | None = None,
) -> ArmTable:
    """Return the controllers' table of an arm by the limits in its description.

    With v the velocity limit and E the effort limit of a joint in the description, for units of
    rad (a sliding joint's are m, N and so on):

    - positions: as in the description; -1e6 and 1e6 without limits;
    - acceleration a = v / 0.25 s; jerk 500 a (URDF has neither);
    - velocity away from the limits v - 0.001;
    - braking k = a (a deceleration of a / 2), c = k / 50 s, so that the profile begins with a
      slope of 25 per second at the position limit;
    - rated torque E, default clamp 0.95 E;
    - inertia of the drives 0.007 s^2 E, at least 0.1 kg m^2; friction up to 0.02 E.

    Args:
        graph: Scene that has the joints.
        joint_names: (n) joints of the arm, n at most 9.
        name: How messages call the arm. Left out: the graph's name.
        rated_torque: (n,) Nm, in place of the description's efforts.
        max_velocity: (n,) rad/s, in place of the description's velocities.
        max_acceleration: (n,) rad/s^2, in place of what follows from the velocity.
        max_jerk: (n,) rad/s^3, in place of what follows from the acceleration.
        drive_inertia: (n,) kg m^2, in place of what follows from the rated torque.

    Raises:
        UnknownJointError: A name is no joint of the graph. Also a `ValueError`.
        InvalidArgumentError: No joints or more than nine; a joint whose description has no
            velocity or no effort and for which none is given; positions in the wrong order; or an
            argument that is not n numbers above zero. Also a `ValueError`.
    """
    check_kind("graph", graph, SceneGraph)
    if isinstance(joint_names, str) or not isinstance(joint_names, Sequence):
        raise refuse("joint_names", joint_names, "is no sequence of names")
    joints = [_joint(graph, name) for name in joint_names]
    count = len(joints)
    if not 0 < count <= MAX_JOINTS:
        raise InvalidArgumentError(
            f"joint_names: {count} joints, the controllers take 1 to {MAX_JOINTS}",
            field="joint_names",
        )
    bounds = np.array([_bounds(joint) for joint in joints])
    velocity = _chosen("max_velocity", "velocity", joints, max_velocity)
    torque = _chosen("rated_torque", "effort", joints, rated_torque)
    acceleration = _derived("max_acceleration", max_acceleration, velocity / ACCELERATION_TIME)
    jerk = _derived("max_jerk", max_jerk, JERK_RATE * acceleration)
    return ArmTable(
        name=graph.getName() if name is None else name,
        lower=bounds[:, 0],
        upper=bounds[:, 1],
        flat_velocity=np.maximum(velocity - RESERVE, 0.5 * velocity),
        max_joint_velocity=velocity,
        max_joint_acceleration=acceleration,
        max_joint_jerk=jerk,
        braking_slope=acceleration,
        braking_onset=acceleration / (2.0 * BRAKING_RATE),
        rated_torque=torque,
        torque_limits=TORQUE_SHARE * torque,
        drive_inertia=_derived(
            "drive_inertia",
            drive_inertia,
            np.maximum(LEAST_DRIVE_INERTIA, DRIVE_TIME_SQUARED * torque),
        ),
    )


def _joint(graph: SceneGraph, name: str) -> Joint:
    check_kind("joint_names", name, str)
    joint = graph.getJoint(name)
    if joint is None:
        known = [known.getName() for known in graph.getJoints()]
        raise UnknownJointError("table_from_graph", [name], "joints", known)
    return joint


def _bounds(joint: Joint) -> tuple[float, float]:
    lower, upper = joint.position_bounds
    if not lower < upper:
        raise InvalidArgumentError(
            f"joint {joint.getName()!r} has position limits {lower:g} to {upper:g}, no room to move"
        )
    return max(lower, -UNBOUNDED), min(upper, UNBOUNDED)


def _chosen(field: str, part: str, joints: Sequence[Joint], given: VectorLike | None) -> Array:
    if given is not None:
        return check_positive_vector(field, given, len(joints))
    values = np.array(
        [0.0 if joint.limits is None else float(getattr(joint.limits, part)) for joint in joints]
    )
    for joint, value in zip(joints, values, strict=True):
        if not (np.isfinite(value) and value > 0.0):
            raise InvalidArgumentError(
                f"{field}: the description of joint {joint.getName()!r} has no {part} limit "
                f"({value:g}); give {field}",
                field=field,
            )
    return values


def _derived(field: str, given: VectorLike | None, default: Array) -> Array:
    return default if given is None else check_positive_vector(field, given, len(default))
