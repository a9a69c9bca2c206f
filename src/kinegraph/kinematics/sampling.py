"""Random joint values within limits."""

from collections.abc import Sequence

import numpy as np

from kinegraph.kinematics.tree_layout import LOWER, UPPER
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import InvalidLimitError

__all__ = ["sample_within_limits"]


def sample_within_limits(
    limits: Array, names: Sequence[str], rng: np.random.Generator | int | None
) -> Array:
    """Draw one value per row of limits, uniformly, (n,).

    Args:
        limits: (n, 5) rows of `FlatTree.limits`.
        names: Joint of each row, for error messages.
        rng: Generator, seed, or None for a fresh one.

    Raises:
        InvalidLimitError: Bounds that are infinite or the wrong way round. Also a `ValueError`.
    """
    lower, upper = limits[:, LOWER], limits[:, UPPER]
    good = np.isfinite(lower) & np.isfinite(upper) & (lower <= upper)
    if not good.all():
        place = int(np.flatnonzero(~good)[0])
        raise InvalidLimitError(
            f"getRandomState: joint {names[place]!r} has position limits "
            f"{lower[place]} to {upper[place]}, nothing can be drawn between them"
        )
    share = np.random.default_rng(rng).random(len(names))
    # Not lower + share * (upper - lower): the difference may overflow.
    return np.clip((1.0 - share) * lower + share * upper, lower, upper)
