"""Links with their inertials, materials and shapes, to and from tesseract's."""

from collections.abc import Callable
from typing import Any

import numpy as np

from kinegraph.scene.bridges.extras import extra_module
from kinegraph.scene.errors import UnsupportedError
from kinegraph.scene.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Geometry,
    GeometryType,
    Mesh,
    Plane,
    SignedDistanceField,
    Sphere,
)
from kinegraph.scene.link import Link
from kinegraph.scene.link_parts import INERTIA, Collision, Inertial, Material, Visual
from kinegraph.scene.markup.place import LOGGER
from kinegraph.scene.resources import ResourceLocator

GEOMETRY = "tesseract_robotics.tesseract_geometry"

PRIMITIVES: dict[GeometryType, tuple[type[Geometry], str]] = {
    GeometryType.SPHERE: (Sphere, "Radius"),
    GeometryType.CYLINDER: (Cylinder, "Radius Length"),
    GeometryType.CAPSULE: (Capsule, "Radius Length"),
    GeometryType.CONE: (Cone, "Radius Length"),
    GeometryType.BOX: (Box, "X Y Z"),
    GeometryType.PLANE: (Plane, "A B C D"),
}
"""Classes that both have under the same name, and what their getters and constructors take."""

MESHES = {
    GeometryType.MESH: "createMeshFromResource",
    GeometryType.CONVEX_MESH: "createConvexMeshFromResource",
    GeometryType.SIGNED_DISTANCE_FIELD: "createSDFMeshFromResource",
}


class _Counting:
    """Counts what has no counterpart on the other side."""

    def __init__(self) -> None:
        self._left_out: dict[str, int] = {}

    def _leave_out(self, kind: str) -> None:
        self._left_out[kind] = self._left_out.get(kind, 0) + 1

    def warn(self, what: str) -> None:
        """Log one warning about everything that was left out, if anything was."""
        if self._left_out:
            listed = ", ".join(f"{count} {kind}" for kind, count in self._left_out.items())
            LOGGER.warning("%s: shapes left out: %s", what, listed)


class LinkWriter(_Counting):
    """Makes tesseract's links.

    Args:
        tesseract: The module `tesseract_scene_graph`.
        common: The module `tesseract_common`.
        locator: Where files of meshes are, or None to leave meshes out.
    """

    def __init__(self, tesseract: Any, common: Any, locator: ResourceLocator | None) -> None:
        super().__init__()
        self._tesseract = tesseract
        self._common = common
        self._geometry = extra_module(GEOMETRY)
        self._locator = locator

    def write(self, link: Link) -> Any:
        """Return a copy of a link."""
        made = self._tesseract.Link(link.getName())
        if link.inertial is not None:
            made.inertial = self._inertial(link.inertial)
        for visual in link.visual:
            for twin in self._shapes(visual, self._tesseract.Visual, link):
                twin.material = self._material(visual.material)
                made.visual.append(twin)
        for collision in link.collision:
            for twin in self._shapes(collision, self._tesseract.Collision, link):
                made.collision.append(twin)
        return made

    def _inertial(self, inertial: Inertial) -> Any:
        twin = self._tesseract.Inertial()
        twin.origin = self._pose(inertial)
        for name in INERTIA:
            setattr(twin, name, getattr(inertial, name))
        return twin

    def _material(self, material: Material) -> Any:
        twin = self._tesseract.Material(material.getName())
        twin.color = material.color.copy()
        twin.texture_filename = material.texture_filename
        return twin

    def _pose(self, placed: Any) -> Any:
        return self._common.Isometry3d(placed.origin.matrix.copy())

    def _shapes(self, shape: Visual | Collision, cls: Any, link: Link) -> list[Any]:
        twins = []
        for geometry in self._geometries(shape, link):
            twin = cls()
            twin.name = shape.name
            twin.origin = self._pose(shape)
            twin.geometry = geometry
            twins.append(twin)
        return twins

    def _geometries(self, shape: Visual | Collision, link: Link) -> list[Any]:
        geometry = shape.geometry
        if geometry is None:
            self._leave_out("without geometry")
            return []
        kind = geometry.getType()
        if kind in PRIMITIVES:
            cls, sizes = PRIMITIVES[kind]
            values = [getattr(geometry, f"get{size}")() for size in sizes.split()]
            return [getattr(self._geometry, cls.__name__)(*values)]
        if isinstance(geometry, Mesh | SignedDistanceField) and self._locator is not None:
            return self._load(geometry, self._locator, link, isinstance(shape, Visual))
        self._leave_out(kind.name.lower())
        return []

    def _load(
        self, mesh: Mesh | SignedDistanceField, locator: ResourceLocator, link: Link, flatten: bool
    ) -> list[Any]:
        path = locator.locateResource(mesh.filename)
        if path is None or not path.is_file():
            raise UnsupportedError(
                f"to_tesseract: link {link.getName()!r}: mesh {mesh.filename!r} is at {path}, "
                "which is no file; without a locator meshes are left out"
            )
        resource = self._common.SimpleLocatedResource(mesh.filename, str(path), None)
        create = getattr(self._geometry, MESHES[mesh.getType()])
        loaded = create(resource, mesh.getScale(), True, flatten)
        if not len(loaded):
            raise UnsupportedError(
                f"to_tesseract: link {link.getName()!r}: tesseract cannot load {str(path)!r}"
            )
        return [loaded[index] for index in range(len(loaded))]


