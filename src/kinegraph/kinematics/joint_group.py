"""`JointGroup`: some joints of a scene, for planners."""

from collections.abc import Iterable, Mapping
from typing import Any, overload

import numpy as np

from kinegraph.kinematics.chain import Source, plan_chain
from kinegraph.kinematics.compiled import kernels
from kinegraph.kinematics.group_base import GroupBase
from kinegraph.kinematics.group_inputs import split_links
from kinegraph.kinematics.jacobian_changes import jacobianChangeRefPoint
from kinegraph.kinematics.state import SceneState
from kinegraph.kinematics.values import finite_point, real_vector
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.errors import LengthError, NotFiniteError
from kinegraph.scene.pose import Isometry3d, wrap_matrices

__all__ = ["JointGroup"]

# Compiled chains that a group keeps.
MANY = 256


class JointGroup(GroupBase):
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
        InvalidNameError: No joint, or one named twice, or no name. Also a `ValueError`.
        WrongTypeError: No graph or solver, no names or a set of them. Also a `TypeError`.
    """

    __slots__ = ("_chains",)

    def __init__(
        self,
        name: str,
        joint_names: Iterable[str],
        scene: Source,
        scene_state: SceneState | Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(name, joint_names, scene, scene_state)
        self._chains: dict[tuple[str | None, str], Array] = {}

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
        return dict(zip(state.tree.link_names, wrap_matrices(poses), strict=True))

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

    def _copy_into(self, other: GroupBase) -> None:
        super()._copy_into(other)
        if isinstance(other, JointGroup):
            other._chains = {}
