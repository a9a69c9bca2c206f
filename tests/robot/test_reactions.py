"""What libfranka does when a robot answers, falls silent or errs; our client does the same.

Recorded with libfranka 0.21.3 and 0.9.2 (`cases/fci/reactions_v*.json`). Where ours is meant to do
better, the situation is listed here with the reason.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from reacting_robot import ReactingRobot, reactions
from reaction_calls import CALLS, COMPILED, Call
from robot_addresses import fresh_address

from kinegraph.robot import (
    CommandError,
    ControlError,
    FrankaError,
    IncompatibleVersionError,
    InvalidOperationError,
    NetworkError,
    ProtocolError,
    Robot,
)

pytestmark = pytest.mark.compiled

KINDS: dict[str, type[FrankaError]] = {
    "CommandException": CommandError,
    "ControlException": ControlError,
    "IncompatibleVersionException": IncompatibleVersionError,
    "InvalidOperationException": InvalidOperationError,
    "NetworkException": NetworkError,
    "ProtocolException": ProtocolError,
}
# Where the outcome is meant to differ: the outcomes after the connection.
RULED: dict[str, list[dict[str, str]]] = {
    # A short datagram is dropped and counted (ruling 16); libfranka ends on the first one.
    "short state datagram": [{"call": "control_jp", "result": "ok"}],
    # Ids that do not rise for 1 s are an error (ruling 15); libfranka waits for ever.
    "state message_id constant": [
        {
            "call": "control_jp",
            "result": "NetworkException",
            "text": "libfranka: UDP receive: Timeout",
        }
    ],
    # A closed connection is noticed as such, at once; libfranka waits 1 s for a state (ruling 15).
    "TCP closed while moving": [
        {
            "call": "control_jp",
            "result": "NetworkException",
            "text": "libfranka: server closed connection",
        }
    ],
}


def outcomes_of(case: dict[str, Any]) -> list[dict[str, str]]:
    """The outcomes of a situation after the connection, as they are for our client."""
    ruled = RULED.get(case["situation"])
    return case["outcomes"][1:] if ruled is None else ruled


# Where our text begins as libfranka's and goes on with facts instead of links or nothing.
SAYS_MORE = {
    "libfranka: Incompatible library version (server version: ": " Please check https:",
    "libfranka: UDP receive: Timeout": "",
    "libfranka robot: Attempted to start multiple motions!": "",
}


BOTH = [*reactions(10), *reactions(5)]
MOTIONS = [p for p in BOTH if {o["call"] for o in outcomes_of(p.values[1])} <= COMPILED.keys()]


@pytest.mark.parametrize(("version", "case"), BOTH)
def test_the_outcome_is_libfrankas(version: int, case: dict[str, Any]) -> None:
    play(version, case, CALLS)


@pytest.mark.parametrize(("version", "case"), MOTIONS)
def test_the_compiled_torque_loop_ends_as_a_motion_does(version: int, case: dict[str, Any]) -> None:
    play(version, case, COMPILED)


def play(version: int, case: dict[str, Any], calls: dict[str, Call]) -> None:
    """Make the calls of a situation and compare each outcome."""
    outcomes, texts = outcomes_of(case), case["client_calls"][1:]
    assert len(outcomes) == len(texts) or case["outcomes"][0]["result"] != "ok"
    with ReactingRobot(fresh_address(), version, case["server"]) as server:
        if case["outcomes"][0]["result"] != "ok":
            check(case["outcomes"][0], lambda: Robot(server.address, version=version))
            return
        with Robot(server.address, version=version) as robot:
            for outcome, text in zip(outcomes, texts, strict=True):
                check(outcome, partial(calls[outcome["call"]], robot, text))


def check(outcome: dict[str, str], call: Callable[[], object]) -> None:
    """Make a call and compare its outcome."""
    if outcome["result"] == "ok":
        call()
        return
    with pytest.raises(FrankaError) as caught:
        call()
    assert type(caught.value) is KINDS[outcome["result"]], caught.value
    text, wanted = str(caught.value), outcome["text"]
    for beginning, dropped in SAYS_MORE.items():
        if wanted.startswith(beginning):
            assert text.startswith(wanted.split(dropped)[0] if dropped else wanted)
            return
    assert text == wanted


def test_what_is_ruled_otherwise_is_among_the_situations() -> None:
    situations = {p.values[1]["situation"] for v in (10, 5) for p in reactions(v)}
    assert situations >= RULED.keys()
