"""Poses and Jacobians as arrays: one configuration, many, and bad input."""

from typing import Any

import numpy as np
import pytest
from kinematics_cases import gripper_graph, small_robot

from kinegraph.kinematics import (
    OFKTStateSolver,
    jacobian,
    jacobians,
    link_pose,
    link_poses,
)
from kinegraph.kinematics.batches import WORTH_A_THREAD

SOLVER = OFKTStateSolver(small_robot("synth_a"))
N = len(SOLVER.getActiveJointNames())
LINK = SOLVER.getLinkNames()[-1]
RNG = np.random.default_rng(11)


def values(count: int) -> Any:
    return RNG.uniform(-2.0, 2.0, (count, N))


def test_all_poses_are_those_of_the_state_in_the_order_of_the_names() -> None:
    q = values(3)
    many = link_poses(SOLVER, q)
    assert many.shape == (3, len(SOLVER.getLinkNames()), 4, 4)
    for row, poses in zip(q, many, strict=True):
        transforms = SOLVER.getState(row).link_transforms
        wanted = [transforms[name].matrix for name in SOLVER.getLinkNames()]
        np.testing.assert_array_equal(link_poses(SOLVER, row), wanted)
        np.testing.assert_array_equal(poses, wanted)


@pytest.mark.parametrize("count", [1, 63, 64, 65, 200, WORTH_A_THREAD + 77])
def test_a_batch_equals_single_configurations(count: int) -> None:
    q = values(count)
    poses, J = link_pose(SOLVER, q, LINK), jacobians(SOLVER, q, LINK)
    assert poses.shape == (count, 4, 4)
    assert J.shape == (count, 6, N)
    for row in {0, count // 2, count - 1}:
        np.testing.assert_allclose(poses[row], link_pose(SOLVER, q[row], LINK), atol=1e-13)
        np.testing.assert_allclose(J[row], jacobian(SOLVER, q[row], LINK), atol=1e-12)
        np.testing.assert_allclose(J[row], SOLVER.getJacobian(q[row], LINK), atol=1e-12)
    whole = link_poses(SOLVER, q[:70])[:, -1]
    np.testing.assert_allclose(poses[:70], whole, atol=1e-13)


def test_two_threads_write_every_row_of_all_links() -> None:
    q = values(WORTH_A_THREAD + 130)
    poses = link_poses(SOLVER, q)
    np.testing.assert_array_equal(poses[-1], link_poses(SOLVER, q[-1]))
    assert (poses[:, :, 3] == [0, 0, 0, 1]).all()


@pytest.mark.parametrize("frame", ["base", "body", "spatial"])
def test_a_batch_of_jacobians_has_every_frame(frame: Any) -> None:
    q = values(130)
    many = jacobians(SOLVER, q, LINK, frame)
    for row in (0, 64, 129):
        np.testing.assert_allclose(many[row], jacobian(SOLVER, q[row], LINK, frame), atol=1e-12)


def test_large_angles_in_a_batch_go_to_libm() -> None:
    q = values(130)
    q[70] *= 1e8
    poses = link_pose(SOLVER, q, LINK)
    np.testing.assert_allclose(poses[70], link_pose(SOLVER, q[70], LINK), rtol=1e-12, atol=1e-6)
    np.testing.assert_allclose(poses[0], link_pose(SOLVER, q[0], LINK), atol=1e-13)


def test_no_configuration_at_all_gives_empty_arrays() -> None:
    q = np.zeros((0, N))
    assert link_poses(SOLVER, q).shape == (0, len(SOLVER.getLinkNames()), 4, 4)
    assert link_pose(SOLVER, q, LINK).shape == (0, 4, 4)
    assert jacobians(SOLVER, q, LINK, "body").shape == (0, 6, N)


def test_results_go_where_out_says() -> None:
    q = values(5)
    calls: list[tuple[Any, tuple[int, ...]]] = [
        (lambda out: link_poses(SOLVER, q, out), (5, len(SOLVER.getLinkNames()), 4, 4)),
        (lambda out: link_poses(SOLVER, q[0], out), (len(SOLVER.getLinkNames()), 4, 4)),
        (lambda out: link_pose(SOLVER, q, LINK, out), (5, 4, 4)),
        (lambda out: link_pose(SOLVER, q[0], LINK, out), (4, 4)),
        (lambda out: jacobians(SOLVER, q, LINK, "base", out), (5, 6, N)),
        (lambda out: jacobian(SOLVER, q[0], LINK, "body", out), (6, N)),
    ]
    for call, shape in calls:
        out = np.full(shape, np.nan)
        assert call(out) is out
        np.testing.assert_array_equal(out, call(None))


@pytest.mark.parametrize(
    ("out", "error"),
    [
        (np.zeros((5, 4, 3)), ValueError),
        (np.zeros((5, 4, 4), np.float32), TypeError),
        (np.zeros((5, 4, 8))[:, :, ::2], ValueError),
        ([[0.0]], TypeError),
    ],
)
def test_an_out_that_does_not_fit_is_refused(out: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="out"):
        link_pose(SOLVER, values(5), LINK, out)


def test_a_read_only_out_is_refused() -> None:
    out = np.zeros((5, 4, 4))
    out.setflags(write=False)
    with pytest.raises(ValueError, match="writeable"):
        link_pose(SOLVER, values(5), LINK, out)


CALLS = [
    lambda q: link_poses(SOLVER, q),
    lambda q: link_pose(SOLVER, q, LINK),
    lambda q: jacobians(SOLVER, q, LINK),
]


@pytest.mark.parametrize("call", CALLS)
def test_bad_values_are_refused(call: Any) -> None:
    nan = values(4)
    nan[2, 1] = np.nan
    name = SOLVER.getActiveJointNames()[1]
    for bad, error, part in (
        (np.zeros((2, N + 1)), ValueError, "length"),
        (np.zeros(N - 1), ValueError, "length"),
        (np.zeros((1, 1, N)), ValueError, "shape"),
        (np.zeros((1, 1, N)), TypeError, "shape"),
        (np.float64(1.0), TypeError, "q"),
        (nan, ValueError, f"{name}.* row 2"),
        (nan[2], ValueError, name),
        (np.zeros((2, N), complex), TypeError, "real"),
        ("abc", TypeError, "q"),
        (None, TypeError, "q"),
        ([[0.0] * N, [0.0]], TypeError, "q"),
    ):
        with pytest.raises(error, match=part):
            call(bad)


def test_any_real_layout_is_taken() -> None:
    q = values(6)
    wanted = link_pose(SOLVER, q, LINK)
    for given in (np.asfortranarray(q), q.astype(">f8"), q.tolist(), np.repeat(q, 2, 0)[::2]):
        np.testing.assert_array_equal(link_pose(SOLVER, given, LINK), wanted)
    q.setflags(write=False)
    np.testing.assert_array_equal(link_pose(SOLVER, q, LINK), wanted)
    np.testing.assert_array_equal(link_poses(SOLVER, q[0]), link_poses(SOLVER, q)[0])
    assert link_pose(SOLVER, np.zeros((2, N), np.int32), LINK).shape == (2, 4, 4)


def test_other_bad_arguments_are_refused() -> None:
    q = values(1)
    with pytest.raises(KeyError, match="nope"):
        link_pose(SOLVER, q, "nope")
    with pytest.raises(KeyError, match="nope"):
        jacobians(SOLVER, q, "nope")
    with pytest.raises(ValueError, match="base, body, spatial"):
        jacobians(SOLVER, q, LINK, "world")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        link_poses(None, q)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        link_pose(SOLVER, q, 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="jacobians"):
        jacobian(SOLVER, q, LINK)


def test_a_graph_is_a_source_too() -> None:
    graph = gripper_graph()
    poses = link_poses(graph, [0.02])
    np.testing.assert_array_equal(poses[1][:3, 3], [0.0, 0.02, 0.06])
    np.testing.assert_array_equal(poses[2][:3, 3], [0.0, -0.02, 0.06])
    np.testing.assert_array_equal(
        jacobian(graph, [0.02], "right_finger")[:, 0], [0, -1, 0, 0, 0, 0]
    )


def test_floating_joints_have_the_solvers_values() -> None:
    solver = SOLVER.clone()
    name = solver.getFloatingJointNames()[0]
    pose = np.eye(4)
    pose[:3, 3] = [1.0, 2.0, 3.0]
    solver.setState({name: pose})
    q = np.zeros(N)
    wanted = solver.getState(q).link_transforms
    for link, found in zip(solver.getLinkNames(), link_poses(solver, q), strict=True):
        np.testing.assert_array_equal(found, wanted[link])
        np.testing.assert_allclose(link_pose(solver, q, link), found, atol=1e-13)


def test_the_solver_stays_as_it_is() -> None:
    before = SOLVER.getState()
    link_poses(SOLVER, values(1)[0])
    jacobians(SOLVER, values(70), LINK)
    assert SOLVER.getState() == before


ARRAY_CALLS = [
    (link_poses, ()),
    (link_pose, (LINK,)),
    (jacobians, (LINK,)),
    (jacobians, (LINK, "body")),
    (jacobians, (LINK, "spatial")),
]


@pytest.mark.parametrize(("function", "rest"), ARRAY_CALLS)
@pytest.mark.parametrize(
    "count", [None, 1, 9, pytest.param(WORTH_A_THREAD + 130, marks=pytest.mark.compiled)]
)
@pytest.mark.parametrize("place", ["front", "middle", "back"])
def test_results_may_be_written_over_the_values_they_are_for(
    function: Any, rest: tuple[str, ...], count: int | None, place: str
) -> None:
    q = values(1)[0] if count is None else values(count)
    wanted = function(SOLVER, q, *rest, out=np.empty_like(function(SOLVER, q, *rest)))
    memory = np.zeros(wanted.size)
    start = {"front": 0, "middle": (wanted.size - q.size) // 2, "back": wanted.size - q.size}[place]
    inside = memory[start : start + q.size].reshape(q.shape)
    inside[:] = q
    found = function(SOLVER, inside, *rest, out=memory.reshape(wanted.shape))
    np.testing.assert_array_equal(found, wanted)
