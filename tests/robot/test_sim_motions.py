"""Motions of the simulated robot, its clock stepped by hand: echo, landing, ends."""

from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address
from sim_client import DEVIATIONS, EXTERNAL, SimClient, drive, field, served

from kinegraph.robot.sim import SimulatedRobot
from kinegraph.robot.wire import state_layout as layout
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

DT = 1e-3


@pytest.fixture(params=[10, 5], ids=["v10", "v5"])
def robot(request: pytest.FixtureRequest) -> Any:
    with SimulatedRobot(fresh_address(), fci=request.param, realtime=False, trace=4000) as robot:
        yield robot


@pytest.fixture
def client(robot: SimulatedRobot) -> Any:
    with SimClient(robot.address, robot.fci_version) as client:
        client.connect()
        robot.step()
        yield client


def bump(cycle: int, cycles: int) -> float:
    """From 0 to 1 and back, at rest at both ends: smooth enough for every limit."""
    return float(0.5 * (1.0 - np.cos(2.0 * np.pi * cycle / cycles)))


def finished(
    fields: dict[str, Any], cycle: int, cycles: int, flag: str = "motion_generation_finished"
) -> dict[str, Any]:
    return {**fields, flag: float(cycle == cycles - 1)}


def started(robot: SimulatedRobot, client: SimClient, generator: str, controller: str) -> Any:
    number = client.move(generator, controller)
    robot.step()
    return number


@pytest.mark.parametrize("controller", ["JointImpedance", "CartesianImpedance"])
def test_joint_positions_are_followed_to_their_end(
    robot: SimulatedRobot, client: SimClient, controller: str
) -> None:
    move = started(robot, client, "JointPosition", controller)
    start, cycles = robot.q, 1001
    worst = 0.0

    def command(state: Array, cycle: Any) -> Any:
        nonlocal worst
        worst = max(worst, np.abs(field(state, "q") - field(state, "q_d")).max())
        q = start + 0.2 * bump(cycle, cycles - 1) * np.array([0, 0, 0, 1, 1, 0, 1])
        return finished({"q_c": q}, cycle, cycles)

    state = drive(robot, client, command, cycles)
    assert client.ended(move) == "Success"
    assert field(state, "robot_mode") == 1
    assert worst < 0.002
    np.testing.assert_allclose(robot.q, start, atol=1e-5)
    assert robot.counters["lost"] == 0


def test_the_echo_of_joint_positions_is_their_backward_differences(
    robot: SimulatedRobot, client: SimClient
) -> None:
    started(robot, client, "JointPosition", "JointImpedance")
    start = robot.q
    path = [start + 0.005 * bump(k, 200) for k in range(60)]
    drive(robot, client, lambda _, k: {"q_c": path[k]}, 60)
    states, commands = robot.trace()
    q = np.array(path)
    dq = np.diff(q, axis=0) / DT
    np.testing.assert_array_equal(states[-60:, layout.S_q_d : layout.S_q_d + 7], q)
    shown = states[-59:, layout.S_dq_d : layout.S_dq_d + 7]
    np.testing.assert_allclose(shown, dq, atol=1e-12)
    shown = states[-58:, layout.S_ddq_d : layout.S_ddq_d + 7]
    np.testing.assert_allclose(shown, np.diff(dq, axis=0) / DT, atol=1e-9)
    np.testing.assert_array_equal(commands[-60:, layout.C_q_c : layout.C_q_c + 7], q)


def test_joint_velocities_are_integrated_per_command(
    robot: SimulatedRobot, client: SimClient
) -> None:
    move = started(robot, client, "JointVelocity", "JointImpedance")
    start, cycles = robot.q, 1001

    def command(_: Any, cycle: Any) -> Any:
        return finished({"dq_c": 0.2 * np.sin(2 * np.pi * cycle / 1000) * np.ones(7)}, cycle, 1001)

    drive(robot, client, command, cycles)
    assert client.ended(move) == "Success"
    np.testing.assert_allclose(robot.q, start, atol=1e-4)
    states, _ = robot.trace()
    reached = states[-500, layout.S_q_d : layout.S_q_d + 7]
    np.testing.assert_allclose(reached - start, 0.2 / np.pi, atol=1e-3)


