"""Order and poses of a flat tree (`tree_layout`).

Values are passed as a flat array with an offset, poses as (rows, 4, 4) with the row of the base, so
that one function serves a single configuration and rows of a batch.
"""

from kinegraph.kinematics.jit import inner_kernel, kernel
from kinegraph.kinematics.tree_layout import (
    ACTIVE,
    AXIS,
    COLUMN,
    KIND,
    MASTER,
    MULTIPLIER,
    ORDER,
    PARENT,
    PLACE,
    ROTATION,
    SHIFT,
    SIZE,
    SLIDES,
    TRANSLATION,
    TURNS,
)
from kinegraph.kinematics.trig_kernels import sincos
from kinegraph.kinematics.value_kernels import check_values
from kinegraph.scene.array_types import Array, IntArray

__all__ = [
    "checked_links",
    "index_tree",
    "place_base",
    "place_batch",
    "place_changed",
    "place_link",
    "place_links",
    "place_subtrees",
]


@kernel
def link_siblings(layout: IntArray, work: IntArray) -> None:
    """Chain the children of each link by rank: first child, last child, next sibling.

    `work[3]` has the rows by rank, so that each row comes behind those before it.
    """
    count = layout.shape[0]
    for i in range(count):
        work[0, i], work[1, i], work[2, i] = -1, -1, -1
    for p in range(count):
        i = work[3, p]
        up = layout[i, PARENT]
        if up < 0:
            continue
        last = work[1, up]
        if last < 0:
            work[0, up] = i
        else:
            work[2, last] = i
        work[1, up] = i


@kernel
def index_tree(layout: IntArray, work: IntArray, active_rows: IntArray) -> int:
    """Derive depth-first order, subtree sizes, activity and value columns.

    Args:
        layout: (L, 9) of the tree; its derived columns are written.
        work: (4, L) scratch, with the rows in the order of their ranks in `work[3]`.
        active_rows: (L,) out: row of each value column.

    Returns:
        Number of value columns, or -1 when some link is not below the base.
    """
    link_siblings(layout, work)
    count = layout.shape[0]
    row, place = 0, 0
    while row >= 0:
        kind = layout[row, KIND]
        up = layout[row, PARENT]
        moves = TURNS <= kind <= SLIDES or (up >= 0 and layout[up, ACTIVE] == 1)
        layout[row, ACTIVE] = 1 if moves else 0
        layout[row, PLACE] = place
        layout[place, ORDER] = row
        place += 1
        child = work[0, row]
        while row >= 0 and child < 0:
            layout[row, SIZE] = place - layout[row, PLACE]
            child = work[2, row]
            row = layout[row, PARENT]
        row = child if child >= 0 else -1
    columns = 0
    for i in range(count):
        kind = layout[i, KIND]
        layout[i, COLUMN] = -1
        if TURNS <= kind <= SLIDES and layout[i, MASTER] < 0:
            layout[i, COLUMN] = columns
            active_rows[columns] = i
            columns += 1
    for i in range(count):
        if layout[i, MASTER] >= 0:
            layout[i, COLUMN] = layout[layout[i, MASTER], COLUMN]
    return columns if place == count else -1


