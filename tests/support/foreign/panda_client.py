"""A real libfranka 0.9.2 (panda-python): `panda_client.py HOST TASK [ARGUMENT ...]`."""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import panda_py
import panda_py.controllers
from panda_py import libfranka as f
from telling import (
    HOST,
    JOINT_STEP,
    PATH_M,
    flags,
    later,
    main,
    refusals,
    say,
    smooth,
    smooth_rate,
)

MODES = {
    "JointImpedance": f.ControllerMode.kJointImpedance,
    "CartesianImpedance": f.ControllerMode.kCartesianImpedance,
}
LOOPS = {
    "JointPositions": "joint_position",
    "JointVelocities": "joint_velocity",
    "CartesianPose": "cartesian_pose",
    "CartesianVelocities": "cartesian_velocity",
}
# The low-pass filter of the loop lags behind: the target is held for that long.
MOVE_S, ALL_S = 1.0, 1.3
TURN = [0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.01, 0.02, 0.1, 1.0]


def connect() -> Any:
    return f.Robot(HOST, f.RealtimeConfig.kIgnore)


def fresh(robot: Any) -> Any:
    """Newest state, past what waited in the socket's buffer."""
    for _ in range(199):
        robot.read_once()
    return robot.read_once()


def mode(state: Any) -> str:
    return str(state.robot_mode).rsplit(".", maxsplit=1)[-1]


class Way:
    """A callback that goes a smooth way in one second and then says that it has finished.

    Attributes:
        begin: The first state that it saw.
    """

    def __init__(self, kind: str, last: bool = True) -> None:
        self.kind, self.last = kind, last
        self.t, self.begin, self.cycles = 0.0, None, 0

    def __call__(self, state: Any, period: Any) -> Any:
        if self.begin is None:
            self.begin = state
        self.t += period.to_sec()
        self.cycles += 1
        command = self.command(state)
        command.motion_finished = self.last and self.t >= ALL_S * (1 + (self.kind == "Torques"))
        return command

    def command(self, state: Any) -> Any:
        begin: Any = self.begin
        t = self.t
        if self.kind == "JointPositions":
            goal = zip(begin.q_d, JOINT_STEP, strict=True)
            return f.JointPositions([q + step * smooth(t) for q, step in goal])
        if self.kind == "JointVelocities":
            return f.JointVelocities([step * smooth_rate(t) for step in JOINT_STEP])
        if self.kind == "CartesianPose":
            pose = list(begin.O_T_EE_c)
            pose[12] += PATH_M * smooth(t)
            return f.CartesianPose(pose)
        if self.kind == "CartesianVelocities":
            return f.CartesianVelocities([PATH_M * smooth_rate(t)] + [0.0] * 5)
        return f.Torques(self.springs(state))

    def springs(self, state: Any) -> list[float]:
        """Springs to a way of the joints of their own, or to where a generator wants them."""
        begin: Any = self.begin
        goal = (
            [q + step * smooth(self.t) for q, step in zip(begin.q, JOINT_STEP, strict=True)]
            if self.kind == "Torques"
            else state.q_d
        )
        stiffness = (600.0,) * 4 + (250.0, 150.0, 100.0)
        damping = (50.0,) * 3 + (20.0, 10.0, 10.0, 5.0)
        rows = zip(stiffness, goal, state.q, damping, state.dq, strict=True)
        return [k * (g - q) - d * v for k, g, q, d, v in rows]


def run(robot: Any, kind: str, controller: str = "", limited: bool = True) -> Any:
    """Let libfranka's own loop do a motion; returns the states before and after."""
    way = Way(kind)
    if kind == "Torques":
        robot.control(way, limited, 100.0)
    elif controller == "External":
        follow = Way("Follow", last=False)
        getattr(robot, f"control_torque_{LOOPS[kind]}")(follow, way, limited, 100.0)
    else:
        getattr(robot, f"control_{LOOPS[kind]}")(way, MODES[controller], limited, 100.0)
    return way.begin, fresh(robot)


def handshake() -> None:
    say(**refusals({"refused": connect}, RuntimeError))


def lands(kind: str, controller: str = "", limited: str = "limited") -> None:
    begin, end = run(connect(), kind, controller, limited == "limited")
    say(begin={"q": begin.q, "O_T_EE": begin.O_T_EE}, end={"q": end.q, "O_T_EE": end.O_T_EE})
    say(mode=mode(end), errors=flags(end.last_motion_errors))


