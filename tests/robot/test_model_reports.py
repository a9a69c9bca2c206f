"""Reports K71, K75, K76: loads taken together, the frames behind the flange, model calls."""

import json
from typing import Any

import numpy as np
import pytest
from shared_cases import GOLDEN

from kinegraph.robot.model import Frame, Model, NativeModelBackend, combine_loads
from kinegraph.robot.sim.descriptions import description_text
from kinegraph.scene import Isometry3d

REPORTS: dict[str, Any] = json.loads((GOLDEN / "model" / "reports.json").read_text())
K71, K75, K76 = REPORTS["K71"], REPORTS["K75"], REPORTS["K76"]


@pytest.fixture(scope="module", params=["fr3", "fer"])
def model(request: pytest.FixtureRequest) -> Model:
    return Model(NativeModelBackend.from_urdf(description_text(request.param)))


@pytest.mark.parametrize("case", K71["given"], ids=lambda case: case["name"])
def test_end_effector_and_load_are_taken_together(case: dict[str, Any]) -> None:
    given = {key: value for key, value in case.items() if key != "name"}
    total, expected = combine_loads(**given), K71["expected"][case["name"]]
    assert total.m_total == pytest.approx(expected["m_total"], abs=1e-12)
    np.testing.assert_allclose(total.F_x_Ctotal, expected["F_x_Ctotal"], atol=1e-12)
    np.testing.assert_allclose(total.I_total, expected["I_total"], atol=1e-12)


def test_flange_end_effector_and_stiffness_frame_are_three_frames(model: Model) -> None:
    given, expected = K75["given"], K75["expected"]
    parts = [Isometry3d.from_column_major(given[name]) for name in ("F_T_NE", "NE_T_EE")]
    F_T_EE = (parts[0] @ parts[1]).to_column_major()
    np.testing.assert_allclose(F_T_EE, expected["F_T_EE"], atol=1e-12)
    for frame, name in (
        (Frame.Flange, "O_T_F"),
        (Frame.EndEffector, "O_T_EE"),
        (Frame.Stiffness, "O_T_K"),
    ):
        pose = model.pose(frame, given["q"], F_T_EE, given["EE_T_K"])
        np.testing.assert_allclose(pose, expected[name], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("call", "frame", "key"),
    [
        ("pose", Frame.Flange, "pose_flange"),
        ("pose", Frame.EndEffector, "pose_ee"),
        ("pose", Frame.Stiffness, "pose_stiffness"),
        ("zero_jacobian", Frame.Flange, "zero_jacobian_flange"),
        ("zero_jacobian", Frame.EndEffector, "zero_jacobian_ee"),
        ("zero_jacobian", Frame.Stiffness, "zero_jacobian_stiffness"),
        ("body_jacobian", Frame.EndEffector, "body_jacobian_ee"),
    ],
)
def test_frames_behind_the_flange_move(model: Model, call: str, frame: Frame, key: str) -> None:
    given = K76["given"]
    value = getattr(model, call)(frame, given["q"], given["F_T_EE"], given["EE_T_K"])
    np.testing.assert_allclose(value, K76["expected"][key], rtol=0, atol=1e-9)
