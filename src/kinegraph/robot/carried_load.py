"""What the flange carries according to the scene, and what of it the robot does not know yet."""

import numpy as np

from kinegraph.kinematics.payload import Load
from kinegraph.kinematics.solver import StateSolver
from kinegraph.robot.errors import InvalidOperationError
from kinegraph.scene.array_types import Array
from kinegraph.scene.graph import SceneGraph

__all__ = ["carried_load", "carried_mass", "difference"]

NEGLIGIBLE_KG = 1e-9


def carried_load(graph: SceneGraph, solver: StateSolver, flange_link: str) -> Load:
    """Return all that hangs below a link as one rigid body at the solver's present state.

    Args:
        graph: Has the links' inertials.
        solver: Has their poses.
        flange_link: The carrying link; its own inertial does not count.

    Returns:
        Mass, kg; centre in the flange link's frame, m; inertia about the centre, kg m^2.
    """
    mass, moment, about_flange = 0.0, np.zeros(3), np.zeros((3, 3))
    for name in graph.getLinkChildrenNames(flange_link):
        link = graph.getLink(name)
        inertial = None if link is None else link.inertial
        if inertial is None or inertial.mass == 0.0:
            continue
        placement = solver.getRelativeLinkTransform(flange_link, name) @ inertial.origin
        center, turn = placement.translation, placement.linear
        own = np.array(
            [
                [inertial.ixx, inertial.ixy, inertial.ixz],
                [inertial.ixy, inertial.iyy, inertial.iyz],
                [inertial.ixz, inertial.iyz, inertial.izz],
            ]
        )
        mass += inertial.mass
        moment += inertial.mass * center
        about_flange += turn @ own @ turn.T + point_inertia(inertial.mass, center)
    if mass <= NEGLIGIBLE_KG:
        return Load(0.0)
    center = moment / mass
    inertia = about_flange - point_inertia(mass, center)
    return Load(mass, center, 0.5 * (inertia + inertia.T))


def carried_mass(graph: SceneGraph, flange_link: str) -> float:
    """Return the mass of all that hangs below a link, kg; its own does not count."""
    links = (graph.getLink(name) for name in graph.getLinkChildrenNames(flange_link))
    return sum(
        link.inertial.mass for link in links if link is not None and link.inertial is not None
    )


def difference(total: Load, part: Load) -> Load:
    """Return what has to be added to `part` to get `total`; all at the same link.

    Raises:
        InvalidOperationError: The part is heavier than the total.
    """
    mass = total.mass - part.mass
    if mass < -1e-6:
        raise InvalidOperationError(
            f"the robot's end effector weighs {part.mass:.6g} kg, more than all that the scene "
            f"has below the flange, {total.mass:.6g} kg: set it in Desk or complete the scene",
            scene_mass=total.mass,
            robot_mass=part.mass,
        )
    if mass <= 1e-6:
        return Load(0.0)
    center = (total.mass * total.center - part.mass * part.center) / mass
    inertia = (
        total.inertia
        + point_inertia(total.mass, total.center)
        - part.inertia
        - point_inertia(part.mass, part.center)
        - point_inertia(mass, center)
    )
    return Load(mass, center, 0.5 * (inertia + inertia.T))


def point_inertia(mass: float, at: Array) -> Array:
    """Return the inertia (3, 3) about the origin of a point mass."""
    return mass * (float(at @ at) * np.eye(3) - np.outer(at, at))
