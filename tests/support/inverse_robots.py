"""The longest chain of each golden robot, and random problems that have solutions."""

from pathlib import Path
from typing import Any

import numpy as np
from kinematics_cases import robot

from kinegraph.kinematics import InversePlan, OFKTStateSolver, plan_chain, plan_inverse

# Where a continuous joint is drawn.
CIRCLE = 3.0


def longest_chain(folder: Path) -> tuple[OFKTStateSolver, str]:
    """A solver and the link that most joints move."""
    solver = OFKTStateSolver(robot(folder))
    links = solver.getLinkNames()
    return solver, max(links, key=lambda link: plan_chain(solver, link).n)


def random_values(plan: InversePlan, count: int, seed: int = 0) -> Any:
    """Rows of values within the bounds."""
    lower, upper = np.clip(plan.bounds, -CIRCLE, CIRCLE).T
    return np.random.default_rng(seed).uniform(lower, upper, (count, plan.n))


def inverse_problem(folder: Path, count: int) -> tuple[OFKTStateSolver, InversePlan, Any, Any]:
    """A solver, the plan of its longest chain, random values and their poses."""
    solver, tip = longest_chain(folder)
    plan = plan_inverse(solver, tip)
    q = random_values(plan, count)
    chain = plan_chain(solver, tip, plan.joint_names)
    return solver, plan, q, np.array([chain.pose(row) for row in q])


def pose_errors(pose: Any, target: Any) -> tuple[float, float]:
    """Distance, m, and angle, rad, between two poses, without the package's help."""
    R = pose[:3, :3].T @ target[:3, :3]
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    angle = np.arctan2(np.linalg.norm(skew), np.trace(R) - 1.0)
    return float(np.linalg.norm(pose[:3, 3] - target[:3, 3])), float(angle)
