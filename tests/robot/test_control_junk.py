"""What is no argument at all: each call of the control layer says so by the argument's name."""

import asyncio
import datetime
import inspect
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from control_rig import READY, chain_of, dynamics_of
from other_arms import described, start_of

from kinegraph.robot.control import (
    CARTESIAN,
    FR3,
    CartesianOptions,
    CartesianSent,
    DifferentialIk,
    IkOptions,
    ImpedanceOptions,
    JointLimits,
    JointOptions,
    MotionLimits,
    Settle,
    TrajectoryGenerator,
    TuningUpdate,
    WorkspaceBox,
    arm_table,
    braking_speed,
    checked_pose,
    checked_quaternion,
    envelope_torques,
    goal_box,
    impedance_torques,
    quaternion_xyzw,
    record_dtype,
    records_from_rows,
    replay_records,
    robot_speed,
    rotation_matrix,
    scaled_cartesian,
    speed_onsets,
    step_pose,
    view_rows,
)
from kinegraph.robot.control.record_layout import RECORD_SIZE
from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.torque_arm import (
    ArmControl,
    SimulatedArm,
    cartesian_law,
    describe_arm,
    joint_law,
    table_from_graph,
)
from kinegraph.robot.wire.state_layout import STATE_SIZE
from kinegraph.scene.errors import KinegraphError

JUNK: tuple[Any, ...] = (
    "x",
    b"1",
    {"a": 1},
    object(),
    1j,
    10**400,
    float("nan"),
    -1e300,
    -7,
    [[1, 2], [3]],
    np.full((2, 3, 5), np.nan),
    np.array([1j] * 7),
    np.array(["0"] * 16).reshape(4, 4),
    np.ma.masked_array(np.eye(4), np.eye(4) > 0),
    datetime.datetime(2026, 1, 1),
    np.array(["2026"] * 3, dtype="M8[Y]"),
    lambda: 0,
    int,
)
"""None of these is an argument of any call here."""

MASKED: Any = np.ma.masked
Call = Callable[[Any], object]


def function_calls() -> dict[str, Call]:
    """Each argument of the functions that need no session."""
    still, chain, bodies = np.zeros(6), chain_of("fr3", "hand"), dynamics_of("fr3")
    generator, ik = TrajectoryGenerator(np.ones((2, 3))), DifferentialIk(chain, FR3, READY)
    rows = np.zeros((2, RECORD_SIZE))
    records, states = records_from_rows(rows), np.zeros((2, STATE_SIZE))
    replayed: dict[str, Any] = {"chain": chain, "bodies": bodies, "arm": FR3}
    iiwa, graph = described("iiwa"), described("iiwa").graph
    arguments: dict[Any, tuple[list[Any], dict[str, Any]]] = {
        braking_speed: ([FR3, 0.1], {}),
        robot_speed: ([FR3, READY], {}),
        goal_box: ([FR3, READY, CARTESIAN], {}),
        step_pose: ([np.eye(4), still, still, np.eye(4), CartesianOptions()], {}),
        TrajectoryGenerator: ([[1.0, 1.0, 1.0]], {}),
        generator.set_limits: ([np.ones((2, 3))], {}),
        generator.set_state: ([np.zeros(2)] * 3, {}),
        generator.set_target: ([np.zeros(2)] * 2, {}),
        DifferentialIk: ([chain, FR3, READY, CARTESIAN], {}),
        ik.reset: ([READY], {}),
        impedance_torques: (
            [FR3, READY, READY, READY, np.ones((6, 7))],
            {"dq_goal": READY, "coriolis": READY, "options": CARTESIAN},
        ),
        envelope_torques: ([FR3, READY, READY, READY], {"options": CARTESIAN, "cycle": 1}),
        speed_onsets: ([FR3, READY, True], {"options": CARTESIAN}),
        arm_table: ([10], {}),
        checked_pose: ([np.eye(4)], {}),
        checked_quaternion: ([[0.0, 0.0, 0.0, 1.0]], {}),
        rotation_matrix: ([[0.0, 0.0, 0.0, 1.0]], {}),
        quaternion_xyzw: ([np.eye(3)], {}),
        records_from_rows: ([rows, 7, CartesianSent], {}),
        view_rows: ([rows, 7, CartesianSent], {}),
        record_dtype: ([7, CartesianSent], {}),
        CartesianSent.from_row: ([rows[0], 7], {}),
        replay_records: ([records, states], replayed),
        scaled_cartesian: ([750.0], {}),
        JointLimits.share_of: ([FR3, 0.2], {}),
        WorkspaceBox([-1.0] * 3, [1.0] * 3).contains: ([still[:3]], {}),
        MotionLimits(1.0, 1.0, 1.0).within: ([MotionLimits(1.0, 1.0, 1.0)], {}),
        cartesian_law: ([iiwa.table, CARTESIAN], {"inertia": np.ones(7)}),
        joint_law: ([iiwa.table, CARTESIAN], {"inertia": np.ones(7)}),
        SimulatedArm: (
            [iiwa, start_of("iiwa")],
            {"armature": 1.0, "friction": 1.0, "holds_itself": True, "torque_rate": 1.0},
        ),
        table_from_graph: ([graph, iiwa.joint_names], {"rated_torque": np.ones(7)}),
        describe_arm: ([graph, iiwa.tip_link], {"max_jerk": np.ones(7)}),
    }
    found: dict[str, Call] = {}
    for call, (given, named) in arguments.items():
        for at in [*range(len(given)), *named]:

            def attempt(junk: Any, call: Any = call, given: Any = given, named: Any = named,
                        at: Any = at) -> None:  # fmt: skip
                if isinstance(at, str):
                    call(*given, **{**named, at: junk})
                else:
                    call(*given[:at], junk, *given[at + 1 :], **named)

            found[f"{getattr(call, '__qualname__', call)}:{at}"] = attempt
    return found


