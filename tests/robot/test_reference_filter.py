"""The low-pass on what the law follows: what it passes, what it keeps off, and how late it is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinegraph.robot.control.torques.reference_filter import (
    FILTER_OFF,
    reference_delay,
    reference_sections,
)

cutoffs = st.floats(1.0, 499.0)


def gain(sections: np.ndarray, hz: np.ndarray) -> np.ndarray:
    """Gain of the filter at some frequencies, loop at 1 kHz."""
    back = np.exp(-2j * np.pi * 1e-3 * hz)
    whole = np.ones(len(hz), dtype=complex)
    for b0, b1, b2, a1, a2 in sections:
        whole *= (b0 + b1 * back + b2 * back**2) / (1.0 + a1 * back + a2 * back**2)
    return np.abs(whole)


def answer(sections: np.ndarray, x: np.ndarray) -> np.ndarray:
    """What comes out for what goes in, from rest at zero."""
    y = np.asarray(x, dtype=float)
    for b0, b1, b2, a1, a2 in sections:
        given, y = y, np.zeros(len(y))
        for i in range(len(y)):
            for tap, b in enumerate((b0, b1, b2)):
                y[i] += b * given[i - tap] if i >= tap else 0.0
            for tap, a in enumerate((a1, a2), 1):
                y[i] -= a * y[i - tap] if i >= tap else 0.0
    return y


@given(cutoffs)
def test_from_the_cutoff_on_48_db_are_kept_off(cutoff: float) -> None:
    kept = gain(reference_sections(cutoff), np.linspace(cutoff, 500.0, 500))
    assert -52.0 < 20.0 * np.log10(kept.max()) < -48.0


@given(cutoffs)
def test_rest_passes_and_nothing_swells_by_more_than_a_percent(cutoff: float) -> None:
    passed = gain(reference_sections(cutoff), np.linspace(0.0, 500.0, 500))
    assert passed[0] == pytest.approx(1.0, abs=1e-6)
    assert passed.max() <= 1.01


@given(cutoffs)
def test_it_is_stable(cutoff: float) -> None:
    for *_, a1, a2 in reference_sections(cutoff):
        assert np.abs(np.roots([1.0, a1, a2])).max() < 1.0


@pytest.mark.parametrize("cutoff", [10.0, 20.0, 80.0])
def test_an_even_motion_comes_late_by_the_delay(cutoff: float) -> None:
    sections = reference_sections(cutoff)
    ramp = 1e-3 * np.arange(1500)
    late = ramp - answer(sections, ramp)
    assert late[-1] == pytest.approx(reference_delay(sections), abs=1e-5)
    assert reference_delay(sections) == pytest.approx(0.70 / cutoff, rel=0.02)


def test_high_up_it_keeps_ever_more_off() -> None:
    kept = gain(reference_sections(20.0), np.array([100.0, 200.0, 400.0]))
    assert (np.diff(kept) < 0.0).all()
    assert kept[-1] < 1e-4


@pytest.mark.parametrize("cutoff", [FILTER_OFF, 1000.0])
def test_at_half_of_the_loop_it_is_off(cutoff: float) -> None:
    sections = reference_sections(cutoff)
    assert not sections.any()
    assert reference_delay(sections) == 0.0
