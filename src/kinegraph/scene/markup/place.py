"""Where something stands in a text, and the errors that say so."""

import logging
from typing import NoReturn
from xml.etree.ElementTree import Element

from kinegraph.scene.markup.text import Document

LOGGER = logging.getLogger("kinegraph.scene")


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
        self._places: dict[Element, tuple[int, Element | None]] = {}

    def line(self, element: Element) -> int:
        """Return an element's line, from 1."""
        return self._place(element)[0]

    def path(self, element: Element) -> str:
        """Return the way to an element: `robot 'r' / joint 'j' / limit`."""
        steps: list[str] = []
        step: Element | None = element
        while step is not None:
            name = step.get("name")
            steps.append(step.tag if name is None else f"{step.tag} {_shortened(name)}")
            step = self._place(step)[1]
        return " / ".join(reversed(steps))

    def _place(self, element: Element) -> tuple[int, Element | None]:
        if not self._places:
            parents = {child: parent for parent in self.root.iter() for child in parent}
            self._places = {
                each: (line, parents.get(each))
                for each, line in zip(self.root.iter(), self._document.lines(), strict=True)
            }
        return self._places[element]

    def fail(
        self,
        element: Element,
        reason: str,
        attribute: str = "",
        value: str | None = None,
        cause: Exception | None = None,
    ) -> NoReturn:
        """Raise the error for an element: file, line, way to the element, reason."""
        line = self.line(element)
        path = self.path(element)
        what = f"attribute {attribute}" if attribute else ""
        what += "" if value is None else f"={_shortened(value)}"
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
        kind = f"{why} <{element.tag}>"
        count, first = self._ignored.get(kind, (0, element))
        self._ignored[kind] = (count + 1, first)

    def report(self) -> None:
        """Log one warning per kind of ignored element."""
        if not self._ignored or not LOGGER.isEnabledFor(logging.WARNING):
            return
        for kind, (count, first) in self._ignored.items():
            line, parent = self._place(first)
            LOGGER.warning(
                "%s:%s: ignored %s in %s (%d in the file)",
                self.file or "<string>",
                line,
                kind,
                self.path(parent) if parent is not None else "the text",
                count,
            )


def _shortened(value: str) -> str:
    return repr(value if len(value) <= 200 else value[:197] + "...")
