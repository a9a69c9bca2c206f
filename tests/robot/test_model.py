"""The model's calls: their properties, a state or explicit values, what is refused."""

import inspect
import pickle
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.kinematics.dynamics import Load, gravity_torque, mass_matrix, plan_dynamics
from kinegraph.robot.errors import InvalidArgumentError, ModelError
from kinegraph.robot.model import Frame, Model, NativeModelBackend, RobotModelBackend
from kinegraph.robot.sim.descriptions import description_text
from kinegraph.scene import Isometry3d, Joint, JointType, SceneGraph, parseURDFString
from kinegraph.scene.array_types import Array

Q = np.array([0.1, -0.6, 0.2, -2.1, 0.3, 1.7, 0.9])
DQ = np.array([0.5, -0.2, 0.8, 0.3, -1.0, 0.7, 1.5])
F_T_EE = Isometry3d.from_rpy([0.02, -0.01, 0.15], [0.1, 0.4, -0.8]).to_column_major()
EE_T_K = Isometry3d.from_rpy([0.0, 0.01, 0.03], [0.0, 0.3, 0.1]).to_column_major()
INERTIA = np.array([0.004, 0.0003, -0.0002, 0.0003, 0.005, 0.0001, -0.0002, 0.0001, 0.003])
CENTRE = np.array([0.03, -0.02, 0.14])
GRAVITY = np.array([0.0, 0.0, -9.81])
LOAD = Load(1.35, CENTRE, INERTIA.reshape(3, 3))

# The fifteen calls, with valid arguments in order.
CALLS: dict[str, tuple[Any, ...]] = {
    "coriolis": (Q, DQ, INERTIA, 1.35, CENTRE, GRAVITY),
    "gravity": (Q, GRAVITY, 1.35, CENTRE),
    "mass": (Q, INERTIA, 1.35, CENTRE),
    "pose": (Q, 3),
    "pose_flange": (Q,),
    "pose_ee": (Q, F_T_EE),
    "pose_stiffness": (Q, F_T_EE, EE_T_K),
    "body_jacobian": (Q, 3),
    "body_jacobian_flange": (Q,),
    "body_jacobian_ee": (Q, F_T_EE),
    "body_jacobian_stiffness": (Q, F_T_EE, EE_T_K),
    "zero_jacobian": (Q, 3),
    "zero_jacobian_flange": (Q,),
    "zero_jacobian_ee": (Q, F_T_EE),
    "zero_jacobian_stiffness": (Q, F_T_EE, EE_T_K),
}
SIZES = {"pose": 16, "body": 42, "zero": 42, "mass": 49, "coriolis": 7, "gravity": 7}


def fr3() -> SceneGraph:
    return parseURDFString(description_text("fr3"))


BACKEND = NativeModelBackend(fr3())
MODEL = Model(BACKEND)


@dataclass
class State:
    """The fields of a robot state that a model reads."""

    q: Array = field(default_factory=Q.copy)
    dq: Array = field(default_factory=DQ.copy)
    F_T_EE: Array = field(default_factory=F_T_EE.copy)
    EE_T_K: Array = field(default_factory=EE_T_K.copy)
    m_total: float = 1.35
    I_total: Array = field(default_factory=INERTIA.copy)
    F_x_Ctotal: Array = field(default_factory=CENTRE.copy)
    O_ddP_O: Array = field(default_factory=lambda: np.array([0.0, 3.0, -9.0]))


def matrix(pose: Array) -> Array:
    return pose.reshape(4, 4, order="F")


def jacobian(values: Array) -> Array:
    return values.reshape(6, 7, order="F")


@pytest.mark.parametrize("call", CALLS)
def test_every_call_returns_a_flat_array_of_its_size(call: str) -> None:
    result = getattr(BACKEND, call)(*CALLS[call])
    assert result.shape == (SIZES[call.split("_")[0]],)
    assert result.dtype == np.float64


def test_the_native_backend_has_the_arguments_of_the_protocol_in_its_order() -> None:
    assert isinstance(BACKEND, RobotModelBackend)
    for call in CALLS:
        ours = list(inspect.signature(getattr(NativeModelBackend, call)).parameters)
        assert ours == list(inspect.signature(getattr(RobotModelBackend, call)).parameters)


