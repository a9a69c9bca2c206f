"""The millisecond of the simulated robot without clock and sockets; also runs uncompiled."""

from typing import Any

import numpy as np
import pytest

from kinegraph.kinematics.chain import plan_chain
from kinegraph.robot.sim.arm import READY, SimulatedArm
from kinegraph.robot.sim.codes_layout import (
    MODE_IDLE,
    MOTION_STARTED,
    NOT_POSSIBLE,
    R_MOVE,
    R_PLACE,
    R_RECOVER,
    R_STOP,
    SUCCESS,
)
from kinegraph.robot.sim.cycle_kernels import advance
from kinegraph.robot.sim.int_layout import INT_OFFSETS
from kinegraph.robot.sim.memory import SimMemory
from kinegraph.robot.sim.request_kernels import answer, update_tool
from kinegraph.robot.wire import state_layout as layout
from kinegraph.scene.array_types import Array

HOME = np.array(READY)
GENERATORS = {"JointPosition": 0, "JointVelocity": 1, "CartesianPosition": 2, "None": 4}


class Cycle:
    """A robot's memory, with requests and commands put in by hand."""

    def __init__(self) -> None:
        self.memory: SimMemory = SimulatedArm.of(10).build(0)
        self.set("enforce", 1)
        self.set("max_lost", 20)
        self.set("mode", MODE_IDLE)
        update_tool(self.memory.x, self.memory.n)
        self.ask(R_PLACE, HOME)

    def set(self, name: str, *values: int) -> None:
        at = INT_OFFSETS[name]
        self.memory.n[at : at + len(values)] = values

    def get(self, name: str) -> int:
        return int(self.memory.n[INT_OFFSETS[name]])

    def ask(self, kind: int, numbers: Any = (), flags: tuple[int, ...] = ()) -> int:
        self.memory.put("request", np.asarray(numbers, float))
        self.set("request_kind", kind)
        self.set("request_args", *flags)
        return answer(self.memory.x, self.memory.n)

    def move(self, generator: str) -> None:
        controller = 2 if generator == "None" else 0
        flags = (controller, GENERATORS[generator], 0)
        assert self.ask(R_MOVE, np.zeros(7), flags) == MOTION_STARTED
        self.step()

    def step(self, **fields: Any) -> Array:
        """One millisecond, with a command when fields are given; returns the state."""
        if fields:
            row = self.memory.part("command", layout.COMMAND_SIZE)
            row[:] = 0.0
            for name, value in fields.items():
                at = layout.COMMAND_OFFSETS[name]
                row[at : at + np.size(value)] = value
            self.set("have", 1)
        advance(self.memory.x, self.memory.n)
        return self.memory.part("state", layout.STATE_SIZE)

    def field(self, name: str) -> Array:
        at, count = layout.STATE_OFFSETS[name], dict(layout.STATE_FIELDS)[name]
        return self.memory.part("state", layout.STATE_SIZE)[at : at + count].copy()


def test_an_arm_at_rest_stays_there_and_its_pose_is_that_of_the_scene() -> None:
    robot = Cycle()
    for _ in range(3):
        robot.step()
    np.testing.assert_array_equal(robot.field("q"), HOME)
    arm = SimulatedArm.of(10)
    pose, _ = plan_chain(arm.graph, arm.flange, arm.joint_names).pose_and_jacobian(HOME)
    shown = robot.field("O_T_EE").reshape(4, 4, order="F")
    np.testing.assert_allclose(shown, pose, atol=1e-14)
    assert robot.field("time") == 3


def test_a_small_way_of_joint_positions_is_followed_and_ends_with_success() -> None:
    robot = Cycle()
    robot.move("JointPosition")
    for k in range(21):
        q = HOME + 1e-5 * (1.0 - np.cos(np.pi * k / 20))
        robot.step(q_c=q, motion_generation_finished=float(k == 20))
    assert robot.get("end_status") == SUCCESS
    assert robot.field("robot_mode") == MODE_IDLE
    np.testing.assert_allclose(robot.field("q_d"), HOME + 2e-5, atol=1e-15)
    np.testing.assert_allclose(robot.field("q"), HOME + 2e-5, atol=1e-5)


def test_a_pose_command_moves_the_desired_joints_to_that_pose() -> None:
    robot = Cycle()
    robot.move("CartesianPosition")
    target = pose = robot.field("O_T_EE_c")
    for k in range(10):
        target = pose + 2e-6 * (1.0 - np.cos(np.pi * k / 20)) * np.eye(16)[13]
        robot.step(O_T_EE_c=target)
    assert robot.get("violations") == 0
    np.testing.assert_allclose(robot.field("O_T_EE_d"), target, atol=1e-12)


def test_a_jump_is_a_reflex_that_recovery_ends() -> None:
    robot = Cycle()
    robot.move("JointVelocity")
    robot.step(dq_c=np.zeros(7))
    robot.step(dq_c=np.full(7, 0.5))
    assert list(np.flatnonzero(robot.field("current_errors"))) == [15]
    assert robot.ask(R_MOVE, np.zeros(7), (0, 0, 0)) == NOT_POSSIBLE
    assert robot.ask(R_RECOVER) == SUCCESS
    robot.step()
    assert not robot.field("current_errors").any()
    assert robot.field("last_motion_errors").sum() == 1


def test_silence_is_a_reflex_at_the_twentieth_loss() -> None:
    robot = Cycle()
    robot.move("None")
    robot.step(tau_J_d=np.zeros(7))
    for _ in range(19):
        robot.step()
    assert not robot.field("current_errors").any()
    robot.step()
    assert list(np.flatnonzero(robot.field("current_errors"))) == [25]


def test_an_end_effector_beyond_three_metres_a_second_is_a_reflex() -> None:
    robot = Cycle()
    robot.ask(R_PLACE, [0.0, 0.3, 0.0, -0.8, 0.0, 2.5, 0.0])
    robot.move("None")
    robot.memory.put("thresholds", np.full(52, 1e6))
    robot.memory.put("dq", [-1.9, 1.8, -1.9, -1.9, 3.6, -3.0, -3.6])
    robot.step(tau_J_d=np.zeros(7))
    assert list(np.flatnonzero(robot.field("current_errors"))) == [4]


def test_more_power_than_the_limit_is_a_reflex() -> None:
    robot = Cycle()
    robot.move("None")
    robot.memory.put("power", [5.0])
    robot.memory.put("dq", 0.5 * np.sign(robot.field("tau_J")))
    robot.step(tau_J_d=np.zeros(7))
    assert list(np.flatnonzero(robot.field("current_errors"))) == [26]


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_stop_leaves_an_idle_state(generator: str) -> None:
    robot = Cycle()
    robot.move(generator)
    assert robot.field("motion_generator_mode") == GENERATORS[generator] + 1
    assert robot.ask(R_STOP) == SUCCESS
    robot.step()
    assert robot.field("motion_generator_mode") == 0
    assert robot.field("controller_mode") == 3
