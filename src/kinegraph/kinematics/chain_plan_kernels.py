"""Compilation of a chain: from rows of a flat tree to the canonical form of `chain_layout`.

The path runs from the base link up to the nearest link above both ends, and down to the tip.
Seen from the base, a joint on the way up acts by its inverse: about the same axis, with the value
negated.
"""

import math

from kinegraph.kinematics.chain_layout import (
    BASE,
    COLUMN,
    COLUMN_COUNT,
    COS,
    COS_OFFSET,
    RAW_COLUMN,
    RAW_SLIDE,
    RAW_TURN,
    SHIFT_X,
    SHIFT_Y,
    SHIFT_Z,
    SIN,
    SIN_OFFSET,
    SLIDE,
    STEP_COUNT,
    STEP_SIZE,
    STEPS,
    TOOL,
    TURN,
)
from kinegraph.kinematics.jit import kernel
from kinegraph.kinematics.tree_layout import (
    AXIS,
    KIND,
    MULTIPLIER,
    PARENT,
    PLACE,
    ROTATION,
    SHIFT,
    SIZE,
    SLIDES,
    TRANSLATION,
    TURNS,
)
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["compile_chain", "count_steps"]


@kernel
def common_ancestor(layout: IntArray, first: int, second: int) -> int:
    """Row of the nearest link above both, or one of the two."""
    place = layout[second, PLACE]
    row = first
    while not layout[row, PLACE] <= place < layout[row, PLACE] + layout[row, SIZE]:
        row = layout[row, PARENT]
    return row


@kernel
def count_steps(layout: IntArray, columns: IntArray, base: int, tip: int) -> int:
    """Count the joints between two rows that have a column."""
    top = common_ancestor(layout, base, tip)
    count = 0
    row = base
    while row != top:
        if columns[row] >= 0:
            count += 1
        row = layout[row, PARENT]
    row = tip
    while row != top:
        if columns[row] >= 0:
            count += 1
        row = layout[row, PARENT]
    return count


@kernel
def set_identity(w: Array, at: int) -> None:
    """Write the identity: columns x, y, z, then the translation."""
    for i in range(12):
        w[at + i] = 0.0
    w[at], w[at + 4], w[at + 8] = 1.0, 1.0, 1.0


@kernel
def copy_constant(w: Array, source: int, target: int) -> None:
    """Copy a transform."""
    for i in range(12):
        w[target + i] = w[source + i]


@kernel
def put_product(w: Array, a: int, b: int, out: int) -> None:
    """Write A * B at `out`, which may be either of them."""
    a0, a1, a2, a3, a4, a5 = w[a], w[a + 1], w[a + 2], w[a + 3], w[a + 4], w[a + 5]
    a6, a7, a8, a9, a10, a11 = w[a + 6], w[a + 7], w[a + 8], w[a + 9], w[a + 10], w[a + 11]
    for c in range(4):
        x, y, z = w[b + 3 * c], w[b + 3 * c + 1], w[b + 3 * c + 2]
        last = 1.0 if c == 3 else 0.0
        w[out + 3 * c] = a0 * x + a3 * y + a6 * z + a9 * last
        w[out + 3 * c + 1] = a1 * x + a4 * y + a7 * z + a10 * last
        w[out + 3 * c + 2] = a2 * x + a5 * y + a8 * z + a11 * last


@kernel
def put_origin(numbers: Array, row: int, inverted: int, w: Array, at: int) -> None:
    """Write the origin of a row's joint, or its inverse."""
    for r in range(3):
        for c in range(3):
            value = numbers[row, ROTATION + 3 * r + c]
            if inverted:
                w[at + 3 * r + c] = value
            else:
                w[at + 3 * c + r] = value
        w[at + 9 + r] = numbers[row, TRANSLATION + r]
    if inverted:
        x, y, z = w[at + 9], w[at + 10], w[at + 11]
        for r in range(3):
            w[at + 9 + r] = -(w[at + r] * x + w[at + 3 + r] * y + w[at + 6 + r] * z)


