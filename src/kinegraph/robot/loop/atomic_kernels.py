"""Ordered loads and stores of single int64 entries, for what two threads share."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj

from kinegraph.kinematics.jit import kernel
from kinegraph.scene.array_types import IntArray

__all__ = ["atomic_add", "atomic_load", "atomic_store", "fence", "load", "store", "swap"]

_ALIGNMENT = 8


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    make_array: Any = arrayobj.make_array
    view = make_array(array_type)(context, builder, array)
    return builder.gep(view.data, [index])


def _load(_typing: Any, array: Any, index: Any) -> Any:
    """`array[index]`; nothing that follows is done before it."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.load_atomic(pointer, "seq_cst", _ALIGNMENT)

    return types.int64(array, types.intp), codegen


def _store(_typing: Any, array: Any, index: Any, value: Any) -> Any:
    """`array[index] = value`; all that precedes is done before it."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        builder.store_atomic(args[2], pointer, "seq_cst", _ALIGNMENT)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.int64), codegen


def _add(_typing: Any, array: Any, index: Any, value: Any) -> Any:
    """`array[index] += value`, at once; the old value is returned."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.atomic_rmw("add", pointer, args[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), codegen


def _swap(_typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write `value` and return what was there, at once."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.atomic_rmw("xchg", pointer, args[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), codegen


def _fence(_typing: Any) -> Any:
    """Neither compiler nor processor moves a load or a store across it."""

    def codegen(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.none(), codegen


def _read_int32(_typing: Any, address: Any) -> Any:
    """Return the int32 at an address."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.load(builder.inttoptr(args[0], ir.IntType(32).as_pointer()))

    return types.int32(types.uintp), codegen


load: Any = intrinsic(_load)
store: Any = intrinsic(_store)
add: Any = intrinsic(_add)
swap: Any = intrinsic(_swap)
fence: Any = intrinsic(_fence)
read_int32: Any = intrinsic(_read_int32)


@kernel
def atomic_load(array: IntArray, index: int) -> int:
    """`array[index]` for Python's side."""
    return load(array, index)  # type: ignore[no-any-return]


@kernel
def atomic_store(array: IntArray, index: int, value: int) -> None:
    """`array[index] = value` for Python's side."""
    store(array, index, value)


@kernel
def atomic_add(array: IntArray, index: int, value: int) -> int:
    """`array[index] += value` for Python's side; returns the old value."""
    return add(array, index, value)  # type: ignore[no-any-return]
