"""A real libfranka 0.21.3 (pylibfranka): `pylibfranka_client.py HOST TASK [ARGUMENT ...]`."""

import itertools
import time
from typing import Any

import pylibfranka as p
from telling import HOST, JOINT_STEP, PATH_M, flags, later, main, say, smooth, smooth_rate

MODES = {name: getattr(p.ControllerMode, name) for name in ("JointImpedance", "CartesianImpedance")}


def connect() -> Any:
    return p.Robot(HOST, p.RealtimeConfig.kIgnore)


def fresh(robot: Any) -> Any:
    """Newest state, past what waited in the socket's buffer."""
    for _ in range(199):
        robot.read_once()
    return robot.read_once()


def mode(state: Any) -> str:
    return str(state.robot_mode).rsplit(".", maxsplit=1)[-1]


def starter(robot: Any, generator: str, controller: str) -> Any:
    names = {
        "JointPositions": "start_joint_position_control",
        "JointVelocities": "start_joint_velocity_control",
        "CartesianPose": "start_cartesian_pose_control",
        "CartesianVelocities": "start_cartesian_velocity_control",
    }
    return getattr(robot, names[generator])(MODES[controller])


def on_the_way(generator: str, t: float, begin: Any, sign: float = 1.0) -> Any:
    """Command of a smooth motion of one second: a step of all joints, or 3 cm along x."""
    way, speed = sign * smooth(t), sign * smooth_rate(t)
    if generator == "JointPositions":
        goal = zip(begin.q_d, JOINT_STEP, strict=True)
        return p.JointPositions([q + step * way for q, step in goal])
    if generator == "JointVelocities":
        return p.JointVelocities([step * speed for step in JOINT_STEP])
    if generator == "CartesianPose":
        pose = list(begin.O_T_EE_c)
        pose[12] += PATH_M * way
        return p.CartesianPose(pose)
    return p.CartesianVelocities([PATH_M * speed, 0.0, 0.0, 0.0, 0.0, 0.0])


def drive(
    robot: Any,
    generator: str,
    controller: str,
    sign: float = 1.0,
    rates: list[float] | None = None,
) -> Any:
    """Go to the target of a generator; returns the states before and after."""
    control = starter(robot, generator, controller)
    begin, _ = control.readOnce()
    t = 0.0
    while t < 1.3:
        command = on_the_way(generator, t, begin, sign)
        control.writeOnce(command)
        state, step = control.readOnce()
        t += step.to_sec()
        if rates is not None:
            rates.append(state.control_command_success_rate)
    command = on_the_way(generator, 1.0, begin, sign)
    command.motion_finished = True
    control.writeOnce(command)
    return begin, fresh(robot)


def settled(rates: list[float]) -> float:
    """Mean success rate once its window of 100 cycles is full."""
    return sum(rates[100:]) / len(rates[100:])


def lands(generator: str, controller: str, sign: str = "1") -> None:
    rates: list[float] = []
    begin, end = drive(connect(), generator, controller, float(sign), rates)
    say(begin={"q": begin.q, "O_T_EE": begin.O_T_EE}, end={"q": end.q, "O_T_EE": end.O_T_EE})
    say(mode=mode(end), errors=flags(end.last_motion_errors), rate=settled(rates))


def torques(sign: str = "1") -> None:
    """Springs pull the joints to a target that moves; libfranka's own model adds Coriolis."""
    robot = connect()
    model = robot.load_model()
    control = robot.start_torque_control()
    state, _ = control.readOnce()
    begin, t, rates = list(state.q), 0.0, list[float]()
    stiffness, damping = (600.0,) * 4 + (250.0, 150.0, 100.0), (50.0,) * 3 + (20.0, 10.0, 10.0, 5.0)
    while t < 2.0:
        way = float(sign) * smooth(t)
        goal = [q + s * way for q, s in zip(begin, JOINT_STEP, strict=True)]
        rows = zip(stiffness, goal, state.q, damping, state.dq, model.coriolis(state), strict=True)
        control.writeOnce(p.Torques([k * (g - q) - d * v + c for k, g, q, d, v, c in rows]))
        state, step = control.readOnce()
        t += step.to_sec()
        rates.append(state.control_command_success_rate)
    last = p.Torques([0.0] * 7)
    last.motion_finished = True
    control.writeOnce(last)
    say(begin={"q": begin}, end={"q": state.q}, rate=settled(rates))
    state = fresh(robot)
    say(mode=mode(state), errors=flags(state.last_motion_errors))


def asynchronous() -> None:
    """Targets that the robot plans to by itself; the second while it is on its way to the first."""
    robot = connect()
    begin = list(robot.read_once().q)
    handler_type: Any = p.AsyncPositionControlHandler
    configured = handler_type.configure(robot, handler_type.Configuration([1.0] * 7, 0.002))
    handler = configured.handler
    taken, statuses = [], []
    for share in (2.0, 1.0):
        goal = [q + share * step for q, step in zip(begin, JOINT_STEP, strict=True)]
        taken.append(handler.set_joint_position_target(handler_type.JointPositionTarget(goal)))
        for _ in range(50):
            statuses.append(str(handler.get_target_feedback().status))
    for _ in range(2000):
        statuses.append(str(handler.get_target_feedback().status))
        if statuses[-1].endswith("Reached"):
            break
    handler.stop_control()
    say(taken=[result.was_successful for result in taken])
    say(statuses=sorted({name.rsplit(".", maxsplit=1)[-1] for name in statuses}))
    state = fresh(robot)
    say(begin={"q": begin}, end={"q": state.q}, errors=flags(state.last_motion_errors))
    say(mode=mode(state))


