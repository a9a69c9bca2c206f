"""The inverse kinematics of a cycle, written down plainly: boxes, active sets, stall and walls.

Section 7 of the controller's specification, for comparison with the compiled kernels.
"""

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from kinegraph.kinematics.chain import ChainPlan
from kinegraph.robot.control import ArmTable, ImpedanceOptions

Array = npt.NDArray[np.float64]
Wall = tuple[Array, Array]  # normal, joints with their sides

DT = 1e-3
SIDES = (-1, 1)


def log(r: Array) -> Array:
    """Rotation vector of a rotation."""
    w = 0.5 * math.sqrt(max(0.0, 1.0 + np.trace(r)))
    v = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    if w < 0.1:
        raise ValueError("a turn by almost half a circle")
    v = v / (4.0 * w)
    n = float(np.linalg.norm(v))
    return np.zeros(3) if n == 0.0 else np.asarray(2.0 * math.atan2(n, w) / n * v)


def robot_speed(arm: ArmTable, i: int, q: float, side: int) -> float:
    """Speed that the robot allows toward a side."""
    table = arm.robot_limits
    if table is None:
        return float(arm.flat_velocity[i])
    d = table.upper[i] - q if side > 0 else q - table.lower[i]
    braked = math.sqrt(max(0.0, 2.0 * table.deceleration[i] * d)) - table.offset[i]
    return float(max(0.0, min(table.velocity[i], max(0.0, braked)) - 1e-3))


def braking_speed(arm: ArmTable, i: int, x: float) -> float:
    """Speed from which a joint comes to rest within x."""
    if not x > 0.0:
        return 0.0
    k, c = arm.braking_slope[i], arm.braking_onset[i]
    return float(min(arm.flat_velocity[i], math.sqrt(k * x + c * c) - c))


def room(arm: ArmTable, i: int, q: float, side: int) -> float:
    """Way from q to a limit."""
    return float(arm.upper[i] - q if side > 0 else q - arm.lower[i])


@dataclass
class Box:
    """Bounds of a cycle's step."""

    lower: Array
    upper: Array
    slowest: Array  # velocity bounds alone
    fastest: Array
    codes: Array  # (2, n) what a pin on the lower or upper bound means

    @classmethod
    def at(cls, arm: ArmTable, law: ImpedanceOptions, q: Array) -> "Box":
        """Section 7.1."""
        n = len(q)
        bound, speed, codes = np.zeros((2, n)), np.zeros((2, n)), np.zeros((2, n))
        f, m = law.joint_velocity_fraction, law.joint_position_margin
        for s, side in enumerate(SIDES):
            for i in range(n):
                v = robot_speed(arm, i, q[i], side)
                if arm.robot_limits is not None:
                    v = robot_speed(arm, i, q[i] + side * f * v * DT, side)
                v *= f * DT
                x = room(arm, i, q[i], side) - m
                b = f * braking_speed(arm, i, x) * DT
                b = f * braking_speed(arm, i, x - b) * DT
                bound[s, i], speed[s, i] = min(v, max(0.0, min(x, b))), v
                codes[s, i] = 1.0 if b < v - 1e-12 else 2.0
        return cls(-bound[0], bound[1], -speed[0], speed[1], codes)


@dataclass
class Solve:
    """One solve in a box."""

    step: Array
    passes: int
    norm: float
    clipped: float


