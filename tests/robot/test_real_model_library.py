"""libfranka 0.9.2 loads the library that the simulated robot hands out; its calls are ours."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_library import build
from robot_addresses import fresh_address
from third_party import needs_peers, tell

from kinegraph.robot import Frame, Model, SimulatedRobot, SoModelBackend

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.slow,
    needs_peers,
    pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="module")
def seen(library: Path) -> Iterator[dict[str, Any]]:
    """What libfranka's model returned."""
    with SimulatedRobot(fresh_address(), fci=5, model_library=library.read_bytes()) as robot:
        yield tell("v5", "model_client.py", robot.address[0], "every_call")


@pytest.fixture(scope="module")
def model(library: Path) -> Model:
    return Model(SoModelBackend.open(library))


@pytest.mark.parametrize("frame", Frame)
@pytest.mark.parametrize("call", ["pose", "body_jacobian", "zero_jacobian"])
def test_frames_are_evaluated_as_by_libfranka(
    seen: dict[str, Any], model: Model, call: str, frame: Frame
) -> None:
    ours = getattr(model, call)(frame, seen["q"], seen["F_T_EE"], seen["EE_T_K"])
    np.testing.assert_allclose(ours, seen[f"{call}.{frame.name}"], rtol=1e-14)


def test_dynamics_are_evaluated_as_by_libfranka(seen: dict[str, Any], model: Model) -> None:
    q, inertia, load = seen["q"], seen["inertia"], (seen["mass"], seen["centre"])
    ours = {
        "mass": model.mass(q, inertia, *load),
        "coriolis": model.coriolis(q, seen["dq"], inertia, *load),
        "gravity": model.gravity(q, *load, seen["gravity"]),
    }
    for call, values in ours.items():
        np.testing.assert_allclose(values, seen[f"call_{call}"], rtol=1e-14)


def test_a_robot_without_a_library_is_told_by_libfranka_in_our_words() -> None:
    with SimulatedRobot(fresh_address(), fci=5) as robot:
        seen = tell("v5", "model_client.py", robot.address[0], "refused")
    assert seen["text"] == "libfranka: Server reports error when loading model library."