def calls() -> None:
    """Everything that is not a motion: good values are taken, bad ones refused."""
    robot = connect()
    seven, six = [20.0] * 7, [30.0] * 6
    robot.set_collision_behavior(seven, seven, six, six)
    robot.set_collision_behavior(seven, seven, seven, seven, six, six, six, six)
    robot.set_joint_impedance([3000.0] * 7)
    robot.set_cartesian_impedance([2000.0] * 3 + [100.0] * 3)
    robot.set_guiding_mode([True] * 6, True)
    robot.set_k(TURN)
    robot.set_ee(TURN)
    robot.set_load(0.5, [0.0, 0.0, 0.03], [1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3])
    bad: dict[str, Callable[[], Any]] = {
        "joint": lambda: robot.set_joint_impedance([-1.0] * 7),
        "cartesian": lambda: robot.set_cartesian_impedance([0.0] * 6),
        "load": lambda: robot.set_load(-1.0, [0.0] * 3, [0.0] * 9),
        "ee": lambda: robot.set_ee([2.0] * 16),
        "collision": lambda: robot.set_collision_behavior(seven, [10.0] * 7, six, six),
        "model": robot.load_model,
    }
    say(refused=refusals(bad, Exception))
    times: list[float] = []

    def see(state: Any) -> bool:
        times.append(state.time.to_sec())
        return len(times) < 100

    state = fresh(robot)
    robot.read(see)
    say(version=robot.server_version(), times=times, mode=mode(state), text=str(state)[:1])
    say(m_load=state.m_load, EE_T_K=state.EE_T_K, F_T_EE=state.F_T_EE, m_total=state.m_total)


def controllers() -> None:
    """What panda-python makes of libfranka: its own motions, controllers and log."""
    arm = panda_py.Panda(HOST)
    model, state = arm.get_model(), arm.get_state()
    pose = np.reshape(model.pose(f.Frame.kEndEffector, state), (4, 4)).T
    say(pose_error=np.abs(pose - arm.get_pose()).max(), name=arm.name)
    say(jacobian_error=np.abs(numeric_jacobian(model, state) - jacobian(model, state)).max())
    arm.set_default_behavior()
    arm.enable_logging(20_000)
    begin = np.array(arm.q)
    say(joints=arm.move_to_joint_position(begin + JOINT_STEP, dq_threshold=1e-4))
    say(begin={"q": begin}, end={"q": arm.q})
    place = arm.get_position()
    goal = place + np.array([PATH_M, 0.0, 0.0])
    say(pose=arm.move_to_pose(goal, arm.get_orientation(), dq_threshold=1e-5))
    say(moved=arm.get_position() - place, started=arm.move_to_start(), q=arm.q)
    log = arm.get_log()
    arm.disable_logging()
    times = np.ravel(log["time"])
    say(logged=sorted(log), rows=len(times), whole=np.mean(np.diff(times) < 1.5))
    arm.teaching_mode(True)
    teaching = arm.is_moving()
    arm.teaching_mode(False)
    say(teaching=[teaching, arm.is_moving()])
    place, turn = arm.get_position(), arm.get_orientation()
    controller = panda_py.controllers.CartesianImpedance()
    arm.start_controller(controller)
    with arm.create_context(frequency=100, max_runtime=3.0) as context:
        ticks = 0
        while context.ok():
            ticks += 1
            rise = np.array([0.0, 0.0, PATH_M * smooth(0.01 * ticks)])
            controller.set_control(place + rise, turn)
    rise = arm.get_position() - place
    arm.stop_controller()
    arm.raise_error()
    arm.recover()
    say(rise=rise, mode=mode(arm.get_state()))


def numeric_jacobian(model: Any, state: Any) -> Any:
    """Translation of the flange by differences of the robot's own library."""
    ways, tool = 1e-6 * np.eye(7), [state.F_T_EE, state.EE_T_K]

    def place(q: Any) -> Any:
        return np.array(model.pose(f.Frame.kFlange, list(q), *tool)[12:15])

    return np.array([(place(state.q + d) - place(state.q - d)) / 2e-6 for d in ways]).T


def jacobian(model: Any, state: Any) -> Any:
    """Translation of the flange by the robot's own library."""
    return np.reshape(model.zero_jacobian(f.Frame.kFlange, state), (7, 6)).T[:3]