class LinkReader(_Counting):
    """Makes links of tesseract's."""

    def read(self, source: Any) -> Link:
        """Return a copy of a link."""
        link = Link(source.getName())
        if source.inertial is not None:
            link.inertial = _read_inertial(source.inertial)
        visuals, collisions = source.visual, source.collision
        for index in range(len(visuals)):
            visual = self._shape(visuals[index], Visual)
            if visual is not None:
                visual.material = _read_material(visuals[index].material)
                _append_new(link.visual, visual)
        for index in range(len(collisions)):
            collision = self._shape(collisions[index], Collision)
            if collision is not None:
                _append_new(link.collision, collision)
        return link

    def _shape(self, source: Any, cls: Callable[[], Any]) -> Any:
        geometry = self._read_geometry(source.geometry)
        if geometry is None:
            return None
        shape = cls()
        shape.name = source.name
        shape.origin = source.origin.matrix()
        shape.geometry = geometry
        return shape

    def _read_geometry(self, source: Any) -> Geometry | None:
        if source is None:
            self._leave_out("without geometry")
            return None
        kind = GeometryType(int(source.getType()))
        if kind in PRIMITIVES:
            cls, sizes = PRIMITIVES[kind]
            read: Callable[..., Geometry] = cls
            return read(*(getattr(source, f"get{size}")() for size in sizes.split()))
        resource = source.getResource() if kind in MESHES else None
        if resource is None:
            self._leave_out(kind.name.lower() + (" without a file" if kind in MESHES else ""))
            return None
        scale = np.array(source.getScale()).ravel().tolist()
        if kind is GeometryType.SIGNED_DISTANCE_FIELD:
            return SignedDistanceField(resource.getUrl(), tuple(scale))
        return Mesh(resource.getUrl(), tuple(scale), kind is GeometryType.CONVEX_MESH)


def _append_new(shapes: list[Any], shape: Any) -> None:
    """Append a shape; the parts into which tesseract cut one mesh are one reference again."""
    is_file = isinstance(shape.geometry, Mesh | SignedDistanceField)
    if not (is_file and shapes and shapes[-1] == shape):
        shapes.append(shape)


def _read_inertial(source: Any) -> Inertial:
    inertial = Inertial()
    inertial.origin = source.origin.matrix()
    for name in INERTIA:
        setattr(inertial, name, getattr(source, name))
    return inertial


def _read_material(source: Any) -> Material:
    if source is None:
        return Material()
    material = Material(source.getName())
    material.color = np.array(source.color, dtype=np.float64).reshape(4)
    material.texture_filename = source.texture_filename
    return material
