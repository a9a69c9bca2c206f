"""Shapes of visuals and collisions: immutable values, compared by their numbers.

Meshes and other files are references: nothing is loaded, and the file need not exist.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np

from kinegraph.scene.arguments import check_flag, check_number, check_text
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import InvalidGeometryError, WrongTypeError
from kinegraph.scene.vectors import numbers

__all__ = [
    "Box",
    "Capsule",
    "Cone",
    "Cylinder",
    "Geometry",
    "GeometryType",
    "Mesh",
    "Octree",
    "Plane",
    "SignedDistanceField",
    "Sphere",
]


class GeometryType(IntEnum):
    """What kind of shape a geometry is; numbers as in tesseract."""

    UNINITIALIZED = 0
    SPHERE = 1
    CYLINDER = 2
    CAPSULE = 3
    CONE = 4
    BOX = 5
    PLANE = 6
    MESH = 7
    CONVEX_MESH = 8
    SDF_MESH = 9
    SIGNED_DISTANCE_FIELD = 9
    OCTREE = 10
    POLYGON_MESH = 11
    COMPOUND_MESH = 12


class Geometry:
    """Base of all shapes."""

    __slots__ = ()

    _type: GeometryType = GeometryType.UNINITIALIZED

    def getType(self) -> GeometryType:
        """Return the kind of shape."""
        return self._type

    def clone(self) -> "Geometry":
        """Return the same shape: shapes are immutable."""
        return self


def _number(shape: Geometry, name: str) -> float:
    number = check_number(getattr(shape, name), f"{type(shape).__name__}: {name}")
    object.__setattr__(shape, name, number)
    return number


def _sizes(shape: Geometry, *names: str) -> None:
    for name in names:
        value = _number(shape, name)
        if value <= 0.0:
            raise InvalidGeometryError(f"{type(shape).__name__}: {name} must be > 0, not {value!r}")


def _text(shape: Geometry, name: str) -> None:
    if not check_text(getattr(shape, name), f"{type(shape).__name__}: {name}"):
        raise InvalidGeometryError(f"{type(shape).__name__}: {name} is empty")


@dataclass(frozen=True, slots=True)
class Sphere(Geometry):
    """A sphere about the origin; `radius` in m, > 0."""

    radius: float
    _type = GeometryType.SPHERE

    def __post_init__(self) -> None:
        _sizes(self, "radius")

    def getRadius(self) -> float:
        """Return the radius, m."""
        return self.radius


@dataclass(frozen=True, slots=True)
class _Round(Geometry):
    radius: float
    length: float

    def __post_init__(self) -> None:
        _sizes(self, "radius", "length")

    def getRadius(self) -> float:
        """Return the radius, m."""
        return self.radius

    def getLength(self) -> float:
        """Return the length along z, m."""
        return self.length


@dataclass(frozen=True, slots=True)
class Cylinder(_Round):
    """A cylinder along z, centred; `radius` and `length` in m, > 0."""

    _type = GeometryType.CYLINDER


@dataclass(frozen=True, slots=True)
class Capsule(_Round):
    """A cylinder along z with half spheres at its ends; `length` is the cylinder's alone."""

    _type = GeometryType.CAPSULE


@dataclass(frozen=True, slots=True)
class Cone(_Round):
    """A cone along z, centred; `radius` of the base and `length` in m, > 0."""

    _type = GeometryType.CONE


@dataclass(frozen=True, slots=True)
class Box(Geometry):
    """A box about the origin; `x`, `y`, `z` are the full extents in m, > 0."""

    x: float
    y: float
    z: float
    _type = GeometryType.BOX

    def __post_init__(self) -> None:
        _sizes(self, "x", "y", "z")

    def getX(self) -> float:
        """Return the extent along x, m."""
        return self.x

    def getY(self) -> float:
        """Return the extent along y, m."""
        return self.y

    def getZ(self) -> float:
        """Return the extent along z, m."""
        return self.z


