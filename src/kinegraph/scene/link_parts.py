"""The parts of a link: material, inertial, visual, collision."""

from collections.abc import Sequence

from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import WrongTypeError
from kinegraph.scene.geometry import Geometry
from kinegraph.scene.names import almost_equal
from kinegraph.scene.pose import Isometry3d, TransformLike, as_isometry
from kinegraph.scene.sealing import sealable
from kinegraph.scene.vectors import frozen_array, numbers

__all__ = ["Collision", "Inertial", "Material", "Visual"]

IDENTITY = Isometry3d.Identity()

DEFAULT_MATERIAL = "default_tesseract_material"
"""The name of the material of a visual without one, as in tesseract."""

DEFAULT_COLOR = frozen_array((0.5, 0.5, 0.5, 1.0))
INERTIA = ("mass", "ixx", "ixy", "ixz", "iyy", "iyz", "izz")


@sealable
class Material:
    """A colour or texture.

    Attributes:
        texture_filename: The texture's file, or "".
        color: (4,) red, green, blue, alpha, each in [0, 1]. Read-only array; assign a new one.
    """

    __slots__ = ("_color", "_name", "texture_filename")
    __hash__ = None  # type: ignore[assignment]

    texture_filename: str
    _name: str
    _color: Array

    def __init__(self, name: str = DEFAULT_MATERIAL) -> None:
        if not isinstance(name, str):
            raise WrongTypeError(f"Material: a name must be a str, not {name!r:.100}")
        self._name = name
        self.clear()

    def clear(self) -> None:
        """Reset everything but the name."""
        self.texture_filename = ""
        self._color = DEFAULT_COLOR

    def getName(self) -> str:
        """Return the name, fixed at construction."""
        return self._name

    @property
    def color(self) -> Array:  # noqa: D102  documented with the class
        return self._color

    @color.setter
    def color(self, value: Sequence[float] | Array) -> None:
        self._color = frozen_array(numbers(value, 4, f"color of material {self._name!r}"))

    def clone(self) -> "Material":
        """Return an editable copy."""
        copy: Material = object.__new__(Material)
        copy._name = self._name
        copy.texture_filename = self.texture_filename
        copy._color = self._color
        return copy

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Material):
            return NotImplemented
        return (
            self._name == other._name
            and self.texture_filename == other.texture_filename
            and all(map(almost_equal, self._color.tolist(), other._color.tolist()))
        )

    def __repr__(self) -> str:
        return f"Material({self._name!r}, color={tuple(self._color.tolist())})"


class _Placed:
    """Base of what has an origin in its link's frame."""

    __slots__ = ("_origin",)
    __hash__ = None  # type: ignore[assignment]

    _origin: Isometry3d

    @property
    def origin(self) -> Isometry3d:
        """Pose in the link's frame."""
        return self._origin

    @origin.setter
    def origin(self, value: TransformLike) -> None:
        self._origin = as_isometry(value, "origin")


@sealable
class Inertial(_Placed):
    """Mass and inertia of a link.

    Attributes:
        origin: Pose of the centre of mass, and of the axes of the inertia, in the link's frame.
        mass: kg.
        ixx, ixy, ixz, iyy, iyz, izz: Inertia about the centre of mass, kg m².
    """

    __slots__ = INERTIA

    mass: float
    ixx: float
    ixy: float
    ixz: float
    iyy: float
    iyz: float
    izz: float

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Reset to a massless body."""
        self._origin = IDENTITY
        self.mass = self.ixx = self.ixy = self.ixz = self.iyy = self.iyz = self.izz = 0.0

    def clone(self) -> "Inertial":
        """Return an editable copy."""
        copy: Inertial = object.__new__(Inertial)
        copy._origin = self._origin
        for name in INERTIA:
            setattr(copy, name, getattr(self, name))
        return copy

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Inertial):
            return NotImplemented
        return self._origin.isApprox(other._origin) and all(
            almost_equal(getattr(self, name), getattr(other, name)) for name in INERTIA
        )

    def __repr__(self) -> str:
        return f"Inertial(mass={self.mass!r}, origin={self._origin!r})"


class _Shape(_Placed):
    __slots__ = ("geometry", "name")

    geometry: Geometry | None
    name: str

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Reset to the defaults."""
        self._origin = IDENTITY
        self.geometry = None
        self.name = ""

    def _equals(self, other: "_Shape") -> bool:
        return (
            self.name == other.name
            and self.geometry == other.geometry
            and self._origin.isApprox(other._origin)
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r}, geometry={self.geometry!r})"


@sealable
class Visual(_Shape):
    """What a link looks like.

    Attributes:
        origin: Pose in the link's frame.
        geometry: The shape, or None.
        material: Its material; a new default one for each visual.
        name: May be "".
    """

    __slots__ = ("material",)

    material: Material

    def clear(self) -> None:
        """Reset to the defaults."""
        super().clear()
        self.material = Material()

    def clone(self) -> "Visual":
        """Return an editable copy; the geometry is shared, it cannot change."""
        copy: Visual = object.__new__(Visual)
        copy._origin, copy.geometry, copy.name = self._origin, self.geometry, self.name
        copy.material = self.material.clone()
        return copy

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Visual):
            return NotImplemented
        return self._equals(other) and self.material == other.material


@sealable
class Collision(_Shape):
    """What a link collides with.

    Attributes:
        origin: Pose in the link's frame.
        geometry: The shape, or None.
        name: May be "".
    """

    __slots__ = ()

    def clone(self) -> "Collision":
        """Return an editable copy; the geometry is shared, it cannot change."""
        copy: Collision = object.__new__(Collision)
        copy._origin, copy.geometry, copy.name = self._origin, self.geometry, self.name
        return copy

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Collision):
            return NotImplemented
        return self._equals(other)
