"""The form of a recorded run on disk: a line of magic, then frames.

A frame is its head (mark, number, bytes of payload, checksum of the head), a payload, and a
checksum of both. Frames are only ever appended, each by one write, so that a writer that dies
leaves a whole log and at most one piece of a frame behind it. The first frame describes the run,
others announce a table, hold rows of one, hold an event, or close the log.
"""

import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from kinegraph.robot.errors import ProtocolError

__all__ = [
    "FORMAT",
    "Frame",
    "json_frame",
    "magic",
    "pack_frame",
    "read_frames",
    "read_magic",
    "row_dtype",
    "rows_frame",
]

FORMAT = 2
"""Version of the form; a reader refuses every other one."""

HEAD = struct.Struct("<4sIII")  # mark, number of the frame, bytes of payload, check of these
CHECK = struct.Struct("<I")
ROWS = struct.Struct("<IQ")  # table, rows lost before these

M_ABOUT = b"abou"
M_TABLE = b"tabl"
M_ROWS = b"rows"
M_EVENT = b"evnt"
M_END = b"end."
MARKS = (M_ABOUT, M_TABLE, M_ROWS, M_EVENT, M_END)

_MAGIC = b"kinegraph run "
_MAGIC_MAX = 32
_PAYLOAD_MAX = 1 << 30
_SEARCH = 1 << 20


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a whole and sound frame stands in a file.

    Attributes:
        mark: What it is, one of `MARKS`.
        number: Its number from 0 on.
        at: Byte at which its payload starts.
        size: Bytes of its payload.
        skipped: Damaged bytes before it.
    """

    mark: bytes
    number: int
    at: int
    size: int
    skipped: int = 0


def magic(version: int = FORMAT) -> bytes:
    """Return the first bytes of a file."""
    return _MAGIC + str(version).encode() + b"\n"


def pack_frame(mark: bytes, number: int, payload: bytes) -> bytes:
    """Return a frame as bytes."""
    head = struct.pack("<4sII", mark, number, len(payload))
    head += CHECK.pack(zlib.crc32(head))
    return head + payload + CHECK.pack(zlib.crc32(payload, zlib.crc32(head)))


def json_frame(mark: bytes, number: int, content: Mapping[str, Any]) -> bytes:
    """Return a frame whose payload is a JSON object."""
    return pack_frame(mark, number, json.dumps(content).encode())


def rows_frame(number: int, table: int, lost: int, rows: np.ndarray) -> bytes:
    """Return a frame with rows of a table.

    Args:
        number: Number of the frame.
        table: Number of the table.
        lost: Rows lost right before these.
        rows: (n, width) float64.
    """
    data = np.ascontiguousarray(rows, dtype="<f8").tobytes()
    return pack_frame(M_ROWS, number, ROWS.pack(table, lost) + data)


def row_dtype(fields: Sequence[tuple[str, int]]) -> np.dtype[Any]:
    """Return the structured type of a table's rows, all float64."""
    return np.dtype([(name, "<f8") if n == 1 else (name, "<f8", (n,)) for name, n in fields])


def read_magic(file: BinaryIO, path: Path) -> None:
    """Take the magic line off a file.

    Raises:
        ProtocolError: The file is no recorded run, or one of another form.
    """
    line = file.readline(_MAGIC_MAX)
    version = line[len(_MAGIC) :].strip()
    if not line.startswith(_MAGIC) or not line.endswith(b"\n") or not version.isdigit():
        what = "it is empty" if not line else f"it starts with {line[:16]!r}"
        raise ProtocolError(f"{path}: not a recorded run: {what}")
    if int(version) > FORMAT:
        raise ProtocolError(
            f"{path}: written by a newer kinegraph, in form {int(version)}; this one reads form "
            f"{FORMAT}",
            form=int(version),
        )
    if int(version) < FORMAT:
        raise ProtocolError(
            f"{path}: a recorded run of the old form {int(version)}; this kinegraph reads form "
            f"{FORMAT}",
            form=int(version),
        )


def read_frames(file: BinaryIO, path: Path, *, salvage: bool = False) -> Iterator[Frame]:
    """Find the frames of a file, from where it stands to the last one that is whole.

    What a power failure leaves of the last frame, also as zeros, ends the log without an error.

    Args:
        file: Open file, after its magic line.
        path: Its name, for errors.
        salvage: Whether damage in the middle is skipped; else it is an error.

    Raises:
        ProtocolError: A frame is damaged, and sound ones follow.
    """
    at, size = file.tell(), os.fstat(file.fileno()).st_size
    skipped = 0
    while at < size:
        frame = _frame_at(file, at, size, skipped)
        if frame is not None:
            skipped = 0
            yield frame
            at = frame.at + frame.size + CHECK.size
            continue
        following = _next_frame(file, at + 1, size)
        if following is None:
            return
        if not salvage:
            raise ProtocolError(
                f"{path}: damaged at byte {at}; sound parts follow at byte {following}, which "
                "salvage=True reads",
                byte=at,
            )
        skipped, at = following - at, following


def _frame_at(file: BinaryIO, at: int, size: int, skipped: int = 0) -> Frame | None:
    """Return the frame that starts at a byte, None if none that is whole and sound does."""
    file.seek(at)
    head = file.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    mark, number, length, check = HEAD.unpack(head)
    if mark not in MARKS or check != zlib.crc32(head[:-4]) or length > _PAYLOAD_MAX:
        return None
    if at + HEAD.size + length + CHECK.size > size:
        return None
    payload = file.read(length)
    (check,) = CHECK.unpack(file.read(CHECK.size))
    if check != zlib.crc32(payload, zlib.crc32(head)):
        return None
    return Frame(mark, number, at + HEAD.size, length, skipped)


def _next_frame(file: BinaryIO, at: int, size: int) -> int | None:
    """Return where the next sound frame starts, at or after a byte."""
    while at < size:
        file.seek(at)
        piece = file.read(_SEARCH)
        places = {piece.find(mark) for mark in MARKS} - {-1}
        while places:
            place = min(places)
            if _frame_at(file, at + place, size) is not None:
                return at + place
            places = {piece.find(mark, place + 1) for mark in MARKS} - {-1}
        at += max(len(piece) - len(M_ROWS) + 1, 1)
    return None
