"""What hangs on the flange: an end effector, or a load that the robot may not know of."""

from dataclasses import dataclass, field

import numpy as np

from kinegraph.robot.argument_checks import as_numbers, is_number
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array

__all__ = ["SimulatedTool"]

_COS = np.sqrt(0.5)


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedTool:
    """A rigid body on the flange.

    Attributes:
        mass: kg, not negative.
        centre: (3,) centre of mass in the flange frame, m.
        inertia: (3, 3) about the centre, flange axes, kg m^2.
        F_T_NE: (4, 4) frame of the nominal end effector in the flange; not used for a load.
    """

    mass: float = 0.0
    centre: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    F_T_NE: Array = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        if not (is_number(self.mass) and np.isfinite(self.mass) and self.mass >= 0.0):
            raise InvalidArgumentError(f"tool: mass {self.mass} kg", value=self.mass)
        for name, shape in (("centre", (3,)), ("inertia", (3, 3)), ("F_T_NE", (4, 4))):
            values = as_numbers(f"tool: {name}", getattr(self, name))
            if values.shape != shape or not np.isfinite(values).all():
                raise InvalidArgumentError(f"tool: {name} needs {shape} finite numbers")
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    @classmethod
    def franka_hand(cls) -> "SimulatedTool":
        """The Franka Hand as Desk configures it: turned by -45 degrees, tip 0.1034 m out."""
        return cls(
            0.73,
            np.array([-0.01, 0.0, 0.03]),
            np.diag([0.001, 0.0025, 0.0017]),
            np.array(
                [
                    [_COS, _COS, 0.0, 0.0],
                    [-_COS, _COS, 0.0, 0.0],
                    [0.0, 0.0, 1.0, 0.1034],
                    [0.0, 0.0, 0.0, 1.0],
                ]
            ),
        )

    def row(self) -> Array:
        """(13,) mass, centre, inertia column-major: the load of the dynamics kernels."""
        return np.concatenate([[self.mass], self.centre, self.inertia.ravel(order="F")])


def check_tool(name: str, value: object) -> None:
    """Refuse what is neither a tool nor None.

    Raises:
        InvalidArgumentError: It is neither. Also a `ValueError`.
    """
    if not isinstance(value, SimulatedTool | None):
        raise InvalidArgumentError(f"{name}: {value!r:.200} is no SimulatedTool", field=name)
