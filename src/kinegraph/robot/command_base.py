"""What all commands of a callback have in common, and how a motion is converted."""

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, TypeVar

import numpy as np

from kinegraph.robot import conversion_codes as codes
from kinegraph.robot.argument_checks import check_flag, is_number
from kinegraph.robot.command_rows import MotionGeneratorCommand, command_row
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.limits import DEFAULT_CUTOFF_FREQUENCY, RateLimits, rate_limits
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.state_layout import COMMAND_OFFSETS
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import suggestion

__all__ = ["Command", "Motion", "checked_cutoff", "flat_limits", "kernels"]

C = TypeVar("C", bound="Command")
MOTION = slice(COMMAND_OFFSETS["q_c"], COMMAND_OFFSETS["motion_generation_finished"])
TORQUES = slice(COMMAND_OFFSETS["tau_J_d"], COMMAND_OFFSETS["tau_J_d"] + 7)


@cache
def kernels() -> Any:
    """Return the conversion kernels, imported when first needed: numba takes half a second."""
    from kinegraph.robot import conversion_kernels

    return conversion_kernels


class Command:
    """Base of what a callback returns.

    The numbers are checked when the command is made and cannot be changed; whether the motion ends
    with it can be. Commands compare exactly and are not hashable.

    Attributes:
        motion_finished: Whether the motion ends with this command.
    """

    __slots__ = ("_values", "motion_finished")

    FIELD: ClassVar[str] = ""
    """Name of the field that holds the numbers."""

    _values: Array
    motion_finished: bool

    def _hold(self, values: Array, motion_finished: bool) -> None:
        check_flag("motion_finished", motion_finished)
        values.setflags(write=False)
        self._values = values
        self.motion_finished = bool(motion_finished)

    def is_finished(self) -> bool:
        """Return whether the motion ends with this command."""
        return self.motion_finished

    def set_motion_finished(self, finished: bool) -> None:
        """Set whether the motion ends with this command.

        Raises:
            InvalidArgumentError: Neither True nor False. Also a `ValueError`.
        """
        check_flag("finished", finished)
        self.motion_finished = bool(finished)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as lists, and `motion_finished`."""
        return {self.FIELD: self._values.tolist(), "motion_finished": self.motion_finished}

    @classmethod
    def from_dict(cls: type[C], data: Mapping[str, Any]) -> C:
        """Build from what `to_dict` returns; `motion_finished` and `elbow` may be left out.

        Raises:
            InvalidArgumentError: A field is missing or unknown, or a value does not fit. Also a
                `ValueError`.
        """
        known = cls._field_names()
        if not isinstance(data, Mapping):
            raise InvalidArgumentError(f"{cls.__name__}: {data!r:.200} is no mapping of its fields")
        for name in data:
            if name not in known:
                raise InvalidArgumentError(
                    f"{cls.__name__} has no field {name!r}{suggestion(str(name), known)}"
                )
        if cls.FIELD not in data:
            raise InvalidArgumentError(f"{cls.__name__}: field {cls.FIELD!r} is missing")
        rest = {name: value for name, value in data.items() if name != cls.FIELD}
        return cls(data[cls.FIELD], **rest)  # type: ignore[call-arg]

    @classmethod
    def _field_names(cls) -> tuple[str, ...]:
        return (cls.FIELD, "motion_finished")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, Command):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]  # motion_finished can change

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_dict, (self.to_dict(),)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value}" for name, value in self.to_dict().items())
        return f"{type(self).__name__}({fields})"


class Motion(Command):
    """Base of the commands that a motion generator follows."""

    __slots__ = ()

    KIND: ClassVar[int] = 0
    """Number of the motion generator in the state, 1 to 4."""

    def wanted(self) -> Array:
        """Return the numbers as the conversion takes them; zeros for no elbow."""
        return self._values.copy()

    def convert_motion(
        self,
        robot_state: RobotState,
        command: MotionGeneratorCommand | Array,
        cutoff_frequency: float = DEFAULT_CUTOFF_FREQUENCY,
        limit_rate: bool = False,
        *,
        limits: RateLimits | None = None,
        first: bool = False,
    ) -> None:
        """Fill the motion half of `command`: low-pass filter, rate limiter, check, elbow.

        Fields of other motions become zero. The finished flag of `command` is left alone: it is
        set when the motion ends.

        Args:
            robot_state: The state that is answered. Its `q_d`, `dq_d`, `O_T_EE_c`, `O_dP_EE_c`
                and `elbow_c` are what filter and limiter refer to.
            command: What is filled; nothing changes when the call fails.
            cutoff_frequency: Hz; 1000 and more means no filter.
            limit_rate: Whether velocity, acceleration and jerk are limited.
            limits: Left out: those of an FR3, with the velocities libfranka is tested with.
            first: Whether this is the first command of a loop of version 10: positions and poses
                are then their own reference.

        Raises:
            InvalidArgumentError: A number is not finite, the result is no pose, or the cutoff is
                not positive. Also a `ValueError`.
        """
        if not isinstance(robot_state, RobotState):
            raise InvalidArgumentError(f"robot_state: {robot_state!r:.200} is no RobotState")
        check_flag("limit_rate", limit_rate)
        check_flag("first", first)
        conversion = kernels()
        target = command_row(command)
        row = target.copy()
        code = conversion.convert_motion(
            self.KIND,
            bool(first),
            checked_cutoff(cutoff_frequency),
            bool(limit_rate),
            robot_state.row.copy(),
            flat_limits(limits),
            self.wanted(),
            row,
            np.empty(conversion.CONVERSION_WORK),
        )
        codes.refuse(code, self.KIND)
        target[MOTION] = row[MOTION]


# The kernels get copies: for read-only arrays numba would compile them a second time.
def flat_limits(limits: RateLimits | None) -> Array:
    """Return the limits as the kernels take them; those of an FR3 unless others are given."""
    return (rate_limits(10) if limits is None else limits).array.copy()


def checked_cutoff(frequency: float) -> float:
    """Return a cutoff frequency that is a number.

    Raises:
        InvalidArgumentError: It is none, or NaN, which would pass for no filter. Also a
            `ValueError`.
    """
    if not is_number(frequency) or frequency != frequency:
        raise InvalidArgumentError(f"{codes.FILTER_CUTOFF} ({frequency})")
    return float(frequency)
