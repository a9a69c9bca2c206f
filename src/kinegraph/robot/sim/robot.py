"""The simulated robot as its user sees it."""

import os
import select
import socket
import sys
import threading
import time
from types import TracebackType

from kinegraph.kinematics.announcing import announce_compiling
from kinegraph.robot.argument_checks import check_duration, check_flag, check_host, check_whole
from kinegraph.robot.connection import PORT_MAX
from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.hand.simulated import SimulatedHand
from kinegraph.robot.listening import open_listener
from kinegraph.robot.loop.realtime import PRIORITY_MAX, raise_thread
from kinegraph.robot.sim.arm import READY, SimulatedArm, drive_constants
from kinegraph.robot.sim.codes_layout import R_PLACE
from kinegraph.robot.sim.int_layout import (
    INT_OFFSETS,
    N_enforce,
    N_event_pipe,
    N_lockstep_ms,
    N_max_lost,
    N_socket,
    N_stop,
)
from kinegraph.robot.sim.server import CommandServer
from kinegraph.robot.sim.tool import SimulatedTool, check_tool
from kinegraph.robot.sim.world import SimulatedWorld, joint_numbers
from kinegraph.robot.wire.gripper_tables import GRIPPER
from kinegraph.robot.wire.tables import PROTOCOLS, TCP_PORT
from kinegraph.scene.array_types import Array, VectorLike

INT_MAX = 2**31 - 1
_TRACE_MAX = 10_000_000
_LOCKSTEP_BOUND_S = 86_400.0

__all__ = ["SimulatedRobot"]


