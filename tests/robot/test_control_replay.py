"""Records computed again from the states that their cycles answered, by the public functions."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from control_rig import (
    HAND_LOAD,
    READY,
    PlantRig,
    chain_of,
    dynamics_of,
    moved_limits,
    target_row,
    turn,
)
from robot_addresses import fresh_address

from kinegraph.kinematics import plan_chain, plan_dynamics
from kinegraph.robot import InvalidArgumentError, Robot, SceneRobot, SimulatedRobot, read_run
from kinegraph.robot.control import (
    CARTESIAN,
    FER,
    FR3,
    CartesianOptions,
    MotionLimits,
    ReplayedRecords,
    records_from_rows,
    replay_records,
    step_pose,
)

pytestmark = pytest.mark.compiled

QUICK = CartesianOptions(
    limits=MotionLimits(1.0, 8.0, 400.0),
    rotation_limits=MotionLimits(4.0, 20.0, 500.0),
    max_deviation=10.0,
    max_angular_deviation=10.0,
)
REFERENCE = replace(QUICK, backend=CARTESIAN)


@dataclass
class Witness(PlantRig):
    """A plant whose controller's states are kept."""

    states: list[np.ndarray] = field(default_factory=list)

    def cycle(self, stop: bool = False, flags: int = 0) -> int:
        code = super().cycle(stop, flags)
        self.states.append(self.state.copy())
        return code

    def towards(
        self, shift: tuple[float, float, float], rotation: tuple[float, float, float]
    ) -> "Witness":
        """Set a target relative to the pose at READY."""
        pose = self.fk(READY)
        pose[:3, 3] += shift
        pose[:3, :3] = turn(*rotation) @ pose[:3, :3]
        self.target = target_row(pose)
        return self


def witness(arm: str = "fr3", options: CartesianOptions = QUICK, **more: object) -> Witness:
    rig = Witness(arm, "hand", options, load=HAND_LOAD.copy(), **more)  # type: ignore[arg-type]
    rig.run(1)
    return rig


def replayed(rig: Witness) -> tuple[np.ndarray, ReplayedRecords]:
    """The records, and what they are computed again."""
    records = records_from_rows(np.array(rig.records))
    assert rig.table is not None
    again = replay_records(
        records,
        np.array(rig.states),
        chain=chain_of(rig.arm, rig.tool),
        bodies=dynamics_of(rig.arm),
        arm=rig.table,
        options=rig.options,
    )
    return records, again


def check(records: np.ndarray, again: ReplayedRecords) -> None:
    """Bars of the records: 1e-9 rad and 1e-6 Nm in every row."""
    assert np.abs(again.q_goal - records["q_goal"]).max() <= 1e-9
    assert np.abs(again.dq_goal - records["dq_goal"]).max() <= 1e-6
    assert np.abs(again.tau - records["tau"]).max() <= 1e-6
    generated = ~np.isnan(again.pose[:, 0])
    # Peaks are found to 1e-10 of the velocity's limit from where the search begins.
    assert np.abs(again.pose - records["pose"])[generated].max() <= 2e-7


def pushed_and_stopped(rig: Witness) -> None:
    rig.towards((0.05, 0.02, -0.03), (0.1, -0.2, 0.3)).run(300)
    rig.push = np.array([0.0, 25.0, 0.0, -20.0, 0.0, 3.0, 0.0])
    rig.run(400)
    rig.push = np.zeros(7)
    rig.towards((-0.02, 0.0, 0.02), (0.0, 0.0, -0.1)).run(700)
    assert rig.run(4000, stop=True) == 1


def at_a_wall(rig: Witness) -> None:
    pose = READY.copy()
    pose[3] -= 0.4
    rig.target = target_row(rig.fk(pose))
    rig.run(900)
    rig.towards((0.0, 0.05, 0.0), (0.0, 0.0, 0.0)).run(600)
    assert (rig.column("pinned") == -1).any()


def out_of_reach(rig: Witness) -> None:
    rig.towards((0.6, 0.1, 0.2), (0.5, 0.0, 1.0)).run(2000)
    rig.towards((0.6, -0.1, 0.2), (0.5, 0.0, 1.0)).run(500)
    rig.towards((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)).run(500)


