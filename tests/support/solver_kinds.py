"""Both solvers, for tests that run on each."""

from typing import Any

import numpy as np

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver, StateSolver

SOLVERS = [OFKTStateSolver, KDLStateSolver]


def current(solver: StateSolver) -> dict[str, float]:
    """The joint values that a solver stands at."""
    return solver.getState().joints


def snapshot(solver: OFKTStateSolver) -> Any:
    """Everything that a refused call must leave as it is, bit for bit."""
    limits, state = solver.getLimits(), solver.getState()
    tables = (state.link_transforms, state.joint_transforms, state.floating_joints)
    return (
        solver.getLinkNames(),
        solver.getJointNames(),
        solver.getActiveJointNames(),
        solver.getFloatingJointNames(),
        solver.getActiveLinkNames(),
        solver.getStaticLinkNames(),
        solver.getRevision(),
        list(state.joints.items()),
        [{name: np.asarray(pose).tolist() for name, pose in table.items()} for table in tables],
        [np.asarray(solver.getLinkTransform(name)).tolist() for name in solver.getLinkNames()],
        limits.joint_limits.tolist(),
        limits.velocity_limits.tolist(),
        limits.acceleration_limits.tolist(),
        limits.jerk_limits.tolist(),
        solver.getJacobian({}, solver.getLinkNames()[-1]).tolist(),
    )
