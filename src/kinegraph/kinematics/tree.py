"""The flat form of a scene: few packed arrays that solvers, batches and the robot's loop share.

Row i of every array belongs to the i-th link and to the joint that carries it; row 0 is the base
link. Rows stand in the order of `getLinkNames()`. A `FlatTree` never changes: edits are made in a
table (`kinegraph.kinematics.tree_table`), from which a new one is taken, so that whoever computes
with an old one can finish.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from kinegraph.kinematics.compiled import kernels
from kinegraph.kinematics.joint_records import JointRecord, MimicRule, joint_record
from kinegraph.kinematics.mimic_rules import prefixed_rules, resolve_mimics
from kinegraph.kinematics.tree_layout import (
    COLUMN,
    FIXED,
    FLOATS,
    KIND,
    LAYOUT,
    LIMITS,
    MASTER,
    MULTIPLIER,
    NUMBERS,
    PARENT,
    RANK,
    SHIFT,
)
from kinegraph.scene.array_types import Array, IntArray
from kinegraph.scene.errors import TreeError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import Joint

__all__ = ["FlatTree", "flatten", "indexed", "renumber", "single_link"]

IDENTITY_NUMBERS = (*(1.0, 0.0, 0.0, 0.0) * 2, 1.0, *(0.0,) * 3, 1.0, 0.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True, eq=False)
class FlatTree:
    """A scene as arrays. What can be looked up by name is made when it is first needed.

    Attributes:
        link_names: (L) names by row.
        joint_names: (L - 1) names; `joint_names[i - 1]` carries row i.
        numbers: (L, 17) origins, axes, mimic factors; see `tree_layout`.
        layout: (L, 9) parents, kinds, masters, ranks, and what is derived from them.
        limits: (L, 5) lower, upper, velocity, acceleration, jerk.
        types: (L - 1) joint types, in the order of `joint_names`.
        mimics: Rule by follower's name; empty where followers are ordinary joints.
        follow: Whether mimic joints follow.
        sorted_columns: Whether value columns are sorted by child link name, as KDL does.
        next_rank: Larger than any rank.
        active_rows: (n,) row of each value column.
    """

    link_names: list[str]
    joint_names: list[str]
    numbers: Array
    layout: IntArray
    limits: Array
    types: list[Any]
    mimics: dict[str, MimicRule]
    follow: bool
    sorted_columns: bool
    next_rank: int
    active_rows: IntArray

    @cached_property
    def link_rows(self) -> dict[str, int]:
        """Row by link name."""
        return dict(zip(self.link_names, range(len(self.link_names)), strict=True))

    @cached_property
    def joint_rows(self) -> dict[str, int]:
        """Row by joint name."""
        return dict(zip(self.joint_names, range(1, len(self.link_names)), strict=True))

    @cached_property
    def active_names(self) -> list[str]:
        """(n) joint of each value column."""
        names = self.joint_names
        if len(self.active_rows) == len(names) and not self.sorted_columns:
            return names
        return [names[row - 1] for row in self.active_rows.tolist()]

    @cached_property
    def columns(self) -> dict[str, int]:
        """Value column by joint name."""
        return dict(zip(self.active_names, range(len(self.active_names)), strict=True))

    @cached_property
    def floating_rows(self) -> dict[str, int]:
        """Row by floating joint name."""
        floats = np.flatnonzero(self.layout[:, KIND] == FLOATS).tolist()
        return {self.joint_names[row - 1]: row for row in floats}

    @property
    def link_count(self) -> int:
        """L, the number of links."""
        return len(self.link_names)

    @property
    def column_count(self) -> int:
        """n, the number of value columns."""
        return len(self.active_rows)

    @cached_property
    def columns_of_rows(self) -> IntArray:
        """(L,) value column of each row, -1 for none."""
        return np.ascontiguousarray(self.layout[:, COLUMN])

    @cached_property
    def _rows_by_column(self) -> dict[int, list[int]]:
        rows: dict[int, list[int]] = {}
        for row, column in enumerate(self.layout[:, COLUMN].tolist()):
            rows.setdefault(column, []).append(row)
        return rows

    def rows_of_column(self, column: int) -> list[int]:
        """Return the rows that a value column moves: its joint's and its followers'."""
        if self.mimics:
            return self._rows_by_column[column]
        return [int(self.active_rows[column])]

    @cached_property
    def _followers(self) -> list[tuple[str, int, float, float]]:
        rows = [self.joint_rows[name] for name in self.mimics]
        columns = self.layout[rows, COLUMN].tolist()
        factors = self.numbers[rows, MULTIPLIER].tolist()
        shifts = self.numbers[rows, SHIFT].tolist()
        return list(zip(self.mimics, columns, factors, shifts, strict=True))

    def follower_values(self, q: Sequence[float]) -> list[tuple[str, float]]:
        """Return name and value of each joint that follows another, for the values (n,)."""
        return [(name, k * q[column] + shift) for name, column, k, shift in self._followers]

    def __getstate__(self) -> dict[str, Any]:
        # A copy made at once: another thread that reads may add a look-up meanwhile.
        return self.__dict__.copy()

    def joint_values(self, q: Array) -> Array:
        """Return (L,) the value of each row's joint for q (n,), followers included, others 0."""
        columns = self.layout[:, COLUMN]
        moving = columns >= 0
        values = np.zeros(len(columns))
        numbers = self.numbers[moving]
        values[moving] = numbers[:, MULTIPLIER] * q[columns[moving]] + numbers[:, SHIFT]
        return values

    def with_limits(self, row: int, changes: Mapping[int, float]) -> "FlatTree":
        """Return the same tree with other limits of a joint, given by column."""
        limits = self.limits.copy()
        for column, value in changes.items():
            limits[row, column] = value
        return self._with("limits", limits)

    def with_numbers(self, numbers: Array) -> "FlatTree":
        """Return the same tree with other numbers (L, 17)."""
        return self._with("numbers", numbers)

    def _with(self, field: str, value: Any) -> "FlatTree":
        """Return the same tree with another array that no look-up depends on."""
        new = object.__new__(FlatTree)
        new.__dict__.update(self.__dict__)
        new.__dict__[field] = value
        return new

    def with_prefix(self, prefix: str) -> "FlatTree":
        """Return the same tree with `prefix` in front of every name."""
        if not prefix:
            return self
        return replace(
            self,
            link_names=[prefix + name for name in self.link_names],
            joint_names=[prefix + name for name in self.joint_names],
            mimics=prefixed_rules(self.mimics, prefix),
        )


