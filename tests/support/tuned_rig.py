"""The control rig with live tuning: the loop's side of it runs before each cycle."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from control_rig import Rig

from kinegraph.robot.control.options_layout import OPTION_FIELDS, OPTION_OFFSETS
from kinegraph.robot.control.tuning.live_tuning import LiveTuning
from kinegraph.robot.control.tuning.tuning_kernels import take_tuning

Array = npt.NDArray[np.float64]


@dataclass
class TunedRig(Rig):
    """A session that can be tuned."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.tuning = LiveTuning.of_session(self.options, self.packed)
        self.budgets: list[Array] = []

    def cycle(self, stop: bool = False, flags: int = 0) -> int:
        """Take the tuning up, then run the cycle; the budgets in force are kept."""
        self.take()
        self.budgets.append(np.array([self.option(f"axis_{x}") for x in PARTS]))
        return super().cycle(stop, flags)

    def take(self, cycles: int = 1) -> None:
        """Bring the tuning some cycles further, without the controller."""
        slot = self.tuning.slot
        for _ in range(cycles):
            take_tuning(slot.sequence, slot.values, self.tuning.row, self.packed)

    def option(self, name: str) -> Array:
        """A field of the packed options, copied; joint fields have seven entries."""
        count = dict(OPTION_FIELDS)[name]
        count = 7 if count == 9 else count
        at = OPTION_OFFSETS[name]
        return self.packed[at : at + count].copy()


PARTS = ("velocity", "acceleration", "jerk")
