"""What computes the commands of a session."""

from typing import Protocol

from kinegraph.robot.errors import FrankaError, InvalidArgumentError
from kinegraph.robot.loop.loop_layout import LoopMemory

__all__ = ["LoopController", "check_controller"]

_PARTS = ("prepare", "run", "explain")


class LoopController(Protocol):
    """What computes the commands of a session, inside the loop."""

    def prepare(self, memory: LoopMemory) -> None:
        """Compile and set up all that `run` needs; called before Move is sent."""

    def run(self, memory: LoopMemory) -> int:
        """Run the loop on the calling thread and return its end code."""
        raise NotImplementedError

    def explain(self, fault: int) -> FrankaError:
        """Return the error that the controller's fault code stands for."""
        raise NotImplementedError


def check_controller(controller: LoopController) -> None:
    """Raise InvalidArgumentError for what is no controller."""
    if not all(callable(getattr(controller, name, None)) for name in _PARTS):
        raise InvalidArgumentError(
            f"controller: {controller!r} is none; it needs {', '.join(_PARTS)}"
        )