def indexed(
    link_names: list[str],
    joint_names: list[str],
    numbers: Array,
    layout: IntArray,
    limits: Array,
    types: list[Any],
    *,
    mimics: dict[str, MimicRule],
    follow: bool,
    sorted_columns: bool,
    next_rank: int,
) -> FlatTree:
    """Derive what a `FlatTree` knows beside its rows; `layout` is completed in place."""
    return FlatTree(
        link_names,
        joint_names,
        numbers,
        layout,
        limits,
        types,
        mimics,
        follow,
        sorted_columns,
        next_rank,
        index_rows(layout, link_names if sorted_columns else None),
    )


def renumber(layout: IntArray, rows: IntArray, count: int) -> None:
    """Let rows taken from `count` others refer to each other by their new numbers, in place.

    Args:
        layout: (len(rows), 9) as taken.
        rows: Old row of each new one.
        count: Number of old rows.
    """
    places = np.full(count + 1, -1, np.int64)  # the last one is where row -1 looks
    places[rows] = np.arange(len(rows))
    layout[:, PARENT] = places[layout[:, PARENT]]
    layout[:, MASTER] = places[layout[:, MASTER]]


def index_rows(layout: IntArray, sort_by: list[str] | None) -> IntArray:
    """Complete `layout` and return the row of each value column.

    Args:
        layout: (L, 9), derived columns are written.
        sort_by: Names whose byte order is the order of the columns; None for the order of rows.
    """
    active_rows = np.empty(len(layout), np.int64)
    work = np.empty((4, len(layout)), np.int64)
    work[3] = np.argsort(layout[:, RANK], kind="stable")
    count = kernels.index_tree(layout, work, active_rows)
    active_rows = active_rows[:count].copy()
    if sort_by is None:
        return active_rows
    # Names may hold half a surrogate pair.
    keys = [sort_by[row].encode("utf-8", "surrogatepass") for row in active_rows.tolist()]
    order = sorted(range(count), key=keys.__getitem__)
    moved = np.empty(count + 1, np.int64)
    moved[order] = np.arange(count)
    moved[count] = -1  # where column -1 looks
    layout[:, COLUMN] = moved[layout[:, COLUMN]]
    return active_rows[order]


