"""Rows of a simulated arm's numbers, each with one number per joint."""

ARMATURE = 0
COULOMB = 1
VISCOUS = 2
LOWER = 3
UPPER = 4
TORQUE = 5  # the most that a drive gives
WANTED = 6  # torques sent
Q = 7
DQ = 8
# Scratch of a step.
EFFECTIVE = 9
NET = 10
DDQ = 11
ROWS = 12
