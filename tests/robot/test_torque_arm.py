"""The Cartesian controller on arms that are no Franka, in stepped time."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from other_arms import ARMS, described, start_of

from kinegraph.robot.control import CARTESIAN, CartesianOptions, ImpedanceOptions, RobotController
from kinegraph.robot.control.records import records_from_rows
from kinegraph.robot.control.targets import CartesianTargets
from kinegraph.robot.errors import ControlError, InvalidArgumentError, InvalidOperationError
from kinegraph.robot.torque_arm import ArmControl, ArmState, SimulatedArm, cartesian_law, session
from kinegraph.robot.torque_arm.arm_cycles import TORQUES
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

WIDE = 10.0  # m and rad: the deviation guard stays out of it


def simulated(arm: str, **given: object) -> tuple[SimulatedArm, ArmControl]:
    """An arm at its start, and what controls it."""
    description = described(arm)
    plant = SimulatedArm(description, start_of(arm), **given)  # type: ignore[arg-type]
    return plant, ArmControl(plant, description)


def plain(arm: str) -> CartesianOptions:
    """The reference's law: springs and dampers only."""
    law = cartesian_law(described(arm).table, CARTESIAN)
    return CartesianOptions(backend=law, max_deviation=WIDE, max_angular_deviation=WIDE)


def torques_of(targets: CartesianTargets, n: int) -> Array:
    """The torques of all cycles, (cycles, n)."""
    return targets.cycles().read()[0][:, TORQUES : TORQUES + n]


@pytest.mark.parametrize("arm", ARMS)
def test_a_step_stays_in_its_budgets_and_lands(arm: str) -> None:
    plant, control = simulated(arm)
    table = plant.table
    with control.cartesian_targets(pace="stepped") as targets:
        start = targets.target()
        assert targets.move_to(start + np.array([0.03, 0.03, 0.02]))
        targets.set_position(start)
        assert targets.wait()
        control.step(2000)
        assert max(targets.distance()) < 1e-3
        rows, lost = targets.records().read()
        torques = torques_of(targets, table.n)
    records = records_from_rows(rows, table.n)
    assert lost == 0
    speeds = np.linalg.norm(records["velocity"], axis=1)
    changes = np.linalg.norm(records["acceleration"], axis=1)
    jerks = np.linalg.norm(np.diff(records["acceleration"], axis=0), axis=1) / 1e-3
    assert 0.02 < speeds.max() <= 0.3 + 1e-9
    assert changes.max() <= 0.5 + 1e-9
    assert jerks.max() <= 20.0 + 1e-6
    assert (np.abs(torques) <= table.torque_limits).all()
    assert np.abs(np.diff(torques, axis=0)).max() <= 1.0
    assert np.abs(records["dq_goal"]).max() <= table.max_joint_velocity.max()
    assert plant.is_braked


@pytest.mark.parametrize("arm", ARMS)
def test_a_push_moves_the_arm_as_its_springs_say(arm: str) -> None:
    """Joint springs add to those of the tip: dq = (J^T Kx J + Kq)^-1 J^T f."""
    plant, control = simulated(arm, damping=2.0)
    options = plain(arm)
    law = options.backend
    assert isinstance(law, ImpedanceOptions)
    pose, jacobian = described(arm).chain.pose_and_jacobian(start_of(arm))
    springs = jacobian.T @ np.diag(law.gains.cartesian_stiffness) @ jacobian
    springs += np.diag(law.gains.joint_stiffness)
    force = np.array([3.0, -2.0, 4.0, 0.0, 0.0, 0.0])
    expected = (jacobian @ np.linalg.solve(springs, jacobian.T @ force))[:3]
    with control.cartesian_targets(options, pace="stepped") as targets:
        plant.push(force)
        control.step(5000)
        moved = targets.measured_pose().translation - pose[:3, 3]
        plant.push()
        control.step(5000)
        assert np.abs(plant.q - start_of(arm)).max() < 5e-4
    assert moved == pytest.approx(expected, abs=0.05 * np.abs(expected).max())


