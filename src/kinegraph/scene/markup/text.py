"""A text as an XML tree: encodings, prefixes without declaration, hostile input.

Namespaces are not processed: a name is what is written, with its prefix. No entity is expanded,
nothing is fetched, and size and depth are bounded.
"""

import codecs
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from kinegraph.scene.errors import SRDFError, URDFError, WrongTypeError

MAX_BYTES = 8 * 2**20
"""Largest text that is read. The descriptions of the largest humanoids have about 1 MB."""

MAX_TAGS = 500_000
"""Most "<" in a text that is read: each element takes memory, and time to find it again."""

MAX_DEPTH = 256
"""Deepest nesting that is read."""

ErrorType = type[URDFError] | type[SRDFError]

_BLANKS = b" \t\r\n"
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
    # An XML declaration in two-byte letters says the same as a mark.
    "<?".encode("utf-16-le"): "utf-16-le",
    "<?".encode("utf-16-be"): "utf-16-be",
}
_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
# Python's names for transformations that are no encodings of texts.
_NO_ENCODINGS = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7", "undefined")
_FOREIGN_ENTITY = re.compile(rb"&(?!#|(?:amp|lt|gt|quot|apos);)")


class _AllFoundError(Exception):
    """The rest of a text need not be parsed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an element stands.

    Attributes:
        line: Its line, from 1.
        way: Tag and name of every element from the root to it; the name is None without one.
    """

    line: int
    way: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A text and its elements.

    Attributes:
        file: The file's name for errors, or None.
        error: The class of errors about the text.
        root: The root element.
        data: The text as UTF-8.
        skipped_lines: Lines in front of `data` that were left out of it.
    """

    file: str | None
    error: ErrorType
    root: Element
    data: bytes
    skipped_lines: int

    def places(self, elements: Iterable[Element]) -> dict[Element, Place]:
        """Return where elements stand.

        The text is parsed again, up to the last of them: only errors and warnings ask for places,
        so reading need not keep them.
        """
        asked = set(elements)
        wanted = {index: each for index, each in enumerate(self.root.iter()) if each in asked}
        places: dict[Element, Place] = {}
        way: list[tuple[str, str | None]] = []
        parser, index = expat.ParserCreate("utf-8"), -1

        def start(tag: str, attributes: dict[str, str]) -> None:
            nonlocal index
            index += 1
            way.append((tag, attributes.get("name")))
            if index in wanted:
                line = parser.CurrentLineNumber + self.skipped_lines
                places[wanted[index]] = Place(line, tuple(way))
                if len(places) == len(wanted):
                    raise _AllFoundError

        def end(_tag: str) -> None:
            way.pop()

        parser.StartElementHandler, parser.EndElementHandler = start, end
        with suppress(_AllFoundError):
            parser.Parse(self.data, True)
        return places


def parse_xml(text: str | bytes, file: str | None, error: ErrorType) -> Document:
    """Parse a text.

    Args:
        text: str (any encoding line in it is ignored) or bytes (encoding line or byte order mark
            count). Blanks in front are skipped.
        file: The file's name for errors, or None.
        error: The class of errors to raise.

    Raises:
        URDFError, SRDFError: Not well-formed, too large, too deep, or with entities of its own.
        WrongTypeError: Neither str nor bytes. Also a `TypeError`.
    """
    where = file or "<string>"
    if isinstance(text, str):
        size = len(text)
    elif isinstance(text, bytes | bytearray | memoryview):
        size = memoryview(text).nbytes
    else:
        raise WrongTypeError(f"the text must be str or bytes, not {text!r:.100}")
    if size > MAX_BYTES:
        raise error(f"{where}: the text has more than {MAX_BYTES} bytes", file=file)
    try:
        data = _utf8(text)
    except (LookupError, ValueError) as cause:
        raise error(f"{where}: {cause}", file=file) from cause
    stripped = data.lstrip(_BLANKS)
    if not stripped:
        raise error(f"{where}: the text is empty", file=file)
    if stripped.count(b"<") > MAX_TAGS:
        raise error(f"{where}: the text has more than {MAX_TAGS} tags", file=file)
    skipped = data[: len(data) - len(stripped)].count(b"\n")
    root = _parse(stripped, file, error, skipped)
    return Document(file, error, root, stripped, skipped)


def _utf8(text: str | bytes) -> bytes:
    """Return a text as UTF-8 without byte order mark; a UTF-8 text is not checked."""
    if isinstance(text, str):
        return text.removeprefix("\ufeff").encode()
    data = bytes(text)
    encoding = "utf-8"
    for mark, name in _BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            encoding = name
            break
    else:
        if declared := _DECLARED.match(data):
            encoding = codecs.lookup(declared[1].decode()).name
            if encoding in _NO_ENCODINGS:
                raise LookupError(f"unknown encoding: {encoding}")
    if encoding == "utf-8":
        return data.removeprefix(codecs.BOM_UTF8)
    return data.decode(encoding).removeprefix("\ufeff").encode()


class _RefusedError(Exception):
    """Something that XML allows and we do not; the parser knows where."""


def _parse(data: bytes, file: str | None, error: ErrorType, skipped: int) -> Element:
    """Return the root element of a text in UTF-8."""
    parser, tree = expat.ParserCreate("utf-8"), TreeBuilder()
    parser.StartElementHandler = tree.start
    parser.EndElementHandler = tree.end
    if b"<!" in data:
        _refuse_declarations(parser, data)
    try:
        if b"\0" in data:  # expat would take it for a letter of two bytes
            raise _RefusedError("not well-formed XML: a zero byte; is it UTF-16 without a mark?")
        parser.Parse(data, True)
        root = tree.close()
        # Every level ends with a slash of its own: where there are few, none can be deep.
        if data.count(b"/") > MAX_DEPTH and _is_deep(root):
            raise _RefusedError(f"elements are nested more than {MAX_DEPTH} deep")
    except expat.ExpatError as cause:
        line, reason = cause.lineno, f"not well-formed XML: {expat.ErrorString(cause.code)}"
    except _RefusedError as cause:
        line, reason = parser.CurrentLineNumber, str(cause)
    else:
        return root
    line += skipped
    raise error(f"{file or '<string>'}:{line}: {reason}", file=file, line=line)


def _refuse_declarations(parser: expat.XMLParserType, data: bytes) -> None:
    """Refuse what a document type can bring in."""
    # The handlers must not hold the parser: freeing such a cycle takes a tenth of the parsing.

    def document_type(_name: str, system_id: str | None, *_rest: object) -> None:
        # With a document type elsewhere, unknown entities would silently be nothing.
        if system_id is not None and _FOREIGN_ENTITY.search(data):
            raise _RefusedError("an external document type is refused")

    def entity(*_declaration: object) -> None:
        raise _RefusedError("entity declarations are refused")

    def attribute_list(*_declaration: object) -> None:
        raise _RefusedError("attribute declarations are refused")

    parser.StartDoctypeDeclHandler = document_type
    parser.EntityDeclHandler = entity
    parser.AttlistDeclHandler = attribute_list


def _is_deep(root: Element) -> bool:
    level = [root]
    for _ in range(MAX_DEPTH):
        level = [child for element in level if len(element) for child in element]
        if not level:
            return False
    return True
