"""The torque law and the envelopes: numbers 12.7 of the controller's specification."""

from dataclasses import replace

import numpy as np
import pytest
from control_rig import ARMS, READY, chain_of

from kinegraph.robot.control import (
    CARTESIAN,
    FER,
    FR3,
    CartesianOptions,
    Gains,
    envelope_torques,
    impedance_torques,
    scaled_cartesian,
    speed_onsets,
)
from kinegraph.robot.control.torques import envelope_kernels
from kinegraph.robot.errors import InvalidArgumentError

ZERO = np.zeros(7)


def jacobian(q: np.ndarray = READY) -> np.ndarray:
    """Jacobian of the hand's tip."""
    _, found = chain_of("fer", "hand").pose_and_jacobian(q)
    return np.asarray(found)


def plain_law(
    q: np.ndarray, dq: np.ndarray, goal: np.ndarray, dq_goal: np.ndarray, **changes: object
) -> np.ndarray:
    """The law in numpy, without coriolis and clamp, feed-forward on."""
    j, gains = jacobian(q), CARTESIAN.gains
    e, ev = goal - q, dq_goal - dq
    force = np.asarray(gains.cartesian_stiffness) * (j @ e)
    force = force + np.asarray(gains.cartesian_damping) * (j @ ev)
    n = np.eye(7)
    if changes.get("project"):
        n = n - j.T @ np.linalg.solve(j @ j.T + 0.05**2 * np.eye(6), j)
    joint = np.asarray(gains.joint_stiffness) * (n @ e) + np.asarray(gains.joint_damping) * (n @ ev)
    return np.asarray(j.T @ force + n @ joint)


def near(joint: int, side: int, distance: float, arm: str = "fer") -> np.ndarray:
    """READY with one joint at a distance from a limit."""
    q, table = READY.copy(), ARMS[arm]
    q[joint] = table.lower[joint] + distance if side < 0 else table.upper[joint] - distance
    return q


def one(joint: int, value: float) -> np.ndarray:
    """Zeros with one entry."""
    out = np.zeros(7)
    out[joint] = value
    return out


def test_golden_spring_and_damper() -> None:
    spring = impedance_torques(FER, READY, ZERO, READY + 0.01, jacobian())
    expected = [2.446626, 0.135458, 2.604161, 1.768133, 1.724355, 1.343716, -0.006066]
    assert spring == pytest.approx(expected, abs=6e-7)
    damper = impedance_torques(FER, READY, np.full(7, 0.1), READY, jacobian())
    expected = [-1.835128, -0.079598, -1.932063, -2.089959, -1.245526, -1.118238, 0.041421]
    assert damper == pytest.approx(expected, abs=6e-7)


@pytest.mark.parametrize("project", [False, True])
def test_law_agrees_with_its_equations(project: bool) -> None:
    rng = np.random.default_rng(2)
    options = replace(CARTESIAN, velocity_feedforward=True, project_joint_gains=project)
    for _ in range(20):
        q = READY + rng.normal(0, 0.2, 7)
        dq, goal, dq_goal = rng.normal(0, 0.1, 7), q + rng.normal(0, 5e-3, 7), rng.normal(0, 0.1, 7)
        coriolis = rng.normal(0, 0.1, 7)
        found = impedance_torques(
            FER, q, dq, goal, jacobian(q), dq_goal=dq_goal, coriolis=coriolis, options=options
        )
        expected = plain_law(q, dq, goal, dq_goal, project=project) + coriolis
        assert found == pytest.approx(expected, abs=1e-10)


def test_the_goals_velocity_counts_only_by_its_gain() -> None:
    q_goal, dq_goal = READY + 1e-3, np.full(7, 0.1)
    off = impedance_torques(
        FER, READY, ZERO, q_goal, jacobian(), dq_goal=dq_goal, options=CARTESIAN
    )
    assert off == pytest.approx(plain_law(READY, ZERO, q_goal, ZERO), abs=1e-12)
    half = replace(CARTESIAN, velocity_feedforward=True, velocity_feedforward_gain=0.5)
    found = impedance_torques(FER, READY, ZERO, q_goal, jacobian(), dq_goal=dq_goal, options=half)
    assert found == pytest.approx(plain_law(READY, ZERO, q_goal, 0.5 * dq_goal), abs=1e-12)