@pytest.mark.parametrize("index", range(1, 8))
def test_a_joint_frame_has_only_the_columns_of_the_joints_before_it(index: int) -> None:
    J = jacobian(BACKEND.zero_jacobian(Q, index))
    assert (np.abs(J[:, :index]).max(axis=0) > 0.1).all()
    np.testing.assert_array_equal(J[:, index:], 0.0)


def test_joint_frames_are_the_frames_of_the_links() -> None:
    from kinegraph.kinematics.chain import plan_chain

    for index in range(1, 8):
        chain = plan_chain(fr3(), f"fr3_link{index}")
        expected = chain.pose(Q[: chain.n].copy())
        np.testing.assert_allclose(matrix(BACKEND.pose(Q, index)), expected, atol=1e-15)


def test_the_flange_is_107_mm_behind_the_last_joint() -> None:
    between = np.linalg.inv(matrix(BACKEND.pose(Q, 7))) @ matrix(BACKEND.pose_flange(Q))
    expected = np.eye(4)
    expected[2, 3] = 0.107
    np.testing.assert_allclose(between, expected, atol=1e-15)


def test_the_last_frame_is_the_product_of_all_before_it() -> None:
    expected = matrix(BACKEND.pose_flange(Q)) @ matrix(F_T_EE) @ matrix(EE_T_K)
    np.testing.assert_allclose(matrix(BACKEND.pose_stiffness(Q, F_T_EE, EE_T_K)), expected)


angles = st.lists(st.floats(-3.0, 3.0), min_size=7, max_size=7).map(np.array)


@given(q=angles, frame=st.sampled_from(Frame))
@settings(deadline=None, max_examples=50)
def test_the_zero_jacobian_is_the_derivative_of_the_pose(q: Array, frame: Frame) -> None:
    J, h = jacobian(MODEL.zero_jacobian(frame, q, F_T_EE, EE_T_K)), 1e-6
    T = matrix(MODEL.pose(frame, q, F_T_EE, EE_T_K))
    for i, step in enumerate(np.eye(7) * h):
        ahead = matrix(MODEL.pose(frame, q + step, F_T_EE, EE_T_K))
        behind = matrix(MODEL.pose(frame, q - step, F_T_EE, EE_T_K))
        change = (ahead - behind) / (2.0 * h)
        spin = change[:3, :3] @ T[:3, :3].T
        np.testing.assert_allclose(J[:3, i], change[:3, 3], atol=1e-8)
        np.testing.assert_allclose(J[3:, i], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-8)


@given(q=angles, frame=st.sampled_from(Frame))
@settings(deadline=None, max_examples=50)
def test_the_body_jacobian_is_the_zero_jacobian_in_the_frames_own_axes(
    q: Array, frame: Frame
) -> None:
    R = matrix(MODEL.pose(frame, q, F_T_EE, EE_T_K))[:3, :3]
    J = jacobian(MODEL.zero_jacobian(frame, q, F_T_EE, EE_T_K))
    expected = np.vstack([R.T @ J[:3], R.T @ J[3:]])
    body = jacobian(MODEL.body_jacobian(frame, q, F_T_EE, EE_T_K))
    np.testing.assert_allclose(body, expected, atol=1e-14)


def test_the_load_counts_in_mass_coriolis_and_gravity() -> None:
    plan = plan_dynamics(fr3(), BACKEND.joint_names, "fr3_link8")
    M = BACKEND.mass(*CALLS["mass"]).reshape(7, 7)
    np.testing.assert_array_equal(M, mass_matrix(plan, Q, LOAD))
    g = BACKEND.gravity(*CALLS["gravity"])
    np.testing.assert_array_equal(g, gravity_torque(plan, Q, GRAVITY, LOAD))
    bare = BACKEND.coriolis(Q, DQ, INERTIA, 0.0, CENTRE, GRAVITY)
    assert np.abs(BACKEND.coriolis(*CALLS["coriolis"]) - bare).max() > 0.01


def test_gravity_takes_no_part_in_coriolis() -> None:
    again = BACKEND.coriolis(Q, DQ, INERTIA, 1.35, CENTRE, [5.0, 0.0, 0.0])
    np.testing.assert_array_equal(again, BACKEND.coriolis(*CALLS["coriolis"]))


