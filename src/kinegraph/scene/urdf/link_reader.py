"""The `link` and `material` elements."""

from xml.etree.ElementTree import Element

from kinegraph.scene.link import Link
from kinegraph.scene.link_parts import Collision, Inertial, Material, Visual
from kinegraph.scene.markup.origin_reader import OriginReader
from kinegraph.scene.markup.place import Source
from kinegraph.scene.markup.values import not_negative, numbers, required, vector
from kinegraph.scene.urdf.geometry_reader import GeometryReader
from kinegraph.scene.vectors import frozen_array

INERTIA: dict[str, float | None] = dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
INERTIAL_CHILDREN = frozenset(("origin", "mass", "inertia"))
VISUAL_CHILDREN = frozenset(("origin", "geometry", "material"))
COLLISION_CHILDREN = frozenset(("origin", "geometry"))


class LinkReader:
    """Reads links and materials of one file; keeps the materials by name."""

    def __init__(self, source: Source, origins: OriginReader, geometries: GeometryReader) -> None:
        self._source = source
        self._origins = origins
        self._geometries = geometries
        self._materials: dict[str, Material] = {}

    def read(self, element: Element) -> Link:
        """Return the link of an element."""
        source = self._source
        name = element.get("name")
        if not name:
            source.fail(element, "is missing or empty", "name", name)
        link = Link(name)
        for child in element:
            tag = child.tag
            if tag == "visual":
                link._visual.append(self._visual(child))
            elif tag == "collision":
                link._collision.append(self._collision(child))
            elif tag != "inertial":
                source.ignore(child)
            elif link.inertial is None:
                link.inertial = self._inertial(child)
            else:
                source.ignore(child, "repeated")
        return link

    def read_global_material(self, element: Element) -> None:
        """Keep a material of the robot; a later one of the same name replaces it."""
        name = required(self._source, element, "name")
        material = self._defined_material(element, name)
        if material is None:
            self._source.fail(element, "needs a <color> or a <texture>")
        self._materials[name] = material

    def _inertial(self, element: Element) -> Inertial:
        source = self._source
        parts = source.parts(element, INERTIAL_CHILDREN)
        if "mass" not in parts or "inertia" not in parts:
            missing = "inertia" if "mass" in parts else "mass"
            source.fail(element, f"has no <{missing}>")
        inertial = Inertial()
        inertial._origin = self._origins.read(parts.get("origin"))
        inertial.mass = not_negative(source, parts["mass"], "value")
        (
            inertial.ixx,
            inertial.ixy,
            inertial.ixz,
            inertial.iyy,
            inertial.iyz,
            inertial.izz,
        ) = numbers(source, parts["inertia"], INERTIA)
        return inertial

    def _visual(self, element: Element) -> Visual:
        parts = self._source.parts(element, VISUAL_CHILDREN)
        visual = Visual()
        visual.name = element.get("name", "")
        visual._origin = self._origins.read(parts.get("origin"))
        visual.geometry = self._geometries.read(element, parts.get("geometry"), visual=True)
        if "material" in parts:
            visual.material = self._material(parts["material"])
        return visual

    def _collision(self, element: Element) -> Collision:
        parts = self._source.parts(element, COLLISION_CHILDREN)
        collision = Collision()
        collision.name = element.get("name", "")
        collision._origin = self._origins.read(parts.get("origin"))
        collision.geometry = self._geometries.read(element, parts.get("geometry"), visual=False)
        return collision

    def _material(self, element: Element) -> Material:
        """Return a visual's material: defined here, or by name among those read so far."""
        name = required(self._source, element, "name")
        material = self._defined_material(element, name)
        if material is None:
            if name not in self._materials:
                self._source.fail(
                    element, "is a material that is not defined, here or before", "name", name
                )
            return self._materials[name]
        if name:
            self._materials[name] = material
        return material

    def _defined_material(self, element: Element, name: str) -> Material | None:
        material, defined = Material(name), False
        for child in element:
            tag = child.tag
            if tag == "color":
                material._color = frozen_array(vector(self._source, child, "rgba", 4))
            elif tag == "texture":
                material.texture_filename = required(self._source, child, "filename")
            else:
                self._source.ignore(child)
                continue
            defined = True
        return material if defined else None
