"""A target controller as a session of the loop: targets in, records out."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from kinegraph.kinematics.announcing import announce_compiling
from kinegraph.robot.control.guards.session_guards import SessionGuards
from kinegraph.robot.control.target_form import CARTESIAN_FORM, TargetForm
from kinegraph.robot.control.tuning.live_tuning import LiveTuning
from kinegraph.robot.errors import ControlError, FrankaError, InvalidArgumentError
from kinegraph.robot.loop.atomic_kernels import atomic_load, atomic_store
from kinegraph.robot.loop.loop_layout import (
    B_CHAIN_ACTIVE,
    B_CHAIN_IN_USE,
    B_PHASE,
    MOTION_SIZE,
    PHASE_RUNNING,
    W_DRY_RUN,
    W_MAX_AGE,
    W_STALE,
    WATCH_SIZE,
    LoopMemory,
    TargetMemory,
    rehearsal,
)
from kinegraph.robot.loop.native_call_kernels import RAISED, native_address
from kinegraph.robot.loop.rings import Ring, TargetSlot
from kinegraph.robot.loop.target_session_kernels import answer_state, target_session
from kinegraph.robot.loop.waiting import Waiters
from kinegraph.robot.wire.state_layout import STATE_FIELDS
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["TargetController"]

# Rows that the rings keep: 16 s of records, 4 s of states for an observer.
RECORD_ROWS = 16384
OBSERVED_ROWS = 4096
# Cycles on copies before the first one.
REHEARSALS = 3
# By the codes that the controllers share, see `cartesian_kernels`.
FAULTS = {
    -1: "the joint positions, velocities or the load of the state are not finite",
    -2: "the state's O_T_EE or O_T_EE_c is no pose",
    -3: "chain, arm and options disagree about the number of joints",
    -4: "the law gave a torque that is not finite",
}
NOT_TUNED = "its controller has none of what can be tuned"
# Numbers that a chain may have at least, so that longer tools can be put on.
CHAIN_ROOM = 4096
# Longest wait for the loop to take over a chain.
_TAKE_S = 1.0


class TargetController:
    """Runs a compiled cycle in the loop.

    The chain may be replaced while the loop runs; the loop takes the new one over at the edge of a
    cycle. Targets are checked by the caller.

    Args:
        options: Packed options of the controller.
        chain: Packed chain from the base to the tip.
        arm: Packed dynamics of the arm.
        memory: The controller's memory, prepared for a new session.
        waiters: Of the loop that will run it.
        form: Of its targets and records.
        explain: Says what a negative answer of the controller means.
        cycle: Kernel with the signature of `cartesian_cycle`; None for the form's own.
        record_rows: Records that the ring keeps.
        tuning: What of the options may be tuned while the session runs; None: nothing.
        guards: What the loop watches beside the controller; None: nothing.

    Attributes:
        form: As given.
        slot: Newest target, of the form.
        records: Ring of the controller's records.
        tuning: As given, or one that refuses.
        guards: As given, or none.
        observed: Ring of the states that were answered; without room if nobody observes.
    """

    def __init__(
        self,
        options: Array,
        chain: Array,
        arm: Array,
        memory: Array,
        waiters: Waiters,
        *,
        form: TargetForm = CARTESIAN_FORM,
        explain: Callable[[int], FrankaError] | None = None,
        cycle: Any = None,
        record_rows: int = RECORD_ROWS,
        tuning: LiveTuning | None = None,
        guards: SessionGuards | None = None,
    ) -> None:
        self.form = form
        self.slot = TargetSlot(form.target_size)
        self.records = Ring(record_rows, form.record_fields)
        self.tuning = LiveTuning(0, None, NOT_TUNED) if tuning is None else tuning
        self.guards = SessionGuards() if guards is None else guards
        rows = 0 if self.guards.observer is None else OBSERVED_ROWS
        self.observed = Ring(rows, STATE_FIELDS)
        self._explain = explain
        self._waiters = waiters
        self._cycle = cycle
        self._address = 0
        self._block: IntArray | None = None
        self._replacing = threading.Lock()
        room = max(CHAIN_ROOM, 2 * chain.size)
        self.extra = TargetMemory(
            sequence=self.slot.sequence,
            slot=self.slot.values,
            fresh=np.zeros(form.target_size),
            target=np.zeros(form.target_size),
            chain_0=np.zeros(room),
            chain_1=np.zeros(room),
            options=options,
            arm=arm,
            memory=memory,
            anchor=np.array([form.anchor_at, form.anchor_size]),
            record=np.zeros(form.record_size),
            records=self.records.data,
            records_head=self.records.head,
            tuning_sequence=self.tuning.slot.sequence,
            tuning_slot=self.tuning.slot.values,
            tuning=self.tuning.row,
            watch=np.zeros(WATCH_SIZE, dtype=np.int64),
            observed=self.observed.data,
            observed_head=self.observed.head,
        )
        self.extra.chain_0[: chain.size] = chain
        self.extra.watch[W_MAX_AGE] = self.guards.max_age_cycles
        self.extra.watch[W_DRY_RUN] = self.guards.dry_run

    @property
    def ran_stale(self) -> bool:
        """Whether a target became older than the session allows."""
        return bool(self.extra.watch[W_STALE])

    def prepare(self, memory: LoopMemory) -> None:
        """Compile the loop and the controller; take the newest chain as the first."""
        with announce_compiling("the target controller"):
            self._address = self.address()
            target_session(rehearsal(memory), self.extra, self._address)
            self._rehearse(memory)
        self.attach(memory.block)

    def _rehearse(self, memory: LoopMemory) -> None:
        """Run some cycles on copies: the first one in the loop is to find all in its place."""
        extra, block, state = self.copies(), memory.block.copy(), memory.state.copy()
        block[B_CHAIN_ACTIVE] = block[B_CHAIN_IN_USE] = 0
        out = np.zeros(MOTION_SIZE)  # room for torques or a motion
        for _ in range(REHEARSALS):
            answer_state(block, extra, self._address, state, out)

    def copies(self) -> TargetMemory:
        """Return memory to rehearse on, apart from the session's."""
        kept = self.extra
        large = {"records": np.zeros(kept.record.size), "observed": np.zeros(0)}
        copies = {name: getattr(kept, name).copy() for name in kept._fields if name not in large}
        return kept._replace(**copies, **large)

    def address(self) -> int:
        """Return the address of the controller's cycle, compiled if it was not yet."""
        if self._cycle is None:
            self._cycle = self.form.load_cycle()
        return native_address(self._cycle)

    def attach(self, block: IntArray) -> None:
        """Belong to the loop with this block from now on; take the newest chain as the first."""
        with self._replacing:
            if self._block is not None and self._block[B_CHAIN_ACTIVE] == 1:
                self.extra.chain_0[:] = self.extra.chain_1
            self._block = block
            block[B_CHAIN_ACTIVE] = block[B_CHAIN_IN_USE] = 0

    def run(self, memory: LoopMemory) -> int:
        """Run the loop and return its end code."""
        return int(target_session(memory, self.extra, self._address))

    def explain(self, fault: int) -> FrankaError:
        """Return the error that a negative answer of the controller stands for."""
        if fault == RAISED:
            return ControlError(f"the {self.form.name} controller raised an exception", fault=fault)
        if self._explain is not None:
            return self._explain(fault)
        reason = FAULTS.get(fault, f"fault {fault}")
        return ControlError(f"the {self.form.name} controller gave up: {reason}", fault=fault)

    def replace_chain(self, chain: Array) -> None:
        """Give the loop another chain; it is in use from the next cycle on.

        Args:
            chain: Packed chain with the same columns of values.

        Raises:
            InvalidArgumentError: Other columns, or longer than there is room for.
            ControlError: The loop did not take the chain before this one over within a second.
        """
        extra = self.extra
        if chain[0] != extra.chain_0[0]:
            raise InvalidArgumentError(
                f"the new chain has {chain[0]:.0f} columns of values instead of "
                f"{extra.chain_0[0]:.0f}"
            )
        if chain.size > extra.chain_0.size:
            raise InvalidArgumentError(
                f"the new chain has {chain.size} numbers, there is room for {extra.chain_0.size}"
            )
        with self._replacing:
            if self._block is None:
                extra.chain_0[: chain.size] = chain
                return
            self._swap(self._block, chain)

    def _swap(self, block: IntArray, chain: Array) -> None:
        def free() -> bool:
            running = atomic_load(block, B_PHASE) == PHASE_RUNNING
            return not running or bool(
                atomic_load(block, B_CHAIN_IN_USE) == atomic_load(block, B_CHAIN_ACTIVE)
            )

        if not self._waiters.wait(free, _TAKE_S):
            raise ControlError("the loop has not taken over the previous change of the chain")
        active = int(block[B_CHAIN_ACTIVE])
        row = self.extra.chain_0 if active == 1 else self.extra.chain_1
        row[: chain.size] = chain
        atomic_store(block, B_CHAIN_ACTIVE, 1 - active)
