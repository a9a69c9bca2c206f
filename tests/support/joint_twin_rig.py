"""The joint controller's compiled cycle beside its plain twin, by the same memory."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from control_rig import dynamics_of
from joint_rig import JointRig
from joint_twin import JointTwin

from kinegraph.kinematics.dynamics import coriolis_torque
from kinegraph.robot.control.generator.generator_layout import (
    G_acceleration,
    G_position,
    G_velocity,
)
from kinegraph.robot.control.record_layout import JOINT_RECORD_FIELDS

Array = npt.NDArray[np.float64]

TOLERANCE = {"acceleration": 1e-6, "dq_goal": 1e-8, "tau": 1e-6}


@dataclass
class JointTwinRig(JointRig):
    """A session that is computed twice; a difference is an error."""

    def __post_init__(self) -> None:
        super().__post_init__()
        assert self.table is not None
        self.twin = JointMemoryTwin(self.options, self.table)
        self.twin.rig = self

    def cycle(self, stop: bool = False, flags: int = 0) -> int:
        """One cycle of both."""
        q, dq = self.q.copy(), self.dq.copy()
        self.twin.remember()
        code = super().cycle(stop, flags)
        _, jacobian = self.chain.pose_and_jacobian(q)
        coriolis = coriolis_torque(dynamics_of(self.arm), q, dq)
        record = self.twin.cycle(q, dq, jacobian, self.target, coriolis, stop)
        at = len(self.records) - 1
        assert record["done"] == (code == 1), at
        for name, _ in JOINT_RECORD_FIELDS:
            apart = np.abs(self[name] - record[name]).max()
            most = 0.0 if name == "pinned" else TOLERANCE.get(name, 1e-9)
            assert apart <= most, f"cycle {at}: {name}: {self[name]} is not {record[name]}"
        return code


class JointMemoryTwin(JointTwin):
    """A twin that begins each cycle where the compiled one did."""

    rig: JointTwinRig

    def of(self, name: str, count: int = 7) -> Array:
        """A copy of a part of the memory."""
        return self.rig.remembered(name, count).copy()

    def rates(self) -> tuple[Array, Array]:
        """The generator's velocities and accelerations."""
        block = self.of("generator", G_velocity + G_acceleration + 7)
        return block[G_velocity : G_velocity + 7], block[G_acceleration : G_acceleration + 7]

    def remember(self) -> None:
        """Take the memory over before a cycle."""
        if self.k == 0:
            return
        self.reference, self.goal = self.of("joint_reference"), self.of("goal")
        self.v, self.a = self.rates()
        self.restart = None
        if self.of("restart", 1)[0]:
            names = ("joint_restart_velocity", "joint_restart_acceleration")
            self.restart = self.of(names[0]), self.of(names[1])

    def step_axes(self, here: Array) -> tuple[Array, Array, Array]:
        """The compiled generator's step, near enough to this one: it is ill-conditioned."""
        own = super().step_axes(here)
        if self.of("holding", 1)[0]:  # a hold forgets the rates that it was decided by
            return own
        theirs = (self.of("generator", G_position + 7)[G_position:], *self.rates())
        rounding = (1e-7, 1e-3, 2e-3 * float(self.limits[:, 2].max()))
        for mine, compiled, most in zip(own, theirs, rounding, strict=True):
            assert np.abs(mine - compiled).max() <= most, len(self.rig.records)
        return theirs
