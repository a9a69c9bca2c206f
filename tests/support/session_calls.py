"""The calls of the recorded sessions, made with our client."""

import base64
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fci_sessions import records, version_of
from recorded_callbacks import LIBFRANKA, PANDA, Callbacks, constant_torques
from recorded_server import requests_of

import kinegraph.robot
from kinegraph.robot import (
    CartesianPose,
    CartesianVelocities,
    CommandError,
    ControlError,
    FrankaError,
    JointPositions,
    JointVelocities,
    ModelError,
    Torques,
)
from kinegraph.robot.wire.tables import PROTOCOLS

KINDS: dict[str, type[FrankaError]] = {
    "ControlException": ControlError,
    "CommandException": CommandError,
    "ModelException": ModelError,
}
# Requests that a client makes by itself: the StopMove of a loop that has ended, and the one that
# another thread sends.
AUTOMATIC = {
    "v10_libfranka_scripted_reflex": {3},
    "v10_pylibfranka_frankasim_jv_cv_cp_stop_drop": {6, 7, 9},
    "v10_pylibfranka_frankasim_reflex_recovery": {3},
}
METHODS = ("joint_position", "joint_velocity", "cartesian_pose", "cartesian_velocity")
PLURALS = (
    "control_joint_positions",
    "control_joint_velocities",
    "control_cartesian_pose",
    "control_cartesian_velocities",
)
MOTIONS = ("positions", "velocities", "pose", "twist")


def collision_behavior(robot: Any, fields: dict[str, Any]) -> None:
    """The thresholds, those while accelerating only if they differ."""
    names = ("lower_torque", "upper_torque", "lower_force", "upper_force")
    nominal = [fields[f"{name}_thresholds_nominal"] for name in names]
    acceleration = {
        f"{name}_thresholds_acceleration": fields[f"{name}_thresholds_acceleration"]
        for name in names
    }
    same = list(acceleration.values()) == nominal
    robot.set_collision_behavior(*nominal, **({} if same else acceleration))


Setter = Callable[[Any, dict[str, Any]], object]
SETTERS: dict[str, Setter] = {
    "SetCollisionBehavior": collision_behavior,
    "SetJointImpedance": lambda r, f: r.set_joint_impedance(f["K_theta"]),
    "SetCartesianImpedance": lambda r, f: r.set_cartesian_impedance(f["K_x"]),
    "SetGuidingMode": lambda r, f: r.set_guiding_mode(f["guiding_mode"], f["nullspace"]),
    "SetEEToK": lambda r, f: r.set_K(f["EE_T_K"]),
    "SetNEToEE": lambda r, f: r.set_EE(f["NE_T_EE"]),
    "SetLoad": lambda r, f: r.set_load(f["m_load"], f["F_x_Cload"], f["I_load"]),
    "SetFilters": lambda r, f: r.set_filters(*f.values()),
    "GetCartesianLimit": lambda r, f: r.get_virtual_wall(*f.values()),
    "LoadModelLibrary": lambda r, f: r.load_model("robot"),
    "GetRobotModel": lambda r, f: r.robot_model(),
    "AutomaticErrorRecovery": lambda r, f: r.automatic_error_recovery(),
    "StopMove": lambda r, f: r.stop(),
}


