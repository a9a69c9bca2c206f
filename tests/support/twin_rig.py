"""The compiled cycle beside its plain twin, which goes on from the same memory in each cycle."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from control_rig import Rig, dynamics_of
from cycle_twin import CycleTwin, Placement

from kinegraph.kinematics.dynamics import coriolis_torque
from kinegraph.kinematics.payload import Load
from kinegraph.robot.control.generator.generator_layout import (
    G_acceleration,
    G_position,
    G_velocity,
)
from kinegraph.robot.control.record_layout import RECORD_FIELDS
from kinegraph.robot.control.table_layout import MAX_JOINTS
from kinegraph.robot.wire.state_layout import STATE_OFFSETS

Array = npt.NDArray[np.float64]

EXACT = ("pinned", "stalled", "held", "wall_age", "ik_passes")
"""Fields in which the two may not differ at all."""
TOLERANCE = 1e-8
LIMITS = {"acceleration": 1e-5, "angular_acceleration": 1e-5, "dq_goal": 1e-6, "velocity": 1e-7}


@dataclass
class TwinRig(Rig):
    """A session that is computed twice; a difference is an error."""

    sampled: int = 13
    compared: int = 0
    load: Load | None = None
    worst: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        assert self.table is not None
        self.twin = MemoryTwin(self.options, self.table)
        self.twin.rig = self
        if self.load is not None:
            self.set_field("m_total", self.load.mass)
            self.set_field("F_x_Ctotal", self.load.center)
            self.set_field("I_total", self.load.inertia.T.ravel())

    def matrix(self, name: str) -> Array:
        """A pose of the robot's state, 4x4."""
        at = STATE_OFFSETS[name]
        return self.state[at : at + 16].reshape(4, 4).T.copy()

    def cycle(self, stop: bool = False, flags: int = 0) -> int:
        """One cycle of both; every `sampled`-th one is compared, and each with flags."""
        q, dq, twin = self.q.copy(), self.dq.copy(), self.twin
        twin.remember()
        code = super().cycle(stop, flags)
        if len(self.records) > 2 and len(self.records) % self.sampled and not flags:
            twin.skip(code != 0)
            return code
        coriolis = coriolis_torque(dynamics_of(self.arm), q, dq, self.load)
        record = twin.cycle(
            self.chain,
            q,
            dq,
            self.matrix("O_T_EE"),
            self.matrix("F_T_EE"),
            self.target,
            coriolis,
            stop,
        )
        assert record["done"] == (code == 1), len(self.records)
        assert self["orientation"][3] >= 0.0
        for name in ("orientation", "target_orientation"):  # where w is rounding, so is its sign
            record[name] = record[name] * np.sign(record[name] @ self[name])
        for name, _ in RECORD_FIELDS:
            self._compare(name, self[name], record[name], LIMITS.get(name, TOLERANCE))
        for name, (found, wanted) in twin.left().items():
            self._compare(name, found, wanted, 1e-5)
        self.compared += 1
        return code

    def _compare(self, name: str, found: Any, wanted: Any, most: float) -> None:
        apart = float(np.abs(np.asarray(found, float) - np.asarray(wanted, float)).max())
        self.worst[name] = max(self.worst.get(name, 0.0), apart)
        most = 0.0 if name in EXACT else most
        assert apart <= most, f"cycle {len(self.records) - 1}: {name}: {found} is not {wanted}"