def test_the_law_is_clamped() -> None:
    found = impedance_torques(FER, READY, ZERO, READY + 10.0, jacobian())
    assert np.abs(found).max() <= 86.0
    assert np.abs(found[4:]).max() <= 11.5
    tight = replace(CARTESIAN, torque_limits=np.full(7, 2.0))
    found = impedance_torques(FER, READY, ZERO, READY + 10.0, jacobian(), options=tight)
    assert np.abs(found).max() == 2.0


def test_felt_stiffness_of_the_default_gains() -> None:
    j = jacobian()
    gains = CARTESIAN.gains
    kp = j.T @ np.diag(np.asarray(gains.cartesian_stiffness)) @ j
    kp = kp + np.diag(np.asarray(gains.joint_stiffness))
    felt = np.diag(np.linalg.inv(j @ np.linalg.inv(kp) @ j.T))
    columns = [impedance_torques(FER, READY, ZERO, READY + one(i, 1e-3), j) for i in range(7)]
    assert pytest.approx(kp, rel=1e-9, abs=1e-9) == np.array(columns).T / 1e-3
    assert felt[:3] == pytest.approx([1175, 973, 1121], abs=1)


def test_scaled_gains_keep_every_damping_ratio() -> None:
    gains = scaled_cartesian(3000.0)
    assert (
        np.asarray(gains.cartesian_stiffness) == 4 * np.asarray(CARTESIAN.gains.cartesian_stiffness)
    ).all()
    assert (
        np.asarray(gains.cartesian_damping) == 2 * np.asarray(CARTESIAN.gains.cartesian_damping)
    ).all()
    assert (np.asarray(gains.joint_stiffness) == np.asarray(CARTESIAN.gains.joint_stiffness)).all()
    with pytest.raises(InvalidArgumentError, match="stiffness"):
        scaled_cartesian(0.0)


@pytest.mark.parametrize("arm", ARMS)
def test_torques_are_the_clamped_sum_of_their_shares(arm: str) -> None:
    rng = np.random.default_rng(7)
    table = ARMS[arm]
    limits = table.torque_limits
    active = np.zeros(2, int)
    for _ in range(500):
        part = rng.choice([rng.uniform(-0.02, 0.06), rng.uniform(0.94, 1.02), 0.5], 7)
        q = table.lower + part * (table.upper - table.lower)
        dq, law = rng.normal(0, 1.5, 7), np.clip(rng.normal(0, 40, 7), -limits, limits)
        done = envelope_torques(table, q, dq, law)
        shares = np.clip(law + done.tau_envelope + done.tau_position, -limits, limits)
        assert done.tau == pytest.approx(shares, abs=1e-12)
        active += [np.any(done.tau_envelope != 0), np.any(done.tau_position != 0)]
    assert (active > 100).all()


@pytest.mark.parametrize("side", [-1, 1])
def test_the_laws_torque_toward_a_limit_fades_inside_the_margin(side: int) -> None:
    for distance, gain in ((0.06, 1.0), (0.05, 1.0), (0.04, 0.5), (0.03, 0.0)):
        q = near(2, side, distance)
        toward = envelope_torques(FER, q, ZERO, one(2, 10.0 * side))
        assert toward.tau[2] == pytest.approx(10.0 * side * gain, abs=1e-10)
        away = envelope_torques(FER, q, ZERO, one(2, -10.0 * side))
        assert away.tau[2] == pytest.approx(-10.0 * side, abs=1e-10)
    closer = envelope_torques(FER, near(2, side, 0.02), ZERO, one(2, 10.0 * side), cycle=0)
    assert closer.tau[2] == 0.0


def test_the_spring_at_a_limit() -> None:
    for joint, at_one_hundredth in ((1, 10.75), (5, 1.4375)):
        for side in (-1, 1):
            at = envelope_torques(FER, near(joint, side, 0.03), ZERO, ZERO)
            assert abs(at.tau[joint]) < 1e-10
            inside = near(joint, side, 0.02)
            pushed = [
                envelope_torques(FER, inside, ZERO, ZERO, cycle=cycle).tau[joint]
                for cycle in (0, 250, 500, 2000)
            ]
            full = -side * at_one_hundredth
            assert pushed == pytest.approx([0.0, full / 2, full, full], abs=1e-9)
            far = envelope_torques(FER, near(joint, side, -1.0), ZERO, ZERO)
            assert far.tau[joint] == -side * FER.torque_limits[joint]


