"""What a solver answers: `SceneState` and `KinematicLimits`."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from kinegraph.kinematics.additions import additions, restore
from kinegraph.kinematics.values import name_list, real_number
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import UnknownNameError, WrongTypeError
from kinegraph.scene.pose import Isometry3d, TransformLike, as_isometry, wrap_matrices

__all__ = ["KinematicLimits", "SceneState"]

APPROX = 1e-5

LARGE = 1e150
"""What can be squared and summed."""


class TransformMap:
    """Names and their poses; the dict of `Isometry3d` is made when it is read.

    The array belongs to the map alone and is never changed.
    """

    __slots__ = ("_made", "names", "poses")

    def __init__(self, names: Sequence[str], poses: Array) -> None:
        self.names = names
        self.poses = poses
        self._made: list[Isometry3d] | None = None

    @classmethod
    def of(cls, transforms: Mapping[str, TransformLike], what: str) -> "TransformMap":
        """Make a map of a user's dict, checked."""
        if not isinstance(transforms, Mapping):
            raise WrongTypeError(f"{what} must be a dict by name, not {transforms!r:.100}")
        made: dict[str, Isometry3d] = {}
        for name, transform in transforms.items():
            made[_name(name, what)] = as_isometry(transform, f"{what}[{name!r}]")
        poses = np.array([pose.matrix for pose in made.values()]).reshape(-1, 4, 4)
        new = cls(list(made), poses)
        new._made = list(made.values())
        return new

    def dict(self) -> dict[str, Isometry3d]:
        """Return the map as a dict of its own."""
        made = self._made
        if made is None:
            made = self._made = wrap_matrices(self.poses)
        return dict(zip(self.names, made, strict=True))

    def approx_equal(self, other: "TransformMap") -> bool:
        """Compare names exactly and transforms within 1e-5, relatively."""
        if self.names == other.names:
            return are_approx(self.poses, other.poses)
        places = {name: place for place, name in enumerate(other.names)}
        if places.keys() != set(self.names):
            return False
        return are_approx(self.poses, other.poses[[places[name] for name in self.names]])

    def __reduce__(self) -> tuple[Any, ...]:
        return TransformMap, (list(self.names), self.poses)


def are_approx(a: Array, b: Array, prec: float = APPROX) -> bool:
    """Compare matrices one by one as Eigen's isApprox does; NaN is never equal."""
    a, b = a.reshape(len(a), 16), b.reshape(len(b), 16)
    largest = np.maximum(np.abs(a).max(1, initial=1.0), np.abs(b).max(1, initial=1.0))
    if largest.max(initial=1.0) > LARGE:
        a, b = a / largest[:, None], b / largest[:, None]
    difference = a - b
    smaller = np.minimum((a * a).sum(1), (b * b).sum(1))
    return bool(((difference * difference).sum(1) <= prec * prec * smaller).all())


def _name(name: object, what: str) -> str:
    if not isinstance(name, str):
        raise WrongTypeError(f"{what}: names must be str, not {name!r:.100}")
    return name


NO_TRANSFORMS = TransformMap((), np.zeros((0, 4, 4)))


