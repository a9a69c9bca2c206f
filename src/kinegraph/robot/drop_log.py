"""Says in the log which datagrams were dropped.

The loop drops and counts them where no Python runs; a thread that sleeps nearly always looks at the
counters and logs what has come to them. Whoever floods the port does not flood the log: while more
keep coming the pauses double, up to a minute.
"""

import logging
import threading
from collections.abc import Callable

from kinegraph.robot.loop.counters import LoopCounters

__all__ = ["DropLog"]

_LOG = logging.getLogger("kinegraph.robot")
_PAUSE_S = 0.25
_PAUSE_MAX_S = 60.0
_KINDS = {
    "short": "shorter than a state",
    "foreign": "of another sender",
    "strange": "with an id that cannot be the next",
    "stale": "older than the newest state or sent twice",
}


class DropLog:
    """Logs dropped datagrams until it is closed.

    Args:
        counters: Returns what the loop has counted so far.
        host: Robot's name in the log.
    """

    def __init__(self, counters: Callable[[], LoopCounters], host: str) -> None:
        self._counters = counters
        self._host = host
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="kinegraph-drops", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def close(self) -> None:
        """Log what is left and end."""
        self._closing.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(1.0)

    def _watch(self) -> None:
        before, pause_s = dict.fromkeys(_KINDS, 0), _PAUSE_S
        while True:
            over = self._closing.wait(pause_s)
            counters = self._counters()
            now = {kind: int(getattr(counters, kind)) for kind in _KINDS}
            new = {kind: now[kind] - before[kind] for kind in _KINDS if now[kind] > before[kind]}
            if new:
                self._log(new, counters.received)
            pause_s = min(2.0 * pause_s, _PAUSE_MAX_S) if new else _PAUSE_S
            before = now
            if over:
                return

    def _log(self, new: dict[str, int], received: int) -> None:
        kinds = ", ".join(f"{count} {_KINDS[kind]}" for kind, count in new.items())
        _LOG.warning(
            "%s: dropped UDP datagrams: %s (%d states received so far)", self._host, kinds, received
        )
