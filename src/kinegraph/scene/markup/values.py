"""Attributes as numbers.

Numbers are ASCII, decimal or with an exponent: no nan, no inf, no hexadecimal, no underscore, no
comma, whatever the computer's language.
"""

from collections.abc import Mapping
from math import isfinite
from xml.etree.ElementTree import Element

from kinegraph.scene.markup.place import Source

TRUE = ("true", "True", "TRUE", "1")
LONGEST = 10_000
"""Longer texts are no numbers, and are not even tried."""

FALSE = ("false", "False", "FALSE", "0")


def to_float(text: str) -> float | None:
    """Return a finite number, or None for anything else."""
    values = to_floats(text, 1)
    return None if values is None else values[0]


def to_floats(text: str, count: int) -> tuple[float, ...] | None:
    """Return exactly `count` finite numbers separated by blanks, or None."""
    if len(text) > LONGEST or not text.isascii() or "_" in text:
        return None
    try:
        values = tuple(map(float, text.split()))
    except ValueError:
        return None
    # A sum is finite only when all are, and quicker; it may overflow though all are.
    if len(values) != count or not (isfinite(sum(values)) or all(map(isfinite, values))):
        return None
    return values


def _are_plain(values: tuple[float, ...], text: str) -> bool:
    """Tell whether all are finite and written in plain ASCII.

    float() also takes nan, inf, 1_000 and the digits of other scripts.
    """
    # A sum is finite only when all are, and quicker; it may overflow though all are.
    finite = isfinite(sum(values)) or all(map(isfinite, values))
    return finite and text.isascii() and "_" not in text


def required(source: Source, element: Element, name: str) -> str:
    """Return an attribute's text; an error without it."""
    text = element.get(name)
    if text is None:
        source.fail(element, "is missing", name)
    return text


def numbers(
    source: Source, element: Element, defaults: Mapping[str, float | None]
) -> tuple[float, ...]:
    """Return several attributes as numbers.

    They are read at once: a description has hundreds of numbers, and attributes one by one
    would take most of the time.

    Args:
        source: The text.
        element: The element.
        defaults: The attributes with their defaults, None for one that must be there.

    Raises:
        URDFError: An attribute is missing or no number.
    """
    attributes = element.attrib
    try:
        values = tuple(map(float, map(attributes.get, defaults, defaults.values())))  # type: ignore[arg-type]
        if _are_plain(values, "".join(attributes.values())):
            return values
    except (TypeError, ValueError):  # TypeError: None, missing
        pass
    return tuple(
        default
        if default is not None and name not in attributes
        else _number(source, element, name, attributes.get(name))
        for name, default in defaults.items()
    )


def _number(source: Source, element: Element, name: str, text: str | None) -> float:
    if text is None:
        source.fail(element, "is missing; a number is expected", name)
    value = to_float(text)
    if value is None:
        source.fail(element, "is not a number such as 0.5 or 1e-3", name, text)
    return value


def positive(source: Source, element: Element, name: str) -> float:
    """Return an attribute as a number > 0."""
    value = _number(source, element, name, element.get(name))
    if value <= 0.0:
        source.fail(element, "must be > 0", name, element.get(name))
    return value


def not_negative(source: Source, element: Element, name: str) -> float:
    """Return an attribute as a number >= 0."""
    value = _number(source, element, name, element.get(name))
    if value < 0.0:
        source.fail(element, "must not be negative", name, element.get(name))
    return value


def vector(source: Source, element: Element, name: str, count: int) -> tuple[float, ...]:
    """Return an attribute as `count` numbers; an error without it."""
    text = element.get(name)
    if text is None:
        source.fail(element, f"is missing; {count} numbers are expected", name)
    return vector_of(source, element, name, text, count)


def vector_of(
    source: Source, element: Element, name: str, text: str, count: int
) -> tuple[float, ...]:
    """Return the text of an attribute as `count` numbers."""
    values = to_floats(text, count)
    if values is None:
        source.fail(element, f"is not {count} numbers separated by blanks", name, text)
    return values


def positive_vector(source: Source, element: Element, name: str) -> tuple[float, float, float]:
    """Return an attribute as three numbers > 0; an error without it."""
    x, y, z = vector(source, element, name, 3)
    if min(x, y, z) <= 0.0:
        source.fail(element, "must be three numbers > 0", name, element.get(name))
    return x, y, z


def boolean(source: Source, element: Element, name: str, text: str) -> bool:
    """Read an attribute's text as true or false."""
    if text in TRUE:
        return True
    if text not in FALSE:
        source.fail(element, "is neither true nor false", name, text)
    return False


def prefixed_attribute(element: Element, name: str) -> str | None:
    """Return an attribute by its name behind the prefix, whatever the prefix is."""
    end = ":" + name
    return next((text for key, text in element.attrib.items() if key.endswith(end)), None)
