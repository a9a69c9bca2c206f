"""The torque law and its envelopes, written down plainly.

Section 9 of the controller's specification, for comparison with the compiled kernels.
"""

import numpy as np
import numpy.typing as npt
from goal_twin import DT, braking_speed, robot_speed, room

from kinegraph.robot.control import ArmTable, ImpedanceOptions

Array = npt.NDArray[np.float64]


def law_torques(law: ImpedanceOptions, e: Array, ev: Array, j: Array, coriolis: Array) -> Array:
    """Section 9.1, before the clamp; `ev` has the share of the goal's velocity in it."""
    gains, n = law.gains, np.eye(e.size)
    if law.project_joint_gains:
        n = n - j.T @ np.linalg.solve(j @ j.T + law.ik.damping**2 * np.eye(6), j)
    task = np.asarray(gains.cartesian_stiffness) * (j @ e)
    task = task + np.asarray(gains.cartesian_damping) * (j @ ev)
    joint = np.asarray(gains.joint_stiffness) * (n @ e)
    joint = joint + np.asarray(gains.joint_damping) * (n @ ev)
    return np.asarray(j.T @ task + coriolis + n @ joint)


def enveloped(
    law: ImpedanceOptions, arm: ArmTable, i: int, q: float, dq: float, wanted: float, k: int
) -> tuple[float, float, float]:
    """Sections 9.2 to 9.4 for joint i in cycle k: torque, and the share of each envelope."""
    limits = arm.torque_limits if law.torque_limits is None else np.asarray(law.torque_limits)
    limit = float(limits[i])
    m, side, speed = law.joint_position_margin, 1 if dq >= 0 else -1, abs(dq)
    b_on = m - 0.02
    onsets, starts = [], []
    for at in (q, q + dq * DT):
        v, s = robot_speed(arm, i, at, side), room(arm, i, at, side)
        onset = law.velocity_barrier_fraction * min(v, braking_speed(arm, i, s - b_on))
        start = law.joint_velocity_fraction * min(v, braking_speed(arm, i, s - m))
        onsets.append(onset)
        starts.append(max(0.0, min(start, onset - 0.15 * v)))
    onset, start = min(onsets), min(starts)
    kept_v = wanted
    if wanted * dq > 0 and speed > start:
        share = (onset - speed) / (onset - start) if onset > start else 0.0
        kept_v = wanted * min(max(share, 0.0), 1.0)
    barrier = 0.0
    if speed > onset:
        gain = 20.0 * min(1.0, limit / arm.torque_limits[i])
        barrier = -side * min(limit, gain * (speed - onset))
    s = room(arm, i, q, -1 if kept_v < 0 else 1)
    kept = kept_v * min(max((s - b_on) / (m - b_on), 0.0), 1.0)
    ramp = min(k, 500) / 500
    lower, upper = (
        min(limit, ramp * 12.5 * limit * max(0.0, b_on - room(arm, i, q, one))) for one in (-1, 1)
    )
    spring = lower - upper
    tau = min(max(kept + barrier + spring, -limit), limit)
    return tau, barrier - (wanted - kept_v), spring - (kept_v - kept)
