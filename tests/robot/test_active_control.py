"""Motions step by step against a robot that does what the test says."""

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from robot_addresses import fresh_address
from scripted_robot import ScriptedRobot
from waiting_for import wait_until

from kinegraph.robot.active_control import ActiveControl
from kinegraph.robot.commands import CartesianPose, JointPositions, JointVelocities, Torques
from kinegraph.robot.errors import (
    CommandError,
    ControlError,
    InvalidArgumentError,
    InvalidOperationError,
    NetworkError,
)
from kinegraph.robot.modes import ControllerMode
from kinegraph.robot.robot import Robot
from kinegraph.robot.wire.state_layout import (
    C_elbow_c,
    C_motion_generation_finished,
    C_q_c,
    C_tau_J_d,
    C_torque_command_finished,
    C_valid_elbow,
    S_time,
)

pytestmark = pytest.mark.compiled

REST = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]


@pytest.fixture(params=[10, 5])
def scripted(request: pytest.FixtureRequest) -> Iterator[ScriptedRobot]:
    with ScriptedRobot(fresh_address(), version=request.param) as robot:
        yield robot


@pytest.fixture
def robot(scripted: ScriptedRobot) -> Iterator[Robot]:
    with Robot(scripted.address, version=scripted.protocol.version, timeout_s=5.0) as client:
        yield client


def hold(control: ActiveControl, cycles: int) -> None:
    for _ in range(cycles):
        control.read_once()
        control.write_once(JointPositions(REST))


def test_commands_go_out_as_they_are_written(scripted: ScriptedRobot, robot: Robot) -> None:
    with robot.start_joint_position_control() as control:
        control.read_once()
        control.write_once(JointPositions(np.arange(7.0)))  # neither filtered nor limited
        control.read_once()
        control.write_once(JointPositions(REST, True))
        assert control.is_finished
    wait_until(lambda: len(scripted.commands) >= 2)
    assert scripted.commands[0][C_q_c : C_q_c + 7].tolist() == list(range(7))
    assert scripted.commands[-1][C_motion_generation_finished] == 1.0
    assert scripted.count("StopMove") == 0


