"""What a `JointGroup` is given: a scene with a state, rows of limits, forms of `calcJacobian`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kinegraph.kinematics.chain import Source
from kinegraph.kinematics.ofkt import OFKTStateSolver
from kinegraph.kinematics.solver import StateSolver
from kinegraph.kinematics.state import KinematicLimits, SceneState
from kinegraph.kinematics.values import real_array
from kinegraph.scene.array_types import VectorLike
from kinegraph.scene.errors import InvalidLimitError, LengthError, WrongTypeError
from kinegraph.scene.graph import SceneGraph

__all__ = ["checked_limits", "own_solver", "rows_of_limits", "split_links"]

LIMITS = ("joint_limits", "velocity_limits", "acceleration_limits", "jerk_limits")


def own_solver(
    scene: Source, scene_state: SceneState | Mapping[str, float] | None, name: str
) -> StateSolver:
    """Return a solver of the group's own, at the state that is wanted.

    Raises:
        WrongTypeError: No graph or solver, or neither `SceneState` nor dict. Also a `TypeError`.
    """
    if not isinstance(scene_state, (SceneState, Mapping, type(None))):
        raise WrongTypeError(
            f"group {name!r}: scene_state must be a SceneState or a dict by joint name, "
            f"not {scene_state!r:.100}"
        )
    if isinstance(scene, SceneGraph):
        solver: StateSolver = OFKTStateSolver(scene)
    elif isinstance(scene, StateSolver):
        solver = scene.clone()
    else:
        raise WrongTypeError(f"group {name!r}: a graph or solver is needed, not {scene!r:.100}")
    if scene_state is None:
        return solver
    if isinstance(scene_state, SceneState):
        followers = solver.flat_state.tree.mimics
        joints = {key: v for key, v in scene_state.joints.items() if key not in followers}
        solver.setState(joints, scene_state.floating_joints)
    else:
        solver.setState(dict(scene_state))
    return solver


def rows_of_limits(limits: KinematicLimits, places: Sequence[int]) -> KinematicLimits:
    """Return some rows of limits, copied."""
    taken = KinematicLimits()
    for kind in LIMITS:
        setattr(taken, kind, getattr(limits, kind)[list(places)])
    return taken


def checked_limits(limits: object, names: Sequence[str], group: str) -> KinematicLimits:
    """Return limits for the joints of a group, copied.

    Raises:
        LengthError: Not (n, 2) limits of each kind. Also a `ValueError`.
        InvalidLimitError: A lower limit above the upper one, or NaN. Also a `ValueError`.
        WrongTypeError: No `KinematicLimits`, or no real numbers in it. Also a `TypeError`.
    """
    if not isinstance(limits, KinematicLimits):
        raise WrongTypeError(f"setLimits: KinematicLimits are needed, not {limits!r:.100}")
    taken = KinematicLimits()
    for kind in LIMITS:
        rows = real_array(getattr(limits, kind), f"setLimits: {kind}").copy()
        if rows.shape != (len(names), 2):
            raise LengthError(
                f"setLimits: {kind} has shape {rows.shape}, group {group!r} has "
                f"{len(names)} joints and needs ({len(names)}, 2)"
            )
        wrong = np.flatnonzero(~(rows[:, 0] <= rows[:, 1]))
        if len(wrong):
            place = int(wrong[0])
            raise InvalidLimitError(
                f"setLimits: {kind} of joint {names[place]!r} are "
                f"{rows[place, 0]} to {rows[place, 1]}"
            )
        setattr(taken, kind, rows)
    return taken


def split_links(
    given: tuple[Any, ...], base: Any, link: Any, point: Any
) -> tuple[str | None, str, VectorLike | None]:
    """Sort the forms of `calcJacobian` by what is text: base link, link, point."""
    names = [value for value in given if isinstance(value, str)]
    others = [value for value in given if not isinstance(value, str)]
    if any(isinstance(value, str) for value in given[len(names) :]):
        raise WrongTypeError("calcJacobian: a point must come after the names of the links")
    names += [value for value in (link,) if value is not None]
    if base is not None:
        names.insert(0, base)
    others += [value for value in (point,) if value is not None]
    if not 1 <= len(names) <= 2 or len(others) > 1:
        raise WrongTypeError(
            "calcJacobian: a link is needed, before it perhaps a base link, behind it a point; "
            f"got {len(names)} names and {len(others)} points"
        )
    if not all(isinstance(name, str) for name in names):
        raise WrongTypeError(f"calcJacobian: the names of links must be str, not {names!r:.100}")
    return (names[0] if len(names) == 2 else None), names[-1], (others[0] if others else None)
