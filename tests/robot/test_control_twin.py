"""Whole sessions beside a plain twin of the cycle: sections 5 to 9 and 11 of the specification.

Each scene is run by the compiled cycle; a sample of its cycles, and those in which something new
begins, are computed again from the same memory: record, torques, and what the next one starts from.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from control_rig import ARMS, READY, chain_of, moved_limits, target_row, tool_transform, turn
from joint_twin_rig import JointTwinRig
from twin_rig import TwinRig

from kinegraph.kinematics.payload import Load
from kinegraph.robot.control import (
    CARTESIAN,
    JOINT,
    CartesianOptions,
    JointLimits,
    JointOptions,
    MotionLimits,
    Settle,
)
from kinegraph.robot.control.cartesian_kernels import FINISHED, FLAG_TOOL_CHANGED, GO_ON

pytestmark = pytest.mark.compiled

TELEOP = CartesianOptions(
    backend=CARTESIAN,
    limits=MotionLimits(1.0, 8.0, 400.0),
    rotation_limits=MotionLimits(4.0, 20.0, 500.0),
    max_deviation=10.0,
    max_angular_deviation=10.0,
    settle=Settle(cycles=30),
)
SLOW = replace(
    TELEOP, limits=MotionLimits(0.3, 0.5, 20.0), rotation_limits=MotionLimits(0.5, 1.0, 20.0)
)
HAND = Load(0.73, np.array([-0.01, 0.0, 0.03]), np.diag([1e-3, 2.5e-3, 1.7e-3]))


def aim(
    rig: TwinRig, shift: tuple[float, ...] = (0, 0, 0), vector: tuple[float, ...] = (0, 0, 0)
) -> None:
    """Set the target: the pose at READY, shifted, and turned in its own axes."""
    pose = rig.fk(READY)
    pose[:3, 3] += shift
    pose[:3, :3] = pose[:3, :3] @ turn(*vector)
    rig.target = target_row(pose)


def change_tool(rig: TwinRig, tool: str) -> int:
    """One cycle with another tool, the target 10 cm ahead of where its tip is."""
    rig.chain = chain_of(rig.arm, tool)
    rig.set_field("F_T_EE", tool_transform(tool).T.ravel())
    pose = rig.fk(rig.q)
    pose[0, 3] += 0.1
    rig.target = target_row(pose)
    return rig.cycle(stop=rig.twin.holding, flags=FLAG_TOOL_CHANGED)


def free() -> TwinRig:
    """A move of all axes with a load and a noisy arm, by every term of the law, and its end."""
    law = replace(
        CARTESIAN,
        velocity_feedforward=True,
        velocity_feedforward_gain=0.8,
        velocity_feedforward_cutoff=20.0,
        project_joint_gains=True,
        posture=READY + 0.2,
    )
    rig = TwinRig(options=replace(SLOW, backend=law), load=HAND)
    rng = np.random.default_rng(0)
    rig.cycle()
    aim(rig, (0.04, 0.02, 0.0), (0.1, 0.0, 0.2))
    code = GO_ON
    while code == GO_ON:
        count = len(rig.records)
        rig.dq = rng.normal(0, 0.05, 7) if count < 1200 else np.zeros(7)
        code = rig.follow(1, stop=count > 300)
    assert code == FINISHED
    return rig


def folded(arm: str, tool: str) -> TwinRig:
    """Onto joint 4's margin, along it, and a stop further into it."""
    rig = TwinRig(arm, tool, TELEOP, moved_limits(ARMS[arm], {3: READY[3] - 0.3}, {}))
    rig.cycle()
    behind = READY.copy()
    behind[3] -= 0.4
    rig.target = target_row(rig.fk(behind))
    rig.follow(700)
    pose = rig.fk(rig.q)
    pose[1, 3] += 0.02
    rig.target = target_row(pose)
    rig.follow(150)
    pose[0, 3] -= 0.02
    rig.target = target_row(pose)
    rig.follow(600, stop=True)
    assert rig.column("held").mean() > 0.5
    return rig