def refuses(attempt: Call, junk: Any) -> bool:
    """Whether an attempt ends in an error of ours for a bad argument."""
    try:
        result = attempt(junk)
        if inspect.iscoroutine(result):
            asyncio.run(result)
    except InvalidOperationError:
        return False
    except KinegraphError as error:
        return isinstance(error, (ValueError, KeyError, TypeError)) and len(str(error)) < 600
    return False


def test_junk_is_refused_by_its_name() -> None:
    wrong = [
        (name, junk)
        for name, attempt in function_calls().items()
        for junk in JUNK
        # Of a distance any number is one; none allows no speed.
        if not (name == "braking_speed:1" and isinstance(junk, (int, float)))
        and not refuses(attempt, junk)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (CartesianOptions(max_target_age_s=1e300), "max_target_age_s"),
        (JointOptions(max_target_age_s=1e-300), "max_target_age_s"),
        (CartesianOptions(settle=Settle(cycles=10**9)), "settle.cycles"),
        (CartesianOptions(backend=ImpedanceOptions(ik=IkOptions(iterations=10**6))), "iterations"),
        (CartesianOptions(controller_mode=np.ones(3)), "controller_mode"),  # type: ignore[arg-type]
        (CartesianOptions(backend=ImpedanceOptions(wall_depth=MASKED)), "wall_depth"),
    ],
)
def test_numbers_that_no_loop_could_live_with_are_refused(options: Any, field: str) -> None:
    with pytest.raises(InvalidArgumentError, match=field):
        options.packed(FR3)


@pytest.mark.compiled
def test_junk_changes_nothing_in_a_running_session() -> None:
    plant = SimulatedArm(described("iiwa"), start_of("iiwa"))
    control = ArmControl(plant, described("iiwa"))
    options = TuningUpdate()

    def tune(name: str, junk: Any) -> None:
        arm.tune(replace(options, **{name: junk}))

    with control.cartesian_targets(pace="stepped") as arm:
        here, tip = arm.target_pose(), described("iiwa").tip_link
        calls: dict[str, Call] = {
            "set_position": arm.set_position,
            "set_orientation": arm.set_orientation,
            "set_pose": arm.set_pose,
            "set_target": arm.set_target,
            "set_target in a frame": lambda junk: arm.set_target(junk, frame=tip),
            "link": lambda junk: arm.set_target(here, link=junk),
            "frame": lambda junk: arm.set_target(here, frame=junk),
            "move_by": arm.move_by,
            "move_by in a frame": lambda junk: arm.move_by([0.0, 0.0, 0.1], junk),
            "move_to": arm.move_to,
            "move_to_async": arm.move_to_async,
            "follow": lambda junk: arm.follow(junk, 0.01),
            "follow_async": lambda junk: arm.follow_async([here], junk),
            "dt": lambda junk: arm.follow([here], junk),
            "tolerance": lambda junk: arm.move_to(here, junk),
            "timeout_s": lambda junk: arm.move_to(here, 1e-3, junk),
            "wait": arm.wait,
            "stop": arm.stop,
            "tune": arm.tune,
            "rows": arm.records().read,
            "step": control.step,
            "pace": lambda junk: control.joint_targets(pace=junk),
            "set_joint": lambda junk: control.set_joint(junk, 0.0),
            "link_pose": control.link_pose,
            "push": plant.push,
            **{field.name: partial(tune, field.name) for field in fields(options)},
        }
        clamped = {
            "ik_nullspace_gain", "velocity_feedforward_gain", "velocity_feedforward_cutoff"
        }  # fmt: skip
        cycles, before, words = arm.cycle_count, arm.target_pose(), arm.tuning()
        for name, attempt in calls.items():
            for junk in JUNK:
                if name in clamped and isinstance(junk, (int, float)) and junk == junk:
                    continue  # any number is one, set to its bound
                assert refuses(attempt, junk), (name, junk)
        assert arm.is_running
        assert not arm.is_stopping
        assert arm.cycle_count == cycles
        assert arm.target_pose() == before
        assert arm.tuning().limits == words.limits
