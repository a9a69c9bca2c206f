"""What users reported about other clients of the robot, each by the number of its report.

Given and expected values are those of `cases/reports` (K65 to K96, copied to
tests/golden/fci/reports.json). Elsewhere: K67, K90 in test_command_moves.py, K71, K75, K76 in
test_model_reports.py, K82 in test_target_moves.py.
"""

import itertools
import json
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from control_rig import Rig
from robot_addresses import fresh_address
from scripted_robot import IDLE, ScriptedRobot
from shared_cases import GOLDEN
from sim_client import drive, field, served

from kinegraph.robot import (
    CARTESIAN,
    DROID,
    CartesianOptions,
    CartesianPose,
    CartesianVelocities,
    CommandError,
    ControlError,
    FrankaError,
    ImpedanceOptions,
    IncompatibleVersionError,
    JointPositions,
    JointVelocities,
    MotionGeneratorCommand,
    NetworkError,
    Robot,
    RobotState,
    SimulatedRobot,
    Torques,
    limit_rate_cartesian_velocity,
    limit_rate_torques,
    rate_limits,
    run_with_recovery,
    transform_wrench,
)
from kinegraph.robot.control import JOINT, quaternion_xyzw, rotation_matrix
from kinegraph.robot.wire import state_layout as layout
from kinegraph.scene import Isometry3d

pytestmark = pytest.mark.compiled

REPORTS: dict[str, Any] = json.loads((GOLDEN / "fci" / "reports.json").read_text())
DT = 1e-3
REFLEX_BIT = 7  # cartesian_reflex


def given(report: str) -> Any:
    """What a report starts from."""
    return REPORTS[report]["given"]


def expected(report: str) -> Any:
    """What is right."""
    return REPORTS[report]["expected"]


def numbers(values: list[Any]) -> list[float]:
    """Numbers with "nan" and "inf" among them."""
    return [float(value) for value in values]


def matrix(flat: list[float]) -> np.ndarray:
    """A column-major pose as a matrix."""
    return np.reshape(flat, (4, 4)).T


def put(robot: ScriptedRobot, name: str, values: Any) -> None:
    """Set a field of the states that a scripted robot sends."""
    at = layout.STATE_OFFSETS[name]
    robot.row[at : at + np.size(values)] = values


# --- K65, K66, K68: the first commands ----------------------------------------------------------


@pytest.mark.parametrize("version", [10, 5])
def test_k65_first_command_is_the_commanded_state_not_the_measured(version: int) -> None:
    with ScriptedRobot(fresh_address(), version) as server:
        for name, values in given("K65").items():
            put(server, name, values)
        with Robot(server.address, version=version) as robot:

            def joints(state: RobotState, period_s: float) -> JointPositions:
                return JointPositions(state.q_d, motion_finished=period_s > 0.0)

            def pose(state: RobotState, period_s: float) -> CartesianPose:
                return CartesianPose(state.O_T_EE_c, motion_finished=period_s > 0.0)

            robot.control_joint_positions(joints)
            first = len(server.commands)
            robot.control_cartesian_pose(pose)
    q = server.commands[0][layout.C_q_c : layout.C_q_c + 7]
    sent = server.commands[first][layout.C_O_T_EE_c : layout.C_O_T_EE_c + 16]
    # Version 10's states are binary32.
    tolerance = 1e-12 if version == 5 else 2e-7
    np.testing.assert_allclose(q, expected("K65")["a_first_q"], rtol=0, atol=tolerance)
    np.testing.assert_allclose(sent, expected("K65")["b_first_pose"], rtol=0, atol=tolerance)


def test_k65_first_conversion_is_exact() -> None:
    state = RobotState().replace(**given("K65"))
    command = MotionGeneratorCommand()
    for first in (True, False):
        JointPositions(state.q_d).convert_motion(state, command, 100.0, True, first=first)
        np.testing.assert_allclose(command.q_c, expected("K65")["a_first_q"], rtol=0, atol=1e-12)
        CartesianPose(state.O_T_EE_c).convert_motion(state, command, 100.0, True, first=first)
        wanted = expected("K65")["b_first_pose"]
        np.testing.assert_allclose(command.O_T_EE_c, wanted, rtol=0, atol=1e-12)


