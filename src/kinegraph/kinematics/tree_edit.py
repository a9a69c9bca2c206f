"""Edits of a flat tree. Each returns a new tree and leaves the old one as it was.

Arrays are put together by numpy and derived columns by one kernel: no loop of Python runs over rows
that an edit does not touch, unless names have to be left out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from kinegraph.kinematics.joint_records import JointRecord, MimicRule, origin_numbers
from kinegraph.kinematics.tree import FlatTree, index_rows, indexed, resolve_mimics
from kinegraph.kinematics.tree_layout import (
    FLOATS,
    KIND,
    MASTER,
    ORDER,
    PARENT,
    PLACE,
    RANK,
    SIZE,
)
from kinegraph.scene.array_types import Array, IntArray
from kinegraph.scene.pose import Isometry3d

__all__ = [
    "attached",
    "moved_to_end",
    "subtree",
    "with_joint",
    "with_limits",
    "with_numbers",
    "with_origin",
    "with_parent",
    "without",
]


def attached(
    tree: FlatTree,
    parent: int,
    joint: tuple[str, JointRecord],
    branch: FlatTree,
    prefix: str,
    method: str,
) -> FlatTree:
    """Return the tree with a branch below a row; its rows come behind all others.

    Args:
        tree: The tree.
        parent: Row that carries the branch.
        joint: Name and record of the joint between them.
        branch: The other tree.
        prefix: What stands before the branch's names, but not before the joint's.
        method: For error messages.

    Raises:
        InvalidJointError: The joint's mimic rule leads nowhere. Also a `ValueError`.
    """
    name, record = joint
    count = tree.link_count
    numbers = np.concatenate((tree.numbers, branch.numbers))
    numbers[count] = record.numbers
    layout = np.concatenate((tree.layout, branch.layout))
    new = layout[count:]
    new[:, PARENT] += count
    new[:, RANK] += tree.next_rank
    new[:, MASTER] += count * (new[:, MASTER] >= 0)
    new[0, PARENT], new[0, KIND], new[0, MASTER] = parent, record.kind, -1
    limits = np.concatenate((tree.limits, branch.limits))
    limits[count] = record.limits
    links = [prefix + link for link in branch.link_names]
    joints = [name, *[prefix + inner for inner in branch.joint_names]]
    places = range(count, count + len(links))
    joint_rows = {**tree.joint_rows, **dict(zip(joints, places, strict=True))}
    mimics = tree.mimics
    if tree.follow and (branch.mimics or record.mimic is not None):
        mimics = {**mimics, **_prefixed(branch.mimics, prefix)}
        if record.mimic is not None:
            mimics[name] = record.mimic
            resolve_mimics((name,), mimics, joint_rows, numbers, layout, method)
    active_rows = index_rows(layout, None)
    names = [joints[row - count] for row in active_rows[tree.column_count :].tolist()]
    first = tree.column_count
    floats = np.flatnonzero(new[:, KIND] == FLOATS).tolist()
    return FlatTree(
        tree.link_names + links,
        tree.joint_names + joints,
        {**tree.link_rows, **dict(zip(links, places, strict=True))},
        joint_rows,
        numbers,
        layout,
        limits,
        [*tree.types, record.typed, *branch.types],
        mimics,
        tree.follow,
        tree.sorted_columns,
        tree.next_rank + branch.next_rank,
        active_rows,
        tree.active_names + names,
        {**tree.columns, **dict(zip(names, range(first, first + len(names)), strict=True))},
        {**tree.floating_rows, **{joints[row]: count + row for row in floats}},
    )


def _prefixed(rules: dict[str, MimicRule], prefix: str) -> dict[str, MimicRule]:
    return {
        prefix + name: (prefix + master, factor, shift)
        for name, (master, factor, shift) in rules.items()
    }


def subtree(tree: FlatTree, row: int) -> IntArray:
    """Return the rows of a link and of all links below it, depth first."""
    place = tree.layout[row, PLACE]
    rows: IntArray = tree.layout[place : place + tree.layout[row, SIZE], ORDER]
    return rows


def without(tree: FlatTree, gone: Sequence[int]) -> tuple[FlatTree, IntArray]:
    """Return the tree without some rows, and the old row of each new one.

    No follower may stay behind without its master.
    """
    kept = np.ones(tree.link_count, bool)
    kept[gone] = False
    rows = np.flatnonzero(kept)
    joint_names = tree.joint_names
    doomed = {joint_names[row - 1] for row in gone}
    mimics = {name: rule for name, rule in tree.mimics.items() if name not in doomed}
    return _taken(tree, rows, mimics, tree.layout[rows], tree.numbers[rows]), rows


def moved_to_end(
    tree: FlatTree, row: int, parent: int, joint: tuple[str, JointRecord], method: str
) -> tuple[FlatTree, IntArray]:
    """Return the tree with a row under another parent by another joint, at the end of all lists.

    Returns:
        The tree, and the old row of each new one.

    Raises:
        InvalidJointError: A mimic rule leads nowhere now. Also a `ValueError`.
    """
    name, record = joint
    rows = np.append(np.delete(np.arange(tree.link_count), row), row)
    numbers, layout = tree.numbers[rows], tree.layout[rows]
    numbers[-1] = record.numbers
    layout[-1, PARENT], layout[-1, KIND] = parent, record.kind
    layout[-1, MASTER], layout[-1, RANK] = -1, tree.next_rank
    mimics = {k: rule for k, rule in tree.mimics.items() if k != tree.joint_names[row - 1]}
    if tree.follow and record.mimic is not None:
        mimics[name] = record.mimic
    renamed = replace(
        tree,
        joint_names=[*tree.joint_names[: row - 1], name, *tree.joint_names[row:]],
        types=[*tree.types[: row - 1], record.typed, *tree.types[row:]],
        next_rank=tree.next_rank + 1,
    )
    limits = tree.limits.copy()
    limits[row] = record.limits
    moved = _taken(replace(renamed, limits=limits), rows, mimics, layout, numbers, method)
    return moved, rows


def _taken(
    tree: FlatTree,
    rows: IntArray,
    mimics: dict[str, MimicRule],
    layout: IntArray,
    numbers: Array,
    method: str = "",
) -> FlatTree:
    """Return the tree of some rows of another, whose layout and numbers are given already."""
    places = np.full(tree.link_count + 1, -1, np.int64)
    places[rows] = np.arange(len(rows))
    layout[:, PARENT] = places[layout[:, PARENT]]
    layout[:, MASTER] = places[layout[:, MASTER]]
    listed = rows.tolist()
    joint_names = [tree.joint_names[row - 1] for row in listed[1:]]
    if mimics:
        joint_rows = {name: row for row, name in enumerate(joint_names, 1)}
        resolve_mimics(mimics, mimics, joint_rows, numbers, layout, method)
    return indexed(
        [tree.link_names[row] for row in listed],
        joint_names,
        numbers,
        layout,
        tree.limits[rows],
        [tree.types[row - 1] for row in listed[1:]],
        mimics=mimics,
        follow=tree.follow,
        sorted_columns=tree.sorted_columns,
        next_rank=tree.next_rank,
    )


def with_joint(tree: FlatTree, row: int, record: JointRecord, method: str) -> FlatTree:
    """Return the tree with other numbers of a joint of the same type and parent.

    It becomes the last child of its parent.

    Raises:
        InvalidJointError: A mimic rule leads nowhere now. Also a `ValueError`.
    """
    name = tree.joint_names[row - 1]
    numbers, layout, limits = tree.numbers.copy(), tree.layout.copy(), tree.limits.copy()
    numbers[row], limits[row] = record.numbers, record.limits
    layout[row, MASTER], layout[row, RANK] = -1, tree.next_rank
    mimics = {k: rule for k, rule in tree.mimics.items() if k != name}
    if tree.follow and record.mimic is not None:
        mimics[name] = record.mimic
    resolve_mimics(mimics, mimics, tree.joint_rows, numbers, layout, method)
    return indexed(
        tree.link_names,
        tree.joint_names,
        numbers,
        layout,
        limits,
        tree.types,
        mimics=mimics,
        follow=tree.follow,
        sorted_columns=tree.sorted_columns,
        next_rank=tree.next_rank + 1,
    )


def with_parent(tree: FlatTree, row: int, parent: int) -> FlatTree:
    """Return the tree with a row, and all below it, as last child of another parent."""
    layout = tree.layout.copy()
    layout[row, PARENT], layout[row, RANK] = parent, tree.next_rank
    index_rows(layout, None)
    return replace(tree, layout=layout, next_rank=tree.next_rank + 1)


def with_origin(tree: FlatTree, row: int, origin: Isometry3d) -> FlatTree:
    """Return the tree with another origin of a joint."""
    numbers = tree.numbers.copy()
    numbers[row, :12] = origin_numbers(origin)
    return replace(tree, numbers=numbers)


def with_limits(tree: FlatTree, row: int, changes: Iterable[tuple[int, float]]) -> FlatTree:
    """Return the tree with other limits of a joint, given as columns and values."""
    limits = tree.limits.copy()
    for column, value in changes:
        limits[row, column] = value
    return replace(tree, limits=limits)


def with_numbers(tree: FlatTree, numbers: Array) -> FlatTree:
    """Return the tree with other numbers."""
    return replace(tree, numbers=numbers)
