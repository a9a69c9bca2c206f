"""Conversion of commands: libfranka's numbers, and motions recorded from its clients."""

import math
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fci_numbers import assert_close, cases
from fci_sessions import Motion, motions, session_paths, version_of

from kinegraph.robot import (
    CartesianPose,
    CartesianVelocities,
    ControllerCommand,
    InvalidArgumentError,
    JointPositions,
    JointVelocities,
    MotionGeneratorCommand,
    RobotState,
    Torques,
    conversion_codes,
    conversion_kernels,
    rate_limits,
)
from kinegraph.robot.command_base import Motion as MotionCommand
from kinegraph.robot.limiter_kernels import LIMITS_SIZE
from kinegraph.robot.wire import wire_kernels
from kinegraph.robot.wire.state_layout import COMMAND_SIZE

KINDS: dict[str, Any] = {
    "joint_positions": JointPositions,
    "joint_velocities": JointVelocities,
    "cartesian_pose": CartesianPose,
    "cartesian_velocities": CartesianVelocities,
}


def make(kind: str, cycle: dict[str, Any]) -> MotionCommand:
    """The command of one cycle of a case."""
    elbow = {"elbow": cycle["elbow"]} if "elbow" in cycle else {}
    return KINDS[kind](cycle["command"], **elbow)  # type: ignore[no-any-return]


@pytest.mark.parametrize("case", cases("convert_motion"))
def test_motion_is_converted_as_by_the_library(case: dict[str, Any]) -> None:
    version, given = int(case["version"][1:]), case["in"]
    settings = (given["cutoff_frequency"], given["limit_rate"])
    if "error" in case:
        with pytest.raises(InvalidArgumentError):
            make(given["kind"], given["cycles"][0])
        assert case["error"] in raw_error(given, version)
        return
    for index, (cycle, wanted) in enumerate(zip(given["cycles"], case["out"], strict=True)):
        state, command = RobotState().replace(**cycle["state"]), MotionGeneratorCommand()
        command.row[:] = 3.0
        command.motion_generation_finished = False
        first = version == 10 and index == 0
        make(given["kind"], cycle).convert_motion(
            state, command, *settings, limits=rate_limits(version), first=first
        )
        for name, value in wanted.items():
            assert_close(getattr(command, name), value, name)


def raw_error(given: dict[str, Any], version: int) -> str:
    """The text of a conversion of numbers that no command object would take."""
    kind = list(KINDS).index(given["kind"]) + 1
    cycle = given["cycles"][0]
    values = np.concatenate((cycle["command"], cycle.get("elbow", [0.0, 0.0])))
    code = conversion_kernels.convert_motion(
        kind,
        version == 10,
        float(given["cutoff_frequency"]),
        given["limit_rate"],
        RobotState().replace(**cycle["state"]).row.copy(),
        rate_limits(version).array.copy(),
        values,
        np.zeros(COMMAND_SIZE),
        np.zeros(conversion_kernels.CONVERSION_WORK),
    )
    return conversion_codes.text_of(code, kind)


@pytest.mark.parametrize("case", cases("convert_torques"))
def test_torques_are_converted_as_by_the_library(case: dict[str, Any]) -> None:
    given, command = case["in"], ControllerCommand()
    Torques(given["tau_J"]).convert_torques(
        RobotState().replace(**given["state"]),
        command,
        given["cutoff_frequency"],
        given["limit_rate"],
        limits=rate_limits(int(case["version"][1:])),
    )
    assert_close(command.tau_J_d, case["out"]["tau_J_d"])


def test_codes_are_those_of_the_kernels() -> None:
    for name, value in vars(conversion_codes).items():
        if isinstance(value, int) and name.isupper():
            assert getattr(conversion_kernels, name) == value, name
    assert rate_limits(10).array.shape == (LIMITS_SIZE,)


@dataclass
class Script:
    """What the recorded callbacks did, see the README of the sessions."""

    positions: float
    velocities: float
    pose: float
    twist: float
    torques: float
    duration: float


LIBFRANKA = Script(0.002, 0.05, 0.0005, 0.02, 0.3, 0.012)
PANDA = Script(0.001, 0.02, 0.0003, 0.01, 0.2, 0.020)
GENERATORS = ["joint_positions", "joint_velocities", "cartesian_pose", "cartesian_velocities"]


