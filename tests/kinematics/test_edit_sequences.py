"""Random edits one after another, with and without looking at the whole scene in between.

A solver keeps its tree in another form from the first edit until somebody asks for all of it; both
forms, and the ways between them, must give the same answers as a solver that has seen no edit.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from edit_reference import Reference, moves
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_scenes import joints, origins, trees

from kinegraph.kinematics import OFKTStateSolver
from kinegraph.scene import InvalidJointError, JointMimic, Link, SceneGraph

TOLERANCE = 1e-11

slowly = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class Pair:
    """A solver and what it should be."""

    def __init__(self, graph: SceneGraph, data: Any) -> None:
        self.solver = OFKTStateSolver(graph)
        self.reference = Reference(graph)
        self.draw: Callable[[Any], Any] = data.draw
        self.number = 0

    # -- edits -------------------------------------------------------------------------------

    def edit(self) -> None:
        """One edit that may or may not fit."""
        self.number += 1
        kinds = ("add", "insert", "move", "replace", "moveJoint", "origin", "limits", "remove")
        with suppress(InvalidJointError):  # a mimic rule that leads nowhere
            getattr(self, "edit_" + self.draw(st.sampled_from(kinds)))()

    def some_link(self) -> str:
        return self.draw(st.sampled_from(self.reference.links()))  # type: ignore[no-any-return]

    def some_joint(self) -> str:
        names = list(self.reference.joints) or ["nothing"]
        return self.draw(st.sampled_from(names))  # type: ignore[no-any-return]

    def made(self, name: str, parent: str, child: str) -> Any:
        """A joint; some follow another one."""
        made = self.draw(joints(name, parent, child))
        if moves(made) and self.draw(st.booleans()):
            made.mimic = JointMimic(0.25, -1.5, self.some_joint())
        return made

    def edit_add(self) -> None:
        made = self.made(f"j{self.number}", self.some_link(), f"l{self.number}")
        if self.solver.addLink(Link(made.child_link_name), made):
            self.reference.add(made)

    def edit_insert(self) -> None:
        graph = self.draw(trees("", 4))
        followers = [joint.clone() for joint in graph.getJoints() if moves(joint)]
        if len(followers) > 1:
            followers[0].mimic = JointMimic(0.5, 2.0, followers[-1].getName())
            graph.removeJoint(followers[0].getName())
            assert graph.addJoint(followers[0])
        prefix = f"p{self.number}_"
        made = self.made(prefix + "mount", self.some_link(), prefix + graph.getRoot())
        if self.solver.insertSceneGraph(graph, made, prefix):
            self.reference.add(made)
            for name in OFKTStateSolver(graph).getJointNames():
                inner = graph.getJoint(name)
                assert inner is not None
                copy = inner.clone(prefix + name)
                copy.parent_link_name = prefix + inner.parent_link_name
                copy.child_link_name = prefix + inner.child_link_name
                if copy.mimic is not None:
                    copy.mimic.joint_name = prefix + copy.mimic.joint_name
                self.reference.add(copy)

    def edit_move(self) -> None:
        child = self.some_link()
        name = f"m{self.number}"
        if child != self.reference.root and self.draw(st.booleans()):
            name = self.reference.carrier(child)
        made = self.made(name, self.some_link(), child)
        if self.solver.moveLink(made):
            self.reference.move(made)

    def edit_replace(self) -> None:
        name = self.some_joint()
        old = self.reference.joints.get(name)
        if old is None:
            return
        parent = self.draw(st.sampled_from([old.parent_link_name, self.some_link()]))
        made = self.made(name, parent, old.child_link_name)
        if self.draw(st.booleans()):
            made.type = old.type
            made.limits = old.limits.clone() if old.limits is not None else made.limits
            made.mimic = made.mimic if moves(made) else None
        if self.solver.replaceJoint(made):
            self.reference.replace(made)

    def edit_moveJoint(self) -> None:
        name, parent = self.some_joint(), self.some_link()
        if self.solver.moveJoint(name, parent):
            self.reference.change(name, parent_link_name=parent)

    def edit_origin(self) -> None:
        name, origin = self.some_joint(), self.draw(origins())
        if self.solver.changeJointOrigin(name, origin):
            self.reference.change(name, parent_to_joint_origin_transform=origin)

    def edit_limits(self) -> None:
        name = self.some_joint()
        if self.solver.changeJointVelocityLimits(name, float(self.number)):
            self.reference.joints[name].limits.velocity = float(self.number)  # type: ignore[union-attr]

    def edit_remove(self) -> None:
        link = self.some_link()
        if self.solver.removeLink(link):
            self.reference.remove(link)

    # -- values ------------------------------------------------------------------------------

    def set_values(self) -> None:
        """Set all values, some, or a floating joint's."""
        active = self.reference.active()
        numbers = st.floats(-3.0, 3.0)
        if self.draw(st.booleans()):
            q = [self.draw(numbers) for _ in active]
            self.solver.setState(np.array(q))
            self.reference.values.update(zip(active, q, strict=True))
        elif active:
            some = {self.draw(st.sampled_from(active)): self.draw(numbers)}
            self.solver.setState(some)
            self.reference.values.update(some)
        if self.reference.floating and self.draw(st.booleans()):
            name = self.draw(st.sampled_from(list(self.reference.floating)))
            origin = self.draw(origins())
            self.solver.setState({name: origin})
            self.reference.change(name, parent_to_joint_origin_transform=origin)

    # -- comparing ---------------------------------------------------------------------------

    def check_some(self) -> None:
        """Compare what needs no look at the whole scene."""
        solver, wanted = self.solver, self.reference.state().link_transforms
        one, other = self.some_link(), self.some_link()
        np.testing.assert_allclose(solver.getLinkTransform(one), wanted[one], atol=TOLERANCE)
        np.testing.assert_allclose(
            solver.getRelativeLinkTransform(one, other),
            wanted[one].inverse() * wanted[other],
            atol=TOLERANCE,
        )
        assert solver.getBaseLinkName() == self.reference.root
        assert solver.hasLinkName(one)
        assert not solver.hasLinkName("nowhere")

    def check_all(self) -> None:
        """Compare everything."""
        solver, reference = self.solver, self.reference
        assert solver.getLinkNames() == reference.links()
        assert solver.getJointNames() == list(reference.joints)
        assert solver.getActiveJointNames() == reference.active()
        velocities = [reference.joints[n].limits.velocity for n in reference.active()]  # type: ignore[union-attr]
        assert solver.getLimits().velocity_limits[:, 1].tolist() == velocities
        found, wanted = solver.getState(), reference.state()
        assert found.joints.keys() == wanted.joints.keys()
        for name, value in wanted.joints.items():
            assert abs(found.joints[name] - value) <= TOLERANCE
        for name, pose in wanted.link_transforms.items():
            np.testing.assert_allclose(
                found.link_transforms[name], pose, atol=TOLERANCE, err_msg=name
            )


@slowly
@given(trees(largest=8), st.data())
def test_edits_in_a_row_equal_a_solver_without_edits(graph: SceneGraph, data: Any) -> None:
    pair = Pair(graph, data)
    if data.draw(st.booleans()):
        pair.solver.getState()  # then poses are kept up from here on
    for _ in range(data.draw(st.integers(1, 12))):
        pair.edit()
        if data.draw(st.booleans()):
            pair.set_values()
        if data.draw(st.booleans()):
            pair.check_some()
        if data.draw(st.integers(0, 3)) == 0:
            pair.check_all()
    twin = pair.solver.clone()
    pair.check_all()
    pair.solver = twin
    pair.check_all()