def solve_boxed(
    j: Array, e: Array, low: Array, high: Array, damping: float, rate: Array | None, act: Array
) -> Solve:
    """Section 7.4; `act` is warm-started and left as it was solved on."""
    square = damping * damping

    def free_columns() -> Array:
        return np.where(act == 0, j, 0.0)

    def solution() -> Array:
        pinned = np.where(act < 0, low, np.where(act > 0, high, 0.0))
        f = free_columns()
        return f.T @ np.linalg.solve(f @ f.T + square * np.eye(6), e - j @ pinned) + pinned

    d, passes = solution(), 0
    while passes < 12:
        passes += 1
        beyond = np.where(act == 0, np.maximum(low - d, d - high), -np.inf)
        worst = int(beyond.argmax())
        if beyond[worst] > 1e-12:
            change = -1 if d[worst] < low[worst] else 1
        else:
            mu = j.T @ (j @ d - e) + square * d
            pulls = ((act < 0) & (mu < -1e-9)) | ((act > 0) & (mu > 1e-9))
            if not pulls.any():
                break
            worst, change = int(np.where(pulls, np.abs(mu), -1.0).argmax()), 0
        if passes < 12:
            act[worst] = change
            d = solution()
    if rate is not None:
        f, r = free_columns(), np.where(act == 0, rate, 0.0)
        pull = r - f.T @ np.linalg.solve(f @ f.T + square * np.eye(6), f @ r)
        largest = np.abs(pull).max()
        d = d + (pull * (0.5 * DT / largest) if largest > 0.5 * DT else pull)
    boxed = np.minimum(np.maximum(d, low), high)
    return Solve(boxed, passes, float(np.linalg.norm(d)), float(np.linalg.norm(d - boxed)))


