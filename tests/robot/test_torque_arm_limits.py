"""Arm tables and laws that come from descriptions."""

from importlib.resources import files

import numpy as np
import pytest
from other_arms import ROBOTS, described, start_of

from kinegraph.kinematics.dynamics import forward_dynamics
from kinegraph.robot.control import CARTESIAN, FER, FR3, JOINT, ArmTable
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.torque_arm import (
    ArmControl,
    SimulatedArm,
    cartesian_law,
    describe_arm,
    joint_law,
    table_from_graph,
)
from kinegraph.scene import parseURDFFile, parseURDFString
from kinegraph.scene.errors import UnknownJointError, UnknownLinkError

ROD = '<joint name="j{0}" type="revolute"><parent link="l{0}"/><child link="l{1}"/>{2}</joint>'
LIMIT = '<limit lower="-1" upper="1" effort="10" velocity="1"/>'


def test_the_table_follows_from_the_description_by_the_formulas() -> None:
    table = described("ur5").table
    v = np.array([3.15, 3.15, 3.15, 3.2, 3.2, 3.2])
    torque = np.array([150.0, 150.0, 150.0, 28.0, 28.0, 28.0])
    assert table.name == "ur5"
    assert table.upper == pytest.approx([2 * np.pi, 2 * np.pi, np.pi] + [2 * np.pi] * 3)
    assert np.array_equal(table.max_joint_velocity, v)
    assert table.flat_velocity == pytest.approx(v - 1e-3)
    assert table.max_joint_acceleration == pytest.approx(v / 0.25)
    assert table.max_joint_jerk == pytest.approx(500.0 * v / 0.25)
    assert table.braking_slope == pytest.approx(v / 0.25)
    assert table.braking_onset == pytest.approx(v / 0.25 / 50.0)
    assert np.array_equal(table.rated_torque, torque)
    assert table.torque_limits == pytest.approx(0.95 * torque)
    assert table.drive_inertia == pytest.approx(np.maximum(0.1, 0.007 * torque))


@pytest.mark.parametrize(("arm", "known"), [("fer", FER), ("fr3", FR3)])
def test_the_formulas_give_the_franka_arms_own_values_about(arm: str, known: ArmTable) -> None:
    graph = parseURDFFile(str(files("kinegraph.robot.sim").joinpath("data", f"{arm}.urdf")))
    names = [f"{arm}_joint{i}" for i in range(1, 8)]
    table = table_from_graph(graph, names)
    for field in ("lower", "upper", "rated_torque"):
        assert getattr(table, field) == pytest.approx(getattr(known, field), abs=0.01)
    for field in ("max_joint_acceleration", "max_joint_jerk", "braking_slope", "braking_onset"):
        ratio = getattr(table, field) / getattr(known, field)
        assert (ratio > 0.4).all()
        assert (ratio < 4.5).all()


def test_what_a_description_lacks_is_asked_for_by_name() -> None:
    graph = parseURDFFile(str(ROBOTS / "iiwa14.urdf"))
    with pytest.raises(InvalidArgumentError, match=r"'joint_a1' has no effort.*give rated_torque"):
        describe_arm(graph, "tool0")
    with pytest.raises(InvalidArgumentError, match=r"rated_torque: shape \(2,\), expected \(7,\)"):
        describe_arm(graph, "tool0", rated_torque=[1.0, 2.0])
    with pytest.raises(UnknownLinkError):
        describe_arm(graph, "tool9")
    with pytest.raises(UnknownJointError):
        table_from_graph(graph, ["joint_a9"])


def test_nine_joints_are_taken_and_ten_are_not() -> None:
    assert described("rail").n == 9
    assert described("rail").table.lower[1] == -1e6  # a continuous joint
    links = "".join(f'<link name="l{i}"/>' for i in range(11))
    joints = "".join(ROD.format(i, i + 1, LIMIT) for i in range(10))
    graph = parseURDFString(f'<robot name="snake">{links}{joints}</robot>')
    with pytest.raises(InvalidArgumentError, match="10 joints, the controllers take 1 to 9"):
        describe_arm(graph, "l10")


