"""Finding a seven-joint arm in a graph and compiling it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegraph.kinematics.chain import plan_chain
from kinegraph.kinematics.dynamics_kernels import mass_matrix
from kinegraph.kinematics.dynamics_layout import LOAD
from kinegraph.kinematics.dynamics_plan import DynamicsPlan, plan_dynamics
from kinegraph.robot.errors import InvalidArgumentError, ModelError
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import KinegraphError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import Joint, JointType

__all__ = ["ArmNames", "CompiledArm", "find_arm", "plan_arm"]

JOINTS = 7
# Ratio of the eigenvalues of a mass matrix below which rounding decides; the arms have 1e-5.
SINGULAR = 1e-10


@dataclass(frozen=True, slots=True)
class ArmNames:
    """Where an arm is in a graph.

    Attributes:
        joints: The seven joints from the base on.
        base_link: Link whose frame is O.
        flange_link: Link whose frame is F.
    """

    joints: tuple[str, ...]
    base_link: str
    flange_link: str


@dataclass(frozen=True, slots=True, eq=False)
class CompiledArm:
    """An arm as arrays for the kernels.

    Attributes:
        names: Where the arm is.
        chains: Data of eight `ChainPlan` of seven columns: to the frames of the joints, the flange.
        dynamics: The `DynamicsPlan` without what hangs below the flange.
    """

    names: ArmNames
    chains: tuple[Array, ...]
    dynamics: DynamicsPlan


def find_arm(
    graph: SceneGraph,
    joint_names: Sequence[str] | None = None,
    base_link: str | None = None,
    flange_link: str | None = None,
) -> ArmNames:
    """Find what is not given: joints by their numbers, base and flange by the joints.

    Args:
        graph: A graph that contains the arm.
        joint_names: The seven joints, or None for the one set of names that end in joint1 to
            joint7 after the same prefix.
        base_link: Or None for the link that carries the first joint.
        flange_link: Or None for the link behind the last joint, over a fixed joint whose name
            ends in joint8 or to a link whose name ends in link8.

    Raises:
        ModelError: Not found, or ambiguous.
        InvalidArgumentError: There is no graph. Also a `ValueError`.
    """
    if not isinstance(graph, SceneGraph):
        raise InvalidArgumentError(f"scene_graph: {graph!r:.100} is no SceneGraph")
    joints = _find_joints(graph) if joint_names is None else tuple(joint_names)
    if len(joints) != JOINTS:
        raise ModelError(f"an arm has {JOINTS} joints, {len(joints)} are named: {list(joints)}")
    first, last = _joint(graph, joints[0]), _joint(graph, joints[-1])
    base = first.parent_link_name if base_link is None else base_link
    flange = _find_flange(graph, last) if flange_link is None else flange_link
    return ArmNames(joints, base, flange)


def _joint(graph: SceneGraph, name: str) -> Joint:
    joint = graph.getJoint(name)
    if joint is None:
        raise ModelError(f"the model has no joint {name!r}")
    return joint


def _find_joints(graph: SceneGraph) -> tuple[str, ...]:
    moving = {joint.getName() for joint in graph.getJoints() if joint.type != JointType.FIXED}
    prefixes = [name.removesuffix("joint7") for name in moving if name.endswith("joint7")]
    sets = [tuple(f"{prefix}joint{i}" for i in range(1, JOINTS + 1)) for prefix in sorted(prefixes)]
    whole = [names for names in sets if moving.issuperset(names)]
    if len(whole) != 1:
        found = ", ".join(f"{names[0]} .. {names[-1]}" for names in whole) or "none"
        raise ModelError(
            f"one set of moving joints joint1 .. joint7 behind a common prefix is needed, found: "
            f"{found}; name the joints of the arm"
        )
    return whole[0]


def _find_flange(graph: SceneGraph, last: Joint) -> str:
    behind = graph.getOutboundJoints(last.child_link_name)
    fixed = [joint for joint in behind if joint.type == JointType.FIXED]
    named = [
        joint.child_link_name
        for joint in fixed
        if joint.getName().endswith("joint8") or joint.child_link_name.endswith("link8")
    ]
    if len(named) != 1:
        found = ", ".join(joint.child_link_name for joint in fixed) or "none"
        raise ModelError(
            f"no flange behind {last.getName()!r}: a fixed joint8 or a link8 is needed, fixed "
            f"links there: {found}; name the flange link"
        )
    return named[0]


def plan_arm(graph: SceneGraph, names: ArmNames) -> CompiledArm:
    """Compile the arm's frames and bodies.

    Raises:
        ModelError: The joints are not a chain from base to flange in their order, or a joint moves
            no mass.
    """
    try:
        tips = [_joint(graph, name).child_link_name for name in names.joints]
        own = plan_chain(graph, names.flange_link, None, names.base_link)
        if own.joint_names != names.joints:
            raise ModelError(
                f"the joints from {names.base_link!r} to {names.flange_link!r} are "
                f"{list(own.joint_names)}, not {list(names.joints)}"
            )
        chains = [
            plan_chain(graph, tip, names.joints, names.base_link).data
            for tip in (*tips, names.flange_link)
        ]
        dynamics = plan_dynamics(graph, names.joints, names.flange_link, names.base_link)
    except ModelError:
        raise
    except KinegraphError as error:
        raise ModelError(f"the graph holds no model of the arm: {error}") from error
    _check_mass(dynamics)
    return CompiledArm(names, tuple(chains), dynamics)


def _check_mass(dynamics: DynamicsPlan) -> None:
    """Refuse an arm that a torque would accelerate without bound."""
    matrix = np.empty((JOINTS, JOINTS))
    mass_matrix(dynamics.data, np.full(JOINTS, 0.3), np.zeros(LOAD), dynamics.workspace(), matrix)
    smallest, largest = np.linalg.eigvalsh(matrix)[[0, -1]]
    if not smallest > SINGULAR * largest:
        raise ModelError(
            "the arm's links need masses and inertias: the mass matrix of "
            f"{dynamics.base_link!r} .. {dynamics.flange_link!r} is not positive definite"
        )
