"""`kinegraph relay`: a relay as a process of its own, figures as JSON at its end."""

import argparse
import json
import sys
import threading
from contextlib import ExitStack
from typing import Any, Literal

from kinegraph.cli.signalled import until_signalled

__all__ = ["add_arguments", "run"]

RATES = {
    "drop": "rate of datagrams that are lost",
    "delay": "time by which all are late, s",
    "jitter": "longest additional time, s",
    "late": "rate of datagrams that delay and jitter are for (1: all)",
    "dup": "rate of datagrams that come twice",
    "reorder": "rate of datagrams that change places with the next",
    "trunc": "rate of datagrams that are cut",
    "garbage": "rate of additional random datagrams",
    "after": "time from Connect on in which nothing of this is done, s",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--listen", default="127.0.0.51", help="IPv4 address for clients")
    parser.add_argument("--server", default="127.0.0.21", help="IPv4 address of the robot")
    parser.add_argument("--port", type=int, help="TCP port to listen on (1337, hand 1338)")
    parser.add_argument("--server-port", type=int, help="TCP port of the robot (1337, hand 1338)")
    parser.add_argument(
        "--device", choices=("arm", "hand", "both"), default="arm", help="what is relayed"
    )
    parser.add_argument("--seed", type=int, default=0, help="of all that is left to chance")
    parser.add_argument("--priority", type=int, metavar="N", help="SCHED_FIFO priority")
    faults = parser.add_argument_group(
        "faults of datagrams",
        "for both directions, or with --states- or --commands- before the name for one",
    )
    for name, text in RATES.items():
        faults.add_argument(f"--{name}", type=float, metavar="X", help=text)
        for direction in ("states", "commands"):
            faults.add_argument(f"--{direction}-{name}", type=float, help=argparse.SUPPRESS)
    timed = parser.add_argument_group("faults at a time, in seconds after the first command")
    timed.add_argument(
        "--burst",
        type=_burst,
        action="append",
        default=[],
        metavar="AT,COUNT,DIRECTION",
        help="lose so many states or commands in a row",
    )
    timed.add_argument(
        "--freeze",
        type=_freeze,
        action="append",
        default=[],
        metavar="AT,SECONDS",
        help="let nothing pass for so long",
    )
    timed.add_argument("--tcp-rst", type=float, metavar="AT", help="reset the client's connection")
    parser.add_argument("--arrays", metavar="FILE", help="write times and ids there (npz)")
    parser.add_argument(
        "--echo",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="measure at the end, for so long, what the relay adds to a response",
    )
    parser.add_argument("--duration", type=float, metavar="SECONDS", help="end by itself")


def run(options: argparse.Namespace) -> int:
    """Relay until SIGINT, SIGTERM or the given time; returns the exit code."""
    with until_signalled() as ended:
        return _relay(options, ended)


def _relay(options: argparse.Namespace, ended: threading.Event) -> int:
    from kinegraph.robot.testing import Relay, relay_cost
    from kinegraph.scene.errors import KinegraphError

    devices: tuple[Literal["arm", "hand"], ...] = ("arm", "hand")
    if options.device != "both":
        devices = (options.device,)
    relays: dict[str, Any] = {}
    try:
        with ExitStack() as stack:
            faults = _faults(options)
            for device in devices:
                relays[device] = stack.enter_context(
                    Relay(
                        options.listen,
                        options.server,
                        device=device,
                        faults=faults,
                        seed=options.seed,
                        port=options.port,
                        server_port=options.server_port,
                        priority=options.priority,
                    )
                )
                host, port = relays[device].address
                print(f"kinegraph relay: {host}:{port} to {options.server}", file=sys.stderr)
            ended.wait(options.duration)
    except (KinegraphError, OSError) as problem:
        print(f"kinegraph relay: {problem}", file=sys.stderr)
        return 1
    figures = {device: relay.figures() for device, relay in relays.items()}
    if options.echo > 0.0:
        figures["echo"] = relay_cost(
            options.listen, options.server, seconds=options.echo, priority=options.priority
        )
    print(json.dumps(figures), flush=True)
    if options.arrays is not None:
        _write_arrays(options.arrays, relays)
    return 0


def _write_arrays(path: str, relays: dict[str, Any]) -> None:
    import numpy as np

    arrays = {}
    for device, relay in relays.items():
        record = relay.record()
        for name in ("t_state", "state_id", "t_forward", "state_session", "t_command"):
            arrays[f"{device}_{name}"] = getattr(record, name)
        for name in ("command_id", "t_command_forward", "command_session"):
            arrays[f"{device}_{name}"] = getattr(record, name)
    np.savez_compressed(path, **arrays)


def _faults(options: argparse.Namespace) -> Any:
    from kinegraph.robot.testing import DatagramFaults, Faults

    def of(direction: str) -> Any:
        values = {}
        for name in RATES:
            for given in (getattr(options, name), getattr(options, f"{direction}_{name}")):
                if given is not None:
                    values[name] = given
        return DatagramFaults(**values)

    return Faults(
        states=of("states"),
        commands=of("commands"),
        bursts=tuple(options.burst),
        freezes=tuple(options.freeze),
        tcp_rst=options.tcp_rst,
    )


def _burst(text: str) -> Any:
    from kinegraph.robot.testing import Burst

    at, count, direction = text.split(",")
    return Burst(float(at), int(count), direction)  # type: ignore[arg-type]


def _freeze(text: str) -> Any:
    from kinegraph.robot.testing import Freeze

    at, duration = text.split(",")
    return Freeze(float(at), float(duration))


_burst.__name__, _freeze.__name__ = "burst AT,COUNT,DIRECTION", "freeze AT,SECONDS"
