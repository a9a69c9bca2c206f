"""A session that is not one for the robot: the loop runs, nothing is asked for and nothing sent."""

from kinegraph.robot.exchange import Exchange
from kinegraph.robot.session import MotionSession

__all__ = ["DrySession"]


class DrySession(MotionSession):
    """A motion without Move: its controller answers the states, and the answers stay here.

    The arm does not move by it; whatever else moves it is seen in the states.
    """

    def _request_move(self) -> Exchange | None:
        return None

    def _on_end(self, code: int) -> None:
        self._ending.note(code)
