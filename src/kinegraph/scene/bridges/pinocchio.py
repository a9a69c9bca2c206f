"""From a scene graph to a pinocchio model, laid out as pinocchio's own URDF reader does it.

Imports in here are absolute: `pinocchio` is the library, not this module.
"""

from typing import Any, Literal

import numpy as np

from kinegraph.scene.bridges.extras import checked_graph, extra_module
from kinegraph.scene.bridges.pinocchio_order import PinocchioOrder, match_pinocchio
from kinegraph.scene.bridges.tree_order import (
    MimicRule,
    joints_in_order,
    joints_with_masters_first,
    mimic_rules,
)
from kinegraph.scene.errors import InvalidJointError, InvalidNameError, UnsupportedError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.link import Link
from kinegraph.scene.pose import Isometry3d

__all__ = ["to_pinocchio"]

UNIVERSE = "universe"
"""The name that pinocchio has for its base, as joint and as fixed frame."""

LETTERS = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}


def to_pinocchio(
    scene_graph: SceneGraph, mimic: Literal["follow", "independent"] = "follow"
) -> tuple[Any, PinocchioOrder]:
    """Return a pinocchio model of a graph, and where its joints are in pinocchio's vectors.

    Joints, frames and inertials come out as pinocchio's own URDF reader makes them, with two
    differences: siblings keep the graph's order (pinocchio sorts them by name), and a continuous
    joint is one angle without bounds, not a point on a circle. A floating joint is a free flyer,
    which moves from the joint's origin on, where kinegraph's floating value replaces the origin;
    `PinocchioOrder.configuration` converts. Shapes, materials, safety, calibration, acceleration
    and jerk limits are not part of a model.

    Args:
        scene_graph: A tree.
        mimic: "follow": followers are pinocchio's mimic joints, without a value of their own;
            branches are reordered where a master would come after its follower. "independent":
            followers are ordinary joints.

    Returns:
        The `pinocchio.Model` and the `PinocchioOrder` for `scene_graph`.

    Raises:
        UnsupportedError: pinocchio is not installed, a joint is planar or unknown, is called
            "universe", or followers cannot be put behind their masters. Also a `RuntimeError`.
        TreeError: The graph is empty or not a tree. Also a `RuntimeError`.
        InvalidJointError: A moving joint with an axis of length zero, or a mimic rule that leads
            nowhere. Also a `ValueError`.
        InvalidNameError: `mimic` is neither word. Also a `ValueError`.
        WrongTypeError: Not a `SceneGraph`. Also a `TypeError`.
    """
    graph = checked_graph(scene_graph, "to_pinocchio")
    if mimic not in ("follow", "independent"):
        raise InvalidNameError(f'mimic must be "follow" or "independent", not {mimic!r:.100}')
    pinocchio = extra_module("pinocchio")
    if mimic == "follow":
        rules = mimic_rules(graph, "to_pinocchio")
        joints = joints_with_masters_first(graph, rules, "to_pinocchio")
    else:
        rules, joints = {}, joints_in_order(graph, "to_pinocchio")
    builder = _Builder(pinocchio, graph, rules)
    for joint in joints:
        builder.add(joint)
    return builder.model, match_pinocchio(graph, builder.model)


