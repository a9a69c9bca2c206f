"""What a link carries: a rigid body that is not in the scene."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinegraph.kinematics.dynamics_layout import LOAD
from kinegraph.kinematics.values import finite_point, real_number
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.errors import InvalidInertialError, NotFiniteError, ShapeError

__all__ = ["NO_LOAD", "Load"]

NO_LOAD = np.zeros(LOAD)
"""The kernels' row of no load; never written to."""

# How far an inertia may be from symmetric, relative to its largest element: single precision.
SYMMETRY_TOLERANCE = 1e-5


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Load:
    """A rigid body at the flange link.

    Attributes:
        mass: kg. Without mass the rest does not count, as in libfranka.
        center: (3,) centre of mass in the flange link's frame, m, read-only.
        inertia: (3, 3) inertia about the centre in the flange link's axes, kg m^2, read-only.

    Raises:
        InvalidInertialError: The mass is negative, the inertia not symmetric. Also a `ValueError`.
        NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
        ShapeError: Wrong shapes. Also a `ValueError` and a `TypeError`.
    """

    mass: float
    center: Array
    inertia: Array

    def __init__(
        self,
        mass: float,
        center: VectorLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike = ((0.0,) * 3,) * 3,
    ) -> None:
        mass = real_number(mass, "mass of a load")
        center = np.array(finite_point(center, "center of a load"))
        inertia = np.array(inertia, dtype=np.float64)
        if inertia.shape != (3, 3):
            raise ShapeError(f"inertia of a load: (3, 3) is needed, not {inertia.shape}")
        if not (math.isfinite(mass) and np.isfinite(inertia).all()):
            raise NotFiniteError(f"load: mass {mass} and inertia {inertia.tolist()} must be finite")
        if mass < 0.0:
            raise InvalidInertialError(f"load: the mass {mass} is negative")
        if np.abs(inertia - inertia.T).max() > SYMMETRY_TOLERANCE * np.abs(inertia).max():
            raise InvalidInertialError(f"load: the inertia {inertia.tolist()} is not symmetric")
        center.setflags(write=False)
        inertia.setflags(write=False)
        for name, value in (("mass", mass), ("center", center), ("inertia", inertia)):
            object.__setattr__(self, name, value)

    def row(self) -> Array:
        """Return the load as the kernels take it, (13,): mass, centre, inertia column by column."""
        return np.concatenate([[self.mass], self.center, self.inertia.T.ravel()])
