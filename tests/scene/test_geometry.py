import copy
import math
import pickle
from typing import Any

import pytest

from kinegraph.scene import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    GeometryType,
    Mesh,
    Octree,
    Plane,
    SignedDistanceField,
    Sphere,
)

SHAPES = [
    (Sphere(1), GeometryType.SPHERE, 1),
    (Cylinder(1, 2), GeometryType.CYLINDER, 2),
    (Capsule(1, 2), GeometryType.CAPSULE, 3),
    (Cone(1, 2), GeometryType.CONE, 4),
    (Box(1, 2, 3), GeometryType.BOX, 5),
    (Plane(0, 0, 1, 2), GeometryType.PLANE, 6),
    (Mesh("a.stl"), GeometryType.MESH, 7),
    (Mesh("a.stl", (1, 2, 3), True), GeometryType.CONVEX_MESH, 8),
    (SignedDistanceField("a.vdb"), GeometryType.SIGNED_DISTANCE_FIELD, 9),
    (Octree("a.bt", "sphere_inside", True, 0.1), GeometryType.OCTREE, 10),
]


@pytest.mark.parametrize(("shape", "kind", "number"), SHAPES, ids=lambda value: repr(value))
def test_a_shape_is_an_immutable_value_of_its_kind(shape: Any, kind: Any, number: Any) -> None:
    assert shape.getType() is kind
    assert int(shape.getType()) == number
    assert shape.clone() == shape
    assert copy.deepcopy(shape) == pickle.loads(pickle.dumps(shape)) == shape
    assert hash(shape) == hash(shape.clone())
    assert all(other == shape for other, other_kind, _ in SHAPES if other_kind is kind)
    assert all(other != shape for other, other_kind, _ in SHAPES if other_kind is not kind)
    for name in type(shape).__dataclass_fields__:
        with pytest.raises(AttributeError):
            setattr(shape, name, 1)


def test_upstreams_getters_read_the_sizes() -> None:
    assert Sphere(2).getRadius() == 2
    assert (Cylinder(1, 2).getRadius(), Cylinder(1, 2).getLength()) == (1, 2)
    box = Box(1, 2, 3)
    assert (box.getX(), box.getY(), box.getZ()) == (1, 2, 3)
    plane = Plane(1, 2, 3, 4)
    assert (plane.getA(), plane.getB(), plane.getC(), plane.getD()) == (1, 2, 3, 4)
    assert Mesh("a", (1, 2, 3)).getScale().tolist() == [1, 2, 3]
    assert SignedDistanceField("a").getScale().tolist() == [1, 1, 1]


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, -0.0])
@pytest.mark.parametrize(
    "make",
    [
        Sphere,
        lambda v: Cylinder(v, 1),
        lambda v: Capsule(1, v),
        lambda v: Cone(v, 1),
        lambda v: Box(1, v, 1),
        lambda v: Mesh("a", (1, v, 1)),
        lambda v: SignedDistanceField("a", (v, 1, 1)),
        lambda v: Octree("a", resolution=v),
    ],
)
def test_sizes_must_be_positive_numbers(make: Any, bad: Any) -> None:
    with pytest.raises(ValueError, match=r"> 0|is nan|is inf|not finite"):
        make(bad)


anything: Any = {
    "text": "1",
    "none": None,
    "three": 3,
    "texts": ("x", 1, 1),
    "two numbers": (1, 1),
}


@pytest.mark.parametrize(
    "make",
    [
        lambda: Sphere(anything["text"]),
        lambda: Sphere(True),
        lambda: Box(1, anything["none"], 1),
        lambda: Mesh(anything["none"]),
        lambda: Mesh("a", anything["three"]),
        lambda: Mesh("a", anything["texts"]),
    ],
)
def test_other_types_are_refused(make: Any) -> None:
    with pytest.raises(TypeError):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Mesh(""),
        lambda: Mesh("a", anything["two numbers"]),
        lambda: Octree("a", "cube"),
        lambda: Plane(0, 0, 0, 1),
    ],
)
def test_references_to_nothing_are_refused(make: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  each has a text of its own
        make()
