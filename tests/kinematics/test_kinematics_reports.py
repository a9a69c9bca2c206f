"""What users found wrong elsewhere: every report about kinematics, with its right answers."""

import json
from typing import Any

import numpy as np
import pytest
from kinematics_cases import joint
from shared_cases import GOLDEN

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver, StateSolver, jacobian
from kinegraph.scene import parseURDFString

FOLDER = GOLDEN / "kinematics_reports"
CASES = {case["id"]: case for case in json.loads((FOLDER / "index.json").read_text())["cases"]}
TOLERANCE = 1e-9
SOLVERS = [OFKTStateSolver, KDLStateSolver]

# Reports whose expectation is values in, poses and Jacobians out.
PLAIN = ["K10", "K12", "K13", "K22", "K26", "K27", "K28", "K31", "K32", "K37", "K99"]


def expected(case: str) -> dict[str, Any]:
    found: dict[str, Any] = CASES[case]["expected"]
    return found


def load(case: str, kind: Any = OFKTStateSolver, place: int | None = None) -> Any:
    file = CASES[case]["file"]
    return kind(parseURDFString((FOLDER / (file if place is None else file[place])).read_bytes()))


def check_poses(solver: StateSolver, poses: dict[str, Any]) -> None:
    transforms = solver.getState().link_transforms
    for link, wanted in poses.items():
        np.testing.assert_allclose(transforms[link], wanted, atol=TOLERANCE)
        np.testing.assert_allclose(solver.getLinkTransform(link), wanted, atol=TOLERANCE)


def check_jacobian(solver: StateSolver, q: Any, wanted: dict[str, Any]) -> None:
    columns = [solver.getActiveJointNames().index(name) for name in wanted["columns"]]
    found = solver.getJacobian(q, wanted["link"])[:, columns]
    np.testing.assert_allclose(found, wanted["value"], atol=TOLERANCE)


def check_raises(wanted: dict[str, Any], call: Any) -> None:
    kind = {"ValueError": ValueError, "KeyError": KeyError}[wanted["raises"]]
    with pytest.raises(kind) as caught:
        call()
    for part in wanted["message_names"]:
        assert part in str(caught.value)


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize("case", PLAIN)
def test_poses_and_jacobians_are_right(case: str, kind: Any) -> None:
    solver, wanted = load(case, kind), expected(case)
    solver.setState(wanted["q"])
    check_poses(solver, wanted.get("poses", {}))
    jacobians = wanted.get("jacobian", [])
    for one in [jacobians] if isinstance(jacobians, dict) else jacobians:
        check_jacobian(solver, wanted["q"], one)


def test_k01_an_unknown_joint_changes_nothing() -> None:
    solver, wanted = load("K01"), expected("K01")
    solver.setState({"shoulder": 0.4, "elbow": -0.7})
    check_raises(wanted["step_2"], lambda: solver.setState({"shoulder": 0.9, "wrist_9": 0.1}))
    assert wanted["afterwards"]["q"].items() <= solver.getState().joints.items()
    check_poses(solver, wanted["afterwards"]["poses"])


def test_k02_partial_updates_keep_the_other_joints() -> None:
    solver, wanted = load("K02"), expected("K02")
    steps: list[tuple[Any, ...]] = [
        ({"j_a": 0.3, "j_b": -0.5, "j_c": 0.2},),
        ({"j_b": 0.9},),
        (["j_c", "j_a"], [0.1, 0.7]),
    ]
    for number, step in enumerate(steps, 1):
        solver.setState(*step)
        assert solver.getState().joints == wanted[f"after_{number}"]["q"]
        check_poses(solver, wanted[f"after_{number}"]["poses"])


def test_k03_an_unknown_link_is_named() -> None:
    solver, wanted = load("K03"), expected("K03")
    check_raises(wanted["pose"], lambda: solver.getLinkTransform("gripper_tcp"))
    check_raises(wanted["jacobian"], lambda: solver.getJacobian({}, "gripper_tcp"))


def test_k05_lengths_that_differ_are_refused() -> None:
    solver, wanted = load("K05"), expected("K05")
    check_raises(wanted["a"], lambda: solver.setState(["j_a", "j_b"], [0.1, 0.2, 0.3]))
    check_raises(wanted["b"], lambda: solver.setState([0.1, 0.2]))
    with pytest.raises(ValueError, match="axis"):
        solver.setState(np.zeros((3, 1)))


def test_k06_no_pose_is_stale() -> None:
    solver, wanted = load("K06"), expected("K06")
    for step in wanted["states"]:
        solver.setState(step["q"])
        for link in ("jaw", "turret", "wrist"):
            np.testing.assert_allclose(
                solver.getLinkTransform(link), step["poses"][link], atol=TOLERANCE
            )
    probe = solver.getState(wanted["probe"]["q"]).link_transforms
    for link, pose in wanted["probe"]["poses"].items():
        np.testing.assert_allclose(probe[link], pose, atol=TOLERANCE)
    check_poses(solver, wanted["after_probe"]["poses"])


def test_k08_returned_arrays_share_no_memory() -> None:
    solver = load("K08")
    solver.setState({"turn": 0.2, "lift": 0.3, "twist": -0.4})
    state = solver.getState()
    for pose in [solver.getLinkTransform("jaw"), *state.link_transforms.values()]:
        np.array(pose).__iadd__(1.0)
        with pytest.raises(ValueError, match="read-only"):
            pose.matrix.__iadd__(1.0)
    J = solver.getJacobian({}, "jaw")
    J += 1.0
    check_poses(solver, expected("K08")["poses"])