class SimulatedRobot(SimulatedWorld):
    """A simulated arm that speaks FCI: TCP commands, UDP states and commands, 1 kHz.

    The arm is rigid bodies with the masses of its description. Gravity is compensated for what the
    robot knows to hang on its flange; `true_load` may be something else. Torques act one cycle
    after they were commanded. The robot's own controllers are joint springs of the set stiffness
    with the inverse dynamics fed forward, for both impedance modes.

    In real time (`realtime=True`) one compiled thread that never needs the interpreter sends a
    state per millisecond. Otherwise nothing moves but by `step`. In lockstep the robot waits, in a
    motion, for each command of its client, so that a slow machine or network loses none.

    One client owns the robot. Another one that comes meanwhile waits half a second for the first
    to leave, and is then refused.

    Use it as a context manager, or call `start` and `stop`.

    Args:
        host: IPv4 address of both sockets; several robots live side by side on 127.0.0.x.
        port: TCP port, 0 for any free one.
        fci: Protocol version, 10 (Franka Research 3) or 5 (Franka Emika Robot).
        urdf: Description in place of the package's; joints `*joint1` to `*joint7`, flange `*link8`.
        q: Joint positions at the start, rad.
        friction: Whether the joints have Coulomb and viscous friction.
        armature: Whether the joints have the inertia of the drives.
        enforce: Whether limits and lost commands lead to a reflex. Collisions always do.
        max_lost: Commands that may be lost in a row before a reflex, less one.
        tool: End effector as Desk would configure it; `F_T_NE`, mass, centre, inertia. None: what
            the description has below the flange (a hand), which is served without its masses and
            with its joints fixed.
        true_load: What really hangs on the flange; None for what the robot knows of.
        realtime: Whether the clock runs by itself.
        lockstep_s: How long a state of a motion waits for its command, 0 for not at all. It is
            25 ms at most before the first command and after one that did not come.
        trace: Newest cycles to keep in memory, see `trace`.
        hand: Whether a simulated hand is served too, at port 1338; see `hand`. Without a `tool` the
            robot is configured for it, as Desk does. `urdf=description_with_hand("fr3")` shows it
            to clients.
        hand_object_width: Width of an object between the hand's fingers, m; None for none.
        model_library: Shared object that version 5 hands out to LoadModelLibrary; empty: none, the
            request is answered with its Error.
        priority: SCHED_FIFO priority of the loop's thread, None for ordinary scheduling.
        cpu: Core that the loop's thread is pinned to, None for any.

    Raises:
        InvalidArgumentError: A value that makes no robot. Also a `ValueError`.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 1337,
        fci: int = 10,
        *,
        urdf: str | None = None,
        q: VectorLike = READY,
        friction: bool = False,
        armature: bool = True,
        enforce: bool = True,
        max_lost: int = 20,
        tool: SimulatedTool | None = None,
        true_load: SimulatedTool | None = None,
        realtime: bool = True,
        lockstep_s: float = 0.0,
        trace: int = 0,
        hand: bool = False,
        hand_object_width: float | None = None,
        model_library: bytes = b"",
        priority: int | None = None,
        cpu: int | None = None,
    ) -> None:
        if not sys.platform.startswith("linux"):
            raise InvalidOperationError("the simulated robot needs Linux")
        if not isinstance(fci, int) or fci not in PROTOCOLS:
            raise InvalidArgumentError(f"fci: {fci!r:.200} is no version; 10 or 5", value=fci)
        check_whole("max_lost", max_lost, 1, INT_MAX)
        check_whole("trace", trace, 0, _TRACE_MAX)
        check_duration("lockstep_s", lockstep_s)
        if lockstep_s >= _LOCKSTEP_BOUND_S:
            raise InvalidArgumentError(f"lockstep_s is {lockstep_s!r:.200}; a day is no wait")
        for name, flag in (
            ("friction", friction),
            ("armature", armature),
            ("enforce", enforce),
            ("realtime", realtime),
            ("hand", hand),
        ):
            check_flag(name, flag)
        for name, load in (("tool", tool), ("true_load", true_load)):
            check_tool(name, load)
        if not isinstance(model_library, bytes):
            raise InvalidArgumentError(f"model_library is no bytes but {model_library!r:.100}")
        check_host("host", host)
        check_whole("port", port, 0, PORT_MAX)
        if priority is not None:
            check_whole("priority", priority, 1, PRIORITY_MAX)
        if cpu is not None:
            check_whole("cpu", cpu, 0, INT_MAX)
        if cpu is not None and cpu not in os.sched_getaffinity(0):
            cores = ", ".join(map(str, sorted(os.sched_getaffinity(0))))
            raise InvalidArgumentError(f"cpu is {cpu!r}; the cores of this process are {cores}")
        self._address = (host, port)
        self._library = model_library
        self._hand = _make_hand(self._address, hand, hand_object_width, realtime)
        super().__init__(SimulatedArm.of(fci, urdf), trace)
        self._arrays = (self._memory.x, self._memory.n, self._memory.datagram)
        self._realtime = realtime
        self._scheduling = (priority, cpu)
        self._server: CommandServer | None = None
        self._loop: threading.Thread | None = None
        self._listener: socket.socket | None = None
        n = self._memory.n
        n[N_enforce], n[N_max_lost] = int(enforce), max_lost
        n[N_lockstep_ms] = round(1000.0 * lockstep_s)
        n[N_event_pipe], n[N_socket] = -1, -1
        for name, values in drive_constants(armature, friction).items():
            self._memory.put(name, values)
        below = SimulatedTool.franka_hand() if hand else self._arm.below
        self._set_tool(tool or below or SimulatedTool())
        self._begin(joint_numbers("q", q), true_load)

    def _set_tool(self, tool: SimulatedTool) -> None:
        self._memory.put("F_T_NE", tool.F_T_NE.ravel(order="F"))
        self._memory.put("ee_load", tool.row())

    def _begin(self, q: Array, true_load: SimulatedTool | None) -> None:
        """Compile what the loop calls and put the arm in place."""
        from kinegraph.robot.sim.codes_layout import MODE_IDLE
        from kinegraph.robot.sim.request_kernels import update_tool

        update_tool(self._memory.x, self._memory.n)
        self._memory.n[INT_OFFSETS["mode"]] = MODE_IDLE
        self._mailbox.ask(R_PLACE, q)
        self.set_true_load(true_load)

    # --- life ----------------------------------------------------------------------------------

    def start(self) -> "SimulatedRobot":
        """Listen, and run the clock if it is to run by itself. Returns the robot.

        Raises:
            NetworkError: The address cannot be bound.
            InvalidOperationError: It runs already.
        """
        if self._server is not None:
            raise InvalidOperationError("the simulated robot runs already")
        self._warm_up()
        listener = open_listener(*self._address)
        if self._hand is not None:
            try:
                self._hand.start()
            except BaseException:
                listener.close()
                raise
        events = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._listener = listener
        self._memory.n[N_event_pipe], self._memory.n[N_stop] = events, 0
        version = self._arm.version
        self._server = CommandServer(
            self._mailbox,
            self._memory,
            PROTOCOLS[version],
            self._arm.urdf,
            listener,
            events,
            self._library,
        )
        if self._realtime:
            self._mailbox.begin()
            self._loop = threading.Thread(target=self._serve, name="sim-loop", daemon=True)
            self._loop.start()
        self._server.start()
        return self

    def stop(self) -> None:
        """Close the connections and end the threads. A stopped robot may be started again."""
        server, self._server = self._server, None
        if server is None:
            return
        if self._hand is not None:
            self._hand.stop()
        server.stop()
        n = self._memory.n
        if self._loop is not None:
            from kinegraph.robot.loop.atomic_kernels import atomic_store

            atomic_store(n, N_stop, 1)
            self._loop.join()
            self._loop = None
            self._mailbox.loop_runs = False
        if self._listener is not None:
            self._listener.close()
        os.close(int(n[N_event_pipe]))
        n[N_event_pipe] = -1

    def __enter__(self) -> "SimulatedRobot":
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def _warm_up(self) -> None:
        """Compile the loop before anybody waits for it: it ends at once when told to stop."""
        from kinegraph.robot.loop.atomic_kernels import atomic_load, atomic_store
        from kinegraph.robot.sim.serve_kernels import collect, patience_ms, serve

        n = self._memory.n
        atomic_store(n, N_stop, 1)
        atomic_load(n, N_stop)
        with announce_compiling("the simulated robot"):
            serve(*self._arrays, -1)
            patience_ms(*self._arrays[:2])
            collect(*self._arrays)

    def _serve(self) -> None:
        from kinegraph.robot.sim.serve_kernels import serve

        raise_thread(*self._scheduling, enforce=False)
        serve(*self._arrays, -1)

    # --- clock by hand -------------------------------------------------------------------------

    def step(self, cycles: int = 1) -> None:
        """Let `cycles` milliseconds pass, each with its state on the wire; for `realtime=False`.

        In lockstep each waits for the command of the state before it.

        Raises:
            InvalidOperationError: The clock runs by itself.
        """
        from kinegraph.robot.sim.serve_kernels import serve

        if self._realtime:
            raise InvalidOperationError("step: the clock of this robot runs by itself")
        for _ in range(cycles):
            self._await_command()
            with self._mailbox.lock:
                serve(*self._arrays, 1)
            if self._hand is not None:
                self._hand.step()

    def _await_command(self) -> None:
        from kinegraph.robot.sim.serve_kernels import collect, patience_ms

        began = time.monotonic()
        while True:
            with self._mailbox.lock:
                collect(*self._arrays)
                patience = 1e-3 * patience_ms(*self._arrays[:2])
                states = int(self._memory.n[N_socket])
            if time.monotonic() - began >= patience:
                return
            poll = select.poll()
            poll.register(states, select.POLLIN)
            poll.poll(5.0)

    # --- what a test or a user may look at -----------------------------------------------------

    @property
    def address(self) -> tuple[str, int]:
        """Address that clients connect to; the port is known after `start`."""
        if self._listener is not None and self._listener.fileno() >= 0:
            host, port = self._listener.getsockname()
            return host, port
        return self._address

    @property
    def hand(self) -> SimulatedHand | None:
        """The simulated hand, None without one; it starts, stops and steps with the robot."""
        return self._hand

    @property
    def has_client(self) -> bool:
        """Whether a client owns the robot."""
        return self._server is not None and self._server.has_client

    def drop_client(self) -> None:
        """Cut the client's TCP connection."""
        if self._server is not None:
            self._server.drop_client()


def _make_hand(
    address: tuple[str, int], wanted: bool, object_width: float | None, realtime: bool
) -> SimulatedHand | None:
    host, port = address
    if not wanted:
        if object_width is not None:
            raise InvalidArgumentError("hand_object_width is given, but no hand")
        return None
    hand_port = port + GRIPPER.tcp_port - TCP_PORT if port else 0
    return SimulatedHand(host, hand_port, object_width=object_width, realtime=realtime)