@pytest.mark.parametrize("elbow", [False, True], ids=["free elbow", "elbow given"])
def test_cartesian_poses_are_followed(
    robot: SimulatedRobot, client: SimClient, elbow: bool
) -> None:
    move = started(robot, client, "CartesianPosition", "CartesianImpedance")
    pose, start = field(robot.state, "O_T_EE_c").copy(), robot.q
    worst = 0.0

    def command(state: Array, cycle: Any) -> Any:
        nonlocal worst
        worst = max(worst, np.abs(field(state, "O_T_EE") - field(state, "O_T_EE_c")).max())
        target = pose.copy()
        target[12] += 0.05 * bump(cycle, 2000)
        fields = finished({"O_T_EE_c": target}, cycle, 2001)
        if elbow:
            fields |= {"elbow_c": [start[2] + 0.1 * bump(cycle, 2000), -1.0], "valid_elbow": 1.0}
        return fields

    drive(robot, client, command, 2001)
    assert client.ended(move) == "Success"
    assert worst < 5e-4
    np.testing.assert_allclose(robot.end_effector_pose()[:3, 3], pose[12:15], atol=1e-6)
    np.testing.assert_allclose(robot.q, start, atol=2e-3)
    if elbow:
        states, _ = robot.trace()
        middle = states[len(states) - 1000]
        np.testing.assert_allclose(field(middle, "elbow_c"), (start[2] + 0.1, -1.0), atol=1e-4)
        np.testing.assert_allclose(field(middle, "q_d")[2], start[2] + 0.1, atol=1e-4)


def test_cartesian_velocities_return_to_where_they_began(
    robot: SimulatedRobot, client: SimClient
) -> None:
    move = started(robot, client, "CartesianVelocity", "JointImpedance")
    start, pose = robot.q, robot.end_effector_pose()

    def command(_: Any, cycle: Any) -> Any:
        twist = np.array([0.05, 0.02, -0.05, 0.1, 0.0, 0.2]) * np.sin(2 * np.pi * cycle / 2000)
        return finished({"O_dP_EE_c": twist}, cycle, 2001)

    state = drive(robot, client, command, 2001)
    assert client.ended(move) == "Success"
    assert field(state, "robot_mode") == 1
    np.testing.assert_allclose(robot.end_effector_pose(), pose, atol=5e-4)
    np.testing.assert_allclose(robot.q, start, atol=2e-3)


def test_the_echo_of_cartesian_motions_is_pose_twist_and_change(
    robot: SimulatedRobot, client: SimClient
) -> None:
    started(robot, client, "CartesianVelocity", "JointImpedance")
    twists = [np.array([0.0, 0.0, 0.1, 0.0, 0.2, 0.0]) * bump(k, 400) for k in range(100)]
    state = drive(robot, client, lambda _, k: {"O_dP_EE_c": twists[k]}, 100)
    np.testing.assert_allclose(field(state, "O_dP_EE_c"), twists[-1], atol=1e-7)
    change = (twists[-1] - twists[-2]) / DT
    np.testing.assert_allclose(field(state, "O_ddP_EE_c"), change, atol=1e-4)
    np.testing.assert_allclose(field(state, "O_dP_EE_d"), twists[-1], atol=1e-5)
    np.testing.assert_allclose(field(state, "O_T_EE_c"), field(state, "O_T_EE_d"), atol=1e-6)


def torque_motion(robot: SimulatedRobot, client: SimClient) -> tuple[int, str, dict[str, Any]]:
    """Torques alone, as the version has them."""
    if robot.fci_version == 10:
        return started(robot, client, "None", EXTERNAL), "torque_command_finished", {}
    number = started(robot, client, "JointVelocity", EXTERNAL)
    return number, "motion_generation_finished", {"dq_c": np.zeros(7)}


def test_torques_move_the_arm_and_are_echoed(robot: SimulatedRobot, client: SimClient) -> None:
    move, flag, rest = torque_motion(robot, client)
    start = robot.q

    def command(state: Array, cycle: Any) -> Any:
        aim = start + 0.1 * bump(cycle, 3000) * np.eye(7)[3]
        tau = 400.0 * (aim - field(state, "q")) - 40.0 * field(state, "dq")
        np.testing.assert_array_equal(field(state, "tau_ext_hat_filtered").round(3), 0.0)
        return finished({"tau_J_d": tau, **rest}, cycle, 3001, flag)

    state = drive(robot, client, command, 3001)
    assert client.ended(move) == "Success"
    assert field(state, "motion_generator_mode") == 0
    np.testing.assert_allclose(robot.q, start, atol=5e-3)
    states, commands = robot.trace()
    sent = commands[-2000:-1, layout.C_tau_J_d : layout.C_tau_J_d + 7]
    echo = states[-2000:-1, layout.S_tau_J_d : layout.S_tau_J_d + 7]
    np.testing.assert_array_equal(echo, sent)
    shown = states[-2000, layout.S_motion_generator_mode]
    assert shown == (5 if robot.fci_version == 10 else 2)
    assert states[-2000, layout.S_controller_mode] == 2


def test_a_torque_acts_one_cycle_after_it_was_commanded(
    robot: SimulatedRobot, client: SimClient
) -> None:
    _, _, rest = torque_motion(robot, client)
    push = {"tau_J_d": np.eye(7)[6] * 0.5, **rest}
    drive(robot, client, lambda *_: {"tau_J_d": np.zeros(7), **rest}, 3)
    drive(robot, client, lambda *_: push, 1)
    assert robot.dq[6] == 0.0
    drive(robot, client, lambda *_: push, 1)
    assert robot.dq[6] > 1e-4


