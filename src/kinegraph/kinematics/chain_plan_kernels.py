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
from kinegraph.kinematics.constant_kernels import (
    copy_constant,
    put_axis_frame,
    put_motion,
    put_origin,
    put_product,
    set_identity,
    slide_along_z,
    turn_about_z,
)
from kinegraph.kinematics.jit import kernel
from kinegraph.kinematics.tree_layout import (
    KIND,
    MULTIPLIER,
    PARENT,
    SHIFT,
    SLIDES,
    TURNS,
)
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["compile_chain", "count_steps"]

# Half of the 15th digit behind the point, with which files write pi / 2.
DUST = 5e-16


@kernel
def depth_of(layout: IntArray, row: int) -> int:
    """Number of joints between the base and a row."""
    depth = 0
    while layout[row, PARENT] >= 0:
        row = layout[row, PARENT]
        depth += 1
    return depth


@kernel
def common_ancestor(layout: IntArray, first: int, second: int) -> int:
    """Row of the nearest link above both, or one of the two."""
    ahead = depth_of(layout, first) - depth_of(layout, second)
    for _ in range(ahead):
        first = layout[first, PARENT]
    for _ in range(-ahead):
        second = layout[second, PARENT]
    while first != second:
        first, second = layout[first, PARENT], layout[second, PARENT]
    return first


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
def put_step(
    numbers: Array, row: int, kind: int, sign: float, column: int, w: Array, k: int
) -> None:
    """Write how a step depends on its column."""
    factor = sign * numbers[row, MULTIPLIER]
    w[k + RAW_TURN] = factor if kind == TURNS else 0.0
    w[k + RAW_SLIDE] = factor if kind == SLIDES else 0.0
    w[k + RAW_COLUMN] = float(column)


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
def snap_turn(w: Array, c: int, s: int) -> None:
    """Make a quarter turn, given by cosine and sine, exact if it is one but for its last digit."""
    if abs(w[c]) < DUST:
        w[c], w[s] = 0.0, math.copysign(1.0, w[s])
    elif abs(w[s]) < DUST:
        w[c], w[s] = math.copysign(1.0, w[c]), 0.0


@kernel
def clear_steps(w: Array, steps: int) -> None:
    """Take rounding errors out of what should be 0 or 1: the batch kernels leave that out."""
    for i in range(steps):
        k = STEPS + STEP_SIZE * i
        snap_turn(w, k + COS, k + SIN)
        snap_turn(w, k + COS_OFFSET, k + SIN_OFFSET)
        largest = max(abs(w[k + SHIFT_X]), max(abs(w[k + SHIFT_Y]), abs(w[k + SHIFT_Z])))
        for r in range(3):
            if abs(w[k + SHIFT_X + r]) < DUST * largest:
                w[k + SHIFT_X + r] = 0.0


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
    clear_steps(data, steps)
