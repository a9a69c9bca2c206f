"""What holds for every test."""

import signal

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Let Ctrl-C count, also where the tests run in the background and a shell has it ignored.

    Programs that a test starts inherit it.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
