"""`KinematicGroup`: a `JointGroup` that can be told where its links are to be."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinegraph.kinematics.chain import Source
from kinegraph.kinematics.group_base import GroupBase
from kinegraph.kinematics.inverse import inverse_kinematics
from kinegraph.kinematics.inverse_plan import InversePlan, plan_inverse
from kinegraph.kinematics.inverse_problem import InverseOptions
from kinegraph.kinematics.joint_group import MANY, JointGroup
from kinegraph.kinematics.state import KinematicLimits, SceneState
from kinegraph.kinematics.values import real_array, str_name
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import InvalidNameError, LengthError, ShapeError, WrongTypeError
from kinegraph.scene.pose import Isometry3d, TransformLike

__all__ = ["KinGroupIKInput", "KinGroupIKInputs", "KinematicGroup"]

# Solutions nearer to each other than this, rad or m, count as one.
SAME = 1e-6


@dataclass(slots=True, eq=False)
class KinGroupIKInput:
    """Where one link is to be.

    Attributes:
        pose: Pose of the tip link in the working frame, rigid within 1e-3.
        working_frame: Link in whose frame the pose is.
        tip_link_name: The link.
    """

    pose: TransformLike = field(default_factory=Isometry3d)
    working_frame: str = ""
    tip_link_name: str = ""


class KinGroupIKInputs(list[KinGroupIKInput]):
    """Where several links are to be at once."""


class KinematicGroup(JointGroup):
    """A group of joints with inverse kinematics; arguments and errors as `JointGroup`.

    Any link that the group moves may be a tip, and any link a working frame, one that the group
    moves too. Several tips may have poses at once.
    """

    __slots__ = ("_plans",)

    def __init__(
        self,
        name: str,
        joint_names: Iterable[str],
        scene: Source,
        scene_state: SceneState | Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(name, joint_names, scene, scene_state)
        self._plans: dict[tuple[tuple[str, str], ...], InversePlan] = {}

    def getAllValidWorkingFrames(self) -> list[str]:
        """Return the links in whose frames poses may be: all."""
        return self.getLinkNames()

    def getAllPossibleTipLinkNames(self) -> list[str]:
        """Return the links that may have poses: those that the group moves."""
        return self.getActiveLinkNames()

    def setLimits(self, limits: KinematicLimits) -> None:
        """Set the limits of the group's joints; as `JointGroup.setLimits`."""
        super().setLimits(limits)
        self._plans.clear()

    def inverse_plan(
        self, tip_link: str | Sequence[str], working_frame: str | Sequence[str] | None = None
    ) -> InversePlan:
        """Return a plan for `inverse_kinematics` with this group's joints and limits.

        Args:
            tip_link: Link that is to reach the targets, or several.
            working_frame: Link in whose frame the targets are, or one for each tip. Left out: the
                root.

        Raises:
            UnknownLinkError: A link does not exist. Also a `KeyError`.
            InvalidNameError: The group does not move a tip in its frame. Also a `ValueError`.
            LengthError: Not as many frames as tips. Also a `ValueError`.
            WrongTypeError: Not names. Also a `TypeError`.
        """
        bounds = self._bounds()
        return plan_inverse(self._solver, tip_link, self._names, working_frame, bounds=bounds)

    def calcInvKin(
        self,
        tip_link_poses: KinGroupIKInput | Sequence[KinGroupIKInput],
        seed: Any,
        *,
        options: InverseOptions | None = None,
        rng: np.random.Generator | int | None = 0,
    ) -> list[Array]:
        """Return joint values that bring the tips to their poses.

        Args:
            tip_link_poses: Pose of one tip, or of several that are all to be met.
            seed: (n,) values near which to search, or (S, n): each is searched from.
            options: Tolerances, numbers of iterations and attempts, weights.
            rng: Seed or generator of the random restarts.

        Returns:
            Solutions (n,) within the position limits, the one for the first seed first, equal ones
            once; empty if there are none. Why there are none is told by `inverse_kinematics` with
            `inverse_plan`.

        Raises:
            UnknownLinkError: A tip or frame does not exist. Also a `KeyError`.
            InvalidNameError: The group does not move a tip in its frame, or two poses for one tip
                in one frame. Also a `ValueError`.
            LengthError, ShapeError, NotFiniteError: Seeds that do not fit. Also a `ValueError`.
            NotRigidError: A pose is not rigid within 1e-3. Also a `ValueError`.
            WrongTypeError: No poses, numbers, options or generator. Also a `TypeError`.
        """
        inputs = [tip_link_poses] if isinstance(tip_link_poses, KinGroupIKInput) else tip_link_poses
        if not isinstance(inputs, Sequence) or not all(
            isinstance(each, KinGroupIKInput) for each in inputs
        ):
            raise WrongTypeError(
                f"calcInvKin: KinGroupIKInput is needed, one or more, not {tip_link_poses!r:.100}"
            )
        if not inputs:
            raise LengthError("calcInvKin: no pose was given")
        plan = self._plan(tuple(_ends(each) for each in inputs))
        poses = [_matrix(each) for each in inputs]
        seeds = real_array(seed, "calcInvKin: seed")
        if seeds.ndim not in (1, 2):
            raise ShapeError(f"calcInvKin: seed must be (n,) or (S, n), not {seeds.shape}")
        seeds = seeds.reshape(1, -1) if seeds.ndim == 1 else seeds
        targets = np.broadcast_to(np.array(poses), (len(seeds), len(poses), 4, 4))
        found = inverse_kinematics(plan, targets, seeds, options=options, rng=rng)
        solutions: list[Array] = []
        for q in found.q[found.converged]:
            if not any(np.abs(q - other).max() < SAME for other in solutions):
                solutions.append(q.copy())
        return solutions

    def _plan(self, ends: tuple[tuple[str, str], ...]) -> InversePlan:
        if len(set(ends)) != len(ends):
            raise InvalidNameError(f"calcInvKin: two poses for one tip in one frame: {ends}")
        plan = self._plans.get(ends)
        if plan is None:
            tips, frames = zip(*ends, strict=True)
            plan = self.inverse_plan(tips, frames)
            if len(self._plans) >= MANY:
                self._plans.clear()
            self._plans[ends] = plan
        return plan

    def _copy_into(self, other: GroupBase) -> None:
        super()._copy_into(other)
        if isinstance(other, KinematicGroup):
            other._plans = {}


def _ends(each: KinGroupIKInput) -> tuple[str, str]:
    tip, frame = each.tip_link_name, each.working_frame
    return str_name(tip, "calcInvKin: tip_link_name"), str_name(frame, "calcInvKin: working_frame")


def _matrix(each: KinGroupIKInput) -> Array:
    """Return a pose as (4, 4); whether it is rigid is for `inverse_kinematics` to see."""
    pose, what = each.pose, f"calcInvKin: pose of {each.tip_link_name!r}"
    if isinstance(pose, Isometry3d):
        return pose.matrix
    matrix = real_array(getattr(pose, "homogeneous", pose), what)
    if matrix.shape != (4, 4):
        raise ShapeError(f"{what} must be (4, 4), not {matrix.shape}")
    return matrix
