"""B4: our client and franka-sim with the relay's faults between them, beside franka-rs."""

from typing import Any

from bars import Sheet
from canary import Canary
from children import ProgramError
from client_read import client
from other_servers import franka_sim
from real_libfranka import COMMUNICATION
from relaying import RelayProcess, relay
from server_soak import rust
from simulator import RELAY_HOST, SERVER_FIFO

__all__ = ["breaks", "packets"]

RUN_S, LIMIT_S = 4.0, 120.0
# Compiles the controller if this machine has not yet.
FIRST_S = 400.0
# Name: options of the relay, whether franka-rs runs beside it, more that must hold.
PACKETS: dict[str, tuple[str, bool]] = {
    "clean": ("", True),
    "commands_drop_1": ("--commands-drop 0.01", True),
    "commands_drop_10": ("--commands-drop 0.1", False),
    "commands_drop_30": ("--commands-drop 0.3", True),
    "states_drop_1": ("--states-drop 0.01", False),
    "states_drop_10": ("--states-drop 0.1", False),
    "states_drop_30": ("--states-drop 0.3", True),
    "duplicates_20": ("--dup 0.2", False),
    "states_reorder_10": ("--states-reorder 0.1", False),
    "commands_reorder_10": ("--commands-reorder 0.1", False),
    "delay_0.25_ms": ("--delay 0.00025", False),
    "delay_1_ms": ("--delay 0.001", False),
    "jitter_3_ms": ("--jitter 0.003", False),
    "states_trunc_1": ("--states-trunc 0.01", False),
    "garbage_1": ("--states-garbage 0.01", False),
}
BURSTS = ((19, "commands"), (20, "commands"), (30, "commands"), (30, "states"))
# Robot time before the faults begin: connecting and starting are not what is judged.
AFTER = "--after 1.0"


class Facts:
    """One run: figures of our client, what the relay saw, and the state of the machine."""

    def __init__(self, options: str, sign: int, *, limit_s: float = LIMIT_S) -> None:
        with relay(*options.split()) as between, Canary() as canary:
            self.seen: Any = client("step", str(RUN_S), str(sign), limit_s=limit_s)
        self.between: RelayProcess = between
        self.more: dict[str, Any] = {
            "foreign_cpu_pct": 100.0 * canary.foreign,
            "discarded": len(canary.stalls),
            "n": max(self.seen.get("states", 1), 1),
            "latency": True,
        }
        # What kind of error comes is judged at any load.
        self.kind: dict[str, Any] = {**self.more, "latency": False}

    def relayed(self, direction: str, name: str) -> int:
        """A counter of the relay."""
        return int(self.between.figures()["counters"][direction][name])


def packets(sheet: Sheet) -> None:
    """B4: faults of single datagrams, without enforcement."""
    clean: dict[str, Any] = {}
    peer_clean: float | None = None
    with franka_sim() as robot:
        robot.fifo(SERVER_FIFO)
        sign = 1
        for name, (options, beside) in PACKETS.items():
            if not sheet.wants(f"B4.{name}"):
                continue
            peer = peer_land(f"{options} {AFTER}", -sign) if beside else None
            if peer is not None:
                sign = -sign
            run = Facts(f"{options} {AFTER}" if options else "", sign, limit_s=FIRST_S)
            sign = -sign
            peer_clean = peer if peer_clean is None else peer_clean
            if "error" in run.seen:
                note = f"{run.seen['error']}: {run.seen['text'][:200]}"
                sheet.report(f"B4.{name}.ran", False, "== True", note=note, **run.more)
                continue
            clean = clean or run.seen
            report(sheet, f"B4.{name}", run, clean, peer if peer is not None else peer_clean)


def peer_land(options: str, sign: int) -> float | None:
    """Land error of franka-rs's impedance controller in the same kind of run, mm."""
    try:
        with relay(*options.split()):
            seen = rust(
                RELAY_HOST, "cartesian", "impedance", str(0.05 * sign), "3", limit_s=LIMIT_S
            )
        return float(seen["land_mm"])
    except ProgramError:
        return None


