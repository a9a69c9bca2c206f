"""franka-rs, both protocol versions: `franka_rs_client.py HOST TASK [ARGUMENT ...]`."""

import itertools
import time
from collections.abc import Callable
from typing import Any

import franka
import numpy as np
from telling import HOST, JOINT_STEP, PATH_M, later, main, refusals, say

SETTLED = 1e-4  # rad/s and m/s, at which a target counts as reached


def connect() -> Any:
    return franka.Robot(HOST, realtime="ignore")


def mode(state: Any) -> str:
    return str(state.robot_mode).lower()


def fresh(robot: Any) -> Any:
    """Newest state, past what waited in the socket's buffer."""
    for _ in range(199):
        robot.read_once()
    return robot.read_once()


def shown(state: Any) -> dict[str, Any]:
    """Positions, and the pose in columns as the others have it."""
    return {"q": state.q.tolist(), "O_T_EE": np.asarray(state.O_T_EE).T.ravel().tolist()}


def rest(arm: Any, limit_s: float = 60.0, begin_s: float = 0.3) -> Any:
    """Wait by the robot's clock until nothing has moved for 0.2 s; returns the state."""
    end = time.monotonic() + limit_s
    state = after(arm, begin_s)
    moved = state.time
    while state.time < moved + 0.2 and time.monotonic() < end and arm.running:
        time.sleep(0.01)
        state = arm.state()
        if np.abs(state.dq).max() >= SETTLED:
            moved = state.time
    return state


def handshake() -> None:
    robot = connect()
    say(fci=robot.fci_version, server=robot.server_version, address=robot.address)
    say(mode=mode(robot.read_once()))


def calls() -> None:
    """Everything that is not a motion: good values are taken, bad ones refused."""
    robot = connect()
    seven, six = [20.0] * 7, [30.0] * 6
    robot.set_collision_behavior_simple(seven, seven, six, six)
    robot.set_collision_behavior(seven, seven, seven, seven, six, six, six, six)
    robot.set_joint_impedance([3000.0] * 7)
    robot.set_cartesian_impedance([2000.0] * 3 + [100.0] * 3)
    bad: dict[str, Callable[[], Any]] = {
        "joint": lambda: robot.set_joint_impedance([-1.0] * 7),
        "cartesian": lambda: robot.set_cartesian_impedance([0.0] * 6),
        "collision": lambda: robot.set_collision_behavior_simple(seven, [10.0] * 7, six, six),
    }
    say(refused=refusals(bad, Exception))
    robot.stop()
    robot.automatic_error_recovery()
    state = fresh(robot)
    say(mode=mode(state), flat=len(np.ravel(state.flat())))
    own = robot.model()
    q, dq, pose = state.q, state.dq, np.asarray(state.O_T_EE)
    ours = own.pose("ee", q, state.F_T_EE)
    say(pose_error=float(np.abs(ours - pose).max()), gravity=own.gravity(q).tolist())
    say(mass=np.asarray(own.mass(q)).tolist(), coriolis=own.coriolis(q, dq).tolist())
    say(jacobian=np.asarray(own.zero_jacobian("flange", q)).tolist(), q=q.tolist())
    fresh(robot)
    times = [robot.read_once().time for _ in range(100)]
    say(steps=[1e3 * (b - a) for a, b in itertools.pairwise(times)])


def joints(backend: str) -> None:
    robot = connect()
    begin = fresh(robot)
    with robot.joint_targets(fraction=0.2, backend=backend) as arm:
        arm.move_by(JOINT_STEP)
        end = rest(arm)
        goal = arm.target()
    say(begin=shown(begin), end=shown(end), goal=goal.tolist(), mode=mode(fresh(robot)))


def cartesian(backend: str) -> None:
    robot = connect()
    begin = fresh(robot)
    with robot.cartesian_targets(backend=backend) as arm:
        arm.move_by([PATH_M, 0.0, 0.0])
        end = rest(arm)
        pose = arm.target_pose()
    say(begin=shown(begin), end=shown(end), mode=mode(fresh(robot)))
    say(target=np.asarray(pose).T.ravel().tolist())


def after(arm: Any, duration_s: float) -> Any:
    """State that much later by the robot's clock."""
    end = arm.state().time + duration_s
    while arm.state().time < end and arm.running:
        time.sleep(0.01)
    return arm.state()


def steps(backend: str) -> None:
    """Three centimetres; where the arm is three seconds later, by the model and not by O_T_EE."""
    robot = connect()
    model = robot.model()
    with robot.cartesian_targets(backend=backend) as arm:
        begin = after(arm, 0.5)
        arm.move_by([PATH_M, 0.0, 0.0])
        end = after(arm, 3.0)
    places = [model.pose("ee", state.q, state.F_T_EE)[:3, 3] for state in (begin, end)]
    say(moved=(places[1] - places[0]).tolist())


def follows(backend: str) -> None:
    """Fifty poses on a circle of 4 cm, one every 20 ms; it ends on the last of them."""
    robot = connect()
    begin = fresh(robot)
    with robot.cartesian_targets(backend=backend) as arm:
        angles = 2.0 * np.pi * np.arange(1, 51) / 50.0
        circle = 0.04 * np.stack([np.cos(angles) - 1.0, np.sin(angles), 0.0 * angles], axis=1)
        circle[-1] = [PATH_M, 0.0, 0.0]
        arm.follow(arm.target()[:3] + circle, dt=0.02)
        end = rest(arm, begin_s=1.1)
    say(begin=shown(begin), end=shown(end), mode=mode(fresh(robot)))


def stops() -> None:
    """Another thread stops a target loop; a new one runs on the same connection."""
    robot, text = connect(), ""
    arm = robot.joint_targets(fraction=0.2, backend="robot")
    other = later(robot.stop)
    try:
        with arm:
            other.join()
            time.sleep(0.3)
    except franka.FrankaError as problem:
        text = str(problem)
    say(text=text, running=arm.running, after=mode(fresh(robot)))
    begin = fresh(robot)
    with robot.joint_targets(fraction=0.2, backend="robot") as arm:
        arm.move_by(JOINT_STEP)
        end = rest(arm)
    say(begin=shown(begin), end=shown(end))


def reflex() -> None:
    """The robot ends the motion by itself; recovery, then a new one on the same connection."""
    robot, text = connect(), ""
    begin = fresh(robot)
    try:
        with robot.cartesian_targets(backend="robot") as arm:
            for _ in range(300):
                time.sleep(0.01)
                if not arm.running:
                    break
    except franka.FrankaError as problem:
        text = str(problem)
    state = fresh(robot)
    say(text=text, mode=mode(state), errors=list(state.current_errors))
    said = refusals({"refused": lambda: robot.joint_targets(backend="robot").stop()}, Exception)
    robot.automatic_error_recovery()
    state = fresh(robot)
    say(recovered=mode(state), cleared=list(state.current_errors), **said)
    begin = fresh(robot)
    with robot.cartesian_targets(backend="impedance") as arm:
        arm.move_by([PATH_M, 0.0, 0.0])
        end = rest(arm)
    say(begin=shown(begin), end=shown(end), after=mode(fresh(robot)))


if __name__ == "__main__":
    main(
        {
            "handshake": handshake,
            "calls": calls,
            "joints": joints,
            "cartesian": cartesian,
            "steps": steps,
            "follows": follows,
            "stops": stops,
            "reflex": reflex,
        }
    )
