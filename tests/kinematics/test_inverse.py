"""Inverse kinematics: seeds, bounds, weights, several tips, statuses, refusals."""

import pickle
from collections import deque
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inverse_robots import pose_errors
from kinematics_cases import graph_of, gripper_graph, joint, small_robot, up
from random_scenes import trees

from kinegraph.kinematics import (
    InverseOptions,
    InverseStatus,
    OFKTStateSolver,
    inverse_kinematics,
    plan_chain,
    plan_inverse,
    shares,
)
from kinegraph.scene import Isometry3d, SceneGraph
from kinegraph.scene.errors import (
    InvalidLimitError,
    InvalidNameError,
    LengthError,
    NotFiniteError,
    NotRigidError,
    ShapeError,
    UnknownJointError,
    UnknownLinkError,
    WrongTypeError,
)

UR5 = OFKTStateSolver(small_robot("ur5"))
TIP = "wrist_3_link"
PLAN = plan_inverse(UR5, TIP)
CHAIN = plan_chain(UR5, TIP)
Q = np.array([0.3, -1.0, 1.2, -0.4, 0.9, 0.2])


def planar(kind: str = "revolute", limits: Any = (-2.0, 2.0, 1, 1, 1, 1)) -> SceneGraph:
    """Three links of 1 m in a plane, turning about y."""
    axis = {"axis": (0.0, 1.0, 0.0), "limits": limits}
    return graph_of(
        "base",
        joint("j1", "base", "l1", kind, **axis),
        joint("j2", "l1", "l2", kind, origin=up(), **axis),
        joint("j3", "l2", "l3", kind, origin=up(), **axis),
        joint("end", "l3", "tip", origin=up()),
    )


def test_a_single_problem_has_plain_numbers() -> None:
    found = inverse_kinematics(PLAN, CHAIN.pose(Q), Q + 0.1)
    assert found.q.shape == (6,)
    np.testing.assert_allclose(found.q, Q, atol=1e-7)
    assert isinstance(found.position_error, float)
    assert 0 < found.iterations < 10
    assert found.attempts == 1
    assert found.status is InverseStatus.CONVERGED
    assert found.converged is True


def test_targets_come_as_isometries_lists_and_arrays() -> None:
    matrix = CHAIN.pose(Q)
    expected = inverse_kinematics(PLAN, matrix, Q + 0.1).q
    for one in (Isometry3d(matrix), matrix.tolist()):
        assert (inverse_kinematics(PLAN, one, Q + 0.1).q == expected).all()
    for many in ([Isometry3d(matrix)] * 2, [matrix, matrix], np.array([matrix, matrix])):
        found = inverse_kinematics(PLAN, many, Q + 0.1)
        assert found.q.shape == (2, 6)
        assert (found.q == expected).all()
        assert found.status.tolist() == [0, 0]


def test_without_a_seed_the_sources_values_count() -> None:
    solver = UR5.clone()
    solver.setState(dict(zip(PLAN.joint_names, Q + 0.1, strict=True)))
    found = inverse_kinematics(plan_inverse(solver, TIP), CHAIN.pose(Q))
    assert (found.q == inverse_kinematics(PLAN, CHAIN.pose(Q), Q + 0.1).q).all()


def test_no_targets_give_an_empty_result() -> None:
    found = inverse_kinematics(PLAN, np.zeros((0, 4, 4)))
    assert found.q.shape == (0, 6)
    assert found.converged.shape == (0,)


def test_results_go_where_the_caller_wants_them() -> None:
    out = np.full((2, 6), np.nan)
    found = inverse_kinematics(PLAN, [CHAIN.pose(Q)] * 2, Q, out=out)
    assert found.q is out
    assert (out == Q).all()


def many(count: int = 100) -> tuple[Any, Any]:
    """Targets and seeds."""
    rng = np.random.default_rng(6)
    rows = rng.uniform(-2, 2, (count, 6))
    return np.array([CHAIN.pose(row) for row in rows]), rng.uniform(-2, 2, (count, 6))


def test_results_may_overlap_what_they_are_for() -> None:
    targets, seeds = many()
    expected = inverse_kinematics(PLAN, targets, seeds).q
    over_targets = targets.copy()
    out = over_targets.reshape(-1)[40 : 40 + seeds.size].reshape(seeds.shape)
    inverse_kinematics(PLAN, over_targets, seeds, out=out)
    np.testing.assert_array_equal(out, expected)
    memory = np.concatenate((np.zeros(60), seeds.reshape(-1)))
    shifted, out = memory[60:].reshape(-1, 6), memory[:-60].reshape(-1, 6)
    inverse_kinematics(PLAN, targets, shifted, out=out)
    np.testing.assert_array_equal(out, expected)


