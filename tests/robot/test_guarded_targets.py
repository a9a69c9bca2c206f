"""Guards of sessions on the simulated robot."""

from collections.abc import Iterator

import numpy as np
import pytest
from robot_addresses import fresh_address

from kinegraph.robot import (
    CartesianOptions,
    InvalidArgumentError,
    Robot,
    SceneRobot,
    SimulatedRobot,
    WorkspaceBox,
)

pytestmark = pytest.mark.compiled

HOST = fresh_address()


@pytest.fixture(scope="module")
def scene() -> Iterator[SceneRobot]:
    """A robot for all tests of the file."""
    with SimulatedRobot(HOST, lockstep_s=0.2), Robot(HOST) as robot, SceneRobot(robot) as built:
        yield built


def test_targets_outside_the_workspace_are_refused_however_they_come(scene: SceneRobot) -> None:
    here = scene.tip_pose().translation
    box = WorkspaceBox(here - 0.02, here + 0.02)
    away = WorkspaceBox(here + 0.1, here + 0.2)
    with pytest.raises(InvalidArgumentError, match=r"start.*outside the workspace"):
        scene.cartesian_targets(CartesianOptions(workspace=away))
    outside = here + np.array([0.0, 0.0, 0.03])
    with scene.cartesian_targets(CartesianOptions(workspace=box)) as arm:
        before = arm.target()
        for attempt in (
            lambda: arm.set_position(outside),
            lambda: arm.set_target(outside, arm.target_orientation()),
            lambda: arm.move_by([0.0, 0.0, 0.03]),
            lambda: arm.move_to(outside),
            lambda: arm.follow([here, outside], dt=0.01),
        ):
            with pytest.raises(InvalidArgumentError, match=r"z = .* outside the workspace"):
                attempt()
        np.testing.assert_array_equal(arm.target(), before)
        assert arm.move_to(here + np.array([0.0, 0.0, 0.01]))