@kernel
def put_motion(numbers: Array, row: int, kind: int, value: float, w: Array, at: int) -> None:
    """Write the motion of a joint that stands still at `value`."""
    set_identity(w, at)
    x, y, z = numbers[row, AXIS], numbers[row, AXIS + 1], numbers[row, AXIS + 2]
    if kind == SLIDES:
        w[at + 9], w[at + 10], w[at + 11] = x * value, y * value, z * value
    elif kind == TURNS:
        s, c = math.sin(value), math.cos(value)
        v = 1.0 - c
        w[at], w[at + 1], w[at + 2] = c + x * x * v, x * y * v + z * s, x * z * v - y * s
        w[at + 3], w[at + 4], w[at + 5] = x * y * v - z * s, c + y * y * v, y * z * v + x * s
        w[at + 6], w[at + 7], w[at + 8] = x * z * v + y * s, y * z * v - x * s, c + z * z * v


@kernel
def put_axis_frame(numbers: Array, row: int, inverted: int, w: Array, at: int) -> None:
    """Write a rotation whose z is the joint's axis, or its inverse.

    The other two axes as in Duff et al. 2017, "Building an Orthonormal Basis, Revisited".
    """
    x, y, z = numbers[row, AXIS], numbers[row, AXIS + 1], numbers[row, AXIS + 2]
    sign = 1.0 if z >= 0.0 else -1.0
    a = -1.0 / (sign + z)
    b = x * y * a
    set_identity(w, at)
    w[at], w[at + 1], w[at + 2] = 1.0 + sign * x * x * a, sign * b, -sign * x
    w[at + 3], w[at + 4], w[at + 5] = b, sign + y * y * a, -y
    w[at + 6], w[at + 7], w[at + 8] = x, y, z
    if inverted:
        for r in range(3):
            for c in range(r):
                w[at + 3 * r + c], w[at + 3 * c + r] = w[at + 3 * c + r], w[at + 3 * r + c]


@kernel
def put_step(
    numbers: Array, row: int, kind: int, sign: float, column: int, w: Array, k: int
) -> None:
    """Write how a step depends on its column."""
    factor = sign * numbers[row, MULTIPLIER]
    w[k + RAW_TURN] = factor if kind == TURNS else 0.0
    w[k + RAW_SLIDE] = factor if kind == SLIDES else 0.0
    w[k + RAW_COLUMN] = float(column)


@kernel
def slide_along_z(w: Array, at: int, distance: float) -> None:
    """Multiply by a translation along z on the right."""
    for r in range(3):
        w[at + 9 + r] += w[at + 6 + r] * distance


@kernel
def turn_about_z(w: Array, at: int, angle: float) -> None:
    """Multiply by a rotation about z on the right."""
    s, c = math.sin(angle), math.cos(angle)
    for r in range(3):
        x, y = w[at + r], w[at + 3 + r]
        w[at + r], w[at + 3 + r] = x * c + y * s, y * c - x * s


@kernel
def rest_at_shift(numbers: Array, row: int, kind: int, sign: float, w: Array, at: int) -> None:
    """Multiply by the motion for column value 0: a follower's offset."""
    value = sign * numbers[row, SHIFT]
    if value != 0.0:
        if kind == TURNS:
            turn_about_z(w, at, value)
        else:
            slide_along_z(w, at, value)


@kernel
def split_rotations(w: Array, steps: int) -> None:
    """Turn each raw constant Rz(a) Rx(b) Rz(c) into cosine and sine of b, moving a and c.

    `a` is taken out before `c` is read, so that only their sum matters where b is near 0.
    """
    for i in range(steps):
        k = STEPS + STEP_SIZE * i
        turn, slide, column = w[k + RAW_TURN], w[k + RAW_SLIDE], w[k + RAW_COLUMN]
        x0, x1, y0, y1 = w[k], w[k + 1], w[k + 3], w[k + 4]
        z0, z1, cosine = w[k + 6], w[k + 7], w[k + 8]
        t0, t1, t2 = w[k + 9], w[k + 10], w[k + 11]
        sine = math.sqrt(z0 * z0 + z1 * z1)
        ca, sa = 1.0, 0.0
        if sine > 0.0:
            ca, sa = -z1 / sine, z0 / sine
        length = math.sqrt(sine * sine + cosine * cosine)
        w[k + COS], w[k + SIN] = cosine / length, sine / length
        w[k + SHIFT_X], w[k + SHIFT_Y] = ca * t0 + sa * t1, ca * t1 - sa * t0
        w[k + SHIFT_Z] = t2
        cc, sc = ca * x0 + sa * x1, -(ca * y0 + sa * y1)
        length = math.sqrt(cc * cc + sc * sc)
        w[k + COS_OFFSET], w[k + SIN_OFFSET] = cc / length, sc / length
        w[k + TURN], w[k + SLIDE], w[k + COLUMN] = turn, slide, column
        if i > 0:  # the first step's own constant is the identity
            before = k - STEP_SIZE
            co, so = w[before + COS_OFFSET], w[before + SIN_OFFSET]
            w[before + COS_OFFSET] = co * ca - so * sa
            w[before + SIN_OFFSET] = so * ca + co * sa


