"""Where something stands in a text, and the errors that say so."""

import logging
from collections.abc import Iterable
from typing import NoReturn
from xml.etree.ElementTree import Element

from kinegraph.scene.markup.text import Document

LOGGER = logging.getLogger("kinegraph.scene")


MOST_KINDS = 20
"""So many kinds of ignored elements are kept and logged; of the others only their number."""

LONGEST_NAME, LONGEST_VALUE, LONGEST_REASON = 100, 200, 500
"""Longer texts from a file are cut in messages."""


class Source:
    """The text that is being read, and what was ignored in it.

    Args:
        document: The text.
    """

    def __init__(self, document: Document) -> None:
        self.file = document.file
        self.root = document.root
        self._document = document
        self._ignored: dict[str, tuple[int, Element]] = {}
        self._further = 0

    def fail(
        self,
        element: Element,
        reason: str,
        attribute: str = "",
        value: str | None = None,
        cause: Exception | None = None,
    ) -> NoReturn:
        """Raise the error for an element: file, line, way to the element, reason."""
        place = self._document.places([element])[element]
        line, path = place.line, _path(place.way)
        what = f"attribute {attribute}" if attribute else ""
        what += "" if value is None else f"={shortened(value, LONGEST_VALUE)}"
        reason = _cut(reason, LONGEST_REASON)
        words = f"{what} {reason}" if what else reason
        raise self._document.error(
            f"{self.file or '<string>'}:{line}: {path}: {words}",
            file=self.file,
            line=line,
            element=path,
            attribute=attribute,
            value=value,
        ) from cause

    def parts(self, element: Element, known: frozenset[str]) -> dict[str, Element]:
        """Return an element's children of known kinds, the first of each; note the others."""
        parts: dict[str, Element] = {}
        for child in element:
            tag = child.tag
            if tag not in known:
                self.ignore(child)
            elif tag in parts:
                self.ignore(child, "repeated")
            else:
                parts[tag] = child
        return parts

    def ignore(self, element: Element, why: str = "unknown") -> None:
        """Note an element that is not read; `report` warns once per kind."""
        kind = f"{why} <{_cut(element.tag)}>"
        known = self._ignored.get(kind)
        if known is not None:
            self._ignored[kind] = (known[0] + 1, known[1])
        elif len(self._ignored) < MOST_KINDS:
            self._ignored[kind] = (1, element)
        else:
            self._further += 1

    def report(self) -> None:
        """Log one warning per kind of ignored element, and one for all kinds beyond the first."""
        if not self._ignored or not LOGGER.isEnabledFor(logging.WARNING):
            return
        file = self.file or "<string>"
        places = self._document.places(first for _, first in self._ignored.values())
        for kind, (count, first) in self._ignored.items():
            line, way = places[first].line, places[first].way[:-1]
            words = "%s:%s: ignored %s in %s (%d in the file)"
            LOGGER.warning(words, file, line, kind, _path(way), count)
        if self._further:
            LOGGER.warning("%s: ignored %d elements of further kinds", file, self._further)


def shortened(text: str, longest: int = LONGEST_NAME) -> str:
    """Return a text from a file in quotes, not too long for a message."""
    return repr(_cut(text, longest))


def _cut(text: str, longest: int = LONGEST_NAME) -> str:
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _path(way: Iterable[tuple[str, str | None]]) -> str:
    """Return the way to an element: `robot 'r' / joint 'j' / limit`."""
    steps = (_cut(tag) if name is None else f"{_cut(tag)} {shortened(name)}" for tag, name in way)
    return " / ".join(steps)