class SceneState:
    r"""Joint values and every link's and joint's pose at one moment.

    The four maps are copies on read and are assigned as a whole: `state.link_transforms["x"] = T`
    changes nothing, `state.link_transforms = {...}` does. A state knows nothing of the solver it
    came from.

    `==` compares the names of all four maps and the joint values exactly, and each transform
    within `isApprox(1e-5)`: :math:`\|A - B\|_F \le 10^{-5} \min(\|A\|_F, \|B\|_F)`.

    Attributes:
        joints: Value by joint name, rad or m: the active joints, and the joints that follow one.
        floating_joints: Transform by floating joint name.
        link_transforms: Pose of every link in the base link's frame.
        joint_transforms: Pose of every joint after its motion, in the base link's frame.
    """

    __slots__ = ("_floating", "_joint_poses", "_joints", "_link_poses")
    __hash__ = None  # type: ignore[assignment]  # editable, so not hashable

    def __init__(self) -> None:
        self._joints: dict[str, float] = {}
        self._floating = self._link_poses = self._joint_poses = NO_TRANSFORMS

    @classmethod
    def _of(
        cls,
        joints: dict[str, float],
        floating: TransformMap,
        link_poses: TransformMap,
        joint_poses: TransformMap,
    ) -> "SceneState":
        state = cls.__new__(cls)
        state._joints = joints
        state._floating = floating
        state._link_poses = link_poses
        state._joint_poses = joint_poses
        return state

    @property
    def joints(self) -> dict[str, float]:  # noqa: D102  documented with the class
        return dict(self._joints)

    @joints.setter
    def joints(self, values: Mapping[str, float]) -> None:
        if not isinstance(values, Mapping):
            raise WrongTypeError(f"joints must be a dict by name, not {values!r:.100}")
        self._joints = {
            _name(name, "joints"): real_number(value, f"joints[{name!r}]")
            for name, value in values.items()
        }

    @property
    def floating_joints(self) -> dict[str, Isometry3d]:  # noqa: D102
        return self._floating.dict()

    @floating_joints.setter
    def floating_joints(self, transforms: Mapping[str, TransformLike]) -> None:
        self._floating = TransformMap.of(transforms, "floating_joints")

    @property
    def link_transforms(self) -> dict[str, Isometry3d]:  # noqa: D102
        return self._link_poses.dict()

    @link_transforms.setter
    def link_transforms(self, transforms: Mapping[str, TransformLike]) -> None:
        self._link_poses = TransformMap.of(transforms, "link_transforms")

    @property
    def joint_transforms(self) -> dict[str, Isometry3d]:  # noqa: D102
        return self._joint_poses.dict()

    @joint_transforms.setter
    def joint_transforms(self, transforms: Mapping[str, TransformLike]) -> None:
        self._joint_poses = TransformMap.of(transforms, "joint_transforms")

    def getJointValues(self, joint_names: Sequence[str]) -> Array:
        """Return values in the order given, (len(joint_names),), rad or m.

        Raises:
            UnknownNameError: A name has no value here. Also a `KeyError`.
            WrongTypeError: Not several str. Also a `TypeError`.
        """
        joints, names = self._joints, name_list(joint_names, "getJointValues")
        for name in names:
            if name not in joints:
                raise UnknownNameError("joint value", name, joints)
        return np.array([joints[name] for name in names], dtype=np.float64)

    def getFloatingJointValues(self, joint_names: Sequence[str]) -> dict[str, Isometry3d]:
        """Return transforms by name.

        Raises:
            UnknownNameError: A name is not a floating joint. Also a `KeyError`.
            WrongTypeError: Not several str. Also a `TypeError`.
        """
        floating, names = self._floating.dict(), name_list(joint_names, "getFloatingJointValues")
        for name in names:
            if name not in floating:
                raise UnknownNameError("floating joint", name, floating)
        return {name: floating[name] for name in names}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SceneState):
            return NotImplemented
        if self._joints.keys() != other._joints.keys():
            return False
        return (
            all(value == other._joints[name] for name, value in self._joints.items())
            and self._floating.approx_equal(other._floating)
            and self._link_poses.approx_equal(other._link_poses)
            and self._joint_poses.approx_equal(other._joint_poses)
        )

    def __copy__(self) -> "SceneState":
        copied = self._of(dict(self._joints), self._floating, self._link_poses, self._joint_poses)
        restore(copied, additions(self, SceneState))
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> "SceneState":
        copied = memo[id(self)] = self.__copy__()
        restore(copied, deepcopy(additions(self, SceneState), memo))
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self._joints, self._floating, self._link_poses, self._joint_poses)
        return type(self)._of, parts, additions(self, SceneState)

    def __setstate__(self, added: dict[str, Any]) -> None:
        restore(self, added)

    def __repr__(self) -> str:
        return (
            f"SceneState({len(self._joints)} joints, {len(self._floating.names)} floating joints, "
            f"{len(self._link_poses.names)} links)"
        )


class KinematicLimits:
    """Limits of the active joints, one row each, in the order of `getActiveJointNames()`.

    `==` compares each matrix relatively within 1e-5, as Eigen's isApprox does.

    Attributes:
        joint_limits: (n, 2) lower and upper position, rad or m.
        velocity_limits: (n, 2) -limit and +limit, rad/s or m/s.
        acceleration_limits: (n, 2), per s^2.
        jerk_limits: (n, 2), per s^3.
    """

    __slots__ = ("acceleration_limits", "jerk_limits", "joint_limits", "velocity_limits")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self) -> None:
        self.joint_limits: Array = np.zeros((0, 2))
        self.velocity_limits: Array = np.zeros((0, 2))
        self.acceleration_limits: Array = np.zeros((0, 2))
        self.jerk_limits: Array = np.zeros((0, 2))

    def _matrices(self) -> tuple[Array, Array, Array, Array]:
        return (
            self.joint_limits,
            self.velocity_limits,
            self.acceleration_limits,
            self.jerk_limits,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, KinematicLimits):
            return NotImplemented
        pairs = list(zip(self._matrices(), other._matrices(), strict=True))
        if any(np.shape(a) != np.shape(b) for a, b in pairs):
            return False
        return all(_same_limits(a, b) for a, b in pairs)

    def __repr__(self) -> str:
        return f"KinematicLimits({len(self.joint_limits)} joints)"


def _same_limits(a: Array, b: Array) -> bool:
    """Compare two matrices as a whole; equal infinite entries count as equal."""
    infinite = np.isinf(a) & (a == b)
    a, b = np.where(infinite, 0.0, a), np.where(infinite, 0.0, b)
    difference = a - b
    smaller = min(float((a * a).sum()), float((b * b).sum()))
    return bool((difference * difference).sum() <= APPROX * APPROX * smaller)