def test_k66_step_of_a_twist_stays_inside_the_bounds_and_arrives() -> None:
    demand, bounds = given("K66")["demand"], given("K66")["bounds"]
    limits, twist, acceleration, sent = rate_limits(10).cartesian, np.zeros(6), np.zeros(6), []
    for _ in range(200):
        out = limit_rate_cartesian_velocity(limits, demand, twist, acceleration)
        acceleration, twist = (out - twist) / DT, out
        sent.append(out)
    rows = np.vstack([np.zeros(6), *sent])
    rates = np.diff(rows, axis=0) / DT
    assert np.abs(rows).max() <= bounds["v"]
    assert np.abs(rates).max() <= bounds["a"]
    assert np.abs(np.diff(np.vstack([np.zeros(6), rates]), axis=0)).max() / DT <= bounds["jerk"]
    assert np.abs(sent[0]).max() <= expected("K66")["bounds_per_cycle"]["first_cycle_max_speed"]
    np.testing.assert_allclose(
        [row[2] for row in sent[:8]], expected("K66")["one_allowed_sequence_first_8"], atol=1e-9
    )
    np.testing.assert_allclose(sent[50], expected("K66")["reached"]["value"], atol=1e-3)
    assert not np.delete(rows, 2, axis=1).any()


def test_k68_torques_step_by_one_at_most_from_what_the_robot_reports() -> None:
    rate = rate_limits(10).torque_rate
    case = given("K68")["a"]
    sent = limit_rate_torques(rate, case["wanted"], case["tau_J_d"])
    np.testing.assert_allclose(sent, expected("K68")["a"]["sent"], rtol=0, atol=2e-6)
    assert np.abs(sent - case["tau_J_d"]).max() <= 1.0
    case = given("K68")["b"]
    sent = limit_rate_torques(rate, case["wanted"], case["tau_J_d_in_state"])
    assert sent[0] <= expected("K68")["b"]["sent_1_max"]


# --- K70, K78, K79, K81: the target controllers -------------------------------------------------


@pytest.mark.parametrize("arm", ["fr3", "fer"])
@pytest.mark.parametrize("law", [CARTESIAN, DROID, JOINT, ImpedanceOptions()])
def test_k70_at_rest_no_torque_is_sent(arm: str, law: Any) -> None:
    options = CartesianOptions(backend=law)
    rig = Rig(arm=arm, options=options, q=np.array(given("K70")["q"]))
    rig.set_field("q_d", np.array(given("K70")["q_d"]))
    assert rig.cycle() == 0
    np.testing.assert_allclose(rig.tau, expected("K70")["tau_sent"], rtol=0, atol=1e-9)


def test_k78_quaternions_are_x_y_z_w() -> None:
    rotation = rotation_matrix(given("K78")["xyzw"])
    np.testing.assert_allclose(rotation, expected("K78")["rotation"], rtol=0, atol=1e-9)
    back = quaternion_xyzw(rotation)
    back *= np.sign(back @ expected("K78")["back"])
    np.testing.assert_allclose(back, expected("K78")["back"], rtol=0, atol=1e-9)
    for name in ("not_unit", "zero"):
        with pytest.raises(ValueError, match=r"quaternion|unit|norm"):
            rotation_matrix(given("K78")[name])


LAWS = [
    pytest.param(CartesianOptions(), id="default law"),
    pytest.param(CartesianOptions(backend=CARTESIAN), id="reference"),
]


@pytest.mark.parametrize("options", LAWS)
def test_k79_flipped_signs_do_not_turn_the_arm_around(options: CartesianOptions) -> None:
    case, rule = given("K79"), expected("K79")
    turns = [rotation_matrix(q) for q in case["orientations_xyzw"]]
    steps = [rotation_vector(b @ a.T) for a, b in itertools.pairwise(turns)]
    wanted = np.array(rule["rotation_vector_between_neighbours_base_axes"])
    np.testing.assert_allclose(steps, np.tile(wanted, (8, 1)), rtol=0, atol=rule["tol"])
    # There is first, then a session that begins there.
    rig = Rig(arm="fr3", options=options)
    rig.target[:] = [*case["position"], *case["orientations_xyzw"][0]]
    assert rig.follow(5000) == 0
    rig = Rig(arm="fr3", options=options, q=rig.q)
    for orientation in case["orientations_xyzw"]:
        rig.target[:] = [*case["position"], *orientation]
        assert rig.follow(round(case["dt"] / DT)) == 0
    assert rig.follow(3000) == 0
    poses = rig.column("pose").reshape(-1, 4, 4).transpose(0, 2, 1)
    turned = np.array([rotation_vector(pose[:3, :3] @ turns[0].T) for pose in poses])
    axis = wanted / np.linalg.norm(wanted)
    along = turned @ axis
    assert along[-1] == pytest.approx(rule["total_turn_rad"], abs=1e-3)
    assert -0.02 <= along.min() <= along.max() <= rule["total_turn_rad"] + 0.02
    assert np.linalg.norm(turned - np.outer(along, axis), axis=1).max() <= 0.02


def rotation_vector(rotation: np.ndarray) -> np.ndarray:
    """The turn as axis times angle."""
    *vector, w = quaternion_xyzw(rotation)
    size = float(np.linalg.norm(vector))
    return np.zeros(3) if size == 0.0 else np.array(vector) / size * 2.0 * np.arctan2(size, w)


