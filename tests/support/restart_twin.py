"""How a block's generator goes on where its goal fell short, written down plainly.

Sections 8.2 and 8.3 of the controller's specification, for comparison with the compiled kernels.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from goal_twin import DT, Wall, room

from kinegraph.robot.control import ArmTable

Array = npt.NDArray[np.float64]


@dataclass
class Block:
    """Three axes at the end of a cycle: what was planned, what went, and what withheld it."""

    plan: Array
    went: Array
    v: Array
    a: Array
    cut: float
    held: bool
    wall: Wall | None

    def restarted(
        self, arm: ArmTable, goal: Array, margin: float, fast: bool
    ) -> tuple[float, Array, Array]:
        """Share of the step that was carried, velocity and acceleration for the next cycle."""
        planned, a, vs = self.cut * self.plan, self.a.copy(), self.cut * self.v
        phi = 1.0
        if np.linalg.norm(self.plan) > 1e-7 and self.cut > 0:
            phi = float(np.clip(self.went @ planned / (planned @ planned), 0.0, 1.0))
        if not self.held:
            v = phi * vs if fast else vs
            return phi, v, braking(v, a)
        if np.linalg.norm(planned - self.went) >= 1e-9:
            if self.wall is not None:
                kept = self._kept(planned, self.wall, arm, goal, margin)
                normal = self.wall[0]
                vs = vs - (1.0 - kept) * max(0.0, float(vs @ normal)) * normal
                a = a - (1.0 - kept) * max(0.0, float(a @ normal)) * normal
            vs = went_out(vs, a, self.went)
        return phi, vs, braking(vs, a) if self.cut < 1.0 else a

    def _kept(self, planned: Array, wall: Wall, arm: ArmTable, goal: Array, margin: float) -> float:
        normal, joints = wall
        rest = 0.0
        for i in np.flatnonzero(joints):
            x = room(arm, int(i), goal[i], int(joints[i])) - margin
            rest = max(rest, min(max(1.0 - x / 1e-5, 0.0), 1.0))
        if not planned @ normal > 1e-9:
            return 0.0
        share = float(np.clip(self.went @ normal / (planned @ normal), 0.0, 1.0))
        return share * (1.0 - rest)


def braking(v: Array, a: Array) -> Array:
    """Accelerations that do not drive the motion."""
    return np.where(a * v > 0, 0.0, a)


def went_out(v: Array, a: Array, went: Array) -> Array:
    """The velocity that fits the goal's step and one cycle of acceleration."""
    lead, length = float(np.linalg.norm(a)) * DT, float(np.linalg.norm(went))

    def shortened(x: Array) -> Array:
        size = float(np.linalg.norm(x))
        return x * (lead / size) if size > lead else x

    if length <= 1e-9:
        return shortened(v)
    u = went / length
    speed = float(v @ u)
    return np.asarray(min(speed, length / DT + lead) * u + shortened(v - speed * u))
