"""The hand of a simulated robot, moved by all clients of both versions."""

from typing import Any

import pytest
from drives import Drive, Driven, of
from third_party import needs_peers

pytestmark = [pytest.mark.compiled, pytest.mark.slow, needs_peers]
CLIENTS = (
    ("v10", "pylibfranka", 10),
    ("v10", "franka_rs", 10),
    ("v10", "franka_rs", 5),
    ("v5", "franky", 10),
    ("v5", "panda", 5),
)
WITHIN = 5e-4  # m


def hand(group: str, library: str, fci: int) -> Drive:
    return Drive(group, "gripper_client.py", (library,), fci=fci, holding=0.03)


def at(width: float, grasped: bool = False) -> dict[str, Any]:
    return {
        "width": pytest.approx(width, abs=WITHIN),
        "max_width": pytest.approx(0.08, abs=WITHIN),
        "is_grasped": grasped,
    }


@of(*(hand(*client) for client in CLIENTS))
def test_the_hand_moves_holds_and_stops(drive: Drive, driven: Driven) -> None:
    said = driven.said
    assert said["version"] == 3
    assert said["homing"] == said["move"] == said["held"] == said["opened"] == "True"
    assert said["homed"] == at(0.08)
    assert said["moved"] == at(0.06)
    assert said["holding"] == at(0.03, grasped=True)
    assert said["open"] == at(0.08)
    assert said["missed"] == "False"  # what is there is narrower
    if drive.task == ("pylibfranka",):  # which lets no other thread run meanwhile
        assert said["stopped"] == "True"
        assert said["between"] == at(0.04)
        return
    assert "aborted" in said["stopped"]
    assert 0.045 < said["between"]["width"] < 0.08
