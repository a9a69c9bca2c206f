"""Where the numbers of a compiled chain lie in its one float64 array.

A chain from a base link to a tip link is

    base * Z(q_0) * C_1 * Z(q_1) * ... * C_(m-1) * Z(q_(m-1)) * tool

where every joint turns about or slides along its z axis, and each constant C_i has the rotation
Rx(b_i) only: the turns about z on both sides of it are absorbed in the angle offsets of the
neighbouring joints.
"""

# Number of value columns, and of steps: moving joints, those that follow a column among them.
COLUMN_COUNT = 0
STEP_COUNT = 1
# Base and tool transforms: columns x, y, z of the rotation, then the translation.
BASE = 2
TOOL = 14
STEPS = 26

# Within a step: cosine and sine of b, translation of C, cosine and sine of the angle offset, then
# angle = offset + TURN * q[COLUMN], shift along z = SLIDE * q[COLUMN]. The offset is not added to
# the value, which would cost large values their last digits.
COS, SIN, SHIFT_X, SHIFT_Y, SHIFT_Z, COS_OFFSET, SIN_OFFSET = 0, 1, 2, 3, 4, 5, 6
TURN, SLIDE, COLUMN = 7, 8, 9
# While a chain is being compiled a step holds its constant's 12 numbers and the last three above.
RAW_TURN, RAW_SLIDE, RAW_COLUMN = 12, 13, 14
STEP_SIZE = 15
