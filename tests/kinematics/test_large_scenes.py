"""Long chains of rules and links with many children: the work grows with the size, no faster.

The bounds are for hangs: the work takes less than a tenth of them.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from kinematics_cases import joint

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver
from kinegraph.scene import JointMimic, Link, SceneGraph

CHILDREN = 5000


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Of this thread's own work: what else the machine does is no matter."""
    start = time.thread_time()
    yield
    assert time.thread_time() - start < seconds


def bush(followers: str = "") -> SceneGraph:
    """Many links on one; each joint follows the one before it, or the one after it."""
    graph = SceneGraph("bush")
    graph.addLink(Link("base"))
    for i in range(CHILDREN):
        made = joint(f"j{i}", "base", f"l{i}", "revolute")
        if followers == "forwards" and i > 0:
            made.mimic = JointMimic(0.25, 1.0, f"j{i - 1}")
        if followers == "backwards" and i < CHILDREN - 1:
            made.mimic = JointMimic(0.25, 1.0, f"j{i + 1}")
        assert graph.addLink(Link(f"l{i}"), made)
    return graph


@pytest.mark.parametrize("followers", ["forwards", "backwards"])
def test_a_long_chain_of_mimic_rules_is_resolved_at_once(followers: str) -> None:
    graph = bush(followers)
    first, last = ("j0", f"j{CHILDREN - 1}")[:: 1 if followers == "forwards" else -1]
    with within(20.0):
        solver = OFKTStateSolver(graph)
        assert KDLStateSolver(graph).getActiveJointNames() == [first]
        assert solver.getActiveJointNames() == [first]
        assert solver.addLink(Link("more"), joint("more", "base", "more", "revolute"))
        assert solver.removeLink("more")
    solver.setState([0.5])
    assert solver.getState().joints[last] == 0.5 + 0.25 * (CHILDREN - 1)


def test_children_that_were_moved_do_not_make_later_edits_slow() -> None:
    solver = OFKTStateSolver(bush())
    moved = range(200, 0, -1)
    with within(30.0):
        for i in moved:
            assert solver.moveJoint(f"j{i}", "base")
    kept = [f"l{i}" for i in range(CHILDREN) if i not in moved]
    assert solver.getActiveLinkNames() == kept + [f"l{i}" for i in moved]
    values = np.linspace(-1.0, 1.0, CHILDREN)
    solver.setState(values)
    assert solver.getState().joints[f"j{CHILDREN - 1}"] == 1.0
