"""What a callback returns: torques, joint positions or velocities, poses or twists.

Seed: `control_types` of libfranka-rs and libfranka; rules in fci-protocol 13.
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from kinegraph.robot import conversion_codes as codes
from kinegraph.robot.command_base import (
    TORQUES,
    Command,
    Motion,
    checked_cutoff,
    flat_limits,
    kernels,
)
from kinegraph.robot.command_checks import (
    check_elbow,
    check_finite,
    check_pose,
    elbow_values,
    pose_values,
    values_of,
)
from kinegraph.robot.command_rows import ControllerCommand, MotionGeneratorCommand, command_row
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.limits import DEFAULT_CUTOFF_FREQUENCY, RateLimits
from kinegraph.robot.state import RobotState
from kinegraph.scene.array_types import Array
from kinegraph.scene.pose import TransformLike

__all__ = [
    "CartesianPose",
    "CartesianVelocities",
    "ControllerCommand",
    "JointPositions",
    "JointVelocities",
    "MotionGeneratorCommand",
    "Torques",
    "motion_finished",
]

C = TypeVar("C", bound=Command)


class Torques(Command):
    """Joint torques without gravity and friction.

    Args:
        tau_J: (7,) Nm.
        motion_finished: Whether the motion ends with this command.

    Raises:
        InvalidArgumentError: Not seven finite numbers. Also a `ValueError`.
    """

    __slots__ = ()

    FIELD = "tau_J"

    def __init__(self, tau_J: ArrayLike, motion_finished: bool = False) -> None:
        values = values_of(tau_J, 7, "tau_J")
        check_finite(values, "tau_J")
        self._hold(values, motion_finished)

    @property
    def tau_J(self) -> Array:
        """(7,) Nm, read-only."""
        return self._values

    def convert_torques(
        self,
        robot_state: RobotState,
        command: ControllerCommand | Array,
        cutoff_frequency: float = DEFAULT_CUTOFF_FREQUENCY,
        limit_rate: bool = False,
        *,
        limits: RateLimits | None = None,
    ) -> None:
        """Fill `tau_J_d` of `command`: low-pass filter, rate limiter, check.

        Args:
            robot_state: The state that is answered; its `tau_J_d` is the reference of both.
            command: What is filled; nothing changes when the call fails.
            cutoff_frequency: Hz; 1000 and more means no filter.
            limit_rate: Whether the torque rate is limited.
            limits: Left out: those of an FR3.

        Raises:
            InvalidArgumentError: A number is not finite, or the cutoff is not positive. Also a
                `ValueError`.
        """
        target = command_row(command)
        row = target.copy()
        code = kernels().convert_torques(
            checked_cutoff(cutoff_frequency),
            bool(limit_rate),
            robot_state.row.copy(),
            flat_limits(limits),
            self._values.copy(),
            row,
        )
        codes.refuse(code)
        target[TORQUES] = row[TORQUES]


class JointPositions(Motion):
    """Joint positions.

    Args:
        q: (7,) rad.
        motion_finished: Whether the motion ends with this command.

    Raises:
        InvalidArgumentError: Not seven finite numbers. Also a `ValueError`.
    """

    __slots__ = ()

    FIELD = "q"
    KIND = codes.JOINT_POSITIONS

    def __init__(self, q: ArrayLike, motion_finished: bool = False) -> None:
        values = values_of(q, 7, "q")
        check_finite(values, "q")
        self._hold(values, motion_finished)

    @property
    def q(self) -> Array:
        """(7,) rad, read-only."""
        return self._values


class JointVelocities(Motion):
    """Joint velocities.

    Args:
        dq: (7,) rad/s.
        motion_finished: Whether the motion ends with this command.

    Raises:
        InvalidArgumentError: Not seven finite numbers. Also a `ValueError`.
    """

    __slots__ = ()

    FIELD = "dq"
    KIND = codes.JOINT_VELOCITIES

    def __init__(self, dq: ArrayLike, motion_finished: bool = False) -> None:
        values = values_of(dq, 7, "dq")
        check_finite(values, "dq")
        self._hold(values, motion_finished)

    @property
    def dq(self) -> Array:
        """(7,) rad/s, read-only."""
        return self._values


class CartesianMotion(Motion):
    """Base of the Cartesian motions: numbers and perhaps an elbow."""

    __slots__ = ("_elbow",)

    _elbow: Array | None

    def _hold_elbow(self, elbow: ArrayLike | None) -> None:
        values = elbow_values(elbow)
        check_elbow(values)
        if values is not None:
            values.setflags(write=False)
        self._elbow = values

    @property
    def elbow(self) -> Array | None:
        """(2,) position of joint 3, rad, and sign of joint 4; None: left to the robot."""
        return self._elbow

    def has_elbow(self) -> bool:
        """Return whether there is an elbow."""
        return self._elbow is not None

    def wanted(self) -> Array:
        """Return the numbers and the elbow as the conversion takes them; zeros for no elbow."""
        return np.concatenate((self._values, (0.0, 0.0) if self._elbow is None else self._elbow))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as lists, `elbow` perhaps None, and `motion_finished`."""
        return {
            self.FIELD: self._values.tolist(),
            "elbow": None if self._elbow is None else self._elbow.tolist(),
            "motion_finished": self.motion_finished,
        }

    @classmethod
    def _field_names(cls) -> tuple[str, ...]:
        return (cls.FIELD, "elbow", "motion_finished")