def test_a_state_gives_the_same_as_its_values() -> None:
    state = State()
    for frame in Frame:
        for call in (MODEL.pose, MODEL.body_jacobian, MODEL.zero_jacobian):
            explicit = call(frame, Q, F_T_EE, EE_T_K)
            np.testing.assert_array_equal(call(frame, state), explicit)
    mass, coriolis = MODEL.mass(state), MODEL.coriolis(state)
    np.testing.assert_array_equal(mass, MODEL.mass(Q, INERTIA, 1.35, CENTRE))
    np.testing.assert_array_equal(coriolis, MODEL.coriolis(Q, DQ, INERTIA, 1.35, CENTRE))


def test_gravity_is_the_states_own_unless_it_is_given() -> None:
    state = State()
    own = MODEL.gravity(Q, 1.35, CENTRE, state.O_ddP_O)
    np.testing.assert_array_equal(MODEL.gravity(state), own)
    down = MODEL.gravity(Q, 1.35, CENTRE)
    np.testing.assert_array_equal(MODEL.gravity(state, gravity_earth=GRAVITY), down)
    assert np.abs(own - down).max() > 1.0


def test_a_model_survives_pickling() -> None:
    again = pickle.loads(pickle.dumps(MODEL))
    np.testing.assert_array_equal(again.gravity(State()), MODEL.gravity(State()))


def test_transforms_may_be_matrices_too() -> None:
    pose = BACKEND.pose_ee(Q, Isometry3d(matrix(F_T_EE)))
    np.testing.assert_array_equal(pose, BACKEND.pose_ee(Q, F_T_EE))
    np.testing.assert_array_equal(pose, BACKEND.pose_ee(Q, matrix(F_T_EE)))


NUMBER = 3.25
BAD_VECTORS = [np.zeros(2), [np.nan] * 16, ["a"] * 7, None, NUMBER, np.zeros((7, 7)), [[1], [1, 2]]]
MIRROR = np.diag([1.0, 1.0, -1.0, 1.0]).ravel()
BAD_TRANSFORMS = [np.zeros(16), matrix(F_T_EE).ravel(), 1.001 * F_T_EE, MIRROR, np.ones(16)]


@pytest.mark.parametrize("bad", BAD_VECTORS, ids=range(len(BAD_VECTORS)))
@pytest.mark.parametrize("call", CALLS)
def test_vectors_that_do_not_fit_are_refused_in_every_place(call: str, bad: Any) -> None:
    for place, value in enumerate(CALLS[call]):
        arguments = list(CALLS[call])
        arguments[place] = bad
        if isinstance(value, float) and bad is NUMBER:
            continue
        with pytest.raises(InvalidArgumentError):
            getattr(BACKEND, call)(*arguments)


@pytest.mark.parametrize("bad", BAD_TRANSFORMS, ids=range(len(BAD_TRANSFORMS)))
def test_transforms_that_are_not_rigid_are_refused(bad: Array) -> None:
    with pytest.raises(InvalidArgumentError, match="F_T_EE is not a rigid transform"):
        BACKEND.pose_ee(Q, bad)
    with pytest.raises(InvalidArgumentError, match="EE_T_K is not a rigid transform"):
        BACKEND.zero_jacobian_stiffness(Q, F_T_EE, bad)


@pytest.mark.parametrize("index", [0, 8, -1, 2.5, True, "3", None])
def test_joint_numbers_are_one_to_seven(index: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="1 to 7"):
        BACKEND.pose(Q, index)


@pytest.mark.parametrize("mass", [-0.1, np.nan, np.inf, "1", True])
def test_a_mass_is_a_finite_number_that_is_not_negative(mass: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="m_total"):
        BACKEND.mass(Q, INERTIA, mass, CENTRE)


def test_an_inertia_that_is_not_symmetric_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="not symmetric"):
        BACKEND.mass(Q, np.arange(9.0), 1.0, CENTRE)


