"""The command `kinegraph`: sub-commands, one file each, imported when they are asked for."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

__all__ = ["main"]

INTERRUPTED = 130

COMMANDS = {
    "demo": "run the main job: a scene, a simulated arm and a controller on one graph",
    "relay": "stand between a client and a robot, harm the traffic and measure it",
    "record": "write all that a robot sends into a file",
    "show": "tell what is in a recorded run, and export its tables",
    "sim": "serve a simulated Franka robot over FCI",
}
"""Sub-commands and what they do; each is a module here with `add_arguments` and `run`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code, 130 after Ctrl-C.

    Args:
        arguments: Words behind the program's name; None for those of the process.
    """
    try:
        return _run(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:
        print("\nkinegraph: interrupted", file=sys.stderr)
        return INTERRUPTED


def _run(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="kinegraph", description="Robot scenes in Python")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    modules: dict[str, Any] = {}
    for name, text in COMMANDS.items():
        sub = commands.add_parser(name, help=text, description=text)
        if words[:1] == [name]:
            modules[name] = import_module(f"kinegraph.cli.{name}")
            modules[name].add_arguments(sub)
    options = parser.parse_args(words)
    return int(modules[options.command].run(options))


if __name__ == "__main__":
    sys.exit(main())
