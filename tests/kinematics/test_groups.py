"""Joint groups and kinematic groups against solvers, finite differences and pinocchio."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inverse_robots import longest_chain, pose_errors
from kinematics_cases import (
    graph_of,
    gripper_graph,
    joint,
    named,
    plain_graph,
    robot,
    robot_folders,
    small_robot,
    up,
)
from random_scenes import trees

from kinegraph.kinematics import (
    InverseOptions,
    InverseStatus,
    JointGroup,
    KDLStateSolver,
    KinematicGroup,
    KinematicLimits,
    KinGroupIKInput,
    OFKTStateSolver,
    inverse_kinematics,
    plan_chain,
)
from kinegraph.scene import Isometry3d, SceneGraph, SRDFModel
from kinegraph.scene.errors import (
    InvalidLimitError,
    InvalidNameError,
    LengthError,
    NotFiniteError,
    NotRigidError,
    ShapeError,
    UnknownJointError,
    UnknownLinkError,
    UnknownNameError,
    WrongTypeError,
)

UR5 = small_robot("ur5")
ARM = [
    "wrist_1_joint",
    "shoulder_lift_joint",
    "elbow_joint",
    "shoulder_pan_joint",
    "wrist_3_joint",
    "wrist_2_joint",
]
TIP = "wrist_3_link"
Q = np.array([0.3, -1.0, 1.2, -0.4, 0.9, 0.2])
every_robot = pytest.mark.parametrize("folder", robot_folders(), ids=named)


def arm() -> KinematicGroup:
    """All joints of the UR5 in an order of their own."""
    return KinematicGroup("arm", ARM, UR5)


def shuffled(folder: Path) -> tuple[OFKTStateSolver, list[str], Any]:
    """A solver at a random state, some of its joints in random order, and values for them."""
    solver = OFKTStateSolver(robot(folder))
    solver.setState(solver.getRandomState(1).getJointValues(solver.getActiveJointNames()))
    rng = np.random.default_rng(len(folder.name))
    names = [str(name) for name in rng.permutation(solver.getActiveJointNames())]
    names = names[: max(1, 2 * len(names) // 3)]
    return solver, names, rng.uniform(-1, 1, len(names))


@every_robot
@pytest.mark.parametrize("solver_type", [OFKTStateSolver, KDLStateSolver])
def test_forward_kinematics_is_the_solvers(folder: Path, solver_type: Any) -> None:
    solver, names, q = shuffled(folder)
    other = solver_type(robot(folder))
    other.setState({name: solver.getState().joints[name] for name in other.getActiveJointNames()})
    group = JointGroup("some", names, other)
    poses = group.calcFwdKin(q)
    expected = solver.getState(names, q).link_transforms
    assert poses.keys() == expected.keys()
    for link, pose in poses.items():
        np.testing.assert_allclose(pose.matrix, expected[link].matrix, atol=1e-12)


@every_robot
def test_jacobian_columns_follow_the_group(folder: Path) -> None:
    solver, names, q = shuffled(folder)
    group = JointGroup("some", names, solver)
    columns = [solver.getActiveJointNames().index(name) for name in names]
    rng = np.random.default_rng(0)
    links = solver.getLinkNames()
    for _ in range(12):
        base, link = (str(name) for name in rng.choice(links, 2))
        point = rng.normal(size=3)
        full = solver.getJacobian(names, q, link, link_point=point, base_link=base)[:, columns]
        np.testing.assert_allclose(group.calcJacobian(q, base, link, point), full, atol=1e-12)
        plain = solver.getJacobian(names, q, link)[:, columns]
        np.testing.assert_allclose(group.calcJacobian(q, link), plain, atol=1e-12)


@every_robot
def test_jacobian_is_the_derivative_of_the_relative_pose(folder: Path) -> None:
    solver, names, q = shuffled(folder)
    group = JointGroup("some", names, solver)
    links, h = solver.getLinkNames(), 1e-6
    base, link, point = links[len(links) // 2], links[-1], np.array([0.1, -0.2, 0.3])
    jacobian = group.calcJacobian(q, base, link, point)

    def relative(q: Any) -> Any:
        poses = group.calcFwdKin(q)
        return (poses[base].inverse() * poses[link]).matrix

    for i in range(len(q)):
        step = h * np.eye(len(q))[i]
        low, high = relative(q - step), relative(q + step)
        moved = (high - low) @ np.append(point, 1.0) / (2 * h)
        turned = (high - low)[:3, :3] / (2 * h) @ relative(q)[:3, :3].T
        np.testing.assert_allclose(jacobian[:3, i], moved[:3], atol=1e-7)
        skew = [turned[2, 1], turned[0, 2], turned[1, 0]]
        np.testing.assert_allclose(jacobian[3:, i], skew, atol=1e-7)


def test_jacobian_is_pinocchios() -> None:
    from oracles import third_party

    pin = third_party("pinocchio")
    folder = next(path for path in robot_folders() if path.name == "ur5")
    model = pin.buildModelFromUrdf(str(folder / "robot.urdf"))
    data = model.createData()
    group = arm()
    values = dict(zip(ARM, Q, strict=True))
    q = np.array([values[name] for name in list(model.names)[1:]])
    frame = model.getFrameId(TIP)
    kind = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    expected = pin.computeFrameJacobian(model, data, q, frame, kind)
    columns = [list(model.names)[1:].index(name) for name in ARM]
    np.testing.assert_allclose(group.calcJacobian(Q, TIP), expected[:, columns], atol=1e-12)
    pin.framesForwardKinematics(model, data, q)
    pose = group.calcFwdKin(Q)[TIP]
    np.testing.assert_allclose(pose.matrix, data.oMf[frame].homogeneous, atol=1e-12)


def test_all_forms_of_the_jacobian_agree() -> None:
    group, point = arm(), [0.1, 0.2, 0.3]
    one = group.calcJacobian(Q, link_name=TIP)
    assert (group.calcJacobian(Q, TIP) == one).all()
    assert (group.calcJacobian(Q.tolist(), "world", TIP) == one).all()
    at = group.calcJacobian(Q, TIP, point)
    assert (group.calcJacobian(Q, "world", TIP, point) == at).all()
    assert (group.calcJacobian(Q, link_name=TIP, link_point=point) == at).all()
    below = group.calcJacobian(Q, "forearm_link", TIP, point)
    named_form = group.calcJacobian(
        Q, link_name=TIP, base_link_name="forearm_link", link_point=point
    )
    assert (below == named_form).all()
    assert not below[:, [1, 2, 3]].any()


def test_joint_names_come_in_anything_that_has_an_order() -> None:
    for names in (ARM, tuple(ARM), np.array(ARM), iter(ARM), dict.fromkeys(ARM)):
        group = JointGroup("arm", names, UR5)
        assert group.getJointNames() == ARM
        assert {type(name) for name in group.getJointNames()} == {str}


def test_names_of_a_group_of_some_joints() -> None:
    group = JointGroup("wrist", ["wrist_2_joint", "wrist_1_joint"], UR5)
    assert group.getName() == "wrist"
    assert group.getJointNames() == ["wrist_2_joint", "wrist_1_joint"]
    assert group.numJoints() == 2
    assert group.getBaseLinkName() == "world"
    solver = OFKTStateSolver(UR5)
    assert group.getLinkNames() == solver.getLinkNames()
    active = group.getActiveLinkNames()
    assert active[0] == "wrist_1_link"
    assert set(active) | set(group.getStaticLinkNames()) == set(group.getLinkNames())
    assert not set(active) & set(group.getStaticLinkNames())
    assert [link for link in group.getLinkNames() if group.isActiveLinkName(link)] == active
    assert not group.isActiveLinkName("nothing")
    assert group.hasLinkName("wrist_1_link")
    assert not group.hasLinkName("nothing")
    nameless: Any = ["wrist_1_link"]
    for method in (group.hasLinkName, group.isActiveLinkName):
        with pytest.raises(WrongTypeError, match="name"):
            method(nameless)
    assert group.getRedundancyCapableJointIndices() == [0, 1]
    assert "wrist" in repr(group)


def test_sliding_joints_are_not_capable_of_redundancy() -> None:
    group = JointGroup("fingers", ["left"], gripper_graph())
    assert group.getRedundancyCapableJointIndices() == []
    assert group.isActiveLinkName("right_finger")


@given(trees(largest=9))
@settings(max_examples=40, deadline=None)
def test_links_are_active_exactly_if_they_move(graph: SceneGraph) -> None:
    solver = OFKTStateSolver(graph)
    names = solver.getActiveJointNames()[::2]
    if not names:
        return
    group = JointGroup("some", names, solver)
    q = np.full(len(names), 0.37)
    before, after = group.calcFwdKin(np.zeros(len(names))), group.calcFwdKin(q)
    still = {link for link in before if np.abs(before[link].matrix - after[link].matrix).max() == 0}
    assert set(group.getStaticLinkNames()) <= still
    whole = JointGroup("all", solver.getActiveJointNames(), solver) if names else group
    assert whole.getActiveLinkNames() == solver.getActiveLinkNames()


def test_other_joints_stand_where_the_scene_has_them() -> None:
    solver = OFKTStateSolver(UR5)
    solver.setState({"elbow_joint": 0.7})
    state = solver.getState()
    for group in (
        JointGroup("wrist", ["wrist_1_joint"], solver),
        JointGroup("wrist", ["wrist_1_joint"], UR5, state),
        JointGroup("wrist", ["wrist_1_joint"], UR5, {"elbow_joint": 0.7}),
    ):
        assert (group.calcFwdKin([0.0])[TIP].matrix == state.link_transforms[TIP].matrix).all()


def test_a_scene_state_brings_floating_joints_and_followers() -> None:
    solver = OFKTStateSolver(plain_graph())
    solver.setState({"j1": 0.5}, {"jf": up(3.0)})
    group = JointGroup("j", ["j2"], plain_graph(), solver.getState())
    assert group.calcFwdKin([0.1])["f"].translation.tolist() == [0, 0, 3]
    fingers = OFKTStateSolver(gripper_graph())
    fingers.setState({"left": 0.02})
    group = JointGroup("g", ["left"], gripper_graph(), fingers.getState())
    assert group.calcFwdKin([0.01])["right_finger"].translation[1] == -0.01


def test_the_scene_may_change_behind_the_groups_back() -> None:
    solver = OFKTStateSolver(UR5)
    group = JointGroup("arm", ARM, solver)
    before = group.calcFwdKin(Q)[TIP].matrix
    solver.setState(np.ones(6))
    solver.changeJointOrigin("elbow_joint", up(9.0))
    assert (group.calcFwdKin(Q)[TIP].matrix == before).all()


def test_limits_are_in_the_groups_order_and_copies() -> None:
    group = arm()
    limits = group.getLimits()
    given_limits = OFKTStateSolver(UR5).getLimits()
    order = OFKTStateSolver(UR5).getActiveJointNames()
    places = [order.index(name) for name in ARM]
    assert (limits.joint_limits == given_limits.joint_limits[places]).all()
    assert (limits.velocity_limits == given_limits.velocity_limits[places]).all()
    limits.joint_limits[0] = 0.0
    assert not (group.getLimits().joint_limits[0] == 0.0).any()


def test_limits_can_be_set_and_are_checked() -> None:
    group = arm()
    limits = group.getLimits()
    limits.joint_limits[:] = (-1.5, 1.5)
    group.setLimits(limits)
    assert group.getLimits() == limits
    assert group.checkJoints(np.full(6, 1.5))
    assert not group.checkJoints(np.full(6, 1.6))
    for kind in ("joint_limits", "velocity_limits", "acceleration_limits", "jerk_limits"):
        wrong = group.getLimits()
        setattr(wrong, kind, np.zeros((5, 2)))
        with pytest.raises(LengthError, match=rf"{kind}.*\(5, 2\).*6 joints"):
            group.setLimits(wrong)
    backwards = group.getLimits()
    backwards.joint_limits[2] = (1.0, -1.0)
    with pytest.raises(InvalidLimitError, match="elbow_joint"):
        group.setLimits(backwards)
    backwards.joint_limits[2] = np.nan
    with pytest.raises(InvalidLimitError, match="elbow_joint"):
        group.setLimits(backwards)
    wrong_type: Any = [(0, 1)] * 6
    with pytest.raises(WrongTypeError):
        group.setLimits(wrong_type)
    with pytest.raises(LengthError):
        group.setLimits(KinematicLimits())
    assert group.getLimits() == limits


def test_checked_joints_are_as_many_and_within_the_limits() -> None:
    group = arm()
    assert group.checkJoints(Q)
    assert group.checkJoints(Q.tolist())
    assert not group.checkJoints(Q[:5])
    assert not group.checkJoints(np.full(6, np.nan))
    words: Any = ["a"] * 6
    with pytest.raises(WrongTypeError):
        group.checkJoints(words)
    with pytest.raises(ShapeError):
        group.checkJoints(np.zeros((6, 1)))


def wheel() -> SceneGraph:
    """A continuous joint that carries an arm."""
    turning: Any = {"kind": "continuous", "axis": (0.0, 1.0, 0.0)}
    return graph_of(
        "base",
        joint("wheel", "base", "hub", **turning),
        joint("arm", "hub", "hand", "revolute", origin=up(), axis=(0.0, 1.0, 0.0)),
        joint("end", "hand", "tip", origin=up()),
    )


def test_a_continuous_joint_has_limits_only_if_they_are_set() -> None:
    group = KinematicGroup("wheel", ["wheel", "arm"], wheel())
    assert group.checkJoints([100.0, 0.0])
    group.setLimits(group.getLimits())
    assert group.checkJoints([100.0, 0.0])
    pose = KinGroupIKInput(group.calcFwdKin([100.0, 0.5])["tip"], "base", "tip")
    (solution,) = group.calcInvKin(pose, [100.1, 0.4])
    np.testing.assert_allclose(solution, [100.0, 0.5], atol=1e-8)
    limits = group.getLimits()
    limits.joint_limits[0] = (-1.0, 1.0)
    group.setLimits(limits)
    assert not group.checkJoints([100.0, 0.0])
    (solution,) = group.calcInvKin(pose, [100.1, 0.4])
    np.testing.assert_allclose(solution, [100.0 - 32.0 * np.pi, 0.5], atol=1e-8)
    limits.joint_limits[0] = (-0.3, 0.3)
    group.setLimits(limits)
    assert group.calcInvKin(pose, [100.1, 0.4]) == []


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))]
)
def test_copies_are_independent(copied: Any) -> None:
    group = arm()
    group.calcJacobian(Q, TIP)
    other = copied(group)
    assert type(other) is KinematicGroup
    assert other.getJointNames() == ARM
    limits = other.getLimits()
    limits.joint_limits[:] = (-0.1, 0.1)
    other.setLimits(limits)
    assert group.checkJoints(Q)
    assert not other.checkJoints(Q)
    pose = KinGroupIKInput(group.calcFwdKin(Q)[TIP], "world", TIP)
    assert len(group.calcInvKin(pose, Q)) == 1
    assert other.calcInvKin(pose, Q) == []
    assert (other.calcJacobian(Q, TIP) == group.calcJacobian(Q, TIP)).all()


# -- chains and SRDF -------------------------------------------------------------------------


def test_a_chain_gives_its_joints_from_base_to_tip() -> None:
    group = JointGroup.from_chain("lower", "upper_arm_link", TIP, UR5)
    assert group.getJointNames() == [
        "elbow_joint",
        "wrist_1_joint",
        "wrist_2_joint",
        "wrist_3_joint",
    ]
    assert isinstance(KinematicGroup.from_chain("all", "world", TIP, UR5), KinematicGroup)
    with pytest.raises(UnknownLinkError, match="wrist_3_link"):
        JointGroup.from_chain("x", "world", "wrist_33_link", UR5)
    with pytest.raises(InvalidNameError, match="no active joint"):
        JointGroup.from_chain("x", TIP, TIP, UR5)


SRDF = """<robot name="ur5" version="1.0.0">
  <group name="chain"><chain base_link="upper_arm_link" tip_link="wrist_3_link"/></group>
  <group name="joints">
    <joint name="wrist_1_joint"/><joint name="{fixed}"/><joint name="elbow_joint"/>
  </group>
  <group name="links"><link name="world"/><link name="forearm_link"/><link name="{loose}"/></group>
  <group name="stiff"><joint name="{fixed}"/></group>
