"""A flat tree with values: what every solver computes with.

Setting values only stores them. Poses of all links are brought up to date when they are read, and
then only below what changed; the pose of one link is computed from its own chain. Several threads
may read at once: whoever finds poses out of date writes the same numbers as everybody else.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinegraph.kinematics.chain import compile_path, link_row
from kinegraph.kinematics.compiled import kernels
from kinegraph.kinematics.tree import FlatTree
from kinegraph.kinematics.tree_layout import COLUMN, PLACE
from kinegraph.scene.array_types import Array, IntArray
from kinegraph.scene.pose import Isometry3d

__all__ = ["FlatState"]

# Above this number of changed subtrees everything is computed.
FEW = 8


class FlatState:
    """Tree, current values, and what has been computed from them.

    Attributes:
        tree: The flat tree; never changes, an edit replaces it.
        numbers: (L, 17) the tree's numbers, or a copy of them with other floating values.
        q: (n,) current values, rad or m.
        chains: Compiled chains from the base, by tip.
        stale: Rows below which poses are out of date, or None: everywhere.
    """

    __slots__ = ("_poses", "chains", "numbers", "q", "stale", "tree")

    def __init__(self, tree: FlatTree, numbers: Array, q: Array) -> None:
        self.tree = tree
        self.numbers = numbers
        self.q = q
        self.chains: dict[str, Array] = {}
        self._poses = np.empty(16 * tree.link_count)
        self.stale: list[int] | None = None

    def copy(self) -> "FlatState":
        """Return an independent copy."""
        numbers = self.numbers if self.numbers is self.tree.numbers else self.numbers.copy()
        return FlatState(self.tree, numbers, self.q.copy())

    def __getstate__(self) -> tuple[Any, ...]:
        return self.tree, self.numbers, self.q

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        tree, numbers, q = state
        self.__init__(tree, numbers, q)  # type: ignore[misc]

    # -- changing ----------------------------------------------------------------------------

    def touch_all(self) -> None:
        """Note that any value may have changed."""
        self.stale = None

    def set_columns(self, columns: list[int], values: Sequence[float]) -> None:
        """Set some values."""
        q, stale = self.q, self.stale
        for column, value in zip(columns, values, strict=True):
            q[column] = value
        if stale is None:
            return
        if len(stale) + len(columns) > FEW:
            self.stale = None
            return
        for column in columns:
            stale += self.tree.rows_of_column(column).tolist()

    def set_floating(self, floating: dict[int, Isometry3d]) -> None:
        """Set the values of floating joints, by row."""
        if not floating:
            return
        if self.numbers is self.tree.numbers:
            self.numbers = self.numbers.copy()
        write_origins(self.numbers, floating)
        self.chains = {}
        stale = self.stale
        if stale is not None:
            self.stale = [*stale, *floating] if len(stale) + len(floating) <= FEW else None

    def with_floating(self, floating: dict[int, Isometry3d]) -> Array:
        """Return the numbers with other floating values."""
        if not floating:
            return self.numbers
        numbers = self.numbers.copy()
        write_origins(numbers, floating)
        return numbers

    # -- reading -----------------------------------------------------------------------------

    def poses(self) -> Array:
        """Return the current poses of all links, (L, 4, 4): not a copy, not to be changed."""
        stale = self.stale
        if stale is None:
            kernels.place_links(self.numbers, self.tree.layout, self.q, self._poses)
            self.stale = []
        elif stale:
            rows = self._in_order(stale)
            kernels.place_subtrees(self.numbers, self.tree.layout, self.q, rows, self._poses)
            self.stale = []
        return self._poses.reshape(-1, 4, 4)

    def _in_order(self, stale: list[int]) -> IntArray:
        rows = np.array(stale, np.int64)
        if len(rows) > 1:
            rows = rows[np.argsort(self.tree.layout[rows, PLACE])]
        return rows

    def evaluate(self, q: Array, numbers: Array) -> Array:
        """Return the poses of all links for other values, (L, 4, 4), a new array."""
        poses = np.empty((self.tree.link_count, 4, 4))
        kernels.place_links(numbers, self.tree.layout, q, poses.reshape(-1))
        return poses

    def chain(self, link_name: str) -> Array:
        """Return the compiled chain from the base to a link, over all value columns.

        Raises:
            UnknownLinkError: There is no such link. Also a `KeyError`.
        """
        row = link_row(self.tree, link_name)
        chain = self.chains.get(link_name)
        if chain is None:
            chain = self.chains[link_name] = self.new_chain(row)
        return chain

    def new_chain(self, tip: int, base: int = 0, numbers: Array | None = None) -> Array:
        """Compile the chain between two rows over all value columns."""
        tree = self.tree
        columns = np.ascontiguousarray(tree.layout[:, COLUMN])
        return compile_path(
            tree,
            self.numbers if numbers is None else numbers,
            columns,
            NOT_USED,
            base,
            tip,
            tree.column_count,
        )

    def pose(self, link_name: str) -> Array:
        """Return the current pose of a link, (4, 4), a new array."""
        pose = np.empty((4, 4))
        kernels.chain_pose(self.chain(link_name), self.q, pose)
        return pose


NOT_USED = np.zeros(0)


def write_origins(numbers: Array, transforms: dict[int, Isometry3d]) -> None:
    """Write transforms into the origins of rows."""
    for row, transform in transforms.items():
        matrix = transform.matrix
        numbers[row, 0:9] = matrix[:3, :3].ravel()
        numbers[row, 9:12] = matrix[:3, 3]
