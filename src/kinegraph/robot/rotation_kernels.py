"""Rotations inside column-major poses: the nearest one, quaternions, interpolation, vectors.

Poses are sixteen numbers, column by column, at an offset of an array. Rotations in between are nine
numbers, row by row; quaternions are x, y, z, w.
"""

import math

from kinegraph.kinematics.jit import exact_kernel
from kinegraph.scene.array_types import Array

__all__ = [
    "ROTATION_WORK",
    "interpolate_quaternion",
    "matrix_of_quaternion",
    "nearest_rotation",
    "quaternion_of_matrix",
    "rotation_vector",
    "turn",
]

ROTATION_WORK = 18
"""Numbers of scratch that `nearest_rotation` needs."""

_EPS = 2.220446049250313e-16


@exact_kernel
def orthogonalise(b: Array, p: int, q: int, v: int) -> bool:
    """One Jacobi rotation that makes columns p and q of b orthogonal; the same to v."""
    alpha = beta = gamma = 0.0
    for i in range(3):
        alpha += b[p + i] * b[p + i]
        beta += b[q + i] * b[q + i]
        gamma += b[p + i] * b[q + i]
    if abs(gamma) <= _EPS * math.sqrt(alpha * beta):
        return False
    zeta = (beta - alpha) / (2.0 * gamma)
    tangent = 1.0 / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
    if zeta < 0.0:
        tangent = -tangent
    cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
    sine = cosine * tangent
    for i in range(3):
        for shift in range(0, v + 1, v):
            x, y = b[p + shift + i], b[q + shift + i]
            b[p + shift + i] = cosine * x - sine * y
            b[q + shift + i] = sine * x + cosine * y
    return True


@exact_kernel
def smallest_column(b: Array, at: int) -> int:
    """Index of the shortest of three columns."""
    best, index = math.inf, 0
    for j in range(3):
        x, y, z = b[at + 3 * j], b[at + 3 * j + 1], b[at + 3 * j + 2]
        length = x * x + y * y + z * z
        if length < best:
            best, index = length, j
    return index


@exact_kernel
def normalise(b: Array, at: int) -> bool:
    """Scale a vector to length one; False (and untouched) if it has none."""
    length = math.sqrt(b[at] ** 2 + b[at + 1] ** 2 + b[at + 2] ** 2)
    if length < 1e-12:
        return False
    for i in range(3):
        b[at + i] /= length
    return True


@exact_kernel
def cross_into(b: Array, x: int, y: int, out: int) -> None:
    """Cross product of two vectors of one array."""
    b[out] = b[x + 1] * b[y + 2] - b[x + 2] * b[y + 1]
    b[out + 1] = b[x + 2] * b[y] - b[x] * b[y + 2]
    b[out + 2] = b[x] * b[y + 1] - b[x + 1] * b[y]


@exact_kernel
def any_perpendicular(b: Array, x: int, out: int) -> None:
    """A unit vector perpendicular to a unit vector."""
    least = 0
    for i in range(1, 3):
        if abs(b[x + i]) < abs(b[x + least]):
            least = i
    for i in range(3):
        b[out + i] = (1.0 if i == least else 0.0) - b[x + i] * b[x + least]
    normalise(b, out)


@exact_kernel
def nearest_rotation(pose: Array, at: int, rotation: Array, to: int, work: Array, w: int) -> None:
    """The rotation nearest to the 3x3 block of a pose: U diag(1, 1, det U V') V' of its SVD.

    One-sided Jacobi: columns of B = A V become orthogonal, V a product of rotations. The direction
    of the smallest singular value is replaced by the cross product of the other two, which makes
    the determinant +1 for reflections and singular blocks too.

    Args:
        pose: Column-major 4x4 at `at`.
        at: Offset of the pose.
        rotation: Row-major 3x3 is written at `to`.
        to: Offset of the result.
        work: Scratch, `ROTATION_WORK` numbers at `w`.
        w: Offset of the scratch.
    """
    v = w + 9
    for j in range(3):
        for i in range(3):
            work[w + 3 * j + i] = pose[at + 4 * j + i]
            work[v + 3 * j + i] = 1.0 if i == j else 0.0
    for _ in range(30):
        turned = orthogonalise(work, w, w + 3, 9)
        turned = orthogonalise(work, w, w + 6, 9) or turned
        turned = orthogonalise(work, w + 3, w + 6, 9) or turned
        if not turned:
            break
    k = smallest_column(work, w)
    first, second, third = w + 3 * ((k + 1) % 3), w + 3 * ((k + 2) % 3), w + 3 * k
    has_first, has_second = normalise(work, first), normalise(work, second)
    if not has_first and not has_second:
        for i in range(3):
            work[first + i] = work[first + 9 + i]
        any_perpendicular(work, first, second)
    elif not has_first:
        any_perpendicular(work, second, first)
    elif not has_second:
        any_perpendicular(work, first, second)
    cross_into(work, first, second, third)
    for i in range(3):
        for j in range(3):
            total = 0.0
            for m in range(3):
                total += work[w + 3 * m + i] * work[v + 3 * m + j]
            rotation[to + 3 * i + j] = total