def report(sheet: Sheet, name: str, run: Facts, clean: dict[str, Any], peer: float | None) -> None:
    """What must hold under every fault, and under this one."""
    seen, more = run.seen, run.more
    bound = f"<= {1.2 * peer + 0.35:.3g}" if peer is not None else None
    sheet.report(f"{name}.land_mm", seen["land_mm"], bound, peer=peer, **more)
    sheet.report(f"{name}.lag_mm", seen["lag_mm"], None, **more)
    counters = seen["counters"]
    if "commands_drop" in name:
        told = 1.0 - seen["success_mean"]
        lost = run.relayed("commands", "dropped") / max(run.relayed("commands", "received"), 1)
        base = 1.0 - clean["success_mean"]
        sheet.report(f"{name}.told_over_lost", (told - base) / lost, "0.8 to 1.2", **more)
    if "states_drop" in name:
        growth = seen["lag_mm"] - clean["lag_mm"]
        sheet.report(f"{name}.lag_growth_mm", growth, "<= 1" if "30" in name else None, **more)
    if "dup" in name:
        motions = run.between.figures()["motions"]
        sheet.report(f"{name}.answered_twice", motions["duplicates"], None, **more)
        sheet.report(f"{name}.stale_counted", counters["stale"], ">= 1", **more)
    if "states_reorder" in name:
        sheet.report(f"{name}.stale_counted", counters["stale"], ">= 1", **more)
        stale = run.between.figures()["motions"]["stale"]
        sheet.report(f"{name}.stale_answered", stale, "== 0", **more)
    if "delay" in name or "jitter" in name:
        sheet.report(f"{name}.std_mm", seen["std_mm"], "< 0.1", **more)
        extra = seen["lag_mm"] - clean["lag_mm"]
        sheet.report(f"{name}.extra_lag_mm", extra, "<= 1.1", **more)
    if "trunc" in name:
        sheet.report(f"{name}.counted", counters["short"], ">= 1", **more)
    if "garbage" in name:
        # Long ones have the size of a state: their ids are none that a state would have.
        dropped = counters["short"] + counters["strange"] + counters["stale"]
        sheet.report(f"{name}.counted", dropped, ">= 1", **more)


def breaks(sheet: Sheet) -> None:
    """B4: bursts, freezes and a reset, 1.5 s into the motion."""
    sign = 1
    for enforce in (False, True):
        suffix = "enforced" if enforce else "free"
        with franka_sim(enforce=enforce) as robot:
            robot.fifo(SERVER_FIFO)
            for count, what in BURSTS:
                if not sheet.wants("B4.burst"):
                    continue
                run = Facts(f"--burst 1.5,{count},{what}", sign, limit_s=FIRST_S)
                ends = enforce and count >= 20
                burst(sheet, f"B4.burst_{count}_{what}.{suffix}", run, ends)
                sign = sign if "error" in run.seen else -sign
    with franka_sim() as robot:
        robot.fifo(SERVER_FIFO)
        for seconds in (0.2, 0.9, 2.5) if sheet.wants("B4.freeze") else ():
            run = Facts(f"--freeze 1.5,{seconds}", sign, limit_s=FIRST_S)
            freeze(sheet, f"B4.freeze_{seconds}_s", run, ends=seconds > 1.0)
            sign = sign if "error" in run.seen else -sign
        if sheet.wants("B4.tcp"):
            run = Facts("--tcp-rst 1.5", sign, limit_s=FIRST_S)
            sheet.report("B4.tcp_reset.kind", run.seen.get("error"), "== NetworkError", **run.kind)


def burst(sheet: Sheet, name: str, run: Facts, ends: bool) -> None:
    """A run in which datagrams were lost in a row."""
    seen = run.seen
    if not ends:
        ran = "error" not in seen
        sheet.report(f"{name}.goes_on", ran, "== True", note=seen.get("text", ""), **run.more)
        return
    sheet.report(f"{name}.kind", seen.get("error"), "== ControlError", **run.kind)
    named = COMMUNICATION in seen.get("text", "")
    sheet.report(f"{name}.named", named, "== True", note=seen.get("text", ""), **run.kind)
    sheet.report(f"{name}.usable_after", seen.get("recovered"), "== True", **run.kind)


def freeze(sheet: Sheet, name: str, run: Facts, ends: bool) -> None:
    """A run in which nothing passed for some time."""
    seen = run.seen
    if ends:
        sheet.report(f"{name}.kind", seen.get("error"), "== NetworkError", **run.kind)
        return
    ran = "error" not in seen
    sheet.report(f"{name}.goes_on", ran, "== True", note=seen.get("text", ""), **run.more)
    if ran:
        sheet.report(f"{name}.jump_mm", seen["jump_mm"], "< 1", **run.kind)
