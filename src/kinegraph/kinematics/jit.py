"""The kernel decorator and its cache.

numba keys its disk cache to the file of the cached function alone: after a change in a file that
the function calls into, cached callers keep returning the old numbers. Here every cached kernel
carries a digest of all files of the package that its own file can reach by imports, however deeply
nested, so that a change in any of them makes it compile again.
"""

import ast
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, ParamSpec, TypeVar, cast

import numba
from numba.core import caching

__all__ = ["OPTIONS", "entry_point", "exact_kernel", "inner_kernel", "kernel", "short_kernel"]

P = ParamSpec("P")
R = TypeVar("R")

# Contraction only: full fastmath may reorder the reduction of an angle away (poses off by 2).
# Kernels neither make nor keep arrays, so they need not count references to them: that would take
# half of the time of a small kernel, and part of every call from Python.
OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "nogil": True,
    "fastmath": {"contract"},
    "_nrt": False,
}

ROOT = Path(__file__).parents[1]


@cache
def _digest(path: Path) -> str:
    """Hash all files that a kernel file can reach, and this one, which has the options."""
    reached: set[Path] = set()
    waiting = [path, Path(__file__)]
    while waiting:
        file = waiting.pop()
        if file not in reached:
            reached.add(file)
            waiting.extend(_imports(file))
    digest = hashlib.sha256()
    for file in sorted(reached):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


@cache
def _imports(path: Path) -> tuple[Path, ...]:
    """Return the files of the package that a file imports, packages' own files among them."""
    found: set[Path] = set()
    statements: list[Any] = [ast.parse(path.read_bytes())]
    for node in statements:  # grows; expressions, most of a file, import nothing
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            statements += getattr(node, block, ())
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            found.update(_files(name))
    return tuple(found)


def _files(module: str) -> list[Path]:
    """Return the files that make up a module of this package, none for other names."""
    top, *parts = module.split(".")
    place = ROOT.joinpath(*parts)
    files = (place.with_suffix(".py"), place / "__init__.py")
    return [file for file in files if top == ROOT.name and file.is_file()]


_BASE: Any = caching.CompileResultCacheImpl


class _StampedByAllReached:
    _py_file: str  # set by every one of numba's locators

    def get_source_stamp(self) -> tuple[Any, str]:
        stamp = super().get_source_stamp()  # type: ignore[misc, unused-ignore]
        return stamp, _digest(Path(self._py_file))


class _Impl(_BASE):  # type: ignore[misc]
    _locator_classes: ClassVar[list[type]] = [
        type(base.__name__, (_StampedByAllReached, base), {}) for base in _BASE._locator_classes
    ]


class _Cache(caching.FunctionCache):
    _impl_class = _Impl


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` in nopython mode; cache it on disk until a source that it uses changes."""
    return _cached(numba.njit(**OPTIONS)(function), function)


def inner_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile like `kernel`, as a part of whatever kernel calls it.

    For what stands in a loop and takes arrays: each is seven arguments of a call.
    """
    return _cached(numba.njit(**OPTIONS, forceinline=True)(function), function)


def exact_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile like `kernel`, but round every product before it is added to something.

    For numbers that must equal another program's to the last bit: contraction rounds once where
    that program rounds twice. It holds for the function's own text, wherever it is compiled into.
    """
    return _cached(numba.njit(**{**OPTIONS, "fastmath": False})(function), function)


def short_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile like `kernel`, but keep the GIL: for what takes less time than letting it go.

    Letting go and taking back costs as much as half a pose, and in a program with another busy
    thread each call could wait for the interpreter's switch interval, 5 ms.
    """
    return _cached(numba.njit(**{**OPTIONS, "nogil": False})(function), function)


def _cached(compiled: Any, function: Callable[P, R]) -> Callable[P, R]:
    if compiled is not function:  # NUMBA_DISABLE_JIT=1 hands the function back
        new_cache: Any = _Cache
        compiled._cache = new_cache(function)
        compiled.get_call_template = _by_kind(compiled.get_call_template)
    return cast("Callable[P, R]", compiled)


def _by_kind(template: Callable[..., Any]) -> Callable[..., Any]:
    """Let a caller's constants count as numbers of their kind.

    numba would compile a kernel anew for every constant that another kernel passes to it, and
    offsets are constants: a third of the target controller's compile time.
    """
    plain: Any = numba.types.unliteral

    def by_kind(args: Any, kws: Any) -> Any:
        return template(tuple(map(plain, args)), {name: plain(kws[name]) for name in kws})

    return by_kind


def entry_point(function: Callable[P, R], signature: Any) -> Callable[P, R]:
    """Compile a kernel for one signature; return its code as a function that looks at nothing.

    It costs half as much to call as the kernel itself and never compiles again. The caller must
    have made sure of dtype and number of axes: other arrays are misread.

    Args:
        function: Made by `kernel`.
        signature: Tuple of numba types.
    """
    compiled: Any = function
    compiled.compile(signature)
    found: Callable[P, R] = compiled.overloads[signature].entry_point
    return found
