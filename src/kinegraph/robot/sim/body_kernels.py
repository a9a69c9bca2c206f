"""Whether the arm touches itself: the capsules of its hand against those of its trunk."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.body_layout import (
    CAPSULE_COUNT,
    CAPSULE_SIZE,
    HAND_FIRST,
    TRUNK_COUNT,
)
from kinegraph.robot.sim.float_layout import (
    X_capsules,
    X_ee,
    X_links,
    X_placed,
    X_pose,
    X_q,
    X_steps,
)
from kinegraph.robot.sim.frame_kernels import copy_numbers
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["touches_itself"]

JOINTS = 7
FRAME = 12  # rows of a 3 by 4 transform
POINTS = 6  # two ends of a placed capsule


@kernel
def place_links(x: Array, n: IntArray) -> None:
    """Frames of the base and of the links at the measured configuration, rows of 3 by 4."""
    for k in range(FRAME):
        x[X_links + k] = 1.0 if k % 5 == 0 else 0.0
    for i in range(JOINTS):
        a, b, c = X_links + FRAME * i, X_steps + FRAME * i, X_links + FRAME * (i + 1)
        cosine, sine = math.cos(x[X_q + i]), math.sin(x[X_q + i])
        for r in range(3):
            row = a + 4 * r
            u = x[row] * x[b] + x[row + 1] * x[b + 4] + x[row + 2] * x[b + 8]
            v = x[row] * x[b + 1] + x[row + 1] * x[b + 5] + x[row + 2] * x[b + 9]
            w = x[row] * x[b + 2] + x[row + 1] * x[b + 6] + x[row + 2] * x[b + 10]
            p = x[row] * x[b + 3] + x[row + 1] * x[b + 7] + x[row + 2] * x[b + 11]
            out = c + 4 * r
            x[out], x[out + 1] = u * cosine + v * sine, v * cosine - u * sine
            x[out + 2], x[out + 3] = w, p + x[row + 3]


@kernel
def place_capsules(x: Array, n: IntArray) -> None:
    """Both ends of each capsule in the base; `pose` and O_T_EE must be those of `q`."""
    for k in range(CAPSULE_COUNT):
        capsule, out = X_capsules + CAPSULE_SIZE * k, X_placed + POINTS * k
        link = X_links + FRAME * int(x[capsule])
        for end in range(2):
            p = capsule + 1 + 3 * end
            for r in range(3):
                row = link + 4 * r
                x[out + 3 * end + r] = (
                    x[row] * x[p] + x[row + 1] * x[p + 1] + x[row + 2] * x[p + 2] + x[row + 3]
                )
    tool = X_placed + POINTS * (CAPSULE_COUNT - 1)
    for r in range(3):
        x[tool + r] = x[X_pose + 4 * r + 3]
    copy_numbers(x, X_ee + 12, x, tool + 3, 3)


@kernel
def segment_distance(x: Array, a: int, b: int) -> float:
    """Distance of two segments, each two points of three numbers (Ericson 2005, section 5.1.9)."""
    d1d1, d2d2, d1d2, d1r, d2r = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        d1, d2 = x[a + 3 + k] - x[a + k], x[b + 3 + k] - x[b + k]
        r = x[a + k] - x[b + k]
        d1d1 += d1 * d1
        d2d2 += d2 * d2
        d1d2 += d1 * d2
        d1r += d1 * r
        d2r += d2 * r
    whole = d1d1 * d2d2 - d1d2 * d1d2
    s = max(0.0, min(1.0, (d1d2 * d2r - d1r * d2d2) / whole)) if whole > 1e-12 else 0.0
    t = (d1d2 * s + d2r) / d2d2 if d2d2 > 1e-12 else 0.0
    if (t < 0.0 or t > 1.0 or d2d2 <= 1e-12) and d1d1 > 1e-12:
        t = max(0.0, min(1.0, t))
        s = max(0.0, min(1.0, (d1d2 * t - d1r) / d1d1))
    t = max(0.0, min(1.0, t))
    total = 0.0
    for k in range(3):
        gap = x[a + k] + s * (x[a + 3 + k] - x[a + k]) - x[b + k] - t * (x[b + 3 + k] - x[b + k])
        total += gap * gap
    return math.sqrt(total)


@kernel
def touches_itself(x: Array, n: IntArray) -> bool:
    """Whether a capsule of the hand meets one of the trunk at the measured configuration."""
    place_links(x, n)
    place_capsules(x, n)
    for i in range(HAND_FIRST, CAPSULE_COUNT):
        for j in range(TRUNK_COUNT):
            reach = x[X_capsules + CAPSULE_SIZE * i + 7] + x[X_capsules + CAPSULE_SIZE * j + 7]
            if segment_distance(x, X_placed + POINTS * i, X_placed + POINTS * j) < reach:
                return True
    return False
