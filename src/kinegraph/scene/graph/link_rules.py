"""Which links a graph takes."""

from kinegraph.scene.arguments import check_flag, check_kind, check_number, check_text
from kinegraph.scene.errors import InvalidInertialError, WrongTypeError
from kinegraph.scene.geometry import Geometry
from kinegraph.scene.link import Link
from kinegraph.scene.link_parts import INERTIA, Collision, Inertial, Material, Visual


def check_link(link: Link) -> None:
    """Refuse a link whose parts have wrong types or impossible numbers.

    Raises:
        WrongTypeError: Not a link, or a part of the wrong type. Also a `TypeError`.
        NotFiniteError: A number of the inertial is NaN or infinite. Also a `ValueError`.
        InvalidInertialError: A mass below zero. Also a `ValueError`.
    """
    if not isinstance(link, Link):
        raise WrongTypeError(f"a Link is needed, not {link!r:.100}")
    name = link.getName()
    if link.inertial is not None:
        _check_inertial(link.inertial, name)
    check_flag(link.visible, f"link {name!r}: visible")
    check_flag(link.collision_enabled, f"link {name!r}: collision_enabled")
    for visual in link.visual:
        _check_shape(visual, Visual, name)
        material = check_kind(visual.material, Material, f"link {name!r}: material of a visual")
        check_text(material.texture_filename, f"link {name!r}: texture_filename")
    for collision in link.collision:
        _check_shape(collision, Collision, name)


def _check_inertial(inertial: Inertial, link_name: str) -> None:
    if not isinstance(inertial, Inertial):
        raise WrongTypeError(f"link {link_name!r}: inertial must be an Inertial or None")
    for field in INERTIA:
        check_number(getattr(inertial, field), f"link {link_name!r}: inertial.{field}")
    if inertial.mass < 0.0:
        raise InvalidInertialError(f"link {link_name!r}: mass {inertial.mass!r} < 0")


def _check_shape(
    shape: Visual | Collision, cls: type[Visual] | type[Collision], link_name: str
) -> None:
    if not isinstance(shape, cls):
        raise WrongTypeError(f"link {link_name!r}: {shape!r:.100} is no {cls.__name__}")
    if not isinstance(shape.name, str):
        raise WrongTypeError(f"link {link_name!r}: a {cls.__name__}'s name must be a str")
    if shape.geometry is not None and not isinstance(shape.geometry, Geometry):
        raise WrongTypeError(f"link {link_name!r}: {shape.geometry!r:.100} is no Geometry")
