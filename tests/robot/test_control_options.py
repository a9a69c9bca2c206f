"""Options of the Cartesian controller: section 2 of its specification."""

import json
import math
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
from shared_cases import shared

from kinegraph.robot.control import (
    CARTESIAN,
    DROID,
    FER,
    FR3,
    JOINT,
    CartesianOptions,
    FrictionTerm,
    Gains,
    IkOptions,
    ImpedanceOptions,
    IntegralTerm,
    Leash,
    MotionLimits,
    RobotController,
    Settle,
    arm_table,
)
from kinegraph.robot.control.arms import ArmTable
from kinegraph.robot.control.checks import check_posture
from kinegraph.robot.control.options_layout import OPTION_OFFSETS, OPTION_SIZE
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.modes import ControllerMode

MIDDLE = 0.5 * (FER.lower + FER.upper)
NAN, INF = math.nan, math.inf


def number(packed: np.ndarray, name: str, at: int = 0) -> float:
    """A number of the packed options."""
    return float(packed[OPTION_OFFSETS[name] + at])


def impedance(**changes: Any) -> CartesianOptions:
    """Options with other impedance options."""
    return CartesianOptions(backend=ImpedanceOptions(**changes))


def changed(name: str, value: Any) -> CartesianOptions:
    """Options with one field changed."""
    return replace(CartesianOptions(), **{name: value})


def gains(**changes: Any) -> CartesianOptions:
    """Options with other gains."""
    return impedance(gains=replace(CARTESIAN.gains, **changes))


