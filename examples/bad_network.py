"""A torque loop over a bad network: what the client makes of it, and what a relay measures."""

import logging

import numba
import numpy as np
import numpy.typing as npt

from kinegraph.robot import CompiledTorques, ControlError, Robot, SimulatedRobot
from kinegraph.robot.testing import Burst, DatagramFaults, Faults, Relay
from kinegraph.robot.wire.state_layout import S_dq

SIMULATOR, RELAY = "127.0.0.83", "127.0.0.84"
BAD = DatagramFaults(drop=0.05, dup=0.05, reorder=0.05, trunc=0.02)
CUT = Faults(bursts=(Burst(at=0.1, count=10_000, direction="commands"),))


@numba.njit
def damp(state: npt.NDArray[np.float64], period_s: float, torques: npt.NDArray[np.float64]) -> int:
    """Brake every joint a little."""
    for i in range(7):
        torques[i] = -2.0 * state[S_dq + i]
    return 0


def run(faults: Faults, cycles: int) -> None:
    """Run the loop behind a relay, print what both sides saw."""
    with (
        # The clock waits for commands a little, so that only the relay loses any.
        SimulatedRobot(SIMULATOR, lockstep_s=0.02) as simulated,
        Relay(RELAY, SIMULATOR, faults=faults, seed=1) as relay,
        Robot(RELAY) as robot,
    ):
        session = robot.start_session(CompiledTorques(damp))
        try:
            while session.cycle_count < cycles and session.is_running:
                session.wait(0.05)
            session.stop()
            print("the motion came to its end")
        except ControlError as error:
            print("the motion was aborted:", str(error).splitlines()[0])
        counters = robot.counters
        print(f"client: {counters.lost} states lost, {counters.stale} late or twice", end="")
        print(f", {counters.short} too short")
        figures = relay.figures()
        print("relay: states", {k: v for k, v in figures["counters"]["states"].items() if v})
        print("relay: motions", figures["motions"])
        print(f"robot: {simulated.counters['worst_lost_in_row']} commands lost in a row at most")


def main() -> None:
    # What is dropped is logged as a warning; the counters say the same here.
    logging.getLogger("kinegraph.robot").setLevel(logging.ERROR)
    run(Faults.both_ways(BAD), cycles=300)
    run(CUT, cycles=10_000)


if __name__ == "__main__":
    main()
