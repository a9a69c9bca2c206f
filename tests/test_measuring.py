"""The instruments of the benchmarks: what the canary discards, and what is heard on the wire."""

import importlib.util
import socket
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")


def instrument(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_what_touches_a_stall_does_not_count() -> None:
    canary = instrument("canary").Canary()
    canary.stalls = np.array([[100, 200], [300, 310]])
    begin, end = [0, 0, 150, 190, 201, 250, 305, 311], [99, 100, 160, 250, 299, 400, 306, 500]
    kept = canary.outside(begin, end)
    assert kept.tolist() == [True, False, False, False, True, False, False, True]
    assert canary.outside([99, 100, 200, 201]).tolist() == [True, False, False, True]
    assert canary.outside([]).tolist() == []


def test_a_canary_notes_every_sleep_of_every_core() -> None:
    module = instrument("canary")
    with module.Canary() as canary:
        time.sleep(0.3)
    assert len(canary.cpus) >= 1
    assert len(canary.lateness_us) >= 10 * len(canary.cpus)
    assert (canary.lateness_us > -1.0).all()
    assert canary.foreign >= 0.0
    assert "oversleep" in canary.report()


def test_the_share_of_others_is_what_is_left() -> None:
    module = instrument("canary")
    ticks = module.Ticks
    second = module.os.sysconf("SC_CLK_TCK")
    assert module.foreign_share(ticks(0, 0, 0.0), ticks(3 * second, second, 2.0)) == 1.0
    assert module.foreign_share(ticks(0, 0, 0.0), ticks(0, second, 2.0)) == 0.0
    assert module.foreign_share(ticks(0, 0, 0.0), ticks(5, 0, 0.0)) == 0.0


def test_each_state_is_paired_with_its_first_command() -> None:
    module = instrument("wire_tap")
    tap = object.__new__(module.WireTap)
    state, command = module.STATE, module.COMMAND
    tap._rows = np.array(
        [
            (state, 1, 1000),
            (state, 2, 2000),
            (command, 2, 2050),
            (command, 2, 2070),
            (state, 3, 3000),
            (state, 4, 4000),
            (command, 4, 4020),
            (state, 5, 5000),
        ]
    )
    heard = tap.responses()
    assert heard.latency_us.tolist() == [0.05, 0.02]
    assert (heard.states, heard.unanswered) == (3, 1)
    tap._rows = tap._rows[:2]
    assert tap.responses().states == 0


def test_datagrams_are_heard_with_their_numbers() -> None:
    module = instrument("wire_tap")
    host = fresh_address()
    robot = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        robot.bind((host, 0))
        client.bind(("127.0.0.1", 0))
        try:
            tap = module.WireTap(host)
        except PermissionError:
            return  # a right that not every user has; the pairing is tested above
        with tap:
            for number in range(1, 21):
                robot.sendto(number.to_bytes(8, "little") + bytes(1300), client.getsockname())
                time.sleep(0.002)
                client.sendto(number.to_bytes(8, "little") + bytes(300), robot.getsockname())
            time.sleep(0.3)
        heard = tap.responses()
        assert (len(heard.state_ns), heard.unanswered) == (20, 0)
        assert (heard.latency_us >= 2000.0).all()
        assert abs(time.monotonic_ns() - heard.state_ns[0]) < 60e9
    finally:
        robot.close()
        client.close()
