"""What one cycle of a target controller sent: one at a time, or as a structured array."""

from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from kinegraph.robot.argument_checks import as_numbers, check_whole
from kinegraph.robot.control.checks import check_shape
from kinegraph.robot.control.frozen_data import FrozenData
from kinegraph.robot.control.record_layout import JOINT_RECORD_FIELDS, RECORD_FIELDS
from kinegraph.robot.control.table_layout import MAX_JOINTS
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.field_offsets import offsets
from kinegraph.scene.array_types import Array

__all__ = [
    "CartesianSent",
    "JointSent",
    "TargetRecord",
    "record_dtype",
    "records_from_rows",
    "view_rows",
]

TYPES = {
    "pinned": np.dtype(np.int8),
    "wall_age": np.dtype(np.int8),
    "ik_passes": np.dtype(np.uint32),
    "stalled": np.dtype(np.bool_),
    "held": np.dtype(np.bool_),
}
"""Types of the fields that are no float64."""


R = TypeVar("R", bound="TargetRecord")


class TargetRecord(FrozenData):
    """A record of a target controller; its subclasses are made by the kind of controller.

    Attributes:
        layout: Fields of a row in the ring, with their numbers of entries.
    """

    __slots__ = ()
    layout: ClassVar[tuple[tuple[str, int], ...]] = ()

    def __post_init__(self) -> None:
        for name, _ in self.layout:
            value = getattr(self, name)
            if isinstance(value, np.ndarray) and value.flags.writeable:
                value = value.copy()
                value.setflags(write=False)
                object.__setattr__(self, name, value)

    @classmethod
    def from_row(cls: type[R], row: Array, joints: int = 7) -> R:
        """Return the record in a row of the ring.

        Args:
            row: (record size,) see `record_layout`.
            joints: Number of joints of the arm.

        Raises:
            InvalidArgumentError: The row has another size.
        """
        size = sum(count for _, count in cls.layout)
        (record,) = records_from_rows(check_shape("row", row, (size,))[None], joints, cls)
        values: dict[str, Any] = {}
        for name, _ in cls.layout:
            value = record[name]
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
                values[name] = value
            else:
                values[name] = value.item()
        return cls(**values)

    def __eq__(self, other: object) -> bool:
        """Compare every field exactly."""
        if type(other) is not type(self):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name, _ in self.layout
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True, eq=False)
class CartesianSent(TargetRecord):
    """What one cycle sent.

    `stalled`, `held`, `wall_age`, `cap_scale` and `pinned` describe this cycle's goal and act on
    the generator in the next cycle; `ik_blend` was decided by the previous cycle's `stalled`; the
    leash's alterations refer to the desired pose that the previous cycle left.

    Attributes:
        pose: (16,) desired pose that the inverse kinematics follows, column-major, base frame.
        orientation: (4,) its quaternion x, y, z, w, w >= 0.
        target: (3,) position planned to, m.
        target_orientation: (4,) quaternion x, y, z, w planned to.
        velocity: (3,) the generator's, at the end of the cycle, m/s; zero while holding.
        acceleration: (3,) m/s^2.
        angular_velocity: (3,) base frame, rad/s.
        angular_acceleration: (3,) rad/s^2.
        backstop_alteration: How far the pose limiter moved the position, m; 0 with the impedance
            backend.
        backstop_angular_alteration: The same for the orientation, rad.
        q_goal: (n,) goal of the inverse kinematics, which the law follows, rad.
        dq_goal: (n,) difference of this goal and the last by the cycle's time, behind the low-pass
            of `velocity_feedforward_cutoff`, rad/s; whether or not the law uses it. Zero at first
            and while holding.
        cap_scale: Share of the generator's step that the goal carried when the generator was
            restarted; exactly 1 otherwise.
        pinned: (n,) 0 free, -1 / +1 on the lower / upper position bound, -2 / +2 on the velocity
            bound.
        tau: (n,) torques, clamped, before filter and rate limiter, Nm.
        tau_envelope: (n,) the velocity envelope's share, before the clamp, Nm.
        tau_position: (n,) the position envelope's share, before the clamp, Nm.
        ik_error: Weighted norm of what is left to the desired pose, m.
        ik_passes: Passes of the active set in all solves of the cycle.
        stall_pressure: Largest pressure on a position pin, m per cycle.
        stalled: Whether the goal is stuck at a position limit.
        ik_step: Largest raw step of the cycle's solves, rad.
        ik_step_clipped: What the box took off that same solve, rad.
        ik_blend: 0 weighted task, 1 position first.
        held: Whether the generator was held: stalled, or a wall is alive.
        wall_age: (2,) cycles since translation and rotation were last pushed on a wall, -1 none.
        leash_alteration: What the leash took off the position, m.
        leash_angular_alteration: What the leash took off the orientation, rad.
    """

    layout: ClassVar[tuple[tuple[str, int], ...]] = RECORD_FIELDS

    pose: Array
    orientation: Array
    target: Array
    target_orientation: Array
    velocity: Array
    acceleration: Array
    angular_velocity: Array
    angular_acceleration: Array
    backstop_alteration: float
    backstop_angular_alteration: float
    q_goal: Array
    dq_goal: Array
    cap_scale: float
    pinned: npt.NDArray[np.int8]
    tau: Array
    tau_envelope: Array
    tau_position: Array
    ik_error: float
    ik_passes: int
    stall_pressure: float
    stalled: bool
    ik_step: float
    ik_step_clipped: float
    ik_blend: float
    held: bool
    wall_age: npt.NDArray[np.int8]
    leash_alteration: float
    leash_angular_alteration: float