@pytest.mark.parametrize("kind", SOLVERS)
def test_k11_a_zero_axis_is_refused_where_it_matters(kind: Any) -> None:
    wanted = expected("K11")
    check_raises(wanted["K11_zero_axis_moving.urdf"], lambda: load("K11", kind, 0))
    solver = load("K11", kind, 1)
    solver.setState(wanted["K11_zero_axis_fixed.urdf"]["q"])
    check_poses(solver, wanted["K11_zero_axis_fixed.urdf"]["poses"])


@pytest.mark.parametrize("kind", SOLVERS)
def test_k16_a_continuous_joint_has_one_value(kind: Any) -> None:
    solver, wanted = load("K16", kind), expected("K16")
    assert solver.getActiveJointNames() == wanted["active_joints"]
    for step in wanted["states"]:
        for q in (step["q"], list(step["q"].values())):
            solver.setState(q)
            assert solver.getState().joints == step["q"]
            check_poses(solver, step["poses"])


def test_k17_written_limits_do_not_bound_a_continuous_joint() -> None:
    solver, wanted = load("K17"), expected("K17")
    solver.setState(wanted["q"])
    check_poses(solver, wanted["poses"])
    np.testing.assert_array_equal(
        solver.getLimits().velocity_limits, [[-wanted["velocity"], wanted["velocity"]]]
    )


def test_k18_a_continuous_joint_needs_no_limits() -> None:
    solver, wanted = load("K18", OFKTStateSolver, 1), expected("K18")["K18_knob.urdf"]
    solver.setState(wanted["q"])
    check_poses(solver, wanted["poses"])


def test_k22_a_follower_has_no_value_of_its_own() -> None:
    solver, wanted = load("K22"), expected("K22")
    assert solver.getActiveJointNames() == wanted["active_joints"]
    solver.setState(wanted["q"])
    assert wanted["follower_values"].items() <= solver.getState().joints.items()
    check_raises(wanted["set_finger_r"], lambda: solver.setState({"finger_r": 0.01}))


def test_k24_a_master_that_does_not_exist_is_refused() -> None:
    check_raises(
        {**expected("K24"), "message_names": expected("K24")["message_names"][:1]},
        lambda: load("K24"),
    )


def test_k30_a_floating_value_replaces_the_origin() -> None:
    solver, wanted = load("K30"), expected("K30")
    assert solver.getActiveJointNames() == wanted["active_joints"]
    check_poses(solver, wanted["before"]["poses"])
    solver.setState({"pin_turn": 0.6}, {"part_pose": wanted["X"]})
    check_poses(solver, wanted["after"]["poses"])


def test_k33_a_jacobian_has_the_frame_asked_for() -> None:
    solver, wanted = load("K33"), expected("K33")
    q = [wanted["q"][name] for name in solver.getActiveJointNames()]
    columns = [solver.getActiveJointNames().index(name) for name in wanted["columns"]]
    for frame, key in (
        ("base", "base_axes_at_link_origin"),
        ("body", "body"),
        ("spatial", "spatial_at_base_origin"),
    ):
        found = jacobian(solver, q, wanted["link"], frame)[:, columns]  # type: ignore[arg-type]
        np.testing.assert_allclose(found, wanted[key], atol=TOLERANCE)


def test_k55_one_graph_is_inserted_twice_with_prefixes() -> None:
    solver, wanted = load("K55", OFKTStateSolver, 0), expected("K55")
    grip = parseURDFString((FOLDER / CASES["K55"]["file"][1]).read_bytes())
    mounts = [
        joint(spec["name"], spec["parent"], spec["child"], spec["type"], origin=spec["origin"])
        for spec in wanted["joints"]
    ]
    returns = [
        solver.insertSceneGraph(grip, mount, prefix)
        for mount, prefix in zip(mounts, ("left_", "right_"), strict=True)
    ]
    assert returns == wanted["returns"]
    assert set(solver.getActiveJointNames()) == set(wanted["active_joints_as_set"])
    solver.setState(wanted["q"])
    check_poses(solver, wanted["poses"])


def test_k56_clashing_names_are_refused_and_change_nothing() -> None:
    solver, wanted = load("K56", OFKTStateSolver, 0), expected("K56")
    grip = parseURDFString((FOLDER / CASES["K56"]["file"][1]).read_bytes())
    after = wanted["after_each_failure"]
    attempts = [
        (joint("mount_1", "flange", "palm"), ""),
        (joint("mount_2", "table", "palm"), ""),
        (joint("mount_1", "flange", "b_palm"), "b_"),
    ]
    for (mount, prefix), returned in zip(attempts, wanted["returns"], strict=True):
        assert solver.insertSceneGraph(grip, mount, prefix) is returned
        solver.setState(after["q"])
        assert solver.getLinkNames() == after["links"]
        check_poses(solver, after["poses"])


def test_k60_a_part_that_is_picked_up_follows_the_tool() -> None:
    solver, wanted = load("K60"), expected("K60")
    solver.setState(wanted["q0"])
    grasp = joint("cup_in_hand", "tool", "cup", origin=wanted["origin"])
    assert solver.moveLink(grasp)
    assert "cup_on_table" not in solver.getJointNames()
    check_poses(solver, wanted["at_grasp"])
    solver.setState(wanted["q1"])
    check_poses(solver, wanted["carried"])
