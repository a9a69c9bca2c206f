"""Clients of others that drive simulated robots of ours, several pairs at a time.

A test names its drive as its parameter `drive` and gets what came of it as the fixture `driven`.
All drives of a module begin with its first test, `AT_ONCE` at a time: in each the robot waits for
its client, so that none of them minds the others.
"""

import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fer_library import build_fer_library
from robot_addresses import fresh_address
from third_party import tell

from kinegraph.robot.sim import SimulatedRobot

__all__ = ["Drive", "Driven", "driven", "drives", "of"]

AT_ONCE = 4


@dataclass(frozen=True)
class Driven:
    """What came of a drive.

    Attributes:
        said: What the client said.
        counters: What the robot counted.
    """

    said: dict[str, Any]
    counters: dict[str, int]


@dataclass(frozen=True)
class Drive:
    """One task of a client on a robot of its own.

    Attributes:
        group: Environment of the client.
        script: The client's script.
        task: Its arguments.
        fci: Version that the robot speaks.
        enforce: Whether the robot ends a motion that breaks a rule.
        lockstep_s: How long it waits for each command.
        q: Its joint positions at the start, rad; empty for its usual ones.
        inject: What happens in the first motion, and after how many seconds.
        library: Whether it has a model library to hand out.
        holding: Width of what is between the fingers of its hand, m; None: it has no hand.
    """

    group: str
    script: str
    task: tuple[str, ...]
    fci: int = 10
    enforce: bool = True
    lockstep_s: float = 5.0
    q: tuple[float, ...] = ()
    inject: tuple[str, float] | None = None
    library: bool = False
    holding: float | None = None

    def __str__(self) -> str:
        return "-".join((*self.task, str(self.fci), *(["counting"] * (not self.enforce))))

    def run(self) -> Driven:
        """Let the client do its task to the end."""
        settings: dict[str, Any] = {"q": self.q} if self.q else {}
        if self.holding is not None:
            settings |= {"hand": True, "hand_object_width": self.holding}
        if self.library:
            with tempfile.TemporaryDirectory() as folder:
                settings["model_library"] = build_fer_library(Path(folder))
        with SimulatedRobot(
            fresh_address(),
            fci=self.fci,
            enforce=self.enforce,
            lockstep_s=self.lockstep_s,
            **settings,
        ) as robot:
            if self.inject is not None:
                robot.inject(*self.inject)
            said = tell(self.group, self.script, robot.address[0], *self.task)
            return Driven(said, robot.counters)


def of(*drives: Drive) -> pytest.MarkDecorator:
    """Run a test once for each drive."""
    return pytest.mark.parametrize("drive", drives, ids=str)


@pytest.fixture(scope="module")
def drives(request: pytest.FixtureRequest) -> Iterator[dict[Drive, "Future[Driven]"]]:
    """Start every drive that the selected tests of this module ask for."""
    wanted: dict[Drive, Future[Driven]] = {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for item in request.session.items:
            parameters = getattr(item, "callspec", None)
            if item.path == request.path and parameters and "drive" in parameters.params:
                drive = parameters.params["drive"]
                if drive not in wanted:
                    wanted[drive] = pool.submit(drive.run)
        yield wanted
        for future in wanted.values():
            future.cancel()


@pytest.fixture
def driven(drive: Drive, drives: dict[Drive, "Future[Driven]"]) -> Driven:
    """What came of the test's drive."""
    return drives[drive].result()
