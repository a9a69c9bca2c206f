"""Setters of the simulated robot: ranges, effect on the state, refusal during a motion."""

from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address
from sim_client import SimClient, field, served

from kinegraph.robot.sim import SimulatedRobot

pytestmark = pytest.mark.compiled

IDENTITY = np.eye(4).ravel()
TURNED = np.array([0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0.01, 0.02, 0.1, 1.0])
SKEWED = IDENTITY.copy()
SKEWED[0] = 1.1
LOW, HIGH = np.full(7, 10.0), np.full(7, 20.0)


@pytest.fixture
def robot() -> Any:
    with SimulatedRobot(fresh_address(), realtime=False) as robot:
        yield robot


@pytest.fixture
def client(robot: SimulatedRobot) -> Any:
    with SimClient(robot.address, robot.fci_version) as client:
        client.connect()
        robot.step()
        yield client


def thresholds(low: float, high: float) -> dict[str, Any]:
    return {
        f"{side}_{kind}_thresholds_{phase}": low if side == "lower" else high
        for side in ("lower", "upper")
        for kind in ("torque", "force")
        for phase in ("acceleration", "nominal")
    }


GOOD = [
    ("SetCollisionBehavior", thresholds(10.0, 20.0)),
    ("SetJointImpedance", {"K_theta": 3000.0}),
    ("SetJointImpedance", {"K_theta": 0.0}),
    ("SetCartesianImpedance", {"K_x": [3000.0] * 3 + [300.0] * 3}),
    ("SetGuidingMode", {"guiding_mode": 1, "nullspace": 1}),
    ("SetEEToK", {"EE_T_K": TURNED}),
    ("SetNEToEE", {"NE_T_EE": TURNED}),
    ("SetLoad", {"m_load": 0.5, "F_x_Cload": 0.1, "I_load": 1e-3}),
]
BAD = [
    ("SetCollisionBehavior", thresholds(20.0, 10.0)),
    ("SetCollisionBehavior", thresholds(-1.0, 10.0)),
    ("SetCollisionBehavior", thresholds(np.nan, 10.0)),
    ("SetJointImpedance", {"K_theta": -1.0}),
    ("SetJointImpedance", {"K_theta": 14251.0}),
    ("SetJointImpedance", {"K_theta": np.inf}),
    ("SetCartesianImpedance", {"K_x": [9.0] * 3 + [300.0] * 3}),
    ("SetCartesianImpedance", {"K_x": [3000.0] * 3 + [301.0] * 3}),
    ("SetEEToK", {"EE_T_K": SKEWED}),
    ("SetNEToEE", {"NE_T_EE": np.zeros(16)}),
    ("SetNEToEE", {"NE_T_EE": np.full(16, np.nan)}),
    ("SetLoad", {"m_load": -0.1}),
    ("SetLoad", {"m_load": np.nan}),
    ("SetLoad", {"m_load": 1e300}),
    ("SetLoad", {"m_load": 1.0, "F_x_Cload": 1e3}),
    ("SetLoad", {"m_load": 1.0, "I_load": 1e300}),
    ("SetNEToEE", {"NE_T_EE": np.append(IDENTITY[:12], [1e3, 0.0, 0.0, 1.0])}),
]


@pytest.mark.parametrize(("name", "fields"), GOOD, ids=lambda value: str(value)[:40])
def test_a_value_in_range_is_taken(client: SimClient, name: str, fields: dict[str, Any]) -> None:
    assert client.request(name, **fields) == "Success"


@pytest.mark.parametrize(("name", "fields"), BAD, ids=lambda value: str(value)[:40])
def test_a_value_out_of_range_is_refused_and_changes_nothing(
    robot: SimulatedRobot, client: SimClient, name: str, fields: dict[str, Any]
) -> None:
    before = robot.state
    assert client.request(name, **fields) == "InvalidArgumentRejected"
    np.testing.assert_array_equal(robot.state, before)


