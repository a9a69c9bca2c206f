"""The loop's side of live tuning: each word one cycle toward where it was set, then into force."""

import math

import numpy as np

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.options_layout import (
    O_axis_acceleration,
    O_axis_jerk,
    O_axis_velocity,
    O_cartesian_damping,
    O_cartesian_stiffness,
    O_dwell,
    O_feedforward_cutoff,
    O_feedforward_gain,
    O_ik_damping,
    O_ik_nullspace_gain,
    O_joint_damping,
    O_joint_stiffness,
    O_n,
    O_settle_tolerance,
)
from kinegraph.robot.control.table_layout import CYCLE_TIME, ROTATION_AXIS_FACTOR
from kinegraph.robot.control.tuning.tuning_layout import (
    REFERENCE_STIFFNESS,
    SLEW_TIME,
    T_ARRIVED,
    T_SEEN,
    T_WORDS,
    W_FEEDFORWARD_CUTOFF,
    W_FEEDFORWARD_GAIN,
    W_IK_DAMPING,
    W_LIMITS,
    W_NULLSPACE_GAIN,
    W_ROTATION_LIMITS,
    W_STIFFNESS,
)
from kinegraph.robot.loop.atomic_kernels import load
from kinegraph.robot.loop.ring_kernels import read_slot
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["take_tuning"]

SLEW_GAIN = 1.0 - math.exp(-CYCLE_TIME / SLEW_TIME)
ROOT_OF_AXES = math.sqrt(3.0)


@kernel
def take_tuning(sequence: IntArray, slot: Array, tuning: Array, options: Array) -> None:
    """Bring the tuned numbers one cycle further; before everything else of a cycle.

    Args:
        sequence: (1,) of the slot; 0: this session is not tuned.
        slot: (words,) as published.
        tuning: (row_size,) the loop's own, see `tuning_layout`.
        options: Packed options, in which what has moved is written.
    """
    newest = load(sequence, 0)
    if newest == 0:
        return
    words = slot.shape[0]
    wanted, fresh = T_WORDS + words, T_WORDS + 2 * words
    if newest != int(tuning[T_SEEN]) and (
        read_slot(sequence, slot, tuning[fresh : fresh + words]) == 1
    ):
        tuning[T_SEEN] = newest
        tuning[T_ARRIVED] = 0.0
        for i in range(words):
            tuning[wanted + i] = tuning[fresh + i]
    if tuning[T_ARRIVED] != 0.0:
        return
    if move_words(tuning, words, int(options[O_n])):
        put_in_force(tuning, words, options)
    else:
        tuning[T_ARRIVED] = 1.0


@kernel
def move_words(tuning: Array, words: int, n: int) -> bool:
    """Move each word toward where it was set; tell whether any has moved."""
    moved = False
    for i in range(words):
        k = i - 2 * n
        here, there = tuning[T_WORDS + i], tuning[T_WORDS + words + i]
        if here == there:
            continue
        after = there
        if k < W_FEEDFORWARD_CUTOFF:
            after = here + SLEW_GAIN * (there - here)
            if after == here:
                after = there
        elif k >= W_LIMITS and (k - W_LIMITS) % 3 < 2:
            # A budget in motion comes down no faster than the next one in the row allows, by the
            # value that is in force at the start of the cycle; words are moved in that order.
            after = max(there, here - tuning[T_WORDS + i + 1] * CYCLE_TIME)
        tuning[T_WORDS + i] = after
        moved = True
    return moved


@kernel
def put_in_force(tuning: Array, words: int, options: Array) -> None:
    """Write the words into the options."""
    n = int(options[O_n])
    shared = T_WORDS + 2 * n
    for i in range(n):
        options[O_joint_stiffness + i] = tuning[T_WORDS + i]
        options[O_joint_damping + i] = tuning[T_WORDS + n + i]
    ratio = tuning[shared + W_STIFFNESS] / REFERENCE_STIFFNESS
    root = math.sqrt(ratio)
    springs = T_WORDS + 3 * words
    for r in range(6):
        options[O_cartesian_stiffness + r] = ratio * tuning[springs + r]
        options[O_cartesian_damping + r] = root * tuning[springs + 6 + r]
    options[O_ik_damping] = tuning[shared + W_IK_DAMPING]
    options[O_ik_nullspace_gain] = tuning[shared + W_NULLSPACE_GAIN]
    options[O_feedforward_gain] = tuning[shared + W_FEEDFORWARD_GAIN]
    options[O_feedforward_cutoff] = tuning[shared + W_FEEDFORWARD_CUTOFF]
    jerk_moved = False
    for i in range(6):
        budget = shared + (W_LIMITS if i < 3 else W_ROTATION_LIMITS)
        factor = 1.0 if i < 3 else ROTATION_AXIS_FACTOR
        jerk = factor * tuning[budget + 2] / ROOT_OF_AXES
        options[O_axis_velocity + i] = factor * tuning[budget] / ROOT_OF_AXES
        options[O_axis_acceleration + i] = factor * tuning[budget + 1] / ROOT_OF_AXES
        jerk_moved = jerk_moved or options[O_axis_jerk + i] != jerk
        options[O_axis_jerk + i] = jerk
    if jerk_moved:
        options[O_dwell] = 0.0
        for i in range(6):
            time = np.cbrt(12.0 * options[O_settle_tolerance] / options[O_axis_jerk + i])
            options[O_dwell] = max(options[O_dwell], math.ceil(time / CYCLE_TIME))
