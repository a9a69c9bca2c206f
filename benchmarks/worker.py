"""One library in a process of its own: prepares questions, answers them, times them.

    python worker.py FILE_DESCRIPTOR LIBRARY

Started by `crew.Worker`. It needs numpy and the library, nothing else. Each message is the name
of a method of `Desk` and its arguments; the reply is a word, "ok", "absent" (not offered) or
"failed", and the result or the reason.
"""

import contextlib
import gc
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from libraries import find
from robots import Robot

__all__ = ["Desk"]

ROWS = 64
# Also of slow questions so many configurations are asked.
FEWEST_ROWS = 4
WARM_UPS = 3
# A loop in Python that would take longer is told from a part of it; setups, which may take much
# longer than what is timed, do not take longer either.
LONGEST_LOOP_S = 0.15
# A library that asks for more gets a MemoryError, before the machine is in trouble.
MOST_MEMORY = 8 << 30
SEED_DISTANCE = 0.3
SINGLE = ("pose", "set_pose", "all_poses", "all_dict", "jacobian", "set_jacobian")
ONCE = ("attach", "attach_whole")


@dataclass
class Task:
    """A question made ready: how to ask it and how often in one sample."""

    function: Callable[[Any], Any]
    arguments: Sequence[Any]
    setup: Callable[[], Any] | None = None
    passes: int = 1
    scale: float = 1.0