@pytest.mark.parametrize(("name", "fields"), GOOD, ids=lambda value: str(value)[:40])
def test_no_setter_is_taken_during_a_motion(
    client: SimClient, name: str, fields: dict[str, Any]
) -> None:
    move = client.move("None", "ExternalController")
    assert client.request(name, **fields) == "CommandNotPossibleRejected"
    assert client.request("StopMove") == "Success"
    assert client.ended(move) == "Preempted"
    assert client.request(name, **fields) == "Success"


FILTERS = {
    f"{name}_filter_frequency": 100.0
    for name in (
        *("joint_position", "joint_velocity", "cartesian_position", "cartesian_velocity"),
        "controller",
    )
}


@pytest.mark.parametrize(
    ("name", "fields"), [*GOOD, ("SetFilters", FILTERS)], ids=lambda value: str(value)[:40]
)
def test_version_5_takes_the_same_and_none_during_a_motion(
    name: str, fields: dict[str, Any]
) -> None:
    with served(fci=5) as (robot, client):
        assert client.request(name, **fields) == "Success"
        move = client.move("JointVelocity", "ExternalController")
        robot.step()
        assert client.request(name, **fields) == "CommandNotPossibleRejected"
        assert client.request("StopMove") == "Success"
        assert client.ended(move) == "Preempted"


@pytest.mark.parametrize(("name", "fields"), BAD, ids=lambda value: str(value)[:40])
def test_version_5_refuses_the_same(name: str, fields: dict[str, Any]) -> None:
    with served(fci=5) as (robot, client):
        before = robot.state
        assert client.request(name, **fields) == "InvalidArgumentRejected"
        np.testing.assert_array_equal(robot.state, before)


@pytest.mark.parametrize("version", [10, 5])
def test_a_setter_in_a_reflex_leaves_it_as_it_is(version: int) -> None:
    with served(fci=version) as (robot, client):
        robot.inject_reflex("joint_reflex")
        assert client.request("SetJointImpedance", K_theta=1000.0) == "Success"
        robot.step()
        assert robot.errors == ("joint_reflex",)
        assert field(robot.state, "robot_mode") == 4


def test_a_new_end_effector_moves_the_pose_and_the_stiffness_frame(
    robot: SimulatedRobot, client: SimClient
) -> None:
    client.request("SetNEToEE", NE_T_EE=TURNED)
    client.request("SetEEToK", EE_T_K=TURNED)
    robot.step()
    state = client.state()
    tool = TURNED.reshape(4, 4, order="F")
    np.testing.assert_allclose(field(state, "NE_T_EE"), TURNED, atol=1e-7)
    np.testing.assert_allclose(field(state, "EE_T_K"), TURNED, atol=1e-7)
    np.testing.assert_allclose(field(state, "F_T_EE"), TURNED, atol=1e-7)
    pose = field(state, "O_T_EE").reshape(4, 4, order="F")
    np.testing.assert_allclose(pose, robot.flange_pose() @ tool, atol=1e-6)


def test_a_load_is_shown_and_its_gravity_compensated(
    robot: SimulatedRobot, client: SimClient
) -> None:
    before = field(client.state(), "tau_J").copy()
    start = robot.q
    client.request("SetLoad", m_load=1.0, F_x_Cload=[0.0, 0.0, 0.1])
    robot.step(1000)
    state = robot.state
    assert field(state, "m_load") == 1.0
    assert field(state, "m_total") == 1.0
    np.testing.assert_allclose(robot.q, start, atol=1e-9)
    assert np.abs(field(state, "tau_J") - before).max() > 1.0


def test_version_5_has_filters_with_a_range() -> None:
    names = ("joint_position", "joint_velocity", "cartesian_position", "cartesian_velocity")
    with served(fci=5) as (_, client):
        fields = {f"{name}_filter_frequency": 100.0 for name in (*names, "controller")}
        assert client.request("SetFilters", **fields) == "Success"
        fields["controller_filter_frequency"] = 1001.0
        assert client.request("SetFilters", **fields) == "InvalidArgumentRejected"
