"""Checks of state input against a tree: lengths, names, finite numbers, in this order."""

import math
from collections.abc import Sequence

import numpy as np

from kinegraph.kinematics.state_input import StateInput
from kinegraph.kinematics.tree import FlatTree
from kinegraph.kinematics.values import check_finite
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import (
    InvalidNameError,
    LengthError,
    NotFiniteError,
    UnknownJointError,
)
from kinegraph.scene.pose import Isometry3d, as_isometry

__all__ = ["CheckedInput", "check_input", "check_vector", "columns_of"]

CheckedInput = tuple[Array | None, list[int], Sequence[float], dict[int, Isometry3d]]
"""Whole vector or None, columns, their values, floating values by row."""


def check_input(tree: FlatTree, found: StateInput, method: str) -> CheckedInput:
    """Check all of an input.

    Raises:
        LengthError: The vector's length is not the number of active joints, or names and values
            are not as many. Also a `ValueError`.
        UnknownJointError: Names that are not active joints, or not floating joints. Also a
            `ValueError`.
        InvalidNameError: A joint is named twice. Also a `ValueError`.
        NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
        NotRigidError: A floating value is not a rigid transform. Also a `ValueError`.
    """
    columns: list[int] = []
    if found.vector is not None:
        check_vector(tree, found.vector, method)
    else:
        _check_counts(found, method)
        columns = columns_of(tree, found.names, method)
        for name, value in zip(found.names, found.values, strict=True):
            if not math.isfinite(value):
                raise NotFiniteError(f"{method}: value of joint {name!r} is {value}")
    if found.point is not None:
        check_finite(found.point, f"{method}: point")
    floating: dict[int, Isometry3d] = {}
    if found.floating:
        transforms = {
            name: as_isometry(value, f"{method}: value of floating joint {name!r}")
            for name, value in found.floating.items()
        }
        wrong = [name for name in transforms if name not in tree.floating_rows]
        if wrong:
            raise UnknownJointError(method, wrong, "floating joints", tree.floating_rows)
        floating = {tree.floating_rows[name]: value for name, value in transforms.items()}
    return found.vector, columns, found.values, floating


def _check_counts(found: StateInput, method: str) -> None:
    names, values = len(found.names), len(found.values)
    if names != values:
        raise LengthError(
            f"{method}: names and values differ in length: {names} names, {values} values"
        )


def check_vector(tree: FlatTree, q: Array, method: str) -> None:
    """Check length and numbers of a value vector."""
    names = tree.active_names
    if len(q) != len(names):
        followers = (
            f" (not counted: {', '.join(tree.mimics)}, which follow others)" if tree.mimics else ""
        )
        raise LengthError(
            f"{method}: a vector of length {len(q)} was given, its length must be the number of "
            f"active joints, {len(names)}{followers}"
        )
    finite = np.isfinite(q)
    if not finite.all():
        place = int(np.flatnonzero(~finite)[0])
        raise NotFiniteError(f"{method}: value of joint {names[place]!r} is {q[place]}")


def columns_of(tree: FlatTree, names: Sequence[str], method: str) -> list[int]:
    """Return the value column of each name."""
    known = tree.columns
    try:
        columns = [known[name] for name in names]
    except KeyError:
        wrong = [name for name in names if name not in known]
        kind = "active joints"
        rules = tree.mimics
        following = [f"{name} follows {rules[name][0]}" for name in wrong if name in rules]
        if following:
            kind += f" ({'; '.join(following)})"
        raise UnknownJointError(method, wrong, kind, known) from None
    if len(set(columns)) != len(columns):
        twice = sorted({name for name in names if list(names).count(name) > 1})
        raise InvalidNameError(f"{method}: named twice: {', '.join(twice)}")
    return columns
