"""The door to the kernels, opened at first use: importing numba costs more than all the rest.

Most kernels are called with arrays that this package made, as attributes of `kernels`. Those in
`ENTRIES` see users' arrays, or are called so often that the dispatcher's look at the arguments
counts: they are compiled for one signature each, are called without that look as attributes of
`entries`, and never start a compilation. Their vectors may have any strides; whoever calls them has
made sure of a float64 vector as `is_float_vector` does.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

__all__ = ["FLOAT", "entries", "is_float_vector", "kernels", "warm_up"]

MODULES = (
    "value_kernels",
    "chain_kernels",
    "chain_plan_kernels",
    "tree_kernels",
    "table_kernels",
    "batch_kernels",
    "inverse_kernels",
    "inverse_target_kernels",
)

# Argument types: a user's vector, our vectors, matrices and poses, our layouts, a length.
ENTRIES = {
    "store_values": "qv",
    "current_pose": "vvm",
    "checked_pose": "vqm",
    "checked_jacobian": "vqm",
    "checked_links": "mlqnp",
}

FLOAT = np.dtype(np.float64)
"""Numbers as kernels take them; numpy has one object for all such arrays."""


def is_float_vector(values: Any) -> bool:
    """Tell whether this is a one-dimensional array of the machine's float64."""
    return type(values) is np.ndarray and values.dtype is FLOAT and values.ndim == 1


class _Kernels:
    """All kernels of this package as attributes; each is made ready when it is first asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        ready = self.__dict__[name] = _find(name)
        return ready


class _Entries:
    """The entries as attributes; each is made ready when it is first called.

    Without `__getattr__`, which would cost every call as much as two of its arguments.
    """

    def __init__(self) -> None:
        for name in ENTRIES:
            setattr(self, name, self._opener(name))

    def _opener(self, name: str) -> Callable[..., Any]:
        def opener(*arguments: Any) -> Any:
            ready = _entry(name)
            setattr(self, name, ready)
            return ready(*arguments)

        return opener

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def _find(name: str) -> Any:
    for module_name in MODULES:
        module = import_module(f"kinegraph.kinematics.{module_name}")
        if name in module.__all__:
            return getattr(module, name)
    raise AttributeError(f"there is no kernel {name!r}")


def _entry(name: str) -> Any:
    found = _find(name)
    if not hasattr(found, "py_func"):  # NUMBA_DISABLE_JIT
        return found
    from numba import float64, int64, types

    from kinegraph.kinematics.jit import entry_point

    kinds = {
        "q": types.Array(float64, 1, "A"),
        "v": types.Array(float64, 1, "C"),
        "m": types.Array(float64, 2, "C"),
        "l": types.Array(int64, 2, "C"),
        "p": types.Array(float64, 3, "C"),
        "n": int64,
    }
    return entry_point(found, tuple(kinds[kind] for kind in ENTRIES[name]))


kernels = _Kernels()
entries = _Entries()


def warm_up() -> None:
    """Load or compile all kernels: chains, trees, edits, batches, inverse kinematics, dynamics.

    For programs with a loop: nothing is compiled afterwards. The first time on a machine this
    takes about half a minute, later about a second.
    """
    from kinegraph.kinematics.warming import touch_all

    touch_all()