def pinned(arm: str, joints: tuple[int, ...]) -> TwinRig:
    """A turn that two joints on their margins are in the way of, and back."""
    limits = moved_limits(ARMS[arm], {}, {i: READY[i] + 0.05 for i in joints})
    rig = TwinRig(arm, "hand", TELEOP, limits)
    rig.cycle()
    aim(rig, (0.02, 0.02, 0.0), (0.0, 0.0, 0.4))
    rig.follow(500)
    aim(rig)
    rig.follow(300)
    assert rig.column("held").mean() > 0.5
    return rig


def stalled(arm: str) -> TwinRig:
    """An arm that is pushed past a margin and takes the desired pose along: position first."""
    rig = TwinRig(arm, "hand", TELEOP, moved_limits(ARMS[arm], {3: READY[3] - 0.1}, {}))
    rig.cycle()
    rig.q = READY - np.array([0.02, 0.0, 0.0, 0.2, 0.0, 0.03, 0.1])
    rig.run(600)
    assert rig["ik_blend"] == 1.0
    assert rig["stalled"] == 1.0
    rig.follow(300)
    assert rig.column("ik_blend")[-1] < 1.0
    return rig


def capped() -> TwinRig:
    """A turn faster than the joints may go, and a stop on the spot."""
    rig = TwinRig(
        "fr3", options=replace(TELEOP, backend=replace(CARTESIAN, joint_velocity_fraction=0.2))
    )
    rig.cycle()
    aim(rig, (0.2, 0.0, 0.0), (0.0, 0.0, 0.6))
    rig.follow(400)
    rig.target = target_row(rig.fk(rig.q))
    rig.follow(500, stop=True)
    assert (rig.column("cap_scale") < 1.0).mean() > 0.3
    return rig


def dragged() -> TwinRig:
    """An arm that is held and shaken, on its leash until the stop gives up, and after."""
    rig = TwinRig(options=TELEOP, sampled=97)
    rng = np.random.default_rng(3)
    rig.cycle()
    aim(rig, (0.1, 0.05, 0.0), (0.0, 0.0, 0.5))
    for k in range(5040):
        rig.q = READY + 0.02 * np.sin(k / 100) * np.array([1, -1, 0.5, 0.3, 1, -0.5, 1])
        rig.dq = 0.1 * rng.normal(size=7)
        if rig.cycle(stop=True) != GO_ON:
            break
    assert rig.twin.holding
    assert (rig.column("leash_alteration") > 0.0).mean() > 0.3
    return rig


def tools() -> TwinRig:
    """Other tools in motion, at rest, and during the hold."""
    rig = TwinRig("fer", "flange", SLOW)
    rig.cycle()
    aim(rig, (0.2, 0.0, 0.0))
    rig.follow(500)
    for tool in ("robotiq", "hand", "long"):
        assert change_tool(rig, tool) == GO_ON
        rig.follow(120)
    while not rig.remembered("holding", 1)[0]:
        assert rig.follow(1, stop=True) == GO_ON
    assert change_tool(rig, "hand") == GO_ON
    assert rig.follow(100, stop=True) == FINISHED
    return rig


def tool_at_a_wall() -> TwinRig:
    """Another tool while the goal is held at its margin."""
    rig = TwinRig("fer", "hand", TELEOP, moved_limits(ARMS["fer"], {3: READY[3] - 0.3}, {}))
    rig.cycle()
    behind = READY.copy()
    behind[3] -= 0.4
    rig.target = target_row(rig.fk(behind))
    rig.follow(600)
    assert rig["held"] == 1.0
    change_tool(rig, "long")
    assert rig["wall_age"].max() <= 0.0
    rig.target = target_row(rig.fk(behind))
    rig.follow(200)
    return rig


def strayed() -> TwinRig:
    """An arm that leaves its surroundings: frozen, braked, held, finished."""
    rig = TwinRig(options=replace(SLOW, max_deviation=0.02))
    rig.cycle()
    aim(rig, (0.1, 0.0, 0.0))
    while not rig.remembered("deviated", 1)[0]:
        assert rig.follow(1) == GO_ON
    aim(rig, (-0.1, 0.0, 0.0))
    assert rig.follow(2000) == FINISHED
    return rig


