"""The robot's settings: commands with checked arguments; their range is the robot's to judge."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from kinegraph.robot.argument_checks import as_numbers, check_whole
from kinegraph.robot.command_checks import check_finite, check_pose, pose_values, values_of
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.link import RobotLink
from kinegraph.robot.virtual_wall import VirtualWall
from kinegraph.scene.array_types import Array, ByteArray
from kinegraph.scene.pose import TransformLike

__all__ = ["RobotSettings"]


def _finite(value: ArrayLike, count: int, name: str) -> Array:
    values = values_of(value, count, name)
    check_finite(values, name)
    return values


def _pose(value: TransformLike, name: str) -> Array:
    values = pose_values(value, name)
    check_pose(values, name)
    return values


def _flags(value: Sequence[bool | int], count: int, name: str) -> ByteArray:
    try:
        flags = as_numbers(name, value)
    except InvalidArgumentError:
        flags = np.zeros(0)
    if flags.shape != (count,) or not np.isin(flags, (0, 1)).all():
        raise InvalidArgumentError(f"{name} needs {count} flags, not {value!r}", field=name)
    return flags.astype(np.uint8)


class RobotSettings:
    """The setters of `Robot`.

    Each raises `InvalidArgumentError` (also a `ValueError`) for wrong lengths, numbers that are not
    finite and transforms that are none, before anything is sent; `CommandError` when the robot
    refuses; `NetworkError` when it does not answer.
    """

    _link: RobotLink

    def set_collision_behavior(
        self,
        lower_torque_thresholds: ArrayLike,
        upper_torque_thresholds: ArrayLike,
        lower_force_thresholds: ArrayLike,
        upper_force_thresholds: ArrayLike,
        *,
        lower_torque_thresholds_acceleration: ArrayLike | None = None,
        upper_torque_thresholds_acceleration: ArrayLike | None = None,
        lower_force_thresholds_acceleration: ArrayLike | None = None,
        upper_force_thresholds_acceleration: ArrayLike | None = None,
    ) -> None:
        """Set from which external torques and forces on a contact or a collision is reported.

        The thresholds hold at constant velocity; those while accelerating are the same unless they
        are given.

        Args:
            lower_torque_thresholds: (7,) contact, Nm.
            upper_torque_thresholds: (7,) collision, Nm.
            lower_force_thresholds: (6,) contact: x, y, z in N, roll, pitch, yaw in Nm.
            upper_force_thresholds: (6,) collision.
            lower_torque_thresholds_acceleration: (7,) while accelerating.
            upper_torque_thresholds_acceleration: (7,) while accelerating.
            lower_force_thresholds_acceleration: (6,) while accelerating.
            upper_force_thresholds_acceleration: (6,) while accelerating.
        """
        given = {
            "lower_torque": (lower_torque_thresholds, lower_torque_thresholds_acceleration, 7),
            "upper_torque": (upper_torque_thresholds, upper_torque_thresholds_acceleration, 7),
            "lower_force": (lower_force_thresholds, lower_force_thresholds_acceleration, 6),
            "upper_force": (upper_force_thresholds, upper_force_thresholds_acceleration, 6),
        }
        fields = {}
        for name, (nominal, acceleration, count) in given.items():
            while_accelerating = nominal if acceleration is None else acceleration
            for phase, value in (("nominal", nominal), ("acceleration", while_accelerating)):
                field = f"{name}_thresholds_{phase}"
                fields[field] = _finite(value, count, field)
        self._link.command("SetCollisionBehavior", fields)

    def set_joint_impedance(self, K_theta: ArrayLike) -> None:
        """Set the stiffness of the robot's own joint impedance controller.

        Args:
            K_theta: (7,) Nm/rad, 0 to 14250.
        """
        self._link.command("SetJointImpedance", {"K_theta": _finite(K_theta, 7, "K_theta")})

    def set_cartesian_impedance(self, K_x: ArrayLike) -> None:
        """Set the stiffness of the robot's own Cartesian impedance controller.

        Args:
            K_x: (6,) x, y, z in N/m, 10 to 3000; roll, pitch, yaw in Nm/rad, 1 to 300.
        """
        self._link.command("SetCartesianImpedance", {"K_x": _finite(K_x, 6, "K_x")})

    def set_guiding_mode(self, guiding_mode: Sequence[bool | int], elbow: bool) -> None:
        """Set which axes are free when the robot is guided by hand.

        Args:
            guiding_mode: (6,) x, y, z, roll, pitch, yaw.
            elbow: Whether the elbow is free.
        """
        fields = {
            "guiding_mode": _flags(guiding_mode, 6, "guiding_mode"),
            "nullspace": int(_flags([elbow], 1, "elbow")[0]),
        }
        self._link.command("SetGuidingMode", fields)

    def set_K(self, EE_T_K: TransformLike) -> None:
        """Set the stiffness frame.

        Args:
            EE_T_K: Pose in the end effector's frame: 4x4 matrix, `Isometry3d`, or (16,)
                column-major.
        """
        self._link.command("SetEEToK", {"EE_T_K": _pose(EE_T_K, "EE_T_K")})

    def set_EE(self, NE_T_EE: TransformLike) -> None:
        """Set the end effector's frame.

        Args:
            NE_T_EE: Pose in the nominal end effector's frame, in a form as for `set_K`.
        """
        self._link.command("SetNEToEE", {"NE_T_EE": _pose(NE_T_EE, "NE_T_EE")})

    def set_load(self, load_mass: float, F_x_Cload: ArrayLike, load_inertia: ArrayLike) -> None:
        """Set the load that the robot compensates for.

        Args:
            load_mass: kg.
            F_x_Cload: (3,) centre of mass in the flange frame, m.
            load_inertia: (3, 3) or (9,) column-major, about the centre of mass, kg m^2.
        """
        inertia = as_numbers("load_inertia", load_inertia)
        flat = inertia.T.flatten() if inertia.shape == (3, 3) else inertia
        fields = {
            "m_load": float(_finite([load_mass], 1, "load_mass")[0]),
            "F_x_Cload": _finite(F_x_Cload, 3, "F_x_Cload"),
            "I_load": _finite(flat, 9, "load_inertia"),
        }
        self._link.command("SetLoad", fields)

    # --- version 5 ------------------------------------------------------------------------------

    def set_filters(
        self,
        joint_position_filter_frequency: float,
        joint_velocity_filter_frequency: float,
        cartesian_position_filter_frequency: float,
        cartesian_velocity_filter_frequency: float,
        controller_filter_frequency: float,
    ) -> None:
        """Set the cutoff frequencies of the robot's own filters (version 5).

        Each is in Hz, 1 to 1000; 1000 switches a filter off.

        Args:
            joint_position_filter_frequency: Of commanded joint positions.
            joint_velocity_filter_frequency: Of commanded joint velocities.
            cartesian_position_filter_frequency: Of commanded poses.
            cartesian_velocity_filter_frequency: Of commanded twists.
            controller_filter_frequency: Of commanded torques.

        Raises:
            InvalidOperationError: Version 10 has no such command.
        """
        self._link.connection.channel.protocol.command("SetFilters")
        fields = {
            "joint_position_filter_frequency": joint_position_filter_frequency,
            "joint_velocity_filter_frequency": joint_velocity_filter_frequency,
            "cartesian_position_filter_frequency": cartesian_position_filter_frequency,
            "cartesian_velocity_filter_frequency": cartesian_velocity_filter_frequency,
            "controller_filter_frequency": controller_filter_frequency,
        }
        checked = {name: float(_finite([value], 1, name)[0]) for name, value in fields.items()}
        self._link.command("SetFilters", checked)

    def get_virtual_wall(self, id: int) -> VirtualWall:
        """Ask the robot for one of its virtual walls (version 5).

        Args:
            id: Number of the wall.

        Returns:
            The wall; its `id` is the one that was asked for.

        Raises:
            InvalidOperationError: Version 10 has no such command.
        """
        protocol = self._link.connection.channel.protocol
        protocol.command("GetCartesianLimit")
        check_whole("id", id, -(2**31), 2**31 - 1)
        payload = self._link.command("GetCartesianLimit", {"id": int(id)})
        reply = np.frombuffer(payload, protocol.dtype("GetCartesianLimit.Response"), count=1)[0]
        return VirtualWall(
            int(id),
            reply["object_world_size"],
            reply["object_frame"],
            bool(reply["object_activation"]),
        )
