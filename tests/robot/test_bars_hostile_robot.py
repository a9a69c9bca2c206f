"""Bars of the acceptance of our client: robots that answer wrongly (B6)."""

import pytest
from fault_hostile import HOSTILE, meet
from robot_addresses import fresh_address

# The client is a process of its own, which may have to compile first.
pytestmark = [pytest.mark.compiled, pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.mark.parametrize("name", HOSTILE)
def test_b6_a_bad_robot_ends_in_a_typed_error(name: str) -> None:
    seen = meet(name, fresh_address())
    assert seen["kind"] in HOSTILE[name].kinds, seen["text"]
    if seen["kind"] != "none":
        assert HOSTILE[name].word in seen["text"]
    assert seen["seconds"] < 20.0
    assert seen["rss_growth_mb"] < 50.0
    assert seen["bad_numbers_sent"] == 0
