"""Live tuning of a session on the simulated robot."""

import numpy as np
import pytest
from robot_addresses import fresh_address

from kinegraph.robot import (
    CARTESIAN,
    CartesianOptions,
    InvalidOperationError,
    MotionLimits,
    Robot,
    RobotController,
    SceneRobot,
    SimulatedRobot,
    TuningUpdate,
    records_from_rows,
)

pytestmark = pytest.mark.compiled

HOST = fresh_address()


def test_a_session_is_tuned_while_it_moves() -> None:
    with SimulatedRobot(HOST, lockstep_s=0.2), Robot(HOST) as robot, SceneRobot(robot) as scene:
        with scene.cartesian_targets(CartesianOptions(backend=CARTESIAN)) as arm:
            faster = MotionLimits(0.6, 3.0, 100.0)
            assert arm.tune(TuningUpdate(limits=faster, cartesian_stiffness=1500.0)) == ()
            assert arm.tuning().limits == faster
            assert arm.move_to(arm.target() + np.array([0.0, 0.0, 0.05]))
            assert arm.tuning_in_force().limits == faster
            assert arm.tuning_in_force().cartesian_stiffness > 1000.0
            records = records_from_rows(arm.records().read()[0])
        # More than the options' 0.3 m/s^2 would have allowed.
        speed = np.linalg.norm(records["velocity"], axis=1).max()
        assert 0.17 < speed < 0.6
        with pytest.raises(InvalidOperationError, match="has ended"):
            arm.tune(TuningUpdate(ik_damping=0.1))
        streamed = scene.cartesian_targets(CartesianOptions(backend=RobotController()))
        with streamed as arm, pytest.raises(InvalidOperationError, match="cannot be tuned"):
            arm.tune(TuningUpdate(ik_damping=0.1))
