"""The model against pinocchio: every call at 200 random states, with and without load."""

import numpy as np
import pytest
from oracles import third_party

from kinegraph.kinematics.dynamics import Load
from kinegraph.robot.model import NativeModelBackend
from kinegraph.robot.sim.descriptions import description_text
from kinegraph.scene.array_types import Array

pin = third_party("pinocchio")
from dynamics_pinocchio import PinocchioArm  # noqa: E402

COUNT = 200
INERTIA = np.array([0.004, 0.0003, -0.0002, 0.0003, 0.005, 0.0001, -0.0002, 0.0001, 0.003])
CENTRE = np.array([0.03, -0.02, 0.14])
GRAVITY = np.array([0.3, -0.4, -9.7])
MASSES = {"free": 0.0, "loaded": 1.35}


def states() -> Array:
    return np.random.default_rng(7).uniform(-3.0, 3.0, (2, COUNT, 7))


def close(value: Array, expected: Array) -> None:
    np.testing.assert_allclose(value, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


@pytest.fixture(params=["fr3", "fer"])
def arm_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("load", MASSES)
def test_mass_coriolis_and_gravity_are_pinocchios(arm_name: str, load: str) -> None:
    mass, urdf = MASSES[load], description_text(arm_name)
    backend = NativeModelBackend.from_urdf(urdf)
    body = Load(mass, CENTRE, INERTIA.reshape(3, 3)) if mass else None
    arm = PinocchioArm(urdf, list(backend.joint_names), f"{arm_name}_link8", body)
    for q, dq in zip(*states(), strict=True):
        close(backend.mass(q, INERTIA, mass, CENTRE), arm.mass_matrix(q).ravel())
        close(backend.coriolis(q, dq, INERTIA, mass, CENTRE, GRAVITY), arm.coriolis_torque(q, dq))
        close(backend.gravity(q, GRAVITY, mass, CENTRE), arm.gravity_torque(q, GRAVITY))


def test_poses_and_jacobians_of_all_frames_are_pinocchios(arm_name: str) -> None:
    urdf = description_text(arm_name)
    backend = NativeModelBackend.from_urdf(urdf)
    model = pin.buildModelFromXML(urdf)
    data = model.createData()
    tool = pin.SE3.Random()
    tip = model.getFrameId(f"{arm_name}_link8")
    flange = model.frames[tip]
    ee = model.addFrame(
        pin.Frame("ee", flange.parentJoint, tip, flange.placement * tool, pin.FrameType.OP_FRAME)
    )
    data, F_T_EE = model.createData(), tool.homogeneous.T.ravel()
    for q in states()[0]:
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        for number in range(1, 8):
            frame = model.getFrameId(f"{arm_name}_link{number}")
            close(backend.pose(q, number), data.oMf[frame].homogeneous.T.ravel())
            for call, axes in (
                (backend.body_jacobian, pin.LOCAL),
                (backend.zero_jacobian, pin.LOCAL_WORLD_ALIGNED),
            ):
                J = pin.getFrameJacobian(model, data, frame, axes)
                close(call(q, number), J.T.ravel())
        close(backend.pose_ee(q, F_T_EE), data.oMf[ee].homogeneous.T.ravel())
        J = pin.getFrameJacobian(model, data, ee, pin.LOCAL)
        close(backend.body_jacobian_ee(q, F_T_EE), J.T.ravel())
        J = pin.getFrameJacobian(model, data, ee, pin.LOCAL_WORLD_ALIGNED)
        close(backend.zero_jacobian_ee(q, F_T_EE), J.T.ravel())