class Desk:
    """One library, one robot at a time."""

    def __init__(self, library: str) -> None:
        self.kind = find(library)
        self.clock = time.perf_counter

    def versions(self) -> dict[str, str]:
        """Versions of the packages behind the library."""
        found = {}
        for name in self.kind.packages:
            with contextlib.suppress(PackageNotFoundError):
                found[name] = version(name)
        return found

    def use(self, processors: set[int] | None, wall: bool = False) -> None:
        """Keep to these processors, and read the wall clock or the process's own time."""
        if processors is not None:
            os.sched_setaffinity(0, processors)
        self.clock = time.perf_counter if wall or processors is None else time.process_time

    def open(self, robot: Robot) -> dict[str, Any]:
        """Read a robot; what it has."""
        self.robot, self.library = robot, self.kind(robot)
        links = len(self.library.links) if hasattr(self.library, "links") else 0
        found = {"order": list(self.library.order), "links": links}
        if hasattr(self.library, "limits"):
            found["limits"] = self.library.limits()
        return found

    def draw(self, order: Sequence[str], limits: Any) -> None:
        """Take the joints and bounds from which all libraries draw the same configurations."""
        self.limits = limits
        self.columns = [order.index(name) for name in self.library.order]
        self.first = self._values(ROWS)
        self.rows = self.library.rows(self.first)

    def _values(self, count: int, seed: int = 1) -> Any:
        lower, upper = self.limits[:, 0], self.limits[:, 1]
        rng = np.random.default_rng(seed)
        return rng.uniform(lower, upper, (count, len(lower)))[:, self.columns]

    def answer(self, question: str) -> Any:
        """Ask once, for the first configuration."""
        task = self._task(question, 3)
        result = task.function(task.setup() if task.setup else task.arguments[0])
        return np.array(result)

    def answer_of(self, question: str, count: int) -> Any:
        """Ask a batch for so many configurations, all of them."""
        method = self._task(question, 1).function
        return np.array(method(self.library.stack(self._values(count))))

    def link_poses(self) -> dict[str, Any]:
        """Poses of all links by name, for the first configuration."""
        poses = np.array(self.library.all_poses(self.rows[0]))
        return dict(zip(self.library.links, poses, strict=True))

    def joints(self) -> list[str]:
        """Joints of the library's columns."""
        return list(self.library.order)

    def ready(self, question: str, count: int, span_s: float, targets: Any = None) -> None:
        """Prepare a question so that one sample takes about `span_s` seconds."""
        task = self._task(question, count, targets)
        gc.collect()
        few = replace(task, arguments=task.arguments[:1])
        self._sample(few)  # what is made at the first call is not part of the others
        begun = time.perf_counter()
        once = min(self._sample(few) for _ in range(WARM_UPS))
        whole = (time.perf_counter() - begun) / WARM_UPS
        if task.setup is not None:
            most = max(1, int(LONGEST_LOOP_S / whole))
            task.passes = max(1, min(most, round(span_s / max(once, 1e-9))))
        else:
            fitting = int(4.0 * span_s / max(once, 1e-9))
            task.arguments = task.arguments[: max(FEWEST_ROWS, fitting)]
            self._fill(task, span_s)
        self.task = task

    def _fill(self, task: Task, span_s: float) -> None:
        """Raise the passes until a sample lasts: a single call, still cold, tells too little."""
        while True:
            taken = self._sample(task) * task.passes * len(task.arguments)
            if taken >= 0.7 * span_s:
                return
            task.passes = max(
                task.passes + 1, round(task.passes * min(10.0, span_s / max(taken, 1e-9)))
            )

    def solved(self) -> float:
        """Share of the inverse problems at hand that are solved."""
        return float(np.mean(self.task.function(self.task.arguments[0])))

    def sample(self) -> float:
        """Seconds of one call, the mean over a sample."""
        return self._sample(self.task) * self.task.scale

    def _sample(self, task: Task) -> float:
        clock, passes = self.clock, task.passes
        gc.disable()
        try:
            if task.setup is not None:
                return _single_calls(task, task.setup, clock)
            start = clock()
            for _ in range(passes):
                for argument in task.arguments:
                    task.function(argument)
            return (clock() - start) / (passes * len(task.arguments))
        finally:
            gc.enable()

    def _task(self, question: str, count: int, targets: Any = None) -> Task:
        method = getattr(self.library, question, None)
        only = self.library.only
        if (question != "build" and method is None) or (only and question not in only):
            raise NotImplementedError(question)
        if question == "build":
            return Task(lambda robot: self._built(robot), [self.robot])
        if question in SINGLE:
            return Task(method, self.rows)
        if question == "leaf":
            self.library.start_leaf(self.rows[0])
            method(0.0)
            return Task(method, [float(value) for value in np.linspace(-0.5, 0.5, ROWS)])
        if question in ONCE:
            return Task(method, [None], getattr(self.library, f"{question}_setup"))
        if question == "inverse":
            return Task(method, [self._inverse_problem(targets[:count])])
        return self._batch_task(question, method, count)

    def _built(self, robot: Robot) -> Any:
        made = self.kind(robot)
        return made.pose(self.rows[0])

    def _inverse_problem(self, targets: Any) -> Any:
        values = self._values(len(targets))
        away = np.random.default_rng(2).uniform(-SEED_DISTANCE, SEED_DISTANCE, values.shape)
        return self.library.inverse_setup(targets, values + away)

    def _batch_task(self, question: str, method: Any, count: int) -> Task:
        part = count
        if self.library.looped:
            single = "jacobian" if question == "jacobians" else "pose"
            once = self._sample(replace(self._task(single, 1), arguments=self.rows[:1]))
            part = min(count, max(1, int(LONGEST_LOOP_S / max(once, 1e-9))))
        stack = self.library.stack(self._values(part))
        argument = (stack, np.empty((part, 4, 4))) if question == "batch_out" else stack
        return Task(method, [argument], scale=count / part)


def _single_calls(task: Task, setup: Callable[[], Any], clock: Callable[[], float]) -> float:
    """Mean of calls that each need a setup of their own, which is not timed."""
    total = 0.0
    for _ in range(task.passes):
        argument = setup()
        start = clock()
        task.function(argument)
        total += clock() - start
    return total / task.passes


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))


def main(descriptor: int, library: str) -> None:
    """Answer messages until the other side hangs up."""
    _limit_memory()
    connection = Connection(descriptor)
    try:
        desk = Desk(library)
        connection.send(("ok", desk.versions()))
    except ImportError as missing:
        connection.send(("failed", str(missing)))
        return
    while True:
        try:
            name, arguments = connection.recv()
        except (EOFError, OSError):
            return
        try:
            connection.send(("ok", getattr(desk, name)(*arguments)))
        except NotImplementedError as reason:
            connection.send(("absent", str(reason)))
        except Exception as error:  # a library may fail in any way of its own
            connection.send(("failed", f"{type(error).__name__}: {error}"[:200]))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
