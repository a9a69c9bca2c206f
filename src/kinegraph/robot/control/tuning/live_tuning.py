"""`LiveTuning`: the tuned numbers of one session, shared with its loop."""

import numpy as np

from kinegraph.robot.control.gains import CARTESIAN_GAINS, scaled_cartesian
from kinegraph.robot.control.options import CartesianOptions, ImpedanceOptions
from kinegraph.robot.control.options_layout import OPTION_OFFSETS
from kinegraph.robot.control.tuning.tuning import (
    Clamped,
    Tuning,
    TuningUpdate,
    tuning_of_words,
    updated_words,
)
from kinegraph.robot.control.tuning.tuning_layout import (
    T_WORDS,
    row_size,
    word_count,
)
from kinegraph.robot.errors import InvalidOperationError
from kinegraph.robot.loop.rings import TargetSlot
from kinegraph.scene.array_types import Array

__all__ = ["LiveTuning"]

# Springs and dampers belong to a stiffness within rounding.
SAME = 1e-12


class LiveTuning:
    """What a session's loop tunes itself by: a slot, and a row of the loop's own.

    Args:
        n: Number of joints.
        words: (2 n + 11,) that the session begins with; None: the session cannot be tuned.
        refusal: Why it cannot.

    Attributes:
        slot: Newest words; never written in a session that cannot be tuned.
        row: The loop's, see `tuning_layout`.
    """

    def __init__(self, n: int, words: Array | None = None, refusal: str = "") -> None:
        self._n = n
        self._refusal = refusal
        self.slot = TargetSlot(word_count(n))
        self.row = np.zeros(row_size(n))
        if words is not None:
            self.row[T_WORDS : T_WORDS + words.size] = words
            gains = CARTESIAN_GAINS
            self.row[-12:] = np.append(gains.cartesian_stiffness, gains.cartesian_damping)
            self.slot.publish(words)

    @staticmethod
    def of_session(options: CartesianOptions, packed: Array) -> "LiveTuning":
        """Return the tuning of a session.

        Args:
            options: Of the session.
            packed: The same, packed for an arm.
        """

        def part(name: str, count: int = 1) -> Array:
            return packed[OPTION_OFFSETS[name] : OPTION_OFFSETS[name] + count]

        n = int(part("n")[0])
        if not isinstance(options.backend, ImpedanceOptions):
            return LiveTuning(n, None, "the robot's own controller has none of what can be tuned")
        stiffness = part("cartesian_stiffness", 6)
        if not _scales(stiffness, part("cartesian_damping", 6)):
            reason = (
                "its Cartesian springs and dampers are not those of scaled_cartesian"
                f"({stiffness[0]:g}), so that one stiffness cannot stand for them"
            )
            return LiveTuning(n, None, reason)
        parts: list[Array] = [
            part("joint_stiffness", n),
            part("joint_damping", n),
            stiffness[:1],
            part("ik_damping"),
            part("ik_nullspace_gain"),
            part("feedforward_gain"),
            part("feedforward_cutoff"),
            options.limits.norm(),
            options.rotation_limits.norm(),
        ]
        return LiveTuning(n, np.concatenate(parts))

    def tune(self, update: TuningUpdate | Tuning) -> tuple[Clamped, ...]:
        """Set new values; as a whole or not at all.

        Raises:
            InvalidArgumentError: A value is not finite, or not above zero where zero means
                nothing. Also a `ValueError`.
            InvalidOperationError: This session cannot be tuned.
        """
        self._check()
        with self.slot.lock:
            after, clamped = updated_words(self._words(), update, self._n)
            self.slot.publish(after)
        return clamped

    def wanted(self) -> Tuning:
        """Return what was set last.

        Raises:
            InvalidOperationError: This session cannot be tuned.
        """
        self._check()
        return tuning_of_words(self._words())

    def in_force(self) -> Tuning:
        """Return what the loop computes with now, on its way to what was set.

        Raises:
            InvalidOperationError: This session cannot be tuned.
        """
        self._check()
        return tuning_of_words(self._words_in_force())

    def _words(self) -> Array:
        """Return the newest words of a session that can be tuned."""
        words = self.slot.read()
        return self._words_in_force() if words is None else words

    def _words_in_force(self) -> Array:
        return self.row[T_WORDS : T_WORDS + word_count(self._n)].copy()

    def _check(self) -> None:
        if self._refusal:
            raise InvalidOperationError(f"this session cannot be tuned: {self._refusal}")


def _scales(stiffness: Array, damping: Array) -> bool:
    """Tell whether springs and dampers are those of `scaled_cartesian`."""
    if not stiffness[0] > 0.0:
        return False
    gains = scaled_cartesian(float(stiffness[0]))
    pairs = ((stiffness, gains.cartesian_stiffness), (damping, gains.cartesian_damping))
    return all(np.allclose(ours, theirs, rtol=SAME, atol=0.0) for ours, theirs in pairs)
