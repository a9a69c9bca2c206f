"""Options and records of the joint target controller, and what of them is refused."""

from dataclasses import fields, replace

import numpy as np
import pytest

from kinegraph.robot.control import (
    FER,
    FR3,
    JOINT,
    ArmTable,
    ImpedanceOptions,
    JointLimits,
    JointOptions,
    JointSent,
    Settle,
    record_dtype,
    view_rows,
)
from kinegraph.robot.control.options_layout import OPTION_OFFSETS
from kinegraph.robot.control.record_layout import JOINT_RECORD_FIELDS, JOINT_RECORD_SIZE
from kinegraph.robot.errors import InvalidArgumentError

NAN, INF = float("nan"), float("inf")
ONES = np.ones(7)


def with_one(value: float) -> np.ndarray:
    """Seven ones but for one."""
    out = np.ones(7)
    out[3] = value
    return out


REFUSED: list[tuple[str, JointOptions]] = [
    *(
        (f"limits.{name}", JointOptions(limits=replace(JointLimits(ONES, ONES, ONES), **{name: v})))
        for name in ("max_velocity", "max_acceleration", "max_jerk")
        for v in (with_one(0.0), with_one(-1.0), with_one(NAN), with_one(INF), np.ones(6))
    ),
    ("limits", JointOptions(limits=0.2)),  # type: ignore[arg-type]
    ("backend", JointOptions(backend=None)),  # type: ignore[arg-type]
    ("controller_mode", JointOptions(controller_mode=None)),  # type: ignore[arg-type]
    *(("max_deviation", JointOptions(max_deviation=bad)) for bad in (0.0, -1.0, NAN, INF)),
    ("settle.tolerance", JointOptions(settle=Settle(0.0))),
    ("settle.cycles", JointOptions(settle=Settle(cycles=0))),
    *(("realtime_priority", JointOptions(realtime_priority=bad)) for bad in (0, 100)),
    *(("cpu", JointOptions(cpu=bad)) for bad in (-1, 1024)),
    ("ik.iterations", JointOptions(backend=replace(JOINT, ik=replace(JOINT.ik, iterations=0)))),
    ("posture", JointOptions(backend=replace(JOINT, posture=np.full(7, 9.0)))),
]


@pytest.mark.parametrize(
    ("field", "options"), REFUSED, ids=[f"{k}-{name}" for k, (name, _) in enumerate(REFUSED)]
)
def test_a_value_that_cannot_be_used_is_refused_by_its_name(
    field: str, options: JointOptions
) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        options.packed(FER)
    assert caught.value.field == field


@pytest.mark.parametrize("table", [FER, FR3], ids=["fer", "fr3"])
def test_the_default_budget_is_a_fifth_of_the_arms_limits(table: ArmTable) -> None:
    packed = JointOptions().packed(table)
    for name, limits in (
        ("joint_velocity", table.max_joint_velocity),
        ("joint_acceleration", table.max_joint_acceleration),
        ("joint_jerk", table.max_joint_jerk),
    ):
        at = OPTION_OFFSETS[name]
        assert packed[at : at + 7] == pytest.approx(0.2 * limits, rel=1e-15)


def test_the_defaults_are_the_specified_ones() -> None:
    options = JointOptions()
    assert options.limits is None
    assert isinstance(options.backend, ImpedanceOptions)
    assert options.backend.gains is JOINT.gains
    assert options.max_deviation == 1.0
    assert options.settle == Settle(1e-3, 250)
    packed = JointOptions(backend=JOINT).packed(FER)
    assert packed[OPTION_OFFSETS["leash_joint"]] == 0.1
    assert packed[OPTION_OFFSETS["feedforward_gain"]] == 0.0


def test_limits_cannot_be_changed_afterwards() -> None:
    given = np.ones(7)
    limits = JointLimits(given, given, given)
    given[0] = 5.0
    assert np.asarray(limits.max_velocity)[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        limits.max_velocity[0] = 2.0  # type: ignore[index]
    with pytest.raises(InvalidArgumentError, match="share"):
        JointLimits.share_of(FER, 0.0)


def test_a_record_has_the_specified_fields() -> None:
    names = [field.name for field in fields(JointSent)]
    assert names == [name for name, _ in JOINT_RECORD_FIELDS]
    assert " ".join(names) == (
        "q target velocity acceleration backstop_alteration q_goal dq_goal cap_scale pinned tau "
        "tau_envelope tau_position leash_alteration"
    )
    dtype = record_dtype(7, JointSent)
    assert dtype["pinned"] == np.dtype((np.int8, (7,)))
    assert dtype["cap_scale"] == np.dtype(np.float64)


def test_every_number_of_a_row_arrives_in_its_field() -> None:
    row = np.arange(1.0, JOINT_RECORD_SIZE + 1.0)
    sent, view = JointSent.from_row(row), view_rows(row[None], kind=JointSent)[0]
    at = 0
    for name, count in JOINT_RECORD_FIELDS:
        given = row[at : at + min(count, 7)].tolist()
        assert np.atleast_1d(getattr(sent, name)).tolist() == given
        assert np.atleast_1d(view[name]).tolist() == given
        at += count
    assert sent == JointSent.from_row(row)
    assert sent != JointSent.from_row(2.0 * row)
    with pytest.raises(InvalidArgumentError, match="row"):
        JointSent.from_row(row[1:])
