"""What worker processes do in tests: importable there, whatever starts them."""

import os
from typing import Any

from kinegraph.kinematics import (
    KinGroupIKInput,
    inverse_kinematics,
    jacobians,
    link_pose,
    mass_matrix,
)


def poses_and_jacobians(solver: Any, q: Any, link: str) -> tuple[int, Any, Any, Any]:
    """The worker's process id, poses (N, 4, 4), Jacobians (N, 6, n) and the solver's own state."""
    return os.getpid(), link_pose(solver, q, link), jacobians(solver, q, link), solver.getState()


def edited(solver: Any, link: str) -> Any:
    """A solver that was edited in the worker."""
    assert solver.removeLink(link)
    return solver


def planned(
    group: Any, inverse: Any, dynamics: Any, targets: Any, q: Any, link: str
) -> tuple[int, list[Any]]:
    """The worker's process id, and what a group and plans give: arrays in a list."""
    found = inverse_kinematics(inverse, targets, q)
    pose = KinGroupIKInput(targets[0], group.getBaseLinkName(), link)
    return os.getpid(), [
        group.calcFwdKin(q[0])[link].matrix,
        group.calcJacobian(q[0], link),
        group.getLimits().joint_limits,
        *group.calcInvKin(pose, q[:3]),
        found.q,
        found.iterations,
        mass_matrix(dynamics, q),
    ]
