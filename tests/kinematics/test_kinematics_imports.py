"""The door of the package: complete, sorted, and light."""

import subprocess
import sys

import pytest

import kinegraph.kinematics as kinematics

HEAVY = ("numba", "networkx", "scipy", "lxml")


def test_all_is_sorted_and_every_name_is_there() -> None:
    assert sorted(kinematics.__all__) == kinematics.__all__
    assert dir(kinematics) == kinematics.__all__
    for name in kinematics.__all__:
        assert getattr(kinematics, name) is not None


def test_every_name_of_the_door_has_a_home() -> None:
    assert set(kinematics._HOME) == set(kinematics.__all__)
    for name, home in kinematics._HOME.items():
        module = __import__(f"kinegraph.kinematics.{home}", fromlist=["__all__"])
        assert name in module.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nope"):
        kinematics.nope  # noqa: B018


@pytest.mark.parametrize(
    "statement", ["import kinegraph.kinematics", "from kinegraph.kinematics import OFKTStateSolver"]
)
def test_importing_loads_nothing_heavy(statement: str) -> None:
    code = f"import sys; {statement}; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
