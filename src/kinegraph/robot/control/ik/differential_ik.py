"""The controller's inverse kinematics, for use without a robot: one step per desired pose."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegraph.kinematics.chain import ChainPlan
from kinegraph.robot.control.arms import ArmTable
from kinegraph.robot.control.checks import check_finite_vector, check_kind, check_shape
from kinegraph.robot.control.ik.goal_kernels import step_goal
from kinegraph.robot.control.memory_layout import M_goal, M_goal_jacobian, M_goal_pose
from kinegraph.robot.control.options import CartesianOptions, ImpedanceOptions
from kinegraph.robot.control.pose_kernels import solve_chain
from kinegraph.robot.control.workspace import Workspace
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["DifferentialIk", "IkStep"]


@dataclass(frozen=True, slots=True, eq=False)
class IkStep:
    """What one step of the inverse kinematics did.

    Attributes:
        q: (n,) the goal after the step, rad.
        error: Weighted norm of what is left to the pose, m; NaN for a pose that is not finite.
        pinned: (n,) 0 free, -1 / +1 on a position bound, -2 / +2 on a velocity bound.
        passes: Passes of the active set in all solves.
        cut: Share of the step that the velocity bounds left, exactly 1 if all.
        step: Largest raw step of the solves, rad.
        step_clipped: What the box took off that solve, rad.
        blend: 0 weighted task, 1 position first.
        stall_pressure: Largest pressure on a position pin, m per cycle.
        stalled: Whether the goal is stuck at a position limit.
    """

    q: Array
    error: float
    pinned: npt.NDArray[np.int64]
    passes: int
    cut: float
    step: float
    step_clipped: float
    blend: float
    stall_pressure: float
    stalled: bool


class DifferentialIk:
    """A joint goal that follows poses, one cycle of 1 ms per step, within the arm's limits."""

    def __init__(
        self,
        chain: ChainPlan,
        arm: ArmTable,
        q: VectorLike,
        options: ImpedanceOptions | None = None,
    ) -> None:
        """Start at a configuration.

        Args:
            chain: From the base to the controlled link.
            arm: The arm's limits.
            q: (n,) start, rad; it may lie outside the limits.
            options: The `ik` part, posture, margin and velocity fraction count.

        Raises:
            InvalidArgumentError: An option is refused, or chain, arm and q do not fit together.
        """
        check_kind("chain", chain, ChainPlan)
        check_kind("arm", arm, ArmTable)
        if chain.n != arm.n:
            raise InvalidArgumentError(
                f"chain: {chain.n} joints, the arm has {arm.n}", field="chain"
            )
        impedance = ImpedanceOptions() if options is None else options
        check_kind("options", impedance, ImpedanceOptions)
        self._chain = chain
        self._n = arm.n
        self._options = CartesianOptions(backend=impedance).packed(arm)
        self._work = Workspace()
        self.reset(q)
        posture = q if impedance.posture is None else impedance.posture
        self._work.write("posture", np.asarray(posture, dtype=np.float64))

    @property
    def q(self) -> Array:
        """(n,) the goal, rad."""
        return self._work.read("goal", self._n)

    def reset(self, q: VectorLike) -> None:
        """Put the goal somewhere else and forget pins, priority and stall; the posture stays.

        Raises:
            InvalidArgumentError: A number is not finite, or the shape is not (n,).
        """
        start = check_finite_vector("q", q, self._n)
        posture = self._work.read("posture")
        self._work = Workspace()
        self._work.write("posture", posture)
        self._work.write("goal", start)
        solve_chain(
            self._chain.data, self._work.memory, self._n, M_goal, M_goal_pose, M_goal_jacobian
        )

    def step(self, pose: Array) -> IkStep:
        """Carry the goal one cycle toward a pose.

        Args:
            pose: (4, 4) base frame. Numbers that are not finite keep the goal and give a NaN error.

        Raises:
            InvalidArgumentError: The shape is another.
        """
        matrix = check_shape("pose", pose, (4, 4))
        self._work.write("desired", np.concatenate([matrix[:3, 3], matrix[:3, :3].ravel()]))
        step_goal(self._options, self._chain.data, self._work.memory)
        number = self._work.number
        return IkStep(
            q=self.q,
            error=number("ik_error"),
            pinned=self._work.read("pinned", self._n).astype(np.int64),
            passes=int(number("ik_passes")),
            cut=number("cut"),
            step=number("ik_step"),
            step_clipped=number("ik_step_clipped"),
            blend=number("ik_blend"),
            stall_pressure=number("stall_pressure"),
            stalled=bool(number("stalled")),
        )
