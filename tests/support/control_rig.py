"""An arm with a tool, and the target controller's compiled cycle run on it cycle by cycle."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegraph.kinematics.chain import ChainPlan, plan_chain
from kinegraph.kinematics.dynamics import DynamicsPlan, plan_dynamics
from kinegraph.kinematics.dynamics_kernels import forward_dynamics
from kinegraph.kinematics.dynamics_layout import dynamics_workspace
from kinegraph.robot.control.arms import FER, FR3, ArmTable
from kinegraph.robot.control.cartesian_kernels import FLAG_STOP, cartesian_cycle
from kinegraph.robot.control.memory_layout import MEMORY_OFFSETS, MEMORY_SIZE
from kinegraph.robot.control.options import CartesianOptions, ImpedanceOptions
from kinegraph.robot.control.presets import CARTESIAN
from kinegraph.robot.control.record_layout import RECORD_FIELDS, RECORD_OFFSETS, RECORD_SIZE
from kinegraph.robot.control.table_layout import MAX_JOINTS
from kinegraph.robot.wire.state_layout import STATE_OFFSETS, STATE_SIZE
from kinegraph.scene import Isometry3d, Joint, JointType, Link, parseURDFFile

Array = npt.NDArray[np.float64]

READY = np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])
ARMS = {"fer": FER, "fr3": FR3}
TOOLS = {
    "flange": (0.0, 0.0),
    "hand": (-np.pi / 4, 0.1034),
    "robotiq": (0.0, 0.174),
    "long": (0.0, 0.25),
}


def tool_transform(tool: str) -> Array:
    """Flange to end effector: a turn about z, a way along z."""
    angle, length = TOOLS[tool]
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, length], [0, 0, 0, 1.0]])


@cache
def chain_of(arm: str, tool: str) -> ChainPlan:
    """The chain from the base to a tool's tip."""
    data = files("kinegraph.robot.sim").joinpath("data", f"{arm}.urdf")
    graph = parseURDFFile(str(data))
    joint = Joint("tool_mount")
    joint.type = JointType.FIXED
    joint.parent_link_name, joint.child_link_name = f"{arm}_link8", "tip"
    joint.parent_to_joint_origin_transform = Isometry3d(tool_transform(tool))
    assert graph.addLink(Link("tip"), joint)
    return plan_chain(graph, "tip", [f"{arm}_joint{i}" for i in range(1, 8)])


@cache
def dynamics_of(arm: str) -> DynamicsPlan:
    """The arm's bodies."""
    data = files("kinegraph.robot.sim").joinpath("data", f"{arm}.urdf")
    graph = parseURDFFile(str(data))
    names = [f"{arm}_joint{i}" for i in range(1, 8)]
    return plan_dynamics(graph, names, f"{arm}_link8")


def moved_limits(arm: ArmTable, lower: dict[int, float], upper: dict[int, float]) -> ArmTable:
    """The arm's table with other position limits for some joints, counted from 0."""
    low, high = arm.lower.copy(), arm.upper.copy()
    for i, value in lower.items():
        low[i] = value
    for i, value in upper.items():
        high[i] = value
    return replace(arm, lower=low, upper=high)


def quaternion(rotation: Array) -> Array:
    """Quaternion x, y, z, w, w >= 0, of a rotation by the eigenvector of its Bar-Itzhack matrix."""
    r = rotation
    k = np.array(
        [
            [r[0, 0] - r[1, 1] - r[2, 2], 0, 0, 0],
            [r[0, 1] + r[1, 0], r[1, 1] - r[0, 0] - r[2, 2], 0, 0],
            [r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], r[2, 2] - r[0, 0] - r[1, 1], 0],
            [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], np.trace(r)],
        ]
    )
    q = np.linalg.eigh(k)[1][:, -1]
    return q if q[3] >= 0 else -q


def turn(x: float, y: float, z: float) -> Array:
    """Rotation by a rotation vector."""
    v = np.array([x, y, z])
    angle = float(np.linalg.norm(v))
    if angle == 0.0:
        return np.eye(3)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) / angle
    return np.asarray(np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k)


def target_row(pose: Array) -> Array:
    """Position and quaternion of a 4x4 pose."""
    return np.concatenate([pose[:3, 3], quaternion(pose[:3, :3])])