def vector(value: float, count: int = 7) -> np.ndarray:
    """Ones with one entry replaced."""
    out = np.ones(count)
    out[count // 2] = value
    return out


BAD_FRICTION: list[tuple[str, Any]] = [
    ("limits", vector(-1.0)),
    ("limits", vector(NAN)),
    ("limits", np.ones(6)),
    ("time", 0.01),
    ("time", NAN),
    ("speed", 0.0),
    ("speed", INF),
]
BAD_INTEGRAL: list[tuple[str, Any]] = [
    ("max_force", 0.0),
    ("max_force", 10.1),
    ("max_force", NAN),
    ("time", 0.09),
    ("window", -1.0),
    ("window", INF),
]
REFUSED: list[tuple[str, CartesianOptions]] = [
    *(
        (name, changed(name, MotionLimits(*row)))
        for name in ("limits", "rotation_limits")
        for bad in (0.0, -1.0, NAN, INF)
        for row in ((bad, 1.0, 1.0), (1.0, bad, 1.0), (1.0, 1.0, bad))
    ),
    *(
        (name, changed(name, bad))
        for name in ("max_deviation", "max_angular_deviation")
        for bad in (0.0, -1.0, NAN, INF)
    ),
    *(("settle.tolerance", CartesianOptions(settle=Settle(bad))) for bad in (0.0, NAN, INF)),
    *(("settle.cycles", CartesianOptions(settle=Settle(cycles=bad))) for bad in (0, -5)),
    ("backend", changed("backend", None)),
    ("backend", changed("backend", ImpedanceOptions)),
    *(
        ("controller_mode", changed("controller_mode", bad))
        for bad in (None, 1, ControllerMode.ExternalController, ControllerMode.Other)
    ),
    *(("realtime_priority", CartesianOptions(realtime_priority=bad)) for bad in (0, 100)),
    *(("cpu", CartesianOptions(cpu=bad)) for bad in (-1, 1024)),
    *(
        (f"gains.{name}", gains(**{name: vector(bad, 6)}))
        for name in ("cartesian_stiffness", "cartesian_damping")
        for bad in (-1.0, NAN, INF)
    ),
    *(
        (f"gains.{name}", gains(**{name: vector(bad)}))
        for name in ("joint_stiffness", "joint_damping")
        for bad in (-1.0, NAN, INF)
    ),
    *(("torque_limits", impedance(torque_limits=vector(bad))) for bad in (0.0, -1.0, NAN, 88.0)),
    ("torque_limits", impedance(torque_limits=np.full(7, 12.5))),
    *(("cutoff_frequency", impedance(cutoff_frequency=bad)) for bad in (0.0, NAN, INF)),
    *(("posture", impedance(posture=MIDDLE + bad)) for bad in (NAN, 2.0)),
    ("posture", impedance(posture=np.zeros(6))),
    *(("ik.damping", impedance(ik=IkOptions(damping=bad))) for bad in (0.0, -1.0, NAN)),
    *(("ik.nullspace_gain", impedance(ik=IkOptions(nullspace_gain=bad))) for bad in (-1.0, INF)),
    ("ik.iterations", impedance(ik=IkOptions(iterations=0))),
    *(("ik.tolerance", impedance(ik=IkOptions(tolerance=bad))) for bad in (-1e-9, NAN)),
    *(("ik.rotation_weight", impedance(ik=IkOptions(rotation_weight=b))) for b in (0, 1.1, NAN)),
    *(
        ("velocity_feedforward_gain", impedance(velocity_feedforward_gain=bad))
        for bad in (-0.1, 1.1, NAN)
    ),
    *(
        ("velocity_feedforward_cutoff", impedance(velocity_feedforward_cutoff=bad))
        for bad in (0.9, NAN, INF)
    ),
    *(
        (f"leash.{name}", impedance(leash=Leash(**{name: bad})))
        for name in ("translation", "rotation", "joint")
        for bad in (0.0, -1.0, NAN, INF)
    ),
    *(("joint_velocity_fraction", impedance(joint_velocity_fraction=b)) for b in (0.0, 1.1, NAN)),
    *(
        ("velocity_barrier_fraction", impedance(velocity_barrier_fraction=bad))
        for bad in (0.69, 1.01, NAN)
    ),
    *(("reference_cutoff", impedance(reference_cutoff=bad)) for bad in (0.9, NAN, INF)),
    *(("feedback_cutoff", impedance(feedback_cutoff=bad)) for bad in (9.0, NAN, INF)),
    *(
        ("acceleration_feedforward", impedance(acceleration_feedforward=bad))
        for bad in (-0.1, 1.1, NAN)
    ),
    *(
        ("feedforward_from", impedance(feedforward_from=bad))
        for bad in ("arm", 1, None, np.ones(2))
    ),
    *(("wall_depth", impedance(wall_depth=bad)) for bad in (0.0, -1.0, NAN, -INF)),
    *((f"friction.{k}", impedance(friction=FrictionTerm(**{k: v}))) for k, v in BAD_FRICTION),
    *((f"integral.{k}", impedance(integral=IntegralTerm(**{k: v}))) for k, v in BAD_INTEGRAL),
    *(("max_lead", impedance(max_lead=bad)) for bad in (0.0, -1.0, NAN, -INF)),
    *(("joint_position_margin", impedance(joint_position_margin=b)) for b in (0.03, 0.51, NAN)),
]


@pytest.mark.parametrize(
    ("field", "options"), REFUSED, ids=[f"{k}-{name}" for k, (name, _) in enumerate(REFUSED)]
)
def test_a_value_that_cannot_be_used_is_refused_by_its_name(
    field: str, options: CartesianOptions
) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        options.packed(FER)
    assert caught.value.field.startswith(field)
    assert isinstance(caught.value, ValueError)
    assert field in str(caught.value)


def test_the_reference_has_the_defaults_of_the_specification() -> None:
    options = CartesianOptions(backend=CARTESIAN)
    options.validate()
    assert options.limits == MotionLimits(0.3, 0.5, 20.0)
    assert options.rotation_limits == MotionLimits(0.5, 1.0, 20.0)
    assert (options.max_deviation, options.max_angular_deviation) == (0.30, 0.5)
    assert (options.settle, options.limit_rate) == (Settle(1e-3, 250), True)
    law = options.backend
    assert isinstance(law, ImpedanceOptions)
    assert law.ik == IkOptions(0.05, 1.0, 3, 1e-6, 0.1)
    assert law.leash == Leash(0.025, 0.15, 0.1)
    assert not law.velocity_feedforward
    assert (law.cutoff_frequency, law.velocity_feedforward_cutoff) == (100.0, 1000.0)
    assert (law.joint_velocity_fraction, law.velocity_barrier_fraction) == (0.7, 0.85)
    assert law.joint_position_margin == 0.05


def test_presets() -> None:
    for law in (CARTESIAN, DROID, JOINT):
        packed = CartesianOptions(backend=law).packed(FR3)
        for name in ("feedforward_gain", "acceleration_gain", "friction_time", "integral_force"):
            assert number(packed, name) == 0.0
        assert number(packed, "reference_delay") == 0.0
        assert number(packed, "feedback_cutoff") == 1000.0
    assert list(CARTESIAN.gains.cartesian_stiffness) == [750, 750, 750, 15, 15, 15]
    assert list(CARTESIAN.gains.cartesian_damping) == [50, 50, 90, 2, 2, 2]
    assert list(DROID.gains.cartesian_damping) == [37, 37, 37, 2, 2, 2]
    assert list(DROID.gains.joint_stiffness) == [40, 30, 50, 25, 35, 25, 10]
    assert list(JOINT.gains.joint_stiffness) == [600, 600, 600, 600, 250, 150, 50]
    assert not np.any(JOINT.gains.cartesian_stiffness)


def test_packed_numbers() -> None:
    packed = CartesianOptions().packed(FR3)
    assert packed.shape == (OPTION_SIZE,)
    assert np.isfinite(packed).all()
    axis = [number(packed, f"axis_{name}") for name in ("velocity", "acceleration", "jerk")]
    assert axis == pytest.approx([0.17320508, 0.28867513, 11.54700538], abs=5e-9)
    turn = [number(packed, f"axis_{name}", 5) for name in ("velocity", "acceleration", "jerk")]
    assert turn == pytest.approx([0.28578838, 0.57157677, 11.43153533], abs=5e-9)
    assert number(packed, "dwell") == 102
    assert number(packed, "n") == 7
    assert number(packed, "torque_limits", 6) == 11.5
    assert number(packed, "feedforward_gain") == 1.0
    assert number(packed, "friction_limits", 4) == 1.0
    assert number(packed, "position_dependent") == 1.0
    assert number(CartesianOptions().packed(FER), "position_dependent") == 0.0


def test_the_robot_controller_takes_no_numbers_of_a_torque_law() -> None:
    options = CartesianOptions(backend=RobotController())
    assert options.controller_mode is ControllerMode.CartesianImpedance
    assert options.backend.joint_limit_inset == 0.02
    assert ImpedanceOptions().joint_limit_inset == 0.05
    packed = options.packed(FR3)
    names = ("torque_limits", "leash_translation", "ik_damping", "cartesian_stiffness")
    assert [number(packed, name) for name in names] == [0.0] * 4
    assert number(packed, "axis_velocity") == pytest.approx(0.17320508, abs=5e-9)


def test_dwell_at_teleoperation_budgets() -> None:
    options = CartesianOptions(
        limits=MotionLimits(1.0, 8.0, 400.0), rotation_limits=MotionLimits(4.0, 20.0, 500.0)
    )
    assert number(options.packed(FER), "dwell") == 38


def test_feedforward_gain_is_in_force_only_when_it_is_on() -> None:
    options = impedance(velocity_feedforward=True, velocity_feedforward_gain=0.4)
    assert number(options.packed(FER), "feedforward_gain") == 0.4


def test_a_posture_on_the_inset_is_taken_and_past_it_refused_by_its_joint() -> None:
    posture = MIDDLE.copy()
    posture[3] = FER.lower[3] + 0.05
    impedance(posture=posture).packed(FER)
    posture[3] -= 1e-6
    with pytest.raises(InvalidArgumentError, match=r"joint 4 at .* outside \[-3\.0218") as caught:
        impedance(posture=posture).packed(FER)
    assert caught.value.joint == 4


def test_options_cannot_be_changed() -> None:
    options = CartesianOptions()
    with pytest.raises(FrozenInstanceError):
        options.max_deviation = 1.0  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(ImpedanceOptions().gains.joint_stiffness)[0] = 1.0


def test_given_arrays_are_copied() -> None:
    limits = np.full(7, 5.0)
    options = ImpedanceOptions(torque_limits=limits)
    limits[0] = -1.0
    options.validate(FER)
    stiffness = np.ones(7)
    given = Gains(np.ones(6), np.ones(6), stiffness, np.ones(7))
    stiffness[0] = -1.0
    given.validate(7)


@pytest.mark.parametrize(("version", "arm"), [(5, FER), (10, FR3)])
def test_the_arm_is_known_by_its_version(version: int, arm: ArmTable) -> None:
    assert arm_table(version) is arm


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="version 7"):
        arm_table(7)


def test_a_target_for_one_arm_is_refused_for_the_other_with_every_joint_named() -> None:
    path = shared("cases", "reports", "K90_target.json")
    q = np.array(next(iter(json.loads(path.read_text()).values())), dtype=float)
    check_posture("target", q, FER, 0.02)
    with pytest.raises(InvalidArgumentError, match=r"joint 4.*joint 6"):
        check_posture("target", q, FR3, 0.02)
