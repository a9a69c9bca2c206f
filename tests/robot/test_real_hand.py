"""The hand: clients of others drive the simulated one, ours drives the hands of others."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address
from third_party import franky_assets, needs_peers, serving, tell

from kinegraph.robot import (
    CommandError,
    Frame,
    Gripper,
    Model,
    NativeModelBackend,
    SimulatedHand,
    SimulatedRobot,
    SimulatedTool,
    description_text,
)

pytestmark = [pytest.mark.compiled, pytest.mark.slow, needs_peers]

CLIENTS = {"pylibfranka": "v10", "franka-rs": "v10", "franky": "v5"}
THING, NEAR = 0.04, 5e-4  # m


@pytest.fixture(scope="module", params=CLIENTS)
def seen(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """What a client saw of the simulated hand."""
    with SimulatedHand(fresh_address(), object_width=THING) as hand:
        yield tell(CLIENTS[request.param], "hand_clients.py", hand.address[0], "run", request.param)


def test_every_call_answers_as_on_a_hand(seen: dict[str, Any]) -> None:
    answers = {name: seen[name] for name in ("homing", "move", "grasp", "open", "miss", "band")}
    assert answers == {
        "homing": True, "move": True, "grasp": True, "open": True, "miss": False, "band": True,
    }  # fmt: skip


def test_the_states_follow_the_fingers(seen: dict[str, Any]) -> None:
    widths = {"before": 0.08, "homed": 0.08, "moved": 0.06, "grasped": THING, "opened": 0.08,
              "missed": THING, "banded": THING}  # fmt: skip
    for name, width in widths.items():
        assert abs(seen[name]["width"] - width) < NEAR, name
        assert seen[name]["is_grasped"] is (name in ("grasped", "banded")), name
        assert (seen[name]["max_width"], seen[name]["temperature"]) == (0.08, 30)


def test_what_no_hand_can_do_fails(seen: dict[str, Any]) -> None:
    text = "libfranka gripper: Command failed!"
    assert seen["refused"] == dict.fromkeys(("wide", "still", "weak"), text)


def test_stop_ends_a_move(seen: dict[str, Any]) -> None:
    assert seen["aborted"] == "libfranka gripper: Command aborted!"
    # Half a second of 2 cm/s; three seconds more on a machine that is busy.
    assert 0.01 < seen["left"]["width"] < 0.08 - NEAR
    assert seen["stop"] is True
    assert seen["idle_stop"] is True


@pytest.fixture(scope="module", params=["franka-sim", "franky-sim"])
def simulator(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, str]]:
    """Name and address of a simulator of others that serves a hand."""
    host, folder = fresh_address(), str(tmp_path_factory.mktemp("simulator"))
    extra = (franky_assets(), folder) if request.param == "franka-sim" else ()
    script = f"{request.param.replace('-', '_')}_server.py"
    with serving(request.param, script, host, *extra):
        yield request.param, host


def test_our_client_drives_the_hands_of_others(simulator: tuple[str, str]) -> None:
    name, host = simulator
    with Gripper(host, timeout_s=60.0) as gripper:
        assert gripper.homing()
        assert gripper.move(0.06, 0.1)
        assert abs(gripper.read_once().width - 0.06) < 5e-3  # franky-sim's fingers sag
        times = [state.time for state, _ in zip(gripper.states(), range(20), strict=False)]
        assert (np.diff(times) > 0).all()
        if name == "franka-sim":  # franky-sim reports success whatever happens
            assert gripper.grasp(THING, 0.1, 20.0)
            assert gripper.read_once().is_grasped
            assert gripper.grasp(0.02, 0.1, 20.0) is False
            with pytest.raises(CommandError, match="failed"):
                gripper.move(0.5, 0.1)
        assert gripper.stop()
        assert gripper.is_connected
        assert gripper.dropped == 0


def test_libfrankas_model_takes_the_arm_with_its_hand() -> None:
    with SimulatedRobot(fresh_address(), hand=True) as robot:
        seen = tell("v10", "hand_clients.py", robot.address[0], "arm_and_hand")
    assert seen["moved"]
    assert seen["waited"]
    assert abs(seen["width"] - 0.03) < NEAR
    tool = SimulatedTool.franka_hand()
    assert abs(seen["m_ee"] - tool.mass) < 1e-6
    np.testing.assert_allclose(seen["F_T_EE"], tool.F_T_NE.ravel(order="F"), atol=1e-6)
    ours = Model(NativeModelBackend.from_urdf(description_text("fr3")))
    pose = ours.pose(Frame.EndEffector, seen["q"], seen["F_T_EE"], np.eye(4))
    np.testing.assert_allclose(seen["O_T_EE"], pose, atol=1e-6)
    load = (tool.mass, tool.centre)
    gravity = ours.gravity(seen["q"], *load)
    np.testing.assert_allclose(seen["gravity"], gravity, atol=1e-5)
    mass = ours.mass(seen["q"], tool.inertia.ravel(), *load)
    np.testing.assert_allclose(seen["mass"], mass, atol=1e-5)
