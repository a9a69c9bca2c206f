"""What the robot side refuses at its edge: no error but its own, nothing sent, nothing started."""

import os
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from printed_names import shown
from robot_addresses import fresh_address
from scripted_robot import ScriptedRobot

from kinegraph.robot.argument_checks import check_duration, check_flag, check_frequency, check_whole
from kinegraph.robot.commands import Torques
from kinegraph.robot.control.arms import arm_table
from kinegraph.robot.control.options import CartesianOptions
from kinegraph.robot.control.rotation import checked_placement, checked_pose
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.limits import rate_limits
from kinegraph.robot.robot import Robot
from kinegraph.robot.sim.robot import SimulatedRobot
from kinegraph.robot.warming import warm_up

NAN = float("nan")
NO_NUMBERS = ["a", None, [1.0], (), {}, object(), 1j, True]


@pytest.fixture
def scripted() -> Iterator[ScriptedRobot]:
    with ScriptedRobot(fresh_address()) as robot:
        yield robot


@pytest.mark.parametrize("value", [*NO_NUMBERS, NAN, -1.0, float("-inf")], ids=shown)
def test_what_is_no_time_to_wait_is_refused(value: object) -> None:
    with pytest.raises(InvalidArgumentError, match="timeout_s"):
        check_duration("timeout_s", value)


@pytest.mark.parametrize("value", [0, 0.0, 1, 2.5, float("inf"), np.float64(1.0), np.int32(3)])
def test_times_to_wait_are_taken(value: object) -> None:
    check_duration("timeout_s", value)


@pytest.mark.parametrize("value", [*NO_NUMBERS, NAN, 0.0, -1.0, float("inf")], ids=shown)
def test_what_is_no_cutoff_is_refused(value: object) -> None:
    with pytest.raises(InvalidArgumentError, match="cutoff"):
        check_frequency("cutoff", value)


@pytest.mark.parametrize("value", [*NO_NUMBERS, NAN, 1.5, 0, 100], ids=shown)
def test_what_is_no_whole_number_in_its_range_is_refused(value: object) -> None:
    with pytest.raises(InvalidArgumentError, match="priority"):
        check_whole("priority", value, 1, 99)


@pytest.mark.parametrize("value", ["yes", None, 0, 1, NAN, np.zeros(3)], ids=shown)
def test_what_is_no_flag_is_refused(value: object) -> None:
    with pytest.raises(InvalidArgumentError, match="limit_rate"):
        check_flag("limit_rate", value)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "arguments",
    [
        {"realtime": []},
        {"version": [10]},
        {"version": "10"},
        {"timeout_s": "a"},
        {"timeout_s": None},
        {"timeout_s": NAN},
        {"timeout_s": 0},
        {"timeout_s": float("inf")},
        {"loop_priority": "a"},
        {"loop_priority": 1.5},
        {"loop_priority": True},
        {"loop_priority": 100},
        {"loop_priority": 0, "realtime": "enforce"},
        {"loop_cpu": "a"},
        {"loop_cpu": 1.5},
        {"loop_cpu": -1},
        {"port": 70000},
        {"port": -1},
        {"port": "x"},
        {"port": None},
    ],
    ids=shown,
)
def test_a_connection_with_wrong_arguments_is_refused(
    arguments: dict[str, object], scripted: ScriptedRobot
) -> None:
    with pytest.raises(InvalidArgumentError):
        Robot(scripted.address, **arguments)  # type: ignore[arg-type]
    assert scripted.clients == 0


@pytest.mark.compiled
def test_a_loop_that_is_to_stay_ordinary_is_not_raised(scripted: ScriptedRobot) -> None:
    with Robot(scripted.address, loop_priority=0) as robot:
        loop = robot.link.loop
        loop.set_realtime(None, None)  # as a target session does
        assert os.sched_getscheduler(loop.native_id) == os.SCHED_OTHER