class _Builder:
    def __init__(self, pinocchio: Any, graph: SceneGraph, rules: dict[str, MimicRule]) -> None:
        self._pinocchio = pinocchio
        self._graph = graph
        self._rules = rules
        self.model = pinocchio.Model()
        self.model.name = graph.getName()
        # By link: the pinocchio joint that carries it, its pose there, its frame.
        self._carried: dict[str, tuple[int, Isometry3d, int]] = {}
        self._place_root(graph.getRoot())

    def add(self, joint: Joint) -> None:
        """Add a joint and its child link; the parent link is there already."""
        name = joint.getName()
        if name == UNIVERSE:
            raise UnsupportedError(f"to_pinocchio: pinocchio keeps the joint name {name!r}")
        parent, pose, frame = self._carried[joint.parent_link_name]
        placement = pose @ joint.parent_to_joint_origin_transform
        if joint.type is JointType.FIXED:
            inertia = self._inertia(joint.child_link_name)
            kind = self._pinocchio.FrameType.FIXED_JOINT
            arguments = (name, parent, frame, self._se3(placement), kind)
            fixed = self._pinocchio.Frame(*arguments, *([] if inertia is None else [inertia]))
            frame = self.model.addFrame(fixed)
            self._put_body(joint.child_link_name, parent, placement, frame)
            return
        index = self._add_moving(joint, parent, placement)
        inertia = self._inertia(joint.child_link_name)
        if inertia is not None:
            self.model.appendBodyToJoint(index, inertia, self._pinocchio.SE3.Identity())
        frame = self.model.addJointFrame(index, frame)
        self._put_body(joint.child_link_name, index, Isometry3d(), frame)

    def _add_moving(self, joint: Joint, parent: int, placement: Isometry3d) -> int:
        model, name = self.model, joint.getName()
        kind = self._joint_model(joint)
        if joint.type is JointType.FLOATING or name in self._rules:
            index: int = model.addJoint(parent, kind, self._se3(placement), name)
            return index
        limits = joint.limits
        effort, velocity = (0.0, 0.0) if limits is None else (limits.effort, limits.velocity)
        bounds = [np.array([number]) for number in (effort, velocity, *joint.position_bounds)]
        index = model.addJoint(parent, kind, self._se3(placement), name, *bounds)
        if joint.dynamics is not None:
            column = model.joints[index].idx_v
            model.damping[column] = joint.dynamics.damping
            model.lowerDryFrictionLimit[column] = -joint.dynamics.friction
            model.upperDryFrictionLimit[column] = joint.dynamics.friction
        return index

    def _joint_model(self, joint: Joint) -> Any:
        if joint.type is JointType.FLOATING:
            return self._pinocchio.JointModelFreeFlyer()
        if joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS):
            own = self._on_axis(joint, "JointModelR", "JointModelRevoluteUnaligned")
        elif joint.type is JointType.PRISMATIC:
            own = self._on_axis(joint, "JointModelP", "JointModelPrismaticUnaligned")
        else:
            raise UnsupportedError(
                f"to_pinocchio: joint {joint.getName()!r} is of type {joint.type.name}; fixed, "
                "revolute, continuous, prismatic and floating joints are taken"
            )
        if joint.getName() not in self._rules:
            return own
        name, factor, shift = self._rules[joint.getName()]
        master = self.model.joints[self.model.getJointId(name)]
        own.setIndexes(master.id, master.idx_q, master.idx_v)
        return self._pinocchio.JointModelMimic(self._pinocchio.JointModel(own), factor, shift)

    def _on_axis(self, joint: Joint, aligned: str, unaligned: str) -> Any:
        length = float(np.linalg.norm(joint.axis))
        if not 0.0 < length < np.inf:
            raise InvalidJointError(
                f"to_pinocchio: joint {joint.getName()!r} moves, but its axis is "
                f"{tuple(joint.axis.tolist())}"
            )
        axis = joint.axis / length
        letter = LETTERS.get(tuple(axis.tolist()))
        if letter is not None:
            return getattr(self._pinocchio, aligned + letter)()
        return getattr(self._pinocchio, unaligned)(axis)

    def _place_root(self, name: str) -> None:
        # pinocchio keeps the root's inertia with the frame, other links' with joint or fixed frame.
        inertia = self._inertia(name)
        body = (name, 0, 0, self._pinocchio.SE3.Identity(), self._pinocchio.FrameType.BODY)
        frame = self._pinocchio.Frame(*body, *([] if inertia is None else [inertia]))
        self._carried[name] = 0, Isometry3d(), self.model.addFrame(frame)

    def _put_body(self, name: str, index: int, pose: Isometry3d, frame: int) -> None:
        body = self.model.addBodyFrame(name, index, self._se3(pose), frame)
        self._carried[name] = index, pose, body

    def _inertia(self, link_name: str) -> Any:
        link: Link | None = self._graph.getLink(link_name)
        inertial = None if link is None else link.inertial
        if inertial is None:
            return None
        i = inertial
        about_centre = np.array(
            [[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]]
        )
        R = i.origin.rotation
        turned = R @ about_centre @ R.T
        return self._pinocchio.Inertia(
            float(i.mass), i.origin.translation.copy(), 0.5 * (turned + turned.T)
        )

    def _se3(self, pose: Isometry3d) -> Any:
        return self._pinocchio.SE3(pose.matrix.copy())