@pytest.mark.parametrize("options", LAWS)
def test_k81_targets_at_20_hz_neither_stutter_nor_break_a_limit(options: CartesianOptions) -> None:
    rows, bounds = np.array(given("K81")["targets"]), given("K81")["bounds_FR3"]
    rig = Rig(arm="fr3", options=options)
    rig.target[:3] = rows[0, 1:]
    assert rig.follow(4000) == 0
    rig.records.clear()
    for cycle in range(2000):
        due = rows[rows[:, 0] <= cycle * DT + 1e-9]
        rig.target[:3] = due[-1, 1:]
        assert rig.follow(1) == 0
    way = rig.column("pose")[:, 12:15]
    speed = np.diff(way, axis=0) / DT
    bend = np.diff(speed, axis=0) / DT
    jerk = np.diff(bend, axis=0) / DT
    for rate, limit in ((speed, bounds["v"]), (bend, bounds["a"]), (jerk, bounds["jerk"])):
        assert np.linalg.norm(rate, axis=1).max() <= limit
    slow = np.linalg.norm(speed, axis=1)[200:600] < 0.01
    assert max(len(run) for run in "".join("s" if s else " " for s in slow).split(" ")) <= 5
    np.testing.assert_allclose(way[-1], expected("K81")["final_position"], rtol=0, atol=1e-3)


# --- K73, K95: what may be commanded ------------------------------------------------------------


def test_k73_elbows_are_accepted_and_refused() -> None:
    for elbow, result in zip(given("K73"), expected("K73")["results"], strict=True):
        values = None if elbow is None else numbers(elbow)
        if result == "reject":
            for make in (CartesianVelocities, CartesianPose):
                value = np.zeros(6) if make is CartesianVelocities else np.eye(4)
                with pytest.raises(ValueError, match="elbow"):
                    make(value, values)
            continue
        command, row = CartesianVelocities(np.zeros(6), values), MotionGeneratorCommand()
        command.convert_motion(RobotState(), row, 1000.0, False)
        assert row.valid_elbow is (values is not None)
        assert row.elbow_c.tolist() == (values or [0.0, 0.0])


MAKERS: dict[str, tuple[str, Callable[[list[float]], object]]] = {
    "joint_positions": ("control_joint_positions", JointPositions),
    "joint_velocities": ("control_joint_velocities", JointVelocities),
    "cartesian_velocities": ("control_cartesian_velocities", CartesianVelocities),
    "torques": ("control_torques", Torques),
}


@pytest.mark.parametrize("case", given("K95"), ids=lambda case: case["kind"])
def test_k95_numbers_that_are_none_are_refused_and_never_sent(case: dict[str, Any]) -> None:
    method, make = MAKERS[case["kind"]]
    with ScriptedRobot(fresh_address()) as server, Robot(server.address) as robot:
        with pytest.raises(ValueError, match=r"NaN|nan|finite|inf"):
            getattr(robot, method)(lambda *_: make(numbers(case["value"])))
        assert all(np.isfinite(row).all() for row in server.commands)
        assert server.count("StopMove") == 1


# --- K84, K85: connections that cannot work -----------------------------------------------------


def test_k84_a_version_that_nobody_speaks_is_named() -> None:
    with ScriptedRobot(fresh_address()) as server:
        server.connect_version = given("K84")["simulated_robot_version"]
        server.statuses["Connect"] = [1, 1]
        with pytest.raises(IncompatibleVersionError, match=r"42.*\b5\b.*\b10\b") as caught:
            Robot(server.address)
        assert caught.value.server_version == 42


def test_k85_a_state_stream_that_does_not_come_is_explained() -> None:
    with ScriptedRobot(fresh_address()) as server:
        server.sends = False
        with pytest.raises(NetworkError, match=r"UDP port \d+.*firewall"):
            Robot(server.address)


# --- K86, K88: lost commands and reflexes -------------------------------------------------------


def test_k86_success_rate_is_the_share_of_the_last_hundred() -> None:
    pattern = given("K86")["accepted_last_100"]
    with served() as (robot, client):
        client.move("JointPosition")
        robot.step()
        hold = field(client.current(), "q_d").copy()
        answers = [1] * 3 + pattern
        state = drive(robot, client, lambda _, k: {"q_c": hold} if answers[k] else None, 103)
        rate = field(state, "control_command_success_rate")[0]
    assert rate == pytest.approx(expected("K86")["a"]["control_command_success_rate"], abs=1e-6)


