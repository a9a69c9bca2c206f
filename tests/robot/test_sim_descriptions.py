"""Descriptions with a hand: one body on the flange, and a text that every client can read."""

import numpy as np
import pytest
from sim_client import field, served
from sim_descriptions import arm_with_a_gripper

from kinegraph.kinematics.dynamics import gravity_torque
from kinegraph.kinematics.dynamics_plan import plan_dynamics
from kinegraph.robot.sim import SimulatedTool
from kinegraph.scene import parseURDFString

pytestmark = pytest.mark.compiled

HOME = np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])


def test_a_hand_of_the_description_is_the_end_effector_of_the_robot() -> None:
    urdf = arm_with_a_gripper()
    whole = plan_dynamics(
        parseURDFString(urdf),
        [f"fr3_joint{i + 1}" for i in range(7)],
        "fr3_link8",
        include_below_flange=True,
    )
    with served(urdf=urdf) as (robot, client):
        robot.step(50)
        state = client.state()
        np.testing.assert_allclose(field(state, "m_ee"), 0.7, rtol=1e-6)
        np.testing.assert_allclose(
            field(robot.state, "tau_J"), gravity_torque(whole, HOME), atol=1e-6
        )
        np.testing.assert_allclose(robot.q, HOME, atol=1e-9)


def test_the_served_text_has_seven_moving_joints_and_no_mass_below_the_flange() -> None:
    with served(urdf=arm_with_a_gripper()) as (robot, client):
        graph = parseURDFString(client.reply(client.post("GetRobotModel"))[1:])
        assert len(graph.getActiveJoints()) == 7
        below = [graph.getLink(name) for name in graph.getLinkChildrenNames("fr3_link8")]
        assert len(below) > 8
        assert all(link is not None and link.inertial is None for link in below)
        assert robot.fci_version == 10


def test_a_tool_that_is_given_takes_the_place_of_the_hand() -> None:
    tool = SimulatedTool(0.2, np.array([0.0, 0.0, 0.05]))
    with served(urdf=arm_with_a_gripper(), tool=tool) as (_, client):
        np.testing.assert_allclose(field(client.state(), "m_ee"), 0.2, rtol=1e-6)