LAYOUTS: dict[str, Any] = {
    "fortran": np.asfortranarray,
    "big-endian": lambda a: a.astype(">f8"),
    "every second": lambda a: np.repeat(a, 2, axis=0)[::2],
    "backwards": lambda a: a[::-1].copy()[::-1],
    "read-only": lambda a: np.frombuffer(a.tobytes()).reshape(a.shape),
    "longdouble": lambda a: a.astype(np.longdouble),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_layout_of_targets_and_seeds_is_taken(layout: str) -> None:
    targets, seeds = many()
    expected = inverse_kinematics(PLAN, targets, seeds)
    change = LAYOUTS[layout]
    for t, s in ((change(targets), seeds), (targets, change(seeds))):
        found = inverse_kinematics(PLAN, t, s)
        np.testing.assert_array_equal(found.q, expected.q)
        np.testing.assert_array_equal(found.status, expected.status)
    one = inverse_kinematics(PLAN, change(targets)[7], change(seeds)[7])
    np.testing.assert_array_equal(one.q, expected.q[7])
    skew, blank = targets.copy(), seeds.copy()
    skew[77, 0, 0] += 0.1
    blank[77, 2] = np.nan
    with pytest.raises(NotRigidError, match="number 77, of 'wrist_3_link'"):
        inverse_kinematics(PLAN, change(skew), seeds)
    with pytest.raises(NotFiniteError, match="'elbow_joint' in row 77 is nan"):
        inverse_kinematics(PLAN, targets, change(blank))


def test_targets_in_single_precision_mean_the_nearest_rotation() -> None:
    targets, seeds = many()
    found = inverse_kinematics(PLAN, targets.astype(np.float32), seeds.astype(np.float32))
    assert found.converged.all()
    exact = inverse_kinematics(PLAN, targets, seeds)
    np.testing.assert_allclose(found.q, exact.q, atol=1e-4)


def test_whatever_can_be_gone_through_is_a_batch() -> None:
    targets, seeds = many(3)
    expected = inverse_kinematics(PLAN, targets, seeds).q
    mixed = [Isometry3d(targets[0]), targets[1].tolist(), targets[2]]
    for given_targets in (mixed, tuple(mixed), iter(mixed), deque(mixed)):
        found = inverse_kinematics(PLAN, given_targets, seeds)
        np.testing.assert_allclose(found.q, expected, atol=1e-9)
    empty = inverse_kinematics(PLAN, [])
    assert empty.q.shape == (0, 6)
    assert empty.converged.shape == (0,)


@pytest.mark.parametrize("turns", [-3, -1, 0, 2, 50])
def test_a_continuous_joint_ends_near_its_seed(turns: int) -> None:
    graph = planar("continuous")
    plan = plan_inverse(graph, "tip")
    assert np.isinf(plan.bounds).all()
    q = np.array([0.4, 0.9, -0.7])
    seed = q + 2 * np.pi * turns * np.array([1, -1, 1]) + 0.2
    found = inverse_kinematics(plan, plan_chain(graph, "tip").pose(q), seed)
    assert found.converged
    np.testing.assert_allclose(found.q, seed - 0.2, atol=1e-7)


def test_restarts_of_a_continuous_joint_end_near_the_seed_too() -> None:
    graph = planar("continuous")
    plan, chain = plan_inverse(graph, "tip"), plan_chain(graph, "tip")
    rng = np.random.default_rng(4)
    targets = np.array([chain.pose(q) for q in rng.uniform(-3, 3, (200, 3))])
    seed = np.array([100.0, -40.0, 7.0])
    found = inverse_kinematics(plan, targets, seed)
    assert found.converged.all()
    assert (np.abs(found.q - seed) <= np.pi + 1e-9).all()


def test_a_wide_range_is_used_for_the_nearest_turn() -> None:
    assert (np.abs(PLAN.bounds[[0, 5]]) > 6.28).all()
    q = np.array([2.9, -1.0, 1.2, -0.4, 0.9, -3.0])
    seed = q + np.array([0.1, 0, 0, 0, 0, 0.1])
    seed[0], seed[5] = seed[0] - 2 * np.pi, seed[5] + 2 * np.pi
    found = inverse_kinematics(PLAN, CHAIN.pose(q), seed)
    np.testing.assert_allclose(found.q, seed - [0.1, 0, 0, 0, 0, 0.1], atol=1e-7)


def test_a_joint_that_follows_by_half_turns_is_not_moved_by_whole_turns() -> None:
    axis: Any = {"kind": "continuous", "axis": (0.0, 1.0, 0.0)}
    graph = graph_of(
        "base",
        joint("j1", "base", "l1", **axis),
        joint("j2", "l1", "l2", origin=up(), mimic=("j1", 0.5, 0.1), **axis),
        joint("end", "l2", "tip", origin=up()),
    )
    plan, chain = plan_inverse(graph, "tip"), plan_chain(graph, "tip")
    assert plan.joint_names == ("j1",)
    target = chain.pose(np.array([0.4]))
    assert plan.box[0, 2] == 4 * np.pi
    for seed in (0.5, 0.5 + 4 * np.pi):
        found = inverse_kinematics(plan, target, [seed])
        assert found.converged
        assert found.q[0] == pytest.approx(seed - 0.1)
    far = inverse_kinematics(plan, target, [0.5 + 2 * np.pi])
    assert far.converged
    assert max(pose_errors(chain.pose(far.q), target)) < 2e-9


def test_mimic_joints_follow() -> None:
    plan = plan_inverse(gripper_graph(), "right_finger")
    assert plan.joint_names == ("left",)
    target = Isometry3d.from_rpy((0.0, -0.013, 0.06), (0.0, 0.0, 0.0))
    found = inverse_kinematics(plan, target)
    assert found.converged
    assert found.q[0] == pytest.approx(0.013)


def test_bounds_are_kept_exactly_where_they_stop_the_arm() -> None:
    graph = planar(limits=(-0.5, 0.5, 1, 1, 1, 1))
    plan = plan_inverse(graph, "tip")
    target = plan_chain(planar(), "tip").pose(np.array([1.2, 0.3, -0.2]))
    found = inverse_kinematics(plan, target)
    assert found.status is InverseStatus.UNREACHABLE
    assert found.attempts == 50
    assert (np.abs(found.q) <= 0.5).all()
    assert (np.abs(found.q) == 0.5).any()


def test_given_bounds_stand_in_for_the_sources() -> None:
    bounds = np.column_stack((Q - 0.05, Q + 0.3))
    plan = plan_inverse(UR5, TIP, bounds=bounds)
    assert (plan.bounds == bounds).all()
    found = inverse_kinematics(plan, CHAIN.pose(Q), np.full(6, 3.0))
    assert found.converged
    assert (found.q >= Q - 0.05).all()
    assert (found.q <= Q + 0.3).all()


def test_position_alone_is_enough_for_an_arm_with_few_joints() -> None:
    graph = planar()
    plan, chain = plan_inverse(graph, "tip"), plan_chain(graph, "tip")
    target = Isometry3d.from_rpy((1.3, 0.0, 1.5), (0.5, 0.0, 2.0))
    assert inverse_kinematics(plan, target).status is InverseStatus.UNREACHABLE
    free = InverseOptions(weights=(1, 1, 1, 0, 0, 0))
    found = inverse_kinematics(plan, target, options=free)
    assert found.converged
    assert found.rotation_error == 0.0
    np.testing.assert_allclose(chain.pose(found.q)[:3, 3], target.translation, atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_a_tip_may_be_free_to_turn_about_an_axis_of_the_target(seed: int) -> None:
    spin = np.random.default_rng(seed).uniform(-2.5, 2.5)
    target = CHAIN.pose(Q) @ Isometry3d.from_rpy((0, 0, 0), (0, 0, spin)).matrix
    free = InverseOptions(weights=(1, 1, 1, 1, 1, 0))
    found = inverse_kinematics(PLAN, target, Q + 0.05, options=free)
    pose = CHAIN.pose(found.q)
    assert found.converged
    np.testing.assert_allclose(pose[:3, [2, 3]], target[:3, [2, 3]], atol=1e-8)
    # Without the wrist's help, because the spin costs nothing.
    assert np.abs(found.q - Q).max() < 0.2


def test_weights_shift_an_error_that_cannot_be_avoided() -> None:
    graph = planar()
    plan = plan_inverse(graph, "tip")
    target = Isometry3d.from_rpy((0.0, 0.0, 2.5), (0.0, 1.5, 0.0))
    heavy = InverseOptions(weights=(9, 9, 9, 1, 1, 1))
    light = InverseOptions(weights=(0.1, 0.1, 0.1, 9, 9, 9))
    near, turned = (inverse_kinematics(plan, target, options=o) for o in (heavy, light))
    assert near.position_error <= turned.position_error
    assert turned.rotation_error <= near.rotation_error


@pytest.mark.parametrize("size", [1e-200, 0.25, 1e200])
def test_only_the_ratios_of_weights_count(size: float) -> None:
    rows = np.random.default_rng(1).uniform(-2, 2, (20, 6))
    targets, seeds = np.array([CHAIN.pose(row) for row in rows]), rows + 0.3
    shape = np.array((1.0, 1.0, 0.5, 0.5, 0.25, 0.0))
    one = inverse_kinematics(PLAN, targets, seeds, options=InverseOptions(weights=tuple(shape)))
    scaled = InverseOptions(weights=tuple(size * shape))
    other = inverse_kinematics(PLAN, targets, seeds, options=scaled)
    assert one.converged.all()
    assert other.converged.all()
    np.testing.assert_allclose(other.q, one.q, atol=1e-6)


def test_two_tips_reach_two_targets() -> None:
    graph = graph_of(
        "base",
        joint("waist", "base", "torso", "revolute", origin=up(0.5)),
        *(
            joint(f"{side}{i}", parent, f"{side}_l{i}", "revolute", origin=origin, axis=axis)
            for side, y in (("left", 0.3), ("right", -0.3))
            for i, parent, axis, origin in (
                (1, "torso", (0, 1, 0), Isometry3d.from_rpy((0, y, 0), (0, 0, 0))),
                (2, f"{side}_l1", (1, 0, 0), up(0.4)),
                (3, f"{side}_l2", (0, 1, 0), up(0.4)),
            )
        ),
        joint("left_end", "left_l3", "left_tip", origin=up(0.2)),
        joint("right_end", "right_l3", "right_tip", origin=up(0.2)),
    )
    tips = ("left_tip", "right_tip")
    plan = plan_inverse(graph, tips)
    assert plan.joint_names == ("waist", "left1", "left2", "left3", "right1", "right2", "right3")
    chains = [plan_chain(graph, tip, plan.joint_names) for tip in tips]
    q = np.random.default_rng(3).uniform(-1.5, 1.5, (60, 7))
    targets = np.array([[chain.pose(row) for chain in chains] for row in q])
    found = inverse_kinematics(plan, targets)
    assert found.converged.mean() >= 0.95
    for row in np.flatnonzero(found.converged):
        for chain, target in zip(chains, targets[row], strict=True):
            assert max(pose_errors(chain.pose(found.q[row]), target)) <= 1.001e-9
    one = inverse_kinematics(plan, [Isometry3d(target) for target in targets[0]])
    assert (one.q == found.q[0]).all()
    relative = plan_inverse(graph, tips, base_link=("torso", "left_tip"))
    assert relative.base_links == ("torso", "left_tip")


def test_the_same_seed_of_random_numbers_gives_the_same_result() -> None:
    rng = np.random.default_rng(0)
    targets = np.array([CHAIN.pose(q) for q in rng.uniform(-3, 3, (200, 6))])

    def values(rng: Any) -> Any:
        return inverse_kinematics(PLAN, targets, np.zeros(6), rng=rng).q

    assert (values(5) == values(5)).all()
    assert (values(5) == values(np.random.default_rng(5))).all()
    assert not (values(5) == values(6)).all()
    assert values(None).shape == (200, 6)


def test_running_out_of_iterations_is_no_proof_of_anything() -> None:
    few = InverseOptions(max_iterations=2, max_attempts=1)
    found = inverse_kinematics(PLAN, CHAIN.pose(Q), Q + 0.9, options=few)
    assert found.status is InverseStatus.NOT_CONVERGED
    assert found.converged is False
    assert found.iterations == 2
    assert found.position_error > 1e-9


def test_tolerances_are_those_asked_for() -> None:
    rough = InverseOptions(position_tolerance=1e-2, rotation_tolerance=5e-2, nearest_steps=0)
    found = inverse_kinematics(PLAN, CHAIN.pose(Q), Q + 0.2, options=rough)
    exact = inverse_kinematics(PLAN, CHAIN.pose(Q), Q + 0.2)
    assert found.converged
    assert found.iterations < exact.iterations
    assert found.position_error <= 1e-2
    assert found.rotation_error <= 5e-2


def test_a_stretched_arm_is_reached_and_left_again() -> None:
    graph = planar()
    plan, chain = plan_inverse(graph, "tip"), plan_chain(graph, "tip")
    stretched = chain.pose(np.zeros(3))
    found = inverse_kinematics(plan, stretched, [0.5, -0.4, 0.8])
    assert found.converged
    assert max(pose_errors(chain.pose(found.q), stretched)) <= 1.001e-9
    bent = chain.pose(np.array([0.3, -0.6, 0.3]))
    assert inverse_kinematics(plan, bent, np.zeros(3)).converged


@given(trees(largest=8), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_any_chain_is_solved_within_its_bounds(graph: SceneGraph, seed: int) -> None:
    solver = OFKTStateSolver(graph)
    tip = solver.getLinkNames()[-1]
    chain = plan_chain(solver, tip)
    if chain.n == 0:
        with pytest.raises(InvalidNameError, match="moves link"):
            plan_inverse(solver, tip)
        return
    plan = plan_inverse(solver, tip)
    rng = np.random.default_rng(seed)
    lower, upper = np.clip(plan.bounds, -3.0, 3.0).T
    q = rng.uniform(lower, upper)
    start = np.clip(q + rng.normal(size=chain.n) * 0.1, *plan.bounds.T)
    target = chain.pose(q)
    found = inverse_kinematics(plan, target, start)
    assert (found.q >= plan.bounds[:, 0]).all()
    assert (found.q <= plan.bounds[:, 1]).all()
    distance, angle = pose_errors(chain.pose(found.q), target)
    assert found.position_error == pytest.approx(distance, abs=1e-12)
    assert found.rotation_error == pytest.approx(angle, abs=1e-12)
    assert found.converged == (distance <= 1.00001e-9 and angle <= 1.00001e-9)
    assert found.converged


BAD_TARGETS = [
    (np.full((4, 4), np.nan), NotFiniteError, "not finite"),
    (np.eye(4) * 2.0, NotRigidError, "last row"),
    (np.diag((2.0, 1.0, 1.0, 1.0)), NotRigidError, "no rotation"),
    (np.diag((-1.0, 1.0, 1.0, 1.0)), NotRigidError, "no rotation"),
    (np.diag((1e200, 1.0, 1.0, 1.0)), NotFiniteError, "beyond"),
    (np.eye(3), ShapeError, r"\(3, 3\)"),
    (np.zeros((2, 2, 4, 4)), ShapeError, "shape"),
    (np.zeros(16), ShapeError, "shape"),
    ("pose", WrongTypeError, "pose"),
    (None, WrongTypeError, "None"),
    (np.eye(4, dtype=complex), WrongTypeError, "real"),
    ([np.eye(4), np.eye(3)], ShapeError, "shape"),
]


@pytest.mark.parametrize(("target", "error", "words"), BAD_TARGETS)
def test_bad_targets_are_refused(target: Any, error: type[Exception], words: str) -> None:
    out = np.full(6, 7.0)
    with pytest.raises(error, match=words):
        inverse_kinematics(PLAN, target, out=out)
    assert (out == 7.0).all()


def test_a_bad_target_of_many_is_named() -> None:
    targets = np.array([np.eye(4)] * 5)
    targets[3, 0, 3] = np.inf
    with pytest.raises(NotFiniteError, match="number 3"):
        inverse_kinematics(PLAN, targets)


BAD_SEEDS = [
    (np.full(6, np.nan), NotFiniteError, "shoulder_pan_joint"),
    (np.zeros(5), LengthError, "5.*6"),
    (np.zeros((2, 6)), ShapeError, "shape"),
    ("q", WrongTypeError, "real"),
    ([True] * 6, WrongTypeError, "real numbers"),
]


@pytest.mark.parametrize(("seed", "error", "words"), BAD_SEEDS)
def test_bad_seeds_are_refused(seed: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        inverse_kinematics(PLAN, CHAIN.pose(Q), seed)


def test_seeds_and_targets_must_be_as_many() -> None:
    with pytest.raises(LengthError, match="3 seeds for 2"):
        inverse_kinematics(PLAN, np.array([np.eye(4)] * 2), np.zeros((3, 6)))


BAD_OPTIONS: list[tuple[dict[str, Any], type[Exception]]] = [
    ({"position_tolerance": 0.0}, InvalidLimitError),
    ({"position_tolerance": np.nan}, NotFiniteError),
    ({"rotation_tolerance": -1.0}, InvalidLimitError),
    ({"rotation_tolerance": "small"}, WrongTypeError),
    ({"max_iterations": 0}, InvalidLimitError),
    ({"max_iterations": 1.5}, WrongTypeError),
    ({"max_attempts": True}, WrongTypeError),
    ({"nearest_steps": -1}, InvalidLimitError),
    ({"weights": (1, 1, 1)}, LengthError),
    ({"weights": (0, 0, 0, 0, 0, 0)}, InvalidLimitError),
    ({"weights": (1, 1, 1, 1, 1, -1)}, InvalidLimitError),
    ({"weights": (1, 1, 1, 1, 1, np.inf)}, NotFiniteError),
    ({"weights": "heavy"}, WrongTypeError),
    ({"weights": (1, 1, 1, 1, 1, 0.99e-4)}, InvalidLimitError),
    ({"weights": ((1,) * 6, (2e4, 0, 0, 0, 0, 0))}, InvalidLimitError),
]


@pytest.mark.parametrize(("options", "error"), BAD_OPTIONS)
def test_bad_options_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        InverseOptions(**options)


def test_rows_of_weights_must_be_as_many_as_tips() -> None:
    with pytest.raises(LengthError, match=r"2 rows .* 1 tips"):
        inverse_kinematics(PLAN, np.eye(4), options=InverseOptions(weights=((1,) * 6,) * 2))


BAD_PLANS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"tip_link": "wrist_4_link"}, UnknownLinkError, "wrist_3_link"),
    ({"tip_link": 3}, WrongTypeError, "tip_link"),
    ({"tip_link": []}, LengthError, "0 tip"),
    ({"base_link": "nowhere"}, UnknownLinkError, "nowhere"),
    ({"base_link": ["base_link", "base_link"]}, LengthError, "2 base links for 1"),
    ({"joint_names": ["elbow"]}, UnknownJointError, "elbow_joint"),
    ({"joint_names": ["elbow_joint"] * 2}, InvalidNameError, "twice"),
    ({"joint_names": []}, InvalidNameError, "moves link"),
    ({"bounds": np.zeros((5, 2))}, ShapeError, r"\(6, 2\)"),
    ({"bounds": np.array([[1.0, -1.0]] * 6)}, InvalidLimitError, "shoulder_pan_joint"),
    ({"bounds": np.full((6, 2), np.nan)}, InvalidLimitError, "nan"),
    ({"source": "ur5"}, WrongTypeError, "ur5"),
]


@pytest.mark.parametrize(("given_names", "error", "words"), BAD_PLANS)
def test_bad_plans_are_refused(
    given_names: dict[str, Any], error: type[Exception], words: str
) -> None:
    call = {"source": UR5, "tip_link": TIP, **given_names}
    with pytest.raises(error, match=words):
        plan_inverse(**call)


def test_other_bad_arguments_are_refused() -> None:
    wrong: Any = "nothing"
    with pytest.raises(WrongTypeError, match="InversePlan"):
        inverse_kinematics(wrong, np.eye(4))
    with pytest.raises(WrongTypeError, match="options"):
        inverse_kinematics(PLAN, np.eye(4), options=wrong)
    with pytest.raises(WrongTypeError, match="rng"):
        inverse_kinematics(PLAN, np.eye(4), rng=wrong)
    with pytest.raises(InvalidLimitError, match=r"seed.*-1"):
        inverse_kinematics(PLAN, np.eye(4), rng=-1)
    with pytest.raises(ShapeError, match="out"):
        inverse_kinematics(PLAN, np.eye(4), out=np.zeros(5))
    with pytest.raises(WrongTypeError, match="out"):
        inverse_kinematics(PLAN, np.eye(4), out=wrong)


def test_plans_and_results_travel_to_other_processes() -> None:
    plan = pickle.loads(pickle.dumps(PLAN))
    found = inverse_kinematics(plan, CHAIN.pose(Q), Q + 0.1)
    back = pickle.loads(pickle.dumps(found))
    assert (back.q == inverse_kinematics(PLAN, CHAIN.pose(Q), Q + 0.1).q).all()
    assert back.status is InverseStatus.CONVERGED


@pytest.mark.parametrize("processors", [1, 3])
def test_shares_cover_all_rows_once_and_pass_errors_on(
    processors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "processors", lambda: processors)
    for count in (0, 1, 32, 33, 1000):
        seen = np.zeros(count, np.int64)

        def mark(first: int, end: int, seen: Any = seen) -> None:
            seen[first:end] += 1

        shares.run_shares(mark, count)
        assert (seen == 1).all()

    def fail(first: int, end: int) -> None:
        raise RuntimeError(f"row {first}")

    with pytest.raises(RuntimeError, match="row"):
        shares.run_shares(fail, 1000)
