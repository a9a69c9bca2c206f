"""`kinegraph show`: what is in a recorded run, and its tables for other programs."""

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinegraph.robot.recording.run import RecordedRun

__all__ = ["add_arguments", "describe", "run"]

HEAD = ("started_at", "host", "fci_version", "kinegraph")
FACTS_MAX = 120


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", metavar="FILE", help="recorded run")
    parser.add_argument("--events", action="store_true", help="list all events")
    parser.add_argument("--csv", nargs=2, metavar=("TABLE", "FILE"), help="write a table as CSV")
    parser.add_argument("--npz", metavar="FILE", help="write all tables as one npz file")
    parser.add_argument(
        "--plot", metavar="FILE", help="draw what the target controller did (.png, .pdf, .svg)"
    )
    parser.add_argument("--salvage", action="store_true", help="skip damage in the middle")


def run(options: argparse.Namespace) -> int:
    """Describe the run, and write what is asked for; returns the exit code."""
    from kinegraph.robot.recording.reading import read_run
    from kinegraph.scene.errors import KinegraphError

    try:
        recorded = read_run(options.file, salvage=options.salvage)
        describe(recorded, events=options.events)
        if options.csv is not None:
            recorded.save_csv(options.csv[1], options.csv[0])
        if options.npz is not None:
            recorded.save_npz(options.npz)
        if options.plot is not None:
            from kinegraph.view.run_plot import plot_run

            plot_run(recorded, options.plot)
    except (KinegraphError, OSError) as problem:
        print(f"kinegraph show: {problem}", file=sys.stderr)
        return 1
    return 0


def describe(run: "RecordedRun", *, events: bool = False) -> None:
    """Print what is in a run."""
    print(", ".join(f"{name} {run.about[name]}" for name in HEAD if name in run.about))
    for name, value in run.notes.items():
        print(f"{name}: {value}")
    for name, rows in run.tables.items():
        lost = f", {run.lost[name]} lost in {len(run.gaps[name])} places" if run.lost[name] else ""
        print(f"{name:10}{len(rows):>10} rows{_span(run, name)}{lost}")
    counts: dict[str, int] = {}
    for event in run.events:
        counts[event.what] = counts.get(event.what, 0) + 1
    print("events    ", ", ".join(f"{n} {what}" for what, n in counts.items()) or "none")
    if events:
        for event in run.events:
            at_s = 1e-9 * (event.at_ns - int(run.about.get("monotonic_ns", 0)))
            print(f"{at_s:12.6f} s  {event.what}  {_short(event.facts)}")
    if not run.complete:
        print("the log was not closed: its writer was killed, or still writes")
    if run.damaged:
        print(f"{run.damaged} damaged bytes were skipped")


def _span(run: "RecordedRun", name: str) -> str:
    rows = run.table(name)
    if not len(rows) or "received_ns" not in (rows.dtype.names or ()):
        return ""
    times = run.time_s(name)
    return f", {times[0]:.3f} to {times[-1]:.3f} s"


def _short(facts: Mapping[str, Any]) -> str:
    text = ", ".join(f"{name} {value}" for name, value in facts.items())
    return text if len(text) <= FACTS_MAX else text[: FACTS_MAX - 3] + "..."
