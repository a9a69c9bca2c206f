"""A client, a relay and a simulated robot whose clock ticks when the client has done its part.

So that what is lost is what the relay loses, to the datagram, on a machine of any load.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from robot_addresses import fresh_address
from waiting_for import wait_until

from kinegraph.robot.robot import Robot
from kinegraph.robot.sim.robot import SimulatedRobot
from kinegraph.robot.testing import Faults, Relay
from kinegraph.robot.wire.state_layout import S_robot_mode, S_time

MOVE = 2.0
PATIENCE_S, SHORT_S = 5.0, 0.1
LOST = ("dropped", "burst", "frozen", "unsent")


class SteppedNetwork:
    """Steps the robot from a thread, one state at a time.

    After each state it waits until the relay has the client's command and has lost it or handed it
    on; not for states that were lost, nor for a client that has gone silent.

    Attributes:
        before_state: Called before each state, while the clock stands.
    """

    def __init__(self, sim: SimulatedRobot, relay: Relay) -> None:
        self.sim, self.relay = sim, relay
        self.before_state: Callable[[], None] = lambda: None
        self._actions: deque[Callable[[], None]] = deque()
        self._stop = threading.Event()
        self._first, self._patience_s = True, PATIENCE_S
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.failure: BaseException | None = None
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(4.0 * PATIENCE_S)
        if self.failure is not None:
            raise self.failure

    def between(self, action: Callable[[], None]) -> None:
        """Do something between two states; returns when it is done."""
        done = threading.Event()

        def run() -> None:
            action()
            done.set()

        self._actions.append(run)
        assert done.wait(PATIENCE_S * 4.0), "the clock stands"

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                while self._actions:
                    self._actions.popleft()()
                self.before_state()
                self._tick()
        except BaseException as problem:
            self.failure = problem

    def _tick(self) -> None:
        if not self.sim.has_client:
            self.sim.step()
            time.sleep(1e-3)
            return
        before = self.relay.counters
        sent = self.sim.counters["states_sent"]
        self.sim.step()
        if self.sim.counters["states_sent"] == sent:
            return
        self._wait(lambda: self._settled("states", before), 1.0)
        after = self.relay.counters["states"]
        lost = after["forwarded"] == before["states"]["forwarded"]
        moving = self.sim.state[S_robot_mode] == MOVE
        if not moving:
            self._first = True
        if lost or not moving:
            time.sleep(2e-4)
            return
        if self._first:  # which a client need not answer
            self._first, self._patience_s = False, PATIENCE_S
            self._wait(self._is_answered, SHORT_S)
            return
        answered = self._wait(self._is_answered, self._patience_s)
        self._patience_s = PATIENCE_S if answered else SHORT_S  # it may have ended

    def _is_answered(self) -> bool:
        """Whether the command for the newest state has come and is lost or handed on."""
        ids, now = self.relay._ledger.commands.id, self.relay.counters["commands"]
        newest = len(ids) > 0 and ids[-1] == self.sim.state[S_time]
        return bool(newest and now["forwarded"] + sum(now[name] for name in LOST) >= len(ids))

    def _settled(self, direction: Any, before: Any) -> bool:
        now = self.relay.counters[direction]
        gone = now["forwarded"] + sum(now[name] for name in LOST)
        return bool(now["received"] > before[direction]["received"] and gone >= now["received"])

    def _wait(self, condition: Callable[[], bool], limit_s: float) -> bool:
        deadline = time.monotonic() + limit_s
        while not condition():
            if time.monotonic() > deadline or self._stop.is_set():
                return False
            time.sleep(5e-5)
        return True


@contextmanager
def stepped_network(
    faults: Faults | None = None, **options: Any
) -> Iterator[tuple[SteppedNetwork, Robot]]:
    """A client whose robot is stepped; the options are those of the simulated robot."""
    with (
        SimulatedRobot(fresh_address(), realtime=False, **options) as sim,
        Relay(fresh_address(), sim.address[0], faults=faults) as relay,
    ):
        network = SteppedNetwork(sim, relay)
        try:
            with Robot(relay.address[0], version=sim.fci_version) as robot:
                yield network, robot
        finally:
            network.close()


def after_cycles(session: Any, count: int) -> None:
    """Wait until a motion has run so many more cycles."""
    until = session.cycle_count + count
    wait_until(lambda: session.cycle_count >= until or not session.is_running)
