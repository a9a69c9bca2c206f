"""What a test or a user may look at and do to a simulated robot, besides what its clients do."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kinegraph.robot.argument_checks import as_numbers, check_whole
from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.recording.recorder import Recorder
from kinegraph.robot.sim.arm import SimulatedArm
from kinegraph.robot.sim.codes_layout import (
    AT_END_EFFECTOR,
    IN_BASE,
    IN_END_EFFECTOR,
    IN_FLANGE,
    R_PLACE,
    R_PUSH,
    R_PUSH_JOINTS,
    R_TRUE_LOAD,
    R_WALL,
    SUCCESS,
    WALLS,
)
from kinegraph.robot.sim.int_layout import (
    INT_OFFSETS,
    N_override,
    N_trace_rows,
    N_tracing,
    N_wall_count,
    N_wall_id,
)
from kinegraph.robot.sim.mailbox import Mailbox
from kinegraph.robot.sim.memory import JOINTS
from kinegraph.robot.sim.payloads import is_homogeneous
from kinegraph.robot.sim.recorded import CycleRows
from kinegraph.robot.sim.tool import SimulatedTool, check_tool
from kinegraph.robot.sim.troubles import SimulatedTroubles
from kinegraph.robot.wire.error_bits import ERROR_NAMES
from kinegraph.robot.wire.state_layout import STATE_SIZE
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.errors import suggestion

__all__ = ["SimulatedWorld", "joint_numbers"]

WALL_MAX = 2**31 - 1
# Cycles that the ring holds at least: a recorder empties it five times a second.
RECORDED_ROWS = 4096

COUNTERS = (
    "states_sent",
    "send_failures",
    "accepted",
    "lost",
    "late",
    "early",
    "duplicate",
    "malformed",
    "unasked",
    "violations",
    "slips",
    "cycles",
    "motions",
    "reflexes",
    "lost_in_row",
    "worst_lost_in_row",
)
PUSH_FRAMES = {"base": IN_BASE, "end_effector": IN_END_EFFECTOR, "flange": IN_FLANGE}


class SimulatedWorld(SimulatedTroubles):
    """The plant and its surroundings, reached past the protocol.

    Args:
        arm: The arm that is simulated.
        trace: Newest cycles to keep in memory.
    """

    def __init__(self, arm: SimulatedArm, trace: int) -> None:
        self._arm = arm
        self._memory = arm.build(max(trace, RECORDED_ROWS))
        self._memory.n[N_tracing] = int(trace > 0)
        self._trace_rows = trace
        super().__init__(Mailbox(self._memory), arm.version)

    @property
    def urdf(self) -> str:
        """The description that is served."""
        return self._arm.urdf

    @property
    def q(self) -> Array:
        """(7,) joint positions of the plant, rad."""
        return self._memory.part("q", JOINTS).copy()

    @property
    def dq(self) -> Array:
        """(7,) joint velocities of the plant, rad/s."""
        return self._memory.part("dq", JOINTS).copy()

    @property
    def state(self) -> Array:
        """(STATE_SIZE,) newest state row, binary64, as `state_layout` names it.

        In real time it may be read while it is written; stop the robot or step it for a state that
        is of one piece, or keep a trace.
        """
        return self._memory.part("state", STATE_SIZE).copy()

    def flange_pose(self, q: VectorLike | None = None) -> Array:
        """(4, 4) pose of the flange in the base by the plant's own kinematics, m.

        Args:
            q: Joint positions, rad; None for the plant's own.
        """
        from kinegraph.kinematics.chain_kernels import chain_pose

        pose = np.empty((4, 4))
        values = self.q if q is None else joint_numbers("q", q)
        chain_pose(self._memory.tail("chain"), values, pose)
        return pose

    def end_effector_pose(self, q: VectorLike | None = None) -> Array:
        """(4, 4) pose of the end effector, `flange_pose` times the configured F_T_EE."""
        tool = self._memory.part("F_T_EE", 16).reshape(4, 4, order="F")
        return np.asarray(self.flange_pose(q) @ tool)

    @property
    def counters(self) -> dict[str, int]:
        """What happened since the robot was made.

        `accepted` commands were in time, `lost` cycles of a motion after its first command had
        none; `late`, `early`, `duplicate`, `malformed` and `unasked` datagrams were dropped.
        `violations` of limits are counted with and without enforcement. `slips` are states that
        the machine let be more than half a millisecond late.
        """
        return {name: int(self._memory.n[INT_OFFSETS[name]]) for name in COUNTERS}

    @property
    def errors(self) -> tuple[str, ...]:
        """Names of the present errors."""
        return self._flags("errors")

    @property
    def reflex_reason(self) -> tuple[str, ...]:
        """Names of the errors that ended the last motion."""
        return self._flags("reason")

    def _flags(self, name: str) -> tuple[str, ...]:
        at = INT_OFFSETS[name]
        flags = self._memory.n[at : at + len(ERROR_NAMES)]
        return tuple(text for text, flag in zip(ERROR_NAMES, flags, strict=True) if flag)

    def trace(self) -> tuple[Array, Array]:
        """States of the newest cycles and the commands used in them, oldest first.

        Returns:
            (k, STATE_SIZE) state rows and (k, COMMAND_SIZE) command rows; a command row is NaN
            where the cycle had none.

        Raises:
            InvalidOperationError: No trace was asked for.
        """
        if self._trace_rows == 0:
            raise InvalidOperationError("trace: the robot was made with trace=0")
        ring = self._memory.ring()
        written = int(self._memory.n[N_trace_rows])
        order = np.arange(max(0, written - self._trace_rows), written) % len(ring)
        return ring[order, :STATE_SIZE], ring[order, STATE_SIZE:]

    def record(self, path: Path | str, notes: Mapping[str, Any] | None = None) -> Recorder:
        """Recorder of every cycle from now on; use it as a context manager, or start and stop it.

        Its file survives a kill and is read back with `read_run`: a table `states`, and a table
        `commands` with the command that was used in each cycle, NaN where there was none.

        Args:
            path: File to be written; an existing one is replaced.
            notes: What else the reader should know; JSON types.

        Raises:
            InvalidArgumentError: Notes that JSON cannot hold. Also a `ValueError`.
        """
        self._memory.n[N_tracing] = 1
        sources = {
            "states": CycleRows(self._memory, commands=False),
            "commands": CycleRows(self._memory, commands=True),
        }
        about = {"fci_version": self.fci_version, "robot_model": self.urdf}
        return Recorder(path, sources, notes, about=about)

    def place(self, q: VectorLike) -> None:
        """Put the arm at rest into a configuration, rad; not during a motion."""
        if self._mailbox.ask(R_PLACE, joint_numbers("q", q)) != SUCCESS:
            raise InvalidOperationError("place: a motion runs")

    def apply_wrench(
        self, wrench: VectorLike, *, frame: str = "base", point: VectorLike | None = None
    ) -> None:
        """Push the last link from now on; zeros end it.

        Args:
            wrench: (6,) force N, then torque Nm about the point, in the axes of `frame`.
            frame: "base", or "end_effector" or "flange" for a push that turns with the arm.
            point: (3,) where the force acts, in `frame`, m; None for the end effector's origin, or
                with "flange" the flange's.

        Raises:
            InvalidArgumentError: No such frame, or not finite numbers. Also a `ValueError`.
        """
        if frame not in PUSH_FRAMES:
            text = f"no frame {frame!r}{suggestion(frame, PUSH_FRAMES)}"
            raise InvalidArgumentError(text, name=frame)
        numbers = _numbers("wrench", wrench, 6)
        place = np.zeros(3) if point is None else _numbers("point", point, 3)
        kind = AT_END_EFFECTOR if frame == "base" and point is None else PUSH_FRAMES[frame]
        self._mailbox.ask(R_PUSH, np.concatenate([numbers, place]), (kind,))

    def apply_torques(self, torques: VectorLike) -> None:
        """Push at the joints from now on, Nm."""
        self._mailbox.ask(R_PUSH_JOINTS, joint_numbers("torques", torques))

    def set_virtual_wall(
        self, wall: int, size: VectorLike, frame: VectorLike | Array, *, active: bool = True
    ) -> None:
        """Set up a virtual wall of version 5: a cuboid that the end effector must not enter.

        Entering one that is active is a reflex (`cartesian_position_limits_violation`).

        Args:
            wall: Its id, as `Robot.get_virtual_wall` asks for it.
            size: (3,) corner opposite to the frame's origin, in the frame, m.
            frame: (4, 4) pose of the corner that is the origin, in the base, m.
            active: Whether it is in force.

        Raises:
            InvalidArgumentError: No such wall, not finite, no transform, or more than eight walls.
                Also a `ValueError`.
            InvalidOperationError: Version 10 has no walls.
        """
        if self.fci_version != 5:
            raise InvalidOperationError("set_virtual_wall: version 10 has no virtual walls")
        check_whole("wall", wall, 0, WALL_MAX)
        pose = np.array(frame, np.float64)
        if pose.shape != (4, 4) or not is_homogeneous(pose.ravel(order="F")):
            raise InvalidArgumentError("frame: a homogeneous transform (4, 4) is needed")
        with self._mailbox.lock:
            known = self._memory.n[N_wall_id : N_wall_id + int(self._memory.n[N_wall_count])]
            slot = next((i for i, other in enumerate(known) if other == wall), len(known))
            if slot >= WALLS:
                raise InvalidArgumentError(f"wall {wall}: there are {WALLS} already", value=wall)
            numbers = np.concatenate([_numbers("size", size, 3), pose.ravel(order="F")])
            self._mailbox.ask(R_WALL, numbers, (slot, wall, int(active)))

    def set_true_load(self, load: SimulatedTool | None) -> None:
        """Hang something on the flange that the robot does not know of; None for what it knows."""
        check_tool("load", load)
        row = np.zeros(13) if load is None else load.row()
        self._mailbox.ask(R_TRUE_LOAD, row, (int(load is not None),))

    def override_state(self, row: Array | None) -> None:
        """Send this row in place of the true state, but for its time; None for the true one.

        Args:
            row: (STATE_SIZE,) numbers as `state_layout` orders them; they may be anything.
        """
        with self._mailbox.lock:
            if row is None:
                self._memory.n[N_override] = 0
                return
            self._memory.put("override", _row(row))
            self._memory.n[N_override] = 1


def _numbers(name: str, values: Any, count: int) -> Array:
    numbers = as_numbers(name, values)
    if numbers.shape != (count,) or not np.isfinite(numbers).all():
        raise InvalidArgumentError(f"{name}: {count} finite numbers wanted, got {values}")
    return numbers


def _row(row: Sequence[float] | Array) -> Array:
    numbers = as_numbers("state row", row)
    if numbers.shape != (STATE_SIZE,):
        raise InvalidArgumentError(f"state row: {STATE_SIZE} numbers wanted, got {numbers.shape}")
    return numbers


def joint_numbers(name: str, values: VectorLike) -> Array:
    """(7,) finite numbers, or an `InvalidArgumentError` that names the argument."""
    return _numbers(name, values, JOINTS)
