"""A recorded run drives a scene again: its states set a solver, one after the other or at once."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from kinegraph.kinematics.arrays import link_pose, link_poses
from kinegraph.kinematics.ofkt import OFKTStateSolver
from kinegraph.kinematics.state import SceneState
from kinegraph.robot.argument_checks import is_number
from kinegraph.robot.arm_in_scene import ArmInScene, find_arm
from kinegraph.robot.errors import InvalidArgumentError, ProtocolError
from kinegraph.robot.recording.reading import read_run
from kinegraph.robot.recording.run import RecordedRun
from kinegraph.robot.state import RobotState
from kinegraph.robot.state_values import TRANSFORMS
from kinegraph.scene.array_types import Array, IntArray
from kinegraph.scene.errors import suggestion
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.urdf import parseURDFString

__all__ = ["Replay", "ReplayStep"]

MS = 1e-3


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """A moment of a replay.

    Attributes:
        time_s: Since the first state of the run, by the robot's clock.
        state: What the robot sent.
        scene: Where everything in the scene was.
    """

    time_s: float
    state: RobotState
    scene: SceneState


class Replay:
    """A recorded run on a scene.

    Iterating sets the solver to the recorded states one by one; `link_poses` and `link_pose` give
    the poses of all of them at once.

    Args:
        run: Run, or the file it stands in.
        scene_graph: Scene with the arm in it; it is copied. Left out: the description that the
            robot served.
        rate_hz: States a second of the robot's clock, each the newest at its time; None: all.
        field: Joint positions to go by: "q" as measured, "q_d" as desired.
        table: Table of the states.
        joint_names: (7) the arm's joints in the robot's order. Left out: those whose names end in
            joint1 to joint7.
        flange_link: As for `SceneRobot`.
        base_link: As for `SceneRobot`.

    Attributes:
        run: The run.
        arm: The arm's place in the scene.
        solver: What the steps set; joints that are not the arm's keep the values they are given.
        rows: (n,) rows of the table that are replayed.
        times_s: (n,) robot's time since the first state of the run, s.
        positions: (n, 7) joint positions, rad.

    Raises:
        InvalidArgumentError: No states, no scene, or an argument that does not fit. Also a
            `ValueError`.
        ProtocolError: A position is not finite, or the file is no recorded run.
    """

    def __init__(
        self,
        run: RecordedRun | Path | str,
        scene_graph: SceneGraph | None = None,
        *,
        rate_hz: float | None = None,
        field: Literal["q", "q_d"] = "q",
        table: str = "states",
        joint_names: Sequence[str] | None = None,
        flange_link: str | None = None,
        base_link: str | None = None,
    ) -> None:
        self.run = run if isinstance(run, RecordedRun) else read_run(run)
        if not isinstance(field, str) or field not in ("q", "q_d"):
            raise InvalidArgumentError(f"field: 'q' or 'q_d', not {field!r}")
        graph = _scene_of(self.run) if scene_graph is None else scene_graph
        if not isinstance(graph, SceneGraph):
            raise InvalidArgumentError(f"scene_graph: {scene_graph!r:.100} is no SceneGraph")
        self.arm: ArmInScene = find_arm(graph, joint_names, flange_link, base_link)
        self.solver = OFKTStateSolver(graph)
        self._states = self.run.states(table)
        self._table = states = self.run.table(table)
        if not len(states):
            raise InvalidArgumentError(f"the table {table!r} of this run has no states to replay")
        clock = MS * (states["time"] - states["time"][0])
        self.rows: IntArray = _chosen(clock, rate_hz)
        self.times_s: Array = clock[self.rows]
        self.positions: Array = states[field][self.rows]
        bad = np.flatnonzero(~np.isfinite(self.positions).all(axis=1))
        if len(bad):
            row = int(self.rows[bad[0]])
            raise ProtocolError(
                f"row {row} of the table {table!r} has the positions {self.positions[bad[0]]}",
                row=row,
            )

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> ReplayStep:
        """Set the solver to a step, and return it."""
        at = range(len(self))[index]
        self.solver.setState(list(self.arm.joint_names), self.positions[at])
        state = self._states[int(self.rows[at])]
        return ReplayStep(float(self.times_s[at]), state, self.solver.getState())

    def __iter__(self) -> Iterator[ReplayStep]:
        return (self[index] for index in range(len(self)))

    def play(self, speed: float = 1.0) -> Iterator[ReplayStep]:
        """Iterate at the pace of the run; steps that would come late are left out.

        Args:
            speed: 2 is twice as fast.

        Raises:
            InvalidArgumentError: No positive speed. Also a `ValueError`.
        """
        if not (isinstance(speed, int | float) and math.isfinite(speed) and speed > 0.0):
            raise InvalidArgumentError(f"speed: a positive number is needed, not {speed!r}")
        return self._play(float(speed))

    def _play(self, speed: float) -> Iterator[ReplayStep]:
        begun, index = time.monotonic(), 0
        while index < len(self):
            due = begun + (self.times_s[index] - self.times_s[0]) / speed
            time.sleep(max(due - time.monotonic(), 0.0))
            yield self[index]
            now = self.times_s[0] + speed * (time.monotonic() - begun)
            newest = int(np.searchsorted(self.times_s, now, side="right")) - 1
            index = max(newest, index + 1)

    def link_poses(self) -> Array:
        """Return (n, L, 4, 4) poses of all links in the scene's base.

        Links are in the order of `solver.getLinkNames()`.
        """
        return link_poses(self.solver, self._values())

    def link_pose(self, link_name: str, base_link: str | None = None) -> Array:
        """Return (n, 4, 4) poses of a link.

        Args:
            link_name: The link.
            base_link: Link whose frame they are in; left out: the scene's base.

        Raises:
            UnknownLinkError: One of them is no link. Also a `KeyError`.
        """
        values = self._values()
        poses = link_pose(self.solver, values, link_name)
        if base_link is None:
            return poses
        bases = link_pose(self.solver, values, base_link)
        return np.asarray(np.linalg.inv(bases) @ poses, dtype=np.float64)

    def end_effector(self) -> Array:
        """Return (n, 4, 4) poses of the end effector in the robot's base, by the scene.

        That is the scene's flange with the `F_T_EE` that the robot had at the time.
        `recorded_poses` are what the robot itself made of it.
        """
        return self.link_pose(self.arm.flange_link, self.arm.base_link) @ self.recorded_poses(
            "F_T_EE"
        )

    def recorded_poses(self, field: str = "O_T_EE") -> Array:
        """Return (n, 4, 4) a transform of the recorded states, as it was sent.

        Raises:
            InvalidArgumentError: There is no such transform. Also a `ValueError`.
        """
        if field not in TRANSFORMS:
            raise InvalidArgumentError(
                f"no transform {field!r}{suggestion(str(field), TRANSFORMS)}"
            )
        columns = self._table[field][self.rows].reshape(-1, 4, 4)
        return np.ascontiguousarray(columns.transpose(0, 2, 1))

    def _values(self) -> Array:
        """Return (n, active joints): the arm's as recorded, the others as the solver has them."""
        names = self.solver.getActiveJointNames()
        joints = self.solver.getState().joints
        values = np.tile([float(joints[name]) for name in names], (len(self), 1))
        values[:, [names.index(name) for name in self.arm.joint_names]] = self.positions
        return values


def _scene_of(run: RecordedRun) -> SceneGraph:
    if run.robot_model is None:
        raise InvalidArgumentError(
            "scene_graph: the robot of this run served no description; give a scene"
        )
    return parseURDFString(run.robot_model)


def _chosen(clock: Array, rate_hz: float | None) -> IntArray:
    """Return the rows of a rate: at each of its times the newest state."""
    if rate_hz is None:
        return np.arange(len(clock))
    if not (is_number(rate_hz) and math.isfinite(rate_hz) and rate_hz > 0.0):
        raise InvalidArgumentError(f"rate_hz: a positive number is needed, not {rate_hz!r}")
    moments = np.arange(math.floor(clock[-1] * rate_hz + 1e-9) + 1) / rate_hz
    newest = np.searchsorted(clock, moments + 1e-9, side="right") - 1
    return np.unique(newest)
