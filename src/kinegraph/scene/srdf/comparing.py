"""When the contents of two models count as equal."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from kinegraph.scene.names import almost_equal
from kinegraph.scene.pose import Isometry3d

V = TypeVar("V")


def same_maps(one: Mapping[str, V], other: Mapping[str, V], same: Callable[[V, V], bool]) -> bool:
    """Compare two maps with a comparison for their values; the order does not count."""
    return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)


def same_poses(one: Mapping[str, Isometry3d], other: Mapping[str, Isometry3d]) -> bool:
    """Compare poses by name, relatively to 1e-5."""
    return same_maps(one, other, Isometry3d.isApprox)


def same_values(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Compare numbers by name, to 1e-6 or a float's precision."""
    return same_maps(one, other, almost_equal)
