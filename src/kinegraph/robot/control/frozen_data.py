"""`FrozenData`: what options, tables and records have in common that hold arrays."""

from dataclasses import fields
from typing import Any

__all__ = ["FrozenData"]


class FrozenData:
    """Base of frozen dataclasses whose arrays cannot be changed; nor can those of their copies.

    A copy (`copy.deepcopy`, `pickle`) is built anew, so that its arrays are made read-only as those
    of the original were.
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what builds an equal one: the class and its fields in their order."""
        return type(self), tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
