"""The arm's model in libfranka's terms: poses, Jacobians, mass, Coriolis and gravity."""

from kinegraph.robot.model.backend import RobotModelBackend
from kinegraph.robot.model.loads import TotalLoad, combine_loads
from kinegraph.robot.model.model import Frame, Model, ModelState
from kinegraph.robot.model.native import NativeModelBackend
from kinegraph.robot.model.so_backend import SoModelBackend

__all__ = [
    "Frame",
    "Model",
    "ModelState",
    "NativeModelBackend",
    "RobotModelBackend",
    "SoModelBackend",
    "TotalLoad",
    "combine_loads",
]