@dataclass(frozen=True, slots=True)
class Plane(Geometry):
    """The plane a x + b y + c z + d = 0. URDF has no word for it."""

    a: float
    b: float
    c: float
    d: float
    _type = GeometryType.PLANE

    def __post_init__(self) -> None:
        for name in ("a", "b", "c", "d"):
            _number(self, name)
        if self.a == self.b == self.c == 0.0:
            raise InvalidGeometryError("Plane: a, b and c are all 0, so it has no normal")

    def getA(self) -> float:
        """Return the x component of the normal."""
        return self.a

    def getB(self) -> float:
        """Return the y component of the normal."""
        return self.b

    def getC(self) -> float:
        """Return the z component of the normal."""
        return self.c

    def getD(self) -> float:
        """Return the offset."""
        return self.d


Scale = tuple[float, float, float]
UNSCALED: Final[Scale] = (1.0, 1.0, 1.0)


def _scale(shape: "Mesh | SignedDistanceField") -> None:
    what = f"{type(shape).__name__}: scale"
    if isinstance(shape.scale, str):
        raise WrongTypeError(f"{what} must be three numbers, not {shape.scale!r:.100}")
    values = numbers(shape.scale, 3, what)
    if min(values) <= 0.0:
        raise InvalidGeometryError(f"{what} must be three numbers > 0, not {values}")
    object.__setattr__(shape, "scale", values)


@dataclass(frozen=True, slots=True)
class Mesh(Geometry):
    """A reference to a file with a mesh. Nothing is loaded, and the file need not exist.

    Attributes:
        filename: As written in the description: a URL or a path.
        scale: Factors along x, y, z, > 0.
        make_convex: Whether the convex hull is meant.
    """

    filename: str
    scale: Scale = UNSCALED
    make_convex: bool = False

    def __post_init__(self) -> None:
        _text(self, "filename")
        _scale(self)
        object.__setattr__(self, "make_convex", check_flag(self.make_convex, "Mesh: make_convex"))

    def getType(self) -> GeometryType:
        """Return MESH, or CONVEX_MESH when the convex hull is meant."""
        return GeometryType.CONVEX_MESH if self.make_convex else GeometryType.MESH

    def getScale(self) -> Array:
        """Return the factors along x, y, z, (3,), a copy."""
        return _copy_of(self.scale)


@dataclass(frozen=True, slots=True)
class SignedDistanceField(Geometry):
    """A reference to a file with a signed distance field (`.vdb`, `.nvdb`); not loaded."""

    filename: str
    scale: Scale = UNSCALED
    _type = GeometryType.SIGNED_DISTANCE_FIELD

    def __post_init__(self) -> None:
        _text(self, "filename")
        _scale(self)

    def getScale(self) -> Array:
        """Return the factors along x, y, z, (3,), a copy."""
        return _copy_of(self.scale)


OCTREE_SHAPES: Final = ("box", "sphere_inside", "sphere_outside")


@dataclass(frozen=True, slots=True)
class Octree(Geometry):
    """A reference to a file with an octree or a point cloud; not loaded.

    Attributes:
        filename: As written in the description.
        shape_type: What stands for a cell: "box", "sphere_inside" or "sphere_outside".
        prune: Whether equal cells are joined.
        resolution: Cell size in m for a point cloud; None when the file is an octree.
    """

    filename: str
    shape_type: str = "box"
    prune: bool = False
    resolution: float | None = None
    _type = GeometryType.OCTREE

    def __post_init__(self) -> None:
        _text(self, "filename")
        object.__setattr__(self, "prune", check_flag(self.prune, "Octree: prune"))
        if check_text(self.shape_type, "Octree: shape_type") not in OCTREE_SHAPES:
            raise InvalidGeometryError(
                f"Octree: shape_type {self.shape_type!r:.100} is none of {OCTREE_SHAPES}"
            )
        if self.resolution is not None:
            _sizes(self, "resolution")


def _copy_of(values: Scale) -> Array:
    return np.array(values)
