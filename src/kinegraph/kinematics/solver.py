"""`StateSolver`: the queries that both solvers answer; overloads and checks, written once."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, final, overload

from numpy import empty, ndarray

from kinegraph.kinematics.chain import link_row
from kinegraph.kinematics.compiled import FLOAT, entries, kernels
from kinegraph.kinematics.jacobian_changes import jacobianChangeRefPoint
from kinegraph.kinematics.state_calls import StateCalls
from kinegraph.kinematics.state_checks import CheckedInput
from kinegraph.kinematics.state_input import (
    UNSET,
    FloatingValues,
    Names,
    read_jacobian_input,
    read_state_input,
)
from kinegraph.kinematics.values import real_point, str_name
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.pose import Isometry3d, wrap_matrices

__all__ = ["Mimic", "StateSolver"]

Mimic: TypeAlias = Literal["follow", "independent"]
"""Whether mimic joints follow their masters or are ordinary active joints."""


class StateSolver(StateCalls):
    """Forward kinematics of a whole scene: joint values in, poses of all links out.

    Values come as a vector over the active joints in the order of `getActiveJointNames()`, as a
    dict by name, or as names and values; beside them `floating_joint_values` sets floating joints.
    Joints that are not named keep their current values. Everything is checked before anything
    changes. Position limits are not enforced.

    Calls that do not change the solver may run in several threads at once. One that changes it must
    not run beside any other call: give each thread a clone, or hold a lock.
    """

    __slots__ = ()

    # -- Jacobians ---------------------------------------------------------------------------

    @overload
    def getJacobian(
        self,
        joint_values: VectorLike | Mapping[str, float],
        link_name: str,
        floating_joint_values: FloatingValues = ...,
        *,
        link_point: VectorLike | None = ...,
        base_link: str | None = ...,
    ) -> Array: ...
    @overload
    def getJacobian(
        self,
        joint_names: Names,
        joint_values: VectorLike,
        link_name: str,
        floating_joint_values: FloatingValues = ...,
        *,
        link_point: VectorLike | None = ...,
        base_link: str | None = ...,
    ) -> Array: ...
    @final  # type: ignore[misc]
    def getJacobian(  # pyright: ignore[reportInconsistentOverload]
        self,
        first: Any = UNSET,
        second: Any = UNSET,
        /,
        *rest: Any,
        joint_names: Any = UNSET,
        joint_values: Any = UNSET,
        link_name: Any = UNSET,
        floating_joint_values: Any = UNSET,
        link_point: VectorLike | None = None,
        base_link: str | None = None,
    ) -> Array:
        r"""Return the Jacobian of a link.

        Column i is :math:`[\partial p / \partial q_i;\ \omega_i]` in base axes, with p the link's
        origin or `link_point`. With a base link that moves itself it is the derivative of the
        relative pose.

        Args:
            first: `joint_values` as a vector or dict, or `joint_names`.
            second: `joint_values` if names came first, or `link_name`.
            rest: What follows in that form: `link_name`, `floating_joint_values`.
            joint_names: As in `setState`.
            joint_values: As in `setState`.
            link_name: Link whose origin is the reference point.
            floating_joint_values: As in `setState`.
            link_point: (3,) reference point in the link's frame, m, in place of its origin.
            base_link: Link in whose frame the Jacobian is, in place of the root.

        Returns:
            (6, n): rows 0-2 linear, rows 3-5 angular, columns in the order of
            `getActiveJointNames()`; zero for joints that do not move the link in the base.

        Raises:
            UnknownLinkError: `link_name` or `base_link` is not a link. Also a `KeyError`.
            UnknownJointError, LengthError, InvalidNameError, NotFiniteError, NotRigidError,
            WrongTypeError, ShapeError: As in `setState`.
        """
        if (
            type(first) is ndarray
            and type(second) is str
            and not rest
            and link_point is None
            and base_link is None
            and joint_names is joint_values is link_name is floating_joint_values is UNSET
        ):
            # The plain case, if nothing is wrong.
            state = self._state
            chain = state.chains.get(second)
            if chain is not None and first.dtype is FLOAT and first.ndim == 1:
                jacobian = empty((6, len(state.q)))
                if entries.checked_jacobian(chain, first, jacobian) == 0:
                    return jacobian
        given = tuple(value for value in (first, second, *rest) if value is not UNSET)
        found, link = read_jacobian_input(
            given, joint_names, joint_values, link_name, floating_joint_values
        )
        if base_link is not None:
            str_name(base_link, "getJacobian: base_link")
        if link_point is not None:
            found.point = real_point(link_point, "getJacobian: link_point")
        return self._jacobian(self._check(found, "getJacobian"), link, found.point, base_link)

    def _jacobian(
        self, checked: CheckedInput, link: str, point: Array | None, base_link: str | None
    ) -> Array:
        state = self._state
        q, floating = self._values(checked)
        if floating:
            tip = link_row(state.tree, link)
            base = 0 if base_link is None else link_row(state.tree, base_link)
            chain = state.new_chain(tip, base, state.with_floating(floating))
        else:
            chain = state.chain(link) if base_link is None else state.chain_between(link, base_link)
        pose, jacobian = empty((4, 4)), empty((6, len(q)))
        kernels.chain_pose_jacobian(chain, q, pose, jacobian)
        if point is None:
            return jacobian
        return jacobianChangeRefPoint(jacobian, pose[:3, :3] @ point)

    # -- transforms --------------------------------------------------------------------------

    @overload
    def getLinkTransforms(self) -> list[Isometry3d]: ...
    @overload
    def getLinkTransforms(
        self,
        joint_values: VectorLike | Mapping[str, float],
        floating_joint_values: FloatingValues = ...,
    ) -> dict[str, Isometry3d]: ...
    @overload
    def getLinkTransforms(
        self,
        joint_names: Names,
        joint_values: VectorLike,
        floating_joint_values: FloatingValues = ...,
    ) -> dict[str, Isometry3d]: ...
    @final
    def getLinkTransforms(  # pyright: ignore[reportInconsistentOverload]
        self,
        *given: Any,
        joint_names: Any = UNSET,
        joint_values: Any = UNSET,
        floating_joint_values: Any = UNSET,
    ) -> list[Isometry3d] | dict[str, Isometry3d]:
        """Return the poses of all links in the base link's frame.

        Args:
            given: Nothing: the current poses, as a list in the order of `getLinkNames()`. Or
                values in any form of `setState`: a dict by link name, the solver stays as it is.
            joint_names: As in `setState`.
            joint_values: As in `setState`.
            floating_joint_values: As in `setState`.

        Raises:
            UnknownJointError, LengthError, InvalidNameError, NotFiniteError, NotRigidError,
            WrongTypeError, ShapeError, UnsupportedError: As in `setState`.
        """
        state = self._state
        if not given and joint_names is joint_values is floating_joint_values is UNSET:
            return wrap_matrices(state.poses().copy())
        method = "getLinkTransforms"
        found = read_state_input(method, given, joint_names, joint_values, floating_joint_values)
        q, floating = self._values(self._check(found, method))
        poses = state.evaluate(q, state.with_floating(floating))
        return dict(zip(state.tree.link_names, wrap_matrices(poses), strict=True))
