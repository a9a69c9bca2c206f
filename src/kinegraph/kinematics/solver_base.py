"""`SolverBase`: what a solver holds, its names, limits and copies."""

from abc import ABC, abstractmethod
from copy import deepcopy
from typing import Any, TypeVar

import numpy as np
from numpy import empty

from kinegraph.kinematics.additions import additions, restore
from kinegraph.kinematics.compiled import entries, kernels
from kinegraph.kinematics.flat_state import FlatState
from kinegraph.kinematics.sampling import sample_within_limits
from kinegraph.kinematics.state import NO_TRANSFORMS, KinematicLimits, SceneState, TransformMap
from kinegraph.kinematics.state_checks import CheckedInput, check_input
from kinegraph.kinematics.state_input import StateInput
from kinegraph.kinematics.tree import FlatTree
from kinegraph.kinematics.tree_layout import (
    ACCELERATION,
    ACTIVE,
    JERK,
    LOWER,
    ORDER,
    UPPER,
    VELOCITY,
)
from kinegraph.kinematics.values import str_name
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import UnsupportedError
from kinegraph.scene.pose import Isometry3d, wrap_matrix

__all__ = ["SolverBase"]

S = TypeVar("S", bound="SolverBase")


class SolverBase(ABC):
    """Tree and values of a solver, and everything that does not take joint values."""

    __slots__ = ("_revision", "_state")

    _state: FlatState
    _revision: int
    _supports_floating = True

    # -- names -------------------------------------------------------------------------------

    def getJointNames(self) -> list[str]:
        """Return all joints, fixed and floating ones too, depth first at the beginning."""
        return list(self._state.tree.joint_names)

    def getActiveJointNames(self) -> list[str]:
        """Return the joints that have a value of their own, in the order of value vectors."""
        return list(self._state.tree.active_names)

    def getFloatingJointNames(self) -> list[str]:
        """Return the floating joints."""
        return list(self._state.tree.floating_rows)

    def getLinkNames(self) -> list[str]:
        """Return all links, the base link first, depth first at the beginning."""
        return list(self._state.tree.link_names)

    def getActiveLinkNames(self) -> list[str]:
        """Return the links with an active joint above them, depth first."""
        return self._links_by_activity(1)

    def getStaticLinkNames(self) -> list[str]:
        """Return the links without an active joint above them, depth first."""
        return self._links_by_activity(0)

    def _links_by_activity(self, active: int) -> list[str]:
        tree = self._state.tree
        order = tree.layout[:, ORDER]
        rows = order[tree.layout[order, ACTIVE] == active]
        names = tree.link_names
        return [names[row] for row in rows.tolist()]

    def getBaseLinkName(self) -> str:
        """Return the root of the tree; its pose is the identity."""
        return self._state.base_link()

    def hasLinkName(self, link_name: str) -> bool:
        """Tell whether there is such a link.

        Raises:
            WrongTypeError: Not a str. Also a `TypeError`.
        """
        return self._state.has_link(str_name(link_name, "hasLinkName"))

    def isActiveLinkName(self, link_name: str) -> bool:
        """Tell whether an active joint lies above a link; False for an unknown one.

        Raises:
            WrongTypeError: Not a str. Also a `TypeError`.
        """
        tree = self._state.tree
        row = tree.link_rows.get(str_name(link_name, "isActiveLinkName"))
        return row is not None and bool(tree.layout[row, ACTIVE])

    # -- poses --------------------------------------------------------------------------------

    def getLinkTransform(self, link_name: str) -> Isometry3d:
        """Return the current pose of a link in the base link's frame.

        Raises:
            UnknownLinkError: There is no such link. Also a `KeyError`.
            WrongTypeError: Not a str. Also a `TypeError`.
        """
        state = self._state
        try:
            chain = state.chains[link_name]
        except (KeyError, TypeError, ValueError):  # ValueError: a buffer that has no hash
            return wrap_matrix(state.pose(link_name))
        pose = empty((4, 4))
        entries.current_pose(chain, state.q, pose)
        return wrap_matrix(pose)

    def getRelativeLinkTransform(self, from_link_name: str, to_link_name: str) -> Isometry3d:
        """Return the current pose of one link in the frame of another.

        Raises:
            UnknownLinkError: One of them is not a link. Also a `KeyError`.
            WrongTypeError: One of them is not a str. Also a `TypeError`.
        """
        state = self._state
        pose = empty((4, 4))
        chain = state.chain_between(
            to_link_name, str_name(from_link_name, "getRelativeLinkTransform")
        )
        kernels.chain_pose(chain, state.q, pose)
        return wrap_matrix(pose)

    # -- limits ------------------------------------------------------------------------------

    def getLimits(self) -> KinematicLimits:
        """Return the limits of the active joints, a copy."""
        tree = self._state.tree
        rows = tree.limits[tree.active_rows]
        limits = KinematicLimits()
        limits.joint_limits = rows[:, [LOWER, UPPER]]
        limits.velocity_limits = _both_ways(rows[:, VELOCITY])
        limits.acceleration_limits = _both_ways(rows[:, ACCELERATION])
        limits.jerk_limits = _both_ways(rows[:, JERK])
        return limits

    def getRandomState(self, rng: np.random.Generator | int | None = None) -> SceneState:
        """Return a state with every active joint drawn uniformly within its position limits.

        The solver and its floating joints stay as they are. Joints that follow another one may
        end up outside their own limits.

        Args:
            rng: Generator, seed, or None for a fresh one.

        Raises:
            InvalidLimitError: Infinite limits, or lower > upper; names the joint. Or a negative
                seed. Also a `ValueError`.
            WrongTypeError: `rng` is of another type. Also a `TypeError`.
        """
        state = self._state
        tree = state.tree
        q = sample_within_limits(tree.limits[tree.active_rows], tree.active_names, rng)
        return self._scene_state(q, state.numbers, state.evaluate(q, state.numbers))

    # -- copies ------------------------------------------------------------------------------

    @abstractmethod
    def clone(self: S) -> S:
        """Return an independent solver with the same state, limits, orders and revision."""

    @property
    def flat_state(self) -> FlatState:
        """Tree and values in flat arrays, for what computes beside the solver; read only."""
        return self._state

    def _copy(self: S) -> S:
        copy = object.__new__(type(self))
        copy._state = self._state.copy()
        copy._revision = self._revision
        restore(copy, additions(self, SolverBase))
        return copy

    def __copy__(self: S) -> S:
        return self._copy()

    def __deepcopy__(self: S, memo: dict[int, Any]) -> S:
        copied = self._copy()
        memo[id(self)] = copied
        restore(copied, deepcopy(additions(self, SolverBase), memo))
        return copied

    def __getstate__(self) -> tuple[FlatState, int, dict[str, Any]]:
        return self._state, self._revision, additions(self, SolverBase)

    def __setstate__(self, state: tuple[FlatState, int, dict[str, Any]]) -> None:
        self._state, self._revision, added = state
        restore(self, added)

    def __repr__(self) -> str:
        tree = self._state.tree
        return (
            f"{type(self).__name__}(base {tree.link_names[0]!r}, {tree.link_count} links, "
            f"{tree.column_count} active joints)"
        )

    # -- inside ------------------------------------------------------------------------------

    def _start(self, tree: FlatTree) -> None:
        self._state = FlatState(tree, tree.numbers, np.zeros(tree.column_count))
        self._revision = 0

    def _check(self, found: StateInput, method: str) -> CheckedInput:
        """Check an input; a solver without floating values then drops or refuses them."""
        vector, columns, values, floating = check_input(self._state.tree, found, method)
        if self._supports_floating:
            return vector, columns, values, floating
        if found.floating_only and floating:
            raise UnsupportedError(
                f"{method}: floating values alone are not supported by {type(self).__name__}"
            )
        return vector, columns, values, {}

    def _values(self, checked: CheckedInput) -> tuple[Array, dict[int, Isometry3d]]:
        """Return all values (n,) that an input means, a new array, and the floating values."""
        vector, columns, values, floating = checked
        if vector is None:
            vector = self._state.q.copy()
            vector[columns] = values
        return vector, floating

    def _scene_state(self, q: Array, numbers: Array, poses: Array) -> SceneState:
        """Make a state of values and an array of poses that is given away."""
        tree = self._state.tree
        poses.setflags(write=False)
        values = q.tolist()
        joints = dict(zip(tree.active_names, values, strict=True))
        if tree.mimics:
            joints.update(tree.follower_values(values))
        return SceneState._of(
            joints,
            _floating_map(tree, numbers),
            TransformMap(tree.link_names, poses),
            TransformMap(tree.joint_names, poses[1:]),
        )


def _floating_map(tree: FlatTree, numbers: Array) -> TransformMap:
    """Return the floating joints' values."""
    if not tree.floating_rows:
        return NO_TRANSFORMS
    rows = list(tree.floating_rows.values())
    poses = np.zeros((len(rows), 4, 4))
    poses[:, :3, :3] = numbers[rows, 0:9].reshape(-1, 3, 3)
    poses[:, :3, 3] = numbers[rows, 9:12]
    poses[:, 3, 3] = 1.0
    return TransformMap(list(tree.floating_rows), poses)


def _both_ways(limits: Array) -> Array:
    return np.column_stack((-limits, limits))
