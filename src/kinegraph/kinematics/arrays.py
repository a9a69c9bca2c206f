"""Poses and Jacobians as arrays, for one configuration and for many.

Values are (n,) or (N, n), rad or m, columns in the order of `getActiveJointNames()` of the source.
The source is a solver, whose floating joints have their current values, or a graph, whose order is
that of `OFKTStateSolver`; its state does not count and does not change. Everything is checked:
shapes, lengths, numbers. Large batches are computed by two threads; beside the results less than
2 MB are used per thread, whatever the kind and layout of the values (float32, Fortran order, a file
mapped into memory), unless they overlap the results.
"""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy import empty, ndarray

from kinegraph.kinematics.batches import chain_jacobians, chain_poses, run_batch
from kinegraph.kinematics.compiled import FLOAT, entries, kernels
from kinegraph.kinematics.flat_state import FlatState
from kinegraph.kinematics.rows import first_not_finite, pieces
from kinegraph.kinematics.solver import StateSolver
from kinegraph.kinematics.state_checks import check_vector
from kinegraph.kinematics.tree import FlatTree, flatten
from kinegraph.kinematics.values import any_real_array, real_array
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import (
    InvalidNameError,
    LengthError,
    NotFiniteError,
    ShapeError,
    WrongTypeError,
)
from kinegraph.scene.graph import SceneGraph

__all__ = ["Frame", "jacobian", "jacobians", "link_pose", "link_poses"]

Source: TypeAlias = StateSolver | SceneGraph
Frame: TypeAlias = Literal["base", "body", "spatial"]
"""Axes and reference point of a Jacobian, in brackets pinocchio's names.

"base": base axes at the link's origin, as tesseract has it (LOCAL_WORLD_ALIGNED). "body": the
link's axes at its origin (LOCAL). "spatial": base axes at the base's origin (WORLD).
"""

FRAMES = ("base", "body", "spatial")
PLAIN = FRAMES[0]

# What looking up a chain raises for a graph, a link without a chain so far, and what has no hash.
UNKNOWN = (AttributeError, KeyError, TypeError, ValueError)


def link_poses(source: Source, q: Any, out: Array | None = None) -> Array:
    """Return the poses of all links in the base link's frame.

    Args:
        source: Solver or graph.
        q: (n,) or (N, n) values.
        out: Where to write, of the result's shape, float64, contiguous; it may overlap `q`. Left
            out: a new array.

    Returns:
        (L, 4, 4) or (N, L, 4, 4), links in the order of `getLinkNames()`.

    Raises:
        ShapeError: `q` has other than one or two axes, or `out` another shape. Also a
            `ValueError` and a `TypeError`.
        LengthError: Not as many values as active joints. Also a `ValueError`.
        NotFiniteError: A value is NaN or infinite. Also a `ValueError`.
        WrongTypeError: No array of real numbers, no solver or graph. Also a `TypeError`.
    """
    state = _flat(source, "link_poses")
    tree = state.tree
    if out is None and type(q) is ndarray and q.dtype is FLOAT and q.ndim == 1:
        # The plain case, if nothing is wrong.
        quick = empty((len(tree.link_names), 4, 4))
        count = len(state.q)
        if entries.checked_links(state.numbers, tree.layout, q, count, quick) == 0:
            return quick
    values = _values(tree, q, "link_poses")
    shape = (*values.shape[:-1], tree.link_count, 4, 4)
    poses = np.empty(shape) if out is None else _checked_out(out, shape, "link_poses")
    values = _apart(values, out)
    if values.ndim == 1:
        kernels.place_links(state.numbers, tree.layout, values, poses)
    else:

        def some(first: int, end: int) -> None:
            for start, part in pieces(values, first, end):
                results = poses[start : start + len(part)].reshape(-1, 4, 4)
                sizes = tree.column_count, 0, len(part)
                kernels.place_batch(state.numbers, tree.layout, part.reshape(-1), *sizes, results)

        run_batch(some, len(values))
    return poses


