"""Random edits, values and reads in any mixture: the solver equals its slow twin after each."""

import pickle
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_edits import MUTATIONS, EditMaker, outcome, some_pose, some_tree
from solver_kinds import snapshot
from solver_twin import SolverTwin

from kinegraph.kinematics import KDLStateSolver, KinematicLimits, OFKTStateSolver

TOLERANCE = 1e-12
Mimic = Any


def close(found: Any, wanted: Any, what: str = "") -> None:
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=TOLERANCE, err_msg=what)


def close_maps(found: Any, wanted: Any) -> None:
    assert found.keys() == wanted.keys()
    for name, pose in wanted.items():
        close(found[name], pose, name)


def rows(limits: KinematicLimits) -> list[list[float]]:
    """Lower, upper, velocity, acceleration, jerk of each joint; the lower halves are checked."""
    for both in (limits.velocity_limits, limits.acceleration_limits, limits.jerk_limits):
        np.testing.assert_array_equal(both[:, 0], -both[:, 1])
    others = (limits.velocity_limits, limits.acceleration_limits, limits.jerk_limits)
    found: list[list[float]] = np.column_stack(
        [limits.joint_limits, *(both[:, 1] for both in others)]
    ).tolist()
    return found


def check_lists(solver: OFKTStateSolver, twin: SolverTwin) -> None:
    assert solver.getLinkNames() == twin.links
    assert solver.getJointNames() == list(twin.joints)
    assert solver.getActiveJointNames() == twin.active()
    assert solver.getFloatingJointNames() == list(twin.floating())
    assert all(solver.hasLinkName(name) for name in twin.links)
    wanted = []
    for name in twin.active():
        limits = twin.limits(name)
        wanted.append(
            [limits.lower, limits.upper, limits.velocity, limits.acceleration, limits.jerk]
        )
    assert rows(solver.getLimits()) == wanted


def check_poses(solver: OFKTStateSolver, twin: SolverTwin, random: Random, mimic: Mimic) -> None:
    graph = twin.graph()
    values = {name: twin.values[name] for name in twin.active()}
    link, base = random.choice(twin.links), random.choice(twin.links)
    state = solver.getState()
    # Not exactly: a joint that followed another and is free now keeps the value it had.
    assert {name: state.joints[name] for name in values} == pytest.approx(values, abs=TOLERANCE)
    assert state.joints == pytest.approx({n: twin.value(n) for n in state.joints}, abs=TOLERANCE)
    assert state.floating_joints == twin.floating()
    for other in (OFKTStateSolver(graph, mimic=mimic), KDLStateSolver(graph, mimic=mimic)):
        other.setState(values)
        wanted = other.getState()
        assert state.joints.keys() == wanted.joints.keys()
        close_maps(state.link_transforms, wanted.link_transforms)
        close_maps(state.joint_transforms, wanted.joint_transforms)
        assert solver.getActiveLinkNames() == other.getActiveLinkNames()
        assert solver.getStaticLinkNames() == other.getStaticLinkNames()
        order = [solver.getActiveJointNames().index(name) for name in other.getActiveJointNames()]
        limits = rows(solver.getLimits())
        assert [limits[column] for column in order] == rows(other.getLimits())
        J = solver.getJacobian({}, link)[:, order]
        close(J, other.getJacobian({}, link), link)
        J = solver.getJacobian(solver.getState().joints if mimic == "independent" else values, link,
                               link_point=[0.1, -0.2, 0.3], base_link=base)  # fmt: skip
        close(J[:, order], other.getJacobian({}, link, link_point=[0.1, -0.2, 0.3], base_link=base))
        drawn = other.getRandomState(random.randrange(1000)).joints
        drawn = {name: drawn[name] for name in values}
        close_maps(solver.getState(drawn).link_transforms, other.getState(drawn).link_transforms)
    check_reads(solver, state.link_transforms, (base, link))


def check_reads(solver: OFKTStateSolver, poses: Any, ends: tuple[str, str]) -> None:
    """All ways to read poses agree."""
    for name, pose in zip(solver.getLinkNames(), solver.getLinkTransforms(), strict=True):
        close(pose, poses[name], name)
        close(solver.getLinkTransform(name), poses[name], name)
    relative = poses[ends[0]].inverse() @ poses[ends[1]]
    close(solver.getRelativeLinkTransform(*ends), relative)
    inside = solver.getRandomState(3)
    found = [inside.joints[name] for name in solver.getActiveJointNames()]
    limits = solver.getLimits().joint_limits
    assert all(low <= value <= high for value, (low, high) in zip(found, limits, strict=True))


