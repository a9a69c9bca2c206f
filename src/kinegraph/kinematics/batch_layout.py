"""The work array of a batch: one row per number, one column per configuration of a block."""

# Configurations in a block.
BLOCK = 64
# Rows 0-11 are the frame; then angles, which become sines, and cosines.
ANGLES = 12
COSINES = 13
ROWS = 14
