"""What there is: links, joints, the scene graph, its descriptions and poses.

Everything public is imported from here, each part when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinegraph.scene.allowed_collisions import AllowedCollisionMatrix
    from kinegraph.scene.bridges import (
        PinocchioOrder,
        from_pinocchio,
        from_tesseract,
        match_pinocchio,
        to_pinocchio,
        to_tesseract,
    )
    from kinegraph.scene.errors import (
        InvalidGeometryError,
        InvalidInertialError,
        InvalidJointError,
        InvalidLimitError,
        InvalidNameError,
        KinegraphError,
        LengthError,
        NoPathError,
        NotFiniteError,
        NotRigidError,
        SealedError,
        ShapeError,
        SRDFError,
        TreeError,
        UnknownJointError,
        UnknownLinkError,
        UnknownNameError,
        UnsupportedError,
        URDFError,
        WrongTypeError,
    )
    from kinegraph.scene.geometry import (
        Box,
        Capsule,
        Cone,
        Cylinder,
        Geometry,
        GeometryType,
        Mesh,
        Octree,
        Plane,
        SignedDistanceField,
        Sphere,
    )
    from kinegraph.scene.graph import SceneGraph, ShortestPath
    from kinegraph.scene.joint import (
        Joint,
        JointType,
        JointType_CONTINUOUS,
        JointType_FIXED,
        JointType_FLOATING,
        JointType_PLANAR,
        JointType_PRISMATIC,
        JointType_REVOLUTE,
        JointType_UNKNOWN,
    )
    from kinegraph.scene.joint_parts import (
        JointCalibration,
        JointDynamics,
        JointLimits,
        JointMimic,
        JointSafety,
        PositionBasedVelocityLimits,
    )
    from kinegraph.scene.link import Link
    from kinegraph.scene.link_parts import Collision, Inertial, Material, Visual
    from kinegraph.scene.pose import Isometry3d, TransformLike, as_isometry
    from kinegraph.scene.resources import GeneralResourceLocator, ResourceLocator
    from kinegraph.scene.srdf import (
        CalibrationInfo,
        CollisionMarginData,
        ContactManagersPluginInfo,
        KinematicsInformation,
        KinematicsPluginInfo,
        PluginInfo,
        PluginInfoContainer,
        SRDFModel,
        processSRDFAllowedCollisions,
    )
    from kinegraph.scene.urdf import (
        parseURDFFile,
        parseURDFString,
        writeURDFFile,
        writeURDFString,
    )

_NAMES = {
    "allowed_collisions": ("AllowedCollisionMatrix",),
    "bridges": (
        "PinocchioOrder",
        "from_pinocchio",
        "from_tesseract",
        "match_pinocchio",
        "to_pinocchio",
        "to_tesseract",
    ),
    "errors": (
        "InvalidGeometryError",
        "InvalidInertialError",
        "InvalidJointError",
        "InvalidLimitError",
        "InvalidNameError",
        "KinegraphError",
        "LengthError",
        "NoPathError",
        "NotFiniteError",
        "NotRigidError",
        "SRDFError",
        "SealedError",
        "ShapeError",
        "TreeError",
        "URDFError",
        "UnknownJointError",
        "UnknownLinkError",
        "UnknownNameError",
        "UnsupportedError",
        "WrongTypeError",
    ),
    "geometry": (
        "Box",
        "Capsule",
        "Cone",
        "Cylinder",
        "Geometry",
        "GeometryType",
        "Mesh",
        "Octree",
        "Plane",
        "SignedDistanceField",
        "Sphere",
    ),
    "graph": ("SceneGraph", "ShortestPath"),
    "joint": (
        "Joint",
        "JointType",
        "JointType_CONTINUOUS",
        "JointType_FIXED",
        "JointType_FLOATING",
        "JointType_PLANAR",
        "JointType_PRISMATIC",
        "JointType_REVOLUTE",
        "JointType_UNKNOWN",
    ),
    "joint_parts": (
        "JointCalibration",
        "JointDynamics",
        "JointLimits",
        "JointMimic",
        "JointSafety",
        "PositionBasedVelocityLimits",
    ),
    "link": ("Link",),
    "link_parts": ("Collision", "Inertial", "Material", "Visual"),
    "pose": ("Isometry3d", "TransformLike", "as_isometry"),
    "resources": ("GeneralResourceLocator", "ResourceLocator"),
    "srdf": (
        "CalibrationInfo",
        "CollisionMarginData",
        "ContactManagersPluginInfo",
        "KinematicsInformation",
        "KinematicsPluginInfo",
        "PluginInfo",
        "PluginInfoContainer",
        "SRDFModel",
        "processSRDFAllowedCollisions",
    ),
    "urdf": ("parseURDFFile", "parseURDFString", "writeURDFFile", "writeURDFString"),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "AllowedCollisionMatrix",
    "Box",
    "CalibrationInfo",
    "Capsule",
    "Collision",
    "CollisionMarginData",
    "Cone",
    "ContactManagersPluginInfo",
    "Cylinder",
    "GeneralResourceLocator",
    "Geometry",
    "GeometryType",
    "Inertial",
    "InvalidGeometryError",
    "InvalidInertialError",
    "InvalidJointError",
    "InvalidLimitError",
    "InvalidNameError",
    "Isometry3d",
    "Joint",
    "JointCalibration",
    "JointDynamics",
    "JointLimits",
    "JointMimic",
    "JointSafety",
    "JointType",
    "JointType_CONTINUOUS",
    "JointType_FIXED",
    "JointType_FLOATING",
    "JointType_PLANAR",
    "JointType_PRISMATIC",
    "JointType_REVOLUTE",
    "JointType_UNKNOWN",
    "KinegraphError",
    "KinematicsInformation",
    "KinematicsPluginInfo",
    "LengthError",
    "Link",
    "Material",
    "Mesh",
    "NoPathError",
    "NotFiniteError",
    "NotRigidError",
    "Octree",
    "PinocchioOrder",
    "Plane",
    "PluginInfo",
    "PluginInfoContainer",
    "PositionBasedVelocityLimits",
    "ResourceLocator",
    "SRDFError",
    "SRDFModel",
    "SceneGraph",
    "SealedError",
    "ShapeError",
    "ShortestPath",
    "SignedDistanceField",
    "Sphere",
    "TransformLike",
    "TreeError",
    "URDFError",
    "UnknownJointError",
    "UnknownLinkError",
    "UnknownNameError",
    "UnsupportedError",
    "Visual",
    "WrongTypeError",
    "as_isometry",
    "from_pinocchio",
    "from_tesseract",
    "match_pinocchio",
    "parseURDFFile",
    "parseURDFString",
    "processSRDFAllowedCollisions",
    "to_pinocchio",
    "to_tesseract",
    "writeURDFFile",
    "writeURDFString",
]


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
