"""Saying what a program waits for when kernels are compiled for the first time."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["announce_compiling"]

_LOG = logging.getLogger("kinegraph")
PATIENCE_S = 4.0


@contextmanager
def announce_compiling(what: str) -> Iterator[None]:
    """Log a warning if the block takes longer than loading from the cache does.

    Args:
        what: What is compiled, for the message.
    """
    text = "compiling %s for the first time on this machine; this may take a minute or two"
    timer = threading.Timer(PATIENCE_S, _LOG.warning, (text, what))
    timer.daemon = True
    try:
        timer.start()  # may be interrupted when it has begun
        yield
    finally:
        timer.cancel()