def test_torques_and_a_generator_run_together(robot: SimulatedRobot, client: SimClient) -> None:
    move = started(robot, client, "JointPosition", EXTERNAL)
    start = robot.q

    def command(_: Any, cycle: Any) -> Any:
        return finished({"q_c": start, "tau_J_d": np.eye(7)[6] * 0.1}, cycle, 50)

    drive(robot, client, command, 50)
    assert client.ended(move) == "Success"
    states, _ = robot.trace()
    assert states[-10, layout.S_tau_J_d + 6] == 0.1
    assert states[-10, layout.S_motion_generator_mode] == 1


def test_stop_move_preempts_and_the_arm_comes_to_rest(
    robot: SimulatedRobot, client: SimClient
) -> None:
    move = started(robot, client, "JointVelocity", "JointImpedance")
    drive(robot, client, lambda _, k: {"dq_c": np.full(7, 3e-3 * min(k, 70))}, 100)
    stop = client.post("StopMove")
    assert client.status("StopMove", client.reply(stop)) == "Success"
    assert client.ended(move) == "Preempted"
    robot.step(1)
    assert field(client.state(), "robot_mode") == 1
    robot.step(200)
    rest = robot.q
    robot.step(1000)
    np.testing.assert_allclose(robot.q, rest, atol=1e-4)
    assert client.request("StopMove") == "Success"


def test_a_motion_is_refused_while_one_runs(robot: SimulatedRobot, client: SimClient) -> None:
    started(robot, client, "JointPosition", "JointImpedance")
    assert client.request("Move", **DEVIATIONS) == "CommandNotPossibleRejected"


@pytest.mark.parametrize(
    "fields",
    [
        {"controller_mode": 3},
        {"motion_generator_mode": 5},
        {"maximum_path_deviation.translation": -1.0},
        {"maximum_goal_pose_deviation.elbow": np.nan},
    ],
    ids=str,
)
def test_a_motion_with_wrong_arguments_is_refused(
    robot: SimulatedRobot, client: SimClient, fields: dict[str, Any]
) -> None:
    assert client.request("Move", **{**DEVIATIONS, **fields}) == "InvalidArgumentRejected"


def test_hundred_motions_in_a_row_end_with_one_success_each(
    robot: SimulatedRobot, client: SimClient
) -> None:
    held, move = robot.q, -1
    for _ in range(100):
        move = started(robot, client, "JointPosition", "JointImpedance")
        drive(robot, client, lambda _, k: finished({"q_c": held}, k, 3), 3)
        assert client.ended(move) == "Success"
        client.command(client.current()[layout.S_time], q_c=held)
        robot.step(2)
    assert not client.has_reply(move)
    assert robot.counters["reflexes"] == 0


def test_late_finished_commands_do_not_end_the_next_motion(
    robot: SimulatedRobot, client: SimClient
) -> None:
    move = started(robot, client, "JointPosition", "JointImpedance")
    held = robot.q
    state = drive(robot, client, lambda _, k: finished({"q_c": held}, k, 3), 3)
    assert client.ended(move) == "Success"
    late = {"q_c": held, "motion_generation_finished": 1.0}
    client.command(state[layout.S_time], **late)  # answers the idle state
    move = client.move("JointPosition")
    client.command(state[layout.S_time], **late)
    robot.step(3)
    assert not client.has_reply(move)
    assert robot.counters["unasked"] == 2


def test_a_closed_connection_stops_the_motion_and_the_arm(
    robot: SimulatedRobot, client: SimClient
) -> None:
    started(robot, client, "JointVelocity", "JointImpedance")
    drive(robot, client, lambda _, k: {"dq_c": np.full(7, 3e-3 * min(k, 70))}, 100)
    client.close()
    with SimClient(robot.address, robot.fci_version) as other:
        assert other.connect()[0] == 0
        robot.step(300)
        rest = robot.q
        robot.step(1000)
        np.testing.assert_allclose(robot.q, rest, atol=1e-4)
        state = robot.state
        assert field(state, "robot_mode") == 1
        assert not field(state, "current_errors").any()


def test_an_asynchronous_target_is_planned_by_the_robot() -> None:
    with served() as (robot, client):
        robot.step()
        fields: dict[str, Any] = {
            "use_async_motion_generator": 1,
            "maximum_velocity": np.full(7, 0.5),
        }
        move = client.move("JointPosition", **fields)
        robot.step()
        goal = robot.q + 0.2
        client.command(client.state()[layout.S_time], q_c=goal)
        robot.step(300)  # without any further command
        assert np.abs(robot.dq).max() < 0.51
        state = client.state()
        # As libfranka's handler ends: no target, and the one that was given stands.
        client.command(state[layout.S_time], q_c=np.zeros(7), motion_generation_finished=1.0)
        robot.step(500)
        assert client.ended(move) == "Success"
        np.testing.assert_allclose(robot.q, goal, atol=1e-4)
