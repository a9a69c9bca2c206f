"""The simulated hand driven by libfranka 0.21.3 and 0.21.2 (franky) and franka-rs."""

from collections.abc import Iterator
from typing import Any

import pytest
from robot_addresses import fresh_address
from third_party import needs_peers, tell

from kinegraph.robot import SimulatedHand

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
    assert abs(seen["left"]["width"] - 0.07) < 0.02  # half a second of 2 cm/s, and a busy machine
    assert seen["stop"] is True
    assert seen["idle_stop"] is True
