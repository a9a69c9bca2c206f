"""The Franka Emika Robot's published, identified parameters.

Source: C. Gaz, M. Cognetti, A. Oliva, P. Robuffo Giordano, A. De Luca, "Dynamic Identification of
the Franka Emika Panda Robot With Retrieval of Feasible Parameters Using Penalty-Based
Optimization", IEEE Robotics and Automation Letters 4(4), 2019, 4147-4154, with its supplementary
material.
They were identified on one robot; another differs by its bearings, cables and drives.

Masses, centres and inertias of the seven links are in the description `fer`, the friction is here.
"""

from dataclasses import dataclass

import numpy as np

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.model.arguments import gather
from kinegraph.robot.model.native import NativeModelBackend
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["FER_FRICTION", "JointFriction", "fer_model_backend"]

VELOCITIES = (("dq", 7),)


@dataclass(frozen=True, slots=True, eq=False)
class JointFriction:
    r"""Friction of seven joints, a smooth step of each.

    .. math:: \tau_i = \frac{a_i}{1 + e^{-s_i (\dot q_i + o_i)}} - \frac{a_i}{1 + e^{-s_i o_i}}

    Attributes:
        amplitude: (7,) a, difference between the two directions, Nm, read-only.
        steepness: (7,) s, s/rad, read-only.
        offset: (7,) o, rad/s, read-only.
    """

    amplitude: Array
    steepness: Array
    offset: Array

    def __post_init__(self) -> None:
        for name in ("amplitude", "steepness", "offset"):
            values = as_numbers(name, getattr(self, name))
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    def torques(self, dq: VectorLike) -> Array:
        """Torques that overcome the friction at joint velocities, (7,) Nm.

        Args:
            dq: (7,) joint velocities, rad/s.

        Raises:
            InvalidArgumentError: Not seven finite numbers. Also a `ValueError`.
        """
        velocities = gather(VELOCITIES, dq)
        # 1 / (1 + exp(-x)) as a tanh, which does not overflow.
        half = 0.5 * self.steepness
        step = np.tanh(half * (velocities + self.offset)) - np.tanh(half * self.offset)
        return np.asarray(0.5 * self.amplitude * step, np.float64)


FER_FRICTION = JointFriction(
    amplitude=np.array([0.54615, 0.87224, 0.64068, 1.2794, 0.83904, 0.30301, 0.56489]),
    steepness=np.array([5.1181, 9.0657, 10.136, 5.5903, 8.3469, 17.133, 10.336]),
    offset=np.array([0.039533, 0.025882, -0.04607, 0.036194, 0.026226, -0.021047, 0.0035526]),
)
"""Friction of the Franka Emika Robot; source as above, supplementary material."""


def fer_model_backend() -> NativeModelBackend:
    """Return the model of the Franka Emika Robot with the identified parameters of its links."""
    from kinegraph.robot.sim.descriptions import description_text  # loads the simulated robot

    return NativeModelBackend.from_urdf(description_text("fer"))