class CartesianPose(CartesianMotion):
    """A pose of the end effector in the base frame.

    Args:
        O_T_EE: (16,) numbers, column-major, or a 4x4 matrix, or an `Isometry3d`; m.
        elbow: (2,) position of joint 3, rad, and sign of joint 4. None or zeros: left to the
            robot.
        motion_finished: Whether the motion ends with this command.

    Raises:
        InvalidArgumentError: Not finite; last row not exactly 0 0 0 1; a row or column of the
            rotation longer or shorter than 1 by more than 1e-5; or no elbow. Also a `ValueError`.
    """

    __slots__ = ()

    FIELD = "O_T_EE"
    KIND = codes.CARTESIAN_POSE

    def __init__(
        self,
        O_T_EE: TransformLike,
        elbow: ArrayLike | None = None,
        motion_finished: bool = False,
    ) -> None:
        values = pose_values(O_T_EE, "O_T_EE")
        check_pose(values, "O_T_EE")
        self._hold(values, motion_finished)
        self._hold_elbow(elbow)

    @property
    def O_T_EE(self) -> Array:
        """(16,) column-major, m, read-only."""
        return self._values


class CartesianVelocities(CartesianMotion):
    """A twist of the end effector: about its origin, in the axes of the base frame.

    Args:
        O_dP_EE: (6,) linear m/s, then angular rad/s.
        elbow: (2,) position of joint 3, rad, and sign of joint 4. None or zeros: left to the
            robot.
        motion_finished: Whether the motion ends with this command.

    Raises:
        InvalidArgumentError: Not six finite numbers, or no elbow. Also a `ValueError`.
    """

    __slots__ = ()

    FIELD = "O_dP_EE"
    KIND = codes.CARTESIAN_VELOCITIES

    def __init__(
        self,
        O_dP_EE: ArrayLike,
        elbow: ArrayLike | None = None,
        motion_finished: bool = False,
    ) -> None:
        values = values_of(O_dP_EE, 6, "O_dP_EE")
        check_finite(values, "O_dP_EE")
        self._hold(values, motion_finished)
        self._hold_elbow(elbow)

    @property
    def O_dP_EE(self) -> Array:
        """(6,) linear m/s, then angular rad/s, read-only."""
        return self._values


def motion_finished(command: C) -> C:
    """Return the same command marked as the last of its motion; the given one stays as it is.

    Raises:
        InvalidArgumentError: It is no command. Also a `ValueError`.
    """
    if not isinstance(command, Command):
        raise InvalidArgumentError(f"motion_finished: {command!r:.200} is no command")
    return type(command).from_dict({**command.to_dict(), "motion_finished": True})
