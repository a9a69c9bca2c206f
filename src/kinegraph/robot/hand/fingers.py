"""How the simulated hand's fingers move, by time alone.

They are driven at constant speed until they are where they should be, meet an object or each other.
What a hand calls grasped follows libfranka's documentation of `Gripper::grasp`: the fingers close
until they come to rest, and their distance d lies in width - epsilon_inner < d < width +
epsilon_outer. Facts: fci-protocol section 15.
"""

import math
from dataclasses import dataclass
from typing import Literal

from kinegraph.robot.argument_checks import is_number
from kinegraph.robot.errors import InvalidArgumentError

__all__ = ["Fingers", "Outcome"]

Outcome = Literal["Success", "Fail", "Unsuccessful", "Aborted"]

MAX_WIDTH, MAX_SPEED, HOMING_SPEED = 0.08, 0.1, 0.1
# Rounding of a width that is put together from steps.
TOUCH = 1e-9


@dataclass
class _Drive:
    """Where the fingers are driven, and what it is good for."""

    command: str
    target: float
    speed: float
    closing_first: bool = False
    band: tuple[float, float] = (0.0, 0.0)


class Fingers:
    """Two fingers that move against each other.

    Args:
        max_width: Largest distance, m.
        width: Distance at the start, m.

    Attributes:
        width: Distance, m.
        max_width: Largest distance, m.
        is_grasped: Whether an object is held as it was asked for.
    """

    def __init__(self, max_width: float = MAX_WIDTH, width: float | None = None) -> None:
        if not is_number(max_width) or not 0.0 < max_width < math.inf:
            raise InvalidArgumentError(f"max_width is {max_width!r}; a positive width is needed")
        start = max_width if width is None else width
        if not is_number(start) or not 0.0 <= start <= max_width:
            raise InvalidArgumentError(f"width is {width!r}; 0 to {max_width} m are possible")
        self.max_width = float(max_width)
        self.width = float(start)
        self.is_grasped = False
        self._object = 0.0
        self._drive: _Drive | None = None
        self._holding: _Drive | None = None

    @property
    def object_width(self) -> float | None:
        """Width of the object between the fingers, m; None without one."""
        return self._object or None

    @property
    def is_moving(self) -> bool:
        """Whether an action goes on."""
        return self._drive is not None

    def put_object(self, width: float | None) -> None:
        """Put an object between the fingers, or take it away.

        Raises:
            InvalidArgumentError: It does not fit between them. Also a `ValueError`.
        """
        if width is None:
            self._object = 0.0
            return
        if not is_number(width) or not 0.0 < width <= self.width:
            raise InvalidArgumentError(
                f"an object of {width!r} m does not fit between fingers {self.width:g} m apart"
            )
        self._object = float(width)

    # --- actions --------------------------------------------------------------------------------

    def home(self) -> None:
        """Begin to close and to open again."""
        self._begin(_Drive("Homing", self.max_width, HOMING_SPEED, closing_first=True))

    def move(self, width: float, speed: float) -> bool:
        """Begin to move; False when the hand cannot do it."""
        if not (0.0 <= width <= self.max_width and 0.0 < speed < math.inf):
            return False
        self._begin(_Drive("Move", width, min(speed, MAX_SPEED)))
        return True

    def grasp(self, width: float, inner: float, outer: float, speed: float, force: float) -> bool:
        """Begin to grasp; False when the hand cannot do it."""
        numbers = (width, inner, outer, speed, force)
        if not all(map(math.isfinite, numbers)) or speed <= 0.0 or force <= 0.0:
            return False
        if not 0.0 <= width <= self.max_width:
            return False
        band = (width - inner, width + outer)
        self._begin(_Drive("Grasp", 0.0, min(speed, MAX_SPEED), band=band))
        return True

    def _begin(self, drive: _Drive) -> None:
        self._drive, self._holding, self.is_grasped = drive, None, False

    def stop(self) -> None:
        """End what goes on; the fingers stay where they are."""
        self._drive = None

    # --- time -----------------------------------------------------------------------------------

    def advance(self, seconds: float) -> Outcome | None:
        """Let time pass; returns how an action ended in it, None when none did."""
        drive = self._drive
        if drive is None:
            self._keep_closing(seconds)
            return None
        goal = 0.0 if drive.closing_first else drive.target
        if not self._drive_to(goal, drive.speed * seconds):
            return None
        if drive.closing_first:
            drive.closing_first = False
            return None
        self._drive = None
        return self._ended(drive)

    def _drive_to(self, goal: float, step: float) -> bool:
        """Move by at most `step`; returns whether the fingers have come to rest."""
        rest = max(goal, self._object) if goal < self.width else goal
        if abs(rest - self.width) <= step + TOUCH:
            self.width = rest
            return True
        self.width += math.copysign(step, rest - self.width)
        return False

    def _ended(self, drive: _Drive) -> Outcome:
        if drive.command == "Grasp":
            low, high = drive.band
            self.is_grasped = low < self.width < high
            self._holding = drive
            return "Success" if self.is_grasped else "Unsuccessful"
        return "Success" if abs(self.width - drive.target) <= TOUCH else "Unsuccessful"

    def _keep_closing(self, seconds: float) -> None:
        """After a grasp the force stays: without its object the fingers close."""
        held = self._holding
        if held is not None and self.width > self._object:
            self._drive_to(0.0, held.speed * seconds)
            low, high = held.band
            self.is_grasped = self.is_grasped and low < self.width < high
