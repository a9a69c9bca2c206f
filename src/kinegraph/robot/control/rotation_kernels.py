"""Rotations in flat arrays: nine numbers by rows, at an offset. Base axes, applied on the left.

Rotation vectors are the logarithm: axis times angle, at most pi long, exact for tiny turns.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.scene.array_types import Array

# Newton's iteration for the nearest rotation squares its error; a float32 pose needs two.
POLAR_STEPS = 8
POLAR_DONE = 1e-15
# A matrix with a smaller determinant is no rotation that came over a wire.
SMALLEST_DETERMINANT = 0.1


@kernel
def quaternion(
    r00: float,
    r01: float,
    r02: float,
    r10: float,
    r11: float,
    r12: float,
    r20: float,
    r21: float,
    r22: float,
) -> tuple[float, float, float, float]:
    """Return the quaternion x, y, z, w of a rotation, w >= 0.

    Shepperd, Quaternion from rotation matrix, J. Guidance and Control 1 (1978), 223-224: divides
    by the largest of the four components.
    """
    trace = r00 + r11 + r22
    if trace >= r00 and trace >= r11 and trace >= r22:
        w = 0.5 * math.sqrt(max(0.0, 1.0 + trace))
        f = 0.25 / w
        x, y, z = f * (r21 - r12), f * (r02 - r20), f * (r10 - r01)
    elif r00 >= r11 and r00 >= r22:
        x = 0.5 * math.sqrt(max(0.0, 1.0 + 2.0 * r00 - trace))
        f = 0.25 / x
        y, z, w = f * (r01 + r10), f * (r02 + r20), f * (r21 - r12)
    elif r11 >= r22:
        y = 0.5 * math.sqrt(max(0.0, 1.0 + 2.0 * r11 - trace))
        f = 0.25 / y
        x, z, w = f * (r01 + r10), f * (r12 + r21), f * (r02 - r20)
    else:
        z = 0.5 * math.sqrt(max(0.0, 1.0 + 2.0 * r22 - trace))
        f = 0.25 / z if z > 0.0 else math.nan
        x, y, w = f * (r02 + r20), f * (r12 + r21), f * (r10 - r01)
    if w < 0.0:
        return -x, -y, -z, -w
    return x, y, z, w


@kernel
def log_quaternion(x: float, y: float, z: float, w: float) -> tuple[float, float, float]:
    """Return the rotation vector of a quaternion of either sign."""
    n = math.sqrt(x * x + y * y + z * z)
    if n == 0.0:
        return 0.0, 0.0, 0.0
    f = 2.0 * math.atan2(n, abs(w)) / n
    if w < 0.0:
        f = -f
    return f * x, f * y, f * z


@kernel
def relative_log(a: Array, i: int, b: Array, j: int) -> tuple[float, float, float]:
    """Return log(A B^T): the turn, in base axes, that leads from B (at j) to A (at i)."""
    x, y, z, w = quaternion(
        a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2],
        a[i] * b[j + 3] + a[i + 1] * b[j + 4] + a[i + 2] * b[j + 5],
        a[i] * b[j + 6] + a[i + 1] * b[j + 7] + a[i + 2] * b[j + 8],
        a[i + 3] * b[j] + a[i + 4] * b[j + 1] + a[i + 5] * b[j + 2],
        a[i + 3] * b[j + 3] + a[i + 4] * b[j + 4] + a[i + 5] * b[j + 5],
        a[i + 3] * b[j + 6] + a[i + 4] * b[j + 7] + a[i + 5] * b[j + 8],
        a[i + 6] * b[j] + a[i + 7] * b[j + 1] + a[i + 8] * b[j + 2],
        a[i + 6] * b[j + 3] + a[i + 7] * b[j + 4] + a[i + 8] * b[j + 5],
        a[i + 6] * b[j + 6] + a[i + 7] * b[j + 7] + a[i + 8] * b[j + 8],
    )
    return log_quaternion(x, y, z, w)


@kernel
def turn_by(x: float, y: float, z: float, r: Array, i: int, out: Array, k: int) -> None:
    """Write exp(x, y, z) R, with R at i, to `out` at k; the places may be the same.

    No turn at all copies R bit for bit. After a turn the result is made orthonormal to first
    order, so that a long session does not wear its rotation out.
    """
    square = x * x + y * y + z * z
    if square == 0.0:
        for m in range(9):
            out[k + m] = r[i + m]
        return
    angle = math.sqrt(square)
    half = math.sin(0.5 * angle) / angle
    s, c = math.sin(angle) / angle, 2.0 * half * half
    for m in range(3):
        u, v, w = r[i + m], r[i + 3 + m], r[i + 6 + m]
        a, b, d = y * w - z * v, z * u - x * w, x * v - y * u
        out[k + m] = u + s * a + c * (y * d - z * b)
        out[k + 3 + m] = v + s * b + c * (z * a - x * d)
        out[k + 6 + m] = w + s * d + c * (x * b - y * a)
    orthonormalise(out, k)


@kernel
def orthonormalise(r: Array, i: int) -> None:
    """Take a rotation that is off by rounding back: R (3 - R^T R) / 2."""
    a, b, c = r[i], r[i + 3], r[i + 6]
    d, e, f = r[i + 1], r[i + 4], r[i + 7]
    g, h, k = r[i + 2], r[i + 5], r[i + 8]
    xx, yy, zz = a * a + b * b + c * c, d * d + e * e + f * f, g * g + h * h + k * k
    xy, xz, yz = a * d + b * e + c * f, a * g + b * h + c * k, d * g + e * h + f * k
    for m in range(3):
        x, y, z = r[i + 3 * m], r[i + 3 * m + 1], r[i + 3 * m + 2]
        r[i + 3 * m] = 0.5 * (x * (3.0 - xx) - y * xy - z * xz)
        r[i + 3 * m + 1] = 0.5 * (y * (3.0 - yy) - x * xy - z * yz)
        r[i + 3 * m + 2] = 0.5 * (z * (3.0 - zz) - x * xz - y * yz)


@kernel
def rotation_of_quaternion(q: Array, i: int, out: Array, k: int) -> None:
    """Write the rotation of the quaternion x, y, z, w at i, of about unit norm, to `out` at k."""
    x, y, z, w = q[i], q[i + 1], q[i + 2], q[i + 3]
    square = x * x + y * y + z * z + w * w
    f = 2.0 / square if square > 0.0 else math.nan
    out[k] = 1.0 - f * (y * y + z * z)
    out[k + 1] = f * (x * y - z * w)
    out[k + 2] = f * (x * z + y * w)
    out[k + 3] = f * (x * y + z * w)
    out[k + 4] = 1.0 - f * (x * x + z * z)
    out[k + 5] = f * (y * z - x * w)
    out[k + 6] = f * (x * z - y * w)
    out[k + 7] = f * (y * z + x * w)
    out[k + 8] = 1.0 - f * (x * x + y * y)


@kernel
def quaternion_of_rotation(r: Array, i: int, out: Array, k: int) -> None:
    """Write the quaternion x, y, z, w >= 0 of the rotation at i to `out` at k."""
    out[k], out[k + 1], out[k + 2], out[k + 3] = quaternion(
        r[i],
        r[i + 1],
        r[i + 2],
        r[i + 3],
        r[i + 4],
        r[i + 5],
        r[i + 6],
        r[i + 7],
        r[i + 8],
    )


@kernel
def nearest_rotation(r: Array, i: int) -> bool:
    """Replace the matrix at i by its polar factor; False, and half done, if it is no rotation."""
    for _ in range(POLAR_STEPS):
        a, b, c = r[i], r[i + 1], r[i + 2]
        d, e, f = r[i + 3], r[i + 4], r[i + 5]
        g, h, k = r[i + 6], r[i + 7], r[i + 8]
        u, v, w = e * k - f * h, f * g - d * k, d * h - e * g
        determinant = a * u + b * v + c * w
        if not determinant > SMALLEST_DETERMINANT:
            return False
        s = 0.5 / determinant
        r[i], r[i + 1], r[i + 2] = 0.5 * a + s * u, 0.5 * b + s * v, 0.5 * c + s * w
        r[i + 3] = 0.5 * d + s * (c * h - b * k)
        r[i + 4] = 0.5 * e + s * (a * k - c * g)
        r[i + 5] = 0.5 * f + s * (b * g - a * h)
        r[i + 6] = 0.5 * g + s * (b * f - c * e)
        r[i + 7] = 0.5 * h + s * (c * d - a * f)
        r[i + 8] = 0.5 * k + s * (a * e - b * d)
        change = abs(r[i] - a) + abs(r[i + 4] - e) + abs(r[i + 8] - k)
        change += abs(r[i + 1] - b) + abs(r[i + 5] - f) + abs(r[i + 6] - g)
        if change < POLAR_DONE * 10.0:
            return True
    return True
