"""Inverse kinematics: values that bring links to target poses.

`plan_inverse` compiles the chains once; `inverse_kinematics` solves for one target or for many. The
kernel behind it is `kinegraph.kinematics.inverse_kernels.solve_rows`.
"""

import math
from typing import Any

import numpy as np

from kinegraph.kinematics.arrays import _checked_out
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
from kinegraph.kinematics.shares import run_shares
from kinegraph.kinematics.values import real_array
from kinegraph.scene.array_types import Array
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
FLOAT = np.dtype(np.float64)
# Tables of random starts that a plan keeps.
FEW = 8


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
    kilobytes are used per thread.

    Args:
        plan: From `plan_inverse`.
        targets: Pose of the tip in the base link's frame: `Isometry3d` or (4, 4), or many,
            (N, 4, 4); with K tips (K, 4, 4) or (N, K, 4, 4). Rigid within 1e-3, the nearest
            rotation is meant.
        seeds: (n,) for all or (N, n) values near which to search; outside the bounds the nearest
            ones inside count. Left out: the source's values when the plan was made.
        options: Tolerances, numbers of iterations and attempts, weights.
        rng: Seed or generator of the random values; None for a fresh one. All rows of a batch
            have the same ones.
        out: (n,) or (N, n) where to write the values, float64, contiguous. Left out: a new array.

    Returns:
        Values, errors, counts and status; nothing is raised for a target that is not reached.

    Raises:
        ShapeError: Targets, seeds or `out` of another shape. Also a `ValueError`.
        LengthError: Rows of seeds not of length n, or not N of them. Also a `ValueError`.
        NotFiniteError: A number is NaN or infinite, or a target beyond 1e9 m. Also a `ValueError`.
        NotRigidError: A target that is no rigid transform. Also a `ValueError`.
        WrongTypeError: No plan, numbers, options or generator. Also a `TypeError`.
    """
    if not isinstance(plan, InversePlan):
        raise WrongTypeError(f"inverse_kinematics: an InversePlan is needed, not {plan!r:.100}")
    chosen = DEFAULT if options is None else options
    if not isinstance(chosen, InverseOptions):
        raise WrongTypeError(f"inverse_kinematics: options must be InverseOptions, not {options!r}")
    tips, n = len(plan.tip_links), plan.n
    settings = settings_of(chosen, tips)
    poses, count = _checked_targets(plan, targets)
    starts = _starts(plan, chosen.max_attempts, rng)
    rows = 1 if count is None else count
    near = plan.rest if seeds is None else _checked_seeds(plan, seeds, count)
    shape: tuple[int, ...] = (n,) if count is None else (count, n)
    q = np.empty(shape) if out is None else _checked_out(out, shape, "inverse_kinematics")
    errors, counts = np.empty((rows, ERRORS)), np.empty((rows, COUNTS), np.int64)
    flat = (q.reshape(-1), errors.reshape(-1), counts.reshape(-1))
    box, places = plan.box.reshape(-1), poses.reshape(-1)

    def some(first: int, end: int) -> None:
        work = np.empty(inverse_workspace(n, tips))
        kernels.solve_rows(
            plan.data, box, settings, starts, places, near.reshape(-1), first, end, work, *flat
        )

    run_shares(some, rows)
    return InverseResult.of(q, errors, counts)


def _starts(plan: InversePlan, attempts: int, rng: Any) -> Array:
    """Return numbers in [0, 1) for all attempts but the first, flat."""
    if isinstance(rng, bool) or not isinstance(
        rng, (int, np.integer, np.random.Generator, type(None))
    ):
        raise WrongTypeError(f"rng must be a Generator, a seed or None, not {rng!r:.100}")
    size = (attempts - 1) * plan.n
    if not isinstance(rng, (int, np.integer)):
        return np.random.default_rng(rng).random(size)
    key = (int(rng), attempts)
    table = plan._starts.get(key)
    if table is None:
        table = np.random.default_rng(rng).random(size)
        if len(plan._starts) < FEW:
            plan._starts[key] = table
    return table


def _is_ready(values: Any) -> bool:
    """Tell whether kernels can take an array as it is: the cheap answer for the plain case."""
    if type(values) is not np.ndarray or values.dtype is not FLOAT:
        return False
    flags = values.flags
    return flags.c_contiguous and flags.writeable and flags.aligned


def _matrix(pose: Any) -> Any:
    return pose.matrix if isinstance(pose, Isometry3d) else getattr(pose, "homogeneous", pose)


def _checked_targets(plan: InversePlan, targets: Any) -> tuple[Array, int | None]:
    """Return targets as an array, and N; None for one problem."""
    what, tips = "inverse_kinematics: targets", len(plan.tip_links)
    if isinstance(targets, (list, tuple)):
        targets = [_matrix(pose) for pose in targets]
        if any(isinstance(pose, np.ndarray) for pose in targets):
            targets = _stacked(targets, what)
    matrix = _matrix(targets)
    poses = matrix if _is_ready(matrix) else real_array(matrix, what)
    one = (4, 4) if plan.single else (tips, 4, 4)
    count = None if poses.shape == one else len(poses) if poses.ndim else 0
    if count is not None and poses.shape[1:] != one:
        raise ShapeError(f"{what} must be {one} or (N, *{one}), not of shape {poses.shape}")
    found = kernels.check_targets(poses.reshape(-1), poses.size // 16)
    if found >= 0:
        _refuse(poses.reshape(-1, 4, 4)[found // 4], found, tips, what)
    return poses, count


def _stacked(targets: list[Any], what: str) -> Any:
    try:
        return np.array(targets)
    except ValueError as error:
        raise ShapeError(f"{what}: arrays of different shapes in a list") from error


def _refuse(pose: Array, found: int, tips: int, what: str) -> None:
    number, wrong = found // 4, found % 4
    place = f"{what}: number {number // tips}" + (f", tip {number % tips}" if tips > 1 else "")
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
    values = seeds if _is_ready(seeds) else real_array(seeds, "inverse_kinematics: seeds")
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
    # The sum of squares tells it faster, unless it overflows.
    if not math.isfinite(np.vdot(values, values)) and not np.isfinite(values).all():
        place = np.argwhere(~np.isfinite(values))[0].tolist()
        name = plan.joint_names[place[-1]]
        row = f" in row {place[0]}" if values.ndim == 2 else ""
        raise NotFiniteError(
            f"inverse_kinematics: seed of joint {name!r}{row} is {values[tuple(place)]}"
        )
    return values
