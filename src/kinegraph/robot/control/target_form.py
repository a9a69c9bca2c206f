"""What tells one target controller from another, as the loop sees it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kinegraph.robot.control.record_layout import JOINT_RECORD_FIELDS, RECORD_FIELDS
from kinegraph.robot.control.target_layout import POSE_SIZE, TARGET_SIZE

__all__ = ["CARTESIAN_FORM", "JOINT_FORM", "TargetForm"]


@dataclass(frozen=True, slots=True)
class TargetForm:
    """The form of a controller's targets and records, and its compiled cycle.

    Attributes:
        name: How error messages call the controller.
        target_size: Numbers of a target.
        record_fields: Fields of a record, with their numbers of entries.
        anchor: Field of the record that holds, with what follows it, the target that a session
            begins with.
        anchor_size: Numbers of that; the rest of the target begins at zero.
        load_cycle: Returns the kernel, of the signature of `cartesian_cycle`.
    """

    name: str
    target_size: int
    record_fields: tuple[tuple[str, int], ...]
    anchor: str
    anchor_size: int
    load_cycle: Callable[[], Any]

    @property
    def record_size(self) -> int:
        """Numbers of a record."""
        return sum(count for _, count in self.record_fields)

    @property
    def anchor_at(self) -> int:
        """Where the anchor stands in a record."""
        names = [name for name, _ in self.record_fields]
        return sum(count for _, count in self.record_fields[: names.index(self.anchor)])


def _cartesian_cycle() -> Any:
    from kinegraph.robot.control.cartesian_kernels import cartesian_cycle

    return cartesian_cycle


CARTESIAN_FORM = TargetForm(
    name="Cartesian",
    target_size=TARGET_SIZE,
    record_fields=RECORD_FIELDS,
    anchor="target",
    anchor_size=POSE_SIZE,
    load_cycle=_cartesian_cycle,
)
"""Targets are poses that may move, see `target_layout`."""


def _joint_cycle() -> Any:
    from kinegraph.robot.control.joint_kernels import joint_cycle

    return joint_cycle


JOINT_FORM = TargetForm(
    name="joint",
    target_size=15,
    record_fields=JOINT_RECORD_FIELDS,
    anchor="target",
    anchor_size=7,
    load_cycle=_joint_cycle,
)
"""Targets are positions (7,), rad, velocities (7,), rad/s, and how long these go on, s."""
