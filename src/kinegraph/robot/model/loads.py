"""What the flange carries: end effector and load taken together."""

from dataclasses import dataclass

import numpy as np

from kinegraph.robot.model.arguments import gather
from kinegraph.robot.wire import wire_kernels
from kinegraph.robot.wire.state_layout import (
    STATE_SIZE,
    S_F_x_Cee,
    S_F_x_Cload,
    S_F_x_Ctotal,
    S_I_ee,
    S_I_load,
    S_I_total,
    S_m_ee,
    S_m_load,
    S_m_total,
)
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["TotalLoad", "combine_loads"]

EE = (("m_ee", 1), ("F_x_Cee", 3), ("I_ee", 9))
LOAD = (("m_load", 1), ("F_x_Cload", 3), ("I_load", 9))


@dataclass(frozen=True, slots=True, eq=False)
class TotalLoad:
    """Mass, centre and inertia of all that the flange carries.

    Attributes:
        m_total: kg.
        F_x_Ctotal: (3,) centre in the flange frame, m, read-only.
        I_total: (9,) inertia about the centre in the axes of the flange, kg m^2, read-only.
    """

    m_total: float
    F_x_Ctotal: Array
    I_total: Array

    def __post_init__(self) -> None:
        for name in ("F_x_Ctotal", "I_total"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.setflags(write=False)
            object.__setattr__(self, name, array)


def combine_loads(
    m_ee: float,
    F_x_Cee: VectorLike,
    I_ee: VectorLike,
    m_load: float,
    F_x_Cload: VectorLike,
    I_load: VectorLike,
) -> TotalLoad:
    """Take end effector and load together, as the robot's state does.

    The inertia of a body without mass does not count, whatever its numbers are.

    Args:
        m_ee: Mass of the end effector, kg.
        F_x_Cee: (3,) its centre in the flange frame, m.
        I_ee: (9,) its inertia about its own centre, column-major, kg m^2.
        m_load: Mass of the load, kg.
        F_x_Cload: (3,) its centre in the flange frame, m.
        I_load: (9,) its inertia about its own centre, column-major, kg m^2.

    Returns:
        The whole; all zero when both masses are zero.

    Raises:
        InvalidArgumentError: A mass is negative, or something is not finite or of wrong length.
    """
    ee = gather(EE, m_ee, F_x_Cee, I_ee)
    load = gather(LOAD, m_load, F_x_Cload, I_load)
    row = np.zeros(STATE_SIZE)
    for body, mass, centre, inertia in (
        (ee, S_m_ee, S_F_x_Cee, S_I_ee),
        (load, S_m_load, S_F_x_Cload, S_I_load),
    ):
        row[mass], row[centre : centre + 3], row[inertia : inertia + 9] = (
            body[0],
            body[1:4],
            body[4:],
        )
    wire_kernels.combine_loads(row, row[S_m_ee] + row[S_m_load])
    return TotalLoad(
        float(row[S_m_total]),
        row[S_F_x_Ctotal : S_F_x_Ctotal + 3],
        row[S_I_total : S_I_total + 9],
    )