def test_the_velocity_barrier() -> None:
    onset = speed_onsets(FER, READY, True)[1]
    at = envelope_torques(FER, READY, one(6, onset[6]), ZERO)
    assert at.tau[6] == 0.0
    over = envelope_torques(FER, READY, one(6, onset[6] + 0.1), ZERO)
    assert over.tau[6] == pytest.approx(-2.0, abs=1e-10)
    under = envelope_torques(FER, READY, one(6, -onset[6] - 0.1), ZERO)
    assert under.tau[6] == pytest.approx(2.0, abs=1e-10)
    far = envelope_torques(FER, READY, one(6, onset[6] + 2.0), ZERO)
    assert far.tau[6] == -11.5
    halved = replace(CARTESIAN, torque_limits=0.5 * FER.torque_limits)
    half = envelope_torques(FER, READY, one(6, onset[6] + 0.1), ZERO, options=halved)
    assert half.tau[6] == pytest.approx(-1.0, abs=1e-10)


def test_a_speed_that_is_nan_makes_no_barrier() -> None:
    packed = CartesianOptions().packed(FER)
    kept, barrier = envelope_kernels.velocity_envelope(packed, 0, float("nan"), float("nan"), 1.0)
    assert (kept, barrier) == (1.0, 0.0)


def test_the_laws_torque_along_the_motion_fades_with_speed() -> None:
    start, onset = (values[0] for values in speed_onsets(FER, READY, True))
    assert start == pytest.approx(0.7 * FER.flat_velocity[0], rel=1e-12)
    assert onset == pytest.approx(0.85 * FER.flat_velocity[0], rel=1e-12)
    for speed, gain in ((start, 1.0), (0.5 * (start + onset), 0.5), (onset, 0.0)):
        done = envelope_torques(FER, READY, one(0, speed), one(0, 8.0))
        assert done.tau[0] == pytest.approx(8.0 * gain, abs=1e-9)
        against = envelope_torques(FER, READY, one(0, speed), one(0, -8.0))
        assert against.tau[0] == pytest.approx(-8.0, abs=1e-9)


@pytest.mark.parametrize(("joint", "peak"), [(1, 428.9), (3, 357.4)])
def test_the_slope_of_both_fades_together_is_finite(joint: int, peak: float) -> None:
    # At the margin the speed's fade is the steepest: |law| over 0.85 E(0.02).
    q = near(joint, 1, 0.05)
    start, onset = (values[joint] for values in speed_onsets(FER, q, True))
    assert start == 0.0
    assert 86.0 / onset == pytest.approx(peak, abs=0.06)


def test_golden_envelopes() -> None:
    q = READY.copy()
    q[3], q[5] = FER.lower[3] + 0.04, FER.upper[5] - 0.02
    dq, law = one(3, -0.02) + one(6, 2.4), one(3, -4.0) + one(5, 3.0) + one(6, 5.0)
    done = envelope_torques(FER, q, dq, law)
    joints = [3, 5, 6]
    assert done.tau[joints] == pytest.approx([-1.712022, -1.4375, -4.666949], abs=6e-7)
    assert done.tau_envelope[joints] == pytest.approx([0.575956, 0, -9.666949], abs=6e-7)
    assert done.tau_position[joints] == pytest.approx([1.712022, -4.4375, 0], abs=6e-7)


def test_inputs_are_checked() -> None:
    with pytest.raises(InvalidArgumentError, match="dq"):
        impedance_torques(FER, READY, np.full(7, np.nan), READY, jacobian())
    with pytest.raises(InvalidArgumentError, match="jacobian"):
        impedance_torques(FER, READY, ZERO, READY, np.zeros((7, 6)))
    with pytest.raises(InvalidArgumentError, match="law"):
        envelope_torques(FR3, READY, ZERO, np.zeros(3))
    with pytest.raises(InvalidArgumentError, match=r"gains\.joint_damping"):
        Gains(np.zeros(6), np.zeros(6), np.zeros(7), np.full(7, -1.0)).validate(7)
