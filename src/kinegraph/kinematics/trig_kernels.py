"""Sine and cosine for loops over many angles.

An angle is reduced by quarter turns with a two-part pi/2 (Cody and Waite 1980, section 8), then two
polynomials in r**2 give sine and cosine of the rest. The code has no branch, so that the compiler
can widen a loop over angles. The reduction is exact enough up to `LARGE_ANGLE`; callers hand larger
angles to the library's functions.
"""

import math
from typing import Any

import numpy as np

from kinegraph.kinematics.jit import kernel

__all__ = ["LARGE_ANGLE", "sincos", "sincos_quarter"]

LARGE_ANGLE = 1e5

_NO_QUARTERS = np.int32(0)

_TWO_OVER_PI = 2.0 / math.pi
# Adding and subtracting 1.5 * 2**52 rounds to the nearest whole number.
_ROUND = 6755399441055744.0
# pi/2 in a part of 33 bits, whose products with whole numbers below 2**20 are exact, and the rest.
_HALF_PI_HIGH = 1.57079632673412561417
_HALF_PI_LOW = 6.07710050650619224932e-11
# Chebyshev interpolation on [0, (pi/4)**2] of (sin(r)/r - 1)/r**2 and (cos(r) - 1 + r**2/2)/r**4.
_S0, _S1, _S2 = -0.16666666666666666, 0.008333333333330946, -0.0001984126983675497
_S3, _S4, _S5 = 2.755731610068303e-06, -2.5051131455427946e-08, 1.591810123027412e-10
_C0, _C1, _C2 = 0.041666666666666664, -0.0013888888888887395, 2.4801587298763433e-05
_C3, _C4, _C5 = -2.7557317270560326e-07, 2.0876146024689747e-09, -1.1382614868556325e-11


@kernel
def sincos_quarter(angle: float, quarters: Any) -> tuple[float, float]:
    """Sine and cosine of an angle and some quarter turns, to two units in the last place.

    Args:
        angle: At most `LARGE_ANGLE`, rad.
        quarters: Number of quarter turns, int32: vectors have no wide conversion to whole numbers.
    """
    turns = (angle * _TWO_OVER_PI + _ROUND) - _ROUND
    r = (angle - turns * _HALF_PI_HIGH) - turns * _HALF_PI_LOW
    z = r * r
    s = ((((_S5 * z + _S4) * z + _S3) * z + _S2) * z + _S1) * z + _S0
    s = r + r * (z * s)
    c = ((((_C5 * z + _C4) * z + _C3) * z + _C2) * z + _C1) * z + _C0
    c = (1.0 - 0.5 * z) + z * (z * c)
    quadrant = np.int32(turns) + quarters
    odd = (quadrant & 1) == 1
    sine = c if odd else s
    cosine = s if odd else c
    sine = -sine if (quadrant & 2) != 0 else sine
    cosine = -cosine if ((quadrant + 1) & 2) != 0 else cosine
    return sine, cosine


@kernel
def sincos(angle: float) -> tuple[float, float]:
    """Sine and cosine of any finite angle, rad."""
    if abs(angle) > LARGE_ANGLE:
        return math.sin(angle), math.cos(angle)
    return sincos_quarter(angle, _NO_QUARTERS)
