"""Checks of what clients send: payloads to numbers for the loop, or a refusal.

A simulated robot refuses what section 14 of fci-protocol documents as out of range: numbers that
are not finite, negative stiffness or mass, lower thresholds above upper ones, frames that are not
homogeneous. It also refuses loads and frames whose sizes are those of no arm.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegraph.robot.sim.codes_layout import (
    R_CARTESIAN_IMPEDANCE,
    R_COLLISION,
    R_EE_TO_K,
    R_FILTERS,
    R_GUIDING,
    R_JOINT_IMPEDANCE,
    R_LOAD,
    R_MOVE,
    R_NE_TO_EE,
)
from kinegraph.robot.wire.protocol import Protocol
from kinegraph.scene.array_types import Array

__all__ = ["SETTERS", "Arguments", "is_homogeneous", "read_arguments"]

UNIT_TOLERANCE = 1e-5
MAX_JOINT_STIFFNESS = 14250.0
MAX_FORCE_STIFFNESS, MAX_TORQUE_STIFFNESS = (10.0, 3000.0), (1.0, 300.0)
FILTER_RANGE = (1.0, 1000.0)
# What no arm carries or reaches, whatever its units: m, kg, kg m^2. Not published.
MAX_DISTANCE, MAX_MASS, MAX_INERTIA = 10.0, 1e3, 1e4

SETTERS = {
    "SetCollisionBehavior": R_COLLISION,
    "SetJointImpedance": R_JOINT_IMPEDANCE,
    "SetCartesianImpedance": R_CARTESIAN_IMPEDANCE,
    "SetGuidingMode": R_GUIDING,
    "SetEEToK": R_EE_TO_K,
    "SetNEToEE": R_NE_TO_EE,
    "SetLoad": R_LOAD,
    "SetFilters": R_FILTERS,
}
"""Requests of the loop for the setters of both versions."""


@dataclass(frozen=True, slots=True, eq=False)
class Arguments:
    """What the loop is handed: a kind of request, numbers and flags."""

    kind: int
    numbers: Array
    flags: tuple[int, ...] = ()


def read_arguments(protocol: Protocol, command: str, payload: bytes) -> Arguments | None:
    """Read the payload of a Move or a setter; None when a robot would not take its values.

    Args:
        protocol: Protocol of the version that is served.
        command: Name of the command.
        payload: The bytes behind the header.
    """
    dtype = protocol.dtype(f"{command}.Request")
    if len(payload) != dtype.itemsize:
        return None
    record = np.frombuffer(payload, dtype)[0]
    if command == "Move":
        return _read_move(record)
    flags: tuple[int, ...] = ()
    if command == "SetGuidingMode":
        flags = tuple(int(bool(flag)) for flag in payload)
        return Arguments(SETTERS[command], np.zeros(0), flags)
    numbers = np.concatenate([np.atleast_1d(record[name]) for name in dtype.names or ()])
    if not np.isfinite(numbers).all() or not _CHECKS[command](numbers):
        return None
    return Arguments(SETTERS[command], numbers)


def _read_move(record: Any) -> Arguments | None:
    deviations = [record[name] for name in record.dtype.names if name.startswith("maximum_p")]
    deviations += [record[name] for name in record.dtype.names if name.startswith("maximum_g")]
    if not all(np.isfinite(value) and value > 0.0 for value in deviations):
        return None
    controller, generator = int(record["controller_mode"]), int(record["motion_generator_mode"])
    if controller > 2 or generator > 4:
        return None
    asynchronous, speeds = 0, np.zeros(7)
    if "use_async_motion_generator" in record.dtype.names:
        asynchronous = int(record["use_async_motion_generator"] != 0)
        speeds = np.array(record["maximum_velocity"], float)
    if not np.isfinite(speeds).all() or (speeds < 0.0).any():
        return None
    return Arguments(R_MOVE, speeds, (controller, generator, asynchronous))


def _thresholds_fit(values: Array) -> bool:
    torques, forces = values[:28].reshape(4, 7), values[28:].reshape(4, 6)
    pairs = [(table[low], table[low + 1]) for table in (torques, forces) for low in (0, 2)]
    return bool((values >= 0.0).all()) and all((low <= high).all() for low, high in pairs)


def _joint_stiffness_fits(values: Array) -> bool:
    return bool(((values >= 0.0) & (values <= MAX_JOINT_STIFFNESS)).all())


def _cartesian_stiffness_fits(values: Array) -> bool:
    halves = ((values[:3], MAX_FORCE_STIFFNESS), (values[3:], MAX_TORQUE_STIFFNESS))
    return all(((half >= low) & (half <= high)).all() for half, (low, high) in halves)


def is_homogeneous(values: Array) -> bool:
    """Whether sixteen column-major numbers are a transformation as libfranka tests it."""
    matrix = values.reshape(4, 4, order="F")
    if not np.array_equal(matrix[3], (0.0, 0.0, 0.0, 1.0)):
        return False
    norms = [np.linalg.norm(matrix[:3, :3], axis=axis) for axis in (0, 1)]
    return bool((np.abs(np.array(norms) - 1.0) <= UNIT_TOLERANCE).all())


def _frame_fits(values: Array) -> bool:
    return is_homogeneous(values) and bool((np.abs(values[12:15]) <= MAX_DISTANCE).all())


def _load_fits(values: Array) -> bool:
    near = (np.abs(values[1:4]) <= MAX_DISTANCE).all()
    small = 0.0 <= values[0] <= MAX_MASS and (np.abs(values[4:]) <= MAX_INERTIA).all()
    return bool(near and small)


def _filters_fit(values: Array) -> bool:
    return bool(((values >= FILTER_RANGE[0]) & (values <= FILTER_RANGE[1])).all())


_CHECKS: dict[str, Callable[[Array], bool]] = {
    "SetCollisionBehavior": _thresholds_fit,
    "SetJointImpedance": _joint_stiffness_fits,
    "SetCartesianImpedance": _cartesian_stiffness_fits,
    "SetEEToK": _frame_fits,
    "SetNEToEE": _frame_fits,
    "SetLoad": _load_fits,
    "SetFilters": _filters_fit,
}
