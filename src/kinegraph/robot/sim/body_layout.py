"""How thick the arm is: capsules in the frames of its links, and which of them may meet.

A capsule is a segment with a radius. These are of the size of the covers of a Franka arm, a little
thinner, so that an arm that just folds up touches nothing.
"""

__all__ = ["CAPSULES", "CAPSULE_COUNT", "CAPSULE_SIZE", "HAND_FIRST", "TRUNK_COUNT"]

# Link (0 is the base, i the link behind joint i), two ends in its frame, radius; m.
CAPSULES: tuple[tuple[float, ...], ...] = (
    # The trunk: base, shoulder, upper arm.
    (0, -0.09, 0.0, 0.06, -0.04, 0.0, 0.06, 0.09),
    (1, 0.0, 0.0, -0.333, 0.0, 0.0, -0.05, 0.07),
    (2, 0.0, 0.0, -0.06, 0.0, 0.0, 0.06, 0.07),
    (3, 0.0, 0.0, -0.22, 0.0, 0.0, -0.07, 0.06),
    # The hand: the cover along the forearm, wrist, last link.
    (5, 0.0, 0.08, -0.2, 0.0, 0.08, -0.06, 0.045),
    (6, 0.0, 0.0, -0.05, 0.0, 0.0, 0.01, 0.06),
    (7, 0.0, 0.0, -0.04, 0.0, 0.0, 0.08, 0.055),
    # What stands between flange and end effector; its ends come from F_T_EE.
    (7, 0.0, 0.0, 0.107, 0.0, 0.0, 0.107, 0.04),
)
"""The capsules; the trunk's first, the tool last."""

CAPSULE_COUNT = len(CAPSULES)
CAPSULE_SIZE = 8
TRUNK_COUNT = HAND_FIRST = 4