def test_a_joint_without_room_between_its_margins_is_refused() -> None:
    narrow = LIMIT.replace('lower="-1" upper="1"', 'lower="0" upper="0.09"')
    joints = ROD.format(0, 1, LIMIT) + ROD.format(1, 2, narrow)
    links = "".join(f'<link name="l{i}"/>' for i in range(3))
    graph = parseURDFString(f'<robot name="short">{links}{joints}</robot>')
    arm = SimulatedArm(describe_arm(graph, "l2"), [0.0, 0.04])
    with pytest.raises(InvalidArgumentError, match=r"leaves joint 2 no room, its range is 0\.09"):
        ArmControl(arm, arm.description).joint_targets()


def test_the_laws_have_the_presets_gains_about() -> None:
    for law, preset in ((cartesian_law(FR3, CARTESIAN), CARTESIAN), (joint_law(FR3), JOINT)):
        for field in ("joint_stiffness", "joint_damping"):
            ratio = getattr(law.gains, field) / getattr(preset.gains, field)
            assert (ratio > 0.25).all()
            assert (ratio < 2.0).all()
    for arm in ("ur5", "rail"):
        cartesian_law(described(arm).table).validate(described(arm).table)
        joint_law(described(arm).table).validate(described(arm).table)
    heavy = np.full(7, 16.0)  # four times the root of ones
    assert cartesian_law(FR3, inertia=heavy).gains.joint_damping == pytest.approx(
        4.0 * np.asarray(cartesian_law(FR3).gains.joint_damping)
    )
    with pytest.raises(InvalidArgumentError, match="inertia"):
        joint_law(FR3, inertia=np.zeros(7))


def test_poses_of_links_are_those_of_the_chain() -> None:
    description = described("rail")
    q = start_of("rail")
    tip = description.tip_pose(q)
    assert description.base_link == "floor"
    assert description.joint_inertia(q)[0] > 50.0  # the rail carries all
    assert description.link_pose(q, "iiwa/tool0").isApprox(tip, 1e-9)
    with pytest.raises(InvalidArgumentError, match=r"q: shape \(7,\)"):
        description.tip_pose(q[:7])


def test_a_simulated_arm_moves_by_its_equation_of_motion() -> None:
    description, start = described("rail"), start_of("rail")
    torques, wrench = np.linspace(-5.0, 5.0, 9), np.array([3.0, -4.0, 5.0, 0.2, -0.3, 0.4])
    arm = SimulatedArm(description, start, holds_itself=False)
    arm.push(wrench)
    arm.send(torques)
    _, jacobian = description.chain.pose_and_jacobian(start)
    drives = description.table.drive_inertia
    expected = forward_dynamics(
        description.bodies, start, np.zeros(9), torques + jacobian.T @ wrench, armature=drives
    )
    assert arm.dq / 1e-3 == pytest.approx(expected, rel=1e-9)
    assert arm.q == pytest.approx(start + 1e-3 * arm.dq)


def test_a_simulated_arm_falls_as_far_as_its_stops() -> None:
    """Without torques an arm that does not hold itself falls, and its stops hold it."""
    description = described("iiwa")
    arm = SimulatedArm(description, start_of("iiwa"), holds_itself=False, damping=20.0)
    for _ in range(4000):
        arm.send(np.zeros(7))
    assert arm.q[1] > 1.0
    assert (arm.q < description.table.upper + 0.1).all()
    assert (arm.q > description.table.lower - 0.1).all()
    arm.stop()
    assert not arm.dq.any()
    with pytest.raises(InvalidArgumentError, match="friction"):
        SimulatedArm(description, start_of("iiwa"), friction=-1.0)


def test_a_description_says_in_a_line_which_chain_it_is() -> None:
    told = repr(described("ur5"))
    assert told.startswith("ArmDescription('ur5', 'world' to 'tool0', joints shoulder_pan_joint, ")
    assert "\n" not in told


def test_a_simulated_arm_is_made_of_a_description_only() -> None:
    for other in (None, "ur5", described("ur5").graph, described("ur5").table):
        with pytest.raises(InvalidArgumentError, match="is no ArmDescription"):
            SimulatedArm(other, start_of("ur5"))  # type: ignore[arg-type]
