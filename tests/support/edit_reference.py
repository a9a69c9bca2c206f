"""What edits of a solver mean, written down in the plainest way: a list of joints and a dict."""

from typing import Any

from kinegraph.kinematics import OFKTStateSolver, SceneState
from kinegraph.scene import Isometry3d, Joint, Link, SceneGraph

ACTIVE = ("REVOLUTE", "CONTINUOUS", "PRISMATIC")


def moves(joint: Joint) -> bool:
    """Whether a joint has a value, its own or a computed one."""
    return joint.type.name in ACTIVE


class Reference:
    """The joints of a solver in the order of its lists, and the values of the active ones."""

    def __init__(self, graph: SceneGraph) -> None:
        self.root = graph.getRoot()
        self.joints: dict[str, Joint] = {}
        self.values: dict[str, float] = {}
        self.floating: dict[str, Isometry3d] = {}
        for name in OFKTStateSolver(graph).getJointNames():
            made = graph.getJoint(name)
            assert made is not None
            self.add(made.clone())

    def add(self, joint: Joint) -> None:
        """A joint that comes last."""
        self.joints[joint.getName()] = joint
        self.reset(joint)

    def reset(self, joint: Joint) -> None:
        """Give a joint the value that a new one has."""
        name = joint.getName()
        self.values.pop(name, None)
        self.floating.pop(name, None)
        if joint.type.name == "FLOATING":
            self.floating[name] = joint.parent_to_joint_origin_transform
        elif moves(joint) and joint.mimic is None:
            self.values[name] = 0.0

    def value(self, name: str) -> float:
        """The value of a joint that moves."""
        joint = self.joints[name]
        if joint.mimic is None:
            return self.values[name]
        rule = joint.mimic
        return rule.multiplier * self.value(rule.joint_name) + rule.offset

    def carrier(self, link: str) -> str:
        """The joint that carries a link."""
        return next(n for n, joint in self.joints.items() if joint.child_link_name == link)

    def remove(self, link: str) -> None:
        """A link with all below it goes."""
        doomed = [link]
        for each in doomed:
            doomed += [
                j.child_link_name for j in self.joints.values() if j.parent_link_name == each
            ]
        for each in doomed:
            name = self.carrier(each)
            self.values.pop(name, None)
            self.floating.pop(name, None)
            del self.joints[name]

    def move(self, joint: Joint) -> None:
        """A link is carried by a joint that comes last, in place of its old one."""
        old = self.carrier(joint.child_link_name)
        self.values.pop(old, None)
        self.floating.pop(old, None)
        del self.joints[old]
        self.add(joint)

    def replace(self, joint: Joint) -> None:
        """A joint in the place of the one with its name, or at the end."""
        name = joint.getName()
        old = self.joints[name]
        if old.type != joint.type or old.parent_link_name != joint.parent_link_name:
            self.move(joint)
            return
        kept = self.value(name) if moves(old) else 0.0
        self.joints[name] = joint
        self.reset(joint)
        if name in self.values:
            self.values[name] = kept

    def change(self, name: str, **fields: Any) -> None:
        """Other fields of a joint that stays in its place."""
        joint = self.joints[name]
        for field, value in fields.items():
            setattr(joint, field, value)
        if name in self.floating:
            self.floating[name] = joint.parent_to_joint_origin_transform

    def links(self) -> list[str]:
        """All links in the order of the lists."""
        return [self.root, *(joint.child_link_name for joint in self.joints.values())]

    def active(self) -> list[str]:
        """The joints with a value of their own, in the order of the lists."""
        return [name for name in self.joints if name in self.values]

    def state(self) -> SceneState:
        """The state, from a solver that has seen no edit."""
        graph = SceneGraph("edited")
        for link in self.links():
            graph.addLink(Link(link))
        for joint in self.joints.values():
            assert graph.addJoint(joint)
        return OFKTStateSolver(graph).getState(self.values, self.floating)
