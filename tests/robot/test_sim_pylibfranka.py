"""A real libfranka (pylibfranka) against the simulated robot."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import ALL_INSTALL, third_party
from robot_addresses import fresh_address
from sim_client import SimClient, field
from sim_descriptions import arm_with_a_gripper

from kinegraph.kinematics.dynamics import gravity_torque, mass_matrix
from kinegraph.kinematics.dynamics_plan import plan_dynamics
from kinegraph.kinematics.payload import Load
from kinegraph.robot.sim import SimulatedRobot
from kinegraph.robot.wire import state_layout as layout
from kinegraph.robot.wire.error_bits import ERROR_NAMES
from kinegraph.robot.wire.wire_kernels import decode_state, encode_state
from kinegraph.scene.array_types import Array
from kinegraph.scene.urdf import parseURDFString

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.slow,
    pytest.mark.skipif(
        not ALL_INSTALL and importlib.util.find_spec("pylibfranka") is None,
        reason="pylibfranka has no wheel here",
    ),
]
SCRIPT = Path(__file__).parents[1] / "support" / "pylibfranka_script.py"
LIMIT_S = 90.0
MODES = ("Other", "Idle", "Move", "Guiding", "Reflex", "UserStopped", "AutomaticErrorRecovery")


def libfranka(host: str, task: str) -> dict[str, Any]:
    """Let a real libfranka do a task of the script; returns what it saw."""
    command = [sys.executable, str(SCRIPT), host, task]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.fixture
def robot() -> Any:
    """In real time, but it waits for each command of a motion: a busy machine loses none."""
    with SimulatedRobot(fresh_address(), lockstep_s=5.0) as robot:
        yield robot


def strange_row(seed: int) -> Array:
    """A state in which every number is another one."""
    rng = np.random.default_rng(seed)
    row = rng.permutation(layout.STATE_SIZE) / 7.0 + rng.random(layout.STATE_SIZE)
    for name in ("current_errors", "last_motion_errors"):
        field(row, name)[:] = rng.integers(0, 2, 41)
    row[layout.S_robot_mode] = seed % 7
    row[layout.S_motion_generator_mode], row[layout.S_controller_mode] = 0, 3
    return row


@pytest.mark.parametrize("seed", range(7))
def test_libfranka_decodes_every_field_as_our_client_does(robot: SimulatedRobot, seed: int) -> None:
    row = strange_row(seed)
    robot.override_state(row)
    seen = libfranka(robot.address[0], "read_one")
    datagram, ours = np.zeros(4096, np.uint8), np.zeros(layout.STATE_SIZE)
    length = encode_state(10, row, datagram)
    assert decode_state(10, datagram, length, ours) == 0
    assert seen.pop("robot_mode") in (MODES[seed % 7], "k" + MODES[seed % 7])
    assert seen.pop("time_ms") > 0
    names = list(ERROR_NAMES)
    names[31], names[34] = (
        "cartesian_position_motion_generator_invalid_frame",
        "tau_j_range_violation",
    )
    for name in ("current_errors", "last_motion_errors"):
        flags = sorted(n for n, flag in zip(names, field(row, name), strict=True) if flag)
        assert seen.pop(name) == flags
    assert len(seen) == 43  # libfranka 0.21.3 shows all but the accelerometers
    for name, value in seen.items():
        derived = name in ("F_x_Ctotal", "I_total")  # summed in another order
        tolerance = 1e-12 * np.abs(field(ours, name)).max() if derived else 0.0
        ours_too = field(ours, name)
        np.testing.assert_allclose(np.ravel(value), ours_too, 0.0, tolerance, err_msg=name)


def test_a_thousand_states_come_with_rising_time(robot: SimulatedRobot) -> None:
    times = np.array(libfranka(robot.address[0], "read_thousand")["times"])
    assert (np.diff(times) >= 1).all()
    assert times[-1] - times[0] >= 999


def test_setters_act_and_refuse(robot: SimulatedRobot) -> None:
    seen = libfranka(robot.address[0], "setters")
    assert sorted(seen["refused"]) == ["cartesian", "collision", "joint", "load"]
    assert all("invalid argument" in text for text in seen["refused"].values())
    state = seen["state"]
    assert state["m_load"] == 0.5
    np.testing.assert_allclose(state["EE_T_K"], state["NE_T_EE"])
    np.testing.assert_allclose(state["F_T_EE"], state["NE_T_EE"], atol=1e-6)
    assert state["F_T_EE"][12:15] == pytest.approx([0.01, 0.02, 0.1])


def test_a_joint_motion_runs_to_its_end(robot: SimulatedRobot) -> None:
    seen = libfranka(robot.address[0], "joint_motion")
    np.testing.assert_allclose(seen["q"], seen["goal"], atol=1e-3)
    np.testing.assert_allclose(robot.q, seen["goal"], atol=1e-3)
    assert seen["worst"] < 0.01
    assert seen["state"]["robot_mode"].endswith("Idle")
    assert robot.counters["reflexes"] == 0


def test_motions_of_the_other_generators_come_back_to_their_start(robot: SimulatedRobot) -> None:
    seen = libfranka(robot.address[0], "velocity_and_cartesian_motions")
    np.testing.assert_allclose(seen["after"]["q"], seen["before"]["q"], atol=2e-3)
    pose = np.array(seen["after"]["O_T_EE"]) - seen["before"]["O_T_EE"]
    np.testing.assert_allclose(pose[12:15], 0.0, atol=5e-4)
    assert robot.counters["reflexes"] == 0
    assert robot.counters["motions"] == 3


def test_a_torque_motion_holds_the_arm_with_libfranka_s_own_model(robot: SimulatedRobot) -> None:
    seen = libfranka(robot.address[0], "torque_motion")
    np.testing.assert_allclose(seen["state"]["q"], seen["start"], atol=1e-3)
    np.testing.assert_allclose(seen["state"]["tau_J"], seen["gravity"], atol=0.05)
    assert robot.counters["accepted"] == 501


@pytest.mark.parametrize("urdf", [None, arm_with_a_gripper()], ids=["arm", "arm and gripper"])
def test_libfranka_s_model_of_the_served_description_is_ours(
    monkeypatch: pytest.MonkeyPatch, urdf: str | None
) -> None:
    monkeypatch.setenv("MALLOC_PERTURB_", "165")  # what it reads without having written shows
    q = np.array([0.3, -0.5, 0.2, -2.0, 0.4, 1.9, -0.6])
    with SimulatedRobot(fresh_address(), q=q, urdf=urdf) as robot:
        seen = libfranka(robot.address[0], "model")
        plan = plan_dynamics(parseURDFString(robot.urdf), None, "fr3_link8")
    total = np.array(seen["load"])
    load = Load(total[0], total[1:4], total[4:].reshape(3, 3, order="F"))
    at = np.array(seen["q"])
    mass = mass_matrix(plan, at, load=load)
    np.testing.assert_allclose(seen["mass"], mass.ravel(order="F"), rtol=1e-9, atol=1e-12)
    weight = gravity_torque(plan, at, load=load)
    np.testing.assert_allclose(seen["gravity"], weight, rtol=1e-6, atol=1e-6)


def test_silence_is_a_reflex_that_recovery_ends() -> None:
    with SimulatedRobot(fresh_address(), lockstep_s=0.1) as robot:
        seen = libfranka(robot.address[0], "reflex_and_recovery")
    name = "communication_constraints_violation"
    assert name in seen["text"]
    assert seen["reflex"]["robot_mode"].endswith("Reflex")
    assert seen["reflex"]["current_errors"] == [name]
    assert seen["recovered"]["current_errors"] == []
    assert seen["recovered"]["last_motion_errors"] == [name]
    assert seen["again"]["robot_mode"].endswith("Idle")


def test_libfranka_refuses_a_robot_of_version_5_by_name_and_it_goes_on_serving() -> None:
    with SimulatedRobot(fresh_address(), fci=5) as robot:
        assert "server version: 5" in libfranka(robot.address[0], "refused")["text"]
        with SimClient(robot.address, 5) as client:
            assert client.connect()[0] == 0


def test_pinocchio_reads_the_description_and_agrees_on_the_flange(robot: SimulatedRobot) -> None:
    pinocchio: Any = third_party("pinocchio")
    model = pinocchio.buildModelFromXML(robot.urdf)
    data = model.createData()
    assert (model.nq, model.nv) == (7, 7)
    pinocchio.framesForwardKinematics(model, data, robot.q)
    flange = data.oMf[model.getFrameId("fr3_link8")].homogeneous
    np.testing.assert_allclose(flange, robot.flange_pose(), atol=1e-12)
