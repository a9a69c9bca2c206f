"""The rules for edits of `state-solver.md` once more, slowly: dicts of joints, no arrays.

A twin predicts what a solver returns, the order of all its lists, its values and its limits; a
graph made of it gives the poses.
"""

from kinegraph.scene import Isometry3d, Joint, JointLimits, JointType, Link, SceneGraph

MOVING = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


class SolverTwin:
    """Links, joints and values of an `OFKTStateSolver`.

    Attributes:
        links: Link names in the order of `getLinkNames()`.
        joints: Joints in the order of `getJointNames()`.
        children: Outbound joints of each link, in the order of a walk through the tree.
        values: Value of each moving joint that is or was free, rad or m.
        follow: Whether mimic joints follow.
    """

    def __init__(self, graph: SceneGraph, *, follow: bool) -> None:
        """Start like a new solver of a tree."""
        root = graph.getRoot()
        self.links = [root]
        self.joints: dict[str, Joint] = {}
        self.children: dict[str, list[str]] = {root: []}
        self.values: dict[str, float] = {}
        self.follow = follow
        self._walk(graph, root)

    def _walk(self, graph: SceneGraph, link: str) -> None:
        for joint in graph.getOutboundJoints(link):
            self._append(joint.clone())
            self._walk(graph, joint.child_link_name)

    def _append(self, joint: Joint) -> None:
        """Put a joint and its child at the end of all lists."""
        name, child = joint.getName(), joint.child_link_name
        self.joints[name] = joint
        self.links.append(child)
        self.children.setdefault(child, [])
        self.children[joint.parent_link_name].append(name)
        if joint.type in MOVING:
            self.values[name] = 0.0

    # -- what a solver answers ---------------------------------------------------------------

    def follows(self, joint: Joint) -> bool:
        """Tell whether a joint takes its value from another one."""
        return self.follow and joint.mimic is not None and joint.type in MOVING

    def active(self) -> list[str]:
        """Joints with a value of their own."""
        return [n for n, j in self.joints.items() if j.type in MOVING and not self.follows(j)]

    def floating(self) -> dict[str, Isometry3d]:
        """Values of the floating joints."""
        return {
            name: joint.parent_to_joint_origin_transform
            for name, joint in self.joints.items()
            if joint.type is JointType.FLOATING
        }

    def value(self, name: str) -> float:
        """Value of a moving joint, followers included."""
        joint = self.joints[name]
        if not self.follows(joint):
            return self.values[name]
        rule = joint.mimic
        assert rule is not None
        return rule.multiplier * self.value(rule.joint_name) + rule.offset

    def limits(self, name: str) -> JointLimits:
        """Limits of a moving joint."""
        found = self.joints[name].limits
        assert found is not None
        return found

    def graph(self) -> SceneGraph:
        """The tree as a graph, floating values as origins."""
        made = SceneGraph("twin")
        made.addLink(Link(self.links[0]))
        waiting = [self.links[0]]
        while waiting:
            for name in self.children[waiting.pop()]:
                joint = self.joints[name]
                assert made.addLink(Link(joint.child_link_name), joint.clone())
                waiting.append(joint.child_link_name)
        return made

    # -- rules -------------------------------------------------------------------------------

    def _below(self, link: str) -> list[str]:
        found = [link]
        for each in found:  # grows
            found += [self.joints[name].child_link_name for name in self.children[each]]
        return found

    def _inbound(self, link: str) -> str:
        return next(name for name, joint in self.joints.items() if joint.child_link_name == link)

    def _leads_nowhere(self, joints: dict[str, Joint]) -> bool:
        """Tell whether some follower has no master that moves."""
        for joint in joints.values():
            seen = set()
            while self.follows(joint):
                if joint.getName() in seen:
                    return True
                seen.add(joint.getName())
                rule = joint.mimic
                assert rule is not None
                master = joints.get(rule.joint_name)
                if master is None or master.type not in MOVING:
                    return True
                joint = master
        return False

    def _followers(self, names: set[str]) -> set[str]:
        return {
            name
            for name, joint in self.joints.items()
            if self.follows(joint) and joint.mimic is not None and joint.mimic.joint_name in names
        }

    # -- edits: True, False, or ValueError for a mimic rule that leads nowhere ---------------

    def addLink(self, link: Link, joint: Joint) -> bool:
        """As `MutableStateSolver.addLink`, and so are the others."""
        alone = SceneGraph("alone")
        alone.addLink(link)
        return self.insertSceneGraph(alone, joint)

    def insertSceneGraph(self, graph: SceneGraph, joint: Joint, prefix: str = "") -> bool:
        if graph.isEmpty() or joint.child_link_name != prefix + graph.getRoot():
            return False
        branch = SolverTwin(graph, follow=self.follow)
        links = [prefix + link for link in branch.links]
        new = [joint.clone()]
        for each in branch.joints.values():
            new.append(_renamed(each, prefix))
        names = [each.getName() for each in new]
        if joint.parent_link_name not in self.links or len(set(names)) < len(names):
            return False
        if set(links) & set(self.links) or set(names) & set(self.joints):
            return False
        if self._leads_nowhere({**self.joints, **dict(zip(names, new, strict=True))}):
            raise ValueError
        for each in new:
            self._append(each)
        return True

    def moveLink(self, joint: Joint) -> bool:
        child, parent = joint.child_link_name, joint.parent_link_name
        if child not in self.links[1:] or parent not in self.links or parent in self._below(child):
            return False
        old, new = self._inbound(child), joint.getName()
        if new != old and new in self.joints:
            return False
        if self._followers({old}) - {old} and (new != old or joint.type not in MOVING):
            return False
        if self._leads_nowhere({n: j for n, j in self.joints.items() if n != old} | {new: joint}):
            raise ValueError
        self.children[self.joints[old].parent_link_name].remove(old)
        del self.joints[old]
        self.values.pop(old, None)
        self.links.remove(child)
        self._append(joint.clone())
        return True

    def removeLink(self, name: str) -> bool:
        if name not in self.links[1:]:
            return False
        gone = self._below(name)
        joints = {self._inbound(link) for link in gone}
        if self._followers(joints) - joints:
            return False
        top = self._inbound(name)
        self.children[self.joints[top].parent_link_name].remove(top)
        for link in gone:
            self.links.remove(link)
            del self.children[link]
        for joint in joints:
            del self.joints[joint]
            self.values.pop(joint, None)
        return True

    def removeJoint(self, name: str) -> bool:
        return name in self.joints and self.removeLink(self.joints[name].child_link_name)

    def replaceJoint(self, joint: Joint) -> bool:
        name, parent = joint.getName(), joint.parent_link_name
        old = self.joints.get(name)
        if old is None or parent not in self.links or old.child_link_name != joint.child_link_name:
            return False
        if parent in self._below(old.child_link_name):
            return False
        if (old.type, old.parent_link_name) != (joint.type, parent):
            return self.moveLink(joint)
        if self._leads_nowhere({**self.joints, name: joint}):
            raise ValueError
        if self.follows(old):
            self.values[name] = self.value(name)
        self.joints[name] = joint.clone()
        self._to_the_end(name, parent)
        return True

    def moveJoint(self, name: str, parent_link: str) -> bool:
        joint = self.joints.get(name)
        if joint is None or parent_link not in self.links:
            return False
        if parent_link in self._below(joint.child_link_name):
            return False
        self._to_the_end(name, parent_link)
        joint.parent_link_name = parent_link
        return True

    def _to_the_end(self, name: str, parent: str) -> None:
        """Make a joint the last child of its new parent."""
        next(names for names in self.children.values() if name in names).remove(name)
        self.children[parent].append(name)

    def changeJointOrigin(self, name: str, new_origin: Isometry3d) -> bool:
        if name not in self.joints:
            return False
        self.joints[name].parent_to_joint_origin_transform = new_origin
        return True

    def changeJointPositionLimits(self, name: str, lower: float, upper: float) -> bool:
        return self._set_limits(name, lower=lower, upper=upper)

    def changeJointVelocityLimits(self, name: str, limit: float) -> bool:
        return self._set_limits(name, velocity=limit)

    def changeJointAccelerationLimits(self, name: str, limit: float) -> bool:
        return self._set_limits(name, acceleration=limit)

    def changeJointJerkLimits(self, name: str, limit: float) -> bool:
        return self._set_limits(name, jerk=limit)

    def _set_limits(self, name: str, **changes: float) -> bool:
        if name not in self.joints or self.joints[name].type not in MOVING:
            return False
        for what, value in changes.items():
            setattr(self.limits(name), what, value)
        return True


def _renamed(joint: Joint, prefix: str) -> Joint:
    """A copy of a joint with a prefix before all names."""
    made = Joint(prefix + joint.getName())
    for what in ("type", "axis", "parent_to_joint_origin_transform", "limits", "mimic"):
        setattr(made, what, getattr(joint.clone(), what))
    made.parent_link_name = prefix + joint.parent_link_name
    made.child_link_name = prefix + joint.child_link_name
    if made.mimic is not None:
        made.mimic.joint_name = prefix + made.mimic.joint_name
    return made
