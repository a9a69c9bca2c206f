"""`TunableTargets`: the part of a session's handle that tunes it."""

from kinegraph.robot.control.target_handle import TargetHandle
from kinegraph.robot.control.tuning.tuning import Clamped, Tuning, TuningUpdate

__all__ = ["TunableTargets"]


class TunableTargets(TargetHandle):
    """Tunes the session that it is a handle of; from any thread."""

    def tune(self, update: TuningUpdate | Tuning) -> tuple[Clamped, ...]:
        """Change gains and budgets while the session runs.

        An update counts as a whole or not at all, and the newest word of each wins. Values out of
        their bounds (see `TuningUpdate`) are set to the bound. The loop takes them up in its next
        cycle and keeps the motion continuous: gains, the damping of the inverse kinematics and the
        share of feed-forward follow with a time constant of 0.3 s; velocity and acceleration
        budgets go up at once and come down only as fast as the next budget (acceleration, jerk)
        in force allows; jerks and the cutoff change at once. A budget that comes down in motion
        makes a stop longer: a target ahead may be passed and returned to.

        Args:
            update: What to change, or a whole `Tuning`, as `tuning()` gives it.

        Returns:
            Which values were clamped; empty if none was.

        Raises:
            InvalidArgumentError: A value is not finite, or a stiffness or damping that cannot be
                zero is not above it. Nothing is changed then. Also a `ValueError`.
            InvalidOperationError: The session has ended, or cannot be tuned: of joints, with
                `RobotController`, or with Cartesian springs and dampers that are not those of
                `scaled_cartesian`.
        """
        self._check_running()
        return self._controller.tuning.tune(update)

    def tuning(self) -> Tuning:
        """Return the newest tuning, what the options say until something is set.

        Raises:
            InvalidOperationError: The session cannot be tuned.
        """
        return self._controller.tuning.wanted()

    def tuning_in_force(self) -> Tuning:
        """Return what the loop computes with by now, on its way to `tuning()`.

        Raises:
            InvalidOperationError: The session cannot be tuned.
        """
        return self._controller.tuning.in_force()