def test_values_that_are_missing_or_too_many_are_named() -> None:
    with pytest.raises(InvalidArgumentError, match="F_T_EE"):
        MODEL.pose(Frame.EndEffector, Q)  # type: ignore[call-overload]
    with pytest.raises(InvalidArgumentError, match="m_total, F_x_Ctotal"):
        MODEL.gravity(Q)  # type: ignore[call-overload]
    with pytest.raises(InvalidArgumentError, match="I_total"):
        MODEL.mass(State(), INERTIA)  # type: ignore[call-overload]
    with pytest.raises(InvalidArgumentError, match=r"'flange' .*did you mean 'Flange'"):
        MODEL.pose("flange", Q)  # type: ignore[call-overload]


def with_prefix(graph: SceneGraph, prefix: str) -> SceneGraph:
    joint = Joint(f"{prefix}mount")
    joint.type = JointType.FIXED
    joint.parent_link_name, joint.child_link_name = graph.getRoot(), f"{prefix}fr3_link0"
    joint.parent_to_joint_origin_transform = Isometry3d.from_rpy([1, 2, 3], [0.1, 0.2, 0.3])
    assert graph.insertSceneGraph(fr3(), joint, prefix)
    return graph


def test_the_arm_is_found_in_a_scene_and_the_base_is_its_own() -> None:
    cell = with_prefix(parseURDFString('<robot name="cell"><link name="floor"/></robot>'), "a_")
    backend = NativeModelBackend(cell)
    assert backend.joint_names == tuple(f"a_fr3_joint{i}" for i in range(1, 8))
    assert (backend.base_link, backend.flange_link) == ("a_fr3_link0", "a_fr3_link8")
    np.testing.assert_array_equal(backend.pose_flange(Q), BACKEND.pose_flange(Q))


def test_of_two_arms_one_must_be_named() -> None:
    cell = with_prefix(parseURDFString('<robot name="cell"><link name="floor"/></robot>'), "a_")
    cell = with_prefix(cell, "b_")
    with pytest.raises(ModelError, match=r"a_fr3_joint1 .. a_fr3_joint7, b_fr3_joint1"):
        NativeModelBackend(cell)
    backend = NativeModelBackend(cell, [f"b_fr3_joint{i}" for i in range(1, 8)])
    assert backend.flange_link == "b_fr3_link8"


def test_what_hangs_at_the_flange_is_left_to_the_load() -> None:
    graph = fr3()
    joint = Joint("mount")
    joint.type = JointType.FIXED
    joint.parent_link_name, joint.child_link_name = "fr3_link8", "tool_palm"
    assert graph.insertSceneGraph(parseURDFString(description_text("gripper")), joint, "tool_")
    with_tool = NativeModelBackend(graph).mass(*CALLS["mass"])
    np.testing.assert_array_equal(with_tool, BACKEND.mass(*CALLS["mass"]))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"joint_names": ["fr3_joint1"]}, "an arm has 7 joints"),
        ({"joint_names": [f"joint{i}" for i in range(1, 8)]}, "no joint 'joint1'"),
        ({"joint_names": [f"fr3_joint{i}" for i in (2, 1, 3, 4, 5, 6, 7)]}, ", not"),
        ({"flange_link": "flange"}, "no link 'flange'"),
        ({"base_link": "fr3_link2"}, r"are \['fr3_joint3'"),
    ],
)
def test_names_that_make_no_arm_are_refused(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(ModelError, match=text):
        NativeModelBackend(fr3(), **arguments)


def test_the_flange_is_found_by_its_link_too() -> None:
    urdf = description_text("fr3").replace("fr3_joint8", "wrist")
    assert NativeModelBackend.from_urdf(urdf).flange_link == "fr3_link8"


def test_an_arm_without_a_flange_is_refused() -> None:
    urdf = description_text("fr3").replace("fr3_joint8", "wrist").replace("fr3_link8", "plate")
    with pytest.raises(ModelError, match="fixed links there: plate; name the flange link"):
        NativeModelBackend.from_urdf(urdf)


def test_a_robot_that_is_no_arm_is_refused() -> None:
    urdf = description_text("fr3").replace("fr3_joint4", "elbow")
    with pytest.raises(ModelError, match="found: none"):
        NativeModelBackend.from_urdf(urdf)


def test_an_arm_without_masses_is_refused() -> None:
    urdf = re.sub(r"<inertial>.*?</inertial>", "", description_text("fr3"), flags=re.DOTALL)
    with pytest.raises(ModelError, match="need masses"):
        NativeModelBackend.from_urdf(urdf)
