"""What a group of joints knows without computing poses: names, activity, limits."""

from collections.abc import Iterable, Mapping, Set
from typing import TypeVar

import numpy as np

from kinegraph.kinematics.chain import Source
from kinegraph.kinematics.group_inputs import checked_limits, own_solver, rows_of_limits
from kinegraph.kinematics.groups import chain_joints, srdf_group_joints
from kinegraph.kinematics.joint_bounds import is_continuous, turns
from kinegraph.kinematics.state import KinematicLimits, SceneState
from kinegraph.kinematics.state_checks import columns_of
from kinegraph.kinematics.tree_layout import COLUMN, ORDER, PARENT
from kinegraph.kinematics.values import name_list, real_vector, str_name
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.errors import InvalidNameError, WrongTypeError
from kinegraph.scene.names import checked_name
from kinegraph.scene.srdf import KinematicsInformation, SRDFModel

__all__ = ["GroupBase"]

G = TypeVar("G", bound="GroupBase")


class GroupBase:
    """Some joints of a scene, in an order of their own; all others stand still.

    Arguments and errors as `JointGroup`.
    """

    __slots__ = ("_columns", "_limits", "_name", "_names", "_solver")

    def __init__(
        self,
        name: str,
        joint_names: Iterable[str],
        scene: Source,
        scene_state: SceneState | Mapping[str, float] | None = None,
    ) -> None:
        self._name = checked_name(name, "group")
        solver = own_solver(scene, scene_state, name)
        tree = solver.flat_state.tree
        if isinstance(joint_names, Set):
            raise WrongTypeError(f"group {name!r}: joint_names need an order, not {joint_names!r}")
        self._names = tuple(map(str, name_list(joint_names, f"group {name!r}: joint_names")))
        if not self._names:
            raise InvalidNameError(f"group {name!r}: no active joint")
        self._columns = columns_of(tree, self._names, f"group {name!r}")
        self._solver = solver
        self._limits = rows_of_limits(solver.getLimits(), self._columns)

    @classmethod
    def from_chain(
        cls: type[G],
        name: str,
        base_link: str,
        tip_link: str,
        scene: Source,
        scene_state: SceneState | Mapping[str, float] | None = None,
    ) -> G:
        """Make a group of the joints that move one link in the frame of another.

        Raises:
            UnknownLinkError: One of them is not a link. Also a `KeyError`.
            InvalidNameError: No active joint between them. Also a `ValueError`.
            WrongTypeError: No graph or solver. Also a `TypeError`.
        """
        solver = own_solver(scene, scene_state, name)
        return cls(name, chain_joints(solver, base_link, tip_link), solver)

    @classmethod
    def from_srdf(
        cls: type[G],
        name: str,
        srdf: SRDFModel | KinematicsInformation,
        scene: Source,
        scene_state: SceneState | Mapping[str, float] | None = None,
    ) -> G:
        """Make the group that an SRDF describes: of chains, of joints or of links.

        Raises:
            UnknownNameError: No such group, or a joint that the scene has not. Also a `KeyError`.
            UnknownLinkError: A link that the scene has not. Also a `KeyError`.
            InvalidNameError: No active joint in the group. Also a `ValueError`.
            WrongTypeError: No SRDF, no graph or solver. Also a `TypeError`.
        """
        solver = own_solver(scene, scene_state, name)
        return cls(name, srdf_group_joints(solver, name, srdf), solver)

    # -- names -------------------------------------------------------------------------------

    def getName(self) -> str:
        """Return the group's name."""
        return self._name

    def getJointNames(self) -> list[str]:
        """Return the group's joints, in the order of its values."""
        return list(self._names)

    def numJoints(self) -> int:
        """Return n, the number of joints."""
        return len(self._names)

    def getLinkNames(self) -> list[str]:
        """Return all links of the scene, the base link first."""
        return self._solver.getLinkNames()

    def getActiveLinkNames(self) -> list[str]:
        """Return the links that the group's joints move, depth first."""
        return self._by_activity(True)

    def getStaticLinkNames(self) -> list[str]:
        """Return the links that the group's joints do not move, depth first."""
        return self._by_activity(False)

    def _by_activity(self, wanted: bool) -> list[str]:
        tree = self._solver.flat_state.tree
        active = self._activity()
        names = tree.link_names
        return [names[row] for row in tree.layout[:, ORDER].tolist() if active[row] == wanted]

    def _activity(self) -> list[bool]:
        """Tell for each row whether a joint of the group lies above it."""
        layout = self._solver.flat_state.tree.layout
        active: list[bool] = np.isin(layout[:, COLUMN], self._columns).tolist()
        parents = layout[:, PARENT].tolist()
        for row in layout[1:, ORDER].tolist():
            active[row] = active[row] or active[parents[row]]
        return active

    def isActiveLinkName(self, link_name: str) -> bool:
        """Tell whether the group's joints move a link; False for an unknown one.

        Raises:
            WrongTypeError: No str. Also a `TypeError`.
        """
        row = self._solver.flat_state.tree.link_rows.get(str_name(link_name, "isActiveLinkName"))
        return row is not None and self._activity()[row]

    def hasLinkName(self, link_name: str) -> bool:
        """Tell whether the scene has a link.

        Raises:
            WrongTypeError: No str. Also a `TypeError`.
        """
        return self._solver.hasLinkName(link_name)

    def getBaseLinkName(self) -> str:
        """Return the root of the scene, in whose frame poses are."""
        return self._solver.getBaseLinkName()

    def getRedundancyCapableJointIndices(self) -> list[int]:
        """Return the places of the joints that turn: a full turn leads to the same poses."""
        tree = self._solver.flat_state.tree
        return [place for place, name in enumerate(self._names) if turns(tree, name)]

    # -- limits ------------------------------------------------------------------------------

    def getLimits(self) -> KinematicLimits:
        """Return the limits of the group's joints, a copy."""
        return rows_of_limits(self._limits, range(len(self._names)))

    def setLimits(self, limits: KinematicLimits) -> None:
        """Set the limits of the group's joints; the scene keeps its own.

        A continuous joint has no bounds as long as its position limits are those of the scene.

        Raises:
            LengthError: Not (n, 2) limits of each kind. Also a `ValueError`.
            InvalidLimitError: A lower limit above the upper one, or NaN. Also a `ValueError`.
            WrongTypeError: No `KinematicLimits`. Also a `TypeError`.
        """
        self._limits = checked_limits(limits, self._names, self._name)

    def _bounds(self) -> Array:
        """Return the (n, 2) bounds that count: continuous joints have none unless they were set."""
        bounds = self._limits.joint_limits.copy()
        tree = self._solver.flat_state.tree
        given = rows_of_limits(self._solver.getLimits(), self._columns).joint_limits
        for place, name in enumerate(self._names):
            if is_continuous(tree, name) and (bounds[place] == given[place]).all():
                bounds[place] = -np.inf, np.inf
        return bounds

    def checkJoints(self, joint_values: VectorLike) -> bool:
        """Tell whether values are as many as joints, and all within the position limits.

        Continuous joints have none, see `setLimits`.

        Raises:
            WrongTypeError: Not real numbers. Also a `TypeError`.
            ShapeError: Not a vector. Also a `TypeError`.
        """
        q = real_vector(joint_values, "checkJoints: joint_values")
        if len(q) != len(self._names):
            return False
        bounds = self._bounds()
        inside = (q >= bounds[:, 0]) & (q <= bounds[:, 1]) & np.isfinite(q)
        return bool(inside.all())

    # -- copies ------------------------------------------------------------------------------

    def _copy_into(self, other: "GroupBase") -> None:
        other._name, other._names, other._columns = self._name, self._names, list(self._columns)
        other._solver = self._solver.clone()
        other._limits = self.getLimits()

    def __copy__(self: G) -> G:
        copy = object.__new__(type(self))
        self._copy_into(copy)
        return copy

    def __deepcopy__(self: G, memo: object) -> G:
        return self.__copy__()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r}, {', '.join(self._names)})"
