"""The elements `group`, `group_state` and `group_tcps`."""

from collections.abc import Collection
from xml.etree.ElementTree import Element

from kinegraph.scene.errors import suggestion
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.markup.origin_reader import OriginReader
from kinegraph.scene.markup.place import Source
from kinegraph.scene.markup.values import numbers, required
from kinegraph.scene.srdf.kinematics_information import KinematicsInformation

CONTENTS = ("chain", "joint", "link")
VALUE: dict[str, float | None] = {"value": None}


def _name(source: Source, element: Element, attribute: str = "name") -> str:
    name = required(source, element, attribute)
    if not name:
        source.fail(element, "must not be empty", attribute, name)
    return name


def _existing(
    source: Source, element: Element, attribute: str, known: Collection[str], kind: str
) -> str:
    """Return a name that must be among the known ones."""
    name = required(source, element, attribute)
    if name not in known:
        close = suggestion(name, known)
        source.fail(element, f"is a {kind} that does not exist{close}", attribute, name)
    return name


def _children(source: Source, element: Element, tag: str) -> list[Element]:
    """Return the children of one kind; at least one must be there."""
    children = []
    for child in element:
        if child.tag == tag:
            children.append(child)
        else:
            source.ignore(child)
    if not children:
        source.fail(element, f"has no <{tag}>")
    return children


class GroupReader:
    """Reads groups (chains, joints or links), their states and their tool centre points."""

    def __init__(
        self, source: Source, graph: SceneGraph, information: KinematicsInformation
    ) -> None:
        self._source = source
        self._information = information
        self._origins = OriginReader(source)
        self._known: dict[str, Collection[str]] = {"link": graph._links, "joint": graph._joints}
        self._kinds: dict[str, str] = {}

    def read_group(self, element: Element) -> None:
        """Add the group of an element; one of the same name and kind is replaced."""
        source = self._source
        name = _name(source, element)
        kind = self._kind(element)
        if self._kinds.setdefault(name, kind) != kind:
            reason = f"is the name of a group of {self._kinds[name]}s too"
            source.fail(element, reason, "name", name)
        children = _children(source, element, kind)
        if kind == "chain":
            self._information.addChainGroup(name, [self._chain(child) for child in children])
        elif kind == "joint":
            joints = [self._existing(child, "name", "joint") for child in children]
            self._information.addJointGroup(name, joints)
        else:
            links = [self._existing(child, "name", "link") for child in children]
            self._information.addLinkGroup(name, links)

    def _kind(self, element: Element) -> str:
        kinds = {child.tag for child in element} & set(CONTENTS)
        if len(kinds) == 1:
            return kinds.pop()
        if kinds:
            self._source.fail(
                element, f"mixes {' and '.join(sorted(kinds))} elements; one kind is expected"
            )
        hint = " (groups of groups are not read)" if element.find("group") is not None else ""
        self._source.fail(element, f"has no <chain>, <joint> or <link>{hint}")

    def _chain(self, element: Element) -> tuple[str, str]:
        base = self._existing(element, "base_link", "link")
        return base, self._existing(element, "tip_link", "link")

    def _existing(self, element: Element, attribute: str, kind: str) -> str:
        return _existing(self._source, element, attribute, self._known[kind], kind)

    def read_state(self, element: Element) -> None:
        """Add the state of a `group_state`; one of the same group and name is replaced."""
        source = self._source
        name = _name(source, element)
        group = _existing(source, element, "group", self._information.group_names, "group")
        values = {}
        for child in _children(source, element, "joint"):
            joint = self._existing(child, "name", "joint")
            (values[joint],) = numbers(source, child, VALUE)
        self._information.addGroupJointState(group, name, values)

    def read_tcps(self, element: Element) -> None:
        """Add the tool centre points of a `group_tcps`; the group need not exist."""
        source = self._source
        group = _name(source, element, "group")
        for child in _children(source, element, "tcp"):
            name = _name(source, child)
            required(source, child, "xyz")
            if child.get("rpy") is None and child.get("wxyz") is None:
                source.fail(child, "needs rpy or wxyz")
            self._information.addGroupTCP(group, name, self._origins.read(child))
