"""A tree that is edited in place: each edit costs what lies below it, whatever the scene's size.

Rows of a `FlatTree` stand in the order of the name lists, so that one removed row would shift all
that follow. Here a row keeps its number while it exists; the order of the lists is that of two
dicts, removed rows leave holes, and rows are linked by parent, children and siblings. Whoever needs
all rows in order takes `flat()`.

What costs more: taking `flat()` (all rows), growing (all rows, each time that half as many have
been added), and closing the gaps of removed value columns (8 bytes a row, unless they were the
last ones).
"""

from collections import ChainMap
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from kinegraph.kinematics.compiled import kernels
from kinegraph.kinematics.joint_records import JointRecord, MimicRule
from kinegraph.kinematics.mimic_rules import prefixed_rules, resolve_mimics
from kinegraph.kinematics.tree import FlatTree, indexed, renumber
from kinegraph.kinematics.tree_layout import COLUMN, KIN, KIND, MASTER, PARENT, RANK, SLIDES, TURNS
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["Branch", "TreeTable"]

SPARE = 16
"""Rows of a new table beyond one and a half times those in use."""


class Branch(NamedTuple):
    """What is hung below a row.

    Attributes:
        tree: Its rows; names and rules in it do not count.
        links: Its link names.
        joints: Its joint names.
        rules: Its mimic rules.
    """

    tree: FlatTree
    links: list[str]
    joints: list[str]
    rules: dict[str, MimicRule]

    @classmethod
    def prefixed(cls, tree: FlatTree, prefix: str) -> "Branch":
        """Return a tree with a prefix in front of all names."""
        links = [prefix + name for name in tree.link_names]
        joints = [prefix + name for name in tree.joint_names]
        return cls(tree, links, joints, prefixed_rules(tree.mimics, prefix))


