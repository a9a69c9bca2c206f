"""What evaluates a robot's model: fifteen calls."""

from typing import Protocol, runtime_checkable

from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["RobotModelBackend"]


@runtime_checkable
class RobotModelBackend(Protocol):
    """A model of a seven-joint arm.

    Names and order of the arguments are libfranka's. All matrices are flat and column-major, as in
    the robot's state: a pose has 16 numbers, a Jacobian 42 (6 by 7, linear rows first), the mass
    matrix 49. Frames: O the base, F the flange, EE the end effector, K the stiffness frame.

    Arguments that the calls share:
        q: (7,) joint positions, rad.
        f_t_ee: (16,) pose of the end effector in the flange frame.
        ee_t_k: (16,) pose of the stiffness frame in the end effector frame.
        joint_index: 1 to 7; the frame of that joint, turned by it.
        i_total: (9,) inertia of all that the flange carries, about its centre, kg m^2.
        m_total: Mass of it, kg.
        f_x_ctotal: (3,) its centre in the flange frame, m.
        gravity_earth: (3,) acceleration of gravity in the base frame, m/s^2.

    A body Jacobian gives the twist in the axes of the frame itself, a zero Jacobian in those of the
    base; the reference point is the frame's origin in both.
    """

    def coriolis(
        self,
        q: VectorLike,
        dq: VectorLike,
        i_total: VectorLike,
        m_total: float,
        f_x_ctotal: VectorLike,
        gravity_earth: VectorLike,
    ) -> Array:
        """Coriolis and centrifugal torques C(q, dq) dq, (7,) Nm; gravity takes no part."""
        ...

    def gravity(
        self, q: VectorLike, gravity_earth: VectorLike, m_total: float, f_x_ctotal: VectorLike
    ) -> Array:
        """Torques that hold the arm against gravity, (7,) Nm."""
        ...

    def mass(
        self, q: VectorLike, i_total: VectorLike, m_total: float, f_x_ctotal: VectorLike
    ) -> Array:
        """Mass matrix, (49,) kg m^2."""
        ...

    def pose(self, q: VectorLike, joint_index: int) -> Array:
        """Pose of a joint frame in the base frame, (16,)."""
        ...

    def pose_flange(self, q: VectorLike) -> Array:
        """Pose of the flange, (16,)."""
        ...

    def pose_ee(self, q: VectorLike, f_t_ee: VectorLike) -> Array:
        """Pose of the end effector, (16,)."""
        ...

    def pose_stiffness(self, q: VectorLike, f_t_ee: VectorLike, ee_t_k: VectorLike) -> Array:
        """Pose of the stiffness frame, (16,)."""
        ...

    def body_jacobian(self, q: VectorLike, joint_index: int) -> Array:
        """Body Jacobian of a joint frame, (42,); the columns of later joints are zero."""
        ...

    def body_jacobian_flange(self, q: VectorLike) -> Array:
        """Body Jacobian of the flange, (42,)."""
        ...

    def body_jacobian_ee(self, q: VectorLike, f_t_ee: VectorLike) -> Array:
        """Body Jacobian of the end effector, (42,)."""
        ...

    def body_jacobian_stiffness(
        self, q: VectorLike, f_t_ee: VectorLike, ee_t_k: VectorLike
    ) -> Array:
        """Body Jacobian of the stiffness frame, (42,)."""
        ...

    def zero_jacobian(self, q: VectorLike, joint_index: int) -> Array:
        """Zero Jacobian of a joint frame, (42,); the columns of later joints are zero."""
        ...

    def zero_jacobian_flange(self, q: VectorLike) -> Array:
        """Zero Jacobian of the flange, (42,)."""
        ...

    def zero_jacobian_ee(self, q: VectorLike, f_t_ee: VectorLike) -> Array:
        """Zero Jacobian of the end effector, (42,)."""
        ...

    def zero_jacobian_stiffness(
        self, q: VectorLike, f_t_ee: VectorLike, ee_t_k: VectorLike
    ) -> Array:
        """Zero Jacobian of the stiffness frame, (42,)."""
        ...
