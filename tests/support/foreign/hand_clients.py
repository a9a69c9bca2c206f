"""The hand driven by clients of others: `hand_clients.py HOST TASK`.

Runs in the virtual environments of the third-party programs: nothing of kinegraph is imported.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from telling import HOST, main, say

STOP_AFTER_S, MOVING_M = 0.5, 1e-3


def shown(state: Any) -> dict[str, Any]:
    """A client's state as plain values."""
    names = ("width", "max_width", "is_grasped", "temperature")
    return {name: getattr(state, name) for name in names}


def every_call(gripper: Any, state: Any) -> None:
    """Home, move, grasp what is there and what is not, stop."""
    say(before=shown(state()))
    say(homing=gripper.homing(), homed=shown(state()))
    say(move=gripper.move(0.06, 0.1), moved=shown(state()))
    say(grasp=gripper.grasp(0.042, 0.1, 20.0), grasped=shown(state()))
    say(open=gripper.move(0.08, 0.1), opened=shown(state()))
    say(miss=gripper.grasp(0.02, 0.1, 20.0), missed=shown(state()))
    say(band=gripper.grasp(0.02, 0.1, 20.0, 0.005, 0.03), banded=shown(state()))
    say(idle_stop=gripper.stop())


def refusals(gripper: Any) -> None:
    """What the hand cannot do."""
    texts = {}
    calls: dict[str, Callable[[], Any]] = {
        "wide": lambda: gripper.move(0.2, 0.1),
        "still": lambda: gripper.move(0.05, 0.0),
        "weak": lambda: gripper.grasp(0.05, 0.1, -1.0),
    }
    for name, call in calls.items():
        try:
            call()
        except Exception as problem:  # each client has a class of its own
            texts[name] = str(problem)
    say(refused=texts)


def stopped(gripper: Any, state: Any, client: str) -> None:
    """A slow move that another process stops: pylibfranka holds the interpreter during a move."""
    gripper.move(0.08, 0.1)
    command = [sys.executable, __file__, HOST, "stop_later", client]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        other.stdout.readline()  # it is connected
        text = ""
        try:
            gripper.move(0.0, 0.02)
        except Exception as problem:  # each client has a class of its own
            text = str(problem)
        say(aborted=text, left=shown(state()), **json.loads(other.stdout.readline()))


def stop_later(client: str) -> None:
    """Stop the hand half a second after another client has begun to move it."""
    gripper, state = CLIENTS[client]()
    say(connected=True)
    begin = state().width
    while abs(state().width - begin) < MOVING_M:
        time.sleep(0.002)
    time.sleep(STOP_AFTER_S)
    before = time.monotonic()
    answer = gripper.stop()
    say(stop_s=time.monotonic() - before, stop=answer)


def pylibfranka_gripper() -> tuple[Any, Any]:
    import pylibfranka

    gripper = pylibfranka.Gripper(HOST)
    return gripper, gripper.read_once


def franky_gripper() -> tuple[Any, Any]:
    import franky

    gripper = franky.Gripper(HOST)
    return gripper, lambda: gripper.state


def franka_rs_gripper() -> tuple[Any, Any]:
    import franka

    gripper = franka.Gripper(HOST)
    return gripper, gripper.read_once


CLIENTS = {
    "pylibfranka": pylibfranka_gripper,
    "franky": franky_gripper,
    "franka-rs": franka_rs_gripper,
}


def run(client: str) -> None:
    """Everything with one client."""
    gripper, state = CLIENTS[client]()
    every_call(gripper, state)
    refusals(gripper)
    stopped(gripper, state, client)


def arm_and_hand() -> None:
    """libfranka's robot, its model and its gripper at the same time."""
    import pylibfranka

    robot = pylibfranka.Robot(HOST, pylibfranka.RealtimeConfig.kIgnore)
    gripper = pylibfranka.Gripper(HOST)
    model, begin = robot.load_model(), robot.read_once()
    say(moved=gripper.move(0.03, 0.1), width=gripper.read_once().width)
    state = robot.read_once()
    say(
        q=list(begin.q),
        m_ee=state.m_ee,
        F_T_EE=list(state.F_T_EE),
        O_T_EE=list(state.O_T_EE),
        gravity=list(model.gravity(begin)),
        mass=list(model.mass(begin)),
        waited=state.time.to_sec() > begin.time.to_sec(),
    )


if __name__ == "__main__":
    main({"run": run, "stop_later": stop_later, "arm_and_hand": arm_and_hand})
