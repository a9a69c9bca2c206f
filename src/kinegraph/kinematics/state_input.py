"""The overloads of `setState`, `getState` and `getJacobian` as one form: values by joint.

The checks here are those of types; all others follow, against a tree, in
`kinegraph.kinematics.state_checks`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinegraph.kinematics.values import is_transform, real_array, real_number, real_vector, str_name
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import ShapeError, WrongTypeError
from kinegraph.scene.pose import Isometry3d, TransformLike

__all__ = [
    "UNSET",
    "FloatingValues",
    "Names",
    "StateInput",
    "read_jacobian_input",
    "read_state_input",
]

Names: TypeAlias = Sequence[str] | NDArray[np.str_]
"""Names of joints."""

FloatingValues: TypeAlias = Mapping[str, TransformLike]
"""Transform by floating joint name."""


class Unset(Enum):
    """What an argument is that was left out; None would hide a mistake."""

    UNSET = "left out"


UNSET = Unset.UNSET


@dataclass(slots=True)
class StateInput:
    """Joint values and floating values that a call was given.

    Attributes:
        vector: (n,) value of every active joint, or None.
        names: Joints of `values`, when there is no vector.
        values: Their values, perhaps not as many.
        floating: Anything that stands for a transform, by floating joint name.
        floating_only: Whether the call was the form for floating joints alone.
        point: (3,) a point beside the values, or None.
    """

    vector: Array | None = None
    names: Sequence[str] = ()
    values: Sequence[float] = ()
    floating: Mapping[str, Any] = field(default_factory=dict)
    floating_only: bool = False
    point: Array | None = None


def read_state_input(
    method: str,
    given: Sequence[Any],
    joint_names: Any = UNSET,
    joint_values: Any = UNSET,
    floating_joint_values: Any = UNSET,
) -> StateInput:
    """Find out which overload was meant.

    Args:
        method: For error messages.
        given: Positional arguments.
        joint_names: Keyword arguments, or UNSET.
        joint_values: The same.
        floating_joint_values: The same.

    Raises:
        WrongTypeError: No overload takes these arguments. Also a `TypeError`.
        ShapeError: A value array has other than one axis. Also a `TypeError` and a `ValueError`.
    """
    slots = {
        "joint_names": joint_names,
        "joint_values": joint_values,
        "floating_joint_values": floating_joint_values,
    }
    for name, value in zip(_names_of_positions(method, given, slots), given, strict=True):
        if slots[name] is not UNSET:
            raise WrongTypeError(f"{method}: two values for {name}")
        slots[name] = value
    names, values, floating = slots.values()
    if names is not UNSET:
        found = _by_names(method, names, values)
    elif values is UNSET:
        if floating is UNSET:
            raise WrongTypeError(f"{method}: neither joint values nor floating values are given")
        found = StateInput(floating_only=True)
    elif isinstance(values, Mapping):
        found = _by_map(method, values)
    else:
        found = StateInput(vector=real_vector(values, f"{method}: joint_values"))
    if floating is not UNSET:
        found.floating = _floating_map(method, floating)
    return found


def read_jacobian_input(
    given: Sequence[Any],
    joint_names: Any,
    joint_values: Any,
    link_name: Any,
    floating_joint_values: Any,
) -> tuple[StateInput, str]:
    """Find out which overload of `getJacobian` was meant; return values and link.

    Args:
        given: Positional arguments.
        joint_names: Keyword arguments, or UNSET.
        joint_values: The same.
        link_name: The same.
        floating_joint_values: The same.

    Raises:
        WrongTypeError, ShapeError: As in `read_state_input`.
    """
    method = "getJacobian"
    values, link, floating = _split_link(given, link_name)
    if any(isinstance(value, Mapping) for value in values[1:]):
        raise WrongTypeError(f"{method}: floating values come behind the name of the link")
    if floating is UNSET:
        floating = floating_joint_values
    elif floating_joint_values is not UNSET:
        raise WrongTypeError(f"{method}: two values for floating_joint_values")
    found = read_state_input(method, values, joint_names, joint_values, floating)
    if found.floating_only:
        raise WrongTypeError(f"{method}: joint values are missing")
    return found, str_name(link, f"{method}: link_name")


def _split_link(given: Sequence[Any], link_name: Any) -> tuple[tuple[Any, ...], Any, Any]:
    """Take the link's name, and floating values behind it, out of the positional arguments."""
    floating: Any = UNSET
    if link_name is not UNSET:
        return tuple(given), link_name, floating
    place = next((i for i, value in enumerate(given) if isinstance(value, str)), None)
    if place is None or place < len(given) - 2:
        raise WrongTypeError("getJacobian: the name of a link (str) must follow the joint values")
    if place == len(given) - 2:
        floating = given[-1]
    return tuple(given[:place]), given[place], floating