class SessionCalls:
    """Makes the calls of a session one after the other and compares their outcomes.

    Args:
        path: Recorded session.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name.split(".")[0]
        self.version = version_of(path)
        self.results = [r for r in records(path) if r["kind"] == "client_result"]
        self._outcomes = iter([r for r in self.results if r["call"] not in ("connect", "state")])
        self._commands = list(self._recorded_commands())

    def _recorded_commands(self) -> Iterator[list[Any]]:
        """The commands of each motion whose states were recorded too."""
        shown = {
            r["message_id"]
            for r in records(self.path)
            if r.get("name") == "RobotState" and "b64" in r
        }
        dtype = PROTOCOLS[self.version].dtype("RobotCommand")
        found: list[Any] | None = None
        for record in records(self.path):
            if record["kind"] != "message":
                continue
            if record["name"] == "Move.Request":
                if found is not None:
                    yield found
                found = []
            elif (
                found is not None
                and record["name"] == "RobotCommand"
                and record["message_id"] in shown
            ):
                found.append(np.frombuffer(base64.b64decode(record["b64"]), dtype)[0])
        if found is not None:
            yield found

    @property
    def left(self) -> list[dict[str, Any]]:
        """Outcomes that no call has had."""
        return list(self._outcomes)

    def make(self, robot: Any) -> None:
        """Make all calls after the connection."""
        skipped = 2 if self.version == 10 else 1
        motions = iter(self._commands)
        for number, (name, fields) in enumerate(requests_of(self.path)):
            if number < skipped or number in AUTOMATIC.get(self.name, ()):
                continue
            if name == "Move":
                self._move(robot, fields, next(motions))
            else:
                self._check(partial(SETTERS[name], robot, fields))

    def _check(self, call: Callable[[], object]) -> None:
        outcome = next(self._outcomes)
        if outcome["result"] == "ok":
            call()
            return
        with pytest.raises(FrankaError) as caught:
            call()
        assert type(caught.value) is KINDS[outcome["result"]]
        text = outcome["text"]
        if outcome["result"] == "ModelException":  # why, each library says in its own words
            text = text.removesuffix("Cannot load library")
        assert str(caught.value).startswith(text)

    # --- motions --------------------------------------------------------------------------------

    def _move(self, robot: Any, request: dict[str, Any], commands: list[Any]) -> None:
        if request.get("use_async_motion_generator"):
            velocities = request["maximum_velocity"]
            self._check(partial(self._async, robot, velocities, commands))
        elif "pylibfranka" in self.name:
            self._steps(robot, request, commands)
        else:
            self._check(lambda: self._callbacks(robot, request))

    def _callbacks(self, robot: Any, request: dict[str, Any]) -> None:
        external, generator = request["controller_mode"] == 2, request["motion_generator_mode"]
        panda, only = "panda" in self.name, 4 if self.version == 10 else 1
        alone = external and generator == only
        both = external and not alone
        duration = (0.020, 0.012) if panda else (0.012, 0.010)
        if "reflex" in self.name:
            duration = (0.1, 0.1)
        amplitudes = PANDA if panda else LIBFRANKA
        callbacks = Callbacks(duration[both], amplitudes)
        plain = both and panda  # this one ran without filter and limiter
        settings: dict[str, Any] = {
            "limit_rate": not plain,
            "cutoff_frequency": 1000.0 if plain else 100.0,
        }
        if alone:
            robot.control_torques(callbacks.torques, **settings)
            return
        if both:
            settings["torques"] = constant_torques
            if generator == 0:
                half = Callbacks(duration[both], _with_positions(amplitudes, 0.0005))
                robot.control_joint_positions(half.positions, **settings)
                return
        else:
            settings["controller_mode"] = controller(request)
        getattr(robot, PLURALS[generator])(getattr(callbacks, MOTIONS[generator]), **settings)

    def _steps(self, robot: Any, request: dict[str, Any], commands: list[Any]) -> None:
        with start(robot, request) as control:
            for command in commands:
                state, _ = control.read_once()
                assert state.time == command["message_id"]
                value = value_of(request, command)
                control.write_once(value)
                if value.motion_finished:
                    self._check(lambda: None)
                    return
            ending = self._ending()
            if ending == "stop":
                self._check(lambda: _in_a_thread(robot.stop))
            if ending != "drop":
                self._check(control.read_once)
                return
        self._check(lambda: None)

    def _ending(self) -> str:
        """How the motion that runs is ended: stopped from another thread, dropped, or aborted."""
        remaining = list(self._outcomes)
        self._outcomes = iter(remaining)
        return {"stop": "stop", "motion_dropped": "drop"}.get(remaining[0]["call"], "abort")

    @staticmethod
    def _async(robot: Any, velocities: list[float], commands: list[Any]) -> None:
        with robot.start_async_joint_position_control(velocities) as control:
            for command in commands:
                control.read_once()
                finished = bool(command["motion.motion_generation_finished"])
                control.write_once(JointPositions(command["motion.q_c"], finished))
                if finished:
                    return


def _with_positions(amplitudes: Any, value: float) -> Any:
    return type(amplitudes)(**{**vars(amplitudes), "positions": value})


def _in_a_thread(call: Callable[[], object]) -> None:
    failures: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:  # raised again below
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def controller(request: dict[str, Any]) -> Any:
    """The internal controller that a Move asks for."""
    modes = kinegraph.robot.ControllerMode
    return (modes.JointImpedance, modes.CartesianImpedance)[request["controller_mode"]]


def start(robot: Any, request: dict[str, Any]) -> Any:
    """Start the motion of a Move, step by step."""
    if request["controller_mode"] == 2:
        return robot.start_torque_control()
    method = f"start_{METHODS[request['motion_generator_mode']]}_control"
    return getattr(robot, method)(controller(request))


def value_of(request: dict[str, Any], command: Any) -> Any:
    """The command that a recorded datagram carries."""
    if request["controller_mode"] == 2:
        finished = bool(command["control.torque_command_finished"])
        return Torques(command["control.tau_J_d"], finished)
    finished = bool(command["motion.motion_generation_finished"])
    elbow = command["motion.elbow_c"] if command["motion.valid_elbow"] else None
    generator = request["motion_generator_mode"]
    if generator == 0:
        return JointPositions(command["motion.q_c"], finished)
    if generator == 1:
        return JointVelocities(command["motion.dq_c"], finished)
    if generator == 2:
        return CartesianPose(command["motion.O_T_EE_c"], elbow, finished)
    return CartesianVelocities(command["motion.O_dP_EE_c"], elbow, finished)