@inner_kernel
def place_link(
    numbers: Array, layout: IntArray, q: Array, qs: int, row: int, poses: Array, at: int
) -> None:
    """Write the pose of one link whose parent's pose is right.

    Values start at `q[qs]`, the poses at `poses[at]`.
    """
    kind = layout[row, KIND]
    up, out = at + layout[row, PARENT], at + row
    x, y, z = numbers[row, AXIS], numbers[row, AXIS + 1], numbers[row, AXIS + 2]
    r00, r11, r22 = 1.0, 1.0, 1.0
    r01, r02, r10, r12, r20, r21 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    shift = 0.0
    if kind == TURNS:
        value = numbers[row, MULTIPLIER] * q[qs + layout[row, COLUMN]] + numbers[row, SHIFT]
        s, c = sincos(value)
        v = 1.0 - c
        r00, r10, r20 = c + x * x * v, x * y * v + z * s, x * z * v - y * s
        r01, r11, r21 = x * y * v - z * s, c + y * y * v, y * z * v + x * s
        r02, r12, r22 = x * z * v + y * s, y * z * v - x * s, c + z * z * v
    elif kind == SLIDES:
        shift = numbers[row, MULTIPLIER] * q[qs + layout[row, COLUMN]] + numbers[row, SHIFT]
    o, t = ROTATION, TRANSLATION
    for r in range(3):
        u, v, w = poses[up, r, 0], poses[up, r, 1], poses[up, r, 2]
        a = u * numbers[row, o] + v * numbers[row, o + 3] + w * numbers[row, o + 6]
        b = u * numbers[row, o + 1] + v * numbers[row, o + 4] + w * numbers[row, o + 7]
        d = u * numbers[row, o + 2] + v * numbers[row, o + 5] + w * numbers[row, o + 8]
        p = u * numbers[row, t] + v * numbers[row, t + 1] + w * numbers[row, t + 2]
        p += poses[up, r, 3]
        if kind == TURNS:
            poses[out, r, 0] = a * r00 + b * r10 + d * r20
            poses[out, r, 1] = a * r01 + b * r11 + d * r21
            poses[out, r, 2] = a * r02 + b * r12 + d * r22
            poses[out, r, 3] = p
        else:
            poses[out, r, 0], poses[out, r, 1], poses[out, r, 2] = a, b, d
            poses[out, r, 3] = p + (a * x + b * y + d * z) * shift
    poses[out, 3, 0], poses[out, 3, 1], poses[out, 3, 2] = 0.0, 0.0, 0.0
    poses[out, 3, 3] = 1.0


@kernel
def place_base(poses: Array, at: int) -> None:
    """Write the base link's pose, the identity."""
    for r in range(4):
        for c in range(4):
            poses[at, r, c] = 1.0 if r == c else 0.0


@kernel
def place_links(numbers: Array, layout: IntArray, q: Array, poses: Array) -> None:
    """Write the poses of all links, (L, 4, 4), for the values q (n,)."""
    place_base(poses, 0)
    for p in range(1, layout.shape[0]):
        place_link(numbers, layout, q, 0, layout[p, ORDER], poses, 0)


@kernel
def checked_links(numbers: Array, layout: IntArray, q: Array, length: int, poses: Array) -> int:
    """Write the poses for values that nobody has checked; else return what is wrong.

    Returns:
        0, or `WRONG_LENGTH` or `NOT_FINITE` with nothing written.
    """
    code = check_values(q, length)
    if code == 0:
        place_links(numbers, layout, q, poses)
    return code


@kernel
def place_subtrees(
    numbers: Array, layout: IntArray, q: Array, posed: Array, rows: IntArray, poses: Array
) -> None:
    """Write the poses of the links in the subtrees of `rows`, given in depth-first order.

    The values that they are for go to `posed` (n,).
    """
    done = 1  # the base never moves
    for i in range(rows.shape[0]):
        place = layout[rows[i], PLACE]
        end = place + layout[rows[i], SIZE]
        for p in range(max(place, done), end):
            row = layout[p, ORDER]
            place_link(numbers, layout, q, 0, row, poses, 0)
            column = layout[row, COLUMN]
            if column >= 0:
                posed[column] = q[column]
        done = max(done, end)


@kernel
def place_changed(
    numbers: Array, layout: IntArray, q: Array, posed: Array, moved: IntArray, poses: Array
) -> None:
    """Write the poses of the links below joints whose values differ from those of `poses`.

    Args:
        numbers: (L, 17) of the tree.
        layout: (L, 9) of the tree.
        q: (n,) values.
        posed: (n,) values for which `poses` is right.
        moved: (L,) scratch.
        poses: (L, 4, 4) in and out.
    """
    moved[0] = 0
    for p in range(1, layout.shape[0]):
        row = layout[p, ORDER]
        column = layout[row, COLUMN]
        changed = moved[layout[row, PARENT]] == 1 or (column >= 0 and q[column] != posed[column])
        moved[row] = 1 if changed else 0
        if changed:
            place_link(numbers, layout, q, 0, row, poses, 0)


@kernel
def place_batch(
    numbers: Array, layout: IntArray, q: Array, columns: int, first: int, end: int, poses: Array
) -> None:
    """Write the poses of all links, (N * L, 4, 4), for rows `first` to `end` of q, (N * n,)."""
    links = layout.shape[0]
    for m in range(first, end):
        at = links * m
        place_base(poses, at)
        for p in range(1, links):
            place_link(numbers, layout, q, columns * m, layout[p, ORDER], poses, at)