def _names_of_positions(
    method: str, given: Sequence[Any], slots: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the name of each positional argument."""
    if len(given) > 3:
        raise WrongTypeError(f"{method}: too many arguments")
    if not given:
        return ()
    first = given[0]
    if isinstance(first, Mapping):
        if _is_floating_map(method, first):
            if slots["joint_values"] is not UNSET:
                raise WrongTypeError(f"{method}: joint values come before floating values")
            order: tuple[str, ...] = ("floating_joint_values",)
        else:
            order = ("joint_values", "floating_joint_values")
    elif _are_names(first, given, slots):
        order = ("joint_names", "joint_values", "floating_joint_values")
    else:
        order = ("joint_values", "floating_joint_values")
    if len(given) > len(order):
        raise WrongTypeError(f"{method}: no form of it takes these {len(given)} arguments")
    return order[: len(given)]


def _are_names(first: Any, given: Sequence[Any], slots: Mapping[str, Any]) -> bool:
    """Tell whether a first argument that is no dict is a list of names."""
    if isinstance(first, np.ndarray):
        return _are_texts(first)
    if isinstance(first, Sequence) and not isinstance(first, (str, bytes, memoryview)) and first:
        return isinstance(first[0], str)
    # Nothing in it: names only if values follow.
    if slots["joint_values"] is not UNSET:
        return True
    return len(given) > 1 and not isinstance(given[1], Mapping) and given[1] is not None


def _are_texts(array: np.ndarray[Any, Any]) -> bool:
    """Tell whether an array holds texts, of fixed width or as objects."""
    if array.dtype.kind == "O":
        return array.size > 0 and isinstance(array.flat[0], str)
    return array.dtype.kind in "UT"


def _is_floating_map(method: str, values: Mapping[Any, Any]) -> bool:
    """Tell a dict of transforms from a dict of numbers; an empty one is of numbers."""
    transforms = sum(map(is_transform, values.values()))
    if transforms not in (0, len(values)):
        raise WrongTypeError(f"{method}: a dict holds either numbers or transforms, not both")
    return transforms > 0


def _by_names(method: str, names: Any, values: Any) -> StateInput:
    if isinstance(names, (str, bytes)) or not isinstance(names, (Sequence, np.ndarray)):
        raise WrongTypeError(f"{method}: joint_names must be a sequence of str, not {names!r:.100}")
    if isinstance(names, np.ndarray) and names.ndim != 1:
        raise ShapeError(f"{method}: joint_names must have one axis, not shape {names.shape}")
    listed = names.tolist() if isinstance(names, np.ndarray) else list(names)
    _check_keys(method, listed)
    if values is UNSET or isinstance(values, Mapping):
        raise WrongTypeError(f"{method}: joint names need a vector of values beside them")
    vector = real_vector(values, f"{method}: joint_values")
    return StateInput(names=listed, values=vector.tolist())


def _by_map(method: str, values: Mapping[Any, Any]) -> StateInput:
    names = list(values)
    _check_keys(method, names)
    numbers = [
        value if type(value) is float else real_number(value, f"{method}: value of joint {name!r}")
        for name, value in values.items()
    ]
    return StateInput(names=names, values=numbers)


def _floating_map(method: str, floating: Any) -> Mapping[str, Any]:
    if not isinstance(floating, Mapping):
        raise WrongTypeError(
            f"{method}: floating_joint_values must be a dict of transforms, not {floating!r:.100}"
        )
    _check_keys(method, list(floating))
    for name, transform in floating.items():
        if not is_transform(transform):
            raise WrongTypeError(
                f"{method}: value of floating joint {name!r} must be a transform, not "
                f"{transform!r:.100}"
            )
        if not isinstance(transform, Isometry3d):
            what = f"{method}: value of floating joint {name!r}"
            shape = real_array(getattr(transform, "homogeneous", transform), what).shape
            if shape != (4, 4):
                raise ShapeError(f"{what}: a 4x4 matrix is needed, not an array of shape {shape}")
    return floating


def _check_keys(method: str, names: Sequence[Any]) -> None:
    for name in names:
        if not isinstance(name, str):
            raise WrongTypeError(f"{method}: joint names must be str, not {name!r:.100}")
