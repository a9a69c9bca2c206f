"""A motion under torque control alone."""

from kinegraph.robot.limits import DEFAULT_CUTOFF_FREQUENCY
from kinegraph.robot.link import RobotLink
from kinegraph.robot.loop_controller import LoopController
from kinegraph.robot.motion_mode import MotionKind
from kinegraph.robot.session import MotionSession

__all__ = ["TorqueSession"]


class TorqueSession(MotionSession):
    """A motion under torque control alone, made by `Robot.start_session`.

    Args:
        link: The robot's connection and loop.
        controller: Computes the torques.
        limit_rate: As for `MotionSession`.
        cutoff_frequency: As for `MotionSession`.
    """

    def __init__(
        self,
        link: RobotLink,
        controller: LoopController,
        *,
        limit_rate: bool | None = None,
        cutoff_frequency: float = DEFAULT_CUTOFF_FREQUENCY,
    ) -> None:
        super().__init__(
            link,
            MotionKind.torques(),
            controller,
            limit_rate=limit_rate,
            cutoff_frequency=cutoff_frequency,
        )
