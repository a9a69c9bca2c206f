"""Memory stays flat over many states and many edits."""

import gc
import sys
from collections.abc import Callable

import numpy as np
import pytest
from kinematics_cases import joint, small_robot

from kinegraph.kinematics import (
    KDLStateSolver,
    KinematicGroup,
    KinGroupIKInput,
    OFKTStateSolver,
)
from kinegraph.scene import Joint, Link, SceneGraph

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/statm"),
]

STATES = 1_000_000
EDITS = 10_000
ROUNDS, MOST_MB = 3, 4.0
"""A leak of nine bytes per state or 420 per edit would show; the allocator's own noise is below."""


def resident_mb() -> float:
    """Memory that this process holds."""
    import resource

    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def growth(step: Callable[[int], None], count: int) -> float:
    """How much memory grows over `count` steps, after a tenth of them to settle, MB.

    A leak shows in every round; pages that the system hands out by the megabyte in one of them.
    """
    for i in range(count // 10):
        step(i)
    least = np.inf
    for begin in range(0, ROUNDS * count, count):
        before = resident_mb()
        for i in range(begin, begin + count):
            step(i)
        least = min(least, resident_mb() - before)
        if least < MOST_MB:
            break
    return float(least)


@pytest.mark.parametrize("kind", [OFKTStateSolver, KDLStateSolver])
def test_memory_is_flat_over_a_million_calls(kind: type) -> None:
    solver = kind(small_robot("ur5"))
    values = np.random.default_rng(1).uniform(-1, 1, (1000, 6))
    names = solver.getActiveJointNames()

    def step(i: int) -> None:
        solver.setState(values[i % 1000])
        if i % 2:
            solver.getState()
        else:
            solver.getState({names[i % 6]: 0.5})

    assert growth(step, STATES // 2) < MOST_MB


def test_memory_is_flat_when_states_are_read() -> None:
    solver = OFKTStateSolver(small_robot("fr3_hand"))
    values = np.random.default_rng(1).uniform(-1, 1, (1000, len(solver.getActiveJointNames())))

    def step(i: int) -> None:
        solver.setState(values[i % 1000])
        state = solver.getState()
        assert state.link_transforms["fr3_hand_tcp"].matrix.shape == (4, 4)
        solver.getJacobian(values[i % 1000], "fr3_hand_tcp")

    assert growth(step, STATES // 20) < MOST_MB


@pytest.fixture
def tool() -> SceneGraph:
    """A graph to attach."""
    return small_robot("synth_a")


def mount(parent: str, prefix: str) -> Joint:
    """The joint that carries the tool."""
    return joint(prefix + "mount", parent, prefix + "world", "fixed")


def test_memory_is_flat_over_ten_thousand_inserts_into_a_solver(tool: SceneGraph) -> None:
    solver = OFKTStateSolver(small_robot("ur5"))
    before = solver.getLinkNames()

    def step(i: int) -> None:
        prefix = f"tool{i}/"  # new names each time: none may stay behind
        assert solver.insertSceneGraph(tool, mount("tool0", prefix), prefix)
        solver.getState()
        assert solver.removeLink(prefix + "world")

    assert growth(step, EDITS) < MOST_MB
    assert solver.getLinkNames() == before


def test_memory_is_flat_over_ten_thousand_inserts_into_a_graph(tool: SceneGraph) -> None:
    graph = small_robot("ur5")
    before = [link.getName() for link in graph.getLinks()]

    def step(i: int) -> None:
        prefix = f"tool{i}/"
        assert graph.insertSceneGraph(tool, mount("tool0", prefix), prefix)
        assert graph.removeLink(prefix + "world", True)

    assert growth(step, EDITS) < MOST_MB
    assert [link.getName() for link in graph.getLinks()] == before


def test_memory_is_flat_over_edits_that_leave_holes() -> None:
    solver = OFKTStateSolver(small_robot("ur5"))
    assert solver.addLink(Link("kept"), joint("kept", "tool0", "kept", "revolute"))

    def step(i: int) -> None:
        for name in (f"a{i}", f"b{i}"):
            assert solver.addLink(Link(name), joint("j" + name, "kept", name, "revolute"))
        assert solver.removeLink(f"a{i}")  # not the last row
        assert solver.moveLink(joint(f"k{i}", "forearm_link", "kept", "revolute"))
        assert solver.moveJoint(f"k{i}", "tool0")
        assert solver.changeJointVelocityLimits(f"k{i}", 2.0)
        solver.setState({f"k{i}": 0.1})
        solver.getLinkTransform("kept")
        if i % 3 == 0:
            solver.getState()
        assert solver.removeJoint(f"jb{i}")

    assert growth(step, EDITS) < MOST_MB
    assert len(solver.getLinkNames()) == len(OFKTStateSolver(small_robot("ur5")).getLinkNames()) + 1


def test_memory_is_flat_over_edits_of_a_graph() -> None:
    graph = small_robot("ur5")

    def step(i: int) -> None:
        name = f"l{i}"
        assert graph.addLink(Link(name), joint("j" + name, "tool0", name, "revolute"))
        assert graph.moveJoint("j" + name, "forearm_link")
        assert graph.changeJointOrigin("j" + name, np.eye(4))
        assert graph.changeJointVelocityLimits("j" + name, 2.0)
        graph.addAllowedCollision(name, "tool0", "near")
        if i % 10 == 0:
            assert graph.isTree()
            graph.getShortestPath("base_link", name)
            OFKTStateSolver(graph)
        assert graph.removeLink(name)

    assert growth(step, EDITS) < MOST_MB


def test_memory_is_flat_over_group_calls() -> None:
    solver = OFKTStateSolver(small_robot("ur5"))
    group = KinematicGroup("arm", solver.getActiveJointNames(), solver)
    values = np.random.default_rng(1).uniform(-1, 1, (1000, 6))
    wanted = KinGroupIKInput(group.calcFwdKin(values[0])["tool0"], "base_link", "tool0")

    def step(i: int) -> None:
        q = values[i % 1000]
        group.calcFwdKin(q)
        group.calcJacobian(q, "tool0")
        if i % 20 == 0:
            group.calcInvKin(wanted, q)

    assert growth(step, STATES // 20) < MOST_MB
