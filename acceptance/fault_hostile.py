"""B6: robots that answer wrongly; our client ends in a typed error, soon and small."""

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from bars import Sheet
from children import PROGRAMS, Child
from scripted_robot import HEADER, ScriptedRobot
from simulator import SERVER_HOST

from kinegraph.robot.wire import state_layout as layout

__all__ = ["HOSTILE", "hostile", "meet"]

LIMIT_S = 600.0  # kernels may have to be compiled first
HUGE = 200_000_000
Prepare = Callable[[ScriptedRobot], None]


@dataclass(frozen=True)
class Hostile:
    """One way to be a bad robot.

    Attributes:
        prepare: What is wrong from the beginning.
        kinds: Errors that are right; `none` where the client must go on.
        word: What the error must name.
        moving: What goes wrong in the motion, None: there is none.
    """

    prepare: Prepare
    kinds: tuple[str, ...]
    word: str = ""
    moving: Prepare | None = None


def fine(robot: ScriptedRobot) -> None:
    """Nothing is wrong at the beginning."""


def changed(**values: Any) -> Prepare:
    """Attributes of the scripted robot."""

    def prepare(robot: ScriptedRobot) -> None:
        for name, value in values.items():
            setattr(robot, name, value)

    return prepare


def state(name: str, value: float, entry: int = 0) -> Prepare:
    """A number of the state."""

    def prepare(robot: ScriptedRobot) -> None:
        robot.row[layout.STATE_OFFSETS[name] + entry] = value

    return prepare


def other_version(robot: ScriptedRobot) -> None:
    """Connect is refused with a version that nobody speaks."""
    robot.connect_version = 7
    robot.statuses["Connect"] = [1] * 4


def huge_model(robot: ScriptedRobot) -> None:
    """The model's reply says 200 MB and brings nothing."""
    robot.unanswered.add("GetRobotModel")

    def answer() -> None:
        while not robot.requests or robot.requests[-1][0] != "GetRobotModel":
            time.sleep(0.001)
        command = robot.protocol.commands["GetRobotModel"]
        robot.send_raw(HEADER.pack(command, robot.requests[-1][1], HUGE))

    threading.Thread(target=answer, daemon=True).start()


def backwards(robot: ScriptedRobot) -> None:
    """Ids that fall."""
    robot.message_id, robot.step = 100_000_000, -1


HOSTILE: dict[str, Hostile] = {
    "connect_version": Hostile(other_version, ("IncompatibleVersionError",), "7"),
    "connect_truncated": Hostile(changed(connect_payload=b"\0"), ("ProtocolError",), "Connect"),
    "connect_never": Hostile(changed(unanswered={"Connect"}), ("NetworkError",), "Connect"),
    "urdf_empty": Hostile(changed(urdf=""), ("ModelError",)),
    "urdf_200_MB": Hostile(huge_model, ("ProtocolError", "NetworkError")),
    "urdf_malformed": Hostile(changed(urdf="<robot><link"), ("ModelError",)),
    "q_nan": Hostile(fine, ("ControlError", "ProtocolError"), "q", state("q", np.nan)),
    "dq_inf": Hostile(fine, ("ControlError", "ProtocolError"), "dq", state("dq", np.inf)),
    "O_T_EE_skew": Hostile(fine, ("ControlError", "none"), "", state("O_T_EE", 3.0)),
    "id_backwards": Hostile(backwards, ("NetworkError",)),
    "mode_255": Hostile(state("robot_mode", 255.0), ("none",)),
    "flood_20_kHz": Hostile(changed(period_s=5e-5), ("none",)),
}


def meet(name: str, host: str = SERVER_HOST, limit_s: float = LIMIT_S) -> dict[str, Any]:
    """Let our client meet a bad robot; what it said, and whether a bad number came back."""
    import json

    kind = HOSTILE[name]
    with ScriptedRobot(host) as robot:
        kind.prepare(robot)
        task = "move" if kind.moving else "look"
        program = str(PROGRAMS / "kinegraph_meets.py")
        with Child([sys.executable, program, host, task]) as client:
            if kind.moving:
                end = time.monotonic() + limit_s
                while len(robot.commands) < 50 and time.monotonic() < end:
                    if client.process.poll() is not None:
                        break
                    time.sleep(0.005)
                kind.moving(robot)
            text = client.finish(limit_s)
        seen: dict[str, Any] = json.loads(text.strip().splitlines()[-1])
        commands = np.array(robot.commands[:]) if robot.commands else np.zeros((0, 1))
    seen["bad_numbers_sent"] = int((~np.isfinite(commands)).sum())
    seen["commands"] = len(commands)
    return seen


def hostile(sheet: Sheet) -> None:
    """B6: each of the bad robots."""
    for name, kind in HOSTILE.items():
        if not sheet.wants(f"B6.{name}"):
            continue
        seen = meet(name)
        right = seen["kind"] in kind.kinds
        note = f"{seen['kind']}: {seen['text'][:200]}"
        sheet.report(f"B6.{name}.right_kind", right, "== True", note=note)
        if kind.word and seen["kind"] != "none":
            sheet.report(f"B6.{name}.names_it", kind.word in seen["text"], "== True")
        sheet.report(f"B6.{name}.ended_s", seen["seconds"], "<= 2")
        sheet.report(f"B6.{name}.rss_growth_MB", seen["rss_growth_mb"], "<= 50")
        sheet.report(f"B6.{name}.bad_numbers_sent", seen["bad_numbers_sent"], "== 0")
