"""Planning: which links belong to which body, and what is refused."""

import pickle
from typing import Any

import numpy as np
import pytest
from dynamics_robots import random_chain

from kinegraph.kinematics import OFKTStateSolver
from kinegraph.kinematics.dynamics import (
    dynamics_workspace,
    gravity_torque,
    mass_matrix,
    plan_dynamics,
)
from kinegraph.scene import Inertial, Link, SceneGraph, parseURDFString
from kinegraph.scene.errors import (
    InvalidInertialError,
    InvalidNameError,
    KinegraphError,
    NoPathError,
    UnknownJointError,
    UnknownLinkError,
    UnsupportedError,
)

BOOM = """<robot name="boom">
  <link name="ground"><inertial><mass value="9"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="boom"><inertial><origin xyz="1 0 0"/><mass value="2"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0.5"/></inertial></link>
  <link name="sled"><inertial><mass value="3"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <link name="bag"><inertial><mass value="5"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="swing" type="revolute"><parent link="ground"/><child link="boom"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="slide" type="prismatic"><parent link="boom"/><child link="sled"/>
    <axis xyz="1 0 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="hook" type="fixed"><parent link="sled"/><child link="bag"/>
    <origin xyz="1 0 0"/></joint>
</robot>"""


@pytest.fixture
def graph() -> SceneGraph:
    return parseURDFString(BOOM)


def test_named_joints_are_the_columns_in_the_order_given(graph: SceneGraph) -> None:
    plan = plan_dynamics(graph, ["slide", "swing"], "sled")
    M = mass_matrix(plan, [2.0, 0.4])
    np.testing.assert_allclose(M, [[3.0, 0.0], [0.0, 0.5 + 2.0 + 3.0 * 4.0]], atol=1e-15)


def test_joints_left_out_are_those_from_base_to_flange(graph: SceneGraph) -> None:
    plan = plan_dynamics(graph, None, "sled")
    assert (plan.joint_names, plan.n, plan.body_count) == (("swing", "slide"), 2, 2)
    assert (plan.base_link, plan.flange_link) == ("ground", "sled")


def test_what_hangs_below_the_flange_counts_only_when_asked_for(graph: SceneGraph) -> None:
    without = plan_dynamics(graph, ["slide"], "sled")
    whole = plan_dynamics(graph, ["slide"], "sled", include_below_flange=True)
    assert mass_matrix(without, [0.0]) == [[3.0]]
    assert mass_matrix(whole, [0.0]) == [[8.0]]


def test_a_joint_that_is_not_named_stays_at_zero_in_a_graph(graph: SceneGraph) -> None:
    plan = plan_dynamics(graph, ["swing"], "boom", include_below_flange=True)
    np.testing.assert_allclose(mass_matrix(plan, [0.3]), [[0.5 + 2.0 + 5.0]], atol=1e-15)


def test_a_joint_that_is_not_named_stays_where_the_solver_has_it(graph: SceneGraph) -> None:
    solver = OFKTStateSolver(graph)
    solver.setState({"slide": 2.0})
    plan = plan_dynamics(solver, ["swing"], "boom", include_below_flange=True, inertials_from=graph)
    expected = 0.5 + 2.0 + 3.0 * 4.0 + 5.0 * 9.0
    np.testing.assert_allclose(mass_matrix(plan, [0.3]), [[expected]], atol=1e-14)
    solver.setState({"slide": 0.0})  # the plan does not follow
    np.testing.assert_allclose(mass_matrix(plan, [0.3]), [[expected]], atol=1e-14)


def test_a_solver_alone_has_no_masses(graph: SceneGraph) -> None:
    with pytest.raises(UnsupportedError, match="inertials_from"):
        plan_dynamics(OFKTStateSolver(graph), None, "sled")


def test_gravity_is_in_the_frame_of_the_base_link(graph: SceneGraph) -> None:
    outer = plan_dynamics(graph, ["slide"], "sled")
    inner = plan_dynamics(graph, ["slide"], "sled", "boom")
    for plan in (outer, inner):
        np.testing.assert_allclose(gravity_torque(plan, [0.5], [-2.0, 0, 0]), [6.0])


def test_a_plan_without_joints_has_empty_results(graph: SceneGraph) -> None:
    plan = plan_dynamics(graph, [], "bag")
    assert mass_matrix(plan, []).shape == (0, 0)
    assert gravity_torque(plan, np.empty((4, 0))).shape == (4, 0)


def test_a_plan_survives_pickling(graph: SceneGraph) -> None:
    plan = plan_dynamics(graph, None, "sled")
    again = pickle.loads(pickle.dumps(plan))
    np.testing.assert_array_equal(mass_matrix(again, [0.1, 2]), mass_matrix(plan, [0.1, 2]))


def test_the_workspace_grows_with_the_bodies() -> None:
    plan = plan_dynamics(parseURDFString(random_chain(1, "RPR")), None, "tip")
    assert len(plan.workspace()) == dynamics_workspace(3) < dynamics_workspace(4)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((None, "sld"), UnknownLinkError, "did you mean 'sled'"),
        ((None, "sled", "grund"), UnknownLinkError, "did you mean 'ground'"),
        ((["swin"], "sled"), UnknownJointError, "swin; did you mean 'swing'"),
        ((["hook"], "bag"), UnknownJointError, "hook"),
        ((["slide", "swing", "slide"], "sled"), InvalidNameError, "named twice: slide"),
        ((["slide"], "boom"), UnknownJointError, "slide"),
        ((["swing"], "sled", "boom"), UnknownJointError, "swing"),
        ((None, "ground", "sled"), NoPathError, "'ground' is not below base link 'sled'"),
    ],
)
def test_names_that_do_not_fit_are_refused(
    graph: SceneGraph, arguments: tuple[Any, ...], error: type[KinegraphError], text: str
) -> None:
    with pytest.raises(error, match=text):
        plan_dynamics(graph, *arguments)


def test_a_joint_that_follows_another_cannot_be_a_column() -> None:
    text = BOOM.replace(
        '<axis xyz="1 0 0"/>', '<axis xyz="1 0 0"/><mimic joint="swing" multiplier="2"/>'
    )
    graph = parseURDFString(text)
    with pytest.raises(UnknownJointError, match="slide"):
        plan_dynamics(graph, ["slide"], "sled")
    plan = plan_dynamics(graph, None, "sled")
    assert (plan.joint_names, plan.n, plan.body_count) == (("swing",), 1, 2)
    at = 2.0 * 0.3  # where the rule puts the sled
    np.testing.assert_allclose(mass_matrix(plan, [0.3]), [[0.5 + 2 + 3 * at**2 + 3 * 4]])


@pytest.mark.parametrize(("field", "value"), [("mass", -1.0), ("mass", np.nan), ("ixy", np.inf)])
def test_impossible_inertials_are_refused(field: str, value: float) -> None:
    graph = parseURDFString(BOOM)
    link, inertial = Link("lump"), Inertial()
    setattr(inertial, field, value)
    link.inertial = inertial
    hook = graph.getJoint("hook")
    assert hook is not None
    joint = hook.clone("weld")
    joint.child_link_name = "lump"
    try:
        assert graph.addLink(link, joint)
    except ValueError:
        return  # refused even earlier
    with pytest.raises(InvalidInertialError, match="'lump'"):
        plan_dynamics(graph, None, "lump")