def test_torques_alone_finish_by_the_flag_of_the_version(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    with robot.start_torque_control() as control:
        control.read_once()
        control.write_once(Torques([0.5] * 7, True))
    last = scripted.commands[-1]
    alone = scripted.protocol.version == 10
    assert last[C_torque_command_finished] == float(alone)
    assert last[C_motion_generation_finished] == float(not alone)
    assert last[C_tau_J_d] == 0.5


def test_nothing_can_be_done_after_the_end(scripted: ScriptedRobot, robot: Robot) -> None:
    with robot.start_torque_control() as control:
        control.read_once()
        control.write_once(Torques([0.0] * 7, True))
        with pytest.raises(
            ControlError, match=r"^writeOnce must not be called after the motion has"
        ):
            control.write_once(Torques([0.0] * 7))
        with pytest.raises(
            ControlError, match=r"^readOnce must not be called after the motion has"
        ):
            control.read_once()


def test_leaving_early_stops_the_robot(scripted: ScriptedRobot, robot: Robot) -> None:
    with robot.start_joint_position_control() as control:
        hold(control, 5)
    assert scripted.count("StopMove") == 1
    with pytest.raises(ControlError, match="after the motion has finished"):
        control.read_once()
    with robot.start_joint_position_control() as control:  # and another motion can begin
        hold(control, 5)
    assert scripted.count("StopMove") == 2


def test_an_exception_stops_the_robot_and_goes_on(scripted: ScriptedRobot, robot: Robot) -> None:
    def interrupted() -> None:
        with robot.start_joint_position_control() as control:
            hold(control, 5)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert scripted.count("StopMove") == 1


def test_a_control_that_nobody_holds_stops_the_robot(scripted: ScriptedRobot, robot: Robot) -> None:
    control: ActiveControl | None = robot.start_joint_position_control()
    assert control is not None
    hold(control, 3)
    time.sleep(0.2)  # so that its states are received elsewhere
    del control
    wait_until(lambda: scripted.count("StopMove") == 1)
    with robot.start_joint_position_control() as again:
        hold(again, 3)


def test_halves_that_a_motion_lacks_are_refused_and_it_goes_on(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    q, tau = JointPositions(REST), Torques([0.0] * 7)
    with robot.start_joint_position_control() as control:
        hold(control, 2)
        with pytest.raises(ControlError, match=r"^Wrong writeOnce method called"):
            control.write_once(tau)
        with pytest.raises(ControlError, match=r"^Wrong writeOnce method called"):
            control.write_once(JointVelocities([0.0] * 7))
        with pytest.raises(ControlError, match="Trying to send control command, but no controller"):
            control.write_once(q, tau)
        with pytest.raises(InvalidArgumentError, match="a list is no JointPositions"):
            control.write_once(REST)  # type: ignore[arg-type]
        hold(control, 2)
    with robot.start_torque_control() as control:
        control.read_once()
        with pytest.raises(ControlError, match=r"^Wrong writeOnce method called"):
            control.write_once(q)
        with pytest.raises(ControlError, match=r"^Wrong writeOnce method called"):
            control.write_once(tau, tau)
    with robot.start_joint_position_control(torques=True) as control:
        control.read_once()
        with pytest.raises(ControlError, match="Trying to send partial robot command!"):
            control.write_once(q)
        control.write_once(q, tau)
        control.read_once()
        control.write_once(q, Torques([0.0] * 7, True))
        assert control.is_finished
    assert scripted.commands[-1][C_motion_generation_finished] == 1.0
    assert scripted.commands[-1][C_torque_command_finished] == 0.0


def test_an_abort_is_raised_by_the_next_read(scripted: ScriptedRobot, robot: Robot) -> None:
    aborted = scripted.protocol.statuses["Move"]["ReflexAborted"]
    scripted.abort_after, scripted.abort_error, scripted.move_final = 10, 6, aborted
    reflex = r'motion aborted by reflex! \["joint_reflex"\]'
    with robot.start_joint_position_control() as control:
        with pytest.raises(ControlError, match=reflex):
            hold(control, 100_000)
        assert control.is_finished
    wait_until(lambda: scripted.count("StopMove") == 1)


def test_leaving_early_tells_of_an_abort_that_was_not_read(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    aborted = scripted.protocol.statuses["Move"]["ReflexAborted"]

    def left() -> None:
        with robot.start_joint_position_control() as control:
            hold(control, 5)
            scripted.later(lambda: scripted.leave(4, aborted))
            wait_until(lambda: not scripted._in_motion)

    with pytest.raises(ControlError, match="motion aborted by reflex"):
        left()


def test_stop_from_another_thread_preempts(scripted: ScriptedRobot, robot: Robot) -> None:
    with robot.start_joint_position_control() as control:
        hold(control, 3)
        stopper = threading.Thread(target=robot.stop)
        stopper.start()
        with pytest.raises(ControlError, match="Move command preempted!"):
            hold(control, 100_000)
        stopper.join()


def test_closing_the_robot_ends_a_control_that_nobody_leads(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    control = robot.start_joint_position_control()
    hold(control, 3)
    before = time.monotonic()
    robot.close()
    assert time.monotonic() - before < 3.0
    with pytest.raises(ControlError, match="preempted"):
        control.read_once()


def test_a_second_motion_is_refused_while_one_is_led(scripted: ScriptedRobot, robot: Robot) -> None:
    with robot.start_torque_control() as control:
        control.read_once()
        with pytest.raises(InvalidOperationError, match="another control or read operation"):
            robot.start_torque_control()
        control.write_once(Torques([0.0] * 7, True))


def test_a_refused_move_raises_at_the_start(scripted: ScriptedRobot, robot: Robot) -> None:
    scripted.move_first = scripted.protocol.statuses["Move"]["StartAtSingularPoseRejected"]
    with pytest.raises(CommandError, match="singular pose"):
        robot.start_cartesian_pose_control(ControllerMode.CartesianImpedance)
    assert scripted.count("StopMove") == 0


def test_a_robot_that_falls_silent_ends_the_reading(scripted: ScriptedRobot, robot: Robot) -> None:
    with robot.start_joint_position_control() as control:
        hold(control, 5)
        scripted.sends = False
        with pytest.raises(NetworkError, match="Timeout"):
            hold(control, 100)


def test_after_a_pause_the_state_is_fresh(scripted: ScriptedRobot, robot: Robot) -> None:
    with robot.start_joint_position_control() as control:
        hold(control, 3)
        begun = robot.state.time
        wait_until(lambda: robot.state.time > begun + 500)
        state, period_s = control.read_once()
        assert state.time > begun + 500
        assert period_s > 0.3


def test_states_are_received_while_nobody_reads(scripted: ScriptedRobot, robot: Robot) -> None:
    with robot.start_joint_position_control() as control:
        hold(control, 3)
        stream = robot.states()
        first = stream.read_rows(1)
        time.sleep(1.5)  # longer than a robot may be silent
        wait_until(lambda: robot.state_age_s < 0.5)
        rows = stream.read_rows()
        assert len(rows) > 100
        assert rows[-1, S_time] - first[-1, S_time] == len(rows)  # none is missing
        hold(control, 3)


def test_an_end_that_comes_while_nobody_reads_is_told(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    aborted = scripted.protocol.statuses["Move"]["ReflexAborted"]
    with robot.start_joint_position_control() as control:
        hold(control, 3)
        scripted.later(lambda: scripted.leave(4, aborted))
        wait_until(lambda: scripted.count("StopMove") == 1)  # told at once, whoever asks
        assert control.is_finished
        with pytest.raises(ControlError, match="motion aborted by reflex"):
            control.write_once(JointPositions(REST))


def test_the_controller_must_be_one_of_the_robots(robot: Robot) -> None:
    with pytest.raises(InvalidArgumentError, match=r"ControllerMode\.JointImpedance or"):
        robot.start_joint_position_control(ControllerMode.ExternalController)
    with pytest.raises(InvalidArgumentError, match="JointImpedance"):
        robot.start_cartesian_pose_control("joint")  # type: ignore[arg-type]


def test_asynchronous_velocities_are_checked(scripted: ScriptedRobot, robot: Robot) -> None:
    if scripted.protocol.version == 5:
        with pytest.raises(InvalidOperationError, match="FCI version 5"):
            robot.start_async_joint_position_control([1.0] * 7)
        return
    for bad in ([1.0] * 6, [1.0] * 6 + [np.nan], [1.0] * 6 + [0.0]):
        with pytest.raises(InvalidArgumentError, match="max_velocities"):
            robot.start_async_joint_position_control(bad)
    with robot.start_async_joint_position_control(np.arange(1.0, 8.0)) as control:
        control.read_once()
        control.write_once(JointPositions(REST, True))
    payload = next(payload for name, _, payload in scripted.requests if name == "Move")
    record = np.frombuffer(payload, scripted.protocol.dtype("Move.Request"))[0]
    assert record["use_async_motion_generator"] == 1
    assert record["maximum_velocity"].tolist() == list(range(1, 8))
    assert (record["controller_mode"], record["motion_generator_mode"]) == (0, 0)


def test_a_pose_is_written_with_and_without_an_elbow(scripted: ScriptedRobot, robot: Robot) -> None:
    with robot.start_cartesian_pose_control() as control:
        control.read_once()
        control.write_once(CartesianPose(np.eye(4), elbow=[0.1, -1.0]))
        control.read_once()
        control.write_once(CartesianPose(np.eye(4), motion_finished=True))
    first, last = scripted.commands[0], scripted.commands[-1]
    assert (first[C_valid_elbow], first[C_elbow_c]) == (1.0, 0.1)
    assert (last[C_valid_elbow], last[C_elbow_c]) == (0.0, 0.0)
