"""Inverse kinematics: values that bring links to target poses.

`plan_inverse` compiles the chains once; `inverse_kinematics` solves for one target or for many. The
kernel behind it is `kinegraph.kinematics.inverse_kernels.solve_rows`.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from kinegraph.kinematics.arrays import _apart, _checked_out
from kinegraph.kinematics.compiled import kernels
from kinegraph.kinematics.inverse_layout import (
    COUNTS,
    ERRORS,
    NOT_AFFINE,
    NOT_FINITE,
    inverse_workspace,
)
from kinegraph.kinematics.inverse_plan import InversePlan
from kinegraph.kinematics.inverse_problem import (
    InverseOptions,
    InverseResult,
    settings_of,
)
from kinegraph.kinematics.rows import first_not_finite, is_ready
from kinegraph.kinematics.sampling import random_generator
from kinegraph.kinematics.shares import SHARE, run_shares
from kinegraph.kinematics.values import any_real_array, as_ready
from kinegraph.scene.array_types import Array, IntArray
from kinegraph.scene.errors import (
    LengthError,
    NotFiniteError,
    NotRigidError,
    ShapeError,
    WrongTypeError,
)
from kinegraph.scene.pose import Isometry3d

__all__ = ["inverse_kinematics"]

DEFAULT = InverseOptions()
# Tables of random starts that a plan keeps, and how many numbers of one it keeps at most.
FEW, LARGEST_TABLE = 8, 4096


def inverse_kinematics(
    plan: InversePlan,
    targets: Any,
    seeds: Any = None,
    *,
    options: InverseOptions | None = None,
    rng: np.random.Generator | int | None = 0,
    out: Array | None = None,
) -> InverseResult:
    """Find values that bring the tips to their targets.

    Damped least squares in the box of the bounds, first from the seed, then from random values,
    until both errors are within the tolerances. Of the solutions around the one that was found
    the nearest to the seed is taken, and of turning joints the number of turns that is nearest to
    the seed. Bounds are kept exactly.

    Large batches are solved by as many threads as there are processors; the result does not
    depend on them, and each row is what a call for it alone gives. Beside the results only a few
    kilobytes are used per thread, whatever the kind and layout of the arrays.

    Args:
        plan: From `plan_inverse`.
        targets: Pose of the tip in the base link's frame: `Isometry3d` or (4, 4), or many,
            (N, 4, 4), or a list of them; with K tips (K, 4, 4) or (N, K, 4, 4). Rigid within 1e-3,
            the nearest rotation is meant.
        seeds: (n,) for all or (N, n) values near which to search; outside the bounds the nearest
            ones inside count. Left out: the source's values when the plan was made.
        options: Tolerances, numbers of iterations and attempts, weights.
        rng: Seed or generator of the random values; None for a fresh one. All rows of a batch
            have the same ones.
        out: (n,) or (N, n) where to write the values, float64, contiguous; it may overlap targets
            and seeds. Left out: a new array.

    Returns:
        Values, errors, counts and status; nothing is raised for a target that is not reached.

    Raises:
        ShapeError: Targets, seeds or `out` of another shape. Also a `ValueError`.
        LengthError: Rows of seeds not of length n, or not N of them. Also a `ValueError`.
        NotFiniteError: A number is NaN or infinite, or a target beyond 1e9 m. Also a `ValueError`.
        NotRigidError: A target that is no rigid transform. Also a `ValueError`.
        InvalidLimitError: A negative seed of random values. Also a `ValueError`.
        WrongTypeError: No plan, numbers, options or generator. Also a `TypeError`.
    """
    if not isinstance(plan, InversePlan):
        raise WrongTypeError(f"inverse_kinematics: an InversePlan is needed, not {plan!r:.100}")
    chosen = DEFAULT if options is None else options
    if not isinstance(chosen, InverseOptions):
        raise WrongTypeError(f"inverse_kinematics: options must be InverseOptions, not {options!r}")
    settings = settings_of(chosen, len(plan.tip_links))
    poses, count = _checked_targets(plan, targets)
    starts = _starts(plan, chosen.max_attempts, rng)
    near = plan.rest if seeds is None else _checked_seeds(plan, seeds, count)
    shape: tuple[int, ...] = (plan.n,) if count is None else (count, plan.n)
    q = np.empty(shape) if out is None else _checked_out(out, shape, "inverse_kinematics")
    if out is not None:
        poses, near = _apart(poses, out), _apart(near, out)
    rows = 1 if count is None else count
    answer = q, np.empty((rows, ERRORS)), np.empty((rows, COUNTS), np.int64)
    if count is None:
        _solve(plan, (settings, starts), (poses, near), (0, 1), answer)
    else:
        _solve_many(plan, (settings, starts), (poses, near), answer)
    return InverseResult.of(*answer)


def _solve(
    plan: InversePlan,
    search: tuple[Array, Array],
    given: tuple[Array, Array],
    rows: tuple[int, int],
    answer: tuple[Array, Array, IntArray],
) -> None:
    """Solve some rows of targets and seeds that kernels can take as they are."""
    work = np.empty(inverse_workspace(plan.n, len(plan.tip_links)))
    flat = [array.reshape(-1) for array in (*given, *answer)]
    box = plan.box.reshape(-1)
    kernels.solve_rows(plan.data, box, *search, *flat[:2], *rows, work, *flat[2:])


def _solve_many(
    plan: InversePlan,
    search: tuple[Array, Array],
    given: tuple[Array, Array],
    answer: tuple[Array, Array, IntArray],
) -> None:
    """Solve all rows, those of other kinds and layouts a few at a time."""
    poses, near = given
    if is_ready(poses) and is_ready(near):
        run_shares(lambda first, end: _solve(plan, search, given, (first, end), answer), len(poses))
        return

    def some(first: int, end: int) -> None:
        for start in range(first, end, SHARE):
            part = slice(start, min(start + SHARE, end))
            seeds = as_ready(near if near.ndim == 1 else near[part])
            results = answer[0][part], answer[1][part], answer[2][part]
            count = part.stop - part.start
            _solve(plan, search, (as_ready(poses[part]), seeds), (0, count), results)

    run_shares(some, len(poses))


def _starts(plan: InversePlan, attempts: int, rng: Any) -> Array:
    """Return numbers in [0, 1) for all attempts but the first, flat."""
    key = (rng, attempts)
    table = plan._starts.get(key) if type(rng) is int else None
    if table is not None:
        return table
    size = (attempts - 1) * plan.n
    table = random_generator(rng, "inverse_kinematics").random(size)
    if type(rng) is int and size <= LARGEST_TABLE and len(plan._starts) < FEW:
        plan._starts[key] = table
    return table


def _matrix(pose: Any) -> Any:
    return pose.matrix if isinstance(pose, Isometry3d) else getattr(pose, "homogeneous", pose)


def _checked_targets(plan: InversePlan, targets: Any) -> tuple[Array, int | None]:
    """Return targets as an array, and N; None for one problem."""
    what, tips = "inverse_kinematics: targets", len(plan.tip_links)
    one = (4, 4) if plan.single else (tips, 4, 4)
    poses = _stacked(_matrix(targets), one, what)
    count = None if poses.shape == one else len(poses) if poses.ndim else 0
    if count is not None and poses.shape[1:] != one:
        sides = ", ".join(map(str, one))
        raise ShapeError(f"{what} must be ({sides}) or (N, {sides}), not of shape {poses.shape}")
    if count is None:
        poses = poses if is_ready(poses) else as_ready(poses)
        _check_poses(plan, poses, 0)
        return poses, None
    step = max(1, count) if is_ready(poses) else SHARE
    for start in range(0, count, step):
        _check_poses(plan, as_ready(poses[start : start + step]), tips * start)
    return poses, count


def _check_poses(plan: InversePlan, poses: Array, before: int) -> None:
    found = kernels.check_targets(poses.reshape(-1), poses.size // 16)
    if found >= 0:
        _refuse(plan, poses.reshape(-1, 4, 4)[found // 4], before + found // 4, found % 4)


def _stacked(targets: Any, one: tuple[int, ...], what: str) -> Array:
    """Return targets as an array; lists, and what else can be gone through, may mix kinds."""
    if type(targets) is np.ndarray and targets.dtype.kind == "f":
        return targets
    listed = isinstance(targets, Iterable) and not isinstance(targets, (str, bytes))
    if not listed or hasattr(targets, "__array__"):
        return any_real_array(targets, what)
    poses = [_matrix(pose) for pose in targets]
    if not poses:
        return np.empty((0, *one))
    if not any(isinstance(pose, np.ndarray) for pose in poses):
        return any_real_array(poses, what)
    try:
        return any_real_array(np.array(poses), what)
    except ValueError as error:
        raise ShapeError(f"{what}: arrays of different shapes in a list") from error


def _refuse(plan: InversePlan, pose: Array, number: int, wrong: int) -> None:
    row, tip = divmod(number, len(plan.tip_links))
    place = f"inverse_kinematics: targets: number {row}, of {plan.tip_links[tip]!r}"
    if wrong == NOT_FINITE:
        raise NotFiniteError(
            f"{place} has numbers that are not finite or beyond 1e9: {pose.tolist()}"
        )
    if wrong == NOT_AFFINE:
        raise NotRigidError(f"{place}: the last row must be 0 0 0 1, not {pose[3].tolist()}")
    raise NotRigidError(
        f"{place}: the upper left 3x3 part is no rotation within 1e-3: {pose[:3, :3].tolist()}"
    )


def _checked_seeds(plan: InversePlan, seeds: Any, count: int | None) -> Array:
    values: Array = seeds
    if type(seeds) is not np.ndarray or seeds.dtype.kind != "f":
        values = any_real_array(seeds, "inverse_kinematics: seeds")
    if values.ndim not in (1, 2) or (values.ndim == 2 and count is None):
        form = "(n,)" if count is None else "(n,) or (N, n)"
        raise ShapeError(f"inverse_kinematics: seeds must be {form}, not of shape {values.shape}")
    if values.shape[-1] != plan.n:
        raise LengthError(
            f"inverse_kinematics: seeds of length {values.shape[-1]} were given, their length must "
            f"be the number of joints, {plan.n}"
        )
    if values.ndim == 2 and len(values) != count:
        raise LengthError(f"inverse_kinematics: {len(values)} seeds for {count} targets")
    if values.ndim == 1 and not is_ready(values):
        values = as_ready(values)
    # The sum of squares tells it faster, unless it overflows.
    if not is_ready(values) or not math.isfinite(np.vdot(values, values)):
        place = first_not_finite(values)
        if place is not None:
            row = f" in row {place[0]}" if values.ndim == 2 else ""
            raise NotFiniteError(
                f"inverse_kinematics: seed of joint {plan.joint_names[place[-1]]!r}{row} is "
                f"{values[place]}"
            )
    return values
