"""Parts of one flat array as arrays of their own, without a cost at run time.

The simulated robot keeps all its numbers in one float64 array, so that its kernels take two
arguments (*measured*: with a tuple of 34 arrays each kernel took three times as long to compile).
Kernels of other folders want arrays; a part is one that points into the flat array, as a slice
would, but without the reference counting.
"""

from typing import Any

from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic, overload
from numba.np import arrayobj as untyped_arrayobj

from kinegraph.scene.array_types import Array

__all__ = ["matrix", "part"]

arrayobj: Any = untyped_arrayobj
cgutils: Any = untyped_cgutils

# Only what counts references may return an array; these have none to count.
COUNTING: Any = {"_nrt": True}


def part(x: Array, at: int, count: int) -> Array:
    """View of `x[at : at + count]`; nothing is checked, and `x` must outlive it."""
    return x[at : at + count]


def matrix(x: Array, at: int, rows: int, columns: int) -> Array:
    """View of `rows` times `columns` numbers from `x[at]` on; nothing is checked."""
    return x[at : at + rows * columns].reshape(rows, columns)


def _view(context: Any, builder: Any, signature: Any, args: Any, shape: list[Any]) -> Any:
    source = arrayobj.make_array(signature.args[0])(context, builder, args[0])
    result = arrayobj.make_array(signature.return_type)(context, builder)
    bytes_each = context.get_constant(types.intp, 8)
    strides = [bytes_each]
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    arrayobj.populate_array(
        result,
        data=builder.gep(source.data, [args[1]]),
        shape=cgutils.pack_array(builder, shape),
        strides=cgutils.pack_array(builder, strides),
        itemsize=bytes_each,
        meminfo=None,
    )
    return result._getvalue()


@intrinsic
def _vector_view(_typing: Any, x: Any, at: Any, count: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _view(context, builder, signature, args, [args[2]])

    return types.Array(types.float64, 1, "C")(x, types.intp, types.intp), codegen


@intrinsic
def _matrix_view(_typing: Any, x: Any, at: Any, rows: Any, columns: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _view(context, builder, signature, args, [args[2], args[3]])

    result = types.Array(types.float64, 2, "C")
    return result(x, types.intp, types.intp, types.intp), codegen


vector_view: Any = _vector_view
matrix_view: Any = _matrix_view


@overload(part, strict=False, jit_options=COUNTING)
def _compiled_part(x: Any, at: Any, count: Any) -> Any:
    return lambda x, at, count: vector_view(x, at, count)


@overload(matrix, strict=False, jit_options=COUNTING)
def _compiled_matrix(x: Any, at: Any, rows: Any, columns: Any) -> Any:
    return lambda x, at, rows, columns: matrix_view(x, at, rows, columns)
