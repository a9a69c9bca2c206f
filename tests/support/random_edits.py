"""Random trees, edits and values from one `random.Random`, which hypothesis steers and shrinks."""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from kinematics_cases import joint
from solver_twin import MOVING, SolverTwin

from kinegraph.scene import Isometry3d, Joint, JointMimic, Link, SceneGraph

KINDS = ("fixed", "revolute", "revolute", "continuous", "prismatic", "floating")
AXES = ((0, 0, 1), (1, 0, 0), (0, -1, 0), (0, 0, -3), (1, 2, 3), (-0.3, 0.2, -0.9), (1e-9, 0, 1))
ANGLES = (0.0, 0.0, np.pi / 2, -np.pi / 2, np.pi, 0.3, -1.1, 2.5)

Call = tuple[str, tuple[Any, ...]]
"""Name and arguments of a method."""


def some_pose(random: Random) -> Isometry3d:
    """A transform; quarter turns and the identity are frequent."""
    steps = [random.randint(-200, 200) / 100.0 for _ in range(3)]
    return Isometry3d.from_rpy(steps, [random.choice(ANGLES) for _ in range(3)])


def some_joint(random: Random, name: str, ends: tuple[str, str], masters: list[str]) -> Joint:
    """A joint of any type that solvers take; now and then it follows one of `masters`."""
    made = joint(
        name,
        *ends,
        random.choice(KINDS),
        origin=some_pose(random),
        axis=random.choice(AXES),
        limits=(-1.0, *(random.randint(1, 30) / 10.0 for _ in range(5))),
    )
    if masters and random.randrange(3) == 0:
        factor, offset = random.choice([1.0, -1.0, 0.5, 2.0, 0.0]), random.choice([0.0, 0.1, -0.7])
        made.mimic = JointMimic(offset, factor, random.choice(masters))
    return made


def some_tree(random: Random, largest: int, prefix: str = "") -> SceneGraph:
    """A tree in which any link may carry the next one, and joints may follow earlier ones."""
    graph = SceneGraph("random")
    graph.addLink(Link(prefix + "root"))
    names = [prefix + "root"]
    movers: list[str] = []
    for i in range(random.randrange(largest)):
        child = f"{prefix}l{i}"
        made = some_joint(random, f"{prefix}j{i}", (random.choice(names), child), movers)
        assert graph.addLink(Link(child), made)
        names.append(child)
        if made.type in MOVING:
            movers.append(made.getName())
    return graph


class EditMaker:
    """Makes calls that fit a twin's present tree more often than not."""

    def __init__(self, random: Random, twin: SolverTwin, number: int) -> None:
        self.random, self.twin, self.number = random, twin, number
        self.links = [*twin.links, "nowhere"]
        self.names = [*twin.joints, "nothing"]
        self.movers = [name for name, made in twin.joints.items() if made.type in MOVING]

    def make(self) -> Call:
        """Return any of the eleven mutations, or `insertSceneGraph`; small trees tend to grow."""
        small = len(self.twin.links) < 12
        growing = ("addLink", "insertSceneGraph") * 2 if small else ()
        name = self.random.choice((*MUTATIONS, *growing))
        return getattr(self, "_" + name)()  # type: ignore[no-any-return]

    def _any(self, names: list[str]) -> str:
        return self.random.choice(names)

    def _new_name(self, old: str) -> str:
        return self.random.choice(
            [f"new{self.number}", f"new{self.number}", old, self._any(self.names)]
        )

    def _joint(self, name: str, parent: str, child: str) -> Joint:
        other = self._any([name, *self.names])  # leads nowhere more often than not
        masters = [self._any(self.movers), other] if self.movers else [other]
        return some_joint(self.random, name, (parent, child), masters)

    def _addLink(self) -> Call:
        child = self.random.choice([f"added{self.number}"] * 4 + [self._any(self.links)])
        name = self._new_name(f"new{self.number}")
        made = self._joint(name, self._any(self.links), child)
        other = self.random.choice([child] * 5 + ["other"])
        return "addLink", (Link(other), made)

    def _insertSceneGraph(self) -> Call:
        graph = some_tree(self.random, 5)
        if self.random.randrange(8) == 0:
            graph = SceneGraph("empty")
        prefix = self.random.choice([f"p{self.number}_"] * 4 + [""])
        child = prefix + self.random.choice(["root"] * 5 + ["l0"])
        name = self._new_name(f"new{self.number}")
        made = self._joint(name, self._any(self.links), child)
        return "insertSceneGraph", (graph, made, prefix)

    def _moveLink(self) -> Call:
        child = self._any(self.links)
        old = [n for n, made in self.twin.joints.items() if made.child_link_name == child]
        name = self._new_name(old[0] if old else "new")
        return "moveLink", (self._joint(name, self._any(self.links), child),)

    def _replaceJoint(self) -> Call:
        name = self._any(self.names)
        old = self.twin.joints.get(name)
        if old is None:
            return "replaceJoint", (self._joint(name, *self.twin.links[:1] * 2),)
        parent = self.random.choice([old.parent_link_name] * 2 + [self._any(self.links)])
        child = self.random.choice([old.child_link_name] * 6 + [self._any(self.links)])
        made = self._joint(name, parent, child)
        if (made.type in MOVING and old.type in MOVING) or self.random.randrange(2):
            made.type = old.type
            made.limits = made.limits or (None if old.limits is None else old.clone().limits)
        return "replaceJoint", (made,)

    def _removeLink(self) -> Call:
        return "removeLink", (self._any(self.links),)

    def _removeJoint(self) -> Call:
        return "removeJoint", (self._any(self.names),)

    def _moveJoint(self) -> Call:
        return "moveJoint", (self._any(self.names), self._any(self.links))

    def _changeJointOrigin(self) -> Call:
        return "changeJointOrigin", (self._any(self.names), some_pose(self.random))

    def _changeJointPositionLimits(self) -> Call:
        low, high = sorted(self.random.randint(-30, 30) / 10.0 for _ in range(2))
        # Not equal: a graph's continuous joint with equal bounds counts as one without.
        return "changeJointPositionLimits", (self._any(self.names), low, high + 0.1)

    def _limit(self, method: str) -> Call:
        return method, (self._any(self.names), self.random.randint(0, 90) / 10.0)

    def _changeJointVelocityLimits(self) -> Call:
        return self._limit("changeJointVelocityLimits")

    def _changeJointAccelerationLimits(self) -> Call:
        return self._limit("changeJointAccelerationLimits")

    def _changeJointJerkLimits(self) -> Call:
        return self._limit("changeJointJerkLimits")


MUTATIONS = (
    "addLink",
    "moveLink",
    "removeLink",
    "removeJoint",
    "replaceJoint",
    "moveJoint",
    "changeJointOrigin",
    "changeJointPositionLimits",
    "changeJointVelocityLimits",
    "changeJointAccelerationLimits",
    "changeJointJerkLimits",
    "insertSceneGraph",
)


def outcome(call: Call, owner: Any) -> str:
    """Carry out a call; return "True", "False" or the word for a rule that leads nowhere."""
    method: Callable[..., bool] = getattr(owner, call[0])
    try:
        return str(method(*call[1]))
    except ValueError:
        return "ValueError"
