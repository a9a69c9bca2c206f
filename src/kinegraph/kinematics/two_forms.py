"""A tree in one or two forms, with the poses of all links kept up in both.

The flat tree, whose rows stand in the order of the name lists, is what solvers start with and what
all questions about the whole scene need. The table is what edits need: it is made by the first one.
While the state is `edited`, there is no flat tree; asking for it (`tree`, `numbers`) makes one.
Rows are those of the table then, else of the tree.

Several threads may read at once: the first one that finds poses out of date brings them up to date,
the others wait for it.
"""

from collections.abc import Collection
from threading import RLock
from typing import NamedTuple

import numpy as np

from kinegraph.kinematics.compiled import kernels
from kinegraph.kinematics.tree import FlatTree
from kinegraph.kinematics.tree_layout import KIND, PLACE
from kinegraph.kinematics.tree_table import TreeTable
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["FEW", "TwoForms"]

FEW = 8
"""Above this number of changed subtrees all values are compared."""

NO_POSES = np.zeros((0, 4, 4))


class Flattened(NamedTuple):
    """What is made of a table: the flat tree and its up-to-date poses, (L, 4, 4)."""

    tree: FlatTree
    poses: Array


class TwoForms:
    """Flat tree, table, values, and the poses of all links.

    Attributes:
        q: (n,) current values, rad or m.
        chains: Compiled chains from the base, by tip, that are short.
        stale: Rows below which poses are out of date because of values, or None: anywhere.
        edited: Whether the table alone is up to date.
    """

    __slots__ = (
        "_lock",
        "_long_chains",
        "_made",
        "_numbers",
        "_posed",
        "_poses",
        "_shifted",
        "_table",
        "_tree",
        "chains",
        "edited",
        "q",
        "stale",
    )

    def __init__(self, tree: FlatTree, numbers: Array, q: Array) -> None:
        self._tree: FlatTree | None = tree
        self._numbers: Array | None = numbers
        self.q = q
        self.chains: dict[str, Array] = {}
        self._long_chains: dict[str, Array] = {}
        self.stale: list[int] | None = None
        # Rows below which poses are out of date because of the tree.
        self._shifted: list[int] = []
        # Poses by row, and (n,) the values that they are for; None: for none.
        self._poses = np.empty((tree.link_count, 4, 4))
        self._posed: Array | None = None
        self._table: TreeTable | None = None
        self.edited = False
        self._made: dict[str, Flattened] = {}
        self._lock = RLock()  # held by the thread that brings poses up to date

    # Properties, and no `__getattr__`, which would slow down every look at a state.
    @property
    def tree(self) -> FlatTree:
        """The flat tree, made if the table alone is up to date; an edit replaces it."""
        tree = self._tree
        return self._flatten(self._edited_table()).tree if tree is None else tree

    @property
    def numbers(self) -> Array:
        """(L, 17) the tree's numbers, or a copy of them with other origins."""
        numbers = self._numbers
        return self._flatten(self._edited_table()).tree.numbers if numbers is None else numbers

    def _flatten(self, table: TreeTable) -> Flattened:
        self._settle_table(table)
        rows = table.rows()
        poses = table.poses[: table.used]
        # Rows in the same order share the poses: what the one form computes is right in the other.
        gathered = poses if rows is None else poses[rows]
        # Of several threads one wins, and all go on with what it has made.
        made = self._made.setdefault("made", Flattened(table.flat(), gathered))
        self._poses = made.poses
        self._numbers = made.tree.numbers
        self._tree = made.tree
        self.edited = False
        return made

    # -- changing the tree -------------------------------------------------------------------

    @property
    def table(self) -> TreeTable:
        """The table, to look at; made if there is none."""
        table = self._table
        if table is None:
            table = self._table = TreeTable(self.tree, self.numbers)
        return table

    def _edited_table(self) -> TreeTable:
        table = self._table
        if table is None:
            raise RuntimeError("there is neither a flat tree nor a table")
        return table

    def opened(self, more: int = 0) -> TreeTable:
        """Return the table for an edit that is sure to come, with room for more rows.

        Its rows may have other numbers than before. The caller ends the edit by `close`.
        """
        table = self.table
        if table.used + more > table.room:
            if 2 * table.holes > table.used:
                self._close_holes()
                table = self.table
            table.grow(more)
        if not self.edited:
            self._leave_tree(table)
        return table

    def _close_holes(self) -> None:
        if self.edited:
            self._flatten(self._edited_table())
        self._table = None

    def _leave_tree(self, table: TreeTable) -> None:
        """Go over to the table's rows."""
        rows = table.rows()
        if rows is not None:
            table.poses[rows] = self._poses
            self._shifted = rows[self._shifted].tolist()
            self.stale = None if self.stale is None else rows[self.stale].tolist()
        elif self._poses.base is not table.poses:
            table.poses[: len(self._poses)] = self._poses
        self._poses = NO_POSES
        self._made = {}
        self.edited = True
        self._tree = self._numbers = None

    def close(
        self,
        shifted: list[int],
        gone: IntArray | None = None,
        more: int = 0,
        dead: Collection[int] = (),
    ) -> None:
        """End an edit.

        Args:
            shifted: Rows below which the tree has changed.
            gone: Value columns that are gone, rising.
            more: Number of value columns that have come.
            dead: Rows that are gone.
        """
        if dead:
            self._shifted = [row for row in self._shifted if row not in dead]
            if self.stale is not None:
                self.stale = [row for row in self.stale if row not in dead]
        if (gone is not None and len(gone)) or more:
            self.q = _with_columns(self.q, gone, more)
            if self._posed is not None:
                self._posed = _with_columns(self._posed, gone, more)
        self._shift(shifted)

    def _shift(self, rows: list[int]) -> None:
        """Note that the tree has changed at some rows."""
        self.chains, self._long_chains = {}, {}
        self._shifted += rows
        if len(self._shifted) > FEW:
            self._forget_poses()

    def _forget_poses(self) -> None:
        self._posed, self.stale, self._shifted = None, None, []

    # -- reading ------------------------------------------------------------------------------

    def base_link(self) -> str:
        """Return the name of the root."""
        return (self._edited_table() if self.edited else self.tree).link_names[0]

    def has_link(self, name: str) -> bool:
        """Tell whether there is such a link."""
        return name in (self._edited_table() if self.edited else self.tree).link_rows

    def has_joint(self, name: str) -> bool:
        """Tell whether there is such a joint."""
        return name in (self._edited_table() if self.edited else self.tree).joint_rows

    def kind_of_joint(self, name: str) -> int:
        """Return a joint's kind as in `tree_layout`, -1 for an unknown one."""
        source = self._edited_table() if self.edited else self.tree
        row = source.joint_rows.get(name)
        return -1 if row is None else int(source.layout[row, KIND])

    def poses(self) -> Array:
        """Return the current poses of all links, (L, 4, 4): not a copy, not to be changed."""
        self._settle(self.tree)
        return self._poses

    def _settle(self, tree: FlatTree) -> None:
        """Bring the poses of the flat tree up to date."""
        if self._is_settled():
            return
        with self._lock:
            if not self._is_settled():
                self._place(tree)

    def _is_settled(self) -> bool:
        # Whoever settles writes these last: what looks settled to another thread is.
        return self.stale == [] and not self._shifted

    def _place(self, tree: FlatTree) -> None:
        stale, shifted, posed = self.stale, self._shifted, self._posed
        if posed is None:
            kernels.place_links(self.numbers, tree.layout, self.q, self._poses)
            self._posed = self.q.copy()
        else:
            if stale is None:
                moved = np.empty(tree.link_count, np.int64)
                kernels.place_changed(self.numbers, tree.layout, self.q, posed, moved, self._poses)
            if stale or shifted:
                rows = np.array([*(stale or ()), *shifted], np.int64)
                if len(rows) > 1:
                    rows = rows[np.argsort(tree.layout[rows, PLACE])]
                kernels.place_subtrees(self.numbers, tree.layout, self.q, posed, rows, self._poses)
            if stale is None:
                posed[:] = self.q
        self._shifted, self.stale = [], []

    def _settle_table(self, table: TreeTable) -> None:
        """Bring the poses of the table up to date."""
        if self._is_settled():
            return
        with self._lock:
            if not self._is_settled():
                self._place_table(table)

    def _place_table(self, table: TreeTable) -> None:
        stale, shifted, posed = self.stale, self._shifted, self._posed
        flat = table.numbers, table.layout, table.kin, self.q
        if posed is None:
            kernels.place_below(*flat, self.q, 0, table.poses)
            self._posed = self.q.copy()
        else:
            if stale is None:
                moved = np.empty(table.used, np.int64)
                kernels.place_changed_below(*flat, posed, moved, table.poses)
            for row in (*(stale or ()), *shifted):
                kernels.place_below(*flat, posed, row, table.poses)
            if stale is None:
                posed[:] = self.q
        self._shifted, self.stale = [], []


def _with_columns(values: Array, gone: IntArray | None, more: int) -> Array:
    """Return values without some columns, and with zeros behind them."""
    count = len(values) - (0 if gone is None else len(gone))
    changed = np.empty(count + more)
    if gone is None or not len(gone) or gone[0] == count:
        changed[:count] = values[:count]
    else:
        changed[:count] = np.delete(values, gone)
    changed[count:] = 0.0
    return changed
