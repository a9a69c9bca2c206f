"""The robot side: Franka's interface, its states and commands, control and a simulated robot.

Everything public is imported from here, each part when it is first used: a program that only
decodes states never loads the control loop.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinegraph.robot.active_control import ActiveControl as ActiveControl
    from kinegraph.robot.command_checks import (
        is_homogeneous_transformation as is_homogeneous_transformation,
    )
    from kinegraph.robot.command_checks import is_valid_elbow as is_valid_elbow
    from kinegraph.robot.commands import CartesianPose as CartesianPose
    from kinegraph.robot.commands import CartesianVelocities as CartesianVelocities
    from kinegraph.robot.commands import ControllerCommand as ControllerCommand
    from kinegraph.robot.commands import JointPositions as JointPositions
    from kinegraph.robot.commands import JointVelocities as JointVelocities
    from kinegraph.robot.commands import MotionGeneratorCommand as MotionGeneratorCommand
    from kinegraph.robot.commands import Torques as Torques
    from kinegraph.robot.commands import motion_finished as motion_finished
    from kinegraph.robot.control.joint_options import JointLimits as JointLimits
    from kinegraph.robot.control.joint_options import JointOptions as JointOptions
    from kinegraph.robot.control.joint_targets import JointTargets as JointTargets
    from kinegraph.robot.control.options import CartesianOptions as CartesianOptions
    from kinegraph.robot.control.options import FrictionTerm as FrictionTerm
    from kinegraph.robot.control.options import Gains as Gains
    from kinegraph.robot.control.options import IkOptions as IkOptions
    from kinegraph.robot.control.options import ImpedanceOptions as ImpedanceOptions
    from kinegraph.robot.control.options import IntegralTerm as IntegralTerm
    from kinegraph.robot.control.options import Leash as Leash
    from kinegraph.robot.control.options import MotionLimits as MotionLimits
    from kinegraph.robot.control.options import RobotController as RobotController
    from kinegraph.robot.control.options import Settle as Settle
    from kinegraph.robot.control.options import WorkspaceBox as WorkspaceBox
    from kinegraph.robot.control.options import scaled_cartesian as scaled_cartesian
    from kinegraph.robot.control.presets import CARTESIAN as CARTESIAN
    from kinegraph.robot.control.presets import DROID as DROID
    from kinegraph.robot.control.presets import JOINT as JOINT
    from kinegraph.robot.control.record_reader import RecordReader as RecordReader
    from kinegraph.robot.control.records import CartesianSent as CartesianSent
    from kinegraph.robot.control.records import JointSent as JointSent
    from kinegraph.robot.control.records import records_from_rows as records_from_rows
    from kinegraph.robot.control.targets import CartesianTargets as CartesianTargets
    from kinegraph.robot.control.torques.law import impedance_torques as impedance_torques
    from kinegraph.robot.control.tuning.tuning import Clamped as Clamped
    from kinegraph.robot.control.tuning.tuning import Tuning as Tuning
    from kinegraph.robot.control.tuning.tuning import TuningUpdate as TuningUpdate
    from kinegraph.robot.error_flags import Errors as Errors
    from kinegraph.robot.errors import CommandError as CommandError
    from kinegraph.robot.errors import ControlError as ControlError
    from kinegraph.robot.errors import FrankaError as FrankaError
    from kinegraph.robot.errors import IncompatibleVersionError as IncompatibleVersionError
    from kinegraph.robot.errors import InvalidArgumentError as InvalidArgumentError
    from kinegraph.robot.errors import InvalidOperationError as InvalidOperationError
    from kinegraph.robot.errors import ModelError as ModelError
    from kinegraph.robot.errors import NetworkError as NetworkError
    from kinegraph.robot.errors import ProtocolError as ProtocolError
    from kinegraph.robot.errors import RealtimeError as RealtimeError
    from kinegraph.robot.filters import cartesian_lowpass_filter as cartesian_lowpass_filter
    from kinegraph.robot.filters import lowpass_filter as lowpass_filter
    from kinegraph.robot.hand import Gripper as Gripper
    from kinegraph.robot.hand import GripperState as GripperState
    from kinegraph.robot.hand import HandAction as HandAction
    from kinegraph.robot.hand import SimulatedHand as SimulatedHand
    from kinegraph.robot.hand import VacuumDeviceStatus as VacuumDeviceStatus
    from kinegraph.robot.hand import VacuumGripper as VacuumGripper
    from kinegraph.robot.hand import VacuumGripperState as VacuumGripperState
    from kinegraph.robot.hand import VacuumProfile as VacuumProfile
    from kinegraph.robot.joined.carrying import ToolMismatch as ToolMismatch
    from kinegraph.robot.joint_moves import QuinticMove as QuinticMove
    from kinegraph.robot.joint_moves import check_joint_positions as check_joint_positions
    from kinegraph.robot.limiters import limit_rate_cartesian_pose as limit_rate_cartesian_pose
    from kinegraph.robot.limiters import (
        limit_rate_cartesian_velocity as limit_rate_cartesian_velocity,
    )
    from kinegraph.robot.limiters import limit_rate_joint_position as limit_rate_joint_position
    from kinegraph.robot.limiters import limit_rate_joint_velocity as limit_rate_joint_velocity
    from kinegraph.robot.limiters import limit_rate_torques as limit_rate_torques
    from kinegraph.robot.limits import JointVelocityTable as JointVelocityTable
    from kinegraph.robot.limits import RateLimits as RateLimits
    from kinegraph.robot.limits import rate_limits as rate_limits
    from kinegraph.robot.loop.callback import CompiledCallbacks as CompiledCallbacks
    from kinegraph.robot.loop.callback import CompiledTorques as CompiledTorques
    from kinegraph.robot.model import Frame as Frame
    from kinegraph.robot.model import Model as Model
    from kinegraph.robot.model import NativeModelBackend as NativeModelBackend
    from kinegraph.robot.model import RobotModelBackend as RobotModelBackend
    from kinegraph.robot.model import SoModelBackend as SoModelBackend
    from kinegraph.robot.model.fer import FER_FRICTION as FER_FRICTION
    from kinegraph.robot.model.fer import JointFriction as JointFriction
    from kinegraph.robot.modes import ControllerMode as ControllerMode
    from kinegraph.robot.modes import MotionGeneratorMode as MotionGeneratorMode
    from kinegraph.robot.modes import RobotMode as RobotMode
    from kinegraph.robot.recording.flight import FlightRecorder as FlightRecorder
    from kinegraph.robot.recording.reading import read_run as read_run
    from kinegraph.robot.recording.recorder import Recorder as Recorder
    from kinegraph.robot.recording.recorder import RowSource as RowSource
    from kinegraph.robot.recording.replay import Replay as Replay
    from kinegraph.robot.recording.replay import ReplayStep as ReplayStep
    from kinegraph.robot.recording.run import Gap as Gap
    from kinegraph.robot.recording.run import RecordedRun as RecordedRun
    from kinegraph.robot.recording.run import RecordedStates as RecordedStates
    from kinegraph.robot.recording.run import RunEvent as RunEvent
    from kinegraph.robot.recording.writer import RunWriter as RunWriter
    from kinegraph.robot.recovery import run_with_recovery as run_with_recovery
    from kinegraph.robot.robot import LoopCounters as LoopCounters
    from kinegraph.robot.robot import Robot as Robot
    from kinegraph.robot.scene_robot import SceneRobot as SceneRobot
    from kinegraph.robot.session import MotionSession as MotionSession
    from kinegraph.robot.sim import SimulatedRobot as SimulatedRobot
    from kinegraph.robot.sim import SimulatedTool as SimulatedTool
    from kinegraph.robot.sim.descriptions import description_path as description_path
    from kinegraph.robot.sim.descriptions import description_text as description_text
    from kinegraph.robot.sim.descriptions import description_with_hand as description_with_hand
    from kinegraph.robot.state import RobotState as RobotState
    from kinegraph.robot.torque_arm import ArmControl as ArmControl
    from kinegraph.robot.torque_arm import ArmDescription as ArmDescription
    from kinegraph.robot.torque_arm import ArmState as ArmState
    from kinegraph.robot.torque_arm import SimulatedArm as SimulatedArm
    from kinegraph.robot.torque_arm import TorqueArm as TorqueArm
    from kinegraph.robot.torque_arm import cartesian_law as cartesian_law
    from kinegraph.robot.torque_arm import describe_arm as describe_arm
    from kinegraph.robot.torque_arm import joint_law as joint_law
    from kinegraph.robot.torque_arm import table_from_graph as table_from_graph
    from kinegraph.robot.torque_session import TorqueSession as TorqueSession
    from kinegraph.robot.virtual_wall import VirtualWall as VirtualWall
    from kinegraph.robot.warming import warm_up as warm_up
    from kinegraph.robot.wrenches import transform_wrench as transform_wrench

# Module -> its public names. A new name is added here and above; a test holds the two together.
_NAMES = {
    "active_control": ("ActiveControl",),
    "command_checks": ("is_homogeneous_transformation", "is_valid_elbow"),
    "commands": (
        "CartesianPose",
        "CartesianVelocities",
        "ControllerCommand",
        "JointPositions",
        "JointVelocities",
        "MotionGeneratorCommand",
        "Torques",
        "motion_finished",
    ),
    "control.joint_options": ("JointLimits", "JointOptions"),
    "control.joint_targets": ("JointTargets",),
    "control.options": (
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
    "control.presets": ("CARTESIAN", "DROID", "JOINT"),
    "control.record_reader": ("RecordReader",),
    "control.records": ("CartesianSent", "JointSent", "records_from_rows"),
    "control.targets": ("CartesianTargets",),
    "control.torques.law": ("impedance_torques",),
    "control.tuning.tuning": ("Clamped", "Tuning", "TuningUpdate"),
    "error_flags": ("Errors",),
    "errors": (
        "CommandError",
        "ControlError",
        "FrankaError",
        "IncompatibleVersionError",
        "InvalidArgumentError",
        "InvalidOperationError",
        "ModelError",
        "NetworkError",
        "ProtocolError",
        "RealtimeError",
    ),
    "filters": ("cartesian_lowpass_filter", "lowpass_filter"),
    "hand": (
        "Gripper",
        "GripperState",
        "HandAction",
        "SimulatedHand",
        "VacuumDeviceStatus",
        "VacuumGripper",
        "VacuumGripperState",
        "VacuumProfile",
    ),
    "joined.carrying": ("ToolMismatch",),
    "joint_moves": ("QuinticMove", "check_joint_positions"),
    "limiters": (
        "limit_rate_cartesian_pose",
        "limit_rate_cartesian_velocity",
        "limit_rate_joint_position",
        "limit_rate_joint_velocity",
        "limit_rate_torques",
    ),
    "limits": ("JointVelocityTable", "RateLimits", "rate_limits"),
    "loop.callback": ("CompiledCallbacks", "CompiledTorques"),
    "model": ("Frame", "Model", "NativeModelBackend", "RobotModelBackend", "SoModelBackend"),
    "model.fer": ("FER_FRICTION", "JointFriction"),
    "modes": ("ControllerMode", "MotionGeneratorMode", "RobotMode"),
    "recording.flight": ("FlightRecorder",),
    "recording.reading": ("read_run",),
    "recording.recorder": ("Recorder", "RowSource"),
    "recording.replay": ("Replay", "ReplayStep"),
    "recording.run": ("Gap", "RecordedRun", "RecordedStates", "RunEvent"),
    "recording.writer": ("RunWriter",),
    "recovery": ("run_with_recovery",),
    "robot": ("LoopCounters", "Robot"),
    "scene_robot": ("SceneRobot",),
    "session": ("MotionSession",),
    "sim": ("SimulatedRobot", "SimulatedTool"),
    "sim.descriptions": ("description_path", "description_text", "description_with_hand"),
    "state": ("RobotState",),
    "torque_arm": (
        "ArmControl",
        "ArmDescription",
        "ArmState",
        "SimulatedArm",
        "TorqueArm",
        "cartesian_law",
        "describe_arm",
        "joint_law",
        "table_from_graph",
    ),
    "torque_session": ("TorqueSession",),
    "virtual_wall": ("VirtualWall",),
    "warming": ("warm_up",),
    "wrenches": ("transform_wrench",),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
