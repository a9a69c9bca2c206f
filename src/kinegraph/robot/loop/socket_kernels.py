"""The system calls of the loop, reached without the interpreter.

The symbols are libc's. The compiled code refers to them by name, so it can be cached on disk.
Linux only: eventfd, the layout of `pollfd`, `timespec` and `sockaddr_in` as there.
"""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.loop.atomic_kernels import read_int32, swap
from kinegraph.robot.loop.libc_kernels import (
    libc_clock_gettime,
    libc_errno_location,
    libc_poll,
    libc_read,
    libc_recvfrom,
    libc_sendto,
    libc_write,
)
from kinegraph.robot.loop.loop_layout import (
    B_UDP_FD,
    B_WAKE_FD,
    I_ADDRESS,
    I_ADDRESS_LENGTH,
    I_COUNT,
    I_ONE,
    I_PEER,
    I_POLL,
    I_TIME,
    WAITERS,
)
from kinegraph.scene.array_types import ByteArray, IntArray

__all__ = ["errno", "monotonic_ns", "notify", "receive", "send", "wait_readable"]

EINTR = 4
EAGAIN = 11
CLOCK_MONOTONIC = 1
POLLIN = 1
MSG_DONTWAIT = 0x40
MSG_NOSIGNAL = 0x4000
SOCKADDR_BYTES = 16


@kernel
def errno() -> int:
    """Error number of this thread's last failed call."""
    number: int = read_int32(libc_errno_location())
    return number


@kernel
def monotonic_ns(io: IntArray) -> int:
    """CLOCK_MONOTONIC in ns, the clock of `time.monotonic_ns`."""
    libc_clock_gettime(CLOCK_MONOTONIC, io.ctypes.data + 8 * I_TIME)
    seconds: int = io[I_TIME]
    rest: int = io[I_TIME + 1]
    return seconds * 1_000_000_000 + rest


@kernel
def wait_readable(block: IntArray, io: IntArray, timeout_ms: int) -> int:
    """Wait for a datagram or for a wake-up, which is taken off.

    Args:
        block: The loop's block.
        io: Its system call structures.
        timeout_ms: Longest wait, ms.

    Returns:
        1 when a datagram is there, 0 when not, or the negative error number.
    """
    io[I_POLL] = block[B_UDP_FD] | (POLLIN << 32)
    io[I_POLL + 1] = block[B_WAKE_FD] | (POLLIN << 32)
    ready = libc_poll(io.ctypes.data + 8 * I_POLL, 2, timeout_ms)
    if ready < 0:
        number = errno()
        return 0 if number == EINTR else -number
    if io[I_POLL + 1] >> 48:
        libc_read(block[B_WAKE_FD], io.ctypes.data + 8 * I_COUNT, 8)
    return 1 if io[I_POLL] >> 48 else 0


@kernel
def receive(block: IntArray, io: IntArray, datagram: ByteArray) -> int:
    """Take one datagram off the socket without waiting.

    Returns:
        Its length (at most the buffer's), or -1 when none is there, or another negative error
        number less one. The sender is left in `io`.
    """
    io[I_ADDRESS_LENGTH] = SOCKADDR_BYTES
    base = io.ctypes.data
    length: int = libc_recvfrom(
        block[B_UDP_FD],
        datagram.ctypes.data,
        datagram.size,
        MSG_DONTWAIT,
        base + 8 * I_ADDRESS,
        base + 8 * I_ADDRESS_LENGTH,
    )
    if length >= 0:
        return length
    number = errno()
    return -1 if number in (EAGAIN, EINTR) else -number - 1


@kernel
def send(block: IntArray, io: IntArray, packet: ByteArray, length: int) -> int:
    """Send a command to where the states come from.

    Returns:
        0, or the error number.
    """
    sent = libc_sendto(
        block[B_UDP_FD],
        packet.ctypes.data,
        length,
        MSG_DONTWAIT | MSG_NOSIGNAL,
        io.ctypes.data + 8 * I_PEER,
        SOCKADDR_BYTES,
    )
    return 0 if sent >= 0 else errno()


@kernel
def notify(io: IntArray, waiters: IntArray) -> None:
    """Wake every thread that has asked for it; each is woken once."""
    for i in range(WAITERS):
        if waiters[i] >= 0:
            fd = swap(waiters, i, -1)
            if fd >= 0:
                libc_write(fd, io.ctypes.data + 8 * I_ONE, 8)
