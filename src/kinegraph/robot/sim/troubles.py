"""Trouble for a simulated robot: stops, reflexes, hands that guide, things that happen in time."""

from kinegraph.robot.argument_checks import check_flag
from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.sim.codes_layout import (
    INJECT_COLLISION,
    INJECT_REFLEX,
    INJECT_USER_STOP,
    R_BY_HAND,
    R_GUIDE,
    R_INJECT,
    R_REFLEX,
    R_RELEASE,
    R_SAFETY,
    R_USER_STOP,
    SUCCESS,
)
from kinegraph.robot.sim.mailbox import Mailbox
from kinegraph.robot.wire.error_bits import ERROR_NAMES
from kinegraph.scene.errors import suggestion

__all__ = ["SimulatedTroubles"]

LATEST_S = 1e6
INJECTIONS = {
    "reflex": INJECT_REFLEX,
    "user-stop": INJECT_USER_STOP,
    "collision": INJECT_COLLISION,
}


class SimulatedTroubles:
    """What somebody beside the robot, or in front of Desk, can do to it.

    Args:
        mailbox: Way to the loop.
        version: Protocol version that is spoken.
    """

    def __init__(self, mailbox: Mailbox, version: int) -> None:
        self._mailbox = mailbox
        self._version = version

    @property
    def fci_version(self) -> int:
        """Protocol version that is spoken."""
        return self._version

    def press_user_stop(self) -> None:
        """Press the user stop: a motion is aborted, none can start."""
        self._mailbox.ask(R_USER_STOP)

    def release_user_stop(self) -> None:
        """Release the user stop."""
        self._mailbox.ask(R_RELEASE)

    def guide(self, on: bool) -> None:
        """Begin or end guiding by hand: the arm follows what pushes it.

        It is possible without a motion and after a reflex; errors stay until they are recovered
        from.
        """
        check_flag("on", on)
        if self._mailbox.ask(R_GUIDE, (), (int(on),)) != SUCCESS:
            raise InvalidOperationError("guide: not possible in the current mode")

    def activate_safety_function(self, on: bool) -> None:
        """Activate or deactivate a safety function, as its operator does in Desk.

        While it is active a robot of version 10 preempts a motion and rejects what starts or sets
        anything; StopMove works.

        Raises:
            InvalidOperationError: Version 5 knows none.
        """
        if self.fci_version != 10:
            raise InvalidOperationError("activate_safety_function: version 5 knows none")
        check_flag("on", on)
        self._mailbox.ask(R_SAFETY, (), (int(on),))

    def recover_by_hand(self) -> None:
        """Recover as somebody beside the robot does, also from what no client can recover from.

        Joints outside their range are put back into it; the errors are gone.

        Raises:
            InvalidOperationError: A motion or a recovery runs, the user stop is pressed, or the arm
                touches itself (`place` or `guide` it away first).
        """
        if self._mailbox.ask(R_BY_HAND) != SUCCESS:
            raise InvalidOperationError("recover_by_hand: not possible in the current mode")

    def inject_reflex(self, name: str, *, manual: bool = False) -> None:
        """Make the robot stop itself with one of the 41 errors.

        Args:
            name: The error.
            manual: Whether it must be recovered from by hand (`recover_by_hand` or `guide`).

        Raises:
            InvalidArgumentError: No error has that name. Also a `ValueError`.
        """
        if not isinstance(name, str) or name not in ERROR_NAMES:
            text = f"no error {name!r}{suggestion(str(name), ERROR_NAMES)}"
            raise InvalidArgumentError(text, name=name)
        self._mailbox.ask(R_REFLEX, (), (ERROR_NAMES.index(name), int(manual)))

    def inject(self, what: str, after_s: float) -> None:
        """Let something happen once, `after_s` seconds into a motion, the running or the next one.

        Args:
            what: "reflex" (joint_reflex), "user-stop" or "collision" (150 N downwards).
            after_s: Seconds from the start of the motion.

        Raises:
            InvalidArgumentError: No such injection, or no such time. Also a `ValueError`.
        """
        if what not in INJECTIONS:
            text = f"no injection {what!r}{suggestion(what, INJECTIONS)}"
            raise InvalidArgumentError(text, name=what)
        if not 0.0 <= after_s < LATEST_S:
            raise InvalidArgumentError(
                f"after_s is {after_s!r}; seconds from 0 to {LATEST_S:g} are needed"
            )
        self._mailbox.ask(R_INJECT, (), (INJECTIONS[what], round(1000.0 * after_s)))
