"""SRDF: what a robot's links and joints mean to planners."""

from kinegraph.scene.srdf.calibration import CalibrationInfo
from kinegraph.scene.srdf.collision_margins import CollisionMarginData
from kinegraph.scene.srdf.kinematics_information import KinematicsInformation
from kinegraph.scene.srdf.model import SRDFModel, processSRDFAllowedCollisions
from kinegraph.scene.srdf.plugin_info import (
    ContactManagersPluginInfo,
    KinematicsPluginInfo,
    PluginInfo,
    PluginInfoContainer,
)

__all__ = [
    "CalibrationInfo",
    "CollisionMarginData",
    "ContactManagersPluginInfo",
    "KinematicsInformation",
    "KinematicsPluginInfo",
    "PluginInfo",
    "PluginInfoContainer",
    "SRDFModel",
    "processSRDFAllowedCollisions",
]
