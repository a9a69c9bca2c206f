"""Edits and poses of a tree table (`tree_table`): each touches what lies below a row, and no more.

Rows are linked by parent, first child and siblings (`tree_layout`), so that no order of all rows is
needed. The one exception is `close_columns`: value columns have no gaps.
"""

from kinegraph.kinematics.jit import kernel
from kinegraph.kinematics.tree_kernels import place_base, place_link
from kinegraph.kinematics.tree_layout import (
    BEFORE,
    COLUMN,
    FIRST,
    KIN,
    KIND,
    LAYOUT,
    LIMITS,
    MASTER,
    NEXT,
    NUMBERS,
    PARENT,
    RANK,
    SLIDES,
    TURNS,
)
from kinegraph.scene.array_types import Array, IntArray

__all__ = [
    "close_columns",
    "collect_below",
    "copy_branch",
    "hang",
    "hang_all",
    "is_below",
    "number_columns",
    "place_below",
    "place_changed_below",
    "unhang",
]


@kernel
def hang(kin: IntArray, parent: int, row: int) -> None:
    """Make a row the first child of another; its own children stay."""
    first = kin[parent, FIRST]
    kin[row, NEXT], kin[row, BEFORE] = first, -1
    if first >= 0:
        kin[first, BEFORE] = row
    kin[parent, FIRST] = row


@kernel
def unhang(kin: IntArray, parent: int, row: int) -> None:
    """Take a row, with all below it, out of its parent's children."""
    after, before = kin[row, NEXT], kin[row, BEFORE]
    if after >= 0:
        kin[after, BEFORE] = before
    if before >= 0:
        kin[before, NEXT] = after
    else:
        kin[parent, FIRST] = after


@kernel
def hang_all(layout: IntArray, kin: IntArray, first: int, end: int) -> None:
    """Hang rows of which only the first one's parent is elsewhere; that one is left out."""
    for row in range(first, end):
        for i in range(KIN):
            kin[row, i] = -1
    for row in range(first + 1, end):
        hang(kin, layout[row, PARENT], row)


@kernel
def next_below(layout: IntArray, kin: IntArray, row: int, top: int) -> int:
    """Row that follows in a walk through all rows below `top`, parents first; -1 at its end."""
    step: int = kin[row, FIRST]
    while step < 0 and row != top:
        step = kin[row, NEXT]
        row = layout[row, PARENT]
    return step


@kernel
def collect_below(layout: IntArray, kin: IntArray, top: int, rows: IntArray) -> int:
    """Write `top` and all rows below it, parents first; return how many."""
    count = 0
    row = top
    while row >= 0:
        rows[count] = row
        count += 1
        row = next_below(layout, kin, row, top)
    return count


@kernel
def is_below(layout: IntArray, row: int, top: int) -> int:
    """Return 1 when a row is `top` or below it."""
    while row >= 0:
        if row == top:
            return 1
        row = layout[row, PARENT]
    return 0


@kernel
def copy_branch(
    numbers: Array,
    layout: IntArray,
    limits: Array,
    other_numbers: Array,
    other_layout: IntArray,
    other_limits: Array,
    start: int,
    rank: int,
) -> None:
    """Copy all rows of another tree but its base to the rows behind `start`.

    Of the base, which becomes row `start`, only the rank is written.
    """
    layout[start, RANK] = rank
    for i in range(1, other_layout.shape[0]):
        row = start + i
        for c in range(LAYOUT):
            layout[row, c] = other_layout[i, c]
        layout[row, PARENT] += start
        layout[row, RANK] += rank
        if layout[row, MASTER] >= 0:
            layout[row, MASTER] += start
        for c in range(NUMBERS):
            numbers[row, c] = other_numbers[i, c]
        for c in range(LIMITS):
            limits[row, c] = other_limits[i, c]


@kernel
def number_columns(layout: IntArray, columns: IntArray, start: int, end: int, first: int) -> int:
    """Give rows their value columns, from `first`; return the column after the last."""
    column = first
    for row in range(start, end):
        layout[row, COLUMN] = -1
        if TURNS <= layout[row, KIND] <= SLIDES and layout[row, MASTER] < 0:
            layout[row, COLUMN] = column
            column += 1
    for row in range(start, end):
        if layout[row, MASTER] >= 0:
            layout[row, COLUMN] = layout[layout[row, MASTER], COLUMN]
        columns[row] = layout[row, COLUMN]
    return column


@kernel
def close_columns(layout: IntArray, columns: IntArray, used: int, gone: IntArray) -> None:
    """Close the gaps of some columns, in rising order; what their own rows hold has no meaning."""
    for row in range(used):
        column = columns[row]
        less = 0
        while less < gone.shape[0] and gone[less] < column:
            less += 1
        columns[row] = column - less
        layout[row, COLUMN] = column - less


@kernel
def place_below(
    numbers: Array,
    layout: IntArray,
    kin: IntArray,
    q: Array,
    posed: Array,
    top: int,
    poses: Array,
) -> None:
    """Write the poses of a row and of all below it; its parent's pose is right.

    The values that they are for go to `posed` (n,).
    """
    row = top
    if top == 0:
        place_base(poses, 0)
        row = next_below(layout, kin, 0, 0)
    while row >= 0:
        place_link(numbers, layout, q, 0, row, poses, 0)
        column = layout[row, COLUMN]
        if column >= 0:
            posed[column] = q[column]
        row = next_below(layout, kin, row, top)


@kernel
def place_changed_below(
    numbers: Array,
    layout: IntArray,
    kin: IntArray,
    q: Array,
    posed: Array,
    moved: IntArray,
    poses: Array,
) -> None:
    """Write the poses of all rows below joints whose values differ from those of `poses`.

    Args:
        numbers: (L, 17) of the table.
        layout: (L, 9) of the table.
        kin: (L, 3) of the table.
        q: (n,) values.
        posed: (n,) values for which `poses` is right.
        moved: (L,) scratch.
        poses: (L, 4, 4) in and out.
    """
    moved[0] = 0
    row = next_below(layout, kin, 0, 0)
    while row >= 0:
        column = layout[row, COLUMN]
        changed = moved[layout[row, PARENT]] == 1 or (column >= 0 and q[column] != posed[column])
        moved[row] = 1 if changed else 0
        if changed:
            place_link(numbers, layout, q, 0, row, poses, 0)
        row = next_below(layout, kin, row, 0)