@dataclass
class GoalTwin:
    """The joint goal from cycle to cycle, and what of a cycle the record has of it."""

    arm: ArmTable
    law: ImpedanceOptions
    q: Array
    posture: Array
    act: Array = field(default_factory=lambda: np.zeros(7))
    act_position: Array = field(default_factory=lambda: np.zeros(7))
    phase: float = 0.0
    stalled: bool = False
    quiet: list[bool] = field(default_factory=list)
    blend: float = 0.0
    error: float = 0.0
    passes: int = 0
    step: float = 0.0
    clipped: float = 0.0
    pinned: Array = field(default_factory=lambda: np.zeros(7))
    cut: float = 1.0
    pressure: float = 0.0
    withheld: list[Wall | None] = field(default_factory=lambda: [None, None])

    def follow(self, chain: ChainPlan, p: Array, r: Array) -> None:
        """Sections 7.2 to 7.6: one cycle toward a placement."""
        ik, start = self.law.ik, self.q.copy()
        box = Box.at(self.arm, self.law, start)
        self._advance()
        rate = self._bias()
        self.passes, self.step, self.clipped = 0, 0.0, 0.0
        for iteration in range(ik.iterations):
            j, e = self._task(chain, p, r)
            if iteration > 0 and np.linalg.norm(e) < ik.tolerance:
                break
            gone = self.q - start
            self.q = self.q + self._solve(
                j, e, box.lower - gone, box.upper - gone, rate if iteration == 0 else None
            )
        self._cut(start, box)
        j, e = self._task(chain, p, r)
        self.error = float(np.linalg.norm(e))
        codes = np.where(self.act < 0, box.codes[0], box.codes[1])
        self.pinned = np.sign(self.act) * codes
        self._press(j, e)

    def _advance(self) -> None:
        goal = 1.0 if self.stalled else 0.0
        way = goal - self.phase
        self.phase = goal if abs(way) <= 1 / 500 else self.phase + math.copysign(1 / 500, way)
        self.blend = self.phase**2 * (3.0 - 2.0 * self.phase)

    def _bias(self) -> Array:
        m = self.law.joint_position_margin
        near = min(room(self.arm, i, q, side) for i, q in enumerate(self.q) for side in SIDES)
        fade = min(max((near - m) / 0.3, 0.0), 1.0)
        low, high = self.arm.lower + m + 0.3, self.arm.upper - m - 0.3
        middle = 0.5 * (self.arm.lower + self.arm.upper)
        low, high = np.where(low > high, middle, low), np.where(low > high, middle, high)
        posture = np.minimum(np.maximum(self.posture, low), high)
        return np.asarray((posture - self.q) * fade * self.law.ik.nullspace_gain * DT)

    def _task(self, chain: ChainPlan, p: Array, r: Array) -> tuple[Array, Array]:
        pose, jacobian = chain.pose_and_jacobian(self.q)
        weights = np.array([1.0] * 3 + [self.law.ik.rotation_weight] * 3)
        e = np.concatenate([p - pose[:3, 3], log(r @ pose[:3, :3].T)])
        return weights[:, None] * jacobian, weights * e

    def _note(self, solve: Solve) -> Array:
        self.passes += solve.passes
        if solve.norm > self.step:
            self.step, self.clipped = solve.norm, solve.clipped
        return solve.step

    def _solve(self, j: Array, e: Array, low: Array, high: Array, rate: Array | None) -> Array:
        damping, beta = self.law.ik.damping, self.blend
        if beta == 0.0:
            d = self._note(solve_boxed(j, e, low, high, damping, rate, self.act))
            self.act_position = self.act.copy()
            return d
        jp, ep = j.copy(), e.copy()
        jp[3:], ep[3:] = 0.0, 0.0
        first = beta * self._note(solve_boxed(jp, ep, low, high, damping, None, self.act_position))
        left, jr = e - j @ first, j.copy()
        left[:3] *= (1.0 - beta) * 30.0**beta
        jr[:3] *= 30.0**beta
        rest = solve_boxed(jr, left, low - first, high - first, damping, rate, self.act)
        return first + self._note(rest)

    def _cut(self, start: Array, box: Box) -> None:
        gone = self.q - start
        shares = np.ones(len(gone))
        fast, slow = gone > box.fastest, gone < box.slowest
        shares[fast] = box.fastest[fast] / gone[fast]
        shares[slow] = box.slowest[slow] / gone[slow]
        self.cut = 1.0
        if shares.min() < 1.0 - 1e-9:
            self.cut = float(shares.min())
            self.q = start + self.cut * gone

    def _press(self, j: Array, e: Array) -> None:
        square = self.law.ik.damping**2
        free, pushes = square * np.eye(6), np.zeros((7, 6))
        self.pressure = 0.0
        for i in range(7):
            if self.pinned[i] == 0:
                free += np.outer(j[:, i], j[:, i])
            elif abs(self.pinned[i]) == 1:
                whole, push = along(j[:, i], e, np.sign(self.pinned[i]))
                part, push_t = along(np.append(j[:3, i], np.zeros(3)), e, np.sign(self.pinned[i]))
                pressure, push = (part, push_t) if part > whole else (whole, push)
                if pressure > 0:
                    self.pressure = max(self.pressure, pressure)
                    pushes[i] = push
        self._update_flag()
        self.withheld = [None, None]
        pushed = float(np.linalg.norm(pushes.sum(axis=0)))
        if pushed > 1e-12:
            parts: Array = square * np.linalg.inv(free) @ pushes.T
            self._withhold(np.array(parts.T, dtype=np.float64), pushed)

    def _update_flag(self) -> None:
        if self.pressure > 2e-5:
            self.stalled, self.quiet = True, []
            return
        self.quiet = [*self.quiet, self.pressure <= 1e-12][-40:]
        self.stalled = self.stalled and sum(self.quiet) < 20

    def _withhold(self, parts: Array, pushed: float) -> None:
        wall = parts.sum(axis=0)
        for k, block in enumerate((slice(0, 3), slice(3, 6))):
            size = float(np.linalg.norm(wall[block]))
            if size > 0.1 * pushed:
                normal = wall[block] / size
                holds = parts[:, block] @ normal > 0.1 * size
                self.withheld[k] = (normal, np.where(holds, np.sign(self.pinned), 0.0))


def along(column: Array, e: Array, side: float) -> tuple[float, Array]:
    """Pressure and push of an error along a column."""
    length = float(np.linalg.norm(column))
    if length < 1e-9:  # zero but for rounding
        return 0.0, np.zeros(6)
    unit = column / length
    return float(side * unit @ e), unit * float(unit @ e)
