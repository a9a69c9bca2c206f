"""A recorded run on a scene again."""

import time
from pathlib import Path

import numpy as np
import pytest

from kinegraph.kinematics import OFKTStateSolver
from kinegraph.robot import (
    InvalidArgumentError,
    ProtocolError,
    Replay,
    RobotState,
    RunWriter,
    description_text,
    read_run,
)
from kinegraph.robot.loop.loop_layout import STATE_ROW_FIELDS
from kinegraph.scene import Isometry3d, Joint, JointType, Link, parseURDFString

START = np.array([0.0, -0.7, 0.1, -2.3, 0.2, 1.5, 0.7])
SPEED = np.array([0.1, 0.2, -0.1, 0.3, 0.0, -0.2, 0.4])
ROWS = 400


def positions(time_ms: np.ndarray) -> np.ndarray:
    return START + np.outer(1e-3 * time_ms, SPEED)


def write(path: Path, *, model: bool = True, bad_row: int | None = None) -> Path:
    """Write a run of 400 states, of which every tenth is missing."""
    solver = OFKTStateSolver(parseURDFString(description_text("fr3")))
    about = {"robot_model": description_text("fr3")} if model else {}
    tool = Isometry3d.from_rpy([0.0, 0.02, 0.1], [0.1, 0.0, -0.8])
    times = np.array([t for t in range(ROWS) if t % 10 != 5], dtype=float)
    with RunWriter(path, about) as writer:
        table = writer.add_table("states", STATE_ROW_FIELDS)
        for t, q in zip(times, positions(times), strict=True):
            names = [f"fr3_joint{k}" for k in range(1, 8)]
            solver.setState(names, q)
            tip = solver.getLinkTransform("fr3_link8") @ tool
            state = RobotState().replace(
                q=q, q_d=q + 0.1, time=int(t) + 5000, F_T_EE=tool, O_T_EE=tip
            )
            row = state.row.copy()
            if bad_row is not None and t == bad_row:
                row[(row == q[3]).argmax()] = np.nan
            writer.write_rows(table, np.append(row, 1e6 * t)[None])
    return path


def test_every_state_is_replayed_into_the_solver(tmp_path: Path) -> None:
    replay = Replay(write(tmp_path / "run"))
    assert len(replay) == 360
    steps = list(replay)
    np.testing.assert_allclose(replay.times_s[:6], [0.0, 0.001, 0.002, 0.003, 0.004, 0.006])
    twin = OFKTStateSolver(parseURDFString(description_text("fr3")))
    for step in (steps[0], steps[100], steps[-1]):
        names = list(replay.arm.joint_names)
        assert step.scene == twin.getState(dict(zip(names, step.state.q, strict=True)))
        assert step.state.time == pytest.approx(5000 + 1e3 * step.time_s)
    assert replay.solver.getState() == steps[-1].scene


def test_the_scenes_tip_is_the_robots(tmp_path: Path) -> None:
    replay = Replay(write(tmp_path / "run"), rate_hz=50.0)
    np.testing.assert_allclose(replay.end_effector(), replay.recorded_poses(), atol=1e-12)
    with pytest.raises(InvalidArgumentError, match="O_T_EE"):
        replay.recorded_poses("O_T_E")


def test_a_rate_takes_the_newest_state_at_each_of_its_times(tmp_path: Path) -> None:
    run = read_run(write(tmp_path / "run"))
    np.testing.assert_allclose(1e3 * Replay(run, rate_hz=200.0).times_s[:4], [0.0, 4.0, 10.0, 14.0])
    assert len(Replay(run, rate_hz=1e6)) == 360
    assert len(Replay(run, rate_hz=0.1)) == 1


def test_poses_of_all_links_at_once_are_those_of_the_steps(tmp_path: Path) -> None:
    replay = Replay(write(tmp_path / "run"), rate_hz=20.0)
    poses, names = replay.link_poses(), replay.solver.getLinkNames()
    hand = replay.link_pose("fr3_link8", "fr3_link3")
    for k, step in enumerate(replay):
        for name, pose in zip(names, poses[k], strict=True):
            np.testing.assert_allclose(pose, step.scene.link_transforms[name].matrix, atol=1e-12)
        wanted = replay.solver.getRelativeLinkTransform("fr3_link3", "fr3_link8").matrix
        np.testing.assert_allclose(hand[k], wanted, atol=1e-12)


def test_a_scene_of_its_own_with_more_joints_and_the_desired_positions(tmp_path: Path) -> None:
    graph = parseURDFString(description_text("fr3"))
    joint = Joint("slide")
    joint.type = JointType.CONTINUOUS
    joint.axis = np.array([0.0, 0.0, 1.0])
    joint.parent_link_name, joint.child_link_name = "fr3_link8", "turntable"
    graph.addLink(Link("turntable"), joint)
    replay = Replay(write(tmp_path / "run", model=False), graph, field="q_d", rate_hz=10.0)
    np.testing.assert_allclose(replay.positions[0], START + 0.1)
    replay.solver.setState({"slide": 0.5})
    step = replay[1]
    assert step.scene.joints["slide"] == 0.5
    at = replay.solver.getLinkNames().index("turntable")
    np.testing.assert_allclose(
        replay.link_poses()[1, at], step.scene.link_transforms["turntable"].matrix, atol=1e-12
    )
    with pytest.raises(IndexError):
        replay[len(replay)]


def test_playing_keeps_the_pace_and_shows_the_last_step(tmp_path: Path) -> None:
    replay = Replay(write(tmp_path / "run"))
    begun = time.monotonic()
    times = [step.time_s for step in replay.play(speed=4.0)]
    assert time.monotonic() - begun >= 0.09
    assert times[0] == 0.0
    assert times[-1] == replay.times_s[-1]
    assert times == sorted(set(times))


def test_what_cannot_be_replayed_is_refused_with_its_reason(tmp_path: Path) -> None:
    run = read_run(write(tmp_path / "run"))
    with pytest.raises(InvalidArgumentError, match="served no description"):
        Replay(write(tmp_path / "v5", model=False))
    with pytest.raises(ProtocolError, match="row 180"):
        Replay(write(tmp_path / "bad", bad_row=200))
    for name, value in {
        "rate_hz": 0.0,
        "field": "dq",
        "table": "stats",
        "joint_names": ["fr3_joint1"],
        "scene_graph": "fr3",
    }.items():
        with pytest.raises(InvalidArgumentError, match=name if name != "table" else "stats"):
            Replay(run, **{name: value})  # type: ignore[arg-type]
    for speed in (0.0, -1.0, float("nan"), "fast"):
        with pytest.raises(InvalidArgumentError, match="speed"):
            Replay(run).play(speed)  # type: ignore[arg-type]
    with RunWriter(tmp_path / "empty", {"robot_model": description_text("fr3")}) as writer:
        writer.add_table("states", STATE_ROW_FIELDS)
        writer.add_table("other", (("a", 1),))
    with pytest.raises(InvalidArgumentError, match="no states to replay"):
        Replay(tmp_path / "empty")
    with pytest.raises(InvalidArgumentError, match="no robot states"):
        Replay(tmp_path / "empty", table="other")
