"""Where the numbers of an inverse problem lie: the plan, the settings and the working memory.

An inverse problem has n value columns and K tips, each with a compiled chain (`chain_layout`) and
six rows of error: m = 6 K rows altogether. Rows 0-2 of a tip are its position error, rows 3-5 the
rotation vector of its rotation error, both in the axes of the target.
"""

# plan: n, K, then where each tip's chain begins, then how far each tip gets from where its chain
# begins at most.
PLAN_COLUMNS, PLAN_TIPS, PLAN_CHAINS = 0, 1, 2

# box, three numbers per column: lower and upper bound, and the period after which the poses of all
# tips repeat (0 for none).
BOX_LOWER, BOX_UPPER, BOX_PERIOD, BOX_SIZE = 0, 1, 2, 3

# settings: tolerances in m and rad, most iterations of one attempt, most attempts, most
# steps towards the seed; then the m weights of the rows.
POSITION_TOLERANCE, ROTATION_TOLERANCE, MOST_ITERATIONS, MOST_ATTEMPTS, MOST_PULLS = 0, 1, 2, 3, 4
WEIGHTS = 5

# How a problem ended; the numbers of `InverseStatus`.
CONVERGED, UNREACHABLE, NOT_CONVERGED = 0, 1, 2

# counts, per problem: status, iterations, attempts. errors, per problem: m, rad.
COUNT_STATUS, COUNT_ITERATIONS, COUNT_ATTEMPTS, COUNTS = 0, 1, 2, 3
ERRORS = 2

# What is wrong with a target.
NOT_FINITE, NOT_AFFINE, NOT_ROTATION = 1, 2, 3
RIGID = 1e-3
"""Largest deviation of R^T R from the identity that still counts as a rotation in a target."""
FARTHEST = 1e9
"""Largest coordinate of a target, m; beyond it squared errors lose all meaning."""

# Vectors of n numbers at the front of the working memory.
VALUES, TRIAL, STEP, PULL, PINS, BEST, SEED, VECTORS = 0, 1, 2, 3, 4, 5, 6, 7


def inverse_workspace(n: int, tips: int) -> int:
    """Return how many numbers of working memory the kernels need."""
    m = 6 * tips
    return VECTORS * n + 2 * n * n + 2 * m * (n + 1) + 12 * tips
