"""Filters, limiters, limits and checks against the numbers of libfranka 0.21.3 and 0.9.2."""

from collections.abc import Callable
from typing import Any

import pytest
from fci_numbers import FILE, assert_close, cases

from kinegraph.robot import (
    InvalidArgumentError,
    cartesian_lowpass_filter,
    is_homogeneous_transformation,
    is_valid_elbow,
    limit_rate_cartesian_pose,
    limit_rate_cartesian_velocity,
    limit_rate_joint_position,
    limit_rate_joint_velocity,
    limit_rate_torques,
    lowpass_filter,
    rate_limits,
)
from kinegraph.robot.limits import RateLimits
from kinegraph.robot.model.loads import combine_loads


def joint_velocity_limits(q: list[float]) -> dict[str, Any]:
    """The limits of the listed parameters."""
    upper, lower = rate_limits(10).joint_velocity_limits(q)
    return {"upper": upper, "lower": lower}


def combine_load(**bodies: Any) -> dict[str, Any]:
    """The sum of end effector and load by name."""
    total = combine_loads(**bodies)
    return {name: getattr(total, name) for name in ("m_total", "F_x_Ctotal", "I_total")}


OPERATIONS: dict[str, Callable[..., Any]] = {
    "lowpass_filter": lowpass_filter,
    "cartesian_lowpass_filter": cartesian_lowpass_filter,
    "limit_rate_torques": limit_rate_torques,
    "limit_rate_joint_velocity": limit_rate_joint_velocity,
    "limit_rate_joint_position": limit_rate_joint_position,
    "joint_velocity_limits": joint_velocity_limits,
    "limit_rate_cartesian_velocity": limit_rate_cartesian_velocity,
    "limit_rate_cartesian_pose": limit_rate_cartesian_pose,
    "combine_load": combine_load,
    "is_homogeneous_transformation": is_homogeneous_transformation,
    "is_valid_elbow": is_valid_elbow,
}
ARGUMENT_NAMES = {
    "commanded_velocity": "commanded",
    "commanded_position": "commanded",
    "transform": "pose",
}


@pytest.mark.parametrize("case", cases(*OPERATIONS))
def test_function_gives_the_number_of_the_library(case: dict[str, Any]) -> None:
    given: dict[str, Any] = case["in"]
    arguments = {ARGUMENT_NAMES.get(name, name): value for name, value in given.items()}
    if "error" in case:
        with pytest.raises(InvalidArgumentError) as caught:
            OPERATIONS[case["op"]](**arguments)
        assert case["error"] in str(caught.value)
        return
    got = OPERATIONS[case["op"]](**arguments)
    if isinstance(case["out"], dict):
        for name, value in case["out"].items():
            assert_close(got[name], value, name)
    else:
        assert_close(got, case["out"])


def test_every_operation_of_the_file_is_tested_somewhere() -> None:
    elsewhere = {"convert_motion", "convert_torques"}  # test_command_conversion.py
    assert set(FILE["meta"]["operations"]) == set(OPERATIONS) | elsewhere
    assert len(FILE["cases"]) == 213


@pytest.mark.parametrize("version", [10, 5])
def test_constants_are_those_of_the_library(version: int) -> None:
    limits, wanted = rate_limits(version), FILE["meta"][f"constants_v{version}"]
    names = ("velocity", "acceleration", "jerk")
    assert_close(limits.torque_rate, wanted["torque_rate"])
    assert_close(limits.joint_jerk, wanted["joint_jerk"])
    assert_close(limits.joint_acceleration, wanted["joint_acceleration"])
    cartesian = [
        wanted[f"{kind}_{name}"] for kind in ("translational", "rotational") for name in names
    ]
    assert_close(limits.cartesian, cartesian)
    assert_close(limits.elbow, [wanted[f"elbow_{name}"] for name in names])
    if version == 5:
        assert_close(limits.joint_velocity, wanted["joint_velocity"])
        upper, lower = limits.joint_velocity_limits([0.0] * 7)
        assert_close(upper, wanted["joint_velocity"])
        assert_close(lower, -upper)


def test_velocity_table_is_that_of_the_library() -> None:
    table = rate_limits(10).joint_velocity
    for name, values in FILE["meta"]["joint_velocity_parameters_v10"].items():
        assert_close(getattr(table, name), values, name)


def test_unknown_version_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"no FCI version 7; there are \[5, 10\]"):
        rate_limits(7)
    assert isinstance(rate_limits(10), RateLimits)
    assert rate_limits(10) is rate_limits(10)