def change_values(solver: OFKTStateSolver, twin: SolverTwin, random: Random) -> None:
    """Set some joints, in any form."""
    active, floating = twin.active(), list(twin.floating())
    names = random.sample(active, random.randint(min(1, len(active)), min(3, len(active))))
    values = {name: random.randint(-300, 300) / 100.0 for name in names}
    count = random.randint(0, len(floating)) if random.randrange(3) == 0 else 0
    chosen = random.sample(floating, count)
    poses = {name: some_pose(random) for name in chosen}
    more = (poses,) if poses or random.randrange(4) == 0 else ()
    form = random.choice((0, 0, 0, 1, 2))
    if form == 0:
        solver.setState(values, *more)
    elif form == 1:
        solver.setState(names, list(values.values()), *more)
    else:
        solver.setState(np.array([{**twin.values, **values}[name] for name in active]), *more)
    twin.values |= values
    for name, pose in poses.items():
        twin.changeJointOrigin(name, pose)


class Session:
    """A solver and its twin through a random sequence of steps."""

    def __init__(self, random: Random, mimic: Mimic) -> None:
        self.random, self.mimic = random, mimic
        graph = some_tree(random, 12)
        self.solver = OFKTStateSolver(graph, mimic=mimic)
        self.twin = SolverTwin(graph, follow=mimic == "follow")
        self.seen: Counter[tuple[str, str]] = Counter()

    def step(self, number: int) -> None:
        kind = self.random.randrange(20)
        if kind < 9:
            self.edit(number)
        elif kind < 13:
            change_values(self.solver, self.twin, self.random)
        elif kind < 17:
            self.peek()
        elif kind < 19:
            self.check()
        else:
            self.solver = self.copied()

    def edit(self, number: int) -> None:
        """Edit both; most often without a look at the solver before or after."""
        call = EditMaker(self.random, self.twin, number).make()
        looked_at = self.random.randrange(4) == 0
        before = snapshot(self.solver) if looked_at else None
        kept = self.solver.clone() if looked_at else None
        wanted, found = outcome(call, self.twin), outcome(call, self.solver)
        assert found == wanted, call
        self.seen[call[0], found] += 1
        if kept is None:
            return
        if found != "True":
            assert snapshot(self.solver) == before
        assert snapshot(kept) == before
        check_lists(self.solver, self.twin)

    def peek(self) -> None:
        """Look at a few links only, which does not need the order of the rows."""
        links, solver = self.twin.links, self.solver
        fresh = OFKTStateSolver(self.twin.graph(), mimic=self.mimic)
        fresh.setState({name: self.twin.values[name] for name in self.twin.active()})
        for _ in range(self.random.randint(1, 3)):
            base, link = self.random.choice(links), self.random.choice(links)
            close(solver.getLinkTransform(link), fresh.getLinkTransform(link), link)
            wanted = fresh.getRelativeLinkTransform(base, link)
            close(solver.getRelativeLinkTransform(base, link), wanted, link)
        assert solver.getBaseLinkName() == links[0]
        assert solver.hasLinkName("nowhere") == ("nowhere" in links)
        assert all(map(solver.hasLinkName, links))

    def copied(self) -> OFKTStateSolver:
        if self.random.randrange(2):
            return self.solver.clone()
        made: OFKTStateSolver = pickle.loads(pickle.dumps(self.solver))
        return made

    def check(self) -> None:
        check_lists(self.solver, self.twin)
        check_poses(self.solver, self.twin, self.random, self.mimic)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.randoms(use_true_random=False), st.sampled_from(["follow", "independent"]))
def test_a_solver_equals_its_twin_after_any_sequence_of_steps(random: Random, mimic: str) -> None:
    session = Session(random, mimic)
    for number in range(random.randint(1, 12)):
        session.step(number)
    session.check()


@pytest.mark.parametrize("mimic", ["follow", "independent"])
def test_the_sequences_contain_every_mutation_taken_and_refused(mimic: str) -> None:
    wanted = {(name, answer) for name in MUTATIONS for answer in ("True", "False")}
    if mimic == "follow":
        wanted |= {(name, "ValueError") for name in ("addLink", "moveLink", "replaceJoint")}
    seen: Counter[tuple[str, str]] = Counter()
    for seed in range(200):
        session = Session(Random(seed), mimic)
        for number in range(15):
            session.step(number)
        session.check()
        seen += session.seen
        if seed > 8 and wanted <= set(seen):
            break
    assert wanted <= set(seen)
    assert set(seen) - wanted <= {("insertSceneGraph", "ValueError")}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("mimic", ["follow", "independent"])
def test_a_solver_equals_its_twin_over_a_long_life(mimic: str, seed: int) -> None:
    session = Session(Random(1000 + seed), mimic)
    for number in range(150):
        session.step(number)
    session.check()
