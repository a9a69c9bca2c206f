"""Running a kernel over rows of unequal cost in several threads."""

from collections.abc import Callable
from threading import Lock, Thread

from kinegraph.kinematics.batches import processors

__all__ = ["run_shares"]

# Rows that a thread takes at a time: a millisecond or less, and worth handing over.
SHARE = 32


def run_shares(some: Callable[[int, int], None], count: int) -> None:
    """Call `some(first, end)` for all of `count`; the kernels in it release the GIL.

    Threads take shares in turn, because some rows take a hundred times as long as others. The
    first error of any of them ends all and is raised here, an interrupt too.
    """
    helpers = 0 if count <= SHARE else min(processors(), -(-count // SHARE)) - 1
    if helpers < 1:
        some(0, count)
        return
    lock = Lock()
    taken, failures = 0, list[BaseException]()

    def work() -> None:
        nonlocal taken
        try:
            while True:
                with lock:
                    first = taken
                    taken = count if failures else min(first + SHARE, count)
                    end = taken
                if first >= end or failures:
                    return
                some(first, end)
        except BaseException as error:  # handed to the caller's thread
            failures.append(error)

    threads = [Thread(target=work, name=f"kinegraph-share-{i}") for i in range(helpers)]
    for thread in threads:
        thread.start()
    work()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