@kernel
def climb_from_base(
    numbers: Array, layout: IntArray, columns: IntArray, values: Array, ends: IntArray, w: Array
) -> int:
    """Compile the way up from the base; leave what stands behind its last step at BASE.

    Each constant stands left of its step and is kept with it. Returns the number of steps.
    """
    carry = STEPS + STEP_SIZE * ends[3]
    factor = carry + 12
    top = common_ancestor(layout, ends[0], ends[1])
    set_identity(w, carry)
    row, step = ends[0], 0
    while row != top:
        kind = layout[row, KIND]
        if columns[row] >= 0:
            put_axis_frame(numbers, row, 0, w, factor)
            put_product(w, carry, factor, carry)
            rest_at_shift(numbers, row, kind, -1.0, w, carry)
            k = STEPS + STEP_SIZE * step
            copy_constant(w, carry, k)
            put_step(numbers, row, kind, -1.0, int(columns[row]), w, k)
            step += 1
            put_axis_frame(numbers, row, 1, w, carry)
        elif TURNS <= kind <= SLIDES:
            put_motion(numbers, row, kind, -float(values[row]), w, factor)
            put_product(w, carry, factor, carry)
        put_origin(numbers, row, 1, w, factor)
        put_product(w, carry, factor, carry)
        row = layout[row, PARENT]
    copy_constant(w, carry, BASE)
    return step


@kernel
def climb_from_tip(
    numbers: Array, layout: IntArray, columns: IntArray, values: Array, ends: IntArray, w: Array
) -> int:
    """Compile the way up from the tip; leave what stands before its first step in the scratch.

    Each constant stands right of its step, so it is kept with the next one; the last one is the
    tool. Returns where the constant before the first step belongs.
    """
    carry = STEPS + STEP_SIZE * ends[3]
    factor = carry + 12
    top = common_ancestor(layout, ends[0], ends[1])
    set_identity(w, carry)
    row, step, at = ends[1], ends[3], TOOL
    while row != top:
        kind = layout[row, KIND]
        if columns[row] >= 0:
            put_axis_frame(numbers, row, 1, w, factor)
            put_product(w, factor, carry, at)
            step -= 1
            at = STEPS + STEP_SIZE * step
            put_step(numbers, row, kind, 1.0, int(columns[row]), w, at)
            put_axis_frame(numbers, row, 0, w, carry)
            rest_at_shift(numbers, row, kind, 1.0, w, carry)
        elif TURNS <= kind <= SLIDES:
            put_motion(numbers, row, kind, float(values[row]), w, factor)
            put_product(w, factor, carry, carry)
        put_origin(numbers, row, 0, w, factor)
        put_product(w, factor, carry, carry)
        row = layout[row, PARENT]
    return at


@kernel
def compile_chain(
    numbers: Array,
    layout: IntArray,
    columns: IntArray,
    values: Array,
    ends: IntArray,
    data: Array,
) -> None:
    """Compile the path between two links.

    Args:
        numbers: Of the tree.
        layout: Of the tree.
        columns: (L,) column of each row's joint in the chain, -1 for those that stand still.
        values: (L,) values at which the others stand still, rad or m.
        ends: Base row, tip row, number of columns, number of steps.
        data: Out, `STEPS + STEP_SIZE * steps` numbers; 24 more behind them are scratch.
    """
    steps = ends[3]
    data[COLUMN_COUNT], data[STEP_COUNT] = float(ends[2]), float(steps)
    carry = STEPS + STEP_SIZE * steps
    climb_from_base(numbers, layout, columns, values, ends, data)
    at = climb_from_tip(numbers, layout, columns, values, ends, data)
    # What is left of both ways meets in one constant.
    put_product(data, BASE, carry, at)
    if steps == 0:
        copy_constant(data, TOOL, BASE)
        set_identity(data, TOOL)
    else:  # the base is the start value, and costs nothing
        copy_constant(data, STEPS, BASE)
        set_identity(data, STEPS)
    split_rotations(data, steps)
