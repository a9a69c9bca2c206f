"""What one cycle of the Cartesian controller sent: one at a time, or as a structured array."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.control.record_layout import (
    RECORD_FIELDS,
    RECORD_OFFSETS,
    RECORD_SIZE,
)
from kinegraph.robot.control.table_layout import MAX_JOINTS
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array

__all__ = ["CartesianSent", "record_dtype", "records_from_rows", "view_rows"]

TYPES = {
    "pinned": np.dtype(np.int8),
    "wall_age": np.dtype(np.int8),
    "ik_passes": np.dtype(np.uint32),
    "stalled": np.dtype(np.bool_),
    "held": np.dtype(np.bool_),
}
"""Types of the fields that are no float64."""


@dataclass(frozen=True, slots=True, eq=False)
class CartesianSent:
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
        q_goal: (n,) goal of the law, rad.
        dq_goal: (n,) its velocity as the law sees it, rad/s; zero at first and while holding.
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

    @classmethod
    def from_row(cls, row: Array, joints: int = 7) -> "CartesianSent":
        """Return the record in a row of the ring.

        Args:
            row: (RECORD_SIZE,) see `record_layout`.
            joints: Number of joints of the arm.

        Raises:
            InvalidArgumentError: The row has another size.
        """
        (record,) = records_from_rows(np.atleast_2d(row), joints)
        values: dict[str, Any] = {}
        for name in (field.name for field in fields(cls)):
            value = record[name]
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
                values[name] = value
            else:
                values[name] = value.item()
        return cls(**values)

    def __eq__(self, other: object) -> bool:
        """Compare every field exactly."""
        if not isinstance(other, CartesianSent):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]


def shape_of(name: str, joints: int) -> tuple[int, ...]:
    """Return the shape of a field for an arm of `joints` joints."""
    count = dict(RECORD_FIELDS)[name]
    if count == 1:
        return ()
    return (joints,) if count == MAX_JOINTS else (count,)


def record_dtype(joints: int = 7) -> np.dtype[np.void]:
    """Return the structured type of records: the fields of `CartesianSent` with their types.

    Args:
        joints: Number of joints of the arm.
    """
    return np.dtype(
        [
            (name, TYPES.get(name, np.dtype(np.float64)), shape_of(name, joints))
            for name, _ in RECORD_FIELDS
        ]
    )


def check_rows(rows: Array, joints: int) -> Array:
    """Return rows of the ring as an array, or raise InvalidArgumentError."""
    if type(rows) is not np.ndarray or rows.dtype != np.float64:
        rows = as_numbers("rows", rows)  # a copy; rows of the ring are not copied
    if rows.ndim != 2 or rows.shape[1] != RECORD_SIZE:
        raise InvalidArgumentError(
            f"rows: shape {rows.shape}, expected (N, {RECORD_SIZE})", field="rows"
        )
    if not 1 <= joints <= MAX_JOINTS:
        raise InvalidArgumentError(
            f"joints: {joints!r} is outside [1, {MAX_JOINTS}]", field="joints"
        )
    return rows


def view_rows(rows: Array, joints: int = 7) -> npt.NDArray[np.void]:
    """Return rows of the ring as a structured array without copying; every field is float64.

    Args:
        rows: (N, RECORD_SIZE) C-contiguous.
        joints: Number of joints of the arm.

    Returns:
        (N,) with the fields of `CartesianSent`.

    Raises:
        InvalidArgumentError: The rows have another size.
    """
    rows = check_rows(rows, joints)
    names = [name for name, _ in RECORD_FIELDS]
    dtype = np.dtype(
        {
            "names": names,
            "formats": [(np.float64, shape_of(name, joints)) for name in names],
            "offsets": [8 * RECORD_OFFSETS[name] for name in names],
            "itemsize": 8 * RECORD_SIZE,
        }
    )
    return np.ascontiguousarray(rows).view(dtype)[:, 0]


def records_from_rows(rows: Array, joints: int = 7) -> npt.NDArray[np.void]:
    """Return rows of the ring as a structured array with the fields' own types.

    Args:
        rows: (N, RECORD_SIZE).
        joints: Number of joints of the arm.

    Returns:
        (N,) of `record_dtype`, a copy.

    Raises:
        InvalidArgumentError: The rows have another size.
    """
    view = view_rows(rows, joints)
    out = np.empty(view.shape, record_dtype(joints))
    for name, _ in RECORD_FIELDS:
        out[name] = view[name]
    return out