def test_six_joints_have_one_way_back() -> None:
    plant, control = simulated("ur5")
    with control.cartesian_targets(plain("ur5"), pace="stepped") as targets:
        start = targets.target_pose()
        targets.move_by([0.05, -0.1, 0.05, 0.1, 0.2, 0.3])
        control.step(3000)
        there = plant.q
        targets.set_pose(start)
        control.step(4000)
    assert np.abs(there - start_of("ur5")).max() > 0.05
    assert np.abs(plant.q - start_of("ur5")).max() < 2e-3


def test_an_arm_whose_torques_hold_its_weight_moves_as_one_that_holds_itself() -> None:
    ways = []
    for holds_itself in (True, False, False):
        plant, control = simulated("iiwa", holds_itself=holds_itself)
        with control.cartesian_targets(pace="stepped") as targets:
            targets.move_by([0.0, 0.05, 0.03])
            control.step(600)
            ways.append(plant.q)
            weight = torques_of(targets, 7)[0]
    assert ways[0] == pytest.approx(ways[1], abs=1e-9)
    assert np.array_equal(ways[1], ways[2])  # a stepped run repeats itself to the last bit
    assert np.abs(weight).max() > 30.0


@settings(max_examples=12, deadline=None)
@given(
    arm=st.sampled_from(ARMS),
    steps=st.lists(st.tuples(*[st.floats(-0.6, 0.6)] * 6), min_size=1, max_size=5),
    wrench=st.tuples(*[st.floats(-40.0, 40.0)] * 6),
    cycles=st.integers(1, 250),
)
def test_no_targets_and_pushes_break_a_bound(
    arm: str, steps: list[tuple[float, ...]], wrench: tuple[float, ...], cycles: int
) -> None:
    """Out of reach, reversed, singular: torques stay in clamp and rate, joints in their limits."""
    plant, control = simulated(arm, friction=0.2)
    table = plant.table
    with control.cartesian_targets(plain(arm), pace="stepped") as targets:
        for k, step in enumerate(steps):
            targets.move_by(step)
            plant.push(wrench if k % 2 else (0.0,) * 6)
            control.step(cycles)
            assert (plant.q > table.lower).all()
            assert (plant.q < table.upper).all()
        plant.push()
        torques = torques_of(targets, table.n)
        records = records_from_rows(targets.records().read()[0], table.n)
    assert np.isfinite(torques).all()
    assert (np.abs(torques) <= table.torque_limits).all()
    assert np.abs(np.diff(torques, axis=0)).max(initial=0.0) <= 1.0
    assert (np.linalg.norm(records["velocity"], axis=1) <= 0.3 + 1e-9).all()
    assert (records["q_goal"] >= table.lower).all()
    assert (records["q_goal"] <= table.upper).all()


