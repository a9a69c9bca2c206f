"""Queries may run in several threads on one solver."""

import pickle
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from kinematics_cases import gripper_graph, joint, small_robot, up

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver, link_poses
from kinegraph.scene import Link

THREADS = 4


@pytest.mark.parametrize("kind", [OFKTStateSolver, KDLStateSolver])
def test_queries_in_threads_get_the_answers_of_one_thread(kind: Any) -> None:
    solver = kind(small_robot("fr3_hand"))
    rng = np.random.default_rng(9)
    qs = rng.uniform(-1.5, 1.5, (40, 8))
    links = solver.getLinkNames()

    def query(number: int) -> Any:
        q, link = qs[number % 40], links[number % len(links)]
        state = solver.getState(q)
        return (
            state,
            solver.getJacobian(q, link).tolist(),
            [np.asarray(pose).tolist() for pose in solver.getLinkTransforms()],
            solver.getLinkTransform(link),
            link_poses(solver, q).tolist(),
        )

    wanted = [query(number) for number in range(80)]
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(3):
            solver.setState(np.zeros(8))  # so that they all find poses out of date
            assert list(pool.map(query, range(80))) == wanted


def as_lists(poses: Any) -> list[Any]:
    return [np.asarray(pose).tolist() for pose in poses]


QUERIES: list[Callable[[OFKTStateSolver], Any]] = [
    lambda s: as_lists(s.getState().link_transforms.values()),
    lambda s: as_lists(s.getLinkTransforms()),
    lambda s: as_lists(s.getLinkTransform(name) for name in s.getLinkNames()),
    lambda s: as_lists([s.getRelativeLinkTransform("g_left_finger", "fr3_link4")]),
    lambda s: s.getJacobian({}, "g_left_finger").tolist(),
    lambda s: s.clone().getState().joints,
    lambda s: (s.getActiveLinkNames(), s.getLimits().joint_limits.tolist()),
    lambda s: s.getRandomState(3).joints,
]

EDITS: list[Callable[[OFKTStateSolver], Any]] = [
    lambda s: s.setState({"fr3_joint1": 0.7}),
    lambda s: s.setState(np.linspace(-1.0, 1.0, len(s.getActiveJointNames()))),
    lambda s: s.moveLink(joint("other", "fr3_link2", "g_palm", "revolute")),
    lambda s: s.changeJointOrigin("fr3_joint3", up(3.0)),
    lambda s: (s.changeJointOrigin("fr3_joint3", up(2.0)), s.setState({"fr3_joint2": 0.2})),
    lambda s: s.removeLink("g_tcp"),
    lambda s: s.moveJoint("fr3_joint5", "fr3_link1"),
    lambda s: s.replaceJoint(joint("fr3_joint7", "fr3_link6", "fr3_link7", "prismatic")),
]


def edited(first: int, second: int, *, read: bool) -> OFKTStateSolver:
    """A solver after an insertion and two edits, read or not between them."""
    solver = OFKTStateSolver(small_robot("fr3_hand"))
    solver.getState()
    assert solver.insertSceneGraph(gripper_graph(), joint("mount", "fr3_link7", "g_palm"), "g_")
    for edit in (first, second):
        EDITS[edit](solver)
        if read:
            solver.getLinkTransforms()
    return solver


@pytest.mark.parametrize("read", [True, False])
def test_the_first_queries_after_edits_may_come_from_several_threads(read: bool) -> None:
    with ThreadPoolExecutor(len(QUERIES)) as pool:
        for first in range(len(EDITS)):
            second = (3 * first + 1) % len(EDITS)
            wanted = [query(edited(first, second, read=read)) for query in QUERIES]
            solver, gate = edited(first, second, read=read), Barrier(len(QUERIES))

            def ask(number: int, solver: Any = solver, gate: Barrier = gate) -> Any:
                gate.wait(timeout=60.0)
                return QUERIES[number](solver)

            assert list(pool.map(ask, range(len(QUERIES)))) == wanted


@pytest.fixture
def eager_switches() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_switches")
def test_a_solver_can_be_pickled_while_others_read_it() -> None:
    solver = OFKTStateSolver(gripper_graph())
    meet = Barrier(3)

    def read() -> None:
        meet.wait()
        solver.getActiveJointNames()
        solver.getFloatingJointNames()
        solver.getState()
        solver.getLinkTransforms({})

    def keep() -> bytes:
        meet.wait()
        return pickle.dumps(solver)

    links = len(solver.getLinkNames())
    with ThreadPoolExecutor(3) as pool:
        for number in range(400):
            carried = joint(f"j{number}", solver.getBaseLinkName(), f"l{number}")
            assert solver.addLink(Link(f"l{number}"), carried)  # look-ups are to be made again
            kept, *readers = pool.submit(keep), pool.submit(read), pool.submit(read)
            for reader in readers:
                reader.result()
            assert len(pickle.loads(kept.result()).getLinkNames()) == links + number + 1
