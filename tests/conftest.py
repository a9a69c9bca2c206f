"""What holds for every test."""

import signal

import pytest
from hypothesis import settings

# The same examples for everybody, and no time limit on one: `--hypothesis-profile=explore` looks
# for others.
settings.register_profile("house", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile("house")


def pytest_configure(config: pytest.Config) -> None:
    """Let Ctrl-C count, also where the tests run in the background and a shell has it ignored.

    Programs that a test starts inherit it.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
