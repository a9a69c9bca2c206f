"""Where the numbers of a dynamics plan and of its scratch memory lie.

A plan is one float64 array: `HEADER` numbers for the whole, then `BODY` numbers for each moving
body. Parents come before their children. A body's frame lies at its joint, turned so that the joint
turns about z or slides along z; it moves with the body.

The scratch memory holds `SLOT` numbers for the base and for each body (slot 0 is the base, slot
k + 1 is body k), then room for a mass matrix and three vectors.
"""

__all__ = ["dynamics_workspace"]

# Header of a plan.
N_COLUMNS = 0  # value columns n
N_BODIES = 1  # moving bodies: n and the followers
TIP_BODY = 2  # body that the flange link belongs to, -1 for the base
TIP_ROTATION = 3  # flange in that body's frame, 9 numbers, row-major
TIP_POSITION = 12  # 3 numbers, m
HEADER = 15

# One body of a plan, offsets from its first number.
PARENT = 0  # body that carries it, -1 for the base
TURNS = 1  # 1.0 turns, 0.0 slides
COLUMN = 2  # value column that moves it
RATIO = 3  # joint value = RATIO * q[COLUMN] + SHIFT
SHIFT = 4
ROTATION = 5  # joint frame in the parent's frame, 9 numbers, row-major
POSITION = 14  # 3 numbers, m
INERTIA = 17  # mass, first moment (3), inertia about the frame's origin (xx xy xz yy yz zz)
BODY = 27

# One slot of the scratch memory.
W_ROTATION = 0  # body frame in the parent's frame, 9 numbers
W_POSITION = 9
W_OMEGA = 12  # angular velocity, own frame
W_ALPHA = 15  # angular acceleration
W_ACCELERATION = 18  # linear acceleration of the origin, minus gravity
W_FORCE = 21  # force that the joint passes on, and its moment about the origin
W_MOMENT = 24
W_INERTIA = 27  # as in a plan; with the load, and with all that hangs below for the mass matrix
SLOT = 37

# One load: mass, centre in the flange frame (3), inertia about the centre (9, column-major).
LOAD = 13


def dynamics_workspace(n: int) -> int:
    """Size of the scratch memory of the dynamics kernels.

    Args:
        n: Number of moving bodies; that of the value columns where no joint mimics another.

    Returns:
        Number of float64 that `work` must have at least.
    """
    return SLOT * (n + 1) + n * n + 3 * n
