"""A loaded `libfcimodels`: its thirty functions by ctypes, and how it comes and goes."""

import ctypes
import os
import stat
import tempfile
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kinegraph.robot.errors import ModelError
from kinegraph.robot.model.elf import check_shared_object

__all__ = ["SYMBOLS", "ModelLibrary"]

FRAMES = range(1, 10)
"""Seven joints, the flange, the end effector."""

_ARRAY, _NUMBER = ctypes.c_void_p, ctypes.c_double


def _signatures() -> dict[str, tuple[Any, ...]]:
    # Facts: fci-protocol section 14, v5 model library. Only the mass is passed by value.
    found: dict[str, tuple[Any, ...]] = {}
    for frame in FRAMES:
        pose = (_ARRAY,) * (3 if frame == FRAMES[-1] else 2)
        found[f"O_T_J{frame}"] = pose
        for jacobian in ("O_J_J", "Ji_J_J"):  # the first joint's does not depend on q
            found[f"{jacobian}{frame}"] = (_ARRAY,) if frame == FRAMES[0] else pose
    found["M_NE"] = (_ARRAY, _ARRAY, _NUMBER, _ARRAY, _ARRAY)
    found["c_NE"] = (_ARRAY, _ARRAY, _ARRAY, _NUMBER, _ARRAY, _ARRAY)
    found["g_NE"] = (_ARRAY, _ARRAY, _NUMBER, _ARRAY, _ARRAY)
    return found


SYMBOLS: Mapping[str, tuple[Any, ...]] = MappingProxyType(_signatures())
"""The thirty functions with the types of their arguments."""


def _refused(why: object) -> ModelError:
    return ModelError(f"libfranka: Cannot load model library: {why}")


class ModelLibrary:
    """A shared object that is loaded; unloaded when nothing refers to it any more.

    Args:
        path: The file.

    Attributes:
        functions: The thirty functions by name.

    Raises:
        ModelError: The file cannot be loaded, or lacks a function.
    """

    def __init__(self, path: Path) -> None:
        check_shared_object(_read(path))
        try:
            # Absolute: a bare name would be searched for on the loader's path.
            loaded = ctypes.CDLL(os.path.abspath(path), mode=os.RTLD_NOW | os.RTLD_LOCAL)
        except OSError as error:
            raise _refused(error) from error
        self._finalizer = weakref.finalize(self, _unload, loaded._handle)
        self._finalizer.atexit = False  # other threads may still be inside
        self.functions: Mapping[str, Callable[..., None]] = {
            name: _symbol(loaded, name) for name in SYMBOLS
        }


def _symbol(loaded: ctypes.CDLL, name: str) -> Callable[..., None]:
    try:
        function = loaded[name]
    except AttributeError as error:
        raise ModelError(f"libfranka: Symbol cannot be found: {name}", symbol=name) from error
    function.argtypes, function.restype = SYMBOLS[name], None
    return function


def _unload(handle: int) -> None:
    close = ctypes.CDLL(None).dlclose
    close.argtypes, close.restype = [ctypes.c_void_p], ctypes.c_int
    close(handle)


def _read(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would be waited for
            raise _refused(f"{path} is no file")
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        raise _refused(error) from error


def load_from_file(path: "str | os.PathLike[str]") -> ModelLibrary:
    """Load a shared object.

    Raises:
        ModelError: It cannot be loaded, or lacks a function.
    """
    try:
        return ModelLibrary(Path(path))
    except TypeError as error:
        raise _refused(f"{path!r} is no path") from error


def load_from_bytes(data: bytes) -> ModelLibrary:
    """Write a shared object to a file that only its owner can read, load it, remove it.

    Raises:
        ModelError: It cannot be written or loaded, or lacks a function.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise _refused(f"bytes are needed, not {type(data).__name__}")
    image = bytes(data)
    check_shared_object(image)  # what is no library is not written
    try:
        descriptor, name = tempfile.mkstemp(prefix="libfcimodels-", suffix=".so")
    except OSError as error:
        raise ModelError(f"libfranka: Cannot save model library. {error}") from error
    try:
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(image)
        except OSError as error:
            raise ModelError(f"libfranka: Cannot save model library. {error}") from error
        return ModelLibrary(Path(name))
    finally:
        os.unlink(name)  # what is mapped stays; nothing is left behind by a process that is killed
