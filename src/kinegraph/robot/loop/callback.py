"""A user's compiled controller as something that the loop can call."""

from dataclasses import dataclass
from typing import Any

from kinegraph.kinematics.announcing import announce_compiling
from kinegraph.robot.errors import ControlError, FrankaError, InvalidArgumentError
from kinegraph.robot.loop.loop_layout import LoopMemory, rehearsal

__all__ = ["CompiledTorques", "is_compiled"]


def is_compiled(callback: Any) -> bool:
    """Whether a callback is a numba function, which can run inside the loop."""
    return hasattr(callback, "py_func") and hasattr(callback, "overloads")


@dataclass(frozen=True, slots=True, eq=False)
class CompiledController:
    """A controller with a C address.

    Attributes:
        address: Of `int64 f(double *state, double period_s, double *torques)`, which returns 1 to
            go on, 2 with the last torques, 0 when the user's function raised.
        keep_alive: What the machine code at the address belongs to.
    """

    address: int
    keep_alive: Any


def compile_controller(callback: Any) -> CompiledController:
    """Compile a numba function `(state, period_s, torques) -> finished` for the loop.

    An exception in it is shown through `sys.unraisablehook` and ends the motion.

    Args:
        callback: `numba.njit` function of state (STATE_SIZE,) float64, see
            `kinegraph.robot.wire.state_layout` for what stands where; period in s, 0 in the first
            cycle; torques (7,) Nm to be filled. It returns an integer, not 0 with the last torques.

    Raises:
        InvalidArgumentError: It does not compile for these types.
    """
    import numba
    import numpy as np
    from numba import types
    from numba.np.numpy_support import carray

    from kinegraph.robot.loop.loop_layout import JOINTS
    from kinegraph.robot.loop.session_kernels import FINISHED, GO_ON
    from kinegraph.robot.wire.state_layout import STATE_SIZE

    def controller(state: Any, period_s: Any, torques: Any) -> Any:
        answer = callback(carray(state, (STATE_SIZE,)), period_s, carray(torques, (JOINTS,)))
        return FINISHED if np.int64(answer) != 0 else GO_ON  # None does not compile

    pointer_to: Any = types.CPointer
    pointer = pointer_to(types.float64)
    signature = types.int64(pointer, types.float64, pointer)
    try:
        compiled = numba.cfunc(signature, nogil=True)(controller)
    except numba.core.errors.NumbaError as error:
        raise InvalidArgumentError(
            "the controller does not compile as "
            f"(state: float64[:], period_s: float64, torques: float64[:]) -> int64: {error}",
            callback=callback,
        ) from error
    return CompiledController(int(compiled.address or 0), (compiled, callback))


class CompiledTorques:
    """A torque loop around a user's compiled function; see `compile_controller`.

    Args:
        callback: `numba.njit` function `(state, period_s, torques) -> finished`.

    Raises:
        InvalidArgumentError: It does not compile for these types.
    """

    def __init__(self, callback: Any) -> None:
        self._controller = compile_controller(callback)

    def prepare(self, memory: LoopMemory) -> None:
        """Compile the loop, by running it so that it leaves at once."""
        with announce_compiling("the torque loop"):
            self.run(rehearsal(memory))

    def run(self, memory: LoopMemory) -> int:
        """Run the loop and return its end code."""
        from kinegraph.robot.loop.session_kernels import torque_session

        return int(torque_session(memory, self._controller.address))

    def explain(self, fault: int) -> FrankaError:
        """Return the error of a callback that raised."""
        return ControlError("the compiled controller raised an exception, see the error output")
