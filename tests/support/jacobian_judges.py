"""Jacobians of all links of a robot by others: finite differences, pinocchio, tesseract's KDL.

All give (L, 6, n), one per link in the order of the solver, base axes at the links' origins.
"""

from pathlib import Path
from typing import Any

import numpy as np
from oracles import third_party

from kinegraph.kinematics import StateSolver
from kinegraph.scene import SceneGraph, to_tesseract

STEP = 1e-6


def all_poses(solver: StateSolver, q: Any) -> Any:
    """(L, 4, 4)"""
    return np.array([np.asarray(pose) for pose in solver.getState(q).link_transforms.values()])


def moved_poses(solver: StateSolver, q: Any) -> tuple[Any, Any]:
    """Poses (n, L, 4, 4) with each value a step ahead and a step behind."""
    steps = STEP * np.eye(len(q))
    return tuple(  # type: ignore[return-value]
        np.array([all_poses(solver, q + sign * step) for step in steps]) for sign in (1.0, -1.0)
    )


def by_differences(moved: tuple[Any, Any], link: int, base: int, point: Any) -> Any:
    """(6, n) derivative of a link's pose in a base, by central differences.

    Args:
        moved: What `moved_poses` returns.
        link: Place of the link.
        base: Place of the base, which may move.
        point: (3,) reference point in the link.
    """
    ahead, behind = (np.linalg.inv(poses[:, base]) @ poses[:, link] for poses in moved)
    d, T = (ahead - behind) / (2.0 * STEP), (ahead + behind) / 2.0
    W = d[:, :3, :3] @ T[:, :3, :3].transpose(0, 2, 1)
    linear = d[:, :3, 3] + d[:, :3, :3] @ point
    return np.column_stack((linear, W[:, 2, 1], W[:, 0, 2], W[:, 1, 0])).T


def relative(jacobians: Any, poses: Any, link: int, base: int, point: Any) -> Any:
    """(6, n) Jacobian of a point of a link in a base that may move, by `state-solver.md` 6."""
    R = poses[base, :3, :3].T
    arm = poses[link, :3, :3] @ point
    v, omega = jacobians[link, :3], jacobians[link, 3:]
    v_base, omega_base = jacobians[base, :3], jacobians[base, 3:]
    rho = poses[link, :3, 3] + arm - poses[base, :3, 3]
    v = v + np.cross(omega, arm, axisa=0, axisc=0)
    linear = v - v_base - np.cross(omega_base, rho, axisa=0, axisc=0)
    return np.concatenate((R @ linear, R @ (omega - omega_base)))


class Pinocchio:
    """The robot of a URDF in pinocchio, mimic joints as ordinary ones, on a fixed base."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        self.pin = third_party("pinocchio")
        self.model = self.pin.buildModelFromUrdf(str(folder / "robot.urdf"))
        self.data = self.model.createData()
        self.joints = [self.model.joints[self.model.getJointId(name)] for name in names]

    def jacobians(self, q: Any, links: list[str]) -> Any:
        """(L, 6, n) for q (n,) in the order of `names`."""
        theirs = self.pin.neutral(self.model)
        for joint, value in zip(self.joints, q, strict=True):
            turns_freely = joint.nq == 2
            theirs[joint.idx_q : joint.idx_q + joint.nq] = (
                (np.cos(value), np.sin(value)) if turns_freely else value
            )
        columns = [joint.idx_v for joint in self.joints]
        frame = self.pin.LOCAL_WORLD_ALIGNED
        return np.array(
            [
                self.pin.computeFrameJacobian(
                    self.model, self.data, theirs, self.model.getFrameId(link), frame
                )[:, columns]
                for link in links
            ]
        )


class TesseractKdl:
    """The robot in tesseract's KDL solver, mimic joints as ordinary ones."""

    def __init__(self, graph: SceneGraph, names: list[str]) -> None:
        module = third_party("tesseract_robotics.tesseract_state_solver")
        self.graph = to_tesseract(graph)
        self.solver = module.KDLStateSolver(self.graph)
        theirs = list(self.solver.getActiveJointNames())
        self.given = [names.index(name) for name in theirs]
        self.columns = [theirs.index(name) for name in names]

    def jacobians(self, q: Any, links: list[str]) -> Any:
        """(L, 6, n) for q (n,) in the order of `names`."""
        values = np.asarray(q)[self.given]
        return np.array(
            [np.array(self.solver.getJacobian(values, link))[:, self.columns] for link in links]
        )
