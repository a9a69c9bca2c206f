"""A cycle of the Cartesian controller, written down plainly from a robot state to a record.

Sections 4 to 9 and 11 of the controller's specification, for comparison with the compiled cycle.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from control_rig import quaternion, turn
from goal_twin import DT, GoalTwin, Wall, log
from restart_twin import Block
from torque_twin import enveloped, law_torques

from kinegraph.kinematics.chain import ChainPlan
from kinegraph.robot.control import (
    ArmTable,
    CartesianOptions,
    ImpedanceOptions,
    TrajectoryGenerator,
)

Array = npt.NDArray[np.float64]
Placement = tuple[Array, Array]  # position and rotation


def placement(pose: Array) -> Placement:
    """Position and nearest rotation of a 4x4 pose."""
    u, _, vt = np.linalg.svd(pose[:3, :3])
    flip = np.diag([1.0, 1.0, np.linalg.det(u @ vt)])
    return pose[:3, 3].copy(), u @ flip @ vt


def rotation(q: Array) -> Array:
    """Rotation of a quaternion x, y, z, w."""
    x, y, z, w = q / np.linalg.norm(q)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + 2.0 * w * k + 2.0 * k @ k)


@dataclass
class CycleTwin:
    """A session of the controller; `cycle` answers a state with torques and a record."""

    options: CartesianOptions
    arm: ArmTable
    k: int = 0
    deviated: bool = False
    holding: bool = False
    sent: int = 0
    stop_cycles: int = 0
    waited: int = 0
    v: Array = field(default_factory=lambda: np.zeros(6))
    a: Array = field(default_factory=lambda: np.zeros(6))
    restart: tuple[Array, Array] | None = None
    walls: list[tuple[Wall, int] | None] = field(default_factory=lambda: [None, None])
    blocked: bool = False
    still: int = 0
    closest: Array = field(default_factory=lambda: np.full(6, np.inf))
    target: Array = field(default_factory=lambda: np.zeros(7))
    finished: bool = False

    def __post_init__(self) -> None:
        law = self.options.backend
        assert isinstance(law, ImpedanceOptions)
        self.law = law
        self.clamp = np.asarray(
            self.arm.torque_limits if law.torque_limits is None else law.torque_limits
        )
        move, turn_ = self.options.limits, self.options.rotation_limits
        budgets = [move] * 3 + [turn_] * 3
        factors = [1 / math.sqrt(3)] * 3 + [0.99 / math.sqrt(3)] * 3
        self.limits = np.array(
            [
                [f * b.max_velocity, f * b.max_acceleration, f * b.max_jerk]
                for f, b in zip(factors, budgets, strict=True)
            ]
        )
        tolerance = self.options.settle.tolerance
        self.dwell = max(
            math.ceil((12.0 * tolerance / jerk) ** (1 / 3) / DT) for jerk in self.limits[:, 2]
        )

    def cycle(
        self,
        chain: ChainPlan,
        q: Array,
        dq: Array,
        reported: Array,
        tool: Array,
        target: Array,
        coriolis: Array,
        stop: bool = False,
    ) -> dict[str, Any]:
        """One cycle; `reported` is O_T_EE and `tool` F_T_EE, both 4x4."""
        pose, jacobian = chain.pose_and_jacobian(q)
        measured = (pose[:3, 3], pose[:3, :3])
        here = placement(reported)
        if self.k == 0:
            self.start, self.desired = here, measured
            posture = q if self.law.posture is None else np.asarray(self.law.posture)
            self.goal = GoalTwin(self.arm, self.law, q.copy(), posture.copy())
            self.dq_goal, self.tool = np.zeros(7), tool.copy()
        elif not np.array_equal(tool, self.tool):
            self._change_tool(chain, tool)
        anchor, taken = self._leash(measured)
        strayed = self._strayed(here)
        if self.restart is not None:
            self.v, self.a = self.restart
            self.restart = None
        changed = self._run(anchor, target, stop, strayed)
        before = self.goal.q.copy()
        self.goal.follow(chain, *self.pose)
        self._rate(before)
        cap_scale = self._next(chain, anchor, before, changed)
        gain = self.law.velocity_feedforward_gain if self.law.velocity_feedforward else 0.0
        e, ev = self.goal.q - q, gain * self.dq_goal - dq
        wanted = law_torques(self.law, e, ev, jacobian, coriolis)
        wanted = np.clip(wanted, -self.clamp, self.clamp)
        rows = [enveloped(self.law, self.arm, i, q[i], dq[i], wanted[i], self.k) for i in range(7)]
        names = ("tau", "tau_envelope", "tau_position")
        record: dict[str, Any] = dict(zip(names, np.array(rows).T, strict=True))
        self.finished = self.holding and self.sent > self.options.settle.cycles
        self.waited += int(self.finished)
        record |= self._record(taken, cap_scale)
        record["done"] = self.finished and (bool((np.abs(dq) < 0.01).all()) or self.waited > 5000)
        self.k += 1
        return record

    def _change_tool(self, chain: ChainPlan, tool: Array) -> None:
        start = np.eye(4)
        start[:3, 3], start[:3, :3] = self.start
        self.start = placement(start @ np.linalg.inv(self.tool) @ tool)
        self.tool = tool.copy()
        pose = chain.pose(self.goal.q)
        self.desired = (pose[:3, 3], pose[:3, :3])
        self.walls = [None, None]

    def _leash(self, measured: Placement) -> tuple[Placement, tuple[float, float]]:
        e_t = self.desired[0] - measured[0]
        e_r = log(self.desired[1] @ measured[1].T)
        way, angle = float(np.linalg.norm(e_t)), float(np.linalg.norm(e_r))
        leash = self.law.leash
        s = min(
            1.0,
            leash.translation / way if way > 0 else np.inf,
            leash.rotation / angle if angle > 0 else np.inf,
        )
        if s >= 1.0:
            return self.desired, (0.0, 0.0)
        anchor = (measured[0] + s * e_t, turn(*(s * e_r)) @ measured[1])
        return anchor, ((1.0 - s) * way, (1.0 - s) * angle)

    def _strayed(self, here: Placement) -> bool:
        far = np.linalg.norm(here[0] - self.start[0]) > self.options.max_deviation
        angle = np.linalg.norm(log(here[1] @ self.start[1].T))
        return bool(far or angle > self.options.max_angular_deviation)

    def _run(self, anchor: Placement, given: Array, stop: bool, strayed: bool) -> bool:
        """Section 5.3; returns whether the target is another one than in the last cycle."""
        if self.holding:
            self.sent += 1
            self.pose, self.v, self.a = anchor, np.zeros(6), np.zeros(6)
            return False
        before = self.target.copy()
        stopping = self.deviated or stop
        if self.k == 0 or (strayed and not self.deviated):
            self.deviated = strayed
            self.target = np.concatenate([anchor[0], quaternion(anchor[1])])
        elif not self.deviated:
            self.target = given.copy()
        changed = not np.array_equal(before, self.target)
        goal = np.concatenate([self.target[:3], log(rotation(self.target[3:]) @ anchor[1].T)])
        self.p, self.v, self.a = self.step_axes(np.append(anchor[0], np.zeros(3)), goal)
        self.pose = (self.p[:3], turn(*self.p[3:]) @ anchor[1])
        if stopping or self.deviated:
            self.stop_cycles += 1
            close = (np.abs(self.p - goal) < self.options.settle.tolerance).all()
            rests = (np.abs(self.v) < 1e-4).all() and (np.abs(self.a) < 0.05).all()
            landed = (self.blocked and not changed) or (close and rests)
            if landed or self.stop_cycles >= 5000:
                self.holding, self.sent = True, 1
                self.pose, self.desired = anchor, anchor
                self.v, self.a = np.zeros(6), np.zeros(6)
        return changed

    def step_axes(self, here: Array, goal: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations after a step toward the goal."""
        generator = TrajectoryGenerator(self.limits)
        generator.set_state(here, self.v, self.a)
        generator.set_target(goal)
        generator.step()
        return generator.position, generator.velocity, generator.acceleration

    def _rate(self, before: Array) -> None:
        if self.k == 0 or self.holding:
            self.dq_goal = np.zeros(7)
            return
        raw, cutoff = (self.goal.q - before) / DT, self.law.velocity_feedforward_cutoff
        gain = DT / (DT + 1.0 / (2.0 * math.pi * cutoff)) if cutoff < 1000.0 else 1.0
        self.dq_goal = gain * raw + (1.0 - gain) * self.dq_goal

    # --- section 8 ------------------------------------------------------------------------------

    def _next(self, chain: ChainPlan, anchor: Placement, before: Array, changed: bool) -> float:
        for b in range(2):
            wall, old = self.goal.withheld[b], self.walls[b]
            if wall is not None:
                self.walls[b] = (wall, 0)
            elif old is not None and old[1] < 20:
                self.walls[b] = (old[0], old[1] + 1)
            else:
                self.walls[b] = None
        self.held = self.goal.stalled or any(wall is not None for wall in self.walls)
        if self.holding:
            return 1.0
        fast = bool((np.abs(self.goal.pinned) == 2).any())
        if not (self.held or fast or self.goal.cut < 1.0):
            self.still, self.closest, self.blocked = 0, np.full(6, np.inf), False
            self.desired = self.pose
            return 1.0
        poses = [chain.pose(at) for at in (self.goal.q, before)]
        out, begin = ((pose[:3, 3], pose[:3, :3]) for pose in poses)
        went = [out[0] - begin[0], log(out[1] @ begin[1].T)]
        plan = [self.p[:3] - anchor[0], self.p[3:]]
        scale, leads = 1.0, []
        vs, accelerations = np.zeros(6), np.zeros(6)
        for b in range(2):
            at = slice(3 * b, 3 * b + 3)
            stands = self.walls[b]
            block = Block(
                plan[b],
                went[b],
                self.v[at],
                self.a[at],
                self.goal.cut,
                self.held,
                None if stands is None else stands[0],
            )
            share, vs[at], accelerations[at] = block.restarted(
                self.arm, self.goal.q, self.law.joint_position_margin, fast
            )
            scale = min(scale, self.goal.cut * share)
            leads.append(self._lead(b, plan[b], went[b], anchor, out))
        self.restart = (vs, accelerations)
        self.desired = (out[0] + leads[0], turn(*leads[1]) @ out[1])
        self._landing(out, changed)
        return scale

    def _lead(self, b: int, plan: Array, went: Array, anchor: Placement, out: Placement) -> Array:
        length, most = np.linalg.norm(went), np.linalg.norm(plan)
        moved = went * (most / length) if length > most else went
        lead = anchor[0] + moved - out[0] if b == 0 else log(turn(*moved) @ anchor[1] @ out[1].T)
        wall = self.walls[b]
        if self.held and wall is not None:
            lead = lead - max(0.0, float(lead @ wall[0][0])) * wall[0][0]
        return np.asarray(lead)

    def _landing(self, out: Placement, changed: bool) -> None:
        assert self.restart is not None
        tolerance, v = self.options.settle.tolerance, self.restart[0]
        left = np.concatenate([self.target[:3] - out[0], log(rotation(self.target[3:]) @ out[1].T)])
        self.still += 1
        if changed or (np.abs(left) <= self.closest - tolerance).any():
            self.still, self.closest = 0, np.abs(left)
        ok, on_wall = True, False
        for b in range(2):
            at, wall = slice(3 * b, 3 * b + 3), self.walls[b]
            slow = wall is not None and float(np.linalg.norm(v[at])) <= 1e-3
            beyond = wall is not None and slow and wall[0][0] @ left[at] > 1e-3 * tolerance
            ok = ok and bool(beyond or (np.abs(left[at]) < tolerance).all())
            on_wall = on_wall or slow
        self.blocked = self.held and self.still >= self.dwell and ok and on_wall

    # --- section 11 -----------------------------------------------------------------------------

    def _record(self, taken: tuple[float, float], cap_scale: float) -> dict[str, Any]:
        pose = np.eye(4)
        pose[:3, 3], pose[:3, :3] = self.pose
        goal = self.goal
        return {
            "pose": pose.T.ravel(),
            "orientation": quaternion(self.pose[1]),
            "target": self.target[:3],
            "target_orientation": self.target[3:],
            "velocity": self.v[:3],
            "acceleration": self.a[:3],
            "angular_velocity": self.v[3:],
            "angular_acceleration": self.a[3:],
            "backstop_alteration": 0.0,
            "backstop_angular_alteration": 0.0,
            "q_goal": goal.q,
            "dq_goal": self.dq_goal,
            "cap_scale": cap_scale,
            "pinned": goal.pinned,
            "ik_error": goal.error,
            "ik_passes": goal.passes,
            "stall_pressure": goal.pressure,
            "stalled": goal.stalled,
            "ik_step": goal.step,
            "ik_step_clipped": goal.clipped,
            "ik_blend": goal.blend,
            "held": self.held,
            "wall_age": np.array([-1 if wall is None else wall[1] for wall in self.walls]),
            "leash_alteration": taken[0],
            "leash_angular_alteration": taken[1],
        }
