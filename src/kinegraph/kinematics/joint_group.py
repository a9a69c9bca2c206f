"""`JointGroup`: some joints of a scene, for planners."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, overload

import numpy as np

from kinegraph.kinematics.chain import Source, plan_chain
from kinegraph.kinematics.compiled import kernels
from kinegraph.kinematics.group_inputs import (
    LIMITS,
    own_solver,
    rows_of_limits,
    split_links,
)
from kinegraph.kinematics.groups import chain_joints, srdf_group_joints
from kinegraph.kinematics.jacobian_changes import jacobianChangeRefPoint
from kinegraph.kinematics.joint_bounds import is_continuous, turns
from kinegraph.kinematics.state import KinematicLimits, SceneState
from kinegraph.kinematics.state_checks import columns_of
from kinegraph.kinematics.tree_layout import COLUMN, ORDER, PARENT
from kinegraph.kinematics.values import finite_point, real_vector
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.errors import (
    InvalidLimitError,
    InvalidNameError,
    LengthError,
    NotFiniteError,
    WrongTypeError,
)
from kinegraph.scene.names import checked_name
from kinegraph.scene.pose import Isometry3d, wrap_matrix
from kinegraph.scene.srdf import KinematicsInformation, SRDFModel

__all__ = ["JointGroup"]

G = TypeVar("G", bound="JointGroup")

# Compiled chains that a group keeps.
MANY = 256


class JointGroup:
    """Some joints of a scene, in an order of their own; all others stand still.

    Values and columns are those of the group's joints, in the order in which they were given,
    whatever the order of the solver. The group keeps a copy of what it needs: later changes of
    the scene do not reach it. Mimic joints follow if they do so in the source.

    Args:
        name: Name of the group.
        joint_names: Its active joints.
        scene: Graph or solver. With a solver the other joints stand at its current values, with a
            graph at 0.
        scene_state: Where the other joints stand instead, and the floating joints: a `SceneState`
            or a dict by joint name.

    Raises:
        UnknownJointError: A name that is no active joint. Also a `ValueError`.
        InvalidNameError: No joint, one named twice, or an empty name. Also a `ValueError`.
        WrongTypeError: No graph or solver, no names. Also a `TypeError`.
    """

    __slots__ = ("_chains", "_columns", "_limits", "_name", "_names", "_solver")

    def __init__(
        self,
        name: str,
        joint_names: Sequence[str],
        scene: Source,
        scene_state: SceneState | Mapping[str, float] | None = None,
    ) -> None:
        self._name = checked_name(name, "group")
        solver = own_solver(scene, scene_state, name)
        if isinstance(joint_names, str) or not isinstance(joint_names, Sequence):
            raise WrongTypeError(f"group {name!r}: a list of joints is needed, not {joint_names!r}")
        tree = solver.flat_state.tree
        self._names = tuple(checked_name(joint, f"group {name!r}") for joint in joint_names)
        if not self._names:
            raise InvalidNameError(f"group {name!r}: no active joint")
        self._columns = columns_of(tree, self._names, f"group {name!r}")
        self._solver = solver
        self._limits = rows_of_limits(solver.getLimits(), self._columns)
        self._chains: dict[tuple[str | None, str], Array] = {}

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
        """Tell whether the group's joints move a link; False for an unknown one."""
        row = self._solver.flat_state.tree.link_rows.get(link_name)
        return row is not None and self._activity()[row]

    def hasLinkName(self, link_name: str) -> bool:
        """Tell whether the scene has a link."""
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
        if not isinstance(limits, KinematicLimits):
            raise WrongTypeError(f"setLimits: KinematicLimits are needed, not {limits!r:.100}")
        taken = KinematicLimits()
        for kind in LIMITS:
            rows = np.array(getattr(limits, kind), dtype=np.float64)
            if rows.shape != (len(self._names), 2):
                raise LengthError(
                    f"setLimits: {kind} has shape {rows.shape}, group {self._name!r} has "
                    f"{len(self._names)} joints and needs ({len(self._names)}, 2)"
                )
            wrong = np.flatnonzero(~(rows[:, 0] <= rows[:, 1]))
            if len(wrong):
                place = int(wrong[0])
                raise InvalidLimitError(
                    f"setLimits: {kind} of joint {self._names[place]!r} are "
                    f"{rows[place, 0]} to {rows[place, 1]}"
                )
            setattr(taken, kind, rows)
        self._limits = taken

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

    # -- kinematics --------------------------------------------------------------------------

    def calcFwdKin(self, joint_values: VectorLike) -> dict[str, Isometry3d]:
        """Return the poses of all links in the base link's frame.

        Args:
            joint_values: (n,) rad or m.

        Raises:
            LengthError: Not n values. Also a `ValueError`.
            NotFiniteError: A value is NaN or infinite. Also a `ValueError`.
            ShapeError: Not a vector. Also a `TypeError`.
            WrongTypeError: Not real numbers. Also a `TypeError`.
        """
        state = self._solver.flat_state
        q = state.q.copy()
        q[self._columns] = self._checked(joint_values, "calcFwdKin")
        poses = state.evaluate(q, state.numbers)
        return dict(zip(state.tree.link_names, map(wrap_matrix, poses), strict=True))

    @overload
    def calcJacobian(self, joint_values: VectorLike, link_name: str, /) -> Array: ...
    @overload
    def calcJacobian(
        self, joint_values: VectorLike, link_name: str, link_point: VectorLike, /
    ) -> Array: ...
    @overload
    def calcJacobian(
        self, joint_values: VectorLike, base_link_name: str, link_name: str, /
    ) -> Array: ...
    @overload
    def calcJacobian(
        self,
        joint_values: VectorLike,
        base_link_name: str,
        link_name: str,
        link_point: VectorLike,
        /,
    ) -> Array: ...
    @overload
    def calcJacobian(
        self,
        joint_values: VectorLike,
        *,
        link_name: str,
        base_link_name: str | None = ...,
        link_point: VectorLike | None = ...,
    ) -> Array: ...
    def calcJacobian(
        self,
        joint_values: VectorLike,
        *given: Any,
        link_name: str | None = None,
        base_link_name: str | None = None,
        link_point: VectorLike | None = None,
    ) -> Array:
        r"""Return the Jacobian of a link.

        Column i is :math:`[\partial p / \partial q_i;\ \omega_i]`. With a base link that moves
        itself it is the derivative of the relative pose.

        Args:
            joint_values: (n,) rad or m.
            given: The link; the link and a point on it; the base link and the link; or all three.
            link_name: Link whose origin is the reference point.
            base_link_name: Link in whose frame the Jacobian is, in place of the root.
            link_point: (3,) reference point in the link's frame, m, in place of its origin.

        Returns:
            (6, n): rows 0-2 linear, rows 3-5 angular, columns in the order of the group's joints.

        Raises:
            UnknownLinkError: A link does not exist. Also a `KeyError`.
            LengthError, NotFiniteError, ShapeError, WrongTypeError: As in `calcFwdKin`.
        """
        base, link, at = split_links(given, base_link_name, link_name, link_point)
        q = self._checked(joint_values, "calcJacobian")
        point = None if at is None else finite_point(at, "calcJacobian: link_point")
        pose, jacobian = np.empty((4, 4)), np.empty((6, len(q)))
        kernels.chain_pose_jacobian(self._chain(base, link), q, pose, jacobian)
        if point is None:
            return jacobian
        return jacobianChangeRefPoint(jacobian, pose[:3, :3] @ point)

    def _chain(self, base: str | None, tip: str) -> Array:
        """Return the chain between two links over the group's columns."""
        chain = self._chains.get((base, tip))
        if chain is None:
            chain = plan_chain(self._solver, tip, self._names, base).data
            if len(self._chains) >= MANY:
                self._chains.clear()
            self._chains[base, tip] = chain
        return chain

    def _checked(self, joint_values: VectorLike, method: str) -> Array:
        q = real_vector(joint_values, f"{method}: joint_values")
        if len(q) != len(self._names):
            raise LengthError(
                f"{method}: a vector of length {len(q)} was given, its length must be the number "
                f"of joints of group {self._name!r}, {len(self._names)}"
            )
        if not np.isfinite(q).all():
            place = int(np.flatnonzero(~np.isfinite(q))[0])
            raise NotFiniteError(f"{method}: value of joint {self._names[place]!r} is {q[place]}")
        return q

    # -- copies ------------------------------------------------------------------------------

    def _copy_into(self, other: "JointGroup") -> None:
        other._name, other._names, other._columns = self._name, self._names, list(self._columns)
        other._solver = self._solver.clone()
        other._limits = self.getLimits()
        other._chains = {}

    def __copy__(self: G) -> G:
        copy = object.__new__(type(self))
        self._copy_into(copy)
        return copy

    def __deepcopy__(self: G, memo: object) -> G:
        return self.__copy__()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r}, {', '.join(self._names)})"
