"""The trajectory generator of the target controllers, for use without a robot."""

import math

import numpy as np

from kinegraph.robot.argument_checks import as_numbers, is_number
from kinegraph.robot.control.checks import check_finite_vector, check_positive, refuse
from kinegraph.robot.control.generator.axes_kernels import generator_step, set_axis
from kinegraph.robot.control.generator.generator_layout import GENERATOR_OFFSETS, GENERATOR_SIZE
from kinegraph.robot.control.generator.tracking_kernels import DRIFT_SHARE
from kinegraph.robot.control.table_layout import CYCLE_TIME, MAX_JOINTS
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["TrajectoryGenerator"]

LIMITS = ("max_velocity", "max_acceleration", "max_jerk")


class TrajectoryGenerator:
    """Axes that run to targets at rest, together, within limits of velocity to jerk.

    Each step plans anew from the present state, so that targets may change at any time; it lands
    exactly on the target and stays there. A target inside the braking distance is passed and
    returned to.
    """

    def __init__(self, limits: VectorLike) -> None:
        """Start at rest at zero.

        Args:
            limits: (k, 3) velocity, acceleration and jerk of each axis, or (3,) for one axis.

        Raises:
            InvalidArgumentError: A limit is not finite and above zero, or there are too many axes.
        """
        table = np.atleast_2d(as_numbers("limits", limits))
        self._block = np.zeros(GENERATOR_SIZE)
        self._axes = int(table.shape[0])
        if not 1 <= self._axes <= MAX_JOINTS:
            raise InvalidArgumentError(
                f"limits: {self._axes} axes, the generator takes 1 to {MAX_JOINTS}", field="limits"
            )
        self.set_limits(table)

    @property
    def axes(self) -> int:
        """Number of axes."""
        return self._axes

    @property
    def position(self) -> Array:
        """(k,) position."""
        return self._read("position")

    @property
    def velocity(self) -> Array:
        """(k,) velocity."""
        return self._read("velocity")

    @property
    def acceleration(self) -> Array:
        """(k,) acceleration."""
        return self._read("acceleration")

    @property
    def target(self) -> Array:
        """(k,) target."""
        return self._read("target")

    @property
    def landed(self) -> bool:
        """Whether every axis is on its target, and at rest or going along with it."""
        still = not (self.velocity - self._read("drift")).any() and not self.acceleration.any()
        return still and bool((self.position == self.target).all())

    def set_limits(self, limits: VectorLike) -> None:
        """Set the limits. Nothing moves by this; the next `set_state` clamps into them.

        Args:
            limits: (k, 3) velocity, acceleration and jerk of each axis.

        Raises:
            InvalidArgumentError: A limit is not finite and above zero, or the shape is another.
        """
        table = np.atleast_2d(as_numbers("limits", limits))
        if table.shape != (self._axes, 3):
            raise InvalidArgumentError(
                f"limits: shape {table.shape}, expected ({self._axes}, 3)", field="limits"
            )
        for row in table:
            for name, value in zip(LIMITS, row, strict=True):
                check_positive(name, float(value))
        for column, name in enumerate(LIMITS):
            self._write(name, table[:, column])

    def set_state(
        self, position: VectorLike, velocity: VectorLike, acceleration: VectorLike
    ) -> None:
        """Set where the axes are; velocity and acceleration are clamped into the limits.

        Raises:
            InvalidArgumentError: A number is not finite, or a shape is not (k,).
        """
        state = [
            check_finite_vector(name, value, self._axes)
            for name, value in (
                ("position", position),
                ("velocity", velocity),
                ("acceleration", acceleration),
            )
        ]
        for i in range(self._axes):
            set_axis(self._block, i, *(float(values[i]) for values in state))

    def set_target(self, target: VectorLike, velocity: VectorLike | None = None) -> None:
        """Set where the axes shall come to rest, from the next step on, or what they go along with.

        Args:
            target: (k,) now.
            velocity: (k,) by which the target moves on with each step; left out: at rest. At most
                0.9 of an axis' velocity limit.

        Raises:
            InvalidArgumentError: A number is not finite, or a shape is not (k,).
        """
        goal = check_finite_vector("target", target, self._axes)
        drift = np.zeros(self._axes)
        if velocity is not None:
            most = DRIFT_SHARE * self._read("max_velocity")
            drift = np.clip(check_finite_vector("velocity", velocity, self._axes), -most, most)
        self._write("target", goal)
        self._write("drift", drift)

    def step(self, dt: float = CYCLE_TIME) -> float:
        """Carry the axes along for dt.

        Args:
            dt: s; a value that is not finite and above zero moves nothing.

        Returns:
            How long the whole motion was going to last before the step, s.

        Raises:
            InvalidArgumentError: No number. Also a `ValueError`.
        """
        if not is_number(dt):
            raise refuse("dt", dt, "is no number of seconds")
        dt = float(dt)
        return float(generator_step(self._block, 0, self._axes, dt if math.isfinite(dt) else 0.0))

    def _read(self, name: str) -> Array:
        at = GENERATOR_OFFSETS[name]
        return self._block[at : at + self._axes].copy()

    def _write(self, name: str, values: Array) -> None:
        at = GENERATOR_OFFSETS[name]
        self._block[at : at + self._axes] = values
