"""A user's compiled callbacks as something that the loop can call."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegraph.kinematics.announcing import announce_compiling
from kinegraph.robot.errors import ControlError, FrankaError, InvalidArgumentError
from kinegraph.robot.loop.interrupts import interrupts_held
from kinegraph.robot.loop.loop_layout import (
    B_VERSION,
    HALF_MOTION,
    HALF_TORQUES,
    JOINTS,
    LoopMemory,
    rehearsal,
)
from kinegraph.scene.array_types import Array

__all__ = [
    "CALLBACK_MEMORY",
    "CompiledCallbacks",
    "CompiledTorques",
    "compile_controller",
    "is_compiled",
]

MOTION_COUNTS = (0, 7, 7, 18, 8)
"""Numbers of each kind of motion, with the elbow of Cartesian ones; by the generator's number."""
CALLBACK_MEMORY = 64
"""Numbers that a compiled callback may keep from cycle to cycle."""


def is_compiled(callback: Any) -> bool:
    """Whether a callback is a numba function, which can run inside the loop."""
    return hasattr(callback, "py_func") and hasattr(callback, "overloads")


@dataclass(frozen=True, slots=True, eq=False)
class CompiledController:
    """A callback with a C address.

    Attributes:
        address: Of `int64 f(double *state, double period_s, double *out)`, which returns 1 to go
            on, 2 with the last command, 0 when the user's function raised.
        memory: (CALLBACK_MEMORY,) the callback's own numbers.
        keep_alive: What the machine code at the address belongs to.
    """

    address: int
    memory: Array
    keep_alive: Any


def compile_controller(callback: Any, count: int = JOINTS) -> CompiledController:
    """Compile a numba function `(state, period_s, out) -> finished` for the loop.

    An exception in it is shown through `sys.unraisablehook` and ends the motion.

    Args:
        callback: `numba.njit` function of state (STATE_SIZE,) float64, see
            `kinegraph.robot.wire.state_layout` for what stands where; period in s, 0 in the first
            cycle; and the (count,) numbers to be filled, which are zero before the first cycle and
            then as the callback left them: torques (7) Nm, joint positions or velocities (7), a
            pose (16, column-major) and an elbow (2), a twist (6) and an elbow (2); zeros for no
            elbow. It returns an integer, not 0 with the last command. A fourth argument, if it has
            one, is a (CALLBACK_MEMORY,) array of its own, zero before the first cycle of a motion.
        count: How many numbers it fills.

    Raises:
        InvalidArgumentError: It does not compile for these types.
    """
    if not is_compiled(callback):
        raise InvalidArgumentError(
            f"{callback!r:.200} is no compiled callback: a function under numba.njit is needed",
            callback=callback,
        )
    import numba
    from numba import types
    from numba.core.errors import NumbaError
    from numba.np.numpy_support import carray

    from kinegraph.robot.loop.native_call_kernels import numbers_at
    from kinegraph.robot.loop.session_kernels import FINISHED, GO_ON
    from kinegraph.robot.wire.state_layout import STATE_SIZE

    memory = np.zeros(CALLBACK_MEMORY)
    address = int(memory.ctypes.data)

    def plain(state: Any, period_s: Any, out: Any) -> Any:
        answer = callback(carray(state, (STATE_SIZE,)), period_s, carray(out, (count,)))
        return FINISHED if np.int64(answer) != 0 else GO_ON  # None does not compile

    def remembering(state: Any, period_s: Any, out: Any) -> Any:
        own = carray(numbers_at(address), (CALLBACK_MEMORY,))
        answer = callback(carray(state, (STATE_SIZE,)), period_s, carray(out, (count,)), own)
        return FINISHED if np.int64(answer) != 0 else GO_ON

    controller = remembering if callback.py_func.__code__.co_argcount == 4 else plain
    pointer_to: Any = types.CPointer
    pointer = pointer_to(types.float64)
    signature = types.int64(pointer, types.float64, pointer)
    try:
        with interrupts_held():
            compiled = numba.cfunc(signature, nogil=True)(controller)
    except NumbaError as error:
        raise InvalidArgumentError(
            "the callback does not compile as "
            f"(state: float64[:], period_s: float64, out: float64[:]) -> int64: {error}",
            callback=callback,
        ) from error
    return CompiledController(int(compiled.address or 0), memory, (compiled, callback))


class CompiledCallbacks:
    """A loop around a user's compiled functions; see `compile_controller`.

    Args:
        motion: Number of the motion that the first one fills, 0 for none.
        motion_callback: `numba.njit` function `(state, period_s, motion) -> finished`, or None.
        torque_callback: `numba.njit` function `(state, period_s, torques) -> finished`, or None.

    Raises:
        InvalidArgumentError: One does not compile for these types.
    """

    def __init__(
        self,
        motion: int,
        motion_callback: Callable[..., Any] | None,
        torque_callback: Callable[..., Any] | None,
    ) -> None:
        self._motion = self._torques = CompiledController(0, np.zeros(0), None)
        if motion_callback is not None:
            self._motion = compile_controller(motion_callback, MOTION_COUNTS[motion])
        if torque_callback is not None:
            self._torques = compile_controller(torque_callback)

    def prepare(self, memory: LoopMemory) -> None:
        """Compile the loop, by running it so that it leaves at once."""
        with announce_compiling("the control loop"):
            self.run(rehearsal(memory))
        for controller in (self._torques, self._motion):
            controller.memory[:] = 0.0

    def run(self, memory: LoopMemory) -> int:
        """Run the loop and return its end code."""
        from kinegraph.robot.loop.session_kernels import callback_session

        torques, motion = self._torques.address, self._motion.address
        # Version 10 asks for the torques first, version 5 for the motion.
        if motion == 0 or (torques != 0 and memory.block[B_VERSION] == 10):
            return int(callback_session(memory, torques, motion, HALF_TORQUES))
        return int(callback_session(memory, motion, torques, HALF_MOTION))

    def explain(self, fault: int) -> FrankaError:
        """Return the error of a callback that raised."""
        return ControlError("the compiled controller raised an exception, see the error output")


class CompiledTorques(CompiledCallbacks):
    """A torque loop around a user's compiled function; see `compile_controller`.

    Args:
        callback: `numba.njit` function `(state, period_s, torques) -> finished`.

    Raises:
        InvalidArgumentError: It does not compile for these types.
    """

    def __init__(self, callback: Any) -> None:
        super().__init__(0, None, callback)