@dataclass
class Rig:
    """A session of the controller with its inputs in hand."""

    arm: str = "fer"
    tool: str = "hand"
    options: CartesianOptions = field(default_factory=lambda: CartesianOptions(backend=CARTESIAN))
    table: ArmTable | None = None
    q: Array = field(default_factory=READY.copy)
    report: bool = True

    def __post_init__(self) -> None:
        self.chain = chain_of(self.arm, self.tool)
        self.bodies = dynamics_of(self.arm).data
        self.table = ARMS[self.arm] if self.table is None else self.table
        self.packed = self.options.packed(self.table)
        self.memory = np.zeros(MEMORY_SIZE)
        self.state = np.zeros(STATE_SIZE)
        self.record = np.zeros(RECORD_SIZE)
        self.tau = np.zeros(7)
        self.target = target_row(self.fk(self.q))
        self.q = np.array(self.q, dtype=float)
        self.dq = np.zeros(7)
        self.set_field("F_T_EE", tool_transform(self.tool).T.ravel())
        self.records: list[Array] = []

    def fk(self, q: Sequence[float] | Array) -> Array:
        """The tip's pose."""
        return self.chain.pose(np.asarray(q, dtype=float))

    def set_field(self, name: str, values: Array | float) -> None:
        """Write a field of the robot's state."""
        values = np.atleast_1d(values)
        self.state[STATE_OFFSETS[name] : STATE_OFFSETS[name] + values.size] = values

    def cycle(self, stop: bool = False, flags: int = 0) -> int:
        """One cycle at the present q and dq; the record is kept."""
        self.set_field("q", self.q)
        self.set_field("dq", self.dq)
        if self.report:
            self.set_field("O_T_EE", self.fk(self.q).T.ravel())
        return self.answer(cartesian_cycle, self.tau, stop, flags)

    def answer(self, kernel: Any, out: Array, stop: bool, flags: int) -> int:
        """One cycle of a controller, whose answer goes to `out`; the record is kept."""
        code = kernel(
            self.packed,
            self.chain.data,
            self.bodies,
            self.memory,
            self.state,
            self.target,
            flags | (FLAG_STOP if stop else 0),
            self.record,
            out,
        )
        self.records.append(self.record.copy())
        return int(code)

    def run(self, cycles: int, stop: bool = False) -> int:
        """Run cycles until the motion ends."""
        code = 0
        for _ in range(cycles):
            code = self.cycle(stop)
            if code != 0:
                break
        return code

    def follow(self, cycles: int, stop: bool = False) -> int:
        """Run cycles with an arm that is always where it was last told to be."""
        code = 0
        for _ in range(cycles):
            code = self.cycle(stop)
            self.q = self["q_goal"][:7].copy()
            if code != 0:
                break
        return code

    def __getitem__(self, name: str) -> Array:
        """A field of the last record."""
        return slice_of(self.record, name)

    def column(self, name: str) -> Array:
        """A field of all records."""
        return slice_of(np.array(self.records), name)

    def remembered(self, name: str, count: int = 7) -> Array:
        """A part of the controller's memory."""
        at = MEMORY_OFFSETS[name]
        return self.memory[at : at + count]

    @property
    def pose(self) -> Array:
        """The desired pose of the last record."""
        return self["pose"].reshape(4, 4).T


def slice_of(rows: Array, name: str) -> Array:
    """A field of one or more record rows; joint fields have seven entries."""
    count = dict(RECORD_FIELDS)[name]
    count = 7 if count == MAX_JOINTS else count
    at = RECORD_OFFSETS[name]
    out = rows[..., at : at + count]
    return np.asarray(out[..., 0] if count == 1 else out)


@dataclass
class PlantRig(Rig):
    """The controller on a rigid-body plant: filter, rate limit, a cycle of latency, 1 ms Euler."""

    load: Array = field(default_factory=lambda: np.zeros(13))
    push: Array = field(default_factory=lambda: np.zeros(7))
    coulomb: Array = field(default_factory=lambda: np.zeros(7))
    viscous: Array = field(default_factory=lambda: np.zeros(7))
    stick_speed: float = 1e-4
    drives: Array = field(default_factory=lambda: ARMATURE)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.work = np.empty(dynamics_workspace(7))
        self.command = np.zeros(7)
        self.sent: list[Array] = []
        self.measured: list[Array] = []
        self.speeds: list[Array] = []
        self.set_field("m_total", self.load[0])
        self.set_field("F_x_Ctotal", self.load[1:4])
        self.set_field("I_total", self.load[4:])
        law = self.options.backend
        assert isinstance(law, ImpedanceOptions)
        self.cutoff, self.limited = law.cutoff_frequency, self.options.limit_rate
        self.rate_hits = 0

    def run(self, cycles: int, stop: bool = False) -> int:
        """Run cycles; what is sent acts one cycle later."""
        code = 0
        for _ in range(cycles):
            code = self.cycle(stop)
            if code < 0:
                return code
            acting = self.command.copy()
            self.command = self._send(acting)
            self._integrate(acting)
            self.sent.append(self.command.copy())
            self.measured.append(self.q.copy())
            self.speeds.append(self.dq.copy())
            if code != 0:
                break
        return code

    def _send(self, echo: Array) -> Array:
        gain = 1e-3 / (1e-3 + 1 / (2 * np.pi * self.cutoff)) if self.cutoff < 1000 else 1.0
        wanted = gain * self.tau + (1 - gain) * echo
        limited = echo + np.clip(wanted - echo, -0.999999, 0.999999)
        self.rate_hits += int(np.abs(wanted - echo).max() > 0.999999)
        return limited if self.limited else wanted

    def _integrate(self, acting: Array) -> None:
        ddq = np.empty(7)
        # Friction at the end of the step, as the simulated robot has it: stiff, but stable.
        slow = np.maximum(np.abs(self.dq), 1e-9)
        rub = self.viscous + self.coulomb * np.tanh(slow / self.stick_speed) / slow
        torque = acting + self.push - rub * self.dq
        status = forward_dynamics(
            self.bodies,
            self.q,
            self.dq,
            torque,
            np.zeros(3),
            self.drives + 1e-3 * rub,
            self.load,
            self.work,
            ddq,
        )
        assert status == 0
        self.dq = self.dq + 1e-3 * ddq
        self.q = self.q + 1e-3 * self.dq


ARMATURE: Array = np.array([0.6057, 0.6057, 0.4625, 0.4625, 0.2055, 0.2055, 0.2055])
HAND_LOAD = np.array([0.73, -0.01, 0.0, 0.03, 1e-3, 0, 0, 0, 2.5e-3, 0, 0, 0, 1.7e-3])
