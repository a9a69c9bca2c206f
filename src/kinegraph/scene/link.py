"""A link: a rigid body with its mass and shapes."""

from collections.abc import Sequence
from typing import Any, TypeVar

from kinegraph.scene.arguments import check_entries, check_kind
from kinegraph.scene.link_parts import Collision, Inertial, Material, Visual
from kinegraph.scene.names import checked_name
from kinegraph.scene.sealing import Sealed, seal, sealable

__all__ = ["Collision", "Inertial", "Link", "Material", "Visual"]

S = TypeVar("S", Visual, Collision)


@sealable
class Link:
    """A rigid body.

    A link in a `SceneGraph` is read-only (its lists are copies); edit a `clone()`.

    Attributes:
        inertial: Mass and inertia, or None.
        visual: Visuals, a list.
        collision: Collisions, a list.
        visible: Whether it is shown.
        collision_enabled: Whether it is checked for collisions.

    Raises:
        InvalidNameError: The name is empty. Also a `ValueError`.
        WrongTypeError: The name is no str. Also a `TypeError`.
    """

    __slots__ = (
        "__weakref__",
        "_collision",
        "_name",
        "_visual",
        "collision_enabled",
        "inertial",
        "visible",
    )
    __hash__ = None  # type: ignore[assignment]

    inertial: Inertial | None
    visible: bool
    collision_enabled: bool
    _name: str
    _visual: list[Visual]
    _collision: list[Collision]

    def __init__(self, name: str) -> None:
        self._name = checked_name(name, "Link")
        self.visible = True
        self.collision_enabled = True
        self.clear()

    def clear(self) -> None:
        """Remove inertial, visuals and collisions; name and flags stay."""
        self.inertial = None
        self._visual = []
        self._collision = []

    def getName(self) -> str:
        """Return the name, fixed at construction."""
        return self._name

    @property
    def visual(self) -> list[Visual]:  # noqa: D102  documented with the class
        return list(self._visual) if isinstance(self, Sealed) else self._visual

    @visual.setter
    def visual(self, value: Sequence[Visual]) -> None:
        self._visual = check_entries(value, f"visual of link {self._name!r}")

    @property
    def collision(self) -> list[Collision]:  # noqa: D102
        return list(self._collision) if isinstance(self, Sealed) else self._collision

    @collision.setter
    def collision(self, value: Sequence[Collision]) -> None:
        self._collision = check_entries(value, f"collision of link {self._name!r}")

    def addVisual(self, visual: Visual) -> None:
        """Append a visual; refuse anything else (TypeError)."""
        self._edited("visual").append(check_kind(visual, Visual, "addVisual"))

    def clearVisual(self) -> None:
        """Remove all visuals."""
        self._edited("visual").clear()

    def addCollision(self, collision: Collision) -> None:
        """Append a collision; refuse anything else (TypeError)."""
        self._edited("collision").append(check_kind(collision, Collision, "addCollision"))

    def clearCollision(self) -> None:
        """Remove all collisions."""
        self._edited("collision").clear()

    def _edited(self, name: str) -> list[Any]:
        if isinstance(self, Sealed):
            setattr(self, name, None)  # raises, as every edit of a sealed link
        shapes: list[Any] = getattr(self, name)
        return shapes

    def clone(self, name: str | None = None) -> "Link":
        """Return an editable copy, renamed if a name is given; flags are kept."""
        copy: Link = object.__new__(Link)
        copy._name = self._name if name is None else checked_name(name, "Link")
        copy.inertial = None if self.inertial is None else self.inertial.clone()
        copy._visual = [visual.clone() for visual in self._visual]
        copy._collision = [collision.clone() for collision in self._collision]
        copy.visible = self.visible
        copy.collision_enabled = self.collision_enabled
        return copy

    def _seal(self) -> None:
        if self.inertial is not None:
            seal(self.inertial)
        for visual in self._visual:
            seal(visual.material)
            seal(visual)
        for collision in self._collision:
            seal(collision)
        seal(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Link):
            return NotImplemented
        return (
            self._name == other._name
            and self.visible == other.visible
            and self.collision_enabled == other.collision_enabled
            and self.inertial == other.inertial
            and _same_shapes(self._visual, other._visual)
            and _same_shapes(self._collision, other._collision)
        )

    def __repr__(self) -> str:
        return (
            f"Link({self._name!r}, {len(self._visual)} visuals, {len(self._collision)} collisions)"
        )


def _same_shapes(mine: list[S], others: list[S]) -> bool:
    """Compare as unordered collections; shapes can only be equal when their names are."""
    if len(mine) != len(others):
        return False
    left = list(others)
    for shape in mine:
        for index, other in enumerate(left):
            if shape == other:
                del left[index]
                break
        else:
            return False
    return True
