"""`SimulatedArm`: a rigid-body plant of any chain, in steps of 1 ms."""

import numpy as np

from kinegraph.robot.argument_checks import as_numbers, check_flag
from kinegraph.robot.control.arms import ArmTable
from kinegraph.robot.control.checks import check_finite_vector, check_kind
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.robot.errors import ControlError, InvalidArgumentError
from kinegraph.robot.torque_arm import plant_layout as layout
from kinegraph.robot.torque_arm.description import ArmDescription
from kinegraph.robot.torque_arm.protocol import ArmState
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["SimulatedArm"]

# Nm/s, as libfranka limits torques.
TORQUE_RATE = 1000.0 - 1e-3
# m/s^2, base frame.
GRAVITY = (0.0, 0.0, -9.81)
NO_WRENCH = (0.0,) * 6


class SimulatedArm:
    """A `TorqueArm` whose joints are simulated: rigid bodies, drives, friction, rubber stops.

    `send` moves it on by 1 ms of its own clock: it is as fast as it is called. It stands still
    until the first torques, and again after `stop`, until the next.

    Args:
        description: The chain.
        q: (n,) joint positions that it begins with, rad.
        armature: (n,) or one number, inertia of the drives as the joints feel it, kg m^2. Left
            out: the table's `drive_inertia`.
        friction: (n,) or one number, Coulomb friction, Nm.
        damping: (n,) or one number, viscous friction, Nm s/rad.
        earth_gravity: (3,) acceleration of gravity in the base, m/s^2.
        holds_itself: Whether the drives hold the arm's weight besides the torques sent, as those
            of most arms do. Otherwise the torques have to.
        torque_rate: (n,) or one number, fastest change that it asks of its torques, Nm/s.

    Attributes:
        description: As given.
        torque_rate: (n,) as given.
        gravity: (3,) that the torques have to hold: zeros if it holds itself.

    Raises:
        InvalidArgumentError: A vector of another length, not finite, or below zero. Also a
            `ValueError`.
    """

    def __init__(
        self,
        description: ArmDescription,
        q: VectorLike,
        *,
        armature: VectorLike | float | None = None,
        friction: VectorLike | float = 0.0,
        damping: VectorLike | float = 0.0,
        earth_gravity: VectorLike = GRAVITY,
        holds_itself: bool = True,
        torque_rate: VectorLike | float = TORQUE_RATE,
    ) -> None:
        check_kind("description", description, ArmDescription)
        check_flag("holds_itself", holds_itself)
        self.description = description
        n, table = description.n, description.table
        if armature is None:
            armature = table.drive_inertia
        numbers = np.zeros((layout.ROWS, n))
        numbers[layout.ARMATURE] = self._vector("armature", armature)
        numbers[layout.COULOMB] = self._vector("friction", friction)
        numbers[layout.VISCOUS] = self._vector("damping", damping)
        numbers[layout.LOWER], numbers[layout.UPPER] = table.lower, table.upper
        numbers[layout.TORQUE] = table.rated_torque
        numbers[layout.Q] = description.positions(q)
        self._rows, self._numbers = numbers, numbers.reshape(-1)
        self.torque_rate = self._vector("torque_rate", torque_rate)
        earth = check_finite_vector("earth_gravity", earth_gravity, 3)
        self.gravity = np.zeros(3) if holds_itself else earth.copy()
        self._wrench = np.zeros(6)
        self._braked, self._cycles = True, 0
        self._pose, self._jacobian, self._load = np.zeros((4, 4)), np.zeros((6, n)), np.zeros(13)
        self._work = description.bodies.workspace()

    def _vector(self, name: str, value: VectorLike | float) -> Array:
        numbers = as_numbers(name, value)
        given = np.full(self.description.n, numbers) if numbers.ndim == 0 else numbers
        vector = check_finite_vector(name, given, self.description.n).copy()
        if (vector < 0.0).any():
            raise InvalidArgumentError(
                f"{name}: {vector.tolist()} has numbers below zero", field=name
            )
        return vector

    @property
    def table(self) -> ArmTable:
        """Limits of the arm."""
        return self.description.table

    @property
    def is_braked(self) -> bool:
        """Whether it stands still by itself."""
        return self._braked

    @property
    def q(self) -> Array:
        """(n,) joint positions, rad."""
        return np.array(self._rows[layout.Q])

    @property
    def dq(self) -> Array:
        """(n,) joint velocities, rad/s."""
        return np.array(self._rows[layout.DQ])

    def push(self, wrench: VectorLike = NO_WRENCH) -> None:
        """Push the controlled link, until the next call.

        Args:
            wrench: (6,) force, N, and moment, Nm, in base axes at the link's origin.

        Raises:
            InvalidArgumentError: Not six finite numbers. Also a `ValueError`.
        """
        self._wrench = check_finite_vector("wrench", wrench, 6).copy()

    def read(self) -> ArmState:
        """Return the state at this moment of its clock."""
        return ArmState(self.q, self.dq, CYCLE_TIME * self._cycles)

    def send(self, torques: VectorLike) -> None:
        """Move on by 1 ms under torques (n,), Nm, as far as the drives can give them.

        Raises:
            InvalidArgumentError: Not n finite numbers. Also a `ValueError`.
            ControlError: Some joints move no mass.
        """
        from kinegraph.robot.torque_arm.plant_kernels import step_plant

        wanted = check_finite_vector("torques", torques, self.description.n)
        self._rows[layout.WANTED] = wanted
        status = step_plant(
            self.description.chain.data,
            self.description.bodies.data,
            self.gravity,
            self._wrench,
            self._numbers,
            self._pose,
            self._jacobian,
            self._load,
            self._work,
        )
        if status != 0:
            raise ControlError(
                f"the mass matrix of {self.table.name!r} is singular at joint "
                f"{self.description.joint_names[status - 1]!r}; give it an armature"
            )
        self._braked = False
        self._cycles += 1

    def stop(self) -> None:
        """Put the brakes on: it stands still from here on."""
        self._rows[layout.DQ] = 0.0
        self._braked = True
