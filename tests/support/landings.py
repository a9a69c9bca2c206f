"""Where the motions of the third-party clients have to land, whoever drives."""

from typing import Any

import numpy as np

__all__ = ["LANDED", "READY", "STEP", "check_landed", "check_recovered"]

READY = (0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4)
# `JOINT_STEP` and `PATH_M` of the scripts, rad and m.
STEP = np.array([0.05, -0.05, 0.05, 0.08, -0.05, 0.05, 0.1])
PATH = 0.03 * np.eye(16)[12]
LANDED = 1e-3  # rad and m


def check_landed(seen: dict[str, Any], kind: str, within: float = LANDED) -> None:
    """Compare the way from `seen["begin"]` to `seen["end"]` with what was commanded."""
    begin, end = seen["begin"], seen["end"]
    if kind.startswith("Cartesian"):
        way = np.subtract(end["O_T_EE"], begin["O_T_EE"])
        np.testing.assert_allclose(way, PATH, atol=within)
    else:
        np.testing.assert_allclose(np.subtract(end["q"], begin["q"]), STEP, atol=within)


def check_recovered(said: dict[str, Any], error: str) -> None:
    """A rule was broken by that name, no motion began before recovery, and one ended after it."""
    assert error in said["text"]
    assert said["errors"] == [error]
    assert said["mode"].removeprefix("k").lower() == "reflex"
    assert "command not possible" in said["refused"].lower()
    assert said["recovered"].removeprefix("k").lower() == "idle"
    assert said["cleared"] == []
    assert said["after"].removeprefix("k").lower() == "idle"
