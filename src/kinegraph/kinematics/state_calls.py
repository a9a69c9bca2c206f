"""`StateCalls`: setting and getting the state of a solver, in all forms of values."""

from collections.abc import Mapping
from math import isfinite
from typing import Any, final, overload

import numpy as np
from numpy import empty, ndarray

from kinegraph.kinematics.compiled import FLOAT, entries, is_float_vector
from kinegraph.kinematics.solver_base import SolverBase
from kinegraph.kinematics.state import SceneState
from kinegraph.kinematics.state_input import UNSET, FloatingValues, Names, read_state_input
from kinegraph.scene.array_types import VectorLike

__all__ = ["StateCalls"]

FLOATS = {float, np.float64}


class StateCalls(SolverBase):
    """What sets and gets the state of a solver."""

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
        joint_names: Names,
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
                    and entries.store_values(first, state.q) == 0
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
        return self._state.set_named(values)

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
        joint_names: Names,
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
                if entries.store_values(given[0], q) == 0:
                    return self._scene_state(q, state.numbers, state.evaluate(q, state.numbers))
        found = read_state_input(
            "getState", given, joint_names, joint_values, floating_joint_values
        )
        q, floating = self._values(self._check(found, "getState"))
        numbers = state.with_floating(floating)
        return self._scene_state(q, numbers, state.evaluate(q, numbers))

    setStateByMap = setState
    setStateByNamesAndValues = setState