def stops() -> None:
    """Another thread stops a motion; reading and moving go on afterwards."""
    robot, text = connect(), ""
    moving = threading.Event()

    def hold(state: Any, period: Any) -> Any:
        moving.set()
        return f.JointVelocities([0.0] * 7)

    def stop() -> None:
        moving.wait()
        robot.stop()

    other = later(stop, 0.0)

    try:
        robot.control_joint_velocity(hold, MODES["JointImpedance"], True, 100.0)
    except RuntimeError as problem:
        text = str(problem)
    other.join()
    say(text=text, after=mode(fresh(robot)))
    begin, end = run(robot, "JointPositions", "JointImpedance")
    say(begin={"q": begin.q}, end={"q": end.q})


class Break:
    """A callback that holds still for ten cycles and then breaks a rule."""

    def __init__(self, name: str, ends: int) -> None:
        self.name, self.cycles, self.begin, self.ends = name, 0, None, ends

    def __call__(self, state: Any, period: Any) -> Any:
        if self.begin is None:
            self.begin = state
        self.cycles += 1
        command = self.command(self.begin, self.cycles > 10)
        command.motion_finished = self.cycles >= self.ends
        return command

    def command(self, begin: Any, now: bool) -> Any:
        if self.name == "silence":
            if self.cycles == 11:
                time.sleep(1.5)
            return f.JointPositions(list(begin.q_d))
        if self.name == "joint_jump":
            return f.JointPositions([q + 0.3 * (now and i == 3) for i, q in enumerate(begin.q_d)])
        if self.name == "joint_start":
            return f.JointPositions([q + 0.2 * (i == 3) for i, q in enumerate(begin.q_d)])
        if self.name == "velocity_step":
            return f.JointVelocities([0.0] * 6 + [0.5 * now])
        if self.name == "twist_step":
            return f.CartesianVelocities([0.025 * now] + [0.0] * 5)
        if self.name == "torque_step":
            return f.Torques([0.0] * 6 + [10.0 * now])
        pose = list(begin.O_T_EE_c)
        pose[12] += 0.01 * now if self.name == "pose_step" else 0.1
        return f.CartesianPose(pose)


def breaks(name: str, ends: str = "500") -> Any:
    """Break a rule without limiter and filter; returns the robot."""
    robot, text = connect(), ""
    loops = {
        "silence": "joint_position",
        "joint_jump": "joint_position",
        "joint_start": "joint_position",
        "velocity_step": "joint_velocity",
        "twist_step": "cartesian_velocity",
        "pose_step": "cartesian_pose",
        "pose_start": "cartesian_pose",
    }
    callback = Break(name, int(ends))
    try:
        if name == "torque_step":
            robot.control(callback, False, 1000.0)
        else:
            loop = getattr(robot, f"control_{loops[name]}")
            loop(callback, MODES["JointImpedance"], False, 1000.0)
    except RuntimeError as problem:
        text = str(problem)
    state = fresh(robot)
    say(text=text, cycles=callback.cycles, mode=mode(state), errors=flags(state.current_errors))
    return robot


def reflex(name: str) -> None:
    """Break a rule; then no motion before recovery, and one after it."""
    robot = breaks(name)
    said = refusals({"refused": lambda: run(robot, "Torques")}, RuntimeError)
    robot.automatic_error_recovery()
    state = fresh(robot)
    say(recovered=mode(state), cleared=flags(state.current_errors), **said)
    begin, end = run(robot, "CartesianPose", "CartesianImpedance")
    say(begin={"O_T_EE": begin.O_T_EE}, end={"O_T_EE": end.O_T_EE}, after=mode(end))


def unending() -> None:
    """Move on and on until somebody ends this process."""
    robot = connect()

    def callback(state: Any, period: Any) -> Any:
        callback_cycles.append(None)
        if len(callback_cycles) == 300:
            say(moving=True)
        return f.JointVelocities([0.0] * 6 + [0.2 * smooth(1e-3 * len(callback_cycles))])

    callback_cycles: list[None] = []
    robot.control_joint_velocity(callback, MODES["JointImpedance"], True, 100.0)


if __name__ == "__main__":
    main(
        {
            "handshake": handshake,
            "lands": lands,
            "calls": calls,
            "controllers": controllers,
            "stops": stops,
            "breaks": breaks,
            "reflex": reflex,
            "unending": unending,
        }
    )
