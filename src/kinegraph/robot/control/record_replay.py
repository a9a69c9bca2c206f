"""A Cartesian session again from its records: what its law made of each desired pose and state."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegraph.kinematics.chain import ChainPlan
from kinegraph.kinematics.dynamics_plan import DynamicsPlan
from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.control.arms import ArmTable
from kinegraph.robot.control.cartesian_kernels import set_goal_velocity
from kinegraph.robot.control.checks import check_kind, refuse
from kinegraph.robot.control.entry_kernels import anchor, read_state
from kinegraph.robot.control.generator.generator_layout import G_acceleration, G_velocity
from kinegraph.robot.control.generator.pose_step import step_pose
from kinegraph.robot.control.ik.goal_kernels import step_goal
from kinegraph.robot.control.ik.reach_kernels import seek
from kinegraph.robot.control.memory_layout import (
    M_generator,
    M_jacobian,
    M_measured,
    M_pose,
    M_q,
)
from kinegraph.robot.control.options import CartesianOptions, ImpedanceOptions
from kinegraph.robot.control.pose_kernels import place, solve_chain
from kinegraph.robot.control.record_layout import RECORD_FIELDS
from kinegraph.robot.control.rotation import rotation_matrix
from kinegraph.robot.control.torques.feedforward_kernels import feed_forward
from kinegraph.robot.control.torques.reference_kernels import soften
from kinegraph.robot.control.torques.torque_kernels import set_torques
from kinegraph.robot.control.walls.restart_kernels import needs_restart
from kinegraph.robot.control.walls.wall_kernels import update_walls
from kinegraph.robot.control.workspace import Workspace
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.state_layout import STATE_SIZE
from kinegraph.scene.array_types import Array

__all__ = ["ReplayedRecords", "replay_records"]

MOTION = ("velocity", "acceleration", "angular_velocity", "angular_acceleration")


@dataclass(frozen=True, slots=True, eq=False)
class ReplayedRecords:
    """What generator, inverse kinematics and law give again, a row per record.

    Attributes:
        pose: (N, 16) the generator's step from the record before to the record's target,
            column-major; NaN where something else decided: at the start, in a hold, under the
            leash, after a cycle that restarted the generator, and on the way to the pose next to
            a target out of reach.
        q_goal: (N, n) what the inverse kinematics makes of the recorded pose, rad.
        dq_goal: (N, n) rad/s.
        tau: (N, n) the law's torques after the envelopes, Nm.
    """

    pose: Array
    q_goal: Array
    dq_goal: Array
    tau: Array


def replay_records(
    records: npt.NDArray[np.void],
    states: Sequence[RobotState] | Array,
    *,
    chain: ChainPlan,
    bodies: DynamicsPlan,
    arm: ArmTable,
    options: CartesianOptions | None = None,
) -> ReplayedRecords:
    """Compute a session's records again from the states that its cycles answered.

    The records give the desired poses and the generator's rates; goal, goal velocity and torques
    are computed anew from the first record on, and so are the poses, each from the record before.
    They agree with the records to rounding, as long as the session was not tuned and kept its
    tool, and, for the poses, its targets stood still.

    Args:
        records: (N,) of `record_dtype`, from the session's first cycle on without a gap.
        states: (N, state size) rows, or states; each the one that its cycle answered.
        chain: From the base to the controlled link.
        bodies: Of the arm, down to its flange.
        arm: The arm's table.
        options: Of the session, with a torque law as their backend.

    Raises:
        InvalidArgumentError: Records and states differ in number, have other fields, or a state is
            none that a cycle can answer; or chain, bodies and arm do not fit together. Also a
            `ValueError`.
    """
    chosen = CartesianOptions() if options is None else options
    for name, value, kind in (
        ("records", records, np.ndarray),
        ("chain", chain, ChainPlan),
        ("bodies", bodies, DynamicsPlan),
        ("arm", arm, ArmTable),
        ("options", chosen, CartesianOptions),
        ("backend", getattr(chosen, "backend", None), ImpedanceOptions),
    ):
        check_kind(name, value, kind)
    rows = _state_rows(states)
    _check(records, rows, chain, bodies, arm)
    rerun = _Rerun(chain.data, bodies.data, arm.n, chosen.packed(arm))
    count = len(records)
    out = ReplayedRecords(np.full((count, 16), np.nan), *(np.empty((count, arm.n)) for _ in "123"))
    holds = count - _held_rows(records)
    restarted = True
    for k in range(count):
        if not restarted and k < holds and records["leash_alteration"][k] == 0.0:
            out.pose[k] = _generated(records[k - 1], records[k], chosen)
        if rerun.cycle(rows[k], records[k], holding=k >= holds) < 0:
            raise InvalidArgumentError(f"states: row {k} is no state to answer", field="states")
        if rerun.work.number("beyond") != 0.0:
            out.pose[k] = np.nan
        for name in ("goal", "goal_velocity", "tau"):
            part = {"goal": out.q_goal, "goal_velocity": out.dq_goal, "tau": out.tau}[name]
            part[k] = rerun.work.read(name, arm.n)
        restarted = rerun.restarts
    return out


class _Rerun:
    """The cycle without its generator, on a memory of its own."""

    def __init__(self, chain: Array, bodies: Array, n: int, options: Array) -> None:
        self.work = Workspace()
        self.restarts = False
        self._chain, self._bodies, self._n, self._options = chain, bodies, n, options

    def cycle(self, state: Array, record: np.void, *, holding: bool) -> int:
        """Compute one cycle; below zero if the state cannot be answered."""
        memory, n, options = self.work.memory, self._n, self._options
        fault = int(read_state(state, memory, n))
        if fault < 0:
            return fault
        solve_chain(self._chain, memory, n, M_q, M_pose, M_jacobian)
        place(memory, M_pose, M_measured)
        if self.work.number("started") == 0.0:
            anchor(options, memory, state, n)
        self._take(record, holding)
        if holding:
            self.work.write("beyond", 0.0)
        else:
            seek(options, self._chain, memory, False)
        step_goal(options, self._chain, memory)
        set_goal_velocity(options, memory, n)
        feed_forward(options, memory, n)
        soften(options, memory, n)
        update_walls(memory)
        self.restarts = bool(needs_restart(options, memory))
        self.work.write("cap_scale", float(record["cap_scale"]))
        set_torques(options, self._bodies, memory, n)
        self.work.write("cycle", self.work.number("cycle") + 1.0)
        return 0

    def _take(self, record: np.void, holding: bool) -> None:
        """Write what the generator gave."""
        memory = self.work.memory
        pose = record["pose"].reshape(4, 4).T
        self.work.write("desired", np.append(pose[:3, 3], pose[:3, :3].ravel()))
        self.work.write("holding", float(holding))
        for name in ("leash_alteration", "leash_angular_alteration"):
            self.work.write(name, float(record[name]))
        velocity, acceleration, turning, gaining = (record[name] for name in MOTION)
        at = M_generator + G_velocity
        memory[at : at + 6] = np.append(velocity, turning)
        at = M_generator + G_acceleration
        memory[at : at + 6] = np.append(acceleration, gaining)
        target = np.append(record["target"], record["target_orientation"])
        self.work.write("target_changed", float((target != self.work.read("target", 7)).any()))
        self.work.write("target", target)
        self.work.write("target_rotation", rotation_matrix(target[3:]).ravel())


def _generated(before: np.void, record: np.void, options: CartesianOptions) -> Array:
    """Return the pose (16,) that one step of the generator leads to."""
    target = np.eye(4)
    target[:3, :3] = rotation_matrix(record["target_orientation"])
    target[:3, 3] = record["target"]
    step = step_pose(
        before["pose"].reshape(4, 4).T,
        np.append(before["velocity"], before["angular_velocity"]),
        np.append(before["acceleration"], before["angular_acceleration"]),
        target,
        options,
    )
    return step.pose.T.ravel()


def _held_rows(records: npt.NDArray[np.void]) -> int:
    """Return how many of the last records belong to the hold: nothing moves in them at all."""
    moving = np.zeros(len(records), dtype=bool)
    for name in (*MOTION, "dq_goal"):
        moving |= records[name].any(axis=1)
    found = np.flatnonzero(moving)
    return len(records) - 1 - int(found[-1]) if found.size else 0


def _state_rows(states: Sequence[RobotState] | Array) -> Array:
    if isinstance(states, np.ndarray):
        rows = np.ascontiguousarray(as_numbers("states", states))
    else:
        if not isinstance(states, Sequence):
            raise refuse("states", states, "is no sequence of states")
        for state in states:
            check_kind("states", state, RobotState)
        rows = np.array([state.row for state in states]).reshape(-1, STATE_SIZE)
    if rows.ndim != 2 or rows.shape[1] != STATE_SIZE:
        raise InvalidArgumentError(
            f"states: shape {rows.shape}, expected (N, {STATE_SIZE})", field="states"
        )
    return rows


def _check(
    records: npt.NDArray[np.void],
    rows: Array,
    chain: ChainPlan,
    bodies: DynamicsPlan,
    arm: ArmTable,
) -> None:
    names = {name for name, _ in RECORD_FIELDS}
    if not names <= set(records.dtype.names or ()):
        raise InvalidArgumentError("records: no records of Cartesian targets", field="records")
    if len(records) != len(rows):
        raise InvalidArgumentError(
            f"states: {len(rows)} of them for {len(records)} records", field="states"
        )
    for name, data in (("chain", chain.data), ("bodies", bodies.data)):
        if data[0] != arm.n:
            raise InvalidArgumentError(
                f"{name}: {data[0]:.0f} joints, the arm has {arm.n}", field=name
            )
