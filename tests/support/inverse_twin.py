"""Inverse kinematics in plain numpy, slow: what the kernels are compared with."""

from typing import Any

import numpy as np

from kinegraph.kinematics import inverse_kernels as kernels
from kinegraph.kinematics import inverse_step_kernels as steps


def rotation_vector(R: Any) -> Any:
    """Rotation vector of a matrix, at most pi long, from its eigenvector of eigenvalue 1."""
    angle = np.arctan2(
        np.linalg.norm([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]), np.trace(R) - 1
    )
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if angle < 1e-6:
        return 0.5 * skew
    values, vectors = np.linalg.eigh((R + R.T) / 2)
    axis = vectors[:, np.argmax(values)]
    return angle * (axis if axis @ skew >= 0 else -axis)


def cross(v: Any) -> Any:
    """Matrix of the cross product with v."""
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def errors(pose: Any, target: Any) -> Any:
    """Six errors in the axes of the target."""
    R_t = target[:3, :3]
    return np.concatenate(
        (R_t.T @ (target[:3, 3] - pose[:3, 3]), rotation_vector(pose[:3, :3].T @ R_t))
    )


def error_rates(pose: Any, jacobian: Any, target: Any) -> Any:
    """By how much each joint lessens the six errors, (6, n)."""
    R_t = target[:3, :3]
    phi = rotation_vector(R_t @ pose[:3, :3].T)
    t = np.linalg.norm(phi)
    c = 1 / 12 if t < 1e-3 else (1 - t / 2 / np.tan(t / 2)) / t**2
    undo = np.eye(3) + cross(phi) / 2 + c * cross(phi) @ cross(phi)
    return np.concatenate((R_t.T @ jacobian[:3], R_t.T @ undo @ jacobian[3:]))


class Twin:
    """One attempt for one tip, step by step as the kernel takes them."""

    def __init__(self, chain: Any, box: Any, target: Any, weights: Any) -> None:
        self.chain, self.target, self.weights = chain, target, np.asarray(weights)
        self.lower, self.upper = box[:, 0], box[:, 1]

    def residual(self, q: Any) -> tuple[Any, Any]:
        """Weighted errors and how joints lessen them."""
        pose, jacobian = self.chain.pose_and_jacobian(q)
        rates = error_rates(pose, jacobian, self.target)
        return self.weights * errors(pose, self.target), self.weights[:, None] * rates

    def step(self, q: Any, r: Any, J: Any, damping: float) -> Any:
        """The damped step in the box, joints that would leave pinned to its sides."""
        g, H = J.T @ r, J.T @ J
        pinned = np.where(g < 0, q <= self.lower, q >= self.upper)
        d = np.zeros(len(q))
        for _ in range(len(q) + 1):
            free = ~pinned
            A = H[np.ix_(free, free)] + damping * np.eye(free.sum())
            d[free] = np.linalg.solve(A, g[free] - H[np.ix_(free, pinned)] @ d[pinned])
            inside = np.clip(d, self.lower - q, self.upper - q)
            leaving = free & (inside != d)
            if not leaving.any():
                break
            d[leaving] = inside[leaving]
            pinned = pinned | leaving
        return d * min(1.0, steps.LONGEST_STEP / max(np.abs(d).max(), 1e-300))

    def run(self, q: Any, iterations: int) -> Any:
        """Values after some evaluations behind the first."""
        mu = 0.25 * kernels.MU_START
        r, J = self.residual(q)
        cost = r @ r / 2
        for _ in range(iterations):
            gain, d = 0.0, np.zeros(len(q))
            while not gain > 0.0:
                d = self.step(q, r, J, kernels.LEAST_DAMPING + 2 * mu * cost)
                gain = (J.T @ r) @ d - d @ (J.T @ (J @ d)) / 2
                mu *= 1 if gain > 0.0 else 10
            trial = np.clip(q + d, self.lower, self.upper)
            r_new, J_new = self.residual(trial)
            ratio = (cost - r_new @ r_new / 2) / gain
            if ratio < kernels.POOR:
                mu *= 4
            elif ratio > kernels.GOOD:
                mu = max(mu / 4, kernels.MU_LEAST)
            if ratio > kernels.ACCEPTED:
                q, r, J, cost = trial, r_new, J_new, r_new @ r_new / 2
        return q