def inside(arm: str) -> TwinRig:
    """Two joints inside their margins, every joint fast: both envelopes at work."""
    q, table = READY.copy(), ARMS[arm]
    q[3], q[5] = table.lower[3] + 0.02, table.upper[5] - 0.04
    law = replace(
        CARTESIAN,
        torque_limits=np.array([40.0] * 4 + [8.0] * 3),
        posture=READY + 0.3 * np.array([1, 1, -1, -1, 1, 0, 1]),
    )
    rig = TwinRig(arm, "hand", replace(TELEOP, backend=law), q=q)
    rng = np.random.default_rng(8)
    rig.cycle()
    pose = rig.fk(q)
    pose[2, 3] -= 0.1
    rig.target = target_row(pose)
    for _ in range(600):
        rig.dq = rng.normal(0, 1.5, 7)
        rig.cycle()
        rig.q = rig["q_goal"] + rng.normal(0, 0.005, 7)
    for name in ("tau_envelope", "tau_position"):
        assert (np.abs(rig.column(name)).max(axis=1) > 0.1).mean() > 0.5
    return rig


def anywhere(arm: str, seed: int) -> TwinRig:
    """Targets far and near, in and out of reach, one after the other."""
    rng = np.random.default_rng(seed)
    rig = TwinRig(arm, "hand", TELEOP)
    rig.cycle()
    for _ in range(15):
        aim(rig, tuple(rng.uniform(-0.4, 0.4, 3)), tuple(rng.uniform(-1, 1, 3)))
        rig.follow(int(rng.integers(1, 200)))
    return rig


SCENES: dict[str, Callable[[], TwinRig]] = {
    "free": free,
    "folded fer hand": lambda: folded("fer", "hand"),
    "folded fr3 long": lambda: folded("fr3", "long"),
    "pinned wrist": lambda: pinned("fer", (4, 6)),
    "pinned elbow and wrist": lambda: pinned("fr3", (3, 6)),
    "stalled fer": lambda: stalled("fer"),
    "stalled fr3": lambda: stalled("fr3"),
    "capped": capped,
    "dragged": dragged,
    "tools": tools,
    "tool at a wall": tool_at_a_wall,
    "strayed": strayed,
    "inside fer": lambda: inside("fer"),
    "inside fr3": lambda: inside("fr3"),
    "anywhere fer": lambda: anywhere("fer", 1),
    "anywhere fr3": lambda: anywhere("fr3", 2),
}


@pytest.mark.parametrize("scene", SCENES)
def test_every_cycle_is_what_the_equations_give(scene: str) -> None:
    rig = SCENES[scene]()
    assert rig.compared > 30


JOINT_OPTIONS = {
    "default": JointOptions(backend=JOINT, settle=Settle(cycles=30)),
    "fed forward": JointOptions(
        backend=replace(JOINT, velocity_feedforward=True, joint_velocity_fraction=0.5),
        max_deviation=10.0,
        settle=Settle(cycles=30),
    ),
}


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize(("options", "budget"), [("default", None), ("fed forward", 1.0)])
def test_every_cycle_of_joint_targets_is_what_the_equations_give(
    arm: str, options: str, budget: float | None
) -> None:
    table, chosen = ARMS[arm], JOINT_OPTIONS[options]
    if budget is not None:
        chosen = replace(chosen, limits=JointLimits.share_of(table, budget))
    rig = JointTwinRig(arm, options=chosen)
    rng = np.random.default_rng(1)
    rig.cycle()
    for cycles in rng.integers(30, 250, 4):
        rig.target = READY + rng.uniform(-0.5, 0.5, 7)
        assert rig.follow(int(cycles)) == GO_ON
    held = rig.q + np.array([0.2, 0, 0, -0.1, 0, 0, 0.3])  # away from where it was sent
    for _ in range(50):
        rig.q, rig.dq = held, rng.normal(0, 0.2, 7)
        assert rig.cycle() == GO_ON
    rig.dq, rig.target = np.zeros(7), held
    assert rig.follow(1500, stop=True) == FINISHED
    assert budget is None or (rig.column("cap_scale") < 1.0).any()


def test_joints_that_stray_are_frozen_as_the_equations_give_it() -> None:
    rig = JointTwinRig("fr3", options=replace(JOINT_OPTIONS["default"], max_deviation=0.1))
    rig.cycle()
    rig.target = READY + 0.2
    assert rig.follow(2500) == FINISHED
    assert rig.remembered("deviated", 1)[0] == 1.0
