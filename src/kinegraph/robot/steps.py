"""Motions step by step: `Robot.start_...`."""

from numpy.typing import ArrayLike

from kinegraph.robot.active_control import ActiveControl
from kinegraph.robot.command_checks import check_finite, values_of
from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.link import RobotLink
from kinegraph.robot.modes import ControllerMode
from kinegraph.robot.motion_mode import MotionKind

__all__ = ["RobotSteps"]

_JOINT_IMPEDANCE = ControllerMode.JointImpedance


class RobotSteps:
    """The step-by-step motions of `Robot`.

    Each starts a motion and returns when a state shows it. Read a state and write the command that
    answers it, in every millisecond; see `ActiveControl`. With `torques=True` the robot's
    controller is off and every `write_once` takes torques beside the motion.

    All of them raise:
        InvalidOperationError: Another motion runs, or the robot was closed.
        InvalidArgumentError: An argument that does not fit.
        CommandError: The robot refuses the motion.
        ControlError: It ended before it was shown, or the robot is in a motion already.
        NetworkError: No reply or no state in time, or the connection is gone.
        ProtocolError: The robot answers what it must not.
    """

    _link: RobotLink

    def start_torque_control(self) -> ActiveControl:
        """Start a motion that is led by torques."""
        return ActiveControl(self._link, MotionKind.torques())

    def start_joint_position_control(
        self, controller_mode: ControllerMode = _JOINT_IMPEDANCE, *, torques: bool = False
    ) -> ActiveControl:
        """Start a motion along joint positions.

        Args:
            controller_mode: The robot's controller that follows it.
            torques: Whether torques are written beside it.
        """
        return self._start(1, controller_mode, torques)

    def start_joint_velocity_control(
        self, controller_mode: ControllerMode = _JOINT_IMPEDANCE, *, torques: bool = False
    ) -> ActiveControl:
        """Start a motion with joint velocities; see `start_joint_position_control`."""
        return self._start(2, controller_mode, torques)

    def start_cartesian_pose_control(
        self, controller_mode: ControllerMode = _JOINT_IMPEDANCE, *, torques: bool = False
    ) -> ActiveControl:
        """Start a motion along poses of the end effector; see `start_joint_position_control`."""
        return self._start(3, controller_mode, torques)

    def start_cartesian_velocity_control(
        self, controller_mode: ControllerMode = _JOINT_IMPEDANCE, *, torques: bool = False
    ) -> ActiveControl:
        """Start a motion with twists of the end effector; see `start_joint_position_control`."""
        return self._start(4, controller_mode, torques)

    def start_async_joint_position_control(self, max_velocities: ArrayLike) -> ActiveControl:
        """Start a motion to joint positions whose way the robot plans itself (version 10).

        Targets may be written at any rate, the newest counts. Write the last one once more, marked
        finished: the motion ends when the robot has arrived. A robot need not look at the target of
        that command, libfranka sends zeros there.

        Args:
            max_velocities: (7,) rad/s that the robot keeps on its way.
        """
        version = self._link.connection.version
        if version < 10:
            raise InvalidOperationError(
                "libfranka: asynchronous joint positions are not available on FCI version "
                f"{version}.",
                version=version,
            )
        values = values_of(max_velocities, 7, "max_velocities")
        check_finite(values, "max_velocities")
        if (values <= 0.0).any():
            raise InvalidArgumentError(
                f"max_velocities: {values} has a velocity that is not above 0",
                field="max_velocities",
            )
        kind = MotionKind(1, ControllerMode.JointImpedance, tuple(values.tolist()))
        return ActiveControl(self._link, kind)

    def _start(self, motion: int, controller_mode: ControllerMode, torques: bool) -> ActiveControl:
        return ActiveControl(self._link, MotionKind.generator(motion, controller_mode, torques))
