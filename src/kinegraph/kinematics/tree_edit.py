"""Edits of a flat tree by joints with mimic rules. Each returns a new tree, the old one stays.

Such a joint may give its value column away, or take one in the middle of the vector, and take those
that follow it along; all rows are put in order anew. Other edits go through `tree_table`.
"""

import numpy as np

from kinegraph.kinematics.joint_records import JointRecord, MimicRule
from kinegraph.kinematics.mimic_rules import resolve_mimics
from kinegraph.kinematics.tree import FlatTree, indexed, renumber
from kinegraph.kinematics.tree_layout import KIND, MASTER, PARENT, RANK
from kinegraph.scene.array_types import IntArray

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
    numbers, layout, limits = tree.numbers[rows], tree.layout[rows], tree.limits[rows]
    numbers[-1], limits[-1] = record.numbers, record.limits
    layout[-1, PARENT], layout[-1, KIND] = parent, record.kind
    layout[-1, MASTER], layout[-1, RANK] = -1, tree.next_rank
    renumber(layout, rows, tree.link_count)
    joint_names = [*tree.joint_names[: row - 1], *tree.joint_names[row:], name]
    mimics = _rules_with(tree, tree.joint_names[row - 1], name, record)
    joint_rows = {each: place for place, each in enumerate(joint_names, 1)}
    resolve_mimics(mimics, mimics, joint_rows, numbers, layout, method)
    moved = indexed(
        [*tree.link_names[:row], *tree.link_names[row + 1 :], tree.link_names[row]],
        joint_names,
        numbers,
        layout,
        limits,
        [*tree.types[: row - 1], *tree.types[row:], record.typed],
        mimics=mimics,
        follow=tree.follow,
        sorted_columns=tree.sorted_columns,
        next_rank=tree.next_rank + 1,
    )
    return moved, rows


def _rules_with(tree: FlatTree, old: str, new: str, record: JointRecord) -> dict[str, MimicRule]:
    """Return the tree's rules with that of one joint in place of another's."""
    rules = {name: rule for name, rule in tree.mimics.items() if name != old}
    if tree.follow and record.mimic is not None:
        rules[new] = record.mimic
    return rules


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
    mimics = _rules_with(tree, name, name, record)
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
