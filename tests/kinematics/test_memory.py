"""Memory stays flat over many states and many edits."""

import gc
import sys
from collections.abc import Callable

import numpy as np
import pytest
from kinematics_cases import joint, small_robot

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver
from kinegraph.scene import Joint, SceneGraph

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/statm"),
]

STATES = 1_000_000
EDITS = 10_000
MOST_MB = 4.0
"""A leak of nine bytes per state or 420 per edit would show; the allocator's own noise is below."""


def resident_mb() -> float:
    """Memory that this process holds."""
    import resource

    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def growth(step: Callable[[int], None], count: int) -> float:
    """How much memory grows over `count` steps, after a tenth of them to settle, MB."""
    for i in range(count // 10):
        step(i)
    before = resident_mb()
    for i in range(count):
        step(i)
    return resident_mb() - before


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
