"""Loopback addresses that no other test process uses."""

import itertools
import os

_numbers = itertools.count()


def fresh_address() -> str:
    """A loopback address of this process that was not handed out before."""
    block, last = divmod(next(_numbers), 250)
    process = os.getpid()
    return f"127.{40 + process % 80}.{process // 80 % 200 + block}.{1 + last}"
