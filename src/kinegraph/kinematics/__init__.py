"""Where everything is: state solvers, groups, batches, Jacobians, inverse kinematics, dynamics.

Names are loaded when they are first used, so that importing this package does not load numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinegraph.kinematics.arrays import jacobian, jacobians, link_pose, link_poses
    from kinegraph.kinematics.chain import ChainPlan, plan_chain
    from kinegraph.kinematics.compiled import warm_up
    from kinegraph.kinematics.dynamics import (
        DynamicsPlan,
        Load,
        coriolis_torque,
        dynamics_workspace,
        forward_dynamics,
        gravity_torque,
        inverse_dynamics,
        jacobian_derivative,
        manipulability,
        mass_matrix,
        plan_dynamics,
    )
    from kinegraph.kinematics.inverse import inverse_kinematics
    from kinegraph.kinematics.inverse_plan import InversePlan, plan_inverse
    from kinegraph.kinematics.inverse_problem import (
        InverseOptions,
        InverseResult,
        InverseStatus,
    )
    from kinegraph.kinematics.jacobian_changes import jacobianChangeBase, jacobianChangeRefPoint
    from kinegraph.kinematics.joint_group import JointGroup
    from kinegraph.kinematics.joint_velocities import joint_velocities
    from kinegraph.kinematics.kdl import KDLStateSolver
    from kinegraph.kinematics.kinematic_group import (
        KinematicGroup,
        KinGroupIKInput,
        KinGroupIKInputs,
    )
    from kinegraph.kinematics.mutable_solver import MutableStateSolver
    from kinegraph.kinematics.ofkt import OFKTStateSolver
    from kinegraph.kinematics.solver import StateSolver
    from kinegraph.kinematics.state import KinematicLimits, SceneState

__all__ = [
    "ChainPlan",
    "DynamicsPlan",
    "InverseOptions",
    "InversePlan",
    "InverseResult",
    "InverseStatus",
    "JointGroup",
    "KDLStateSolver",
    "KinGroupIKInput",
    "KinGroupIKInputs",
    "KinematicGroup",
    "KinematicLimits",
    "Load",
    "MutableStateSolver",
    "OFKTStateSolver",
    "SceneState",
    "StateSolver",
    "coriolis_torque",
    "dynamics_workspace",
    "forward_dynamics",
    "gravity_torque",
    "inverse_dynamics",
    "inverse_kinematics",
    "jacobian",
    "jacobianChangeBase",
    "jacobianChangeRefPoint",
    "jacobian_derivative",
    "jacobians",
    "joint_velocities",
    "link_pose",
    "link_poses",
    "manipulability",
    "mass_matrix",
    "plan_chain",
    "plan_dynamics",
    "plan_inverse",
    "warm_up",
]

# Module by name; `kinematics` without numba is what these lines are for.
_HOMES = {
    "arrays": ("jacobian", "jacobians", "link_pose", "link_poses"),
    "chain": ("ChainPlan", "plan_chain"),
    "compiled": ("warm_up",),
    "dynamics": (
        "DynamicsPlan",
        "Load",
        "coriolis_torque",
        "dynamics_workspace",
        "forward_dynamics",
        "gravity_torque",
        "inverse_dynamics",
        "jacobian_derivative",
        "manipulability",
        "mass_matrix",
        "plan_dynamics",
    ),
    "inverse": ("inverse_kinematics",),
    "inverse_plan": ("InversePlan", "plan_inverse"),
    "inverse_problem": ("InverseOptions", "InverseResult", "InverseStatus"),
    "jacobian_changes": ("jacobianChangeBase", "jacobianChangeRefPoint"),
    "joint_group": ("JointGroup",),
    "joint_velocities": ("joint_velocities",),
    "kdl": ("KDLStateSolver",),
    "kinematic_group": ("KinGroupIKInput", "KinGroupIKInputs", "KinematicGroup"),
    "mutable_solver": ("MutableStateSolver",),
    "ofkt": ("OFKTStateSolver",),
    "solver": ("StateSolver",),
    "state": ("KinematicLimits", "SceneState"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load the module of a name."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
