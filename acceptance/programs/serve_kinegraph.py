"""Serve our simulated robot: `serve_kinegraph.py HOST FIFO [friction]`, until SIGTERM.

As `kinegraph sim`, and SIGUSR1 pushes the arm for a second. Limits are not enforced, so that what a
client loses is measured instead of ending its motion.
"""

import signal
import sys
import threading

from kinegraph.robot import SimulatedRobot

HOST, FIFO = sys.argv[1], int(sys.argv[2])
PUSH_N, PUSH_S = 10.0, 1.0


def main() -> None:
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    pushed = threading.Event()
    signal.signal(signal.SIGUSR1, lambda *_: pushed.set())
    friction = "friction" in sys.argv[3:]
    with SimulatedRobot(HOST, friction=friction, enforce=False, priority=FIFO or None) as robot:
        sys.stdout.write("serving FCI\n")
        sys.stdout.flush()
        while not ended.is_set():
            if pushed.wait(0.002):
                pushed.clear()
                robot.apply_wrench([PUSH_N, 0.0, 0.0, 0.0, 0.0, 0.0])
                ended.wait(PUSH_S)
                robot.apply_wrench([0.0] * 6)


if __name__ == "__main__":
    main()
