"""The acceptance bars of the robot side: `make acceptance`.

    python acceptance/run.py [SCRIPT[:BAR[,BAR]] ...]

Runs the scripts that are named, or all, and prints each bar as a line of JSON, then a table. Exits
with 0 if all hold, 1 after a miss, 75 if the machine was too busy to judge some. `SCRIPT:A1,A4.3`
runs some bars only.
"""

import argparse
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / name) for name in ("acceptance/programs", "benchmarks", "tests/support")]

from bars import Sheet  # noqa: E402

__all__ = ["main"]

SCRIPTS = {
    "server-real-clients": "server_real_clients",
    "server-robustness": "server_robustness",
    "server-soak": "server_soak",
    "client-read": "client_read",
    "client-faults": "client_faults",
    "client-interpreter": "client_interpreter",
    "client-step": "client_step",
    "client-pairs": "client_pairs",
    "client-policy": "client_policy",
    "client-soak": "client_soak",
    "client-cycle": "client_cycle",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run scripts; returns the exit code."""
    parser = argparse.ArgumentParser(description="Acceptance bars of the robot side")
    parser.add_argument("scripts", nargs="*", metavar="SCRIPT[:BAR,...]", help=", ".join(SCRIPTS))
    wanted = parser.parse_args(arguments).scripts or list(SCRIPTS)
    sheets = []
    for text in wanted:
        name, _, bars = text.partition(":")
        if name not in SCRIPTS:
            parser.error(f"{name!r} is none of {', '.join(SCRIPTS)}")
        sheets.append((name, Sheet(tuple(bar for bar in bars.split(",") if bar))))
    begun = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # children end, too
    for name, sheet in sheets:
        run_script(name, sheet)
    total = Sheet(bars=[bar for _, sheet in sheets for bar in sheet.bars])
    sys.stdout.write(f"\n{total.table()}\n{time.monotonic() - begun:.0f} s\n")
    return total.exit_code()


def run_script(name: str, sheet: Sheet) -> None:
    """Run the groups of one script; one that breaks is a miss, and the others go on."""
    groups: dict[str, Callable[[Sheet], None]] = import_module(SCRIPTS[name]).GROUPS
    for group, run in groups.items():
        if not sheet.wants(*group.split()):
            continue
        try:
            run(sheet)
        except Exception as problem:
            sys.stderr.write(traceback.format_exc())
            sheet.failed(group, f"{type(problem).__name__}: {problem}")


if __name__ == "__main__":
    sys.exit(main())