def test_k86_nineteen_commands_may_be_lost_and_twenty_may_not() -> None:
    with served() as (robot, client):
        move = client.move("JointPosition")
        robot.step()
        hold = field(client.current(), "q_d").copy()
        drive(robot, client, lambda _, k: None if 5 <= k < 24 else {"q_c": hold}, 40)
        assert not client.has_reply(move)
        state = drive(robot, client, lambda *_: None, 20)
        assert client.ended(move) == "ReflexAborted"
        assert field(state, "current_errors")[25] == 1.0


def test_k86_lost_commands_are_named_by_the_client() -> None:
    silent = threading.Event()

    def late(state: RobotState, period_s: float) -> Torques:
        if state.time > 0 and period_s > 0.0:
            silent.wait(0.5)  # far more than twenty cycles
        return Torques(np.zeros(7))

    with (
        SimulatedRobot(fresh_address()) as sim,
        Robot(sim.address[0]) as robot,
        pytest.raises(ControlError, match="communication_constraints_violation"),
    ):
        robot.control_torques(late)


class ReflexRobot(ScriptedRobot):
    """Ends every motion with a reflex; recovers as often as it is told to."""

    def __init__(self, recoveries: list[int]) -> None:
        super().__init__(fresh_address())
        self.abort_after, self.abort_error = 5, REFLEX_BIT
        self.move_final = self.protocol.statuses["Move"]["ReflexAborted"]
        self.statuses["AutomaticErrorRecovery"] = recoveries

    def reply(self, name: str, number: int, payload: bytes) -> None:
        if name == "AutomaticErrorRecovery" and payload[0] == 0:
            put(self, "robot_mode", IDLE)
            put(self, "current_errors", np.zeros(41))
            put(self, "q_d", given("K88")["state_after_recovery"]["q_d"])
        super().reply(name, number, payload)


def positions(robot: Robot) -> None:
    """A joint motion from where the robot is; it never comes to its end."""
    robot.control_joint_positions(lambda state, _: JointPositions(state.q_d))


def test_k88_recoveries_are_counted_and_end() -> None:
    most = given("K88")["max_recoveries"]
    with ReflexRobot([0, 0]) as server, Robot(server.address) as robot:
        before = np.arange(7.0) / 10.0
        put(server, "q_d", before)
        while robot.state.q_d[1] != np.float32(before[1]):
            robot.read_once()
        with pytest.raises(ControlError, match="cartesian_reflex"):
            run_with_recovery(robot, lambda: positions(robot), recoveries=most)
        assert server.count("AutomaticErrorRecovery") == expected("K88")["recoveries_tried"]
        assert server.count("Move") == most + 1
    rows = [row[layout.C_q_c : layout.C_q_c + 7] for row in server.commands]
    np.testing.assert_allclose(rows[0], before, rtol=0, atol=1e-6)
    wanted = expected("K88")["first_command_after_recovery_q"]
    np.testing.assert_allclose(rows[-1], wanted, rtol=0, atol=1e-6)
    assert all(
        np.abs(row - before).max() < 1e-6 or np.abs(row - wanted).max() < 1e-6 for row in rows
    )


def test_k88_a_refused_recovery_is_told_with_the_mode() -> None:
    with ReflexRobot([0, 0, 1]) as server, Robot(server.address) as robot:
        with pytest.raises(CommandError, match="mode") as caught:
            run_with_recovery(robot, lambda: positions(robot), recoveries=5)
        assert isinstance(caught.value.__cause__, ControlError)
        assert server.count("AutomaticErrorRecovery") == 3


def test_k88_only_a_reflex_is_recovered_from() -> None:
    def stopped() -> None:
        raise ControlError("libfranka: Move command aborted: User Stop pressed!", status="x")

    with ReflexRobot([]) as server, Robot(server.address) as robot:
        with pytest.raises(FrankaError, match="User Stop"):
            run_with_recovery(robot, stopped, recoveries=3)
        assert run_with_recovery(robot, lambda: 7) == 7
        for bad in (-1, 1.5, True, "2"):
            with pytest.raises(ValueError, match="recoveries"):
                run_with_recovery(robot, stopped, recoveries=bad)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="cannot be called"):
            run_with_recovery(robot, None)  # type: ignore[arg-type]
        assert server.count("AutomaticErrorRecovery") == 0


# --- K96: wrenches ------------------------------------------------------------------------------


def test_k96_wrench_is_about_the_origin_of_its_frame() -> None:
    case = given("K96")
    pose = Isometry3d(matrix(case["O_T_EE"])) * Isometry3d(matrix(case["EE_T_K"]))
    wrench = transform_wrench(pose, case["K_F_ext_hat_K"])
    np.testing.assert_allclose(wrench, expected("K96")["O_F_ext_hat_K"], rtol=0, atol=1e-9)
    back = transform_wrench(pose.inverse(), wrench)
    np.testing.assert_allclose(back, case["K_F_ext_hat_K"], rtol=0, atol=1e-9)
