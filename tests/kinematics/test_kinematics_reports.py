"""What users found wrong elsewhere: every report about kinematics, on both solvers."""

import math
from typing import Any

import numpy as np
import pytest
from kinematics_cases import joint
from report_cases import (
    both_solvers,
    check_jacobian,
    check_poses,
    check_raises,
    close,
    expected,
    files,
    load,
    scene_of,
)

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver, jacobian
from kinegraph.scene import parseURDFFile

# Reports whose expectation is values in, poses and Jacobians out.
PLAIN = ["K10", "K12", "K13", "K22", "K26", "K27", "K28", "K31", "K32", "K37", "K42", "K45", "K46"]
PLAIN += ["K99"]


@both_solvers
@pytest.mark.parametrize("case", PLAIN)
def test_poses_and_jacobians_are_right(case: str, kind: Any) -> None:
    solver, wanted = load(case, kind), expected(case)
    solver.setState(wanted["q"])
    check_poses(solver, wanted.get("poses", {}))
    jacobians = wanted.get("jacobian", [])
    for one in [jacobians] if isinstance(jacobians, dict) else jacobians:
        check_jacobian(solver, wanted["q"], one)


@both_solvers
@pytest.mark.parametrize(("case", "name"), [("K38", "K38_points.urdf"), ("K18", "K18_knob.urdf")])
def test_one_file_of_a_report_gives_the_right_poses(case: str, name: str, kind: Any) -> None:
    wanted = expected(case)[name]
    solver = load(case, kind, [path.name for path in files(case)].index(name))
    solver.setState(wanted["q"])
    check_poses(solver, wanted["poses"])


@both_solvers
@pytest.mark.parametrize("path", files("K44"), ids=lambda path: path.stem)
def test_an_encoding_does_not_change_the_poses(path: Any, kind: Any) -> None:
    solver = kind(parseURDFFile(path))
    solver.setState(expected("K44")["q"])
    check_poses(solver, expected("K44")["poses"])


@both_solvers
def test_k01_an_unknown_joint_changes_nothing(kind: Any) -> None:
    solver, wanted = load("K01", kind), expected("K01")
    solver.setState({"shoulder": 0.4, "elbow": -0.7})
    check_raises(wanted["step_2"], lambda: solver.setState({"shoulder": 0.9, "wrist_9": 0.1}))
    assert wanted["afterwards"]["q"] == solver.getState().joints
    check_poses(solver, wanted["afterwards"]["poses"])


@both_solvers
def test_k02_partial_updates_keep_the_other_joints(kind: Any) -> None:
    solver, wanted = load("K02", kind), expected("K02")
    steps: list[tuple[Any, ...]] = [
        ({"j_a": 0.3, "j_b": -0.5, "j_c": 0.2},),
        ({"j_b": 0.9},),
        (["j_c", "j_a"], [0.1, 0.7]),
    ]
    for number, step in enumerate(steps, 1):
        solver.setState(*step)
        assert solver.getState().joints == wanted[f"after_{number}"]["q"]
        check_poses(solver, wanted[f"after_{number}"]["poses"])


@both_solvers
def test_k03_an_unknown_link_is_named(kind: Any) -> None:
    solver, wanted = load("K03", kind), expected("K03")
    base, q = solver.getBaseLinkName(), np.zeros(len(solver.getActiveJointNames()))
    check_raises(wanted["pose"], lambda: solver.getLinkTransform("gripper_tcp"))
    check_raises(wanted["pose"], lambda: solver.getRelativeLinkTransform(base, "gripper_tcp"))
    check_raises(wanted["jacobian"], lambda: solver.getJacobian({}, "gripper_tcp"))
    check_raises(wanted["jacobian"], lambda: solver.getJacobian(q, "gripper_tcp"))