def test_the_session_ends_when_the_arm_strays() -> None:
    plant, control = simulated("ur5")
    options = replace(plain("ur5"), max_deviation=0.02)
    targets = control.cartesian_targets(options, pace="stepped")
    plant.push([80.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    control.step(500)
    plant.push()
    with pytest.raises(ControlError, match="strayed"):
        targets.stop()
    assert plant.is_braked


class Faulty(SimulatedArm):
    """An arm of which one thing goes wrong in one cycle."""

    fault, at, reads = "", 10, 0
    released = threading.Event()

    def read(self) -> ArmState:
        """Return the state, or what is wrong."""
        self.reads += 1
        state = super().read()
        if self.reads == self.at and self.fault == "raises":
            raise OSError("the cable is out")
        if self.reads == self.at and self.fault == "hangs":
            self.released.wait(30.0)
        if self.reads == self.at and self.fault == "nan":
            return replace(state, dq=np.full(6, np.nan))
        if self.reads == self.at and self.fault == "short":
            return replace(state, q=state.q[:5])
        return state


@pytest.mark.parametrize(
    ("fault", "says"),
    [("raises", "the cable is out"), ("nan", "not finite"), ("short", r"shapes \(5,\)")],
)
def test_what_an_arm_does_wrong_ends_the_session_and_stops_the_arm(fault: str, says: str) -> None:
    arm = Faulty(described("ur5"), start_of("ur5"))
    arm.fault = fault
    control = ArmControl(arm, described("ur5"))
    targets = control.cartesian_targets(pace="stepped")
    with pytest.raises(ControlError, match=says) as caught:
        control.step(100)
    assert arm.reads == arm.at
    assert arm.is_braked
    assert not targets.is_running
    assert isinstance(caught.value.__cause__, OSError) == (fault == "raises")
    with pytest.raises(ControlError, match=says):
        targets.stop()
    with pytest.raises(InvalidOperationError, match="ended"):
        targets.set_position([0.0, 0.0, 0.0])


def test_one_session_at_a_time_and_another_after_it() -> None:
    _, control = simulated("ur5")
    with pytest.raises(InvalidOperationError, match="no session"):
        control.step()
    with control.cartesian_targets(pace="stepped") as first:
        with pytest.raises(InvalidOperationError, match="runs on the arm already"):
            control.cartesian_targets(pace="stepped")
        first.move_by([0.0, 0.01, 0.0])
    landed = described("ur5").tip_pose(control.arm.read().q).translation
    assert landed == pytest.approx(first.target(), abs=2e-3)
    with control.cartesian_targets(pace="stepped") as second:
        assert second.cycle_count == 1


def test_leaving_by_an_exception_stops_the_arm_at_once() -> None:
    plant, control = simulated("ur5")
    targets = control.cartesian_targets(pace="stepped")

    def program() -> None:
        with targets:
            targets.move_by([0.0, 0.1, 0.0])
            control.step(300)
            raise KeyError("the program's own")

    with pytest.raises(KeyError):
        program()
    assert plant.is_braked
    assert not targets.is_running


def test_options_that_an_arm_cannot_use_are_refused() -> None:
    plant, control = simulated("ur5")
    with pytest.raises(InvalidArgumentError, match=r"gains.joint_stiffness: shape \(7,\)"):
        control.cartesian_targets(CartesianOptions(), pace="stepped")
    with pytest.raises(InvalidArgumentError, match="no controller of its own"):
        control.cartesian_targets(CartesianOptions(backend=RobotController()), pace="stepped")
    with pytest.raises(InvalidArgumentError, match="pace"):
        control.cartesian_targets(pace="fast")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="no TorqueArm, it has no table, torque_rate"):
        ArmControl(object(), described("ur5"))  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="6 joints"):
        ArmControl(plant, described("iiwa"))
    with pytest.raises(InvalidArgumentError, match="torques: entry 2"):
        plant.send([0.0, 0.0, np.nan, 0.0, 0.0, 0.0])


def test_an_arm_that_fails_or_hangs_at_the_start_is_told_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arm = Faulty(described("ur5"), start_of("ur5"))
    control = ArmControl(arm, described("ur5"))
    arm.fault, arm.at = "raises", 1
    with pytest.raises(ControlError, match="the cable is out"):
        control.cartesian_targets(plain("ur5"))
    monkeypatch.setattr(session, "_START_S", 0.1)
    arm.fault, arm.reads = "hangs", -1
    with pytest.raises(ControlError, match=r"no state within 0\.1 s"):
        control.cartesian_targets(plain("ur5"))
    arm.released.set()


@pytest.mark.parametrize("pace", ["clock", "arm"])
def test_a_session_with_a_thread_of_its_own_lands_and_stops(pace: str) -> None:
    plant, control = simulated("ur5")
    with control.cartesian_targets(pace=pace) as targets:  # type: ignore[arg-type]
        assert targets.move_to(targets.target() + np.array([0.0, 0.0, 0.01]))
        with pytest.raises(InvalidOperationError, match="stepped"):
            control.step()
        count = targets.cycle_count
    assert count > 50
    assert plant.is_braked
    rows, lost = targets.cycles().read()
    assert lost == 0 or pace == "arm"  # which runs as fast as it can, over the ring's end
    assert len(rows) > 50
