"""What a scene graph notes about its links: shown, checked, allowed to touch."""

from kinegraph.scene.allowed_collisions import AllowedCollisionMatrix, checked_matrix
from kinegraph.scene.arguments import check_flag
from kinegraph.scene.graph.queries import GraphQueries


class GraphFlags(GraphQueries):
    """Changes that leave links and joints where they are."""

    def setLinkVisibility(self, name: str, visibility: bool) -> None:
        """Show or hide a link.

        Raises:
            UnknownLinkError: No such link. Also a `KeyError`.
            WrongTypeError: Not a bool. Also a `TypeError`.
        """
        shown = check_flag(visibility, "setLinkVisibility: visibility")
        object.__setattr__(self._known_link(name), "visible", shown)
        self._touch()

    def setLinkCollisionEnabled(self, name: str, enabled: bool) -> None:
        """Check a link for collisions or not.

        Raises:
            UnknownLinkError: No such link. Also a `KeyError`.
            WrongTypeError: Not a bool. Also a `TypeError`.
        """
        checked = check_flag(enabled, "setLinkCollisionEnabled: enabled")
        object.__setattr__(self._known_link(name), "collision_enabled", checked)
        self._touch()

    def addAllowedCollision(self, link_name1: str, link_name2: str, reason: str) -> None:
        """Let two links touch; they need not exist yet."""
        self._acm.addAllowedCollision(link_name1, link_name2, reason)
        self._touch()

    def removeAllowedCollision(self, link_name1: str, link_name2: str | None = None) -> None:
        """Take a pair back, or with one name every pair that has it."""
        self._acm.removeAllowedCollision(link_name1, link_name2)
        self._touch()

    def clearAllowedCollisions(self) -> None:
        """Take all pairs back."""
        self._acm.clearAllowedCollisions()
        self._touch()

    def setAllowedCollisionMatrix(self, acm: AllowedCollisionMatrix) -> None:
        """Replace all pairs by a copy of `acm`.

        Raises:
            WrongTypeError: Not an `AllowedCollisionMatrix`. Also a `TypeError`.
        """
        self._acm = checked_matrix(acm).clone()
        self._touch()
