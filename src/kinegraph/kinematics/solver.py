"""`StateSolver`: the queries that both solvers answer; overloads and checks, written once."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Literal, TypeAlias, final, overload

import numpy as np
from numpy import empty, ndarray

from kinegraph.kinematics.chain import link_row
from kinegraph.kinematics.compiled import is_float_vector, kernels
from kinegraph.kinematics.jacobian_changes import jacobianChangeRefPoint
from kinegraph.kinematics.solver_base import SolverBase
from kinegraph.kinematics.state import SceneState
from kinegraph.kinematics.state_checks import CheckedInput
from kinegraph.kinematics.state_input import UNSET, read_state_input
from kinegraph.kinematics.values import finite_point
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import WrongTypeError
from kinegraph.scene.pose import Isometry3d, TransformLike, wrap_matrix

__all__ = ["Mimic", "StateSolver", "VectorLike"]

Mimic: TypeAlias = Literal["follow", "independent"]
"""Whether mimic joints follow their masters or are ordinary active joints."""

VectorLike: TypeAlias = Any
"""One-dimensional array, list or tuple of real numbers."""

FloatingValues: TypeAlias = Mapping[str, TransformLike]


FLOAT = np.dtype(np.float64)
FLOATS = {float, np.float64}


class StateSolver(SolverBase):
    """Forward kinematics of a whole scene: joint values in, poses of all links out.

    Values come as a vector over the active joints in the order of `getActiveJointNames()`, as a
    dict by name, or as names and values; beside them `floating_joint_values` sets floating joints.
    Joints that are not named keep their current values. Everything is checked before anything
    changes. Position limits are not enforced.

    Calls that do not change the solver may run in several threads at once.
    """

    __slots__ = ()

    # -- setting -----------------------------------------------------------------------------

    @overload
    def setState(
        self, joint_values: Mapping[str, float], floating_joint_values: FloatingValues = ...
    ) -> None: ...
    @overload
    def setState(
        self, joint_values: VectorLike, floating_joint_values: FloatingValues = ...
    ) -> None: ...
    @overload
    def setState(
        self,
        joint_names: Sequence[str],
        joint_values: VectorLike,
        floating_joint_values: FloatingValues = ...,
    ) -> None: ...
    @overload
    def setState(self, floating_joint_values: FloatingValues) -> None: ...
    @final  # type: ignore[misc]
    def setState(  # pyright: ignore[reportInconsistentOverload]
        self,
        first: Any = UNSET,
        /,
        *rest: Any,
        joint_names: Any = UNSET,
        joint_values: Any = UNSET,
        floating_joint_values: Any = UNSET,
    ) -> None:
        """Set joint values, floating values or both.

        Args:
            first: `joint_values` as a vector (n,) of all active joints or as a dict by name, rad
                or m; `joint_names`; or `floating_joint_values` alone. An empty dict is the form
                for joint values.
            rest: The arguments that follow in that form.
            joint_names: Active joints, in the order of `joint_values`.
            joint_values: (len(joint_names),).
            floating_joint_values: Transform from parent link to child link by floating joint.

        Raises:
            UnknownJointError: Names that are not active (or not floating) joints; the message has
                all of them. Also a `ValueError`.
            LengthError: A vector of another length than there are active joints, or than names.
                Also a `ValueError`.
            InvalidNameError: A joint is named twice. Also a `ValueError`.
            NotFiniteError: A value is NaN or infinite. Also a `ValueError`.
            NotRigidError: A transform scales, shears or mirrors. Also a `ValueError`.
            WrongTypeError: Arguments that no form takes. Also a `TypeError`.
            ShapeError: A value array with other than one axis. Also a `TypeError`.
            UnsupportedError: `KDLStateSolver` and floating values alone. Also a `RuntimeError`.
        """
        state = self._state
        if not rest and joint_names is joint_values is floating_joint_values is UNSET:
            # The plain cases, if nothing is wrong.
            if type(first) is ndarray:
                if (
                    first.dtype is FLOAT
                    and first.ndim == 1
                    and kernels.store_values_entry(first, state.q) == 0
                ):
                    state.stale = None
                    return
            elif type(first) is dict and self._set_floats(first):
                return
        given = rest if first is UNSET else (first, *rest)
        found = read_state_input(
            "setState", given, joint_names, joint_values, floating_joint_values
        )
        vector, columns, values, floating = self._check(found, "setState")
        if vector is not None:
            state.q[:] = vector
            state.touch_all()
        else:
            state.set_columns(columns, values)
        state.set_floating(floating)

    def _set_floats(self, values: dict[Any, Any]) -> bool:
        """Set joints by name if the values are finite floats and all names are right."""
        if not set(map(type, values.values())) <= FLOATS or not all(map(isfinite, values.values())):
            return False
        state = self._state
        known = state.tree.columns
        try:
            columns = [known[name] for name in values]
        except (KeyError, TypeError):
            return False
        state.set_columns(columns, list(values.values()))
        return True

    @overload
    def getState(self) -> SceneState: ...
    @overload
    def getState(
        self, joint_values: Mapping[str, float], floating_joint_values: FloatingValues = ...
    ) -> SceneState: ...
    @overload
    def getState(
        self, joint_values: VectorLike, floating_joint_values: FloatingValues = ...
    ) -> SceneState: ...
    @overload
    def getState(
        self,
        joint_names: Sequence[str],
        joint_values: VectorLike,
        floating_joint_values: FloatingValues = ...,
    ) -> SceneState: ...
    @overload
    def getState(self, floating_joint_values: FloatingValues) -> SceneState: ...
    @final
    def getState(  # pyright: ignore[reportInconsistentOverload]
        self,
        *given: Any,
        joint_names: Any = UNSET,
        joint_values: Any = UNSET,
        floating_joint_values: Any = UNSET,
    ) -> SceneState:
        """Return the current state, or the state for other values; the solver stays as it is.

        Args:
            given: Nothing, or values in any of the forms of `setState`.
            joint_names: As in `setState`.
            joint_values: As in `setState`.
            floating_joint_values: As in `setState`.

        Raises:
            UnknownJointError, LengthError, InvalidNameError, NotFiniteError, NotRigidError,
            WrongTypeError, ShapeError, UnsupportedError: As in `setState`.
        """
        state = self._state
        if joint_names is joint_values is floating_joint_values is UNSET:
            if not given:
                return self._scene_state(state.q, state.numbers, state.poses().copy())
            if len(given) == 1 and is_float_vector(given[0]):
                q = empty(state.q.shape[0])
                if kernels.store_values_entry(given[0], q) == 0:
                    return self._scene_state(q, state.numbers, state.evaluate(q, state.numbers))
        found = read_state_input(
            "getState", given, joint_names, joint_values, floating_joint_values
        )
        q, floating = self._values(self._check(found, "getState"))
        numbers = state.with_floating(floating)
        return self._scene_state(q, numbers, state.evaluate(q, numbers))

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
        joint_names: Sequence[str],
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
            and link_point is base_link is None
            and joint_values is link_name is floating_joint_values is UNSET
        ):
            # The plain case, if nothing is wrong.
            chain = self._state.chains.get(second)
            if chain is not None and first.dtype is FLOAT and first.ndim == 1:
                jacobian = empty((6, len(first)))
                if kernels.checked_jacobian_entry(chain, first, jacobian) == 0:
                    return jacobian
        given = tuple(value for value in (first, second, *rest) if value is not UNSET)
        values, link, floating = _split_link(given, joint_names, joint_values, link_name)
        if floating is not UNSET:
            if floating_joint_values is not UNSET:
                raise WrongTypeError("getJacobian: two values for floating_joint_values")
            floating_joint_values = floating
        found = read_state_input(
            "getJacobian", values, joint_names, joint_values, floating_joint_values
        )
        if found.floating_only:
            raise WrongTypeError("getJacobian: joint values are missing")
        _check_link_name(link, "link_name")
        point = None if link_point is None else finite_point(link_point, "getJacobian: link_point")
        if base_link is not None:
            _check_link_name(base_link, "base_link")
        return self._jacobian(self._check(found, "getJacobian"), link, point, base_link)

    def _jacobian(
        self, checked: CheckedInput, link: str, point: Array | None, base_link: str | None
    ) -> Array:
        state = self._state
        q, floating = self._values(checked)
        tip = link_row(state.tree, link)
        base = 0 if base_link is None else link_row(state.tree, base_link)
        if base == 0 and not floating:
            chain = state.chain(link)
        else:
            chain = state.new_chain(tip, base, state.with_floating(floating))
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
        joint_names: Sequence[str],
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
            return list(map(wrap_matrix, state.poses().copy()))
        method = "getLinkTransforms"
        found = read_state_input(method, given, joint_names, joint_values, floating_joint_values)
        q, floating = self._values(self._check(found, method))
        poses = state.evaluate(q, state.with_floating(floating))
        return dict(zip(state.tree.link_names, map(wrap_matrix, poses), strict=True))

    def getLinkTransform(self, link_name: str) -> Isometry3d:
        """Return the current pose of a link in the base link's frame.

        Raises:
            UnknownLinkError: There is no such link. Also a `KeyError`.
            WrongTypeError: Not a str. Also a `TypeError`.
        """
        state = self._state
        chain = state.chains.get(link_name) if type(link_name) is str else None
        if chain is None:
            chain = state.chain(link_name)
        pose = empty((4, 4))
        kernels.chain_pose_entry(chain, state.q, pose)
        return wrap_matrix(pose)

    def getRelativeLinkTransform(self, from_link_name: str, to_link_name: str) -> Isometry3d:
        """Return the current pose of one link in the frame of another.

        Raises:
            UnknownLinkError: One of them is not a link. Also a `KeyError`.
            WrongTypeError: One of them is not a str. Also a `TypeError`.
        """
        state = self._state
        base = link_row(state.tree, from_link_name)
        tip = link_row(state.tree, to_link_name)
        pose = empty((4, 4))
        kernels.chain_pose(state.new_chain(tip, base), state.q, pose)
        return wrap_matrix(pose)

    setStateByMap = setState
    setStateByNamesAndValues = setState


def _split_link(
    given: Sequence[Any], joint_names: Any, joint_values: Any, link_name: Any
) -> tuple[tuple[Any, ...], Any, Any]:
    """Take the link's name, and floating values behind it, out of the positional arguments."""
    floating: Any = UNSET
    if link_name is not UNSET:
        return tuple(given), link_name, floating
    place = next((i for i, value in enumerate(given) if isinstance(value, str)), None)
    if place is None or place < len(given) - 2:
        raise WrongTypeError("getJacobian: the name of a link (str) must follow the joint values")
    if place == len(given) - 2:
        floating = given[-1]
    return tuple(given[:place]), given[place], floating


def _check_link_name(name: object, what: str) -> None:
    if not isinstance(name, str):
        raise WrongTypeError(f"getJacobian: {what} must be a str, not {name!r:.100}")
