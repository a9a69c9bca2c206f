"""A tree with values: what every solver computes with.

Setting values only stores them. Poses of all links are brought up to date when they are read, and
then only below what changed; the pose of one link is computed from its own chain, or read from
those poses where its chain is long.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kinegraph.kinematics.chain import compile_path, link_row
from kinegraph.kinematics.chain_layout import STEP_COUNT
from kinegraph.kinematics.compiled import kernels
from kinegraph.kinematics.joint_records import origin_numbers
from kinegraph.kinematics.two_forms import FEW, TwoForms
from kinegraph.scene.array_types import Array
from kinegraph.scene.pose import Isometry3d

__all__ = ["FlatState"]

NOTHING = np.zeros(0)

LONG = 32
"""Chains with more joints than this are computed only where the poses of all links are no help."""


class FlatState(TwoForms):
    """Tree, current values, and what is computed from them; the attributes of `TwoForms`."""

    __slots__ = ()

    def copy(self) -> "FlatState":
        """Return an independent copy."""
        tree, numbers = self.tree, self.numbers
        return FlatState(
            tree, numbers if numbers is tree.numbers else numbers.copy(), self.q.copy()
        )

    def __getstate__(self) -> tuple[Any, ...]:
        return self.tree, self.numbers, self.q

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        tree, numbers, q = state
        self.__init__(tree, numbers, q)  # type: ignore[misc]

    # -- changing values ---------------------------------------------------------------------

    def touch_all(self) -> None:
        """Note that any value may have changed."""
        self.stale = None

    def set_columns(self, columns: list[int], values: Sequence[float]) -> None:
        """Set some values."""
        tree, q, stale = self.tree, self.q, self.stale
        for column, value in zip(columns, values, strict=True):
            q[column] = value
        if stale is None:
            return
        if len(stale) + len(columns) > FEW:
            self.stale = None
            return
        for column in columns:
            stale += tree.rows_of_column(column)

    def set_named(self, values: Mapping[Any, float]) -> bool:
        """Set some values by name; False, with nothing set, where a name is no active joint's."""
        if not self.edited:
            known = self.tree.columns
            try:
                columns = [known[name] for name in values]
            except (KeyError, TypeError):
                return False
            self.set_columns(columns, list(values.values()))
            return True
        table, stale = self._edited_table(), self.stale
        columns = [table.column_of(name) for name in values]
        if columns and min(columns) < 0:
            return False
        for column, value in zip(columns, values.values(), strict=True):
            self.q[column] = value
        if stale is not None:
            rows = [row for name in values for row in table.rows_of_joint(name)]
            self.stale = [*stale, *rows] if len(stale) + len(rows) <= FEW else None
        return True

    def set_floating(self, floating: dict[int, Isometry3d]) -> None:
        """Set the origins of joints, for floating joints their values, by row of the tree."""
        if not floating:
            return
        tree = self.tree
        if self.numbers is tree.numbers:
            self._numbers = self.numbers.copy()
        write_origins(self.numbers, floating)
        if self._table is not None:
            rows = self._table.link_rows
            write_origins(
                self._table.numbers,
                {rows[tree.link_names[row]]: origin for row, origin in floating.items()},
            )
        self._shift(list(floating))

    def with_floating(self, floating: dict[int, Isometry3d]) -> Array:
        """Return the numbers with other floating values."""
        if not floating:
            return self.numbers
        numbers = self.numbers.copy()
        write_origins(numbers, floating)
        return numbers

    def set_limits(self, name: str, changes: Mapping[int, float]) -> None:
        """Change limits of a joint, by column of `limits`."""
        table = self._table
        if table is not None:
            row = table.joint_rows[name]
            for column, value in changes.items():
                table.limits[row, column] = value
        if not self.edited:
            self._tree = self.tree.with_limits(self.tree.joint_rows[name], changes)

    def set_origin(self, name: str, origin: Isometry3d) -> None:
        """Change the origin of a joint."""
        if not self.edited:
            self.set_floating({self.tree.joint_rows[name]: origin})
            return
        table = self._edited_table()
        row = table.joint_rows[name]
        write_origins(table.numbers, {row: origin})
        self._shift([row])

    # -- reading -----------------------------------------------------------------------------

    def evaluate(self, q: Array, numbers: Array) -> Array:
        """Return the poses of all links for other values, (L, 4, 4), a new array."""
        tree = self.tree
        poses = np.empty((tree.link_count, 4, 4))
        kernels.place_links(numbers, tree.layout, q, poses)
        return poses

    def chain(self, link_name: str) -> Array:
        """Return the compiled chain from the base to a link, over all value columns.

        Raises:
            UnknownLinkError: There is no such link. Also a `KeyError`.
        """
        chain: Array | None = None
        if isinstance(link_name, str):
            chain = self.chains.get(link_name)
            if chain is None:
                chain = self._long_chains.get(link_name)
        if chain is None:
            chain = self._new_chain(link_name)
            kept = self._long_chains if chain[STEP_COUNT] > LONG else self.chains
            kept[link_name] = chain
        return chain

    def chain_between(self, tip: str, base: str) -> Array:
        """Compile the chain between two links, over all value columns.

        Args:
            tip: Link whose pose is meant.
            base: Link in whose frame.

        Raises:
            UnknownLinkError: One of them is no link. Also a `KeyError`.
            WrongTypeError: One of them is no str. Also a `TypeError`.
        """
        return self._new_chain(tip, base)

    def _new_chain(self, tip: str, base: str | None = None) -> Array:
        if not self.edited:
            tree = self.tree
            start = 0 if base is None else link_row(tree, base)
            return self.new_chain(link_row(tree, tip), start)
        table = self._edited_table()
        start = 0 if base is None else link_row(table, base)
        ends, count = (start, link_row(table, tip)), table.column_count
        return compile_path(table.layout, table.numbers, table.columns, NOTHING, ends, count)

    def new_chain(self, tip: int, base: int = 0, numbers: Array | None = None) -> Array:
        """Compile the chain between two rows of the flat tree over all value columns."""
        tree = self.tree
        return compile_path(
            tree.layout,
            self.numbers if numbers is None else numbers,
            tree.columns_of_rows,
            NOTHING,
            (base, tip),
            tree.column_count,
        )

    def pose(self, link_name: str) -> Array:
        """Return the current pose of a link, (4, 4), a new array.

        Raises:
            UnknownLinkError: There is no such link. Also a `KeyError`.
        """
        if self.edited and self._posed is not None and self.stale is not None:
            return self._read_pose(link_name)
        chain = self.chain(link_name)
        steps = chain[STEP_COUNT]
        if steps > LONG:
            known = self._posed is not None and self.stale is not None
            if known or 4 * steps > self.q.shape[0]:
                return self._read_pose(link_name)
        pose = np.empty((4, 4))
        kernels.chain_pose(chain, self.q, pose)
        return pose

    def _read_pose(self, link_name: str) -> Array:
        """Return a link's pose from those of all links, brought up to date."""
        if self.edited:
            table = self._edited_table()
            self._settle_table(table)
            pose: Array = table.poses[link_row(table, link_name)]
        else:
            tree = self.tree
            self._settle(tree)
            pose = self._poses[link_row(tree, link_name)]
        return pose.copy()


def write_origins(numbers: Array, transforms: Mapping[int, Isometry3d]) -> None:
    """Write transforms into the origins of rows."""
    for row, transform in transforms.items():
        numbers[row, :12] = origin_numbers(transform)
