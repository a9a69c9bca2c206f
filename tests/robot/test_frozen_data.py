"""Options, tables and records cannot be changed, nor can copies of them."""

import copy
import pickle
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

from kinegraph.robot import (
    CartesianOptions,
    CartesianSent,
    FrictionTerm,
    JointLimits,
    JointSent,
    Tuning,
    WorkspaceBox,
)
from kinegraph.robot.control import FER, FR3, ImpedanceOptions, MotionLimits
from kinegraph.robot.control.frozen_data import FrozenData
from kinegraph.robot.control.record_layout import JOINT_RECORD_SIZE, RECORD_SIZE

LAW = ImpedanceOptions(
    posture=np.zeros(7), torque_limits=np.ones(7), friction=FrictionTerm(limits=np.ones(7))
)
WHOLE = [
    FER,
    FR3,
    CartesianOptions(workspace=WorkspaceBox(np.zeros(3), np.ones(3)), backend=LAW),
    JointLimits.share_of(FR3),
    Tuning(
        np.ones(7),
        np.ones(7),
        1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        MotionLimits(1, 1, 1),
        MotionLimits(1, 1, 1),
    ),
    CartesianSent.from_row(np.arange(RECORD_SIZE, dtype=np.float64) % 2),
    JointSent.from_row(np.arange(JOINT_RECORD_SIZE, dtype=np.float64) % 2),
]
COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda one: pickle.loads(pickle.dumps(one)),
    "built": lambda one: type(one)(*(thawed(getattr(one, f.name)) for f in fields(one))),
}


def thawed(value: Any) -> Any:
    """A value that may be changed."""
    return value.copy() if isinstance(value, np.ndarray) else value


def parts(one: Any) -> Iterator[Any]:
    """All values in it, and in what it holds."""
    if is_dataclass(one):
        yield one
        for field in fields(one):
            yield from parts(getattr(one, field.name))
    else:
        yield one


def kinds(base: type[Any]) -> Iterator[type[Any]]:
    """All classes below one."""
    below: list[type[Any]] = base.__subclasses__()
    for kind in below:
        yield kind
        yield from kinds(kind)


def test_every_kind_is_looked_at() -> None:
    # By their names: a dataclass with slots is made twice.
    seen = {type(part).__name__ for one in WHOLE for part in parts(one)}
    ours = [kind for kind in kinds(FrozenData) if kind.__module__.startswith("kinegraph")]
    assert {kind.__name__ for kind in ours} <= seen | {"TargetRecord"}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("one", WHOLE, ids=lambda one: type(one).__name__)
def test_a_copy_is_the_same_and_cannot_be_changed(one: Any, way: str) -> None:
    made = COPIES[way](one)
    assert type(made) is type(one)
    for before, after in zip(parts(one), parts(made), strict=True):
        if isinstance(before, np.ndarray):
            assert not after.flags.writeable
            assert after.dtype == before.dtype
            np.testing.assert_array_equal(after, before)
        elif not is_dataclass(before):
            assert after == before
