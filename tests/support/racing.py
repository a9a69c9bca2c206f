"""Threads that want the same thing at once."""

import threading
from collections.abc import Callable
from typing import TypeVar

from kinegraph.robot.errors import InvalidOperationError

__all__ = ["race"]

T = TypeVar("T")


def race(start: Callable[[], T], count: int) -> tuple[list[T], list[InvalidOperationError]]:
    """Let `count` threads call `start` at once; what some got, and how others were refused."""
    got: list[T] = []
    refused: list[InvalidOperationError] = []

    def run() -> None:
        try:
            got.append(start())
        except InvalidOperationError as error:
            refused.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return got, refused