def stops() -> None:
    """Another thread stops a motion; reading and moving go on afterwards."""
    robot = connect()
    text = ""
    control = starter(robot, "JointPositions", "JointImpedance")
    begin, _ = control.readOnce()
    other = later(robot.stop)
    try:
        for _ in range(20000):
            control.writeOnce(p.JointPositions(list(begin.q_d)))
            control.readOnce()
    except p.ControlException as problem:
        text = str(problem)
    other.join()
    del control
    robot.stop()  # once more, with nothing that moves
    say(text=text, after=mode(fresh(robot)))
    _, end = drive(robot, "JointPositions", "JointImpedance")
    say(end={"q": end.q}, begin={"q": begin.q})


# What breaks a rule: generator and the commands that do it, counted in cycles.
def joint_jump(begin: Any, k: int) -> Any:
    return p.JointPositions([q + 0.3 * (i == 3 and k > 10) for i, q in enumerate(begin.q_d)])


def joint_step(begin: Any, k: int) -> Any:
    return p.JointPositions([q + 0.05 * (i == 3 and k > 10) for i, q in enumerate(begin.q_d)])


def joint_start(begin: Any, k: int) -> Any:
    return p.JointPositions([q + 0.2 * (i == 3) for i, q in enumerate(begin.q_d)])


def joint_envelope(begin: Any, k: int) -> Any:
    """At 1 rad/s to where joint 7 has to be slower."""
    t = min(1e-3 * k, 1.0)
    way = t**4 * (2.5 + t * (t - 3.0)) + max(0.0, 1e-3 * k - 1.0)
    return p.JointPositions([q + way * (i == 6) for i, q in enumerate(begin.q_d)])


def velocity_step(begin: Any, k: int) -> Any:
    return p.JointVelocities([0.0] * 6 + [0.5 * (k > 10)])


def pose_step(begin: Any, k: int) -> Any:
    pose = list(begin.O_T_EE_c)
    pose[12] += 0.01 * (k > 10)
    return p.CartesianPose(pose)


def pose_start(begin: Any, k: int) -> Any:
    pose = list(begin.O_T_EE_c)
    pose[12] += 0.1
    return p.CartesianPose(pose)


def twist_step(begin: Any, k: int) -> Any:
    return p.CartesianVelocities([0.025 * (k > 10)] + [0.0] * 5)


def torque_step(begin: Any, k: int) -> Any:
    return p.Torques([0.0] * 6 + [10.0 * (k > 10)])


def silence(begin: Any, k: int) -> Any:
    if k == 11:
        time.sleep(1.5)
    return p.JointPositions(list(begin.q_d))


REFLEXES = {
    "silence": ("JointPositions", silence),
    "joint_jump": ("JointPositions", joint_jump),
    "joint_step": ("JointPositions", joint_step),
    "joint_start": ("JointPositions", joint_start),
    "joint_envelope": ("JointPositions", joint_envelope),
    "velocity_step": ("JointVelocities", velocity_step),
    "pose_step": ("CartesianPose", pose_step),
    "pose_start": ("CartesianPose", pose_start),
    "twist_step": ("CartesianVelocities", twist_step),
    "torque_step": ("Torques", torque_step),
}


def breaks(name: str, count: str = "200") -> Any:
    """Break a rule and see what becomes of it; returns the robot."""
    robot = connect()
    generator, command = REFLEXES[name]
    control = (
        robot.start_torque_control()
        if generator == "Torques"
        else starter(robot, generator, "JointImpedance")
    )
    begin, _ = control.readOnce()
    state, text, cycles = begin, "", 0
    try:
        for cycles in range(int(count)):
            control.writeOnce(command(begin, cycles))
            state, _ = control.readOnce()
    except p.ControlException as problem:
        text = str(problem)
        state = fresh(robot)
    say(text=text, cycles=cycles, mode=mode(state), errors=flags(state.current_errors))
    return robot


def reflex(name: str) -> None:
    """Break a rule; then no motion before recovery, and one after it."""
    robot, refused = breaks(name, "2000"), ""
    try:
        starter(robot, "JointPositions", "JointImpedance")
    except p.CommandException as problem:
        refused = str(problem)
    robot.automatic_error_recovery()
    state = fresh(robot)
    say(refused=refused, recovered=mode(state), cleared=flags(state.current_errors))
    begin, end = drive(robot, "CartesianPose", "CartesianImpedance")
    say(begin={"O_T_EE": begin.O_T_EE}, end={"O_T_EE": end.O_T_EE}, after=mode(end))


def unending() -> None:
    """Move on and on until somebody ends this process."""
    robot = connect()
    control = starter(robot, "JointVelocities", "JointImpedance")
    control.readOnce()
    for k in itertools.count():
        control.writeOnce(p.JointVelocities([0.0] * 6 + [0.2 * smooth(1e-3 * k)]))
        control.readOnce()
        if k == 300:
            say(moving=True)


if __name__ == "__main__":
    tasks = (lands, torques, asynchronous, stops, breaks, reflex, unending)
    main({task.__name__: task for task in tasks})
