"""One joint of a pinocchio model as a joint of a graph."""

import math
from typing import Any

import numpy as np

from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import UnsupportedError
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.joint_parts import JointDynamics, JointLimits, JointMimic

LARGEST = 1e9
"""What stands for an infinite limit, which a graph does not take, and for pinocchio's largest."""

JERK = 1000.0
"""The jerk limit that the URDF reader gives a joint without one."""

FREE = "JointModelFreeFlyer"
MIMIC = "JointModelMimic"


def read_joint(model: Any, index: int) -> Joint:
    """Return a joint with type, axis, limits, dynamics and mimic rule; without links and origin.

    Raises:
        UnsupportedError: Not revolute, prismatic, a free flyer or a mimic of those. Also a
            `RuntimeError`.
    """
    joint = Joint(str(model.names[index]))
    twin = model.joints[index]
    if twin.shortname() == FREE:
        joint.type = JointType.FLOATING
        return joint
    if twin.shortname() == MIMIC:
        return _follower(model, joint, twin)
    if twin.nv != 1 or twin.nq > 2:
        raise UnsupportedError(
            f"from_pinocchio: joint {joint.getName()!r} is a {twin.shortname()}; a graph has "
            "revolute, prismatic and floating joints"
        )
    turns, axis = _motion(_subspace(twin, model, index), joint.getName())
    joint.axis = axis
    column = twin.idx_v
    lower, upper = -math.inf, math.inf
    if twin.nq == 1:
        lower = float(model.lowerPositionLimit[twin.idx_q])
        upper = float(model.upperPositionLimit[twin.idx_q])
    unbounded = lower <= -LARGEST and upper >= LARGEST
    joint.type = JointType.PRISMATIC
    if turns:
        joint.type = JointType.CONTINUOUS if unbounded else JointType.REVOLUTE
    velocity = float(model.upperVelocityLimit[column])
    bounds = (0.0, 0.0) if joint.type is JointType.CONTINUOUS else (lower, upper)
    joint.limits = _limits(*bounds, float(model.upperEffortLimit[column]), velocity)
    _read_dynamics(model, joint, column)
    return joint


def _follower(model: Any, joint: Joint, twin: Any) -> Joint:
    """Read a mimic joint: its own type is hidden, but not how it moves."""
    rule = twin.extract()
    factor, shift = float(rule.scaling), float(rule.offset)
    if factor == 0.0:
        raise UnsupportedError(
            f"from_pinocchio: joint {joint.getName()!r} mimics with factor 0; a model does not "
            "tell its axis"
        )
    index = model.getJointId(joint.getName())
    turns, axis = _motion(_subspace(twin, model, index) / factor, joint.getName())
    joint.axis = axis
    joint.type = JointType.REVOLUTE if turns else JointType.PRISMATIC
    pairs = zip(model.mimicking_joints, model.mimicked_joints, strict=True)
    master = read_joint(model, dict(pairs)[index])
    joint.mimic = JointMimic(shift, factor, master.getName())
    limits = master.limits if master.limits is not None else JointLimits()
    if master.type is JointType.CONTINUOUS:
        lower, upper = -LARGEST, LARGEST
    else:
        lower, upper = sorted((factor * limits.lower + shift, factor * limits.upper + shift))
    joint.limits = _limits(lower, upper, limits.effort, abs(factor) * limits.velocity)
    return joint


def _subspace(twin: Any, model: Any, index: int) -> Array:
    """Return (6,) the motion of a joint per unit, in its own frame, linear first."""
    neutral = np.zeros(model.nq)
    data = twin.createData()
    if twin.nq == 2:
        neutral[twin.idx_q] = 1.0
    twin.calc(data, neutral)
    return np.array(data.S, dtype=np.float64).reshape(-1)


def _motion(subspace: Array, name: str) -> tuple[bool, Array]:
    """Return whether a joint turns, and its axis."""
    if subspace.shape == (6,):
        linear, angular = subspace[:3], subspace[3:]
        if not linear.any() and angular.any():
            return True, angular
        if linear.any() and not angular.any():
            return False, linear
    raise UnsupportedError(
        f"from_pinocchio: joint {name!r} both turns and slides; a graph has no such joint"
    )


def _limits(lower: float, upper: float, effort: float, velocity: float) -> JointLimits:
    lower, upper = max(lower, -LARGEST), min(upper, LARGEST)
    effort, velocity = min(effort, LARGEST), min(velocity, LARGEST)
    return JointLimits(lower, upper, effort, velocity, 0.5 * velocity, JERK)


def _read_dynamics(model: Any, joint: Joint, column: int) -> None:
    damping = float(model.damping[column])
    friction = float(model.upperDryFrictionLimit[column])
    if damping or (friction and math.isfinite(friction)):
        joint.dynamics = JointDynamics(damping, friction if math.isfinite(friction) else 0.0)
