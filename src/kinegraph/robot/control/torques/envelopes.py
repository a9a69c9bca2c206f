"""The velocity and position envelopes as functions of arrays."""

import sys
from dataclasses import dataclass

import numpy as np

from kinegraph.robot.argument_checks import check_flag, check_whole
from kinegraph.robot.control.arms import ArmTable
from kinegraph.robot.control.checks import check_finite_vector, check_kind
from kinegraph.robot.control.options import CartesianOptions, ImpedanceOptions
from kinegraph.robot.control.torques import envelope_kernels
from kinegraph.robot.control.torques.envelope_kernels import RAMP_CYCLES
from kinegraph.robot.control.workspace import Workspace
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["EnvelopeTorques", "envelope_torques", "speed_onsets"]


@dataclass(frozen=True, slots=True, eq=False)
class EnvelopeTorques:
    """Torques after the envelopes; tau = clamp(law + tau_envelope + tau_position).

    Attributes:
        tau: (n,) clamped, Nm.
        tau_envelope: (n,) the velocity envelope's share, Nm.
        tau_position: (n,) the position envelope's share, Nm.
    """

    tau: Array
    tau_envelope: Array
    tau_position: Array


def envelope_torques(
    arm: ArmTable,
    q: VectorLike,
    dq: VectorLike,
    law: VectorLike,
    *,
    options: ImpedanceOptions | None = None,
    cycle: int = RAMP_CYCLES,
) -> EnvelopeTorques:
    """Return what the envelopes make of the law's torques at a measured state.

    Args:
        arm: The arm's table.
        q: (n,) rad.
        dq: (n,) rad/s.
        law: (n,) the law's torques, Nm.
        options: Clamp, margin and both fractions count.
        cycle: Cycles since the start of the session: the spring at the position limits comes in
            over the first 500.

    Raises:
        InvalidArgumentError: An option is refused, a number is not finite, or a shape is wrong.
    """
    impedance = ImpedanceOptions() if options is None else options
    check_kind("options", impedance, ImpedanceOptions)
    check_whole("cycle", cycle, 0, sys.maxsize)
    packed = CartesianOptions(backend=impedance).packed(arm)
    work = Workspace()
    for name, value in (("q", q), ("dq", dq), ("law", law)):
        work.write(name, check_finite_vector(name, value, arm.n))
    work.write("cycle", float(cycle))
    envelope_kernels.apply_envelopes(packed, work.memory)
    return EnvelopeTorques(
        tau=work.read("tau", arm.n),
        tau_envelope=work.read("tau_envelope", arm.n),
        tau_position=work.read("tau_position", arm.n),
    )


def speed_onsets(
    arm: ArmTable, q: VectorLike, upper: bool, *, options: ImpedanceOptions | None = None
) -> tuple[Array, Array]:
    """Return the speeds where the law's torque begins to fade, and where the barrier begins.

    Args:
        arm: The arm's table.
        q: (n,) rad.
        upper: Toward the upper limits, else the lower ones.
        options: Margin and both fractions count.

    Raises:
        InvalidArgumentError: An option is refused, a number is not finite, or the shape is wrong.
    """
    impedance = ImpedanceOptions() if options is None else options
    check_kind("options", impedance, ImpedanceOptions)
    check_flag("upper", upper)
    packed = CartesianOptions(backend=impedance).packed(arm)
    values = check_finite_vector("q", q, arm.n)
    onsets = [
        envelope_kernels.speed_onsets(packed, i, float(values[i]), upper) for i in range(arm.n)
    ]
    return np.array([start for start, _ in onsets]), np.array([onset for _, onset in onsets])