def script_of(path: Path) -> Script:
    """The script of a session."""
    script = PANDA if "panda" in path.name else LIBFRANKA
    return Script(**{**vars(script), "duration": 0.1}) if "reflex" in path.name else script


@dataclass
class Recorded:
    """One recorded motion of callbacks."""

    version: int
    script: Script
    motion: Motion

    @property
    def external(self) -> bool:
        """Whether torques were sent."""
        return int(self.motion.request["controller_mode"]) == 2

    @property
    def torques_only(self) -> bool:
        """Whether there was no motion callback."""
        generator = self.motion.request["motion_generator_mode"]
        return self.external and generator == (4 if self.version == 10 else 1)

    @property
    def both(self) -> bool:
        """Whether a motion and torques ran together."""
        return self.external and not self.torques_only

    @property
    def duration(self) -> float:
        """How long the callback ran, s."""
        if self.both:
            return 0.010 if self.version == 10 else 0.012
        return self.script.duration


def recorded() -> list[Any]:
    """Every motion that callbacks made."""
    found = []
    for path in session_paths():
        if "scripted" not in path.name:
            continue
        for index, motion in enumerate(motions(path)):
            if motion.request.get("use_async_motion_generator"):
                continue
            case = Recorded(version_of(path), script_of(path), motion)
            found.append(pytest.param(case, id=f"{path.parent.name} {path.stem} {index}"))
    return found


def callback(case: Recorded, start: RobotState, x: float) -> MotionCommand:
    """What the motion callback returned at a part x of its duration."""
    script, rise, swing = case.script, (1 - math.cos(math.pi * x)) / 2, math.sin(math.pi * x)
    generator = int(case.motion.request["motion_generator_mode"])
    if case.torques_only:
        return JointVelocities([0.0] * 7)
    if generator == 0:
        amplitude = 0.0005 if case.both else script.positions
        q = start.q_d.copy()
        q[3] += amplitude * rise
        return JointPositions(q)
    if generator == 1:
        return JointVelocities([0, 0, 0, script.velocities * swing, 0, 0, 0])
    if generator == 2:
        pose = start.O_T_EE_c.copy()
        pose[14] += script.pose * rise
        return CartesianPose(pose, elbow=start.elbow_c)
    return CartesianVelocities([0, 0, script.twist * swing, 0, 0, 0])


def torque(case: Recorded, x: float) -> list[float]:
    """What the torque callback returned."""
    last = 0.1 if case.both else case.script.torques * math.sin(math.pi * x)
    return [0, 0, 0, 0, 0, 0, last]


def decode_command(version: int, datagram: bytes) -> Any:
    """The row of a recorded command."""
    row, data = np.zeros(COMMAND_SIZE), np.frombuffer(bytearray(datagram), np.uint8)
    assert wire_kernels.decode_command(version, data, len(data), row) == 0
    return row


@pytest.mark.parametrize("case", recorded())
def test_recorded_motion_is_recomputed(case: Recorded) -> None:
    start = case.motion.cycles[0][0]
    plain = case.both and case.version == 5  # this one ran without filter and limiter
    settings = (1000.0, False) if plain else (100.0, True)
    limits = rate_limits(case.version)
    seen = 0
    for index, (state, datagram) in enumerate(case.motion.cycles):
        sent = decode_command(case.version, datagram)
        # The recorded callbacks added up their periods, and every bit of the sum shows.
        elapsed = reduce(add, [0.001] * (state.time - start.time), 0.0)
        x = min(1.0, elapsed / case.duration)
        command = MotionGeneratorCommand()
        torques = ControllerCommand(command.row)
        if not (case.torques_only and case.version == 10):
            first = case.version == 10 and index == 0
            callback(case, start, x).convert_motion(
                state, command, *settings, limits=limits, first=first
            )
        if case.external:
            Torques(torque(case, x)).convert_torques(state, torques, *settings, limits=limits)
        finished = x == 1.0
        if case.torques_only and case.version == 10:
            torques.torque_command_finished = finished
        else:
            command.motion_generation_finished = finished
        # Eigen's singular values round differently: one recorded pose is off in its last bit.
        by_pose = not case.external and int(case.motion.request["motion_generator_mode"]) == 2
        atol = 1e-15 if by_pose else 0.0
        np.testing.assert_allclose(command.row[1:], sent[1:], rtol=0, atol=atol)
        seen += 1
        if finished:
            break
    assert seen >= 4
