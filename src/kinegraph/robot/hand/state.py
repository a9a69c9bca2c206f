"""The hand's state as a program sees it."""

from dataclasses import dataclass

import numpy as np

from kinegraph.robot.errors import ProtocolError
from kinegraph.robot.wire.gripper_tables import GRIPPER

__all__ = ["GripperState", "first_record"]

_LAYOUT = GRIPPER.dtype("GripperState")


@dataclass(frozen=True, slots=True)
class GripperState:
    """One state of a Franka Hand, immutable; `==` compares exactly.

    Attributes:
        width: Distance between the fingers, m.
        max_width: Largest distance, as the last homing found it, m.
        is_grasped: Whether an object is held: it was grasped, and its width is in the range given.
        temperature: Of the motor, degrees Celsius.
        time: The hand's counter at this state, ms.
    """

    width: float = 0.0
    max_width: float = 0.0
    is_grasped: bool = False
    temperature: int = 0
    time: int = 0

    @classmethod
    def from_wire(cls, datagram: bytes) -> "GripperState":
        """Decode a datagram; what follows the 23 bytes of a state is ignored.

        Raises:
            ProtocolError: It is shorter.
        """
        record = first_record(datagram, _LAYOUT, "GripperState")
        return cls(
            float(record["width"]),
            float(record["max_width"]),
            bool(record["is_grasped"]),
            int(record["temperature"]),
            int(record["message_id"]),
        )

    def to_wire(self) -> bytes:
        """Encode the state as a hand does."""
        record = np.zeros((), _LAYOUT)
        record["message_id"] = self.time & 0xFFFFFFFF
        for name in ("width", "max_width", "is_grasped", "temperature"):
            record[name] = getattr(self, name)
        return record.tobytes()


def first_record(datagram: bytes, layout: np.dtype[np.void], name: str) -> np.void:
    """Return what a datagram begins with; what follows is ignored.

    Raises:
        ProtocolError: It is shorter than the layout.
    """
    if len(datagram) < layout.itemsize:
        raise ProtocolError(
            f"libfranka: incorrect object size: a {name} has {layout.itemsize} bytes, "
            f"{len(datagram)} came",
            expected=layout.itemsize,
            received=len(datagram),
        )
    record: np.void = np.frombuffer(datagram, layout, count=1)[0]
    return record
