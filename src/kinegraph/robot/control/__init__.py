"""The target controllers: generator, inverse kinematics, guards and torque law.

Everything public is imported from here, each part when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinegraph.robot.control.arms import FER, FR3, ArmTable, arm_table
    from kinegraph.robot.control.generator.generator import TrajectoryGenerator
    from kinegraph.robot.control.generator.pose_step import PoseStep, step_pose
    from kinegraph.robot.control.ik.bounds import GoalBox, braking_speed, goal_box, robot_speed
    from kinegraph.robot.control.ik.differential_ik import DifferentialIk, IkStep
    from kinegraph.robot.control.joint_options import JointLimits, JointOptions
    from kinegraph.robot.control.options import (
        CartesianOptions,
        FrictionTerm,
        Gains,
        IkOptions,
        ImpedanceOptions,
        IntegralTerm,
        Leash,
        MotionLimits,
        RobotController,
        Settle,
        WorkspaceBox,
        scaled_cartesian,
    )
    from kinegraph.robot.control.presets import CARTESIAN, DROID, JOINT
    from kinegraph.robot.control.record_replay import ReplayedRecords, replay_records
    from kinegraph.robot.control.records import (
        CartesianSent,
        JointSent,
        TargetRecord,
        record_dtype,
        records_from_rows,
        view_rows,
    )
    from kinegraph.robot.control.rotation import (
        checked_pose,
        checked_quaternion,
        quaternion_xyzw,
        rotation_matrix,
    )
    from kinegraph.robot.control.torques.envelopes import (
        EnvelopeTorques,
        envelope_torques,
        speed_onsets,
    )
    from kinegraph.robot.control.torques.law import impedance_torques
    from kinegraph.robot.control.tuning.tuning import Clamped, Tuning, TuningUpdate

_NAMES = {
    "arms": ("FER", "FR3", "ArmTable", "arm_table"),
    "generator.generator": ("TrajectoryGenerator",),
    "generator.pose_step": ("PoseStep", "step_pose"),
    "ik.bounds": ("GoalBox", "braking_speed", "goal_box", "robot_speed"),
    "ik.differential_ik": ("DifferentialIk", "IkStep"),
    "joint_options": ("JointLimits", "JointOptions"),
    "options": (
        "CartesianOptions",
        "FrictionTerm",
        "Gains",
        "IkOptions",
        "ImpedanceOptions",
        "IntegralTerm",
        "Leash",
        "MotionLimits",
        "RobotController",
        "Settle",
        "WorkspaceBox",
        "scaled_cartesian",
    ),
    "presets": ("CARTESIAN", "DROID", "JOINT"),
    "record_replay": ("ReplayedRecords", "replay_records"),
    "records": (
        "CartesianSent",
        "JointSent",
        "TargetRecord",
        "record_dtype",
        "records_from_rows",
        "view_rows",
    ),
    "rotation": ("checked_pose", "checked_quaternion", "quaternion_xyzw", "rotation_matrix"),
    "torques.envelopes": ("EnvelopeTorques", "envelope_torques", "speed_onsets"),
    "torques.law": ("impedance_torques",),
    "tuning.tuning": ("Clamped", "Tuning", "TuningUpdate"),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "CARTESIAN",
    "DROID",
    "FER",
    "FR3",
    "JOINT",
    "ArmTable",
    "CartesianOptions",
    "CartesianSent",
    "Clamped",
    "DifferentialIk",
    "EnvelopeTorques",
    "FrictionTerm",
    "Gains",
    "GoalBox",
    "IkOptions",
    "IkStep",
    "ImpedanceOptions",
    "IntegralTerm",
    "JointLimits",
    "JointOptions",
    "JointSent",
    "Leash",
    "MotionLimits",
    "PoseStep",
    "ReplayedRecords",
    "RobotController",
    "Settle",
    "TargetRecord",
    "TrajectoryGenerator",
    "Tuning",
    "TuningUpdate",
    "WorkspaceBox",
    "arm_table",
    "braking_speed",
    "checked_pose",
    "checked_quaternion",
    "envelope_torques",
    "goal_box",
    "impedance_torques",
    "quaternion_xyzw",
    "record_dtype",
    "records_from_rows",
    "replay_records",
    "robot_speed",
    "rotation_matrix",
    "scaled_cartesian",
    "speed_onsets",
    "step_pose",
    "view_rows",
]


def __getattr__(name: str) -> Any:
    """Import a public name from its module."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
