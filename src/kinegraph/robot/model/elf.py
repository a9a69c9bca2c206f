"""A first look at a shared object: whether the dynamic loader of this process can take it.

The loader trusts what it maps: a file that ends too early is a bus error, which no program
survives. So the header and the places of the segments are read here, before it sees the file.
"""

import platform
import struct
import sys
from typing import NamedTuple

from kinegraph.robot.errors import ModelError

__all__ = ["check_shared_object", "model_architecture"]

# ELF specification, "ELF header" and "program header", 64-bit little-endian.
_HEADER = struct.Struct("<4sBBBBB7xHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_MAGIC, _CLASS_64, _LITTLE_ENDIAN, _SHARED, _LOADED = b"\x7fELF", 2, 1, 3, 1
_MACHINES = {3: "x86", 40: "ARM", 62: "x86-64", 183: "ARM64"}
_OWN_MACHINE = {"x86_64": 62, "AMD64": 62, "aarch64": 183, "arm64": 183}
# What LoadModelLibrary calls the architectures.
_ASKED_FOR = {62: "X64", 183: "ARM64"}


class _Header(NamedTuple):
    magic: bytes
    word_size: int
    byte_order: int
    ident_version: int
    abi: int
    abi_version: int
    kind: int
    machine: int
    version: int
    entry: int
    segments_at: int
    sections_at: int
    flags: int
    header_size: int
    segment_size: int
    segment_count: int
    section_size: int
    section_count: int
    names_at: int


def _refused(why: str) -> ModelError:
    return ModelError(f"libfranka: Cannot load model library: {why}")


def _own_machine() -> int:
    number = _OWN_MACHINE.get(platform.machine())
    if number is None or sys.maxsize < 2**32 or sys.byteorder != "little":
        raise _refused(
            f"there are model libraries for Linux on x86-64 and ARM64, this process runs on "
            f"{platform.machine()}"
        )
    return number


def model_architecture() -> str:
    """Return the name by which LoadModelLibrary asks for libraries of this machine.

    Raises:
        ModelError: There are none for it.
    """
    return _ASKED_FOR[_own_machine()]


def check_shared_object(data: bytes) -> None:
    """Refuse bytes that are no whole shared object for this machine.

    Args:
        data: The file.

    Raises:
        ModelError: It says what the bytes are instead.
    """
    if not data:
        raise _refused("there are no bytes")
    if len(data) < _HEADER.size or not data.startswith(_MAGIC):
        raise _refused(f"{len(data)} bytes that begin with {data[:8]!r} are no shared object (ELF)")
    header = _Header(*_HEADER.unpack_from(data))
    own = _own_machine()
    if (header.word_size, header.byte_order, header.machine) != (_CLASS_64, _LITTLE_ENDIAN, own):
        other = _MACHINES.get(header.machine, f"machine {header.machine}")
        raise _refused(
            f"wrong architecture: it is for {other}, {32 * header.word_size} bit; this process "
            f"needs {_MACHINES[own]}, 64 bit"
        )
    if header.kind != _SHARED:
        raise _refused(f"it is an ELF file of type {header.kind}, a shared object has {_SHARED}")
    _check_whole(data, header)


def _check_whole(data: bytes, header: _Header) -> None:
    end = header.segments_at + header.segment_count * _SEGMENT.size
    if header.segment_size != _SEGMENT.size or not header.segment_count or end > len(data):
        raise _refused(f"its table of segments does not lie within its {len(data)} bytes")
    for index in range(header.segment_count):
        kind, _, offset, _, _, size, _, _ = _SEGMENT.unpack_from(
            data, header.segments_at + index * _SEGMENT.size
        )
        if kind == _LOADED and offset + size > len(data):
            raise _refused(f"it is cut off: {len(data)} bytes, at least {offset + size} are needed")
