"""`ArmDescription`: one chain of a scene as an arm, with its kinematics, bodies and limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegraph.kinematics.chain import ChainPlan, plan_chain
from kinegraph.kinematics.dynamics import mass_matrix
from kinegraph.kinematics.dynamics_plan import DynamicsPlan, plan_dynamics
from kinegraph.kinematics.ofkt import OFKTStateSolver
from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.control.arms import ArmTable
from kinegraph.robot.control.checks import check_finite_vector
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.torque_arm.limits import table_from_graph
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.pose import Isometry3d

__all__ = ["ArmDescription", "describe_arm"]


@dataclass(frozen=True, slots=True, eq=False)
class ArmDescription:
    """A chain of up to nine joints as an arm.

    Attributes:
        graph: The scene, a copy.
        chain: From the base to the controlled link.
        bodies: What the joints move, all that hangs below the controlled link with it.
        table: Limits.
    """

    graph: SceneGraph
    chain: ChainPlan
    bodies: DynamicsPlan
    table: ArmTable

    def __repr__(self) -> str:
        """Say which chain it is."""
        return (
            f"ArmDescription({self.table.name!r}, {self.base_link!r} to {self.tip_link!r}, "
            f"joints {', '.join(self.joint_names)})"
        )

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.chain.n

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints, from the base on."""
        return self.chain.joint_names

    @property
    def base_link(self) -> str:
        """Link in whose frame poses, targets and gravity are."""
        return self.chain.base_link

    @property
    def tip_link(self) -> str:
        """The controlled link."""
        return self.chain.tip_link

    def positions(self, q: VectorLike, name: str = "q") -> Array:
        """Return joint positions (n,) as a new array.

        Args:
            q: (n,) rad or m, in the order of `joint_names`.
            name: How messages call them.

        Raises:
            InvalidArgumentError: Not n finite numbers. Also a `ValueError`.
        """
        return check_finite_vector(name, as_numbers(name, q), self.n)

    def tip_pose(self, q: VectorLike) -> Isometry3d:
        """Return the controlled link's pose in the base for joint positions (n,).

        Raises:
            InvalidArgumentError: Not n finite numbers. Also a `ValueError`.
        """
        return Isometry3d(self.chain.pose(self.positions(q)))

    def link_pose(self, q: VectorLike, link_name: str) -> Isometry3d:
        """Return any link's pose in the base for joint positions (n,).

        Raises:
            InvalidArgumentError: Not n finite numbers. Also a `ValueError`.
            UnknownLinkError: It is no link. Also a `KeyError`.
        """
        solver = OFKTStateSolver(self.graph)
        solver.setState(list(self.joint_names), self.positions(q))
        return solver.getRelativeLinkTransform(self.base_link, link_name)

    def joint_inertia(self, q: VectorLike) -> Array:
        """Return (n,) what each joint moves with the others held, its drive with it, kg m^2.

        Raises:
            InvalidArgumentError: Not n finite numbers. Also a `ValueError`.
        """
        masses = mass_matrix(self.bodies, self.positions(q))
        return np.asarray(np.diag(masses) + self.table.drive_inertia)


def describe_arm(
    graph: SceneGraph,
    tip_link: str,
    *,
    base_link: str | None = None,
    joint_names: Sequence[str] | None = None,
    **limits: Any,
) -> ArmDescription:
    """Describe a chain of a scene as an arm.

    Args:
        graph: Scene with the arm; it is copied.
        tip_link: Link to be controlled.
        base_link: Link in whose frame poses and gravity are. Left out: the root.
        joint_names: Joints of the arm. Left out: those that move the tip in the base, from the
            base on. Others stay at zero.
        limits: What the description lacks, or to be used in its place: `rated_torque`,
            `max_velocity`, `max_acceleration`, `max_jerk`, `drive_inertia`, `name`, see
            `table_from_graph`.

    Raises:
        UnknownLinkError: `tip_link` or `base_link` is no link. Also a `KeyError`.
        UnknownJointError: A name is no joint that moves the arm. Also a `ValueError`.
        InvalidArgumentError: `graph` is no graph, or as `table_from_graph`. Also a `ValueError`.
    """
    if not isinstance(graph, SceneGraph):
        raise InvalidArgumentError(f"graph: {graph!r:.100} is no SceneGraph", field="graph")
    copy = graph.clone()
    chain = plan_chain(copy, tip_link, joint_names, base_link)
    table = table_from_graph(copy, chain.joint_names, **limits)
    bodies = plan_dynamics(
        copy, chain.joint_names, tip_link, chain.base_link, include_below_flange=True
    )
    return ArmDescription(copy, chain, bodies, table)
