"""Figures that follow from what a relay has seen."""

from typing import Any

import numpy as np

from kinegraph.robot.testing.record import RelayRecord
from kinegraph.scene.array_types import Array

__all__ = ["motion_times", "relay_figures", "response_latencies"]

PERCENTILES = (50.0, 99.0, 99.9, 100.0)


def relay_figures(record: RelayRecord) -> dict[str, Any]:
    """Return what a record says about robot and client, as plain numbers (JSON).

    - `states`: number, rate in Hz, percentiles of the interval in us, ids that are missing and ids
      that do not rise.
    - `response`: percentiles in us of the client's time from a state to its command as the wire
      sees it, `t_command(id) - t_forward(id)`; what the relay adds is in it.
    - `motions`: number of motions; states of them that were handed on whole and were `answered` or
      `unanswered` between the first command and the last; `duplicates`: commands for a state that
      had one; `stale`: commands for a state that is older than one that had its command;
      `unknown`: commands for a state that was never handed on whole.
    - `counters`: what was done to the datagrams.
    - `sessions`, `tcp_messages`, `tcp_closed_by`: clients, messages, and who ended connections.

    Percentiles are null where nothing was measured.
    """
    messages = [entry for entry in record.tcp if entry.command is not None]
    ends = [entry.direction for entry in record.tcp if entry.command is None]
    return {
        "states": _state_figures(record),
        "response": _percentiles(1e6 * response_latencies(record)),
        "motions": _motion_figures(record),
        "counters": {name: dict(counts) for name, counts in record.counters.items()},
        "sessions": int(1 + max(record.state_session, default=-1)),
        "tcp_messages": len(messages),
        "tcp_closed_by": {name: ends.count(name) for name in ("client", "server")},
    }


def response_latencies(record: RelayRecord) -> Array:
    """Return the client's times from a state to its first command, (k,), s."""
    _, times = _first_answers(record)
    return times


def motion_times(record: RelayRecord) -> list[tuple[int, float, float]]:
    """Return (session, begin, end) of the motions, from the request to the reply that ends it.

    A motion that was not ended by a reply ends with its connection, or never: infinity. The request
    counts, because states and commands of a motion may overtake the reply that it has started.
    """
    if record.status_of_start is None:
        return []
    command, started = record.status_of_start
    motions: list[tuple[int, float, float]] = []
    asked: dict[tuple[int, int | None], float] = {}
    running: dict[tuple[int, int | None], float] = {}
    for entry in record.tcp:
        at = (entry.session, entry.command_id)
        if entry.command is None:
            for key in [key for key in running if key[0] == entry.session]:
                motions.append((key[0], running.pop(key), entry.time))
        elif entry.command != command:
            continue
        elif entry.direction == "client":
            asked[at] = entry.time
        elif at in running:
            motions.append((entry.session, running.pop(at), entry.time))
        elif entry.status == started:
            running[at] = asked.pop(at, entry.time)
    motions += [(session, begin, np.inf) for (session, _), begin in running.items()]
    return sorted(motions, key=lambda motion: motion[1])


def _percentiles(values: Array) -> dict[str, float | int | None]:
    names = ("p50_us", "p99_us", "p99_9_us", "max_us")
    if not len(values):
        return {"count": 0, **dict.fromkeys(names)}
    figures: dict[str, float | int | None] = {"count": len(values)}
    for name, value in zip(names, np.percentile(values, PERCENTILES), strict=True):
        figures[name] = round(float(value), 1)
    return figures


def _state_figures(record: RelayRecord) -> dict[str, Any]:
    steps, ids = [], []
    for session in np.unique(record.state_session):
        mine = record.state_session == session
        steps.append(np.diff(record.t_state[mine]))
        ids.append(np.diff(record.state_id[mine].astype(np.int64)))
    intervals = np.concatenate(steps) if steps else np.zeros(0)
    id_steps = np.concatenate(ids) if ids else np.zeros(0, np.int64)
    span = float(intervals.sum())
    return {
        "number": len(record.t_state),
        "rate_hz": round(len(intervals) / span, 2) if span > 0.0 else None,
        "interval": _percentiles(1e6 * intervals),
        "missing_ids": int(np.maximum(id_steps - 1, 0).sum()),
        "not_rising_ids": int((id_steps <= 0).sum()),
    }


def _keys(session: Any, number: Any) -> Any:
    keys = np.empty(len(number), dtype=[("session", np.int64), ("id", np.uint64)])
    keys["session"], keys["id"] = session, number
    return keys


def _first_answers(record: RelayRecord) -> tuple[Any, Array]:
    """Return rows of the states that have a command and the times to the first one."""
    whole = np.flatnonzero(~np.isnan(record.t_forward))
    keys = _keys(record.state_session[whole], record.state_id[whole])
    states, first = np.unique(keys, return_index=True)
    answers, command = np.unique(
        _keys(record.command_session, record.command_id), return_index=True
    )
    _, of_state, of_answer = np.intersect1d(states, answers, return_indices=True)
    rows = whole[first[of_state]]
    times = record.t_command[command[of_answer]] - record.t_forward[rows]
    kept = times >= 0.0  # an id that was guessed
    return rows[kept], times[kept]


def _motion_figures(record: RelayRecord) -> dict[str, int]:
    motions = motion_times(record)
    answered_rows, _ = _first_answers(record)
    names = ("answered", "unanswered", "duplicates", "stale", "unknown")
    counts: dict[str, int] = dict.fromkeys(names, 0)
    for session, begin, end in motions:
        mine = record.command_session == session
        mine &= (record.t_command >= begin) & (record.t_command <= end)
        if mine.any():
            _count(record, session, np.flatnonzero(mine), answered_rows, counts)
    return {"number": len(motions), **counts}


def _count(
    record: RelayRecord, session: int, commands: Any, answered: Any, counts: dict[str, int]
) -> None:
    last = record.t_command[commands[-1]]
    handed_on = np.flatnonzero((record.state_session == session) & ~np.isnan(record.t_forward))
    times, ids = record.t_forward[handed_on], record.state_id[handed_on]
    order = np.argsort(times, kind="stable")
    handed_on, times, ids = handed_on[order], times[order], ids[order]
    asked = record.command_id[commands]
    known = np.isin(asked, ids)
    begin_id, end_id = asked[known].min(initial=2**64 - 1), asked[known].max(initial=0)
    due = (ids >= begin_id) & (ids <= end_id) & (times <= last)
    is_answered = np.isin(handed_on, answered)
    distinct = np.unique(ids[due & is_answered])
    counts["answered"] += len(distinct)
    counts["unanswered"] += len(np.setdiff1d(ids[due], distinct))
    counts["duplicates"] += int(known.sum() - len(np.unique(asked[known])))
    counts["unknown"] += int((~known).sum())
    newest = np.maximum.accumulate(asked[known]) if known.any() else asked[known]
    counts["stale"] += int((asked[known] < newest).sum())
