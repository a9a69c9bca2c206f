"""XML as text: escaping, and numbers that are read back bit for bit."""

import re
from collections.abc import Iterable, Sequence

from kinegraph.scene.markup.vocabulary import NAMESPACES

# XML 1.0 has no way to write the other control characters, halves of surrogate pairs, or these two.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPES = str.maketrans(
    {
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        '"': "&quot;",
        "\t": "&#9;",
        "\n": "&#10;",
        "\r": "&#13;",
    }
)

HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n'

Attributes = Sequence[tuple[str, str]]


class UnwritableTextError(ValueError):
    """XML has no way to write a text; writers turn it into their own error."""


def escaped(text: str) -> str:
    """Return a text for use between double quotes.

    Raises:
        UnwritableTextError: XML cannot hold a character of it.
    """
    if not isinstance(text, str):
        raise UnwritableTextError(f"{text!r:.200} is no text")
    if _UNWRITABLE.search(text):
        raise UnwritableTextError(f"XML cannot hold the text {text!r:.200}")
    return text.translate(_ESCAPES)


def exact(value: float) -> str:
    """Return the shortest text that reads back as the same float64."""
    return repr(float(value))


def exact_all(values: Iterable[float]) -> str:
    """Return several numbers, separated by blanks."""
    return " ".join(map(exact, values))


def element(tag: str, attributes: Attributes = (), children: Iterable[str] = ()) -> str:
    """Return an element as text, each child on lines of its own, indented."""
    head = tag + "".join(f' {name}="{escaped(text)}"' for name, text in attributes)
    lines = [f"  {line}" for child in children for line in child.split("\n")]
    if not lines:
        return f"<{head}/>"
    return "\n".join([f"<{head}>", *lines, f"</{tag}>"])


def robot_document(name: str, attributes: Attributes, children: Iterable[str]) -> str:
    """Return a whole text with a `robot` element, which declares the prefixes that are used."""
    body = "\n".join(children)
    written = f"{body} {' '.join(key for key, _ in attributes)}"
    namespaces = [
        (f"xmlns:{prefix}", namespace)
        for prefix, namespace in NAMESPACES.items()
        if f" {prefix}:" in written or f"<{prefix}:" in written
    ]
    children = [body] if body else []
    return HEADER + element("robot", [("name", name), *namespaces, *attributes], children) + "\n"
