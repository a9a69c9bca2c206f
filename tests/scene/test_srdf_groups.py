"""Adding, finding and removing groups, states and tool centre points by hand."""

from typing import Any

import numpy as np
import pytest
from srdf_texts import full_model

from kinegraph.scene import (
    Isometry3d,
    KinematicsInformation,
    KinematicsPluginInfo,
    PluginInfo,
    PluginInfoContainer,
)

KINDS = {"Chain": [("a", "b")], "Joint": ["j1"], "Link": ["a"]}


def call(info: KinematicsInformation, verb: str, kind: str, *arguments: Any) -> Any:
    return getattr(info, f"{verb}{kind}Group")(*arguments)


@pytest.mark.parametrize("kind", KINDS)
def test_a_group_is_added_found_and_removed(kind: Any) -> None:
    info = KinematicsInformation()
    call(info, "add", kind, "g", KINDS[kind])
    assert info.hasGroup("g")
    assert [call(info, "has", other, "g") for other in KINDS] == [k == kind for k in KINDS]
    call(info, "remove", kind, "g")
    assert info == KinematicsInformation()
    call(info, "remove", kind, "g")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_removing_another_kind_keeps_the_name(kind: Any, other: Any) -> None:
    info = KinematicsInformation()
    call(info, "add", kind, "g", KINDS[kind])
    call(info, "remove", other, "g")
    assert info.hasGroup("g") == (kind != other)
    call(info, "add", kind, "g", KINDS[kind])
    call(info, "add", other, "g", KINDS[other])
    call(info, "remove", other, "g")
    assert info.hasGroup("g") == (kind != other)


def test_groups_are_copies_of_what_was_given() -> None:
    info, joints = KinematicsInformation(), ["j1"]
    info.addJointGroup("g", joints)
    joints.append("j2")
    assert info.joint_groups == {"g": ["j1"]}
    info.addJointGroup("g", ("j3",))
    assert info.joint_groups == {"g": ["j3"]}


def test_states_and_tcps_come_and_go() -> None:
    info = KinematicsInformation()
    info.addGroupJointState("g", "s", {"j1": 1})
    info.addGroupJointState("g", "t", {"j1": np.float64(2.0)})
    info.addGroupTCP("g", "tip", np.eye(4))
    info.addGroupTCP("g", "top", Isometry3d.Identity())
    assert info.hasGroupJointState("g", "s")
    assert not info.hasGroupJointState("h", "s")
    assert info.hasGroupTCP("g", "tip")
    assert not info.hasGroupTCP("h", "tip")
    info.removeGroupJointState("g", "s")
    info.removeGroupTCP("g", "tip")
    assert info.group_states == {"g": {"t": {"j1": 2.0}}}
    assert list(info.group_tcps["g"]) == ["top"]
    info.removeGroupJointState("g", "t")
    info.removeGroupTCP("g", "top")
    assert info == KinematicsInformation()
    info.removeGroupJointState("g", "t")


BAD: dict[str, Any] = {
    "a group without a name": lambda i: i.addJointGroup("", ["j1"]),
    "a group named by a number": lambda i: i.addLinkGroup(3, ["a"]),
    "a name in the place of a list": lambda i: i.addJointGroup("g", "j1"),
    "an empty joint": lambda i: i.addJointGroup("g", ["j1", ""]),
    "a chain of three": lambda i: i.addChainGroup("g", [("a", "b", "c")]),
    "a chain of two letters": lambda i: i.addChainGroup("g", ["ab"]),
    "a state with a text": lambda i: i.addGroupJointState("g", "s", {"j1": "1"}),
    "a state with nan": lambda i: i.addGroupJointState("g", "s", {"j1": float("nan")}),
    "a state without a name": lambda i: i.addGroupJointState("g", "", {"j1": 1.0}),
    "a tcp that scales": lambda i: i.addGroupTCP("g", "t", 2 * np.eye(4)),
    "a tcp that is none": lambda i: i.addGroupTCP("g", "t", None),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_values_are_refused_and_change_nothing(name: Any) -> None:
    info = full_model().kinematics_information
    with pytest.raises((ValueError, TypeError)):
        BAD[name](info)
    assert info == full_model().kinematics_information


def test_inserting_takes_over_everything_and_the_later_wins() -> None:
    info, other = full_model().kinematics_information, KinematicsInformation()
    other.addChainGroup("chain", [("b", "d")])
    other.addJointGroup("new", ["j1"])
    other.addGroupJointState("chain", "home", {"j1": 7.0})
    other.addGroupJointState("new", "s", {"j1": 8.0})
    other.addGroupTCP("chain", "tip", np.eye(4))
    info.insert(other)
    assert info.group_names == {"chain", "joints", "links", "new"}
    assert info.chain_groups["chain"] == [("b", "d")]
    assert info.group_states["chain"] == {"home": {"j1": 7.0}, "out": {"j1": 2.0}}
    assert info.group_states["new"] == {"s": {"j1": 8.0}}
    assert info.group_tcps["chain"]["tip"] == Isometry3d.Identity()
    other.group_states["new"]["s"]["j1"] = 9.0
    other.joint_groups["new"].append("j2")
    assert info.group_states["new"] == {"s": {"j1": 8.0}}
    assert info.joint_groups["new"] == ["j1"]


def test_inserted_plugins_join_those_of_their_group() -> None:
    def plugins(default: str, **classes: str) -> KinematicsPluginInfo:
        entries = {name: PluginInfo(cls, {"n": 1}) for name, cls in classes.items()}
        return KinematicsPluginInfo(
            ["/lib", "/" + default], [], {}, {"g": PluginInfoContainer(default, entries)}
        )

    info, other = plugins("x", x="X", z="Z"), plugins("y", y="Y", z="New")
    info.insert(other)
    assert info.search_paths == ["/lib", "/x", "/y"]
    assert info.inv_plugin_infos["g"].default_plugin == "y"
    classes = {k: plugin.class_name for k, plugin in info.inv_plugin_infos["g"].plugins.items()}
    assert classes == {"x": "X", "z": "New", "y": "Y"}
    other.inv_plugin_infos["g"].plugins["y"].config["n"] = 2
    assert info.inv_plugin_infos["g"].plugins["y"].config == {"n": 1}
    assert not info.empty()
    info.clear()
    assert info.empty()


def test_clear_removes_everything() -> None:
    info = full_model().kinematics_information
    info.clear()
    assert info == KinematicsInformation()
    assert info.kinematics_plugin_info.empty()
