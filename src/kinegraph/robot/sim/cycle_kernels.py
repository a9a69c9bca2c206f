"""One millisecond of the robot, without clock and sockets."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.codes_layout import (
    ABORTED,
    ERROR_COUNT,
    EXTERNAL_CONTROLLER,
    MODE_GUIDING,
    MODE_IDLE,
    MODE_REFLEX,
    NO_GENERATOR,
    SUCCESS,
)
from kinegraph.robot.sim.controller_kernels import CONTROLLER_FILTER, filter_gain
from kinegraph.robot.sim.ending_kernels import brake, end_recovery, follow_arm, rest_speed
from kinegraph.robot.sim.float_layout import (
    X_command,
    X_state,
    X_tau,
    X_tau_d,
)
from kinegraph.robot.sim.frame_kernels import copy_numbers
from kinegraph.robot.sim.int_layout import (
    N_controller,
    N_cycles,
    N_errors,
    N_generator,
    N_have,
    N_id,
    N_mode,
    N_moving,
    N_recovery,
    N_trace,
    N_trace_rows,
    N_tracing,
)
from kinegraph.robot.sim.motion_kernels import cycle_motion, release_injected
from kinegraph.robot.sim.plant_kernels import step_plant
from kinegraph.robot.sim.report_kernels import report
from kinegraph.robot.sim.sensing_kernels import forget_collisions, locate, sense, watch
from kinegraph.robot.wire.state_layout import COMMAND_SIZE, STATE_SIZE
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["advance", "recover_now", "settle"]

JOINTS = 7


@kernel
def recover_now(x: Array, n: IntArray) -> None:
    """Errors are gone, the reason of the last reflex stays."""
    for i in range(ERROR_COUNT):
        n[N_errors + i] = 0
    forget_collisions(x, n)
    n[N_mode], n[N_recovery] = MODE_IDLE, 0


@kernel
def await_rest(x: Array, n: IntArray) -> None:
    """A recovery that was asked for while the arm still moved ends when it rests, or in vain."""
    if n[N_recovery] == 0:
        return
    if rest_speed(x, n):
        end_recovery(x, n, SUCCESS)
        recover_now(x, n)
    elif n[N_recovery] == 1:
        end_recovery(x, n, ABORTED)
        n[N_mode] = MODE_REFLEX
    else:
        n[N_recovery] -= 1


@kernel
def record_trace(x: Array, n: IntArray, have: int) -> None:
    """Keep the state and the command of this cycle in the trace's ring."""
    rows = n[N_trace + 1]
    if rows == 0 or n[N_tracing] == 0:
        return
    row = n[N_trace] + (n[N_trace_rows] % rows) * (STATE_SIZE + COMMAND_SIZE)
    copy_numbers(x, X_state, x, row, STATE_SIZE)
    for i in range(COMMAND_SIZE):
        value = x[X_command + i] if have == 1 else math.nan
        x[row + STATE_SIZE + i] = value
    n[N_trace_rows] += 1


@kernel
def settle(x: Array, n: IntArray) -> None:
    """Fill state and Jacobian for a configuration that was just put in."""
    locate(x, n)
    sense(x, n)
    report(x, n)


@kernel
def advance(x: Array, n: IntArray) -> None:
    """One millisecond: use the command, move the arm, make the next state.

    The torque that acts in this millisecond is the one commanded in the one before (one cycle of
    latency); desired motions are followed at once.
    """
    n[N_id] += 1
    n[N_cycles] += 1
    have = n[N_have]
    await_rest(x, n)
    release_injected(x, n)
    if n[N_moving] == 1:
        cycle_motion(x, n)
    if n[N_moving] == 0:
        brake(x, n)
    step_plant(x, n)
    external = n[N_moving] == 1 and n[N_controller] == EXTERNAL_CONTROLLER
    if external:
        gain = filter_gain(x, CONTROLLER_FILTER)
        for i in range(JOINTS):
            x[X_tau + i] += gain * (x[X_tau_d + i] - x[X_tau + i])
    if (external and n[N_generator] == NO_GENERATOR) or n[N_mode] == MODE_GUIDING:
        follow_arm(x, n)
    sense(x, n)
    watch(x, n)
    report(x, n)
    record_trace(x, n, have)
    n[N_have] = 0
