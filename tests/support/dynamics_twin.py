"""A slow twin of the dynamics kernels: virtual work, link by link, in the base frame.

No recursion over forces, no lumping, no frames of bodies: each link's centre is followed with its
Jacobian, and what its mass asks for is projected onto the joints. Gravity, mimic joints and loads
follow from the definition.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kinegraph.kinematics.dynamics import Load
from kinegraph.scene import Isometry3d, Joint, JointType, SceneGraph
from kinegraph.scene.array_types import Array
from kinegraph.scene.link import Inertial

MOVING = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


@dataclass
class Motion:
    """A link's frame, Jacobian and accelerations, with ddq = 0, in the base frame."""

    R: Array
    p: Array
    J: Array  # (6, n) at the frame's origin
    omega: Array
    alpha: Array
    v: Array
    a: Array


class Twin:
    """Dynamics of the joints `names` of a graph; the others stand at zero."""

    def __init__(
        self, graph: SceneGraph, names: list[str], flange: str, base: str, below_flange: bool
    ) -> None:
        self.graph = graph
        self.names = names
        self.flange = flange
        self.base = base
        self.below_flange = below_flange

    def rule(self, name: str) -> tuple[int | None, float, float]:
        """Column, multiplier and offset of a joint; mimic rules resolved."""
        joint = self.graph.getJoint(name)
        if joint is None or joint.type not in MOVING:
            return None, 0.0, 0.0
        if joint.mimic is not None:
            column, ratio, shift = self.rule(joint.mimic.joint_name)
            k = joint.mimic.multiplier
            return column, k * ratio, k * shift + joint.mimic.offset
        return (self.names.index(name), 1.0, 0.0) if name in self.names else (None, 0.0, 0.0)

    def motions(self, q: Array, dq: Array) -> dict[str, Motion]:
        """Every link below the base."""
        zero = np.zeros(3)
        start = Motion(np.eye(3), zero, np.zeros((6, len(q))), zero, zero, zero, zero)
        found, open_links = {self.base: start}, [self.base]
        while open_links:
            name = open_links.pop()
            if name == self.flange and not self.below_flange:
                continue
            for joint in self.graph.getOutboundJoints(name):
                found[joint.child_link_name] = self.behind(found[name], joint, q, dq)
                open_links.append(joint.child_link_name)
        return found

    def behind(self, up: Motion, joint: Joint, q: Array, dq: Array) -> Motion:
        """Motion of a joint's child link."""
        origin = joint.parent_to_joint_origin_transform
        d = up.R @ origin.translation
        R, p = up.R @ origin.linear, up.p + d
        J = up.J.copy()
        J[:3] += np.cross(up.J[3:].T, d).T
        omega, alpha = up.omega, up.alpha
        v = up.v + np.cross(omega, d)
        a = up.a + np.cross(alpha, d) + np.cross(omega, np.cross(omega, d))
        if joint.type not in MOVING:
            return Motion(R, p, J, omega, alpha, v, a)
        column, ratio, shift = self.rule(joint.getName())
        value = shift if column is None else ratio * q[column] + shift
        rate = 0.0 if column is None else ratio * dq[column]
        z = R @ (joint.axis / np.linalg.norm(joint.axis))
        if joint.type == JointType.PRISMATIC:
            d = z * value
            J[:3] += np.cross(up.J[3:].T, d).T
            a = a + np.cross(alpha, d) + np.cross(omega, np.cross(omega, d) + 2.0 * z * rate)
            v = v + np.cross(omega, d) + z * rate
            if column is not None:
                J[:3, column] += ratio * z
            return Motion(R, p + d, J, omega, alpha, v, a)
        x, y, w = z
        K = np.array([[0, -w, y], [w, 0, -x], [-y, x, 0]])
        R = (np.eye(3) + np.sin(value) * K + (1 - np.cos(value)) * K @ K) @ R
        if column is not None:
            J[3:, column] += ratio * z
        return Motion(R, p, J, omega + z * rate, alpha + np.cross(omega, z) * rate, v, a)

    def bodies(
        self, motions: dict[str, Motion], load: Load | None
    ) -> Iterator[tuple[Motion, float, Array, Array]]:
        """Yield motion, mass, lever and inertia of each body, in base axes."""
        for name, motion in motions.items():
            link = self.graph.getLink(name)
            if link is not None and link.inertial is not None and name != self.base:
                yield motion, *in_base(motion.R, link.inertial)
        if load is not None and load.mass > 0.0:
            m = motions[self.flange]
            yield m, load.mass, m.R @ load.center, m.R @ load.inertia @ m.R.T

    def mass_matrix(self, q: Array, load: Load | None = None) -> Array:
        """Sum of m Jc^T Jc + Jw^T I Jw."""
        M = np.zeros((len(q), len(q)))
        for motion, mass, lever, inertia in self.bodies(self.motions(q, 0.0 * q), load):
            Jw = motion.J[3:]
            Jc = motion.J[:3] + np.cross(Jw.T, lever).T
            M += mass * Jc.T @ Jc + Jw.T @ inertia @ Jw
        return M

    def torques(self, q: Array, dq: Array, ddq: Array, g: Array, load: Load | None) -> Array:
        """Virtual work of what every body's motion and weight ask for."""
        tau = self.mass_matrix(q, load) @ ddq
        for motion, mass, lever, inertia in self.bodies(self.motions(q, dq), load):
            w, alpha, Jw = motion.omega, motion.alpha, motion.J[3:]
            Jc = motion.J[:3] + np.cross(Jw.T, lever).T
            a = motion.a + np.cross(alpha, lever) + np.cross(w, np.cross(w, lever))
            tau += Jc.T @ (mass * (a - g)) + Jw.T @ (inertia @ alpha + np.cross(w, inertia @ w))
        return tau


def in_base(R: Array, inertial: Inertial) -> tuple[float, Array, Array]:
    """Mass, lever from the link's origin, inertia about the centre."""
    i, frame = inertial, Isometry3d(inertial.origin)
    tensor = np.array([[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]])
    turn = R @ frame.linear
    return i.mass, R @ frame.translation, turn @ tensor @ turn.T
