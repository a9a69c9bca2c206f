"""Motions with callbacks: one for what the robot is to follow, one for torques, or both."""

from typing import Any

from kinegraph.robot.argument_checks import check_flag, check_frequency
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.limits import DEFAULT_CUTOFF_FREQUENCY
from kinegraph.robot.link import RobotLink
from kinegraph.robot.loop.callback import CompiledCallbacks, is_compiled
from kinegraph.robot.loop_controller import LoopController
from kinegraph.robot.modes import ControllerMode
from kinegraph.robot.motion_mode import MotionKind
from kinegraph.robot.python_loop import (
    COMMAND_TYPES,
    MotionCallback,
    TorqueCallback,
    run_callbacks,
)
from kinegraph.robot.session import MotionSession
from kinegraph.robot.torque_session import TorqueSession

__all__ = ["RobotMotions"]

_JOINT_IMPEDANCE = ControllerMode.JointImpedance


class RobotMotions:
    """The callback loops of `Robot`.

    Each runs until a callback marks its command finished. A callback is either an ordinary function
    `(state: RobotState, period_s: float) -> command`, called in the thread that asks, or one under
    `numba.njit` `(state: float64[:], period_s: float64, out: float64[:]) -> int64`, see
    `kinegraph.robot.loop.callback.compile_controller`, which runs inside the compiled loop and is
    not touched by what the interpreter does. The period is the time since the state of the last
    call by the robot's clock, 0 in the first one.

    An exception in a callback, a command that cannot be sent, or Ctrl-C stops the motion and is
    raised again.

    All of them raise:
        InvalidOperationError: Another motion runs, or the robot was closed.
        InvalidArgumentError: A command that cannot be sent, or an argument that does not fit.
        CommandError: The robot refuses the motion.
        ControlError: The robot or another thread ended it; `log` has the last states and commands.
        NetworkError: No reply or no state in time, or a lost connection.
        ProtocolError: The robot answers what it must not, or a state has numbers that are none.
    """

    _link: RobotLink

    def control_torques(
        self,
        callback: TorqueCallback | Any,
        *,
        limit_rate: bool | None = None,
        cutoff_frequency: float = DEFAULT_CUTOFF_FREQUENCY,
    ) -> None:
        """Run a torque loop until the callback finishes it.

        Args:
            callback: Returns `Torques`, or fills seven torques, Nm.
            limit_rate: Whether the torques' rate is limited; None: not in version 10, in version 5.
            cutoff_frequency: Of the low-pass filter, Hz; 1000 and more: none.
        """
        self._control(MotionKind.torques(), None, callback, limit_rate, cutoff_frequency)

    def control_joint_positions(
        self,
        callback: MotionCallback | Any,
        *,
        controller_mode: ControllerMode = _JOINT_IMPEDANCE,
        limit_rate: bool | None = None,
        cutoff_frequency: float = DEFAULT_CUTOFF_FREQUENCY,
        torques: TorqueCallback | Any | None = None,
    ) -> None:
        """Move along joint positions until the callback finishes.

        Start from `q_d` of the first state. With version 10 the first command is its own reference
        of filter and limiter; with version 5 `q_d` is.

        Args:
            callback: Returns `JointPositions`, or fills seven positions, rad.
            controller_mode: The robot's controller that follows the motion.
            limit_rate: Whether velocity, acceleration and jerk are limited; None: not in version
                10, in version 5.
            cutoff_frequency: Of the low-pass filter, Hz; 1000 and more: none.
            torques: A second callback as for `control_torques`; its torques are sent beside the
                motion and the robot's controller is off.
        """
        self._generate(1, callback, controller_mode, torques, limit_rate, cutoff_frequency)

    def control_joint_velocities(
        self,
        callback: MotionCallback | Any,
        *,
        controller_mode: ControllerMode = _JOINT_IMPEDANCE,
        limit_rate: bool | None = None,
        cutoff_frequency: float = DEFAULT_CUTOFF_FREQUENCY,
        torques: TorqueCallback | Any | None = None,
    ) -> None:
        """Move with joint velocities until the callback finishes.

        Args:
            callback: Returns `JointVelocities`, or fills seven velocities, rad/s.
            controller_mode: As for `control_joint_positions`.
            limit_rate: As for `control_joint_positions`.
            cutoff_frequency: As for `control_joint_positions`.
            torques: As for `control_joint_positions`.
        """
        self._generate(2, callback, controller_mode, torques, limit_rate, cutoff_frequency)

    def control_cartesian_pose(
        self,
        callback: MotionCallback | Any,
        *,
        controller_mode: ControllerMode = _JOINT_IMPEDANCE,
        limit_rate: bool | None = None,
        cutoff_frequency: float = DEFAULT_CUTOFF_FREQUENCY,
        torques: TorqueCallback | Any | None = None,
    ) -> None:
        """Move the end effector along poses until the callback finishes.

        Start from `O_T_EE_c` of the first state, not from the measured `O_T_EE`.

        Args:
            callback: Returns `CartesianPose`, or fills sixteen numbers, column-major, and the two
                of an elbow.
            controller_mode: As for `control_joint_positions`.
            limit_rate: As for `control_joint_positions`.
            cutoff_frequency: As for `control_joint_positions`.
            torques: As for `control_joint_positions`.
        """
        self._generate(3, callback, controller_mode, torques, limit_rate, cutoff_frequency)

    def control_cartesian_velocities(
        self,
        callback: MotionCallback | Any,
        *,
        controller_mode: ControllerMode = _JOINT_IMPEDANCE,
        limit_rate: bool | None = None,
        cutoff_frequency: float = DEFAULT_CUTOFF_FREQUENCY,
        torques: TorqueCallback | Any | None = None,
    ) -> None:
        """Move the end effector with twists in the axes of the base until the callback finishes.

        Args:
            callback: Returns `CartesianVelocities`, or fills the six numbers of a twist, linear m/s
                and then angular rad/s, and the two of an elbow.
            controller_mode: As for `control_joint_positions`.
            limit_rate: As for `control_joint_positions`.
            cutoff_frequency: As for `control_joint_positions`.
            torques: As for `control_joint_positions`.
        """
        self._generate(4, callback, controller_mode, torques, limit_rate, cutoff_frequency)

    def start_session(
        self,
        controller: LoopController,
        *,
        limit_rate: bool | None = None,
        cutoff_frequency: float = DEFAULT_CUTOFF_FREQUENCY,
    ) -> TorqueSession:
        """Start a torque loop with a controller inside it; return after its first cycle.

        Args:
            controller: `CompiledTorques`, `TargetController`, or what follows their protocol.
            limit_rate: As for `control_torques`.
            cutoff_frequency: As for `control_torques`.

        Raises:
            FrankaError: As for `control_torques`.
        """
        session = TorqueSession(
            self._link, controller, limit_rate=limit_rate, cutoff_frequency=cutoff_frequency
        )
        session.start()
        return session

    def _generate(
        self,
        motion: int,
        callback: Any,
        controller_mode: ControllerMode,
        torques: Any,
        limit_rate: bool | None,
        cutoff_frequency: float,
    ) -> None:
        kind = MotionKind.generator(motion, controller_mode, torques is not None)
        self._control(kind, callback, torques, limit_rate, cutoff_frequency)

    def _control(
        self,
        kind: MotionKind,
        motion: Any,
        torques: Any,
        limit_rate: bool | None,
        cutoff_frequency: float,
    ) -> None:
        check_frequency("cutoff_frequency", cutoff_frequency)
        if limit_rate is not None:
            check_flag("limit_rate", limit_rate)
        if not _are_compiled(kind, motion, torques):
            run_callbacks(
                self._link,
                kind,
                motion,
                torques,
                limit_rate=limit_rate,
                cutoff_frequency=cutoff_frequency,
            )
            return
        session = MotionSession(
            self._link,
            kind,
            CompiledCallbacks(kind.motion, motion, torques),
            limit_rate=limit_rate,
            cutoff_frequency=cutoff_frequency,
        )
        session.start()
        try:
            session.wait()
        except BaseException:
            session.cancel(quiet=True)
            raise


def _are_compiled(kind: MotionKind, motion: Any, torques: Any) -> bool:
    """Whether the callbacks are numba functions; both have to be of one sort."""
    given = [] if kind.motion == 0 else [(motion, COMMAND_TYPES[kind.motion].__name__)]
    if kind.motion == 0 or torques is not None:
        given.append((torques, "Torques"))
    for callback, result in given:
        if not callable(callback):
            raise InvalidArgumentError(
                f"{callback!r} cannot be called; a function (state, period_s) -> {result} or one "
                "under numba.njit is needed"
            )
    compiled = [is_compiled(callback) for callback, _ in given]
    if any(compiled) and not all(compiled):
        raise InvalidArgumentError(
            "one callback is compiled and the other is not; both have to be of one sort"
        )
    return all(compiled)
