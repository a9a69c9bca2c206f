"""A small robot for SRDF tests, and a model with something in every field."""

from typing import Any

from kinegraph.scene import (
    CalibrationInfo,
    CollisionMarginData,
    Isometry3d,
    PluginInfo,
    PluginInfoContainer,
    SceneGraph,
    SRDFModel,
    parseURDFString,
)

ROBOT = (
    '<robot name="r"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>'
    '<joint name="j1" type="continuous"><parent link="a"/><child link="b"/></joint>'
    '<joint name="j2" type="continuous"><parent link="b"/><child link="c"/></joint>'
    '<joint name="j3" type="fixed"><parent link="c"/><child link="d"/></joint></robot>'
)


def small_robot() -> SceneGraph:
    """Links a to d in a row, joints j1 and j2 continuous, j3 fixed."""
    return parseURDFString(ROBOT)


def srdf(body: str, attributes: str = 'name="r" version="1.0.0"') -> str:
    return f"<robot {attributes}>{body}</robot>"


def read_srdf(text: Any, locator: Any = None) -> SRDFModel:
    model = SRDFModel()
    model.initString(small_robot(), text, locator)
    return model


def full_model() -> SRDFModel:
    """A model with something in every field, with numbers of many digits."""
    model = SRDFModel("r", [1, 2, 3])
    info = model.kinematics_information
    info.addChainGroup("chain", [("a", "c"), ("c", "d")])
    info.addJointGroup("joints", ["j2", "j1"])
    info.addLinkGroup("links", ["d", "a"])
    info.addGroupJointState("chain", "home", {"j2": 1 / 3, "j1": -1e-17})
    info.addGroupJointState("chain", "out", {"j1": 2.0})
    info.addGroupTCP("chain", "tip", Isometry3d.from_rpy([0.1, 1 / 3, -2e-9], [1, 0.2, -3]))
    info.addGroupTCP("elsewhere", "same", Isometry3d.Identity())
    solver = PluginInfo("KDLInvKinChainLMAFactory", {"base_link": "a", "tips": ["c", "d"]})
    other = PluginInfo("Other", {"tolerance": 1e-7, "tries": 3, "fast": True, "more": None})
    container = PluginInfoContainer("KDL", {"KDL": solver, "Other": other, "Bare": PluginInfo("B")})
    info.kinematics_plugin_info.search_paths += ["/usr/local/lib"]
    info.kinematics_plugin_info.search_libraries += ["tesseract_kinematics_kdl_factory"]
    info.kinematics_plugin_info.inv_plugin_infos["chain"] = container
    info.kinematics_plugin_info.fwd_plugin_infos["chain"] = PluginInfoContainer("", {"F": other})
    model.contact_managers_plugin_info.search_libraries += ["contact"]
    model.contact_managers_plugin_info.discrete_plugin_infos.plugins["Bullet"] = PluginInfo("C")
    model.acm.addAllowedCollision("b", "a", "Adjacent")
    model.acm.addAllowedCollision("c", "a", 'Never & "ever" <')
    model.collision_margin_data = CollisionMarginData(0.025, {("c", "a"): 1 / 3, ("a", "b"): -0.1})
    T = Isometry3d.from_quaternion([1, 2, 3], [0.5, 0.5, 0.5, 0.5])
    model.calibration_info = CalibrationInfo(
        {"j1": T, "j3": Isometry3d.from_rpy([0, 0, 1], [1, 2, 3])}
    )
    return model
