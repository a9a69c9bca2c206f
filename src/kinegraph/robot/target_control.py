"""Target control of a robot without a scene: by its own description, at its own end effector."""

from typing import TYPE_CHECKING, cast

from kinegraph.robot.errors import InvalidOperationError
from kinegraph.robot.link import RobotLink

if TYPE_CHECKING:
    from kinegraph.robot.control.joint_options import JointOptions
    from kinegraph.robot.control.joint_targets import JointTargets
    from kinegraph.robot.control.options import CartesianOptions
    from kinegraph.robot.control.targets import CartesianTargets
    from kinegraph.robot.robot import Robot
    from kinegraph.robot.scene_robot import SceneRobot

__all__ = ["RobotTargets"]

END_EFFECTOR = "end_effector"


class RobotTargets:
    """The target controllers of `Robot`; `SceneRobot` has them for any link of a scene."""

    _link: RobotLink

    def start_cartesian_target_control(
        self, options: "CartesianOptions | None" = None
    ) -> "CartesianTargets":
        """Start the Cartesian target controller for the robot's end effector.

        The arm is that of the served description (version 10), or the Franka Emika Robot's of this
        package (version 5); the end effector is `F_T_EE` as the robot has it now.

        Args:
            options: Left out: the defaults.

        Returns:
            The running session; use it as a context manager.

        Raises:
            InvalidOperationError: A motion runs, or the robot was closed.
            InvalidArgumentError: An option is out of its range. Also a `ValueError`.
            FrankaError: What kept the motion from starting.
        """
        return self._own_scene().cartesian_targets(options)

    def start_joint_target_control(self, options: "JointOptions | None" = None) -> "JointTargets":
        """Start the joint target controller.

        Args:
            options: Left out: the defaults.

        Returns:
            The running session; use it as a context manager.

        Raises:
            FrankaError: As for `start_cartesian_target_control`.
        """
        return self._own_scene().joint_targets(options)

    def _own_scene(self) -> "SceneRobot":
        """Return a scene of nothing but the arm and what the robot says it carries."""
        from kinegraph.robot.arm_in_scene import find_arm
        from kinegraph.robot.scene_robot import SceneRobot
        from kinegraph.robot.sim.descriptions import description_text
        from kinegraph.scene.joint import Joint, JointType
        from kinegraph.scene.link import Link
        from kinegraph.scene.link_parts import Inertial
        from kinegraph.scene.urdf import parseURDFString

        robot = cast("Robot", self)
        self._link.check_open()
        if self._link.is_busy:
            raise self._link.busy()
        served = self._link.served_model
        graph = parseURDFString(description_text("fer") if served is None else served)
        flange = find_arm(graph).flange_link
        for below in graph.getOutboundJoints(flange):
            graph.removeLink(below.child_link_name, True)
        state = robot.state
        link = Link(END_EFFECTOR)
        link.inertial = Inertial()
        link.inertial.mass = float(state.m_total)
        joint = Joint(f"{END_EFFECTOR}_mount")
        joint.type = JointType.FIXED
        joint.parent_link_name, joint.child_link_name = flange, END_EFFECTOR
        joint.parent_to_joint_origin_transform = state.isometry("F_T_EE")
        if not graph.addLink(link, joint):
            raise InvalidOperationError(f"the robot's description has a link {END_EFFECTOR!r}")
        return SceneRobot(robot, graph, tip_link=END_EFFECTOR)
