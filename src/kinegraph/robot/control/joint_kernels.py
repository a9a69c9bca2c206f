"""One cycle of the joint target controller: from a robot state to torques and a record.

The law, its envelopes and the end of a motion are those of the Cartesian controller; there is no
inverse kinematics: the generator's positions are the goal, as far as the cycle's box lets it go.
"""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.cartesian_kernels import (
    FAULT_CHAIN,
    FAULT_TORQUE,
    FINISHED,
    FLAG_STOP,
    GO_ON,
    at_rest,
)
from kinegraph.robot.control.entry_kernels import read_joints
from kinegraph.robot.control.generator.joint_runner_kernels import (
    pull_joints,
    run_joints,
    take_joint_restart,
)
from kinegraph.robot.control.ik.joint_goal_kernels import step_joint_goal
from kinegraph.robot.control.joint_record_kernels import write_joint_record
from kinegraph.robot.control.memory_layout import (
    M_cycle,
    M_goal,
    M_jacobian,
    M_joint_reference,
    M_joint_start,
    M_pose,
    M_q,
    M_started,
    M_tau,
)
from kinegraph.robot.control.options_layout import O_max_deviation, O_n
from kinegraph.robot.control.pose_kernels import copy, solve_chain
from kinegraph.robot.control.torques.feedforward_kernels import feed_forward_joints
from kinegraph.robot.control.torques.reference_kernels import soften
from kinegraph.robot.control.torques.torque_kernels import set_torques
from kinegraph.scene.array_types import Array


@kernel
def joint_cycle(
    options: Array,
    chain: Array,
    arm: Array,
    memory: Array,
    state: Array,
    target: Array,
    flags: int,
    record: Array,
    tau: Array,
) -> int:
    """Compute one cycle.

    Args:
        options: Packed options, `JointOptions.packed`.
        chain: Chain from the base to the link at which Cartesian gains act, `ChainPlan.data`.
        arm: Bodies of the arm down to the flange, `DynamicsPlan.data`.
        memory: (MEMORY_SIZE,) the session's memory, zeros before its first cycle.
        state: Canonical row of the robot's state (`state_layout`).
        target: (n,) joint positions, rad, at rest; or (2n + 1,) with velocities, rad/s, and how
            long they go on, s.
        flags: `FLAG_STOP`: a stop is asked for.
        record: (JOINT_RECORD_SIZE,) out, see `record_layout`.
        tau: (n,) out, Nm, clamped; filter and rate limiter come after.

    Returns:
        As `cartesian_cycle`.
    """
    n = int(options[O_n])
    for i in range(tau.shape[0]):
        tau[i] = 0.0
    if chain[0] != n or arm[0] != n:
        return FAULT_CHAIN
    fault = read_joints(state, memory, n)
    if fault < 0:
        return fault
    solve_chain(chain, memory, n, M_q, M_pose, M_jacobian)
    if memory[M_started] == 0.0:
        memory[M_started] = 1.0
        copy(memory, M_q, M_joint_start, n)
        copy(memory, M_q, M_joint_reference, n)
        copy(memory, M_q, M_goal, n)
    pull_joints(options, memory, n)
    strayed = joints_strayed(options, memory, n)
    take_joint_restart(memory, n)
    run_joints(options, memory, target, n, flags & FLAG_STOP != 0, strayed)
    step_joint_goal(options, memory, n)
    feed_forward_joints(options, memory, n)
    soften(options, memory, n)
    if not set_torques(options, arm, memory, n):
        return FAULT_TORQUE
    for i in range(n):
        tau[i] = memory[M_tau + i]
    write_joint_record(memory, n, record)
    memory[M_cycle] += 1.0
    return FINISHED if at_rest(memory, n) else GO_ON


@kernel
def joints_strayed(options: Array, memory: Array, n: int) -> bool:
    """Tell whether a measured joint is further from its start than allowed."""
    far = 0.0
    for i in range(n):
        far = max(far, abs(memory[M_q + i] - memory[M_joint_start + i]))
    return bool(far > options[O_max_deviation])
