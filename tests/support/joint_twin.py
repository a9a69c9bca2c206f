"""A cycle of the joint controller, written down plainly from a robot state to a record.

Sections 5.3, 6, 7.8, 7.9, 9 and 11.2 of the controller's specification.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from goal_twin import DT, Box
from torque_twin import enveloped, law_torques

from kinegraph.robot.control import (
    ArmTable,
    ImpedanceOptions,
    JointLimits,
    JointOptions,
    TrajectoryGenerator,
)

Array = npt.NDArray[np.float64]


@dataclass
class JointTwin:
    """A session of the controller; `cycle` answers a state with torques and a record."""

    options: JointOptions
    arm: ArmTable
    k: int = 0
    deviated: bool = False
    holding: bool = False
    sent: int = 0
    stop_cycles: int = 0
    waited: int = 0
    v: Array = field(default_factory=lambda: np.zeros(7))
    a: Array = field(default_factory=lambda: np.zeros(7))
    restart: tuple[Array, Array] | None = None

    def __post_init__(self) -> None:
        law = self.options.backend
        assert isinstance(law, ImpedanceOptions)
        self.law = law
        budget = self.options.limits
        if budget is None:
            parts = [0.2 * np.asarray(getattr(self.arm, f"max_joint_{name}")) for name in RATES]
            budget = JointLimits(*parts)
        self.limits = np.stack(
            [np.asarray(getattr(budget, f"max_{name}")) for name in RATES], axis=1
        )

    def cycle(
        self, q: Array, dq: Array, j: Array, given: Array, coriolis: Array, stop: bool = False
    ) -> dict[str, Any]:
        """One cycle."""
        if self.k == 0:
            self.start, self.goal, self.reference = q.copy(), q.copy(), q.copy()
        way = self.reference - q
        reach = self.law.leash.joint
        anchor = np.where(np.abs(way) <= reach, self.reference, q + np.copysign(reach, way))
        taken = max(0.0, float((np.abs(way) - reach).max()))
        strayed = bool(np.abs(q - self.start).max() > self.options.max_deviation)
        if self.restart is not None:
            self.v, self.a = self.restart
            self.restart = None
        self._run(anchor, given, stop, strayed)
        record = self._follow(anchor)
        record |= self._torques(q, dq, j, coriolis)
        finished = self.holding and self.sent > self.options.settle.cycles
        self.waited += int(finished)
        record["done"] = finished and (bool((np.abs(dq) < 0.01).all()) or self.waited > 5000)
        self.k += 1
        return record | {
            "q": self.goal,
            "q_goal": self.goal,
            "dq_goal": self.dq_goal,
            "target": self.target,
            "velocity": self.v,
            "acceleration": self.a,
            "backstop_alteration": 0.0,
            "leash_alteration": taken,
        }

    def _run(self, anchor: Array, given: Array, stop: bool, strayed: bool) -> None:
        if self.holding:
            self.sent += 1
            return
        if self.k == 0 or (strayed and not self.deviated):
            self.deviated, self.target = strayed, anchor.copy()
        elif not self.deviated:
            self.target = given.copy()
        self.p, self.v, self.a = self.step_axes(anchor)
        if stop or self.deviated:
            self.stop_cycles += 1
            near = (np.abs(self.p - self.target) < self.options.settle.tolerance).all()
            rests = (np.abs(self.v) < 1e-4).all() and (np.abs(self.a) < 0.05).all()
            if (near and rests) or self.stop_cycles >= 5000:
                self.holding, self.sent, self.reference = True, 1, anchor
                self.v, self.a = np.zeros(7), np.zeros(7)

    def step_axes(self, here: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations after a step toward the target."""
        generator = TrajectoryGenerator(self.limits)
        generator.set_state(here, self.v, self.a)
        generator.set_target(self.target)
        generator.step()
        return generator.position, generator.velocity, generator.acceleration

    def _follow(self, anchor: Array) -> dict[str, Any]:
        before = self.goal
        if self.holding:
            self.goal, self.dq_goal = anchor, np.zeros(7)
            return {"cap_scale": 1.0, "pinned": np.zeros(7)}
        box, step = Box.at(self.arm, self.law, before), self.p - before
        bounds = np.where(step > 0, box.upper, box.lower)
        over = np.abs(step) > np.abs(bounds)
        scale = float((bounds[over] / step[over]).min()) if over.any() else 1.0
        pinned = np.zeros(7)
        if scale < 1.0:
            self.goal = before + scale * step
            codes = np.where(step > 0, box.codes[1], -box.codes[0])
            on = (step != 0) & (np.abs(scale * step) >= np.abs(bounds) - 1e-12)
            pinned = np.where(on, codes, 0.0)
            v = scale * self.v
            if (np.abs(pinned) == 1).any():
                a = np.where(self.a * v < 0, self.a, 0.0)
            else:
                a = np.where(self.a * v > 0, 0.0, self.a)
            self.restart = (v, a)
        else:
            self.goal = self.p
        self.reference = self.goal
        self.dq_goal = (self.goal - before) / DT if self.k > 0 else np.zeros(7)
        return {"cap_scale": scale, "pinned": pinned}

    def _torques(self, q: Array, dq: Array, j: Array, coriolis: Array) -> dict[str, Any]:
        law, clamp = self.law, np.asarray(self.arm.torque_limits)
        gain = law.velocity_feedforward_gain if law.velocity_feedforward else 0.0
        wanted = law_torques(law, self.goal - q, gain * self.dq_goal - dq, j, coriolis)
        wanted = np.clip(wanted, -clamp, clamp)
        rows = [enveloped(law, self.arm, i, q[i], dq[i], wanted[i], self.k) for i in range(7)]
        names = ("tau", "tau_envelope", "tau_position")
        return dict(zip(names, np.array(rows).T, strict=True))


RATES = ("velocity", "acceleration", "jerk")