class TreeTable:
    """The rows of a solver's tree.

    Checks are the caller's: names are free or known, parents are not below their children.

    Attributes:
        link_rows: Row by link name, in the order of `getLinkNames()`.
        joint_rows: Row by joint name, in the order of `getJointNames()`.
        link_names: Link name by row; "" where the row is a hole.
        joint_names: Joint name by row; "" for the base and for holes.
        types: Joint type by row.
        numbers: (room, 17) as in `tree_layout`.
        layout: (room, 9) given columns and COLUMN of `tree_layout`; the rest is not kept up.
        columns: (room,) COLUMN of `layout` again, contiguous.
        limits: (room, 5).
        kin: (room, 3) children and siblings.
        poses: (room, 4, 4) what the owner keeps there.
        used: Rows in use and holes between them.
        holes: Number of those holes.
        column_count: n, the number of value columns.
        mimics: Rule by follower's name.
        followers: Names of the joints that follow one, by its name.
        follow: Whether mimic joints follow.
    """

    __slots__ = (
        "_next_rank",
        "_ordered",
        "column_count",
        "columns",
        "follow",
        "followers",
        "holes",
        "joint_names",
        "joint_rows",
        "kin",
        "layout",
        "limits",
        "link_names",
        "link_rows",
        "mimics",
        "numbers",
        "poses",
        "types",
        "used",
    )

    def __init__(self, tree: FlatTree, numbers: Array) -> None:
        """Copy a tree, with its own or other numbers (L, 17)."""
        count = self.used = tree.link_count
        room = count + count // 2 + SPARE
        self.link_rows, self.joint_rows = dict(tree.link_rows), dict(tree.joint_rows)
        self.link_names, self.joint_names = list(tree.link_names), ["", *tree.joint_names]
        self.types: list[Any] = [None, *tree.types]
        self.numbers = _roomy(numbers, room)
        self.layout: IntArray = _roomy(tree.layout, room)
        self.limits = _roomy(tree.limits, room)
        self.columns: IntArray = _roomy(tree.layout[:, COLUMN], room)
        self.kin: IntArray = np.empty((room, KIN), np.int64)
        kernels.hang_all(self.layout, self.kin, 0, count)
        self.poses = np.empty((room, 4, 4))
        self.holes = 0
        self.column_count = tree.column_count
        self.mimics = dict(tree.mimics)
        self.followers: dict[str, dict[str, None]] = {}
        for name, rule in self.mimics.items():
            self.followers.setdefault(rule[0], {})[name] = None
        self.follow = tree.follow
        self._next_rank = tree.next_rank
        self._ordered = True  # rows stand in the order of the lists

    @property
    def room(self) -> int:
        """Number of rows that the arrays have room for."""
        return len(self.columns)

    def rows(self) -> IntArray | None:
        """Return (L,) the rows in the order of the name lists; None: those from 0 on."""
        if self._ordered:
            return None
        return np.fromiter(self.link_rows.values(), np.int64, len(self.link_rows))

    def flat(self) -> FlatTree:
        """Return the tree with its rows in the order of the name lists."""
        rows = self.rows()
        layout: IntArray = self.layout[: self.used].copy() if rows is None else self.layout[rows]
        types = self.types[1 : self.used]
        if rows is not None:
            renumber(layout, rows, self.used)
            types = [self.types[row] for row in rows[1:].tolist()]
        chosen: Any = slice(0, self.used) if rows is None else rows
        return indexed(
            list(self.link_rows),
            list(self.joint_rows),
            np.array(self.numbers[chosen]),
            layout,
            np.array(self.limits[chosen]),
            types,
            mimics=dict(self.mimics),
            follow=self.follow,
            sorted_columns=False,
            next_rank=self._next_rank,
        )

    # -- asking ------------------------------------------------------------------------------

    def below(self, top: int) -> list[int]:
        """Return a row and all rows below it, parents first."""
        rows = np.empty(self.used, np.int64)
        count = kernels.collect_below(self.layout, self.kin, top, rows)
        found: list[int] = rows[:count].tolist()
        return found

    def is_below(self, row: int, top: int) -> bool:
        """Tell whether a row is `top` or below it."""
        return bool(kernels.is_below(self.layout, row, top))

    def is_tied(self, name: str) -> bool:
        """Tell whether a joint follows another one or is followed."""
        return name in self.mimics or bool(self.followers.get(name))

    def is_led_from(self, rows: Iterable[int]) -> bool:
        """Tell whether a joint elsewhere follows one of some rows' joints."""
        among = set(rows)
        names = (self.joint_names[row] for row in among)
        led = (name for master in names for name in self.followers.get(master, ()))
        return any(self.joint_rows[name] not in among for name in led)

    def column_of(self, name: object) -> int:
        """Return the value column of a joint that has one of its own, else -1."""
        row = self.joint_rows.get(name) if isinstance(name, str) else None
        if row is None or self.layout[row, MASTER] >= 0:
            return -1
        return int(self.columns[row])

    def rows_of_joint(self, name: str) -> list[int]:
        """Return the rows that a joint moves: its own and those of all that follow it."""
        names = [name]
        for master in names:  # grows
            names += self.followers.get(master, ())
        return [self.joint_rows[each] for each in names]

    # -- editing -----------------------------------------------------------------------------

    def grow(self, count: int) -> None:
        """Make room for more rows."""
        if self.used + count <= self.room:
            return
        room = self.used + count
        room += room // 2 + SPARE
        used = self.used
        self.numbers = _roomy(self.numbers[:used], room)
        self.layout = _roomy(self.layout[:used], room)
        self.limits = _roomy(self.limits[:used], room)
        self.columns = _roomy(self.columns[:used], room)
        self.kin = _roomy(self.kin[:used], room)
        self.poses = _roomy(self.poses[:used], room)

    def attach(
        self, parent: int, joint: tuple[str, JointRecord], branch: Branch, method: str
    ) -> int:
        """Hang a branch below a row; it comes last in all lists. There is room for it.

        Args:
            parent: Row that carries the branch.
            joint: Name and record of the joint between them.
            branch: The branch.
            method: For error messages.

        Returns:
            Row of the branch's base.

        Raises:
            InvalidJointError: The joint's mimic rule leads nowhere; nothing has changed. Also a
                `ValueError`.
        """
        name, record = joint
        links, joints = branch.links, [name, *branch.joints]
        tree, rules = branch.tree, branch.rules
        start, end = self.used, self.used + len(links)
        self.numbers[start], self.limits[start] = record.numbers, record.limits
        layout = self.layout
        layout[start, PARENT], layout[start, KIND], layout[start, MASTER] = parent, record.kind, -1
        kernels.copy_branch(
            self.numbers,
            layout,
            self.limits,
            tree.numbers,
            tree.layout,
            tree.limits,
            start,
            self._next_rank,
        )
        new_rows = dict(zip(joints, range(start, end), strict=True))
        if self.follow and record.mimic is not None:
            rules = {**rules, name: record.mimic}
            known, every = ChainMap(new_rows, self.joint_rows), ChainMap(rules, self.mimics)
            resolve_mimics((name,), every, known, self.numbers, layout, method)
        # From here on nothing can fail.
        for follower, rule in rules.items():
            self.mimics[follower] = rule
            self.followers.setdefault(rule[0], {})[follower] = None
        kernels.hang_all(layout, self.kin, start, end)
        kernels.hang(self.kin, parent, start)
        count = self.column_count
        self.column_count = kernels.number_columns(layout, self.columns, start, end, count)
        self.link_rows.update(zip(links, range(start, end), strict=True))
        self.joint_rows.update(new_rows)
        self.link_names += links
        self.joint_names += joints
        self.types.append(record.typed)
        self.types += tree.types
        self.used = end
        self._next_rank += tree.next_rank
        return start

    def remove(self, rows: list[int]) -> IntArray:
        """Remove a row and all below it; return the value columns that are gone, rising."""
        top, joints = rows[0], self.joint_names
        kernels.unhang(self.kin, self.layout[top, PARENT], top)
        own = [row for row in rows if self.layout[row, MASTER] < 0 <= self.columns[row]]
        for row in rows:
            del self.link_rows[self.link_names[row]], self.joint_rows[joints[row]]
            self._forget_rule(joints[row])
            self.link_names[row] = joints[row] = ""
        gone = self._close(own)
        for row in rows:
            self.layout[row, COLUMN] = self.columns[row] = -1
        if min(rows) == self.used - len(rows):
            self.used -= len(rows)
            del self.link_names[self.used :], joints[self.used :], self.types[self.used :]
        else:
            self.holes += len(rows)
            self._ordered = False
        return gone

    def _forget_rule(self, name: str) -> None:
        self.followers.pop(name, None)
        rule = self.mimics.pop(name, None)
        if rule is not None and rule[0] in self.followers:
            del self.followers[rule[0]][name]

    def _close(self, own: list[int]) -> IntArray:
        """Take away the columns of some rows and close the gaps."""
        gone = np.sort(self.columns[own])
        count = self.column_count
        self.column_count -= len(gone)
        if len(gone) and gone[0] != count - len(gone):
            kernels.close_columns(self.layout, self.columns, self.used, gone)
        return gone

    def carry(self, row: int, parent: int, joint: tuple[str, JointRecord]) -> tuple[IntArray, int]:
        """Hang a row below another by another joint; both come last in all lists.

        Neither the old joint nor the new one is tied to others by mimic rules.

        Returns:
            The value columns that are gone, and the number of those that came.
        """
        name, record = joint
        gone = self._close([row] if self.columns[row] >= 0 else [])
        del self.joint_rows[self.joint_names[row]]
        self.joint_rows[name] = row
        link = self.link_names[row]
        del self.link_rows[link]
        self.link_rows[link] = row
        self._ordered = False
        self.joint_names[row], self.types[row] = name, record.typed
        self.numbers[row], self.limits[row] = record.numbers, record.limits
        self.layout[row, KIND] = record.kind
        self.hang(row, parent)
        moves = record.kind in (TURNS, SLIDES)
        self.layout[row, COLUMN] = self.columns[row] = self.column_count if moves else -1
        self.column_count += moves
        return gone, int(moves)

    def hang(self, row: int, parent: int) -> None:
        """Hang a row, with all below it, below another; it becomes the last child there."""
        kernels.unhang(self.kin, self.layout[row, PARENT], row)
        kernels.hang(self.kin, parent, row)
        self.layout[row, PARENT], self.layout[row, RANK] = parent, self._next_rank
        self._next_rank += 1

    def set_joint(self, row: int, record: JointRecord) -> None:
        """Take over numbers and limits of a joint that is not tied; it becomes the last child."""
        self.numbers[row], self.limits[row] = record.numbers, record.limits
        self.layout[row, RANK] = self._next_rank
        self._next_rank += 1


def _roomy(array: Any, room: int) -> Any:
    """Return a copy of an array at the beginning of a longer one."""
    longer = np.empty((room, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
