"""What the arm carries: the tool and the load of a scene, and what the robot knows of them."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinegraph.kinematics.payload import Load
from kinegraph.robot.carried_load import carried_load, carried_mass, difference
from kinegraph.robot.errors import InvalidOperationError
from kinegraph.robot.joined.following import FollowedScene
from kinegraph.robot.state import RobotState
from kinegraph.scene.joint import JointType
from kinegraph.scene.pose import Isometry3d

__all__ = ["CarryingScene", "ToolMismatch"]

_LOG = logging.getLogger("kinegraph.robot")
# Frames this close are the same, m and rad; masses, kg.
TOOL_TOLERANCE = 1e-5
MASS_TOLERANCE = 1e-3
# m/s^2.
GRAVITY = 9.81
# Longest wait until the states show what was set.
SHOWN_S = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class ToolMismatch:
    """The robot's end effector frame and the scene's controlled link, compared.

    Attributes:
        robot: F_T_EE, the end effector in the flange as the robot has it.
        scene: The controlled link in the flange as the scene has it.
        distance: Between the origins, m.
        angle: Between the axes, rad.
    """

    robot: Isometry3d
    scene: Isometry3d
    distance: float
    angle: float

    @property
    def matters(self) -> bool:
        """Whether it is above 1e-5 m or rad."""
        return self.distance > TOOL_TOLERANCE or self.angle > TOOL_TOLERANCE


class CarryingScene(FollowedScene):
    """A followed scene with what hangs below the flange."""

    _vertical_stiffness, _reported_mass = 1.0, np.nan

    def tool_mismatch(self) -> ToolMismatch:
        """Compare the robot's F_T_EE with the controlled link in the flange."""
        with self._lock:
            scene = self._solver.getRelativeLinkTransform(self.arm.flange_link, self._tip)
        robot = self.robot.state.isometry("F_T_EE")
        apart = robot.inverse() @ scene
        turn = apart.quat_xyzw
        angle = 2.0 * float(np.arctan2(np.linalg.norm(turn[:3]), abs(turn[3])))
        distance = float(np.linalg.norm(robot.translation - scene.translation))
        return ToolMismatch(robot, scene, distance, angle)

    def sync_tool(self) -> None:
        """Set the robot's end effector frame to the controlled link.

        Raises:
            InvalidOperationError: A moving joint lies between flange and link.
            CommandError: The robot refuses it.
        """
        moving = self._moving_tool_joints()
        if moving:
            raise InvalidOperationError(
                f"sync_tool: the moving joints {', '.join(moving)} lie between the flange and "
                f"{self._tip!r}; control it with tool='scene'"
            )
        scene = self.tool_mismatch().scene
        nominal = self.robot.state.isometry("F_T_NE")
        self.robot.set_EE((nominal.inverse() @ scene).to_column_major())
        self._await_state(lambda _: not self.tool_mismatch().matters)

    def scene_load(self) -> Load:
        """Return all that hangs below the flange as one body at the flange link."""
        with self._lock:
            return carried_load(self._graph, self._solver, self.arm.flange_link)

    def sync_load(self) -> Load:
        """Tell the robot the mass, centre and inertia of all that hangs below the flange.

        What it already knows as its end effector is taken off. Not during a motion.

        Returns:
            What was sent.

        Raises:
            InvalidOperationError: The end effector set in the robot outweighs the scene's.
            CommandError: The robot refuses it.
        """
        state = self.robot.read_once()
        known = Load(state.m_ee, np.array(state.F_x_Cee), np.array(state.I_ee).reshape(3, 3).T)
        load = difference(self.scene_load(), known)
        self.robot.set_load(load.mass, load.center, load.inertia.T.ravel())
        self._await_state(lambda state: abs(state.m_load - load.mass) <= MASS_TOLERANCE)
        return load

    def _await_state(self, shows: Callable[[RobotState], bool]) -> None:
        """Wait until the states show what was set; those on their way do not yet."""
        end = time.monotonic() + SHOWN_S
        while not shows(self.robot.read_once()) and time.monotonic() < end:
            pass

    def unknown_mass(self) -> float:
        """Return the mass below the flange that the robot does not compensate, kg."""
        with self._lock:
            carried = carried_mass(self._graph, self.arm.flange_link)
        return carried - float(self.robot.state.m_total)

    def _report_unknown_mass(self) -> None:
        """Log a mass that the robot does not know, once for each change of what is carried."""
        carried = carried_mass(self._graph, self.arm.flange_link)
        if abs(carried - self._reported_mass) < MASS_TOLERANCE:
            return
        self._reported_mass = carried
        mass = carried - float(self.robot.state.m_total)
        if abs(mass) < MASS_TOLERANCE:
            return
        _LOG.warning(
            "the robot %s %.4g kg below its flange: expect the tip to %s by up to %.2g mm; "
            "sync_load() after the motion tells it",
            "does not know of" if mass > 0.0 else "still compensates for lost",
            abs(mass),
            "sag" if mass > 0.0 else "rise",
            1e3 * abs(mass) * GRAVITY / self._vertical_stiffness,
        )

    def _moving_tool_joints(self) -> list[str]:
        with self._lock:
            path = self._graph.getShortestPath(self.arm.flange_link, self._tip).joints
            joints = [self._graph.getJoint(name) for name in path]
            return [joint.getName() for joint in joints if joint and joint.type != JointType.FIXED]

    def _refuse_mismatch(self) -> None:
        found = self.tool_mismatch()
        if not found.matters:
            return
        raise InvalidOperationError(
            f"the robot's end effector and the scene's {self._tip!r} are {found.distance:.6g} m "
            f"and {found.angle:.6g} rad apart: F_T_EE is {found.robot}, the scene has "
            f"{found.scene}; sync_tool() sets the robot's, tool='scene' goes by the scene alone",
            mismatch=found,
        )

    def _expect_sag(self, vertical_stiffness: float) -> None:
        """Report what the robot does not know of, against this spring at the tip, N/m."""
        with self._lock:
            self._vertical_stiffness, self._reported_mass = vertical_stiffness, np.nan
            self._report_unknown_mass()
