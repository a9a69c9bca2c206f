"""Links and materials as URDF elements."""

from collections.abc import Iterable

from kinegraph.scene.errors import URDFError
from kinegraph.scene.geometry import (
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
from kinegraph.scene.link import Link
from kinegraph.scene.link_parts import Collision, Inertial, Material, Visual
from kinegraph.scene.markup.origin_writer import origin
from kinegraph.scene.markup.vocabulary import MAKE_CONVEX
from kinegraph.scene.markup.writing import Attributes, element, exact, exact_all

ROUND = {Cylinder: "cylinder", Capsule: "tesseract:capsule", Cone: "tesseract:cone"}
INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


class LinkWriter:
    """Writes the links of one graph.

    Args:
        links: All links: a material whose name always means the same is written once, globally.
    """

    def __init__(self, links: Iterable[Link]) -> None:
        self._shared: dict[str, Material] = {}
        ambiguous = set()
        for link in links:
            for visual in link.visual:
                material = visual.material
                first = self._shared.setdefault(material.getName(), material)
                if _content(first) != _content(material):
                    ambiguous.add(material.getName())
        for name in ambiguous | {"", Material().getName()}:
            self._shared.pop(name, None)

    def materials(self) -> list[str]:
        """Return the global `material` elements."""
        return [_material(material) for material in self._shared.values()]

    def link(self, link: Link) -> str:
        """Return the `link` element."""
        children = [] if link.inertial is None else [_inertial(link.inertial)]
        children += [self._visual(visual, link.getName()) for visual in link.visual]
        children += [_collision(collision, link.getName()) for collision in link.collision]
        return element("link", [("name", link.getName())], children)

    def _visual(self, visual: Visual, link_name: str) -> str:
        children = [*origin(visual.origin), _geometry(visual.geometry, link_name)]
        material = visual.material
        if material.getName() in self._shared:
            children.append(element("material", [("name", material.getName())]))
        elif material.getName() != Material().getName() or _content(material) != _content(
            Material()
        ):
            children.append(_material(material))
        return element("visual", _name(visual.name), children)


def _collision(collision: Collision, link_name: str) -> str:
    children = [*origin(collision.origin), _geometry(collision.geometry, link_name)]
    return element("collision", _name(collision.name), children)


def _name(name: str) -> Attributes:
    return [("name", name)] if name else []


def _inertial(inertial: Inertial) -> str:
    inertia = [(name, exact(getattr(inertial, name))) for name in INERTIA]
    return element(
        "inertial",
        (),
        [
            *origin(inertial.origin),
            element("mass", [("value", exact(inertial.mass))]),
            element("inertia", inertia),
        ],
    )


def _content(material: Material) -> tuple[bytes, str]:
    return material.color.tobytes(), material.texture_filename


def _material(material: Material) -> str:
    children = [element("color", [("rgba", exact_all(material.color.tolist()))])]
    if material.texture_filename:
        children.append(element("texture", [("filename", material.texture_filename)]))
    return element("material", [("name", material.getName())], children)


def _geometry(geometry: Geometry | None, link_name: str) -> str:
    return element("geometry", (), [_shape(geometry, link_name)])


def _shape(geometry: Geometry | None, link_name: str) -> str:
    match geometry:
        case Box(x, y, z):
            return element("box", [("size", exact_all((x, y, z)))])
        case Sphere(radius):
            return element("sphere", [("radius", exact(radius))])
        case Cylinder(radius, length) | Capsule(radius, length) | Cone(radius, length):
            sizes = [("radius", exact(radius)), ("length", exact(length))]
            return element(ROUND[type(geometry)], sizes)
        case Mesh(filename, scale, make_convex):
            convex = [(MAKE_CONVEX, "true")] if make_convex else []
            return element("mesh", [("filename", filename), *_scale(scale), *convex])
        case SignedDistanceField(filename, scale):
            attributes = [("filename", filename), *_scale(scale)]
            return element("tesseract:signed_distance_field", attributes)
        case Octree():
            return _octomap(geometry)
    kind = "no geometry" if geometry is None else f"a {type(geometry).__name__}"
    raise URDFError(f"link {link_name!r}: URDF cannot hold a shape with {kind}")


def _scale(scale: tuple[float, float, float]) -> Attributes:
    return [] if scale == UNSCALED else [("scale", exact_all(scale))]


def _octomap(geometry: Octree) -> str:
    attributes = [
        ("shape_type", geometry.shape_type),
        ("prune", "true" if geometry.prune else "false"),
    ]
    file = [("filename", geometry.filename)]
    if geometry.resolution is None:
        content = element("tesseract:octree", file)
    else:
        content = element(
            "tesseract:point_cloud", [*file, ("resolution", exact(geometry.resolution))]
        )
    return element("tesseract:octomap", attributes, [content])
