"""Where the motions of the third-party clients have to land, whoever drives."""

from typing import Any

import numpy as np

from kinegraph.scene.array_types import Array

__all__ = ["LANDED", "READY", "STEP", "check_landed", "check_recovered", "check_steps", "missed"]

READY = (0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4)
# `JOINT_STEP` and `PATH_M` of the scripts, rad and m.
STEP = np.array([0.05, -0.05, 0.05, 0.08, -0.05, 0.05, 0.1])
PATH = 0.03 * np.eye(16)[12]
LANDED = 1e-3  # rad and m


def check_landed(said: dict[str, Any], kind: str, within: Any = LANDED) -> None:
    """Compare the way that was gone with what was commanded, in rad or m."""
    assert (np.abs(missed(said, kind)) <= within).all(), missed(said, kind)


def missed(said: dict[str, Any], kind: str, sign: float = 1.0) -> Array:
    """How far the way from `said["begin"]` to `said["end"]` is off; `sign` -1: it came back."""
    name, way = ("O_T_EE", PATH) if kind.startswith("Cartesian") else ("q", STEP)
    off: Array = np.subtract(said["end"][name], said["begin"][name]) - sign * way
    return off


def check_steps(steps_ms: Any) -> None:
    """States are a millisecond apart, but where the client's small buffer was full for a while."""
    whole = np.round(steps_ms)
    np.testing.assert_allclose(steps_ms, whole, atol=1e-6)
    assert whole.min() >= 1.0
    assert np.mean(whole == 1.0) >= 0.9


def check_recovered(said: dict[str, Any], error: str) -> None:
    """A rule was broken by that name, no motion began before recovery, and one ended after it."""
    assert error in said["text"]
    assert said["errors"] == [error]
    assert said["mode"].removeprefix("k").lower() == "reflex"
    assert "command not possible" in said["refused"].lower()
    assert said["recovered"].removeprefix("k").lower() == "idle"
    assert said["cleared"] == []
    assert said["after"].removeprefix("k").lower() == "idle"
