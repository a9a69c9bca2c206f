"""Priority and core of the loop thread."""

import logging
import os
from pathlib import Path

from kinegraph.robot.argument_checks import check_whole
from kinegraph.robot.errors import InvalidArgumentError, RealtimeError

__all__ = [
    "PRIORITY_MAX",
    "check_realtime",
    "has_realtime_kernel",
    "lower_thread",
    "raise_as_far_as_possible",
    "raise_thread",
]

_LOG = logging.getLogger("kinegraph.robot")
_KERNEL_FLAG = Path("/sys/kernel/realtime")
_MODES = ("ignore", "enforce")
_said: set[str] = set()

PRIORITY_MAX = 99
"""Highest FIFO priority."""
CPU_MAX = 2**31 - 1
"""Largest number of a core that the system's calls take."""


def check_realtime(realtime: str, priority: int | None, cpu: int | None) -> None:
    """Refuse what a loop's thread cannot be asked for; see `Robot`.

    Raises:
        InvalidArgumentError: No such mode, priority or core, or an ordinary thread with
            "enforce". Also a `ValueError`.
    """
    if not isinstance(realtime, str) or realtime not in _MODES:
        raise InvalidArgumentError(
            f"realtime is {realtime!r}; it is one of {', '.join(map(repr, _MODES))}"
        )
    if priority is not None:
        check_whole("loop_priority", priority, 0, PRIORITY_MAX)
        if priority == 0 and realtime == "enforce":
            raise InvalidArgumentError(
                "loop_priority is 0, an ordinary thread; realtime='enforce' insists on another",
                field="loop_priority",
                value=priority,
            )
    if cpu is not None:
        check_whole("loop_cpu", cpu, 0, CPU_MAX)


def has_realtime_kernel() -> bool:
    """Whether the kernel says of itself that it is a realtime kernel."""
    try:
        return _KERNEL_FLAG.read_text(encoding="ascii").strip() == "1"
    except OSError:
        return False


def raise_as_far_as_possible(thread: int) -> int:
    """Give a thread the highest FIFO priority that this process may give.

    Args:
        thread: The kernel's number of the thread, 0: the calling one.

    Returns:
        The priority; 0 if none can be had, which is logged once a process.
    """
    import resource  # not on every system that this package can be imported on

    allowed = resource.getrlimit(resource.RLIMIT_RTPRIO)[0]
    for priority in (PRIORITY_MAX, min(allowed, PRIORITY_MAX)):
        try:
            set_fifo(thread, priority)
        except (OSError, ValueError):
            continue
        return priority
    text = "no FIFO priority can be had; the loop runs as an ordinary thread"
    if text not in _said:
        _said.add(text)
        _LOG.info("%s", text)
    return 0


def lower_thread(thread: int) -> None:
    """Make a thread with a FIFO priority an ordinary one again."""
    if os.sched_getscheduler(thread) & ~os.SCHED_RESET_ON_FORK != os.SCHED_FIFO:
        return
    ordinary = os.SCHED_OTHER | os.SCHED_RESET_ON_FORK  # the flag may be kept, not taken back
    os.sched_setscheduler(thread, ordinary, os.sched_param(0))


def set_fifo(thread: int, priority: int) -> None:
    """Give a thread a FIFO priority that its forked children do not have."""
    os.sched_setscheduler(thread, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(priority))


def raise_thread(priority: int | None, cpu: int | None, *, enforce: bool, thread: int = 0) -> None:
    """Give a thread a FIFO priority and a core.

    Both are tried whatever became of the other. A child that is forked from the thread starts
    without them.

    Args:
        priority: 1 to 99, None: leave it.
        cpu: Number of the core, None: any.
        enforce: Whether a failure is an error; otherwise it is logged, once a process.
        thread: The kernel's number of the thread, 0: the calling one.

    Raises:
        RealtimeError: `enforce` and something could not be had.
    """
    failures = []
    if enforce and not has_realtime_kernel():
        failures.append("the running kernel does not have realtime capabilities")
    if priority is not None:
        try:
            set_fifo(thread, priority)
        except (OSError, ValueError) as error:
            failures.append(f"SCHED_FIFO priority {priority} cannot be had ({error})")
    if cpu is not None:
        try:
            os.sched_setaffinity(thread, {cpu})
        except (OSError, ValueError) as error:
            failures.append(f"core {cpu} cannot be had ({error})")
    if failures and enforce:
        raise RealtimeError(
            f"libfranka: unable to set realtime scheduling: {'; '.join(failures)}",
            priority=priority,
            cpu=cpu,
        )
    for failure in failures:
        if failure not in _said:
            _said.add(failure)
            _LOG.warning("%s; going on without", failure)
