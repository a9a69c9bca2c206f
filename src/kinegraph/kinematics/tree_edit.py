"""Edits of a flat tree by joints with mimic rules. Each returns a new tree, the old one stays.

Such a joint may give its value column away, or take one in the middle of the vector, and take those
that follow it along; all rows are put in order anew. Other edits go through `tree_table`.
"""

from dataclasses import replace

import numpy as np

from kinegraph.kinematics.joint_records import JointRecord, MimicRule
from kinegraph.kinematics.mimic_rules import resolve_mimics
from kinegraph.kinematics.tree import FlatTree, indexed
from kinegraph.kinematics.tree_layout import KIND, MASTER, PARENT, RANK
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["moved_to_end", "with_joint"]


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
