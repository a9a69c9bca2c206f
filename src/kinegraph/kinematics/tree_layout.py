"""Where the numbers of a flat tree lie.

Row i of every array belongs to link i and to the joint that carries it; row 0 is the base link.
"""

# numbers (L, NUMBERS): rotation row by row and translation of the joint's origin (for a floating
# joint: its value), unit axis, and value = MULTIPLIER * q[column] + SHIFT.
ROTATION, TRANSLATION, AXIS, MULTIPLIER, SHIFT = 0, 9, 12, 15, 16
NUMBERS = 17

# layout (L, LAYOUT), given: parent row (-1 for the base), kind, row of the joint that this one
# follows (-1 for none), and rank: children of a link stand in the order of their ranks.
PARENT, KIND, MASTER, RANK = 0, 1, 2, 3
# Derived from those: value column (-1 for none), place in depth-first order, number of links in
# the subtree, whether an active joint lies between base and link; ORDER[p] is the row at place p.
COLUMN, PLACE, SIZE, ACTIVE, ORDER = 4, 5, 6, 7, 8
LAYOUT = 9

# Kinds of joints; those with a value are next to each other.
FIXED, TURNS, SLIDES, FLOATS = 0, 1, 2, 3

# limits (L, LIMITS)
LOWER, UPPER, VELOCITY, ACCELERATION, JERK = 0, 1, 2, 3, 4
LIMITS = 5

# kin (L, KIN): first child, next and previous sibling of each row, -1 for none, in no order. Only
# `TreeTable` has it.
FIRST, NEXT, BEFORE = 0, 1, 2
KIN = 3
