"""Options of another kind than they are: refused with the name of the field, whichever it is."""

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

from kinegraph.robot import (
    CARTESIAN,
    FrictionTerm,
    IntegralTerm,
    JointLimits,
    MotionLimits,
    RobotController,
    WorkspaceBox,
)
from kinegraph.robot.control import FR3, CartesianOptions, ImpedanceOptions, JointOptions
from kinegraph.robot.control.backends import checked_options, within_robot
from kinegraph.robot.errors import InvalidArgumentError

CARTESIAN_WHOLE = CartesianOptions(
    workspace=WorkspaceBox([0.0, -0.5, 0.0], [0.8, 0.5, 1.0]),
    max_target_age_s=1.0,
    backend=ImpedanceOptions(
        friction=FrictionTerm(), integral=IntegralTerm(), posture=0.5 * (FR3.lower + FR3.upper)
    ),
)
JOINT_WHOLE = JointOptions(limits=JointLimits.share_of(FR3))
WRONG: list[Any] = [object(), "0.2", {}, 0.2j, [[]], (0.2, 0.5, 20.0, 1.0), MotionLimits, np.nan]
WRONG.append(np.ones((2, 2)))


def wrong_parts(options: Any, at: str = "") -> list[tuple[str, Any]]:
    """Each field of options and of their parts, with what to put there to get the whole."""
    found: list[tuple[str, Any]] = []
    for field in fields(options):
        value = getattr(options, field.name)
        name = f"{at}{field.name}"
        found.extend((name, bad) for bad in WRONG)
        if is_dataclass(value):
            found.extend(wrong_parts(value, f"{name}."))
    return found


def with_part(options: Any, name: str, value: Any) -> Any:
    """Options with one field of one part replaced."""
    first, _, rest = name.partition(".")
    return replace(
        options, **{first: with_part(getattr(options, first), rest, value) if rest else value}
    )


@pytest.mark.parametrize("whole", [CARTESIAN_WHOLE, JOINT_WHOLE], ids=["cartesian", "joint"])
def test_no_field_takes_a_value_of_another_kind(whole: Any) -> None:
    whole.validate(FR3)
    parts = wrong_parts(whole)
    assert len(parts) > 300
    for name, value in parts:
        if name == "observer" and callable(value):
            continue
        with pytest.raises(InvalidArgumentError) as refusal:
            with_part(whole, name, value).validate(FR3)
        assert name.rpartition(".")[2] in str(refusal.value), (name, value)


@pytest.mark.parametrize("kind", [CartesianOptions, JointOptions])
@pytest.mark.parametrize("law", [CARTESIAN, RobotController()])
def test_a_law_in_the_place_of_options_is_told_where_it_belongs(kind: Any, law: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=rf"{kind.__name__}\(backend=\.\.\.\)"):
        checked_options(law, kind)


@pytest.mark.parametrize("kind", [CartesianOptions, JointOptions])
@pytest.mark.parametrize("other", [3, "fast", CartesianOptions, MotionLimits(1.0, 1.0, 1.0)])
def test_what_is_no_options_is_refused(kind: Any, other: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=f"are no {kind.__name__}$"):
        checked_options(other, kind)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.inf, np.nan, "fast"])
@pytest.mark.parametrize("version", [5, 10])
def test_a_budget_that_is_none_is_refused_and_not_cut_to_what_the_robot_takes(
    bad: Any, version: int
) -> None:
    options = CartesianOptions(backend=RobotController())
    for name in ("limits", "rotation_limits"):
        for row in ((bad, 1.0, 1.0), (1.0, bad, 1.0), (1.0, 1.0, bad)):
            with pytest.raises(InvalidArgumentError, match=name):
                within_robot(with_part(options, name, MotionLimits(*row)), version)
