"""Low-pass on what the law follows: a Chebyshev filter of the second kind, as six sections.

What a budget of 20 m/s^3 asks for reaches far above 20 Hz, where it only shakes the arm. Of the
filters with this many poles that keep 48 dB off from a frequency on, this one is about the fastest;
a step of 50 mm passes its end by 15 um. Its highest zeros are at half of the loop's frequency, so
that it keeps ever more off above four times the cutoff.

Formulas: A. Antoniou, Digital Filters, 2nd edition, 1993: inverse-Chebyshev approximation, bilinear
transformation.
"""

import math

import numpy as np

from kinegraph.robot.control.table_layout import CYCLE_TIME, FILTER_SECTIONS
from kinegraph.scene.array_types import Array

__all__ = ["FILTER_OFF", "reference_delay", "reference_sections"]

# A cutoff at this frequency or above, Hz, is none: half of the loop's frequency.
FILTER_OFF = 0.5 / CYCLE_TIME
# Where all zeros stay; the moved ones cost 3 dB.
STOPBAND_DB = 51.0
ORDER = 2 * FILTER_SECTIONS


def reference_sections(cutoff: float) -> Array:
    """Return the filter's coefficients.

    Args:
        cutoff: Frequency from which on 48 dB are kept off, Hz.

    Returns:
        (FILTER_SECTIONS, 5): b0, b1, b2, a1, a2 of y = (b0 + b1/z + b2/z^2) / (1 + a1/z + a2/z^2) x
        for each section, with a gain of 1 at rest; zeros if the filter is off.
    """
    sections = np.zeros((FILTER_SECTIONS, 5))
    if not cutoff < FILTER_OFF:
        return sections
    ripple = 1.0 / math.sqrt(10.0 ** (STOPBAND_DB / 10.0) - 1.0)
    mu = math.asinh(1.0 / ripple) / ORDER
    warped = math.tan(math.pi * cutoff * CYCLE_TIME)
    for k in range(FILTER_SECTIONS):
        angle = 0.5 * math.pi * (2 * k + 1) / ORDER
        pole = 1.0 / complex(-math.sinh(mu) * math.sin(angle), math.cosh(mu) * math.cos(angle))
        p = _bilinear(warped * pole)
        z = -1.0 if k == FILTER_SECTIONS - 1 else _bilinear(warped * 1j / math.cos(angle)).real
        a1, a2 = -2.0 * p.real, abs(p) ** 2
        b1, b2 = -2.0 * z, 1.0
        gain = (1.0 + a1 + a2) / (1.0 + b1 + b2)
        sections[k] = gain, gain * b1, gain * b2, a1, a2
    return sections


def reference_delay(sections: Array) -> float:
    """Return how late an even motion comes out of the filter, s."""
    cycles = 0.0
    for b0, b1, b2, a1, a2 in sections:
        if b0 != 0.0:
            cycles += (b1 + 2.0 * b2) / (b0 + b1 + b2) - (a1 + 2.0 * a2) / (1.0 + a1 + a2)
    return CYCLE_TIME * cycles


def _bilinear(s: complex) -> complex:
    """Return the place in the z-plane of one in the s-plane whose unit is the warped frequency."""
    return (1.0 + s) / (1.0 - s)
