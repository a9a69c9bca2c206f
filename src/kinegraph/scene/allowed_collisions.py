"""Pairs of links that may touch."""

from kinegraph.scene.errors import WrongTypeError
from kinegraph.scene.names import checked_name

__all__ = ["AllowedCollisionMatrix"]

Pair = tuple[str, str]


def link_pair(link_name1: str, link_name2: str) -> Pair:
    """Return two names as an ordered pair, the same for both orders."""
    a = checked_name(link_name1, "allowed collision")
    b = checked_name(link_name2, "allowed collision")
    return (a, b) if a <= b else (b, a)


class AllowedCollisionMatrix:
    """Unordered pairs of link names, each with the reason why they may touch.

    The names need not be links, and a link may be paired with itself.
    """

    __slots__ = ("_entries",)
    __hash__ = None  # type: ignore[assignment]  # editable, so not hashable

    _entries: dict[Pair, str]

    def __init__(self) -> None:
        self._entries = {}

    def addAllowedCollision(self, link_name1: str, link_name2: str, reason: str) -> None:
        """Allow a pair; a later call replaces the reason."""
        if not isinstance(reason, str):
            raise WrongTypeError(f"allowed collision: a reason must be a str, not {reason!r:.100}")
        self._entries[link_pair(link_name1, link_name2)] = reason

    def removeAllowedCollision(self, link_name1: str, link_name2: str | None = None) -> None:
        """Remove a pair, or with one name every pair that has it."""
        if link_name2 is not None:
            self._entries.pop(link_pair(link_name1, link_name2), None)
            return
        checked_name(link_name1, "allowed collision")
        kept = {pair: reason for pair, reason in self._entries.items() if link_name1 not in pair}
        self._entries = kept

    def clearAllowedCollisions(self) -> None:
        """Remove all pairs."""
        self._entries = {}

    def isCollisionAllowed(self, link_name1: str, link_name2: str) -> bool:
        """Tell whether a pair is allowed, in either order."""
        return link_pair(link_name1, link_name2) in self._entries

    def getAllAllowedCollisions(self) -> dict[Pair, str]:
        """Return all pairs with their reasons, a copy; in each pair the names are sorted."""
        return dict(self._entries)

    def insertAllowedCollisionMatrix(self, acm: "AllowedCollisionMatrix") -> None:
        """Take over all pairs of another matrix; its reasons win."""
        self._entries.update(checked_matrix(acm)._entries)

    def clone(self) -> "AllowedCollisionMatrix":
        """Return an independent copy."""
        copy = AllowedCollisionMatrix()
        copy._entries = dict(self._entries)
        return copy

    __copy__ = clone  # a copy that shared the pairs would change them here too

    def __len__(self) -> int:
        return len(self._entries)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AllowedCollisionMatrix):
            return NotImplemented
        return self._entries == other._entries

    def __repr__(self) -> str:
        return f"AllowedCollisionMatrix({len(self._entries)} pairs)"


def checked_matrix(acm: object) -> AllowedCollisionMatrix:
    """Return `acm`; refuse what is no allowed collision matrix (TypeError)."""
    if not isinstance(acm, AllowedCollisionMatrix):
        raise WrongTypeError(f"an AllowedCollisionMatrix is needed, not {acm!r:.100}")
    return acm
