"""Loads and stores of unaligned little-endian numbers in a buffer of bytes.

A datagram is packed, so that its numbers stand at odd addresses. The compiled form is one machine
instruction that allows for that; the uncompiled form (`NUMBA_DISABLE_JIT=1`) goes through `struct`.
"""

import struct
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

__all__ = [
    "load_f4",
    "load_f8",
    "load_u4",
    "load_u8",
    "store_f4",
    "store_f8",
    "store_u4",
    "store_u8",
]

_COMPILED = not getattr(numba.config, "DISABLE_JIT", 0)
_F4, _F8, _U4, _U8 = ir.FloatType(), ir.DoubleType(), ir.IntType(32), ir.IntType(64)


def _address(context: Any, builder: Any, signature: Any, args: Any, kind: Any) -> Any:
    new_view: Any = make_array
    array = new_view(signature.args[0])(context, builder, args[0])
    place = builder.gep(array.data, [args[1]], source_etype=ir.IntType(8))
    return builder.bitcast(place, kind.as_pointer())


def _loader(kind: Any, widen: Any, result: Any) -> Any:
    def load(typing_context: Any, buffer: Any, at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place = _address(context, builder, signature, args, kind)
            value = builder.load(place, align=1, typ=kind)
            return value if widen is None else widen(builder, value)

        return result(buffer, types.intp), generate

    return intrinsic(load)


def _storer(kind: Any, narrow: Any, taken: Any) -> Any:
    def store(typing_context: Any, buffer: Any, at: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place = _address(context, builder, signature, args, kind)
            value = args[2] if narrow is None else narrow(builder, args[2])
            builder.store(value, place, align=1)
            return context.get_dummy_value()

        return types.void(buffer, types.intp, taken), generate

    return intrinsic(store)


def _unpacker(code: str) -> Callable[[Any, int], Any]:
    form = struct.Struct(code)
    return lambda buffer, at: form.unpack_from(buffer, at)[0]


def _packer(code: str, cast: Callable[[Any], Any]) -> Callable[[Any, int, Any], None]:
    form = struct.Struct(code)
    return lambda buffer, at, value: form.pack_into(buffer, at, cast(value))


load_f4: Any  # (bytes, at) -> float64, from binary32
load_f8: Any
load_u4: Any  # -> int64
load_u8: Any  # -> int64; the ids of a robot stay far below 2^63
store_f4: Any  # (bytes, at, float64), rounded to binary32
store_f8: Any
store_u4: Any
store_u8: Any
if _COMPILED:
    load_f4 = _loader(_F4, lambda b, v: b.fpext(v, _F8), types.float64)
    load_f8 = _loader(_F8, None, types.float64)
    load_u4 = _loader(_U4, lambda b, v: b.zext(v, _U8), types.int64)
    load_u8 = _loader(_U8, None, types.int64)
    store_f4 = _storer(_F4, lambda b, v: b.fptrunc(v, _F4), types.float64)
    store_f8 = _storer(_F8, None, types.float64)
    store_u4 = _storer(_U4, lambda b, v: b.trunc(v, _U4), types.int64)
    store_u8 = _storer(_U8, None, types.int64)
else:
    load_f4, load_f8 = _unpacker("<f"), _unpacker("<d")
    load_u4, load_u8 = _unpacker("<I"), _unpacker("<q")
    store_f4, store_f8 = _packer("<f", float), _packer("<d", float)
    store_u4, store_u8 = _packer("<I", int), _packer("<q", int)
