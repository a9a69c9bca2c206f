"""Chains: the path between two links as one array of constants for the chain kernels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

import numpy as np

from kinegraph.kinematics.chain_layout import STEP_SIZE, STEPS
from kinegraph.kinematics.compiled import kernels
from kinegraph.kinematics.tree import FlatTree, flatten
from kinegraph.kinematics.tree_layout import COLUMN, PARENT
from kinegraph.kinematics.tree_table import TreeTable
from kinegraph.kinematics.values import name_list
from kinegraph.scene.array_types import Array, IntArray
from kinegraph.scene.errors import (
    InvalidNameError,
    UnknownJointError,
    UnknownLinkError,
    WrongTypeError,
)
from kinegraph.scene.graph import SceneGraph

if TYPE_CHECKING:
    from kinegraph.kinematics.solver import StateSolver

__all__ = ["ChainPlan", "plan_chain"]

SCRATCH = 24

Source = Union["StateSolver", SceneGraph]


@dataclass(frozen=True, slots=True, eq=False)
class ChainPlan:
    """A compiled chain for `chain_pose` and `chain_pose_jacobian`.

    Attributes:
        data: Self-describing constants (`chain_layout`); `data[0]` is n. Read-only by convention.
        joint_names: (n) joint of each value column.
        base_link: Link in whose frame poses and Jacobians are.
        tip_link: Link whose pose is meant.
    """

    data: Array
    joint_names: tuple[str, ...]
    base_link: str
    tip_link: str

    @property
    def n(self) -> int:
        """Number of value columns."""
        return len(self.joint_names)

    def pose(self, q: Array) -> Array:
        """Return the tip's pose in the base, (4, 4), for float64 values q (n,), unchecked."""
        pose = np.empty((4, 4))
        kernels.chain_pose(self.data, q, pose)
        return pose

    def pose_and_jacobian(self, q: Array) -> tuple[Array, Array]:
        """Return (4, 4) and (6, n), base axes at the tip's origin; q float64 (n,), unchecked."""
        pose, jacobian = np.empty((4, 4)), np.empty((6, self.n))
        kernels.chain_pose_jacobian(self.data, q, pose, jacobian)
        return pose, jacobian


def plan_chain(
    source: Source,
    tip_link: str,
    joint_names: Sequence[str] | None = None,
    base_link: str | None = None,
) -> ChainPlan:
    """Compile the path between two links.

    Moving joints on the path that are not named are frozen: at the solver's current values, for a
    graph at 0. Mimic joints on the path follow their masters, named or frozen.

    Args:
        source: Solver or graph. For a solver, floating joints have their current values.
        tip_link: Link whose pose is wanted.
        joint_names: Joint of each value column, in this order; they may lie off the path. Left
            out: those that move the tip in the base, from base to tip.
        base_link: Link in whose frame the pose is; it may move. Left out: the root.

    Raises:
        UnknownLinkError: `tip_link` or `base_link` is no link. Also a `KeyError`.
        UnknownJointError: A name is not an active joint. Also a `ValueError`.
        InvalidNameError: A joint is named twice. Also a `ValueError`.
        WrongTypeError: No solver or graph, or names that are no str. Also a `TypeError`.
    """
    tree, numbers, q = _flat_source(source)
    base = 0 if base_link is None else link_row(tree, base_link)
    tip = link_row(tree, tip_link)
    if joint_names is None:
        names = _moving_names(tree, base, tip)
    else:
        names = tuple(name_list(joint_names, "plan_chain: joint_names"))
        _check_names(tree, names)
    column_of = np.full(tree.column_count + 1, -1, np.int64)
    column_of[[tree.columns[name] for name in names]] = np.arange(len(names))
    columns = column_of[tree.layout[:, COLUMN]]
    values = tree.joint_values(q)
    data = compile_path(tree.layout, numbers, columns, values, (base, tip), len(names))
    return ChainPlan(data, names, tree.link_names[base], tip_link)


def compile_path(
    layout: IntArray,
    numbers: Array,
    columns: IntArray,
    values: Array,
    ends: tuple[int, int],
    column_count: int,
) -> Array:
    """Compile the path between two rows.

    Args:
        layout: (L, 9) of the tree; its parents and kinds are looked at.
        numbers: (L, 17) its numbers, or others with other floating values.
        columns: (L,) column of each row's joint, -1 for those that stand still.
        values: (L,) where those stand.
        ends: Row of the base, row of the tip.
        column_count: Number of columns.
    """
    base, tip = ends
    steps = kernels.count_steps(layout, columns, base, tip)
    size = STEPS + STEP_SIZE * steps
    data = np.empty(size + SCRATCH)
    plan = np.array((base, tip, column_count, steps), np.int64)
    kernels.compile_chain(numbers, layout, columns, values, plan, data)
    return data


def link_row(tree: FlatTree | TreeTable, name: str) -> int:
    """Return the row of a link, or raise `UnknownLinkError`; `WrongTypeError` if it is no str."""
    if not isinstance(name, str):
        raise WrongTypeError(f"the name of a link must be a str, not {name!r:.100}")
    row = tree.link_rows.get(name)
    if row is None:
        raise UnknownLinkError(name, tree.link_rows)
    return row


def _flat_source(source: Source) -> tuple[FlatTree, Array, Array]:
    if isinstance(source, SceneGraph):
        tree = flatten(source, "plan_chain")
        return tree, tree.numbers, np.zeros(tree.column_count)
    state = getattr(source, "flat_state", None)
    if state is None:
        raise WrongTypeError(f"plan_chain: a solver or SceneGraph is needed, not {source!r:.100}")
    return state.tree, state.numbers, state.q


def _moving_names(tree: FlatTree, base: int, tip: int) -> tuple[str, ...]:
    """Return the joints that move the tip in the base, in order from base to tip."""
    above_tip = _rows_above(tree, tip)
    above_base = _rows_above(tree, base)
    shared = set(above_tip) & set(above_base)
    path = [row for row in above_base if row not in shared]
    path += [row for row in reversed(above_tip) if row not in shared]
    columns = dict.fromkeys(tree.layout[path, COLUMN].tolist())
    return tuple(tree.active_names[column] for column in columns if column >= 0)


def _rows_above(tree: FlatTree, row: int) -> list[int]:
    rows = []
    while row >= 0:
        rows.append(row)
        row = int(tree.layout[row, PARENT])
    return rows


def _check_names(tree: FlatTree, names: Sequence[str]) -> None:
    wrong = [name for name in names if name not in tree.columns]
    if wrong:
        raise UnknownJointError("plan_chain", wrong, "active joints", tree.columns)
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if list(names).count(name) > 1})
        raise InvalidNameError(f"plan_chain: named twice: {', '.join(twice)}")