@exact_kernel
def quaternion_of_matrix(rotation: Array, at: int, quaternion: Array, to: int) -> None:
    """Quaternion x, y, z, w of a row-major rotation: trace if positive, else largest diagonal."""
    trace = rotation[at] + rotation[at + 4] + rotation[at + 8]
    if trace > 0.0:
        root = math.sqrt(trace + 1.0)
        quaternion[to + 3] = 0.5 * root
        root = 0.5 / root
        quaternion[to] = (rotation[at + 7] - rotation[at + 5]) * root
        quaternion[to + 1] = (rotation[at + 2] - rotation[at + 6]) * root
        quaternion[to + 2] = (rotation[at + 3] - rotation[at + 1]) * root
        return
    i = 0
    if rotation[at + 4] > rotation[at]:
        i = 1
    if rotation[at + 8] > rotation[at + 4 * i]:
        i = 2
    j, k = (i + 1) % 3, (i + 2) % 3
    root = math.sqrt(rotation[at + 4 * i] - rotation[at + 4 * j] - rotation[at + 4 * k] + 1.0)
    quaternion[to + i] = 0.5 * root
    root = 0.5 / root
    quaternion[to + 3] = (rotation[at + 3 * k + j] - rotation[at + 3 * j + k]) * root
    quaternion[to + j] = (rotation[at + 3 * j + i] + rotation[at + 3 * i + j]) * root
    quaternion[to + k] = (rotation[at + 3 * k + i] + rotation[at + 3 * i + k]) * root


@exact_kernel
def matrix_of_quaternion(quaternion: Array, at: int, rotation: Array, to: int) -> None:
    """Row-major rotation of a unit quaternion x, y, z, w."""
    x, y, z, w = quaternion[at], quaternion[at + 1], quaternion[at + 2], quaternion[at + 3]
    rotation[to] = 1.0 - 2.0 * (y * y + z * z)
    rotation[to + 1] = 2.0 * (x * y - z * w)
    rotation[to + 2] = 2.0 * (x * z + y * w)
    rotation[to + 3] = 2.0 * (x * y + z * w)
    rotation[to + 4] = 1.0 - 2.0 * (x * x + z * z)
    rotation[to + 5] = 2.0 * (y * z - x * w)
    rotation[to + 6] = 2.0 * (x * z - y * w)
    rotation[to + 7] = 2.0 * (y * z + x * w)
    rotation[to + 8] = 1.0 - 2.0 * (x * x + y * y)


@exact_kernel
def interpolate_quaternion(work: Array, start: int, end: int, part: float) -> None:
    """Replace the quaternion at `end` by the one that is `part` of the way from `start`.

    The shorter arc is taken; nearly parallel quaternions are interpolated linearly.
    """
    dot = 0.0
    for i in range(4):
        dot += work[start + i] * work[end + i]
    size = abs(dot)
    if size >= 1.0 - _EPS:
        from_start, from_end = 1.0 - part, part
    else:
        angle = math.acos(size)
        sine = math.sin(angle)
        from_start = math.sin((1.0 - part) * angle) / sine
        from_end = math.sin(part * angle) / sine
    if dot < 0.0:
        from_end = -from_end
    length = 0.0
    for i in range(4):
        work[end + i] = from_start * work[start + i] + from_end * work[end + i]
        length += work[end + i] * work[end + i]
    length = math.sqrt(length)
    for i in range(4):
        work[end + i] /= length


@exact_kernel
def rotation_vector(rotation: Array, at: int, vector: Array, to: int, work: Array, w: int) -> None:
    """Axis times angle in [0, pi] of a row-major rotation; `work` needs 4 numbers at `w`."""
    quaternion_of_matrix(rotation, at, work, w)
    sine = math.sqrt(work[w] ** 2 + work[w + 1] ** 2 + work[w + 2] ** 2)
    scale = 0.0
    if sine > 0.0:
        scale = 2.0 * math.atan2(sine, abs(work[w + 3])) / sine
        if work[w + 3] < 0.0:
            scale = -scale
    for i in range(3):
        vector[to + i] = scale * work[w + i]


@exact_kernel
def turn(vector: Array, at: int, dt: float, rotation: Array, r: int, out: Array, to: int) -> None:
    """Rodrigues: turn a row-major rotation by `vector` times `dt`, into a column-major pose.

    Args:
        vector: Angular velocity at `at`, rad/s, not zero.
        at: Offset of the vector.
        dt: s.
        rotation: Row-major rotation at `r`.
        r: Offset of the rotation.
        out: Pose whose 3x3 block at `to` is written.
        to: Offset of the pose.
    """
    speed = math.sqrt(vector[at] ** 2 + vector[at + 1] ** 2 + vector[at + 2] ** 2)
    x, y, z = vector[at] / speed, vector[at + 1] / speed, vector[at + 2] / speed
    cosine, sine = math.cos(speed * dt), math.sin(speed * dt)
    rest = 1.0 - cosine
    for j in range(3):
        a, b, c = rotation[r + j], rotation[r + 3 + j], rotation[r + 6 + j]
        along = rest * (x * a + y * b + z * c)
        out[to + 4 * j] = cosine * a + sine * (y * c - z * b) + along * x
        out[to + 4 * j + 1] = cosine * b + sine * (z * a - x * c) + along * y
        out[to + 4 * j + 2] = cosine * c + sine * (x * b - y * a) + along * z
