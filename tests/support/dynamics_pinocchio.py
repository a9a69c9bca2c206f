"""pinocchio as a judge of the dynamics. Import it after `pytest.importorskip("pinocchio")`."""

from typing import Any

import numpy as np
import pinocchio

from kinegraph.kinematics.dynamics import Load
from kinegraph.scene.array_types import Array


class PinocchioArm:
    """The joints `names` of a description, the other moving joints locked at zero."""

    def __init__(self, urdf: str, names: list[str], tip: str, load: Load | None = None) -> None:
        model: Any = pinocchio.buildModelFromXML(urdf)
        locked = [model.getJointId(name) for name in model.names[1:] if name not in names]
        if locked:
            model = pinocchio.buildReducedModel(model, locked, pinocchio.neutral(model))
        frame = model.frames[model.getFrameId(tip)]
        if load is not None:
            body = pinocchio.Inertia(load.mass, np.array(load.center), np.array(load.inertia))
            model.appendBodyToJoint(frame.parentJoint, body, frame.placement)
        self.model = model
        self.data = model.createData()
        self.tip = model.getFrameId(tip)
        self.columns = [model.joints[model.getJointId(name)].idx_v for name in names]

    def q(self, values: Array) -> Array:
        """pinocchio's configuration; its continuous joints are a cosine and a sine."""
        model = self.model
        out = np.empty(model.nq)
        for value, column in zip(values, self.columns, strict=True):
            joint = next(j for j in model.joints[1:] if j.idx_v == column)
            pair = [np.cos(value), np.sin(value)]
            out[joint.idx_q : joint.idx_q + joint.nq] = pair if joint.nq == 2 else value
        return out

    def v(self, values: Array) -> Array:
        """Velocities or the like in pinocchio's order."""
        out = np.empty(self.model.nv)
        out[self.columns] = values
        return out

    def mass_matrix(self, q: Array) -> Array:
        """Composite rigid bodies."""
        upper = np.triu(pinocchio.crba(self.model, self.data, self.q(q)))
        whole = upper + np.triu(upper, 1).T
        return np.array(whole[np.ix_(self.columns, self.columns)])

    def inverse_dynamics(self, q: Array, dq: Array, ddq: Array, g: Array) -> Array:
        """Recursive Newton-Euler."""
        self.model.gravity.linear = np.array(g)
        tau = pinocchio.rnea(self.model, self.data, self.q(q), self.v(dq), self.v(ddq))
        return np.array(tau[self.columns])

    def coriolis_torque(self, q: Array, dq: Array) -> Array:
        """Coriolis matrix times velocity."""
        C = pinocchio.computeCoriolisMatrix(self.model, self.data, self.q(q), self.v(dq))
        return np.array((C @ self.v(dq))[self.columns])

    def gravity_torque(self, q: Array, g: Array) -> Array:
        """Generalized gravity."""
        self.model.gravity.linear = np.array(g)
        tau = pinocchio.computeGeneralizedGravity(self.model, self.data, self.q(q))
        return np.array(tau[self.columns])

    def forward_dynamics(self, q: Array, dq: Array, tau: Array, g: Array) -> Array:
        """Articulated bodies."""
        self.model.gravity.linear = np.array(g)
        a = pinocchio.aba(self.model, self.data, self.q(q), self.v(dq), self.v(tau))
        return np.array(a[self.columns])

    def jacobian_and_rate(self, q: Array, dq: Array) -> tuple[Array, Array]:
        """Of the tip, base axes at its origin."""
        model, data, frame = self.model, self.data, pinocchio.LOCAL_WORLD_ALIGNED
        pinocchio.computeJointJacobiansTimeVariation(model, data, self.q(q), self.v(dq))
        pinocchio.updateFramePlacements(model, data)
        J = pinocchio.getFrameJacobian(model, data, self.tip, frame)
        dJ = pinocchio.getFrameJacobianTimeVariation(model, data, self.tip, frame)
        return np.array(J[:, self.columns]), np.array(dJ[:, self.columns])
