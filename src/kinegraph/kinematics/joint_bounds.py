"""Position bounds and present values of named joints, from a solver or a graph."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinegraph.kinematics.flat_state import FlatState
from kinegraph.kinematics.tree import FlatTree, flatten
from kinegraph.kinematics.tree_layout import LOWER, UPPER
from kinegraph.kinematics.values import real_array
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import InvalidLimitError, ShapeError, WrongTypeError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import JointType

__all__ = ["checked_bounds", "current_values", "is_continuous", "position_bounds", "turns"]


def flat_state_of(source: Any) -> FlatState:
    """Return tree and values of a solver, or of a graph with all values 0."""
    if isinstance(source, SceneGraph):
        tree = flatten(source, "plan_inverse")
        return FlatState(tree, tree.numbers, np.zeros(tree.column_count))
    state = getattr(source, "flat_state", None)
    if not isinstance(state, FlatState):
        raise WrongTypeError(f"a solver or SceneGraph is needed, not {source!r:.100}")
    return state


def current_values(source: Any, names: Sequence[str]) -> Array:
    """Return the values of active joints, (n,), a copy."""
    state = flat_state_of(source)
    return np.array([state.q[state.tree.columns[name]] for name in names], dtype=np.float64)


def is_continuous(tree: FlatTree, name: str) -> bool:
    """Tell whether a joint turns without end."""
    return tree.types[tree.joint_rows[name] - 1] is JointType.CONTINUOUS


def turns(tree: FlatTree, name: str) -> bool:
    """Tell whether a joint turns."""
    return tree.types[tree.joint_rows[name] - 1] in (JointType.REVOLUTE, JointType.CONTINUOUS)


def position_bounds(source: Any, names: Sequence[str], what: str) -> Array:
    """Return the (n, 2) bounds of active joints; continuous joints have none.

    Raises:
        InvalidLimitError: A lower bound above the upper one. Also a `ValueError`.
    """
    tree = flat_state_of(source).tree
    rows = [tree.joint_rows[name] for name in names]
    bounds = tree.limits[rows][:, [LOWER, UPPER]]
    for column, name in enumerate(names):
        if is_continuous(tree, name):
            bounds[column] = -np.inf, np.inf
    return checked_bounds(bounds, names, what)


def checked_bounds(bounds: Any, names: Sequence[str], what: str) -> Array:
    """Return (n, 2) bounds as float64.

    Raises:
        ShapeError: Another shape. Also a `ValueError`.
        InvalidLimitError: A lower bound above the upper one, or NaN. Also a `ValueError`.
    """
    values = real_array(bounds, f"{what}: bounds")
    if values.shape != (len(names), 2):
        raise ShapeError(f"{what}: bounds must be ({len(names)}, 2), not {values.shape}")
    lower, upper = values[:, 0], values[:, 1]
    good = (lower <= upper) & (lower < np.inf) & (upper > -np.inf)
    if not good.all():
        place = int(np.flatnonzero(~good)[0])
        raise InvalidLimitError(
            f"{what}: joint {names[place]!r} has the bounds {lower[place]} to {upper[place]}; "
            "no value lies between them"
        )
    return values
