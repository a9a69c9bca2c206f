"""Random joint values within limits."""

from collections.abc import Sequence

import numpy as np

from kinegraph.kinematics.tree_layout import LOWER, UPPER
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import InvalidLimitError, WrongTypeError

__all__ = ["random_generator", "sample_within_limits"]


def random_generator(rng: object, method: str) -> np.random.Generator:
    """Return the generator that a user has given, or one for the seed.

    Raises:
        WrongTypeError: Neither a generator, a seed nor None. Also a `TypeError`.
        InvalidLimitError: A negative seed. Also a `ValueError`.
    """
    if isinstance(rng, bool) or not isinstance(
        rng, (int, np.integer, np.random.Generator, type(None))
    ):
        raise WrongTypeError(
            f"{method}: rng must be a numpy Generator, a seed or None, not {rng!r:.100}"
        )
    if isinstance(rng, (int, np.integer)) and rng < 0:
        raise InvalidLimitError(f"{method}: a seed must be >= 0, not {rng!r:.100}")
    return np.random.default_rng(rng)


def sample_within_limits(
    limits: Array, names: Sequence[str], rng: np.random.Generator | int | None
) -> Array:
    """Draw one value per row of limits, uniformly, (n,).

    Args:
        limits: (n, 5) rows of `FlatTree.limits`.
        names: Joint of each row, for error messages.
        rng: Generator, seed, or None for a fresh one.

    Raises:
        InvalidLimitError: Bounds that are infinite or the wrong way round, or a negative seed.
            Also a `ValueError`.
        WrongTypeError: `rng` is of another type. Also a `TypeError`.
    """
    generator = random_generator(rng, "getRandomState")
    lower, upper = limits[:, LOWER], limits[:, UPPER]
    good = np.isfinite(lower) & np.isfinite(upper) & (lower <= upper)
    if not good.all():
        place = int(np.flatnonzero(~good)[0])
        raise InvalidLimitError(
            f"getRandomState: joint {names[place]!r} has position limits "
            f"{lower[place]} to {upper[place]}, nothing can be drawn between them"
        )
    share = generator.random(len(names))
    # Not lower + share * (upper - lower): the difference may overflow.
    return np.clip((1.0 - share) * lower + share * upper, lower, upper)
