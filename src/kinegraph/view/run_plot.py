"""A run of a target controller as a picture. Needs the extra `plotting`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.recording.facts import checked_path
from kinegraph.robot.recording.run import RecordedRun
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import UnsupportedError

__all__ = ["plot_run"]

AXES = ("x", "y", "z")
TABLES = ("records", "joint_records")


def plot_run(run: RecordedRun, path: Path | str, events: Sequence[tuple[float, str]] = ()) -> None:
    """Draw what the target controller did in a recorded run, over the robot's time.

    One above the other: targets and desired positions of the tip (of the joints, in a run of joint
    targets), the generator's velocity, torques, compute time of the cycles.

    Args:
        run: Recorded run of a session with Cartesian or joint targets, as `read_run` gives it.
        path: File to be written; its ending says which format, such as .png, .pdf or .svg.
        events: Vertical marks: seconds since the first cycle, and a word.

    Raises:
        InvalidArgumentError: There is no cycle of such a session in it, or the file's ending is
            none. Also a `ValueError`.
        UnsupportedError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise UnsupportedError(
            "plot_run needs matplotlib: pip install 'kinegraph[plotting]'"
        ) from missing
    name = next((name for name in TABLES if len(run.tables.get(name, ()))), None)
    if name is None:
        raise InvalidArgumentError(
            f"run: no cycle of a target controller is in it; its tables are {', '.join(run.tables)}"
        )
    records, cycles = _side_by_side(run.tables[name], run.tables["cycles"])
    if len(records) == 0:
        raise InvalidArgumentError("run: the commands of its records are missing")
    time_s = (cycles["message_id"] - cycles["message_id"][0]) * 1e-3
    figure = Figure(figsize=(10, 11), layout="constrained")
    suffix, known = checked_path(path).suffix[1:], figure.canvas.get_supported_filetypes()
    if suffix.lower() not in known:
        raise InvalidArgumentError(f"path: {path} is to end in one of .{', .'.join(known)}")
    panels: Any = figure.subplots(4, 1, sharex=True)
    joints = [f"joint {i + 1}" for i in range(7)]
    if name == "records":
        _goals(panels[0], time_s, records["pose"][:, 12:15], records["target"], AXES, "tip, m")
        _lines(panels[1], time_s, records["velocity"], AXES, "generator velocity, m/s")
    else:
        q, target, velocity = (records[part][:, :7] for part in ("q", "target", "velocity"))
        _goals(panels[0], time_s, q, target, joints, "joints, rad")
        _lines(panels[1], time_s, velocity, joints, "generator velocity, rad/s")
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


def _goals(
    panel: Any, time_s: Array, desired: Array, target: Array, names: Sequence[str], label: str
) -> None:
    for column, name in enumerate(names):
        (line,) = panel.plot(time_s, desired[:, column], label=name)
        panel.plot(time_s, target[:, column], "--", color=line.get_color())
    panel.set_ylabel(f"{label} (dashed: target)")
    _legend(panel)


def _lines(panel: Any, time_s: Array, values: Array, names: Sequence[str], label: str) -> None:
    for column, name in enumerate(names):
        panel.plot(time_s, values[:, column], linewidth=0.9, label=name)
    panel.set_ylabel(label)
    _legend(panel)


def _legend(panel: Any) -> None:
    """Put the names beside the panel, where they hide nothing."""
    panel.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
