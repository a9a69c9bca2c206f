"""The numbers of the FCI computations, with NaN and infinity as numbers."""

import json
from typing import Any

import numpy as np
import pytest
from shared_cases import GOLDEN

FILE: dict[str, Any] = json.loads((GOLDEN / "fci" / "fci_compute.json").read_text())
TOLERANCE = 1e-12  # relative above one, as the file's tolerance says


def real(value: Any) -> Any:
    """Replace the strings nan, inf and -inf."""
    if isinstance(value, str) and value in ("nan", "inf", "-inf"):
        return float(value)
    if isinstance(value, list):
        return [real(entry) for entry in value]
    if isinstance(value, dict):
        return {name: real(entry) for name, entry in value.items()}
    return value


def cases(*operations: str) -> list[Any]:
    """Pytest parameters: the cases of some operations."""
    return [
        pytest.param(real(case), id=f"{case['id']} {case['op']} {case['version']}")
        for case in FILE["cases"]
        if case["op"] in operations
    ]


def assert_close(got: Any, wanted: Any, what: str = "") -> None:
    """Compare as the file says: |a - b| <= 1e-12 max(1, |b|)."""
    a, b = np.asarray(got, dtype=float), np.asarray(wanted, dtype=float)
    assert a.shape == b.shape, what
    assert (np.abs(a - b) <= TOLERANCE * np.maximum(1.0, np.abs(b))).all(), f"{what}: {a} {b}"
