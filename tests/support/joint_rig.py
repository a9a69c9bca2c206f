"""The joint target controller's compiled cycle, run cycle by cycle on a follower or on a plant."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from control_rig import PlantRig

from kinegraph.robot.control import JOINT, JointOptions, JointSent, view_rows
from kinegraph.robot.control.joint_kernels import joint_cycle
from kinegraph.robot.control.record_layout import JOINT_RECORD_SIZE

Array = npt.NDArray[np.float64]


@dataclass
class JointRig(PlantRig):
    """A session of the joint controller with its inputs in hand."""

    options: JointOptions = field(  # type: ignore[assignment]
        default_factory=lambda: JointOptions(backend=JOINT)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.record = np.zeros(JOINT_RECORD_SIZE)
        self.target = self.q.copy()

    def cycle(self, stop: bool = False, flags: int = 0) -> int:
        """One cycle at the present q and dq; the record is kept."""
        self.set_field("q", self.q)
        self.set_field("dq", self.dq)
        return self.answer(joint_cycle, self.tau, stop, flags)

    def follow(self, cycles: int, stop: bool = False) -> int:
        """Run cycles with an arm that is always where it was last told to be."""
        code = 0
        for _ in range(cycles):
            code = self.cycle(stop)
            self.q = np.array(self["q_goal"])
            if code != 0:
                break
        return code

    def __getitem__(self, name: str) -> Array:
        """A field of the last record."""
        return np.asarray(view_rows(self.record[None], kind=JointSent)[0][name])

    def column(self, name: str) -> Array:
        """A field of all records."""
        return np.asarray(view_rows(np.array(self.records), kind=JointSent)[name])
