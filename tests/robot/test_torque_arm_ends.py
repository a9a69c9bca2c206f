"""What sessions on arms share with those of a robot: their ends, an event loop, guards."""

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from other_arms import described, start_of

from kinegraph.robot.control import CartesianOptions, CartesianSent
from kinegraph.robot.errors import ControlError
from kinegraph.robot.torque_arm import ArmControl, ArmState, SimulatedArm, cartesian_law

pytestmark = pytest.mark.compiled

SUPPORT = Path(__file__).parents[1] / "support"
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from other_arms import described, start_of
from kinegraph.robot.torque_arm import ArmControl, SimulatedArm

class Told(SimulatedArm):
    def stop(self):
        super().stop()
        print("stopped", self.is_braked, flush=True)

control = ArmControl(Told(described("ur5"), start_of("ur5")), described("ur5"))
targets = control.cartesian_targets()
targets.move_by([0.0, 0.1, 0.0])
print("moving", targets.is_running, flush=True)
"""


def test_an_interpreter_that_exits_stops_the_arm() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, str(SUPPORT)],
        capture_output=True,
        text=True,
        timeout=300.0,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["moving True", "stopped True"]


def test_a_forked_child_has_no_session() -> None:
    arm = SimulatedArm(described("ur5"), start_of("ur5"))
    with ArmControl(arm, described("ur5")).cartesian_targets() as targets:
        pid = os.fork()
        if pid == 0:
            os._exit(7 if targets.is_running else 0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert targets.is_running
    assert arm.is_braked


def test_an_event_loop_goes_on_while_a_stepped_arm_moves() -> None:
    arm = SimulatedArm(described("ur5"), start_of("ur5"))
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.0)

    async def move() -> bool:
        ticking = asyncio.create_task(tick())
        goal = targets.target() + np.array([0.0, 0.02, 0.0])
        arrived = await targets.move_to_async(goal)
        ticking.cancel()
        return arrived

    with ArmControl(arm, described("ur5")).cartesian_targets(pace="stepped") as targets:
        assert asyncio.run(move())
    assert ticks > 50


def test_guards_and_observers_serve_nine_joints() -> None:
    arm, seen = SimulatedArm(described("rail"), start_of("rail")), []
    control = ArmControl(arm, described("rail"))
    law = cartesian_law(described("rail").table)

    def note(state: ArmState, record: CartesianSent) -> None:
        seen.append((state, record))

    options = CartesianOptions(backend=law, max_target_age_s=0.2, observer=note)
    targets = control.cartesian_targets(options, pace="stepped")
    targets.move_by([0.0, 0.01, 0.0])
    assert not control.step(1000)
    with pytest.raises(ControlError, match="max_target_age_s"):
        targets.stop()
    assert targets.state().q.shape == (9,)
    assert len(seen) == targets.cycle_count
    assert seen[-1][0].dq.shape == seen[-1][1].q_goal.shape == (9,)
    before = arm.q
    with control.cartesian_targets(replace(options, dry_run=True), pace="stepped") as dry:
        control.step(100)
        assert dry.cycle_count > 100
    assert np.array_equal(arm.q, before)
