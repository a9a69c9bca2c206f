"""A run of a target controller as a picture. Needs the extra `plotting`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kinegraph.robot.recording.run import RecordedRun
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import UnsupportedError

__all__ = ["plot_run"]

AXES = ("x", "y", "z")


def plot_run(run: RecordedRun, path: Path | str, events: Sequence[tuple[float, str]] = ()) -> None:
    """Write a PNG of a recorded run: tip, lag, torques, compute time over the robot's time.

    Args:
        run: Recorded run with the tables `records` and `cycles` of a Cartesian target session.
        path: File to be written.
        events: Vertical marks: seconds since the first cycle, and a word.

    Raises:
        UnsupportedError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise UnsupportedError(
            "plot_run needs matplotlib: pip install 'kinegraph[plotting]'"
        ) from missing
    records, cycles = _side_by_side(run.tables["records"], run.tables["cycles"])
    count = len(records)
    time_s = (cycles["message_id"] - cycles["message_id"][0]) * 1e-3 if count else np.empty(0)
    figure = Figure(figsize=(10, 11), layout="constrained")
    panels: Any = figure.subplots(4, 1, sharex=True)
    _position(panels[0], time_s, records)
    _lines(panels[1], time_s, records["velocity"], AXES, "generator velocity, m/s")
    joints = [f"joint {i + 1}" for i in range(7)]
    _lines(panels[2], time_s, records["tau"][:, :7], joints, "torque sent, Nm")
    panels[3].plot(time_s, cycles["compute_ns"] * 1e-3, ".", markersize=1)
    panels[3].set_ylabel("compute time, us")
    panels[3].set_xlabel("robot time, s")
    for panel in panels:
        panel.grid(alpha=0.3)
        for at_s, _ in events:
            panel.axvline(at_s, color="grey", linewidth=0.7, linestyle=":")
    for at_s, word in events:
        panels[0].annotate(
            word, (at_s, 1.01), xycoords=("data", "axes fraction"), fontsize=7, rotation=30
        )
    figure.savefig(path, dpi=120)


def _side_by_side(records: Any, cycles: Any) -> tuple[Any, Any]:
    """Return records, and the command of each."""
    if "cycle" in records.dtype.names and "number" in cycles.dtype.names:
        _, mine, sent = np.intersect1d(records["cycle"], cycles["number"], return_indices=True)
        return records[mine], cycles[sent]
    count = min(len(records), len(cycles))
    return records[:count], cycles[:count]


def _position(panel: Any, time_s: Array, records: Any) -> None:
    for axis, name in enumerate(AXES):
        (line,) = panel.plot(time_s, records["pose"][:, 12 + axis], label=f"{name} desired")
        panel.plot(
            time_s, records["target"][:, axis], "--", color=line.get_color(), label=f"{name} target"
        )
    panel.set_ylabel("tip, m")
    panel.legend(ncols=3, fontsize=7, loc="upper right")


def _lines(panel: Any, time_s: Array, values: Array, names: Sequence[str], label: str) -> None:
    for column, name in enumerate(names):
        panel.plot(time_s, values[:, column], linewidth=0.9, label=name)
    panel.set_ylabel(label)
    panel.legend(ncols=len(names), fontsize=7, loc="upper right")