def link_pose(source: Source, q: Any, link_name: str, out: Array | None = None) -> Array:
    """Return the pose of one link in the base link's frame.

    Args:
        source: Solver or graph.
        q: (n,) or (N, n) values.
        link_name: The link.
        out: Where to write, of the result's shape, float64, contiguous; it may overlap `q`. Left
            out: a new array.

    Returns:
        (4, 4) or (N, 4, 4).

    Raises:
        UnknownLinkError: There is no such link. Also a `KeyError`.
        ShapeError, LengthError, NotFiniteError, WrongTypeError: As in `link_poses`.
    """
    if out is None and type(q) is ndarray and q.dtype is FLOAT and q.ndim == 1:
        # The plain case, if nothing is wrong.
        try:
            chain = source._state.chains[link_name]  # type: ignore[union-attr]
        except UNKNOWN:
            pass
        else:
            quick = empty((4, 4))
            if entries.checked_pose(chain, q, quick) == 0:
                return quick
    state = _flat(source, "link_pose")
    _check_link_name(link_name, "link_pose")
    values = _values(state.tree, q, "link_pose", later=out is None and state.has_link(link_name))
    chain = state.chain(link_name)
    shape = (*values.shape[:-1], 4, 4)
    poses = np.empty(shape) if out is None else _checked_out(out, shape, "link_pose")
    values = _apart(values, out)
    if values.ndim == 1:
        kernels.chain_pose(chain, values, poses)
    elif not chain_poses(chain, values, poses):
        raise _not_finite(state.tree, values, "link_pose")
    return poses


def jacobian(
    source: Source, q: Any, link_name: str, frame: Frame = "base", out: Array | None = None
) -> Array:
    """Return the Jacobian of one link for one configuration.

    Args:
        source: Solver or graph.
        q: (n,) values.
        link_name: The link.
        frame: "base": base axes at the link's origin. "body": the link's axes at its origin.
            "spatial": base axes at the base's origin.
        out: (6, n) where to write, float64, contiguous; it may overlap `q`. Left out: a new array.

    Returns:
        (6, n): rows 0-2 linear, rows 3-5 angular, per unit of each active joint.

    Raises:
        UnknownLinkError: There is no such link. Also a `KeyError`.
        InvalidNameError: No such frame. Also a `ValueError`.
        ShapeError, LengthError, NotFiniteError, WrongTypeError: As in `link_poses`.
    """
    if out is None and type(q) is ndarray and q.dtype is FLOAT and q.ndim == 1:
        # The plain case, if nothing is wrong.
        try:
            known = source._state  # type: ignore[union-attr]
            chain = known.chains[link_name] if frame is PLAIN else None
        except UNKNOWN:
            pass
        else:
            if chain is not None:
                quick = empty((6, len(known.q)))
                if entries.checked_jacobian(chain, q, quick) == 0:
                    return quick
    state = _flat(source, "jacobian")
    _check_names(link_name, frame, "jacobian")
    values = _values(state.tree, q, "jacobian")
    if values.ndim != 1:
        raise ShapeError(f"jacobian: q must have one axis, not shape {values.shape}; see jacobians")
    return _jacobians(state, values[np.newaxis], link_name, frame, out, "jacobian")


def jacobians(
    source: Source, q: Any, link_name: str, frame: Frame = "base", out: Array | None = None
) -> Array:
    """Return the Jacobians of one link for many configurations.

    Args:
        source: Solver or graph.
        q: (N, n) values; (n,) is taken too.
        link_name: The link.
        frame: As in `jacobian`.
        out: Where to write, of the result's shape, float64, contiguous; it may overlap `q`. Left
            out: a new array.

    Returns:
        (N, 6, n), or (6, n) for q (n,).

    Raises:
        UnknownLinkError, InvalidNameError, ShapeError, LengthError, NotFiniteError,
        WrongTypeError: As in `jacobian`.
    """
    state = _flat(source, "jacobians")
    _check_names(link_name, frame, "jacobians")
    values = _values(state.tree, q, "jacobians", later=out is None and state.has_link(link_name))
    if values.ndim == 1:
        return _jacobians(state, values[np.newaxis], link_name, frame, out, "jacobians")
    return _jacobians(state, values, link_name, frame, out, "jacobians", many=True)


