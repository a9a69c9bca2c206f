"""The hand by each client: `gripper_client.py HOST pylibfranka|franka_rs|panda|franky`."""

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from telling import HOST, say

# The fingers hold something that is this wide.
OBJECT_M = 0.03


def connect(library: str) -> Any:
    if library == "pylibfranka":
        import pylibfranka

        return pylibfranka.Gripper(HOST)
    if library == "franka_rs":
        import franka

        return franka.Robot(HOST, realtime="ignore").gripper()
    if library == "franky":
        import franky

        return franky.Gripper(HOST)
    from panda_py import libfranka

    return libfranka.Gripper(HOST)


def stopper(library: str, hand: Any) -> Any:
    """Who stops the hand: franka-rs lets a stop wait for the move on the same connection."""
    if library != "franka_rs":
        return hand
    import franka

    return franka.Gripper(HOST)


def state(hand: Any) -> dict[str, Any]:
    """Newest state: past what waited in the socket's buffer."""
    seen = None
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        seen = hand.state if hasattr(hand, "state") else hand.read_once()
    assert seen is not None
    return {"width": seen.width, "max_width": seen.max_width, "is_grasped": seen.is_grasped}


def told(call: Callable[[], Any]) -> str:
    """How a call ended: `True`, `False`, or the text of what it raised."""
    try:
        done = call()
        return str(True if done is None else done)
    except Exception as problem:
        return str(problem)


def value(member: Any) -> Any:
    return member() if callable(member) else member


hand = connect(sys.argv[2])
say(version=value(hand.server_version), homing=told(hand.homing), homed=state(hand))
say(move=told(lambda: hand.move(0.06, 0.1)), moved=state(hand))
say(held=told(lambda: hand.grasp(OBJECT_M, 0.1, 20.0)), holding=state(hand))
say(opened=told(lambda: hand.move(0.08, 0.1)), open=state(hand))
say(missed=told(lambda: hand.grasp(0.06, 0.1, 20.0)))  # it is not that wide
hand.move(0.08, 0.1)
over, stopping = threading.Event(), stopper(sys.argv[2], hand)


def keep_stopping() -> None:
    """Stop until the move has ended: on a busy machine it may begin after the first stop."""
    while not over.wait(0.5):
        stopping.stop()


other = threading.Thread(target=keep_stopping)
other.start()
begun = time.monotonic()
say(stopped=told(lambda: hand.move(0.04, 0.01)), after_s=time.monotonic() - begun)
over.set()
other.join()
say(between=state(hand))