def single_link(name: str, *, follow: bool = True, sorted_columns: bool = False) -> FlatTree:
    """Return the tree of one link without joints."""
    layout = np.zeros((1, LAYOUT), np.int64)
    layout[0, PARENT] = layout[0, MASTER] = -1
    return indexed(
        [name],
        [],
        np.array([IDENTITY_NUMBERS]),
        layout,
        np.zeros((1, LIMITS)),
        [],
        mimics={},
        follow=follow,
        sorted_columns=sorted_columns,
        next_rank=1,
    )


def flatten(
    graph: SceneGraph, method: str, *, follow: bool = True, sorted_columns: bool = False
) -> FlatTree:
    """Return the flat tree of a graph; computed once per revision of the graph.

    Args:
        graph: A tree with at least one link.
        method: For error messages.
        follow: Whether mimic joints follow, or are ordinary joints.
        sorted_columns: Whether value columns are sorted by child link name.

    Raises:
        TreeError: The graph is empty or not a tree. Also a `RuntimeError`.
        UnsupportedError: A joint type that no solver takes. Also a `RuntimeError`.
        InvalidJointError: A moving joint without limits or axis, or a mimic rule that leads
            nowhere. Also a `ValueError`.
    """
    revision = graph.revision
    kept = graph._compiled
    key = (follow, sorted_columns)
    trees: Any = kept[1] if kept is not None and kept[0] == revision else {}
    if key not in trees:
        trees = {**trees, key: _flatten(graph, method, follow, sorted_columns)}
        graph._compiled = (revision, trees)
    tree: FlatTree = trees[key]
    return tree


def _flatten(graph: SceneGraph, method: str, follow: bool, sorted_columns: bool) -> FlatTree:
    root, joints = _preorder(graph, method)
    records = [joint_record(joint, method) for joint in joints]
    link_names = [root, *[joint.child_link_name for joint in joints]]
    joint_names = [joint.getName() for joint in joints]
    rows = dict(zip(link_names, range(len(link_names)), strict=True))
    layout = np.zeros((len(link_names), LAYOUT), np.int64)
    layout[:, PARENT] = [-1, *[rows[joint.parent_link_name] for joint in joints]]
    layout[:, KIND] = [FIXED, *[record.kind for record in records]]
    layout[:, MASTER] = -1
    layout[:, RANK] = np.arange(len(link_names))
    numbers = list(IDENTITY_NUMBERS)
    limits = [0.0] * LIMITS
    for record in records:
        numbers += record.numbers
        limits += record.limits
    all_numbers = np.array(numbers).reshape(-1, NUMBERS)
    mimics = _rules(joint_names, records) if follow else {}
    if mimics:
        joint_rows = dict(zip(joint_names, range(1, len(link_names)), strict=True))
        resolve_mimics(mimics, mimics, joint_rows, all_numbers, layout, method)
    tree = indexed(
        link_names,
        joint_names,
        all_numbers,
        layout,
        np.array(limits).reshape(-1, LIMITS),
        [record.typed for record in records],
        mimics=mimics,
        follow=follow,
        sorted_columns=sorted_columns,
        next_rank=len(link_names),
    )
    tree.__dict__["link_rows"] = rows
    return tree


def _rules(names: Sequence[str], records: Sequence[JointRecord]) -> dict[str, MimicRule]:
    pairs = zip(names, records, strict=True)
    return {name: record.mimic for name, record in pairs if record.mimic is not None}


def _preorder(graph: SceneGraph, method: str) -> tuple[str, list[Joint]]:
    """Return the root and all joints, depth first, children in the order of their joints."""
    links, outbound = graph._links, graph._outbound
    if not links:
        raise TreeError(f"{method}: the scene graph is empty")
    root = graph.getRoot()
    for joint in graph._inbound[root].values():
        raise TreeError(f"{method}: root link {root!r} is carried by joint {joint.getName()!r}")
    joints: list[Joint] = []
    seen = {root}
    stack = list(reversed(outbound[root].values()))
    while stack:
        joint = stack.pop()
        child = joint.child_link_name
        if child in seen:
            raise TreeError(f"{method}: not a tree: link {child!r} is reached by several joints")
        seen.add(child)
        joints.append(joint)
        if below := outbound[child]:
            stack += reversed(below.values())
    loose = [name for name in links if name not in seen] if len(seen) < len(links) else []
    if loose:
        listed = ", ".join(loose[:10])
        raise TreeError(f"{method}: not a tree: not below root {root!r}: {listed}")
    if len(joints) != len(graph._joints):
        raise TreeError(f"{method}: not a tree: some links have several parent joints")
    return root, joints