@pytest.mark.parametrize("options", [QUICK, REFERENCE], ids=["default law", "reference"])
@pytest.mark.parametrize("story", [pushed_and_stopped, at_a_wall, out_of_reach])
def test_every_row_is_given_again(
    story: Callable[[Witness], None], options: CartesianOptions
) -> None:
    table = moved_limits(FER, {3: READY[3] - 0.3}, {}) if story is at_a_wall else None
    rig = witness("fer", options, table=table, coulomb=np.full(7, 0.3), stick_speed=0.02)
    story(rig)
    records, again = replayed(rig)
    check(records, again)
    generated = ~np.isnan(again.pose[:, 0])
    assert np.count_nonzero(generated) > 200
    if story is pushed_and_stopped:
        assert records["leash_alteration"].any()
        assert not generated[-251:].any()


def test_a_recorded_session_is_given_again(tmp_path: Path) -> None:
    address = fresh_address()
    with SimulatedRobot(address, lockstep_s=0.5), Robot(address) as robot:
        with (
            SceneRobot(robot) as scene,
            robot.record(tmp_path / "run"),
            scene.cartesian_targets(QUICK) as arm,
        ):
            arm.move_to(arm.target() + np.array([0.05, 0.0, 0.0]))
        names, flange, base = scene.arm.joint_names, scene.arm.flange_link, scene.arm.base_link
        with scene.scene() as (graph, _):
            chain = plan_chain(graph, flange, names, base)
            bodies = plan_dynamics(graph, names, flange, base)
    run = read_run(tmp_path / "run")
    records, cycles, states = (run.table(name) for name in ("records", "cycles", "states"))
    answered = cycles["state_id"][np.searchsorted(cycles["number"], records["cycle"])]
    rows = np.searchsorted(states["time"], answered)
    again = replay_records(
        run.records(),
        [run.states()[k] for k in rows],
        chain=chain,
        bodies=bodies,
        arm=FR3,
        options=QUICK,
    )
    assert len(records) > 400
    check(run.records(), again)


def test_a_step_of_the_pose_generator_is_one_of_all_its_axes() -> None:
    pose = chain_of("fer", "hand").pose(READY)
    target = pose.copy()
    target[:3, 3] += (0.02, -0.01, 0.0)
    target[:3, :3] = turn(0.0, 0.2, 0.1) @ target[:3, :3]
    velocity, acceleration = np.zeros(6), np.zeros(6)
    cycles = 0
    while cycles == 0 or velocity.any():
        step = step_pose(pose, velocity, acceleration, target)
        assert np.linalg.norm(step.velocity[:3]) <= 0.3
        assert np.linalg.norm(step.velocity[3:]) <= 0.5
        assert np.linalg.norm(step.acceleration - acceleration) / 1e-3 <= 20.0 * np.sqrt(2)
        pose, velocity, acceleration = step.pose, step.velocity, step.acceleration
        cycles += 1
    assert pose == pytest.approx(target, abs=1e-12)
    assert 600 < cycles < 1500
    still = step_pose(pose, np.zeros(6), np.zeros(6), target, dt=np.nan)
    assert still.pose == pytest.approx(pose, abs=1e-15)


def test_what_does_not_belong_together_is_refused() -> None:
    rig = witness()
    rig.run(3)
    records = records_from_rows(np.array(rig.records))
    states = np.array(rig.states)
    parts = {"chain": chain_of("fr3", "hand"), "bodies": dynamics_of("fr3"), "arm": FR3}
    for rows, given, name in (
        (records, states[1:], "states"),
        (records[["pose", "tau"]], states, "records"),
        (records, states[:, :9], "states"),
        (records, np.full_like(states, np.nan), "states"),
    ):
        with pytest.raises(InvalidArgumentError, match=name):
            replay_records(rows, given, **parts)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="pose"):
        step_pose(np.zeros((4, 4)), np.zeros(6), np.zeros(6), np.eye(4))
    with pytest.raises(InvalidArgumentError, match="velocity"):
        step_pose(np.eye(4), np.full(6, np.nan), np.zeros(6), np.eye(4))
