"""Links and joints that belong to a graph cannot be edited behind its back.

A graph numbers its changes, and whatever was computed from it is kept until that number grows. An
edit that the graph does not see would leave old results in place. So the graph stores copies and
seals them: the object's class becomes a subclass that refuses to set attributes. `clone()` of a
sealed object is an ordinary, editable one.
"""

from typing import Any, TypeVar

from kinegraph.scene.errors import SealedError

T = TypeVar("T")


class Sealed:
    """Mixin of the sealed classes: refuses edits, pickles and copies as the unsealed class."""

    __slots__ = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Make an editable object, for `type(link)("b")` and `dataclasses.replace`."""
        return cls.__mro__[2](*args, **kwargs)

    def __setattr__(self, name: str, value: object) -> None:
        raise SealedError(
            f"this {type(self).__mro__[2].__name__} belongs to a scene graph, {name!r} cannot be "
            "set; use the graph's methods (changeJointOrigin, changeJointLimits, moveJoint, "
            "addLink with replace_allowed, ...), or edit a clone() and put that in"
        )

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _same, (self.clone(),)  # type: ignore[attr-defined]


def _same(value: T) -> T:
    return value


_SEALED: dict[type, type] = {}
_PLAIN: dict[type, type] = {}
_set_class = object.__dict__["__class__"].__set__  # passes by the classes' __setattr__


def sealable(cls: type[T]) -> type[T]:
    """Class decorator: derive the sealed twin of `cls`."""
    twin = type(cls.__name__, (Sealed, cls), {"__slots__": (), "__module__": cls.__module__})
    _SEALED[cls] = _SEALED[twin] = twin
    _PLAIN[cls] = _PLAIN[twin] = cls
    return cls


def plain_class(cls: type[T]) -> type[T]:
    """Return the editable class of a sealed one, and what a user's subclass was derived from."""
    plain = _PLAIN.get(cls)
    return next(_PLAIN[base] for base in cls.__mro__ if base in _PLAIN) if plain is None else plain


def seal(value: T) -> T:
    """Seal an object in place; its class must be `sealable`."""
    _set_class(value, _SEALED[type(value)])
    return value