@both_solvers
def test_k05_lengths_that_differ_are_refused(kind: Any) -> None:
    solver, wanted = load("K05", kind), expected("K05")
    before = solver.getState()
    check_raises(wanted["a"], lambda: solver.setState(["j_a", "j_b"], [0.1, 0.2, 0.3]))
    check_raises(wanted["b"], lambda: solver.setState([0.1, 0.2]))
    with pytest.raises(ValueError, match="axis"):
        solver.setState(np.array([[0.1], [0.2], [0.3]]))
    assert solver.getState() == before


@both_solvers
def test_k06_no_pose_is_stale(kind: Any) -> None:
    solver, wanted = load("K06", kind), expected("K06")
    for step in wanted["states"]:
        solver.setState(step["q"])
        for link in ("jaw", "turret", "wrist"):
            close(solver.getLinkTransform(link), step["poses"][link])
    probe = solver.getState(wanted["probe"]["q"]).link_transforms
    for link, pose in wanted["probe"]["poses"].items():
        close(probe[link], pose)
    check_poses(solver, wanted["after_probe"]["poses"])


@both_solvers
def test_k08_returned_arrays_share_no_memory(kind: Any) -> None:
    solver = load("K08", kind)
    solver.setState({"turn": 0.2, "lift": 0.3, "twist": -0.4})
    state, limits = solver.getState(), solver.getLimits()
    poses = [solver.getLinkTransform("jaw"), *solver.getLinkTransforms()]
    poses += [*state.link_transforms.values(), *state.joint_transforms.values()]
    for pose in poses:
        for array in (pose.matrix, pose.translation, pose.rotation, np.array(pose)):
            if array.flags.writeable:
                array += 1.0
    for array in (solver.getJacobian({}, "jaw"), limits.joint_limits, limits.velocity_limits):
        array += 1.0
    check_poses(solver, expected("K08")["poses"])
    for link, pose in expected("K08")["poses"].items():
        close(state.link_transforms[link], pose)
    assert not np.array_equal(solver.getLimits().joint_limits, limits.joint_limits)


@both_solvers
def test_k11_a_zero_axis_is_refused_where_it_matters(kind: Any) -> None:
    wanted = expected("K11")
    check_raises(wanted["K11_zero_axis_moving.urdf"], lambda: load("K11", kind, 0))
    solver = load("K11", kind, 1)
    solver.setState(wanted["K11_zero_axis_fixed.urdf"]["q"])
    check_poses(solver, wanted["K11_zero_axis_fixed.urdf"]["poses"])


@both_solvers
def test_k16_a_continuous_joint_has_one_value(kind: Any) -> None:
    solver, wanted = load("K16", kind), expected("K16")
    assert solver.getActiveJointNames() == wanted["active_joints"]
    for step in wanted["states"]:
        for q in (step["q"], list(step["q"].values())):
            solver.setState(q)
            assert solver.getState().joints == step["q"]
            check_poses(solver, step["poses"])


@both_solvers
def test_k17_written_limits_do_not_bound_a_continuous_joint(kind: Any) -> None:
    solver, wanted = load("K17", kind), expected("K17")
    hub: Any = scene_of("K17").getJoint("hub")
    assert hub.position_bounds == (-math.inf, math.inf)
    assert (hub.limits.velocity, hub.limits.effort) == (wanted["velocity"], wanted["effort"])
    limits = [[-wanted["velocity"], wanted["velocity"]]]
    np.testing.assert_array_equal(solver.getLimits().velocity_limits, limits)
    solver.setState(wanted["q"])
    check_poses(solver, wanted["poses"])


@both_solvers
def test_k22_a_follower_has_no_value_of_its_own(kind: Any) -> None:
    solver, wanted = load("K22", kind), expected("K22")
    assert solver.getActiveJointNames() == wanted["active_joints"]
    solver.setState(wanted["q"])
    assert wanted["follower_values"].items() <= solver.getState().joints.items()
    q, error = {"finger_r": 0.01}, wanted["set_finger_r"]
    check_raises(error, lambda: solver.setState(q))
    check_raises(error, lambda: solver.getState(q))
    check_raises(error, lambda: solver.getJacobian(q, "cam_disc"))