</robot>"""


def srdf() -> SRDFModel:
    """Groups of each kind."""
    fixed = next(j for j in UR5.getJoints() if j.type.name == "FIXED")
    model = SRDFModel()
    text = SRDF.format(fixed=fixed.getName(), loose=fixed.child_link_name)
    model.initString(UR5, text)
    return model


def test_srdf_groups_of_each_kind_have_their_active_joints() -> None:
    model = srdf()
    lower = ["elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]
    assert JointGroup.from_srdf("chain", model, UR5).getJointNames() == lower
    joints = KinematicGroup.from_srdf("joints", model.kinematics_information, UR5)
    assert joints.getJointNames() == ["wrist_1_joint", "elbow_joint"]
    assert JointGroup.from_srdf("links", model, UR5).getJointNames() == ["elbow_joint"]


def test_srdf_groups_that_do_not_fit_are_refused() -> None:
    model, wrong = srdf(), plain_graph()
    bad: Any = "model"
    with pytest.raises(UnknownNameError, match="chain"):
        JointGroup.from_srdf("chains", model, UR5)
    with pytest.raises(InvalidNameError, match="no active joint"):
        JointGroup.from_srdf("stiff", model, UR5)
    with pytest.raises(UnknownNameError, match="wrist_1_joint"):
        JointGroup.from_srdf("joints", model, wrong)
    with pytest.raises(UnknownLinkError, match=r"upper_arm_link|wrist_3_link"):
        JointGroup.from_srdf("chain", model, wrong)
    with pytest.raises(UnknownLinkError):
        JointGroup.from_srdf("links", model, wrong)
    with pytest.raises(WrongTypeError):
        JointGroup.from_srdf("chain", bad, UR5)


BAD_GROUPS: list[tuple[tuple[Any, ...], type[Exception], str]] = [
    (("g", ["elbow"], UR5), UnknownJointError, "elbow"),
    (("g", ["elbow_joint", "nope", "no"], UR5), UnknownJointError, "nope, no"),
    (("g", ["elbow_joint", "elbow_joint"], UR5), InvalidNameError, "twice"),
    (("g", [], UR5), InvalidNameError, "no active joint"),
    (("", ARM, UR5), InvalidNameError, "group"),
    (("g", "elbow_joint", UR5), WrongTypeError, "elbow_joint"),
    (("g", [3], UR5), WrongTypeError, "3"),
    (("g", ARM, "ur5"), WrongTypeError, "ur5"),
    (("g", ["j3"], plain_graph()), UnknownJointError, "j3"),
    (("g", ["jf"], plain_graph()), UnknownJointError, "jf"),
    (("g", ["right"], gripper_graph()), UnknownJointError, "right"),
    (("g", ARM, UR5, {"elbow": 1.0}), UnknownJointError, "elbow"),
    (("g", {"elbow_joint"}, UR5), WrongTypeError, "order"),
    (("g", 3, UR5), WrongTypeError, "joint_names"),
    (("g", ARM, UR5, 3), WrongTypeError, "scene_state"),
    (("g", ARM, UR5, np.zeros(6)), WrongTypeError, "scene_state"),
    (("g", ARM, UR5, {"elbow_joint": np.nan}), NotFiniteError, "elbow_joint"),
]


@pytest.mark.parametrize(("given_values", "error", "words"), BAD_GROUPS)
def test_bad_groups_are_refused(
    given_values: tuple[Any, ...], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        JointGroup(*given_values)


BAD_CALLS: list[tuple[str, tuple[Any, ...], type[Exception], str]] = [
    ("calcFwdKin", (Q[:5],), LengthError, "5.*'arm'.*6"),
    ("calcFwdKin", (np.full(6, np.inf),), NotFiniteError, "wrist_1_joint"),
    ("calcFwdKin", (np.zeros((6, 1)),), ShapeError, "vector"),
    ("calcFwdKin", ("q",), WrongTypeError, "real"),
    ("calcJacobian", (Q, "wrist_4_link"), UnknownLinkError, "wrist_4_link"),
    ("calcJacobian", (Q, "nowhere", TIP), UnknownLinkError, "nowhere"),
    ("calcJacobian", (Q[:5], TIP), LengthError, "length 5"),
    ("calcJacobian", (Q, TIP, [1.0, 2.0]), ShapeError, "3 numbers"),
    ("calcJacobian", (Q, TIP, [1.0, 2.0, np.nan]), NotFiniteError, "point"),
    ("calcJacobian", (Q,), WrongTypeError, "link"),
    ("calcJacobian", (Q, [1, 2, 3], TIP), WrongTypeError, "after"),
    ("calcJacobian", (Q, "world", "world", TIP), WrongTypeError, "3 names"),
]


@pytest.mark.parametrize(("method", "given_values", "error", "words"), BAD_CALLS)
def test_bad_calls_are_refused(
    method: str, given_values: tuple[Any, ...], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        getattr(arm(), method)(*given_values)


# -- inverse kinematics ----------------------------------------------------------------------


@every_robot
def test_solutions_of_a_group_reach_the_pose_in_its_order(folder: Path) -> None:
    solver, tip = longest_chain(folder)
    names = list(reversed(plan_chain(solver, tip).joint_names))
    group = KinematicGroup("some", names, solver)
    bounds = np.clip(group.getLimits().joint_limits, -3.0, 3.0)
    q = np.random.default_rng(0).uniform(bounds[:, 0], bounds[:, 1])
    pose = group.calcFwdKin(q)[tip]
    solutions = group.calcInvKin(
        KinGroupIKInput(pose, group.getBaseLinkName(), tip), bounds.mean(axis=1)
    )
    assert len(solutions) == 1
    assert group.checkJoints(solutions[0])
    reached = group.calcFwdKin(solutions[0])[tip].matrix
    assert max(pose_errors(reached, pose.matrix)) <= 1.001e-9


def test_several_seeds_give_several_solutions_each_once() -> None:
    group = arm()
    pose = KinGroupIKInput(group.calcFwdKin(Q)[TIP], "world", TIP)
    seeds = np.vstack((Q + 0.1, Q, np.random.default_rng(1).uniform(-3, 3, (30, 6))))
    solutions = group.calcInvKin(pose, seeds)
    np.testing.assert_allclose(solutions[0], Q, atol=1e-7)
    assert len(solutions) >= 4
    for solution in solutions:
        assert group.checkJoints(solution)
        assert max(pose_errors(group.calcFwdKin(solution)[TIP].matrix, as_matrix(pose))) <= 1.1e-9
    gaps = [np.abs(a - b).max() for i, a in enumerate(solutions) for b in solutions[:i]]
    assert min(gaps) >= 1e-6
    again = group.calcInvKin([pose], seeds.tolist())
    assert all((a == b).all() for a, b in zip(solutions, again, strict=True))


def as_matrix(given_input: KinGroupIKInput) -> Any:
    return Isometry3d(given_input.pose).matrix


def test_working_frames_may_move_and_tips_may_be_several() -> None:
    group = arm()
    poses = group.calcFwdKin(Q)
    relative = poses["upper_arm_link"].inverse() * poses[TIP]
    both = [
        KinGroupIKInput(relative, "upper_arm_link", TIP),
        KinGroupIKInput(poses["forearm_link"], "world", "forearm_link"),
    ]
    (solution,) = group.calcInvKin(both, Q + 0.1)
    np.testing.assert_allclose(solution, Q, atol=1e-7)
    assert group.getAllValidWorkingFrames() == group.getLinkNames()
    assert group.getAllPossibleTipLinkNames() == group.getActiveLinkNames()


def test_a_pose_that_is_rigid_within_a_thousandth_means_the_nearest_one() -> None:
    group = arm()
    pose = group.calcFwdKin(Q)[TIP].matrix.copy()
    pose[:3, :3] *= 1.0004
    (solution,) = group.calcInvKin(KinGroupIKInput(pose, "world", TIP), Q + 0.1)
    np.testing.assert_allclose(solution, Q, atol=1e-7)


def test_an_unreachable_pose_has_no_solution_and_the_plan_tells_why() -> None:
    group = arm()
    pose = KinGroupIKInput(up(9.0), "world", TIP)
    assert group.calcInvKin(pose, Q) == []
    plan = group.inverse_plan(TIP, "world")
    assert plan.joint_names == tuple(ARM)
    found = inverse_kinematics(plan, pose.pose, Q, options=InverseOptions(max_attempts=3))
    assert found.status is InverseStatus.UNREACHABLE


POSE = KinGroupIKInput(up(1.0), "world", TIP)
BAD_INVERSES: list[tuple[Any, Any, type[Exception], str]] = [
    (KinGroupIKInput(up(), "world", "nope"), Q, UnknownLinkError, "nope"),
    (KinGroupIKInput(up(), "nope", TIP), Q, UnknownLinkError, "nope"),
    (KinGroupIKInput(up(), TIP, TIP), Q, InvalidNameError, "moves link"),
    (KinGroupIKInput(np.full((4, 4), np.nan), "world", TIP), Q, NotFiniteError, TIP),
    (KinGroupIKInput(None, "world", TIP), Q, WrongTypeError, TIP),
    (KinGroupIKInput(np.eye(3), "world", TIP), Q, ShapeError, TIP),
    (KinGroupIKInput(1.002 * up().matrix, "world", TIP), Q, NotRigidError, TIP),
    (KinGroupIKInput(up(), ["world"], TIP), Q, WrongTypeError, "working_frame"),  # type: ignore[arg-type]
    (KinGroupIKInput(up(), "world", 3), Q, WrongTypeError, "tip_link_name"),  # type: ignore[arg-type]
    ([POSE, POSE], Q, InvalidNameError, "two poses"),
    ([], Q, LengthError, "no pose"),
    (up(), Q, WrongTypeError, "KinGroupIKInput"),
    (POSE, Q[:5], LengthError, "length 5"),
    (POSE, np.full(6, np.nan), NotFiniteError, "wrist_1_joint"),
    (POSE, np.zeros((2, 2, 6)), ShapeError, "seed"),
    (POSE, "q", WrongTypeError, "seed"),
]


@pytest.mark.parametrize(("inputs", "seed", "error", "words"), BAD_INVERSES)
def test_bad_inverse_problems_are_refused(
    inputs: Any, seed: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        arm().calcInvKin(inputs, seed)


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_wherever_the_arm_is_it_finds_back(seed: int) -> None:
    group = arm()
    q = np.random.default_rng(seed).uniform(-3, 3, 6)
    pose = KinGroupIKInput(group.calcFwdKin(q)[TIP], "world", TIP)
    solutions = group.calcInvKin(pose, q)
    assert len(solutions) == 1
    assert (solutions[0] == q).all()
