"""The dynamics kernels against a slow twin; mimic joints, branches, frozen joints included."""

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest
from dynamics_robots import TIPS, random_chain, robot_urdf
from dynamics_twin import Twin
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.kinematics import dynamics
from kinegraph.kinematics.dynamics import DynamicsPlan, Load, plan_dynamics
from kinegraph.robot.sim.descriptions import description_text
from kinegraph.scene import Isometry3d, Joint, JointType, SceneGraph, parseURDFString
from kinegraph.scene.array_types import Array

LOAD = Load(0.8, np.array([0.02, -0.03, 0.1]), np.diag([0.004, 0.003, 0.002]))
GRAVITY = np.array([0.3, -0.4, -9.7])

BRANCHES = """<robot name="branches">
  <link name="base"/>
  <link name="torso">{i}</link><link name="left">{i}</link><link name="right">{i}</link>
  <link name="left_tip">{i}</link><link name="right_tip">{i}</link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="torso"/>
    <origin xyz="0 0.1 0.5" rpy="0.3 0 0.2"/><axis xyz="0 1 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="swing" type="revolute"><parent link="torso"/><child link="left"/>
    <origin xyz="0.2 0 0.1" rpy="0 1 0"/><axis xyz="1 0 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="slide" type="prismatic"><parent link="torso"/><child link="right"/>
    <origin xyz="-0.2 0 0.1" rpy="0 0 2"/><axis xyz="0 -2 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/>
    <mimic joint="swing" multiplier="-0.4" offset="0.1"/></joint>
  <joint name="elbow" type="revolute"><parent link="left"/><child link="left_tip"/>
    <origin xyz="0 0.3 0" rpy="0 0 1"/><axis xyz="0 0 -1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/>
    <mimic joint="swing" multiplier="1.5" offset="-0.2"/></joint>
  <joint name="finger" type="prismatic"><parent link="right"/><child link="right_tip"/>
    <origin xyz="0 0 0.3"/><axis xyz="1 0 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>""".format(
    i='<inertial><origin xyz="0.05 -0.1 0.08" rpy="1 2 3"/><mass value="1.7"/>'
    '<inertia ixx="0.03" ixy="0.002" ixz="-0.001" iyy="0.04" iyz="0.003" izz="0.05"/></inertial>'
)


def armed_gripper() -> SceneGraph:
    """The FR3 with the gripper at its flange, below a turned base."""
    graph = parseURDFString(description_text("fr3"))
    joint = Joint("mount")
    joint.type = JointType.FIXED
    joint.parent_link_name, joint.child_link_name = "fr3_link8", "tool_palm"
    joint.parent_to_joint_origin_transform = Isometry3d.from_rpy([0, 0, 0.01], [0, 0, -0.8])
    assert graph.insertSceneGraph(parseURDFString(description_text("gripper")), joint, "tool_")
    return graph


def branches() -> SceneGraph:
    return parseURDFString(BRANCHES)


def chain() -> SceneGraph:
    return parseURDFString(random_chain(3, "RPRCR"))


# Graph, joints, flange, base, whether what is below the flange counts.
Scene = tuple[Callable[[], SceneGraph], list[str] | None, str, str | None, bool]
SCENES: dict[str, Scene] = {
    "branches": (branches, ["swing", "turn"], "left_tip", "base", True),
    "branch-finger": (branches, ["finger", "swing"], "right_tip", "base", True),
    "arm-and-gripper": (armed_gripper, None, "fr3_link8", "fr3_link0", True),
    "arm-without-gripper": (armed_gripper, None, "fr3_link8", "fr3_link0", False),
    "gripper": (armed_gripper, ["fr3_joint2", "tool_left_slide"], "tool_tip", "fr3_link1", True),
    "inner-base": (chain, ["j4", "j3"], "l5", "l1", True),
}
for robot, tip in TIPS.items():
    SCENES[robot] = (partial(parseURDFString, robot_urdf(robot)), None, tip, None, True)


@cache
def scene(name: str) -> tuple[DynamicsPlan, Twin]:
    make, names, tip, base, below = SCENES[name]
    graph = make()
    plan = plan_dynamics(graph, names, tip, base, below)
    return plan, Twin(graph, list(plan.joint_names), tip, plan.base_link, below)


def state(plan: DynamicsPlan, seed: int) -> Array:
    return np.random.default_rng(seed).uniform(-3.0, 3.0, (3, plan.n))


@pytest.mark.parametrize("name", SCENES)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=8, deadline=None)
def test_mass_matrix_is_that_of_the_twin(name: str, seed: int) -> None:
    plan, twin = scene(name)
    q, _, _ = state(plan, seed)
    expected = twin.mass_matrix(q, LOAD)
    M = dynamics.mass_matrix(plan, q, LOAD)
    np.testing.assert_allclose(M, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("name", SCENES)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=8, deadline=None)
def test_torques_are_those_of_the_twin(name: str, seed: int) -> None:
    plan, twin = scene(name)
    q, dq, ddq = state(plan, seed)
    zero = np.zeros(plan.n)
    for tau, expected in (
        (
            dynamics.inverse_dynamics(plan, q, dq, ddq, GRAVITY, LOAD),
            twin.torques(q, dq, ddq, GRAVITY, LOAD),
        ),
        (dynamics.coriolis_torque(plan, q, dq), twin.torques(q, dq, zero, np.zeros(3), None)),
        (dynamics.gravity_torque(plan, q, GRAVITY), twin.torques(q, zero, zero, GRAVITY, None)),
    ):
        scale = np.abs(expected).max() + 1e-6
        np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-11 * scale)


@pytest.mark.parametrize("name", SCENES)
def test_jacobian_derivative_is_the_change_of_the_twins_jacobian(name: str) -> None:
    plan, twin = scene(name)
    q, dq, _ = state(plan, 5)
    h = 1e-5
    tip = plan.flange_link
    ahead, behind = (twin.motions(q + s * dq, dq)[tip].J for s in (h, -h))
    change = (ahead - behind) / (2.0 * h)
    # Central differences: an error of h**2 times third derivatives of up to 3**3.
    np.testing.assert_allclose(dynamics.jacobian_derivative(plan, q, dq), change, atol=1e-7)
