"""The robot's 41 error flags as one value."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.wire.error_bits import ERROR_NAMES
from kinegraph.scene.errors import suggestion

__all__ = ["Errors"]

# libfranka prints two flags otherwise than its members are called.
MEMBER_NAMES: dict[str, str] = {
    "cartesian_position_motion_generator_invalid_frame": ERROR_NAMES[31],
    "tau_j_range_violation": ERROR_NAMES[34],
}
_BITS: dict[str, int] = {name: bit for bit, name in enumerate(ERROR_NAMES)} | {
    member: ERROR_NAMES.index(name) for member, name in MEMBER_NAMES.items()
}


class Errors:
    """A set of error flags of the robot, immutable.

    Each flag is an attribute (`errors.joint_reflex`); the two that libfranka prints otherwise than
    it calls its members have both names. The set is true if any flag is set, iterates over the
    names of the set flags in the order of their bits, and prints as libfranka prints it:
    `["joint_reflex", "cartesian_reflex"]`.

    Args:
        names: Names of the flags that are set.

    Raises:
        InvalidArgumentError: A name is not an error. Also a `ValueError`.
    """

    __slots__ = ("_bits",)

    NAMES: ClassVar[tuple[str, ...]] = ERROR_NAMES
    """Every flag, in the order of the bits."""

    _bits: int

    def __init__(self, names: Iterable[str] = ()) -> None:
        if isinstance(names, str):
            names = (names,)
        if not isinstance(names, Iterable):
            raise InvalidArgumentError(f"errors: {names!r:.200} is no list of names")
        bits = 0
        for name in names:
            bits |= 1 << _bit(name)
        object.__setattr__(self, "_bits", bits)

    @classmethod
    def from_bits(cls, bits: int) -> "Errors":
        """Return the flags of an integer, bit 0 for the first flag; further bits are dropped.

        Raises:
            InvalidArgumentError: No integer. Also a `ValueError`.
        """
        if isinstance(bits, bool) or not isinstance(bits, (int, np.integer)):
            raise InvalidArgumentError(f"bits: {bits!r:.200} is no integer")
        errors = cls.__new__(cls)
        object.__setattr__(errors, "_bits", int(bits) & _ALL)
        return errors

    @classmethod
    def from_flags(cls, flags: ArrayLike) -> "Errors":
        """Return the flags of 41 numbers or bytes; any that is not zero counts as set.

        Raises:
            InvalidArgumentError: Not 41 entries. Also a `ValueError`.
        """
        array = as_numbers("flags", flags)
        if array.shape != (len(ERROR_NAMES),):
            raise InvalidArgumentError(
                f"there are {len(ERROR_NAMES)} error flags, not an array of shape {array.shape}"
            )
        packed = np.packbits(array != 0, bitorder="little").tobytes()
        return cls.from_bits(int.from_bytes(packed, "little"))

    @property
    def bits(self) -> int:
        """The flags as an integer, bit 0 for the first."""
        return self._bits

    @property
    def flags(self) -> tuple[bool, ...]:
        """All 41 flags in the order of the bits."""
        return tuple(bool(self._bits >> bit & 1) for bit in range(len(ERROR_NAMES)))

    def __getitem__(self, name: str) -> bool:
        return bool(self._bits >> _bit(name) & 1)

    def __contains__(self, name: object) -> bool:
        return name in _BITS and bool(self._bits >> _BITS[str(name)] & 1)

    def __iter__(self) -> Iterator[str]:
        return (name for bit, name in enumerate(ERROR_NAMES) if self._bits >> bit & 1)

    def __len__(self) -> int:
        return self._bits.bit_count()

    def __bool__(self) -> bool:
        return self._bits != 0

    def __eq__(self, other: object) -> bool:
        return self._bits == other._bits if isinstance(other, Errors) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._bits)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Errors is immutable; {name!r} cannot be set")

    def __reduce__(self) -> tuple[Any, ...]:
        return Errors.from_bits, (self._bits,)

    def __copy__(self) -> "Errors":
        return self

    def __deepcopy__(self, memo: object) -> "Errors":
        return self

    def __str__(self) -> str:
        return "[" + ", ".join(f'"{name}"' for name in self) + "]"

    def __repr__(self) -> str:
        return f"Errors({list(self)})"

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> bool: ...


_ALL = (1 << len(ERROR_NAMES)) - 1


def _bit(name: str) -> int:
    if not isinstance(name, str) or name not in _BITS:
        raise InvalidArgumentError(f"no error {name!r}{suggestion(str(name), _BITS)}", name=name)
    return _BITS[name]


def _flag(bit: int) -> property:
    def is_set(errors: Errors) -> bool:
        return bool(errors._bits >> bit & 1)

    return property(is_set, doc=f"Whether `{ERROR_NAMES[bit]}` is set.")


for _name, _number in _BITS.items():
    setattr(Errors, _name, _flag(_number))
