"""Groups of joints, their named states and their tool centre points."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field

from kinegraph.scene.arguments import check_entries, check_kind, check_number, check_text
from kinegraph.scene.errors import UnknownNameError, WrongTypeError
from kinegraph.scene.names import checked_name
from kinegraph.scene.pose import Isometry3d, TransformLike, as_isometry
from kinegraph.scene.srdf.comparing import same_maps, same_poses, same_values
from kinegraph.scene.srdf.plugin_info import KinematicsPluginInfo

GROUP, STATE, TCP = "a group's name", "a state's name", "a tcp's name"


@dataclass(slots=True, eq=False)
class KinematicsInformation:
    """What planners know about groups of joints.

    Attributes:
        group_names: The names of all groups.
        chain_groups: Per group its chains, each as (base link, tip link).
        joint_groups: Per group its joints.
        link_groups: Per group its links.
        group_states: Per group and state the joints' values, rad or m.
        group_tcps: Per group and tool centre point its pose in the tip link's frame.
        kinematics_plugin_info: Solvers to load.
    """

    group_names: set[str] = field(default_factory=set)
    chain_groups: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    joint_groups: dict[str, list[str]] = field(default_factory=dict)
    link_groups: dict[str, list[str]] = field(default_factory=dict)
    group_states: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    group_tcps: dict[str, dict[str, Isometry3d]] = field(default_factory=dict)
    kinematics_plugin_info: KinematicsPluginInfo = field(default_factory=KinematicsPluginInfo)

    __hash__ = None  # type: ignore[assignment]

    def insert(self, other: "KinematicsInformation") -> None:
        """Take over everything of another one; of the same name, its things win."""
        copy = deepcopy(check_kind(other, KinematicsInformation, "insert"))
        self.group_names |= copy.group_names
        self.chain_groups.update(copy.chain_groups)
        self.joint_groups.update(copy.joint_groups)
        self.link_groups.update(copy.link_groups)
        for group, states in copy.group_states.items():
            self.group_states.setdefault(group, {}).update(states)
        for group, tcps in copy.group_tcps.items():
            self.group_tcps.setdefault(group, {}).update(tcps)
        self.kinematics_plugin_info.insert(copy.kinematics_plugin_info)

    def clear(self) -> None:
        """Remove everything."""
        self.group_names.clear()
        self.chain_groups.clear()
        self.joint_groups.clear()
        self.link_groups.clear()
        self.group_states.clear()
        self.group_tcps.clear()
        self.kinematics_plugin_info.clear()

    def hasGroup(self, group_name: str) -> bool:
        """Tell whether there is a group of any kind."""
        return check_text(group_name, GROUP) in self.group_names

    def addChainGroup(self, group_name: str, chain_group: Iterable[tuple[str, str]]) -> None:
        """Add a group of chains, or replace the one of that name.

        Args:
            group_name: The group.
            chain_group: Its chains, each as (base link, tip link).

        Raises:
            WrongTypeError: A name is no str. Also a `TypeError`.
            InvalidNameError: A name is empty. Also a `ValueError`.
        """
        checked_name(group_name, "group")
        chains = []
        for chain in check_entries(chain_group, f"chains of group {group_name!r}"):
            links = check_entries(chain, f"group {group_name!r}: a chain")
            if len(links) != 2:
                raise WrongTypeError(f"group {group_name!r}: {chain!r:.100} is no pair of links")
            base, tip = (checked_name(name, f"group {group_name!r}") for name in links)
            chains.append((base, tip))
        self.chain_groups[group_name] = chains
        self.group_names.add(group_name)

    def removeChainGroup(self, group_name: str) -> None:
        """Remove a group of chains, if there is one."""
        self.chain_groups.pop(check_text(group_name, GROUP), None)
        self._forget(group_name)

    def hasChainGroup(self, group_name: str) -> bool:
        """Tell whether there is a group of chains."""
        return check_text(group_name, GROUP) in self.chain_groups

    def addJointGroup(self, group_name: str, joint_group: Iterable[str]) -> None:
        """Add a group of joints, or replace the one of that name; raises as `addChainGroup`."""
        self.joint_groups[checked_name(group_name, "group")] = _names(joint_group, group_name)
        self.group_names.add(group_name)

    def removeJointGroup(self, group_name: str) -> None:
        """Remove a group of joints, if there is one."""
        self.joint_groups.pop(check_text(group_name, GROUP), None)
        self._forget(group_name)

    def hasJointGroup(self, group_name: str) -> bool:
        """Tell whether there is a group of joints."""
        return check_text(group_name, GROUP) in self.joint_groups

    def addLinkGroup(self, group_name: str, link_group: Iterable[str]) -> None:
        """Add a group of links, or replace the one of that name; raises as `addChainGroup`."""
        self.link_groups[checked_name(group_name, "group")] = _names(link_group, group_name)
        self.group_names.add(group_name)

    def removeLinkGroup(self, group_name: str) -> None:
        """Remove a group of links, if there is one."""
        self.link_groups.pop(check_text(group_name, GROUP), None)
        self._forget(group_name)

    def hasLinkGroup(self, group_name: str) -> bool:
        """Tell whether there is a group of links."""
        return check_text(group_name, GROUP) in self.link_groups

    def _forget(self, group_name: str) -> None:
        """Drop a name that no kind of group has any more."""
        if not any(
            group_name in groups
            for groups in (self.chain_groups, self.joint_groups, self.link_groups)
        ):
            self.group_names.discard(group_name)

    def addGroupJointState(
        self, group_name: str, state_name: str, joint_state: Mapping[str, float]
    ) -> None:
        """Add a named state of a group, or replace the one of that name.

        Args:
            group_name: The group; it need not exist.
            state_name: The state.
            joint_state: Values by joint, rad or m.

        Raises:
            WrongTypeError: A name is no str, or a value no number. Also a `TypeError`.
            InvalidNameError: A name is empty. Also a `ValueError`.
            NotFiniteError: A value is NaN or infinite. Also a `ValueError`.
        """
        checked_name(group_name, "group")
        checked_name(state_name, f"state of group {group_name!r}")
        if not isinstance(joint_state, Mapping):
            raise WrongTypeError(f"a state is a dict of values by joint, not {joint_state!r:.100}")
        for joint, value in joint_state.items():
            checked_name(joint, f"state {state_name!r} of group {group_name!r}")
            check_number(value, f"state {state_name!r} of group {group_name!r}: joint {joint!r}")
        values = {joint: float(value) for joint, value in joint_state.items()}
        self.group_states.setdefault(group_name, {})[state_name] = values

    def removeGroupJointState(self, group_name: str, state_name: str) -> None:
        """Remove a state, if there is one; with its last state the group's entry goes too."""
        states = self.group_states.get(check_text(group_name, GROUP), {})
        states.pop(check_text(state_name, STATE), None)
        if not states:
            self.group_states.pop(group_name, None)

    def hasGroupJointState(self, group_name: str, state_name: str) -> bool:
        """Tell whether a group has a state."""
        states = self.group_states.get(check_text(group_name, GROUP), {})
        return check_text(state_name, STATE) in states

    def addGroupTCP(self, group_name: str, tcp_name: str, tcp: TransformLike) -> None:
        """Add a tool centre point of a group, or replace the one of that name.

        Args:
            group_name: The group; it need not exist.
            tcp_name: The tool centre point.
            tcp: Its pose in the tip link's frame.

        Raises:
            WrongTypeError: A name is no str. Also a `TypeError`.
            InvalidNameError: A name is empty. Also a `ValueError`.
            NotRigidError, NotFiniteError, ShapeError: No rigid transform. Also `ValueError`.
        """
        checked_name(group_name, "group")
        checked_name(tcp_name, f"tcp of group {group_name!r}")
        pose = as_isometry(tcp, f"tcp {tcp_name!r} of group {group_name!r}")
        self.group_tcps.setdefault(group_name, {})[tcp_name] = pose

    def removeGroupTCP(self, group_name: str, tcp_name: str) -> None:
        """Remove a tool centre point; with its last one the group's entry goes too.

        Raises:
            UnknownNameError: The group has no tool centre points. Also a `KeyError`.
        """
        if check_text(group_name, GROUP) not in self.group_tcps:
            raise UnknownNameError("group with tcps", group_name, self.group_tcps)
        tcps = self.group_tcps[group_name]
        tcps.pop(check_text(tcp_name, TCP), None)
        if not tcps:
            del self.group_tcps[group_name]

    def hasGroupTCP(self, group_name: str, tcp_name: str) -> bool:
        """Tell whether a group has a tool centre point."""
        tcps = self.group_tcps.get(check_text(group_name, GROUP), {})
        return check_text(tcp_name, TCP) in tcps

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, KinematicsInformation):
            return NotImplemented
        return (
            self.group_names == other.group_names
            and self.chain_groups == other.chain_groups
            and same_maps(self.joint_groups, other.joint_groups, _same_names)
            and same_maps(self.link_groups, other.link_groups, _same_names)
            and same_maps(self.group_states, other.group_states, _same_states)
            and same_maps(self.group_tcps, other.group_tcps, same_poses)
            and self.kinematics_plugin_info == other.kinematics_plugin_info
        )


def _names(names: Iterable[str], group_name: str) -> list[str]:
    entries = check_entries(names, f"group {group_name!r}: the names")
    return [checked_name(name, f"group {group_name!r}") for name in entries]


def _same_names(one: list[str], other: list[str]) -> bool:
    return sorted(one) == sorted(other)


def _same_states(one: dict[str, dict[str, float]], other: dict[str, dict[str, float]]) -> bool:
    return same_maps(one, other, same_values)