@dataclass(frozen=True, slots=True, eq=False)
class JointSent(TargetRecord):
    """What one cycle of the joint controller sent.

    `cap_scale` and `pinned` describe this cycle's goal and act on the generator in the next cycle.
    With `RobotController` there is no goal and no law: their fields are zeros, `cap_scale` 1.

    Attributes:
        q: (n,) joint positions sent, rad: the law's goal, or what the robot's controller follows.
        target: (n,) positions planned to, rad.
        velocity: (n,) the generator's, at the end of the cycle, rad/s; zero while holding.
        acceleration: (n,) rad/s^2.
        backstop_alteration: The most that the limiter moved a joint, rad; 0 with the impedance
            backend.
        q_goal: (n,) goal, which the law follows, rad.
        dq_goal: (n,) difference of this goal and the last by the cycle's time, rad/s; whether or
            not the law uses it. Zero at first and while holding.
        cap_scale: Share of the generator's step that the goal carried; exactly 1 unless it was
            held back.
        pinned: (n,) 0 free, -1 / +1 on the lower / upper position bound, -2 / +2 on the velocity
            bound.
        tau: (n,) torques, clamped, before filter and rate limiter, Nm.
        tau_envelope: (n,) the velocity envelope's share, before the clamp, Nm.
        tau_position: (n,) the position envelope's share, before the clamp, Nm.
        leash_alteration: The most that the leash took off a joint, rad.
    """

    layout: ClassVar[tuple[tuple[str, int], ...]] = JOINT_RECORD_FIELDS

    q: Array
    target: Array
    velocity: Array
    acceleration: Array
    backstop_alteration: float
    q_goal: Array
    dq_goal: Array
    cap_scale: float
    pinned: npt.NDArray[np.int8]
    tau: Array
    tau_envelope: Array
    tau_position: Array
    leash_alteration: float


def shape_of(count: int, joints: int) -> tuple[int, ...]:
    """Return the shape of a field of `count` entries for an arm of `joints` joints."""
    if count == 1:
        return ()
    return (joints,) if count == MAX_JOINTS else (count,)


def record_dtype(joints: int = 7, kind: type[TargetRecord] = CartesianSent) -> np.dtype[np.void]:
    """Return the structured type of records: the fields of their class with their types.

    Args:
        joints: Number of joints of the arm.
        kind: `CartesianSent` or `JointSent`.

    Raises:
        InvalidArgumentError: No number of joints, or no kind of records. Also a `ValueError`.
    """
    check_layout(joints, kind)
    return np.dtype(
        [
            (name, TYPES.get(name, np.dtype(np.float64)), shape_of(count, joints))
            for name, count in kind.layout
        ]
    )


def check_rows(rows: Array, size: int) -> Array:
    """Return rows of the ring as an array, or raise InvalidArgumentError."""
    if type(rows) is not np.ndarray or rows.dtype != np.float64:
        rows = as_numbers("rows", rows)  # a copy; rows of the ring are not copied
    if rows.ndim != 2 or rows.shape[1] != size:
        raise InvalidArgumentError(f"rows: shape {rows.shape}, expected (N, {size})", field="rows")
    return rows


def check_layout(joints: int, kind: type[TargetRecord]) -> None:
    """Raise InvalidArgumentError for no number of joints, or no kind of records."""
    check_whole("joints", joints, 1, MAX_JOINTS)
    if not isinstance(kind, type) or not issubclass(kind, TargetRecord) or not kind.layout:
        raise InvalidArgumentError(
            f"kind: {kind!r:.100} is neither CartesianSent nor JointSent", field="kind"
        )


def view_rows(
    rows: Array, joints: int = 7, kind: type[TargetRecord] = CartesianSent
) -> npt.NDArray[np.void]:
    """Return rows of the ring as a structured array without copying; every field is float64.

    Args:
        rows: (N, record size) C-contiguous.
        joints: Number of joints of the arm.
        kind: `CartesianSent` or `JointSent`.

    Returns:
        (N,) with the fields of the class.

    Raises:
        InvalidArgumentError: The rows have another size.
    """
    check_layout(joints, kind)
    size = sum(count for _, count in kind.layout)
    rows = check_rows(rows, size)
    at = offsets(kind.layout)
    dtype = np.dtype(
        {
            "names": list(at),
            "formats": [(np.float64, shape_of(count, joints)) for _, count in kind.layout],
            "offsets": [8 * start for start in at.values()],
            "itemsize": 8 * size,
        }
    )
    return np.ascontiguousarray(rows).view(dtype)[:, 0]


def records_from_rows(
    rows: Array, joints: int = 7, kind: type[TargetRecord] = CartesianSent
) -> npt.NDArray[np.void]:
    """Return rows of the ring as a structured array with the fields' own types.

    Args:
        rows: (N, record size).
        joints: Number of joints of the arm.
        kind: `CartesianSent` or `JointSent`.

    Returns:
        (N,) of `record_dtype`, a copy.

    Raises:
        InvalidArgumentError: The rows have another size.
    """
    view = view_rows(rows, joints, kind)
    out = np.empty(view.shape, record_dtype(joints, kind))
    for name, _ in kind.layout:
        out[name] = view[name]
    return out
