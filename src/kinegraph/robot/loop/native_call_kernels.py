"""Calls of one compiled kernel from another by address.

numba copies the code of a callee into its caller and optimises it there once more, level by level.
A call by address keeps the controller out of the loop's code: each is compiled once, and a loop
over another controller is the same machine code.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj

__all__ = ["RAISED", "call_controller", "call_cycle", "native_address", "numbers_at"]

# What `call_cycle` returns when the callee raised; no controller's own fault.
RAISED = -1_000_000

VECTOR = types.float64[::1]
CYCLE_ARGUMENTS = (VECTOR,) * 6 + (types.int64,) + (VECTOR,) * 2


def native_address(function: Any) -> int:
    """Return the address of a kernel `cycle` as `call_cycle` calls it, compiling it if needed.

    The function must stay alive as long as the address is used.
    """
    function.compile(CYCLE_ARGUMENTS)
    compiled = function.overloads[CYCLE_ARGUMENTS]
    if compiled.signature.return_type != types.int64:
        raise TypeError(f"the kernel returns {compiled.signature.return_type} instead of int64")
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def _call_cycle(
    _typing: Any,
    address: Any,
    options: Any,
    chain: Any,
    arm: Any,
    memory: Any,
    state: Any,
    target: Any,
    flags: Any,
    record: Any,
    torques: Any,
) -> Any:
    """Call a controller's cycle, `cartesian_cycle`, at an address."""

    def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        convention = context.call_conv
        kind = convention.get_function_type(types.int64, CYCLE_ARGUMENTS)
        callee = builder.inttoptr(args[0], kind.as_pointer())
        status, result = convention.call_function(
            builder, callee, types.int64, CYCLE_ARGUMENTS, args[1:]
        )
        raised = ir.Constant(ir.IntType(64), RAISED)
        return builder.select(status.is_error, raised, result)

    return types.int64(types.int64, *CYCLE_ARGUMENTS), codegen


def _call_controller(_typing: Any, address: Any, state: Any, period: Any, out: Any) -> Any:
    """Call `int64 f(double *state, double period, double *out)` at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        make_array: Any = arrayobj.make_array
        double = ir.DoubleType()
        pointer = double.as_pointer()
        kind = ir.FunctionType(ir.IntType(64), [pointer, double, pointer])
        function = builder.inttoptr(args[0], kind.as_pointer())
        data = [make_array(signature.args[i])(context, builder, args[i]).data for i in (1, 3)]
        return builder.call(function, [data[0], args[2], data[1]])

    return types.int64(types.int64, VECTOR, types.float64, VECTOR), codegen


def _numbers_at(_typing: Any, address: Any) -> Any:
    """Take an address for one of float64 numbers."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], ir.DoubleType().as_pointer())

    pointer_to: Any = types.CPointer
    return pointer_to(types.float64)(types.int64), codegen


call_cycle: Any = intrinsic(_call_cycle)
call_controller: Any = intrinsic(_call_controller)
numbers_at: Any = intrinsic(_numbers_at)