def _jacobians(
    state: FlatState,
    values: Array,
    link_name: str,
    frame: str,
    out: Array | None,
    what: str,
    *,
    many: bool = False,
) -> Array:
    chain = state.chain(link_name)
    n = state.tree.column_count
    shape: tuple[int, ...] = (len(values), 6, n) if many else (6, n)
    result = np.empty(shape) if out is None else _checked_out(out, shape, what)
    values = _apart(values, out)
    stack = result.reshape(len(values), 6, n)
    if not chain_jacobians(chain, values, stack, frame):
        raise _not_finite(state.tree, values, what)
    return result


def _flat(source: object, what: str) -> FlatState:
    state = getattr(source, "_state", None)
    if type(state) is FlatState:
        return state
    if isinstance(source, SceneGraph):
        tree = flatten(source, what)
        return FlatState(tree, tree.numbers, np.zeros(tree.column_count))
    raise WrongTypeError(f"{what}: a solver or a SceneGraph is needed, not {source!r:.100}")


def _values(tree: FlatTree, q: Any, what: str, *, later: bool = False) -> Array:
    """Return values that have been checked: (n,) contiguous float64, or (N, n) as they are.

    With `later`, rows of numbers that are not finite pass: the batch kernels find them on their
    way, which may be too late where results go to an array of the caller's.
    """
    values = any_real_array(q, f"{what}: q")
    if values.ndim == 1:
        values = real_array(values, f"{what}: q")
        check_vector(tree, values, what)
        return values
    if values.ndim != 2:
        raise ShapeError(f"{what}: q must be (n,) or (N, n), not of shape {values.shape}")
    if values.shape[1] != tree.column_count:
        raise LengthError(
            f"{what}: rows of length {values.shape[1]} were given, their length must be the "
            f"number of active joints, {tree.column_count}"
        )
    if not later and first_not_finite(values) is not None:
        raise _not_finite(tree, values, what)
    return values


def _not_finite(tree: FlatTree, values: Array, what: str) -> NotFiniteError:
    """Return the error for rows in which a number is not finite."""
    found = first_not_finite(values)
    if found is None:
        return NotFiniteError(f"{what}: q was changed while it was read")
    row, column = found
    return NotFiniteError(
        f"{what}: value of joint {tree.active_names[column]!r} in row {row} is "
        f"{values[row, column]}"
    )


def _checked_out(out: Any, shape: tuple[int, ...], what: str) -> Array:
    if not isinstance(out, np.ndarray) or out.dtype != np.float64:
        raise WrongTypeError(f"{what}: out must be an array of float64")
    if out.shape != shape:
        raise ShapeError(f"{what}: out must be of shape {shape}, not {out.shape}")
    if not (out.flags.c_contiguous and out.flags.writeable and out.flags.aligned):
        raise ShapeError(f"{what}: out must be contiguous, aligned and writeable")
    return out


def _apart(values: Array, out: Array | None) -> Array:
    """Return values that writing to `out` cannot change."""
    return values.copy() if out is not None and np.may_share_memory(values, out) else values


def _check_link_name(name: object, what: str) -> None:
    if not isinstance(name, str):
        raise WrongTypeError(f"{what}: link_name must be a str, not {name!r:.100}")


def _check_names(link_name: object, frame: object, what: str) -> None:
    _check_link_name(link_name, what)
    if not isinstance(frame, str):
        raise WrongTypeError(f"{what}: frame must be a str, not {frame!r:.100}")
    if frame not in FRAMES:
        raise InvalidNameError(f"{what}: frame must be one of {', '.join(FRAMES)}, not {frame!r}")
