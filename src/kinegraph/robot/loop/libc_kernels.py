"""libc's calls as compiled code reaches them: by name, so that what uses them can be cached.

Addresses go over as plain numbers (`array.ctypes.data`). Linux only.
"""

from typing import Any

from numba import types

__all__ = [
    "libc_clock_gettime",
    "libc_clock_nanosleep",
    "libc_errno_location",
    "libc_poll",
    "libc_read",
    "libc_recv",
    "libc_recvfrom",
    "libc_send",
    "libc_sendto",
    "libc_write",
]

libc_poll: Any = types.ExternalFunction("poll", types.int32(types.uintp, types.uint64, types.int32))
libc_write: Any = types.ExternalFunction("write", types.intp(types.int32, types.uintp, types.uintp))
libc_recv: Any = types.ExternalFunction(
    "recv", types.intp(types.int32, types.uintp, types.uintp, types.int32)
)
libc_send: Any = types.ExternalFunction(
    "send", types.intp(types.int32, types.uintp, types.uintp, types.int32)
)
libc_clock_nanosleep: Any = types.ExternalFunction(
    "clock_nanosleep", types.int32(types.int32, types.int32, types.uintp, types.uintp)
)
libc_clock_gettime: Any = types.ExternalFunction(
    "clock_gettime", types.int32(types.int32, types.uintp)
)
libc_read: Any = types.ExternalFunction("read", types.intp(types.int32, types.uintp, types.uintp))
libc_recvfrom: Any = types.ExternalFunction(
    "recvfrom",
    types.intp(types.int32, types.uintp, types.uintp, types.int32, types.uintp, types.uintp),
)
libc_sendto: Any = types.ExternalFunction(
    "sendto",
    types.intp(types.int32, types.uintp, types.uintp, types.int32, types.uintp, types.uint32),
)
libc_errno_location: Any = types.ExternalFunction("__errno_location", types.uintp())
