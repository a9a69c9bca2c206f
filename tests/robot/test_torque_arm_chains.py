"""The Cartesian controller on chains of any kind: one to nine joints with skew axes, some slide."""

import numpy as np
import pytest
from dynamics_robots import random_chain

from kinegraph.robot.control.records import records_from_rows
from kinegraph.robot.torque_arm import ArmControl, SimulatedArm, describe_arm
from kinegraph.scene import parseURDFString

pytestmark = pytest.mark.compiled

STRONG = 400.0  # Nm and N, enough to hold the heaviest
LIMIT = 2.8  # rad and m, inside the limits of the chains


@pytest.mark.parametrize("seed", range(24))
def test_a_chain_gets_to_the_pose_of_another_configuration(seed: int) -> None:
    """With friction, for every number of joints; every third holds its weight by its torques."""
    rng = np.random.default_rng(seed)
    n = 1 + seed % 9
    kinds = "".join(rng.choice(list("RRRRCP"), n))
    graph = parseURDFString(random_chain(seed, kinds))
    description = describe_arm(graph, "tip", rated_torque=np.full(n, STRONG))
    start = rng.uniform(-2.0, 2.0, n)
    arm = SimulatedArm(description, start, friction=0.3, holds_itself=seed % 3 != 0)
    goal = description.tip_pose(np.clip(start + rng.uniform(-0.1, 0.1, n), -LIMIT, LIMIT))
    with ArmControl(arm, description).cartesian_targets(pace="stepped") as targets:
        assert targets.move_to(goal, tolerance=3e-3)
        records = records_from_rows(targets.records().read()[0], n)
    assert (np.abs(records["tau"]) <= description.table.torque_limits).all()
    assert (np.linalg.norm(records["velocity"], axis=1) <= 0.3 + 1e-9).all()
    assert (np.linalg.norm(records["angular_velocity"], axis=1) <= 0.5 + 1e-9).all()
    assert (np.abs(records["dq_goal"]) <= description.table.max_joint_velocity).all()
