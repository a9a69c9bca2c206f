"""How far apart links must stay."""

from collections.abc import Mapping

from kinegraph.scene.allowed_collisions import Pair, link_pair
from kinegraph.scene.arguments import check_entries, check_number
from kinegraph.scene.errors import WrongTypeError
from kinegraph.scene.names import almost_equal


class CollisionMarginData:
    """A distance for all pairs of links, and others for single pairs, m.

    Links closer than their margin count as in collision; a negative margin lets them overlap.

    Args:
        default_collision_margin: For every pair without one of its own.
        pair_collision_margins: Margins by pair of names, in either order.

    Raises:
        WrongTypeError: Not numbers, not names. Also a `TypeError`.
        NotFiniteError: NaN or infinite. Also a `ValueError`.
    """

    __slots__ = ("_default", "_pairs")
    __hash__ = None  # type: ignore[assignment]  # editable, so not hashable

    _default: float
    _pairs: dict[Pair, float]

    def __init__(
        self,
        default_collision_margin: float = 0.0,
        pair_collision_margins: Mapping[Pair, float] | None = None,
    ) -> None:
        self.setDefaultCollisionMargin(default_collision_margin)
        self._pairs = {}
        if pair_collision_margins is None:
            return
        if not isinstance(pair_collision_margins, Mapping):
            raise WrongTypeError(
                f"margins are a dict by pair of links, not {pair_collision_margins!r:.100}"
            )
        for pair, margin in pair_collision_margins.items():
            links = check_entries(pair, "a pair of links")
            if len(links) != 2:
                raise WrongTypeError(f"{pair!r:.100} is no pair of links")
            self.setPairCollisionMargin(links[0], links[1], margin)

    def setDefaultCollisionMargin(self, default_collision_margin: float) -> None:
        """Set the margin of the pairs that have none of their own, m."""
        check_number(default_collision_margin, "default collision margin")
        self._default = float(default_collision_margin)

    def getDefaultCollisionMargin(self) -> float:
        """Return the margin of the pairs that have none of their own, m."""
        return self._default

    def setPairCollisionMargin(self, obj1: str, obj2: str, collision_margin: float) -> None:
        """Set the margin of a pair, m; the order of the names does not matter."""
        check_number(collision_margin, f"collision margin of {obj1!r:.100} and {obj2!r:.100}")
        self._pairs[link_pair(obj1, obj2)] = float(collision_margin)

    def getPairCollisionMargin(self, obj1: str, obj2: str) -> float:
        """Return the margin of a pair, m; the default for one that has none."""
        return self._pairs.get(link_pair(obj1, obj2), self._default)

    def getPairCollisionMargins(self) -> dict[Pair, float]:
        """Return the margins of all pairs that have one, a copy; names are sorted in a pair."""
        return dict(self._pairs)

    def getMaxCollisionMargin(self) -> float:
        """Return the largest of all margins, m."""
        return max(self._default, *self._pairs.values()) if self._pairs else self._default

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CollisionMarginData):
            return NotImplemented
        return (
            almost_equal(self._default, other._default)
            and self._pairs.keys() == other._pairs.keys()
            and all(almost_equal(self._pairs[pair], other._pairs[pair]) for pair in self._pairs)
        )

    def __repr__(self) -> str:
        return f"CollisionMarginData({self._default!r}, {len(self._pairs)} pairs)"
