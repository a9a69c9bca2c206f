"""The `geometry` element. Files are references: they are looked for on request only."""

from collections.abc import Callable
from xml.etree.ElementTree import Element

from kinegraph.scene.geometry import (
    OCTREE_SHAPES,
    UNSCALED,
    Box,
    Capsule,
    Cone,
    Cylinder,
    Geometry,
    Mesh,
    Octree,
    SignedDistanceField,
    Sphere,
)
from kinegraph.scene.markup.place import Source
from kinegraph.scene.markup.values import (
    boolean,
    positive,
    positive_vector,
    prefixed_attribute,
    required,
)
from kinegraph.scene.resources import ResourceLocator, located


class GeometryReader:
    """Reads shapes of one file.

    Args:
        source: The text.
        make_convex: The robot's word on collision meshes that say nothing themselves.
        locator: Finds files; None when they need not be found.
    """

    def __init__(self, source: Source, make_convex: bool, locator: ResourceLocator | None) -> None:
        self._source = source
        self._make_convex = make_convex
        self._locator = locator

    def read(self, owner: Element, element: Element | None, *, visual: bool) -> Geometry:
        """Return the shape of a visual or collision; its first child counts."""
        if element is None:
            self._source.fail(owner, "has no <geometry>")
        if not len(element):
            self._source.fail(element, "is empty; a shape is expected")
        shape = element[0]
        reader = READERS.get(shape.tag.removeprefix("tesseract:"))
        if reader is None:
            known = ", ".join(READERS)
            self._source.fail(element, f"has the unknown shape <{shape.tag:.100}>; known: {known}")
        for extra in list(element)[1:]:
            self._source.ignore(extra, "further shape")
        return reader(self, shape, visual)

    def _box(self, element: Element, _visual: bool) -> Geometry:
        return Box(*positive_vector(self._source, element, "size"))

    def _sphere(self, element: Element, _visual: bool) -> Geometry:
        return Sphere(positive(self._source, element, "radius"))

    def _round(self, element: Element) -> tuple[float, float]:
        source = self._source
        return positive(source, element, "radius"), positive(source, element, "length")

    def _cylinder(self, element: Element, _visual: bool) -> Geometry:
        return Cylinder(*self._round(element))

    def _capsule(self, element: Element, _visual: bool) -> Geometry:
        return Capsule(*self._round(element))

    def _cone(self, element: Element, _visual: bool) -> Geometry:
        return Cone(*self._round(element))

    def _mesh(self, element: Element, visual: bool) -> Geometry:
        filename, scale = self._scaled_file(element)
        text = prefixed_attribute(element, "make_convex")
        convex = self._make_convex and not visual
        if text is not None:
            convex = boolean(self._source, element, "tesseract:make_convex", text)
        return Mesh(filename, scale, convex)

    def _distance_field(self, element: Element, _visual: bool) -> Geometry:
        return SignedDistanceField(*self._scaled_file(element))

    def _octomap(self, element: Element, _visual: bool) -> Geometry:
        source = self._source
        shape = required(source, element, "shape_type")
        if shape not in OCTREE_SHAPES:
            source.fail(element, f"is none of {', '.join(OCTREE_SHAPES)}", "shape_type", shape)
        prune = boolean(source, element, "prune", element.get("prune", "false"))
        for child in element:
            kind = child.tag.removeprefix("tesseract:")
            if kind == "octree":
                return Octree(self._file(child), shape, prune)
            if kind == "point_cloud":
                return Octree(
                    self._file(child), shape, prune, positive(source, child, "resolution")
                )
        source.fail(element, "needs an <octree> or a <point_cloud>")

    def _scaled_file(self, element: Element) -> tuple[str, tuple[float, float, float]]:
        scale = UNSCALED
        if element.get("scale") is not None:
            scale = positive_vector(self._source, element, "scale")
        return self._file(element), scale

    def _file(self, element: Element) -> str:
        source = self._source
        filename = required(source, element, "filename")
        if not filename:
            source.fail(element, "must not be empty", "filename", filename)
        if self._locator is not None:
            found = located(self._locator, filename)
            if found is None or not found.is_file():
                where = "" if found is None else f" at {found}"
                source.fail(
                    element, f"is not a file that can be found{where}", "filename", filename
                )
        return filename


# Not a table of bound methods in each reader: that would be a cycle, which keeps the whole text
# alive until the garbage collector comes by.
READERS: dict[str, Callable[[GeometryReader, Element, bool], Geometry]] = {
    "box": GeometryReader._box,
    "sphere": GeometryReader._sphere,
    "cylinder": GeometryReader._cylinder,
    "capsule": GeometryReader._capsule,
    "cone": GeometryReader._cone,
    "mesh": GeometryReader._mesh,
    "octomap": GeometryReader._octomap,
    "signed_distance_field": GeometryReader._distance_field,
}
