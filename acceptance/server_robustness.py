"""`server-robustness`: A9, what no client should do to a robot."""

import random
import re
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable

from bars import Sheet
from children import PROGRAMS, Child
from raw_client import HEADER, RawClient, accepted_within_s
from real_libfranka import libfranka
from simulator import SERVER_HOST, simulator

__all__ = ["GROUPS", "OPENINGS"]

CYCLES, KILLS = 10_000, 20
START_S = 60.0

CONNECT = HEADER.pack(0, 0, 16) + struct.pack("<HH", 10, 5)
# What a stranger may say first, and (second half) a client that has connected.
OPENINGS = {
    "nothing": b"",
    "half_a_header": b"\0" * 5,
    "size_0": HEADER.pack(0, 0, 0),
    "size_4_GiB": HEADER.pack(0, 0, 0xFFFFFFFF),
    "unknown_command": HEADER.pack(77, 0, 12),
    "command_before_connect": HEADER.pack(1, 0, 125) + bytes(113),
    "second_connect": CONNECT + CONNECT,
    "size_0_after_connect": CONNECT + HEADER.pack(3, 1, 0),
    "size_4_GiB_after_connect": CONNECT + HEADER.pack(3, 1, 0xFFFFFFFF),
    "unknown_after_connect": CONNECT + HEADER.pack(77, 1, 12),
}


def datagrams(sheet: Sheet) -> None:
    """A9.1: bad command datagrams, one of each kind in a hundred cycles."""
    with simulator("--lockstep", "0.5") as robot:
        with RawClient(SERVER_HOST) as client:
            client.connect()
            client.state()
            client.start_joint_motion()
            client.hold(200)
            sheet.report("A9.1.first_motion_status", client.end_of_motion(), "== 0")
            before = robot.rss_mb()
            client.start_joint_motion()
            sent = client.hold(CYCLES, random.Random(1))
            sheet.report("A9.1.motion_status", client.end_of_motion(), "== 0", n=CYCLES)
            sheet.report("A9.1.rss_growth_MB", robot.rss_mb() - before, "<= 1", n=CYCLES)
        text = robot.end()
    counters = {name: int(number) for number, name in re.findall(r"(\d+) (\w+)", text)}
    bad = sum(sent.values()) - sent["valid"]
    valid = sent["valid"] + 200
    sheet.report("A9.1.bad_datagrams", bad, None, n=CYCLES)
    # The first command of each of the two motions may be late: there lockstep waits 5 ms.
    sheet.report("A9.1.valid_not_used", valid - counters["accepted"], "<= 2", n=valid)
    sheet.report("A9.1.lost", counters["lost"], "== 0", n=valid)
    sheet.report("A9.1.malformed_counted", counters["malformed"], f">= {sent['truncated']}")
    sheet.report("A9.1.tracebacks", text.count("Traceback"), "== 0")


def messages(sheet: Sheet) -> None:
    """A9.2: bad beginnings on TCP; the next client comes in."""
    with simulator() as robot:
        for name, data in OPENINGS.items():
            with socket.create_connection((SERVER_HOST, 1337), timeout=10.0) as stranger:
                stranger.sendall(data)
                time.sleep(0.1)
                if data[:16] != CONNECT:
                    taken = accepted_within_s(SERVER_HOST)
                    sheet.report(f"A9.2.{name}.beside_s", taken, "< 1")
            sheet.report(f"A9.2.{name}.after_s", accepted_within_s(SERVER_HOST), "< 1")
        text = robot.end()
    sheet.report("A9.2.tracebacks", text.count("Traceback"), "== 0")


def two_clients(sheet: Sheet) -> None:
    """A9.3: a second client while the first controls."""
    with simulator("--lockstep", "0.5") as robot, RawClient(SERVER_HOST) as first:
        first.connect()
        first.state()
        first.start_joint_motion()
        first.hold_on(100)
        with RawClient(SERVER_HOST) as second:
            begun = time.monotonic()
            second.request(0, struct.pack("<HH", 10, second.udp.getsockname()[1]))
            answered = "nothing"
            while time.monotonic() - begun < 3.0 and answered == "nothing":
                first.hold_on(20)
                answered = second.refusal()
        sheet.report("A9.3.second_client", answered, "== refused")
        first.hold(500)
        sheet.report("A9.3.first_motion_status", first.end_of_motion(), "== 0")
        text = robot.end()
    sheet.report("A9.3.lost", int(re.findall(r"(\d+) lost", text)[0]), "== 0")


def killed_clients(sheet: Sheet) -> None:
    """A9.4: clients that are killed in their motion."""
    drift, speed, taken, modes, errors = [], [], [], [], []
    program = str(PROGRAMS / "libfranka_motions.py")
    with simulator("--lockstep", "0.5") as robot:
        for _ in range(KILLS):
            with Child([sys.executable, program, SERVER_HOST, "hold_until_killed"]) as client:
                client.wait_for("moving", START_S)
                time.sleep(0.3)
                client.end(signal.SIGKILL)
            taken.append(accepted_within_s(SERVER_HOST))
            time.sleep(max(0.0, 1.0 - taken[-1]))
            seen = libfranka("at_rest", "0.3")
            drift.append(seen["drift"])
            speed.append(seen["speed"])
            modes.append(seen["mode"])
            errors += seen["errors"]
        text = robot.end()
    sheet.report("A9.4.drift_after_1_s_rad", max(drift), "<= 0.001", n=KILLS)
    sheet.report("A9.4.speed_after_1_s_rad_s", max(speed), "<= 0.001", n=KILLS)
    sheet.report("A9.4.next_connect_s", max(taken), "< 1", n=KILLS)
    sheet.report("A9.4.idle", modes.count("Idle"), f"== {KILLS}", n=KILLS)
    sheet.report("A9.4.errors", len(errors), "== 0", n=KILLS, note=", ".join(errors))
    sheet.report("A9.4.tracebacks", text.count("Traceback"), "== 0")


GROUPS: dict[str, Callable[[Sheet], None]] = {
    "A9.1": datagrams,
    "A9.2": messages,
    "A9.3": two_clients,
    "A9.4": killed_clients,
}