@both_solvers
def test_k30_a_floating_value_replaces_the_origin(kind: Any) -> None:
    solver, wanted = load("K30", kind), expected("K30")
    assert solver.getActiveJointNames() == wanted["active_joints"]
    check_poses(solver, wanted["before"]["poses"])
    solver.setState({"pin_turn": 0.6}, {"part_pose": wanted["X"]})
    # The KDL solver holds floating joints at their origins.
    after = wanted["after"] if kind is OFKTStateSolver else wanted["before"]
    check_poses(solver, after["poses"])


@both_solvers
def test_k33_a_jacobian_has_the_frame_asked_for(kind: Any) -> None:
    solver, wanted = load("K33", kind), expected("K33")
    q = [wanted["q"][name] for name in solver.getActiveJointNames()]
    columns = [solver.getActiveJointNames().index(name) for name in wanted["columns"]]
    frames: Any = {
        "base": "base_axes_at_link_origin",
        "body": "body",
        "spatial": "spatial_at_base_origin",
    }
    for frame, key in frames.items():
        close(jacobian(solver, q, wanted["link"], frame)[:, columns], wanted[key])
    close(solver.getJacobian(q, wanted["link"])[:, columns], wanted["base_axes_at_link_origin"])


@pytest.mark.parametrize("edited", ["solver", "graph", "graph, KDL"])
def test_k55_one_graph_is_inserted_twice_with_prefixes(edited: str) -> None:
    wanted, grip = expected("K55"), scene_of("K55", 1)
    subject = load("K55", OFKTStateSolver) if edited == "solver" else scene_of("K55")
    for spec, prefix in zip(wanted["joints"], ("left_", "right_"), strict=True):
        mount = joint(spec["name"], spec["parent"], spec["child"], origin=spec["origin"])
        assert subject.insertSceneGraph(grip, mount, prefix) is True
    solver = solver_of(subject, edited)
    assert set(solver.getActiveJointNames()) == set(wanted["active_joints_as_set"])
    solver.setState(wanted["q"])
    check_poses(solver, wanted["poses"])


def solver_of(subject: Any, edited: str) -> Any:
    if edited == "solver":
        return subject
    return (KDLStateSolver if edited.endswith("KDL") else OFKTStateSolver)(subject)


@pytest.mark.parametrize("edited", ["solver", "graph", "graph, KDL"])
def test_k56_clashing_names_are_refused_and_change_nothing(edited: str) -> None:
    wanted, grip = expected("K56"), scene_of("K56", 1)
    subject = load("K56", OFKTStateSolver) if edited == "solver" else scene_of("K56")
    after = wanted["after_each_failure"]
    attempts = [("mount_1", "flange", ""), ("mount_2", "table", ""), ("mount_1", "table", "b_")]
    for (name, parent, prefix), returned in zip(attempts, wanted["returns"], strict=True):
        mount = joint(name, parent, f"{prefix}palm")
        assert subject.insertSceneGraph(grip, mount, prefix) is returned
        solver = solver_of(subject, edited)
        if returned or edited != "solver":
            solver.setState(after["q"])
        assert solver.getState().joints == after["q"]
        assert solver.getLinkNames() == after["links"]
        check_poses(solver, after["poses"])


@pytest.mark.parametrize("edited", ["solver", "graph", "graph, KDL"])
def test_k60_a_part_that_is_picked_up_follows_the_tool(edited: str) -> None:
    wanted = expected("K60")
    subject: Any = load("K60", OFKTStateSolver) if edited == "solver" else scene_of("K60")
    if edited == "solver":
        subject.setState(wanted["q0"])
    assert subject.moveLink(joint("cup_in_hand", "tool", "cup", origin=wanted["origin"])) is True
    solver = solver_of(subject, edited)
    assert "cup_on_table" not in solver.getJointNames()
    if edited != "solver":
        solver.setState(wanted["q0"])
    check_poses(solver, wanted["at_grasp"])
    solver.setState(wanted["q1"])
    check_poses(solver, wanted["carried"])
