"""The dynamics against numbers that pinocchio computed once."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dynamics_robots import FOLDER, TIPS, robot_urdf

from kinegraph.kinematics import dynamics
from kinegraph.kinematics.dynamics import DynamicsPlan, Load, plan_dynamics
from kinegraph.scene import parseURDFString
from kinegraph.scene.array_types import Array

GOLDEN = json.loads(Path(FOLDER, "dynamics.json").read_text())
CASES = [(name, i) for name, cases in GOLDEN["robots"].items() for i in range(len(cases))]
LOAD = Load(**GOLDEN["load"])


@cache
def plan(name: str) -> DynamicsPlan:
    return plan_dynamics(parseURDFString(robot_urdf(name)), None, TIPS[name])


def close(value: Array, expected: list[Any]) -> None:
    """Equal to 1e-9 of the largest number; measured: 1e-14."""
    scale = np.abs(expected).max()
    np.testing.assert_allclose(value, expected, rtol=0.0, atol=1e-9 * scale)


@pytest.mark.parametrize(("name", "index"), CASES, ids=[f"{n}-{i}" for n, i in CASES])
def test_every_function_gives_what_pinocchio_gave(name: str, index: int) -> None:
    case, p, g = GOLDEN["robots"][name][index], plan(name), GOLDEN["gravity"]
    q, dq, ddq = case["q"], case["dq"], case["ddq"]
    load = LOAD if case["loaded"] else None
    close(dynamics.mass_matrix(p, q, load), case["mass_matrix"])
    close(dynamics.inverse_dynamics(p, q, dq, ddq, g, load), case["inverse_dynamics"])
    close(dynamics.coriolis_torque(p, q, dq, load), case["coriolis_torque"])
    close(dynamics.gravity_torque(p, q, g, load), case["gravity_torque"])
    close(dynamics.forward_dynamics(p, q, dq, ddq, g, load), case["forward_dynamics"])
    close(dynamics.jacobian_derivative(p, q, dq), case["jacobian_derivative"])


@pytest.mark.parametrize("name", TIPS)
def test_many_configurations_at_once_give_the_same_as_one_by_one(name: str) -> None:
    cases, p = GOLDEN["robots"][name], plan(name)
    q, dq, ddq = (np.array([case[key] for case in cases]) for key in ("q", "dq", "ddq"))
    calls: list[tuple[Callable[..., Any], tuple[Array, ...]]] = [
        (dynamics.mass_matrix, (q,)),
        (dynamics.inverse_dynamics, (q, dq, ddq)),
        (dynamics.gravity_torque, (q,)),
        (dynamics.coriolis_torque, (q, dq)),
        (dynamics.forward_dynamics, (q, dq, ddq)),
        (dynamics.jacobian_derivative, (q, dq)),
        (dynamics.manipulability, (q,)),
    ]
    for function, inputs in calls:
        one_by_one = [function(p, *row) for row in zip(*inputs, strict=True)]
        np.testing.assert_array_equal(function(p, *inputs), one_by_one)


@pytest.mark.parametrize("name", TIPS)
def test_manipulability_is_the_volume_of_the_jacobian(name: str) -> None:
    for case in GOLDEN["robots"][name]:
        J = np.array(case["jacobian"])
        values = {
            rows: dynamics.manipulability(plan(name), case["q"], rows)
            for rows in ("all", "linear", "angular")
        }
        expected = {
            "all": np.sqrt(np.linalg.det(J @ J.T)),
            "linear": np.sqrt(np.linalg.det(J[:3] @ J[:3].T)),
            "angular": np.sqrt(np.linalg.det(J[3:] @ J[3:].T)),
        }
        assert values == pytest.approx(expected, rel=1e-6)
