"""`SRDFModel` to SRDF text, exactly, in a defined order.

Groups, states, tool centre points and plugins keep the order in which they were added; pairs of
links are sorted.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from kinegraph.scene.arguments import check_number
from kinegraph.scene.errors import SRDFError
from kinegraph.scene.markup.files import replace_file
from kinegraph.scene.markup.origin_writer import full_placement
from kinegraph.scene.markup.place import LOGGER
from kinegraph.scene.markup.writing import (
    Attributes,
    UnwritableTextError,
    element,
    exact,
    robot_document,
)
from kinegraph.scene.srdf.collision_margins import CollisionMarginData
from kinegraph.scene.srdf.config_data import (
    Node,
    read_calibration,
    read_contact_managers,
    read_kinematics,
    write_calibration,
    write_contact_managers,
    write_kinematics,
)
from kinegraph.scene.srdf.kinematics_information import KinematicsInformation
from kinegraph.scene.srdf.model import SRDFModel
from kinegraph.scene.srdf.yaml_text import YamlError, dump_yaml

READERS: dict[str, Callable[[Node], object]] = {
    "kinematics_plugin_config": read_kinematics,
    "calibration_config": read_calibration,
    "contact_managers_plugin_config": read_contact_managers,
}


def save(model: SRDFModel, path: Path) -> bool:
    """Write the files of a model; see `SRDFModel.saveToFile`."""
    try:
        configs = _configs(model, path.stem)
        contents = {path.with_name(name): text for _, name, text in configs}
        contents[path] = _text(model, [(tag, name) for tag, name, _ in configs])
    except (UnwritableTextError, YamlError) as error:
        raise SRDFError(f"{path}: cannot be written: {error}", file=str(path)) from error
    except (AttributeError, TypeError) as error:  # fields can be set to anything
        reason = f"a field of the model has the wrong type: {error}"
        raise SRDFError(f"{path}: cannot be written: {reason}", file=str(path)) from error
    try:
        for file, text in contents.items():
            replace_file(file, text.encode())
    except (OSError, ValueError) as error:
        LOGGER.error("%s: cannot be written: %s", path, error)
        return False
    return True


def _configs(model: SRDFModel, stem: str) -> list[tuple[str, str, str]]:
    """Return element, file name and text of each file beside the SRDF."""
    kinematics = model.kinematics_information.kinematics_plugin_info
    data: dict[str, Any] = {}
    if not kinematics.empty():
        data["kinematics_plugin_config"] = write_kinematics(kinematics)
    if not model.calibration_info.empty():
        data["calibration_config"] = write_calibration(model.calibration_info)
    if not model.contact_managers_plugin_info.empty():
        data["contact_managers_plugin_config"] = write_contact_managers(
            model.contact_managers_plugin_info
        )
    for tag, content in data.items():
        READERS[tag](Node(content, tag))  # what no reader would take is not written
    return [(tag, f"{stem}_{tag}.yaml", dump_yaml(content)) for tag, content in data.items()]


def _text(model: SRDFModel, configs: Iterable[tuple[str, str]]) -> str:
    parts = list(model.version)
    if len(parts) != 3 or any(type(part) is not int or not 0 <= part < 10**9 for part in parts):
        raise SRDFError(f"an SRDF's version has three whole numbers, not {model.version!r:.100}")
    version = ".".join(map(str, parts))
    information = model.kinematics_information
    children = [
        *_groups(information),
        *_states(information),
        *_tcps(information),
        *(element(tag, [("filename", name)]) for tag, name in configs),
        *_allowed_collisions(model),
        *_margins(model.collision_margin_data),
    ]
    return robot_document(model.name, [("version", version)], children)


def _groups(information: KinematicsInformation) -> list[str]:
    chains = {
        name: [element("chain", [("base_link", a), ("tip_link", b)]) for a, b in group]
        for name, group in information.chain_groups.items()
    }
    joints = _members("joint", information.joint_groups)
    links = _members("link", information.link_groups)
    groups: list[str] = []
    written: set[str] = set()
    for kind in (chains, joints, links):
        for name, members in kind.items():
            if name in written:
                raise SRDFError(f"group {name!r:.100} is of two kinds, which SRDF cannot hold")
            written.add(name)
            groups.append(_filled("group", [("name", name)], members))
    if nameless := sorted(information.group_names ^ written):
        raise SRDFError(f"group_names and the groups do not agree: {nameless!r:.200}")
    return groups


def _members(tag: str, groups: dict[str, list[str]]) -> dict[str, list[str]]:
    return {
        name: [element(tag, [("name", member)]) for member in members]
        for name, members in groups.items()
    }


def _filled(tag: str, attributes: Attributes, children: list[str]) -> str:
    """Return an element with children; without any, no reader would take it."""
    if not children:
        named = " ".join(repr(value) for _, value in attributes)
        raise SRDFError(f"{tag} {named:.200} is empty, which SRDF cannot hold")
    return element(tag, attributes, children)


def _states(information: KinematicsInformation) -> list[str]:
    if groupless := sorted(information.group_states.keys() - information.group_names):
        raise SRDFError(f"states of groups that do not exist: {groupless!r:.200}")
    return [
        _filled(
            "group_state",
            [("name", state), ("group", group)],
            [_joint_value(joint, value, f"state {state!r}") for joint, value in values.items()],
        )
        for group, states in information.group_states.items()
        for state, values in states.items()
    ]


def _tcps(information: KinematicsInformation) -> list[str]:
    return [
        _filled(
            "group_tcps",
            [("group", group)],
            [element("tcp", [("name", name), *full_placement(T)]) for name, T in tcps.items()],
        )
        for group, tcps in information.group_tcps.items()
    ]


def _joint_value(joint: str, value: float, state: str) -> str:
    try:
        check_number(value, f"{state}: joint {joint!r}")
    except (TypeError, ValueError) as error:
        raise SRDFError(str(error)) from error
    return element("joint", [("name", joint), ("value", exact(value))])


def _allowed_collisions(model: SRDFModel) -> list[str]:
    return [
        element("disable_collisions", [("link1", a), ("link2", b), ("reason", reason)])
        for (a, b), reason in sorted(model.acm.getAllAllowedCollisions().items())
    ]


def _margins(margins: CollisionMarginData | None) -> list[str]:
    if margins is None:
        return []
    pairs = [
        element("pair_margin", [("link1", a), ("link2", b), ("margin", exact(margin))])
        for (a, b), margin in sorted(margins.getPairCollisionMargins().items())
    ]
    default = exact(margins.getDefaultCollisionMargin())
    return [element("collision_margins", [("default_margin", default)], pairs)]
