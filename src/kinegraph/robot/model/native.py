"""The model evaluated from a scene graph by compiled kernels."""

from collections.abc import Sequence

import numpy as np

from kinegraph.kinematics.dynamics_kernels import coriolis_torque, gravity_torque, mass_matrix
from kinegraph.robot.model import model_kernels
from kinegraph.robot.model.arguments import PoseLike, joint_number
from kinegraph.robot.model.arm import CompiledArm, find_arm, plan_arm
from kinegraph.robot.model.checked_calls import (
    CORIOLIS,
    GRAVITY,
    JOINT,
    MASS,
    NO_INERTIA,
    gather,
    joint_and_tool,
    joint_and_two_tools,
)
from kinegraph.scene import parseURDFString
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.graph import SceneGraph

__all__ = ["NativeModelBackend"]

FLANGE = 7  # index of the flange's chain, behind those of the seven joints

# Without a tool the identity; never written to.
IDENTITY = np.eye(4).reshape(16)


class NativeModelBackend:
    """`RobotModelBackend` of a seven-joint arm in a scene graph.

    The arm's inertias are those of its links and of everything that is fixed to them above the
    flange; what hangs below the flange reaches the model as `m_total`, `F_x_Ctotal`, `I_total`. The
    graph is read once: later changes of it do not change the model. An object may be used from
    several threads at a time, and pickled.

    Args:
        scene_graph: A graph that contains the arm.
        joint_names: The seven joints from the base on. Left out: the one set of joints whose names
            end in joint1 to joint7.
        base_link: Link whose frame is O. Left out: the link that carries the first joint.
        flange_link: Link whose frame is F. Left out: the child of the fixed joint behind the last
            one whose name ends in joint8 (or the link whose name ends in link8).

    Raises:
        ModelError: The arm cannot be found, is ambiguous, or its links have no mass.
    """

    def __init__(
        self,
        scene_graph: SceneGraph,
        joint_names: Sequence[str] | None = None,
        base_link: str | None = None,
        flange_link: str | None = None,
    ) -> None:
        names = find_arm(scene_graph, joint_names, base_link, flange_link)
        self._arm = plan_arm(scene_graph, names)

    @classmethod
    def from_urdf(cls, urdf: str | bytes) -> "NativeModelBackend":
        """Build from a description such as the one that the robot serves.

        Raises:
            URDFError: The text cannot be read. Also a `ValueError`.
            ModelError: As for the constructor.
        """
        return cls(parseURDFString(urdf))

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The seven joints, from the base on."""
        return self._arm.names.joints

    @property
    def base_link(self) -> str:
        """The link whose frame is O."""
        return self._arm.names.base_link

    @property
    def flange_link(self) -> str:
        """The link whose frame is F."""
        return self._arm.names.flange_link

    @property
    def arm(self) -> CompiledArm:
        """The compiled arrays, for loops that call the kernels themselves."""
        return self._arm

    def __repr__(self) -> str:
        names = self._arm.names
        return f"NativeModelBackend({names.base_link!r} .. {names.flange_link!r})"

    def coriolis(
        self,
        q: VectorLike,
        dq: VectorLike,
        i_total: VectorLike,
        m_total: float,
        f_x_ctotal: VectorLike,
        gravity_earth: VectorLike = (0.0, 0.0, -9.81),
    ) -> Array:
        """Coriolis and centrifugal torques C(q, dq) dq, (7,) Nm.

        `gravity_earth` is checked and takes no part; libfranka's call has it in this place. Without
        mass the load's centre and inertia do not count.

        Raises:
            InvalidArgumentError: A value is not finite or has the wrong size. Also a `ValueError`.
        """
        given = gather(CORIOLIS, q, m_total, f_x_ctotal, i_total, gravity_earth, dq)
        plan, tau = self._arm.dynamics, np.empty(7)
        coriolis_torque(plan.data, given[:7], given[23:], given[7:20], plan.workspace(), tau)
        return tau

    def gravity(
        self, q: VectorLike, gravity_earth: VectorLike, m_total: float, f_x_ctotal: VectorLike
    ) -> Array:
        """Torques that hold the arm against gravity, (7,) Nm.

        Raises:
            InvalidArgumentError: A value is not finite or has the wrong size. Also a `ValueError`.
        """
        given = gather(GRAVITY, q, m_total, f_x_ctotal, NO_INERTIA, gravity_earth)
        plan, tau = self._arm.dynamics, np.empty(7)
        gravity_torque(plan.data, given[:7], given[20:], given[7:], plan.workspace(), tau)
        return tau

    def mass(
        self, q: VectorLike, i_total: VectorLike, m_total: float, f_x_ctotal: VectorLike
    ) -> Array:
        """Mass matrix, (49,) kg m^2.

        Raises:
            InvalidArgumentError: A value is not finite or has the wrong size. Also a `ValueError`.
        """
        given = gather(MASS, q, m_total, f_x_ctotal, i_total)
        plan, matrix = self._arm.dynamics, np.empty((7, 7))  # symmetric: rows are columns
        mass_matrix(plan.data, given[:7], given[7:], plan.workspace(), matrix)
        return matrix.reshape(49)

    def pose(self, q: VectorLike, joint_index: int) -> Array:
        """Pose of a joint frame in the base frame, (16,).

        Raises:
            InvalidArgumentError: `q` is not seven finite numbers, `joint_index` not 1 to 7.
        """
        return self._pose(joint_number(joint_index) - 1, gather(JOINT, q), IDENTITY)

    def pose_flange(self, q: VectorLike) -> Array:
        """Pose of the flange, (16,).

        Raises:
            InvalidArgumentError: `q` is not seven finite numbers. Also a `ValueError`.
        """
        return self._pose(FLANGE, gather(JOINT, q), IDENTITY)

    def pose_ee(self, q: VectorLike, f_t_ee: PoseLike) -> Array:
        """Pose of the end effector, (16,).

        Raises:
            InvalidArgumentError: As `pose_flange`, or `f_t_ee` is not a rigid transform.
        """
        return self._pose(FLANGE, *joint_and_tool(q, f_t_ee))

    def pose_stiffness(self, q: VectorLike, f_t_ee: PoseLike, ee_t_k: PoseLike) -> Array:
        """Pose of the stiffness frame, (16,).

        Raises:
            InvalidArgumentError: As `pose_ee`, or `ee_t_k` is not a rigid transform.
        """
        return self._pose(FLANGE, *joint_and_two_tools(q, f_t_ee, ee_t_k))

    def body_jacobian(self, q: VectorLike, joint_index: int) -> Array:
        """Body Jacobian of a joint frame, (42,).

        Raises:
            InvalidArgumentError: As `pose`.
        """
        return self._body_jacobian(joint_number(joint_index) - 1, gather(JOINT, q), IDENTITY)

    def body_jacobian_flange(self, q: VectorLike) -> Array:
        """Body Jacobian of the flange, (42,).

        Raises:
            InvalidArgumentError: As `pose_flange`.
        """
        return self._body_jacobian(FLANGE, gather(JOINT, q), IDENTITY)

    def body_jacobian_ee(self, q: VectorLike, f_t_ee: PoseLike) -> Array:
        """Body Jacobian of the end effector, (42,).

        Raises:
            InvalidArgumentError: As `pose_ee`.
        """
        return self._body_jacobian(FLANGE, *joint_and_tool(q, f_t_ee))

    def body_jacobian_stiffness(self, q: VectorLike, f_t_ee: PoseLike, ee_t_k: PoseLike) -> Array:
        """Body Jacobian of the stiffness frame, (42,).

        Raises:
            InvalidArgumentError: As `pose_stiffness`.
        """
        return self._body_jacobian(FLANGE, *joint_and_two_tools(q, f_t_ee, ee_t_k))

    def zero_jacobian(self, q: VectorLike, joint_index: int) -> Array:
        """Zero Jacobian of a joint frame, (42,).

        Raises:
            InvalidArgumentError: As `pose`.
        """
        return self._zero_jacobian(joint_number(joint_index) - 1, gather(JOINT, q), IDENTITY)

    def zero_jacobian_flange(self, q: VectorLike) -> Array:
        """Zero Jacobian of the flange, (42,).

        Raises:
            InvalidArgumentError: As `pose_flange`.
        """
        return self._zero_jacobian(FLANGE, gather(JOINT, q), IDENTITY)

    def zero_jacobian_ee(self, q: VectorLike, f_t_ee: PoseLike) -> Array:
        """Zero Jacobian of the end effector, (42,).

        Raises:
            InvalidArgumentError: As `pose_ee`.
        """
        return self._zero_jacobian(FLANGE, *joint_and_tool(q, f_t_ee))

    def zero_jacobian_stiffness(self, q: VectorLike, f_t_ee: PoseLike, ee_t_k: PoseLike) -> Array:
        """Zero Jacobian of the stiffness frame, (42,).

        Raises:
            InvalidArgumentError: As `pose_stiffness`.
        """
        return self._zero_jacobian(FLANGE, *joint_and_two_tools(q, f_t_ee, ee_t_k))

    def _pose(self, frame: int, q: Array, tool: Array) -> Array:
        out = np.empty(16)
        model_kernels.frame_pose(self._arm.chains[frame], q, tool, np.empty((4, 4)), out)
        return out

    def _zero_jacobian(self, frame: int, q: Array, tool: Array) -> Array:
        chain, pose, jacobian = self._arm.chains[frame], np.empty((4, 4)), np.empty((6, 7))
        out = np.empty(42)
        model_kernels.zero_jacobian(chain, q, tool, pose, jacobian, out)
        return out

    def _body_jacobian(self, frame: int, q: Array, tool: Array) -> Array:
        chain, pose, jacobian = self._arm.chains[frame], np.empty((4, 4)), np.empty((6, 7))
        placed, out = np.empty(16), np.empty(42)
        model_kernels.body_jacobian(chain, q, tool, pose, jacobian, placed, out)
        return out