@pytest.mark.compiled
@pytest.mark.parametrize(
    "host", [None, 5, "", b"127.0.0.1", "x\0y", "\ud800", "bücher..x"], ids=shown
)
def test_what_is_no_host_is_refused(host: object) -> None:
    with pytest.raises(InvalidArgumentError, match="host"):
        Robot(host)  # type: ignore[arg-type]


def _calls(robot: Robot) -> list[Callable[[], object]]:
    def zero(state: object, period_s: float) -> Torques:
        return Torques(np.zeros(7), motion_finished=True)

    huge = [10**400] * 7
    return [
        lambda: robot.read_once(NAN),
        lambda: robot.read_once("a"),  # type: ignore[arg-type]
        lambda: robot.states(None),  # type: ignore[arg-type]
        lambda: robot.states(-1.0),
        lambda: robot.set_joint_impedance(huge),
        lambda: robot.set_load(10**400, [0, 0, 0], np.eye(3)),
        lambda: robot.set_K(10**400),
        lambda: robot.control_torques("a"),
        lambda: robot.control_torques(None),
        lambda: robot.control_torques([1]),
        lambda: robot.control_torques(zero, cutoff_frequency="a"),  # type: ignore[arg-type]
        lambda: robot.control_torques(zero, cutoff_frequency=[1, 2]),  # type: ignore[arg-type]
        lambda: robot.control_torques(zero, limit_rate="x"),  # type: ignore[arg-type]
        lambda: robot.control_torques(zero, limit_rate=np.zeros(3)),  # type: ignore[arg-type]
        lambda: robot.start_session(None),  # type: ignore[arg-type]
        lambda: robot.start_session("x"),  # type: ignore[arg-type]
    ]


@pytest.mark.compiled
def test_wrong_arguments_of_a_connected_robot_are_refused_before_anything_is_sent(
    scripted: ScriptedRobot,
) -> None:
    with Robot(scripted.address) as robot:
        before = len(scripted.requests)
        for call in _calls(robot):
            with pytest.raises(InvalidArgumentError):
                call()
        assert len(scripted.requests) == before
        assert not robot.link.is_busy


@pytest.mark.parametrize("field", ["realtime_priority", "cpu"])
@pytest.mark.parametrize("value", [1.5, "a", NAN, True, -1, 5000], ids=shown)
def test_a_priority_or_core_that_is_no_whole_number_is_refused(field: str, value: object) -> None:
    with pytest.raises(InvalidArgumentError, match=field):
        CartesianOptions(**{field: value}).validate()  # type: ignore[arg-type]


def test_the_position_of_a_placement_is_for_the_caller_to_judge() -> None:
    pose = np.eye(4)
    pose[0, 3] = NAN
    position, rotation = checked_placement(pose)
    assert np.isnan(position[0])
    np.testing.assert_array_equal(rotation, np.eye(3))
    with pytest.raises(InvalidArgumentError, match="finite"):
        checked_pose(pose)
    pose[0, 0] = NAN
    with pytest.raises(InvalidArgumentError, match="entry 0"):
        checked_placement(pose)


@pytest.mark.parametrize(
    "arguments",
    [{"host": ""}, {"port": 70000}, {"port": -1}, {"priority": 0}, {"priority": 1000}],
    ids=shown,
)
def test_a_simulated_robot_with_wrong_arguments_is_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidArgumentError):
        SimulatedRobot(**{"host": fresh_address(), **arguments})  # type: ignore[arg-type]


@pytest.mark.compiled
@pytest.mark.parametrize("after_s", [NAN, -1.0, float("inf")])
def test_an_injection_at_no_time_is_refused(after_s: float) -> None:
    robot = SimulatedRobot(host=fresh_address(), realtime=False)
    with pytest.raises(InvalidArgumentError, match="after_s"):
        robot.inject("reflex", after_s)


@pytest.mark.parametrize("of_version", [warm_up, arm_table, rate_limits])
@pytest.mark.parametrize("version", [7, "10", None, [10]], ids=shown)
def test_what_no_robot_speaks_is_refused(
    of_version: Callable[[object], object], version: object
) -> None:
    with pytest.raises(InvalidArgumentError, match="version"):
        of_version(version)
