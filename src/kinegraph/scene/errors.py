"""The errors of scene and kinematics.

::

    KinegraphError
    ├── UnknownLinkError      also KeyError    a name is not a link
    ├── UnknownNameError      also KeyError    a name is not in a map that was asked for it
    ├── UnknownJointError     also ValueError  names are not joints of the kind that is needed
    ├── InvalidNameError      also ValueError  an empty name, or one that is taken twice
    ├── LengthError           also ValueError  two lengths that must agree do not
    ├── WrongTypeError        also TypeError   a value of the wrong type
    ├── ShapeError            also TypeError and ValueError  an array has the wrong number of axes
    ├── NotFiniteError        also ValueError  a number is NaN or infinite
    ├── NotRigidError         also ValueError  a matrix is not a rigid transform
    ├── InvalidJointError     also ValueError  a joint that no solver can take
    ├── InvalidGeometryError  also ValueError  a shape without extent
    ├── InvalidInertialError  also ValueError  a mass or inertia that no body has
    ├── InvalidLimitError     also ValueError  limits that contradict themselves
    ├── SealedError           also AttributeError  a part of a graph was edited behind its back
    ├── NoPathError           also ValueError  two links are not connected
    ├── TreeError             also RuntimeError  a graph is not a tree
    ├── UnsupportedError      also RuntimeError  an operation or joint type is not supported
    ├── URDFError             also RuntimeError and ValueError
    └── SRDFError             also RuntimeError and ValueError

The robot's errors hang below `KinegraphError` too, see `kinegraph.robot.errors`.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any

__all__ = [
    "InvalidGeometryError",
    "InvalidInertialError",
    "InvalidJointError",
    "InvalidLimitError",
    "InvalidNameError",
    "KinegraphError",
    "LengthError",
    "NoPathError",
    "NotFiniteError",
    "NotRigidError",
    "SRDFError",
    "SealedError",
    "ShapeError",
    "TreeError",
    "URDFError",
    "UnknownJointError",
    "UnknownLinkError",
    "UnknownNameError",
    "UnsupportedError",
    "WrongTypeError",
]


# Looking for a close name takes long in long lists of long names; an error must not.
LONGEST_COMPARED = 60
MOST_COMPARED = 300


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return '; did you mean ...?' for the nearest known name, or nothing."""
    if not isinstance(name, str) or len(name) > LONGEST_COMPARED:
        return ""
    candidates = (other for other in islice(known, MOST_COMPARED) if len(other) <= LONGEST_COMPARED)
    close = get_close_matches(name, candidates, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


class KinegraphError(Exception):
    """Base of all errors that kinegraph raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Without calling __init__ again: it would make a message of the finished message.
        return _restore, (type(self), self.args, self.__dict__)


def _restore(cls: type[KinegraphError], args: tuple[Any, ...], facts: dict[str, Any]) -> Any:
    error = cls.__new__(cls, *args)
    error.__dict__.update(facts)
    return error


class UnknownLinkError(KinegraphError, KeyError):
    """A name is not a link."""

    def __init__(self, name: str, known: Iterable[str] = ()) -> None:
        super().__init__(f"no link {name!r:.200}{suggestion(name, known)}")
        self.name = name

    __str__ = Exception.__str__  # KeyError would show the repr


class UnknownNameError(KinegraphError, KeyError):
    """A name is not in the map that was asked for it."""

    def __init__(self, kind: str, name: str, known: Iterable[str] = ()) -> None:
        super().__init__(f"no {kind} {name!r:.200}{suggestion(name, known)}")
        self.name = name

    __str__ = Exception.__str__


class UnknownJointError(KinegraphError, ValueError):
    """Names are not joints of the kind that the call needs.

    Attributes:
        names: Every offending name.
    """

    def __init__(
        self, method: str, names: Sequence[str], kind: str, known: Iterable[str] = ()
    ) -> None:
        listed = ", ".join(map(str, names))
        close = suggestion(names[0], known) if names else ""
        super().__init__(f"{method}: not {kind}: {listed}{close}")
        self.names = tuple(names)


class InvalidNameError(KinegraphError, ValueError):
    """A name is empty, or stands where it must not stand twice."""


class LengthError(KinegraphError, ValueError):
    """Two lengths that must agree do not."""


class WrongTypeError(KinegraphError, TypeError):
    """A value has the wrong type."""


class ShapeError(KinegraphError, TypeError, ValueError):
    """An array has the wrong number of axes or the wrong shape."""


class NotFiniteError(KinegraphError, ValueError):
    """A number is NaN or infinite."""


class NotRigidError(KinegraphError, ValueError):
    """A matrix is not a rigid transform."""


class InvalidJointError(KinegraphError, ValueError):
    """A joint that no solver can take: no limits, a zero axis, a broken mimic rule."""


class InvalidGeometryError(KinegraphError, ValueError):
    """A shape with a size that is not positive, or a reference to no file."""


class InvalidInertialError(KinegraphError, ValueError):
    """A mass or inertia that no body has."""


class InvalidLimitError(KinegraphError, ValueError):
    """Limits that contradict themselves."""


class SealedError(KinegraphError, AttributeError):
    """A link or joint that belongs to a graph was edited; the graph's own methods must be used."""


class NoPathError(KinegraphError, ValueError):
    """Two links are not connected."""


class TreeError(KinegraphError, RuntimeError):
    """A graph is not a tree."""


class UnsupportedError(KinegraphError, RuntimeError):
    """An operation or a joint type is not supported."""


class _DescriptionError(KinegraphError, RuntimeError, ValueError):
    """A description cannot be read or written; the message says where and why.

    Attributes:
        file: The file, or None for a text.
        line: Line of the element, from 1, or None where there is none.
        element: The way to the element, such as `robot 'r' / joint 'j' / limit`.
        attribute: The attribute, or "".
        value: The attribute's text, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        element: str = "",
        attribute: str = "",
        value: str | None = None,
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.element = element
        self.attribute = attribute
        self.value = value


class URDFError(_DescriptionError):
    """A URDF text cannot be read or written; the message says where and why."""


class SRDFError(_DescriptionError):
    """An SRDF text cannot be read or written; the message says where and why."""