class MemoryTwin(CycleTwin):
    """A twin that begins each cycle where the compiled one did."""

    rig: TwinRig

    def of(self, name: str, count: int = 7) -> Array:
        """A copy of a part of the memory."""
        return self.rig.remembered(name, count).copy()

    def flag(self, name: str) -> bool:
        """A number of the memory that is true or false."""
        return bool(self.of(name, 1)[0])

    def placement(self, name: str) -> Placement:
        """Position and rotation in the memory."""
        numbers = self.of(name, 12)
        return numbers[:3], numbers[3:].reshape(3, 3)

    def axes(self, at: int) -> Array:
        """Numbers of the generator's six axes."""
        return self.of("generator", at + 6)[at:]

    def remember(self) -> None:
        """Take the memory over before a cycle."""
        if self.k == 0:
            return
        goal = self.goal
        self.desired, self.start = self.placement("reference"), self.placement("start")
        self.v, self.a = self.axes(G_velocity), self.axes(G_acceleration)
        self.restart = self.restarted()
        self.target, self.holding = self.of("target"), self.flag("holding")
        self.deviated, self.blocked = self.flag("deviated"), self.flag("blocked")
        self.sent, self.waited = int(self.of("sent", 1)[0]), int(self.of("waited", 1)[0])
        self.stop_cycles = int(self.of("stop_cycles", 1)[0])
        self.still, self.closest = int(self.of("still", 1)[0]), self.of("closest", 6)
        self.dq_goal, self.walls = self.of("goal_velocity"), self.remembered_walls()
        goal.q, goal.act, goal.act_position = (
            self.of(name) for name in ("goal", "active", "active_position")
        )
        goal.phase, goal.stalled = float(self.of("blend_phase", 1)[0]), self.flag("stalled")
        bits = int(self.of("quiet", 1)[0])
        goal.quiet = [bool(bits >> shift & 1) for shift in range(39, -1, -1)]

    def restarted(self) -> tuple[Array, Array] | None:
        """What the last cycle left the generator."""
        if not self.flag("restart"):
            return None
        return self.of("restart_velocity", 6), self.of("restart_acceleration", 6)

    def remembered_walls(self) -> Any:
        """Walls of both blocks with their ages."""
        normals = self.of("wall_normal", 6).reshape(2, 3)
        joints = self.of("wall_joints", 2 * MAX_JOINTS).reshape(2, MAX_JOINTS)[:, :7]
        ages = self.of("wall_age", 2)
        return [
            None if age < 0 else ((normal, on), int(age))
            for normal, on, age in zip(normals, joints, ages, strict=True)
        ]

    def skip(self, finished: bool) -> None:
        """Count a cycle that is not compared."""
        self.k += 1

    def step_axes(self, here: Array, goal: Array) -> tuple[Array, Array, Array]:
        """The compiled generator's step, near enough to this one: it is ill-conditioned."""
        own = super().step_axes(here, goal)
        if self.flag("holding"):  # a hold forgets the rates that it was decided by
            return own
        theirs = tuple(self.axes(at) for at in (G_position, G_velocity, G_acceleration))
        rounding = (1e-7, 1e-4, float(self.limits[:, 2].max()) * 1e-3)
        for mine, compiled, most in zip(own, theirs, rounding, strict=True):
            assert np.abs(mine - compiled).max() <= most, len(self.rig.records)
        return theirs[0], theirs[1], theirs[2]

    def left(self) -> dict[str, tuple[Any, Any]]:
        """What the next cycle goes on from, of the compiled cycle and of this one."""
        restart = self.restarted()
        out = {
            "desired position": (self.placement("reference")[0], self.desired[0]),
            "desired rotation": (self.placement("reference")[1], self.desired[1]),
            "still": (self.of("still", 1)[0], self.still),
            "blocked": (self.flag("blocked"), self.blocked),
            "restarts": (restart is not None, self.restart is not None),
            "start": (self.placement("start")[0], self.start[0]),
        }
        if restart is not None and self.restart is not None:
            out["restart"] = (np.concatenate(restart), np.concatenate(self.restart))
        for b, (compiled, plain) in enumerate(
            zip(self.remembered_walls(), self.walls, strict=True)
        ):
            assert (compiled is None) == (plain is None)
            if compiled is not None and plain is not None:
                out[f"normal {b}"] = (compiled[0][0], plain[0][0])
                out[f"joints {b}"] = (compiled[0][1], plain[0][1])
        return out
