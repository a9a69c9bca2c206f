"""From what an SRDF says about a group to the joints of the group."""

from collections.abc import Iterable

from kinegraph.kinematics.chain import plan_chain
from kinegraph.kinematics.solver import StateSolver
from kinegraph.scene.errors import UnknownLinkError, UnknownNameError, WrongTypeError
from kinegraph.scene.srdf import KinematicsInformation, SRDFModel

__all__ = ["chain_joints", "srdf_group_joints"]


def chain_joints(solver: StateSolver, base_link: str, tip_link: str) -> tuple[str, ...]:
    """Return the active joints that move the tip in the base, from base to tip.

    Raises:
        UnknownLinkError: One of them is not a link. Also a `KeyError`.
    """
    return plan_chain(solver, tip_link, None, base_link).joint_names


def srdf_group_joints(
    solver: StateSolver, group_name: str, srdf: SRDFModel | KinematicsInformation
) -> tuple[str, ...]:
    """Return the active joints of an SRDF group.

    Of a group of joints those that are active, in the order of the file: fixed joints, which the
    format allows, and mimic joints that follow have no value. Of chains the joints of each in turn.
    Of a group of links the joints that carry them.

    Raises:
        UnknownNameError: There is no such group. Also a `KeyError`.
        UnknownNameError: A joint of the group does not exist in the solver. Also a `KeyError`.
        UnknownLinkError: A link of the group does not exist in the solver. Also a `KeyError`.
        WrongTypeError: No SRDF. Also a `TypeError`.
    """
    information = srdf.kinematics_information if isinstance(srdf, SRDFModel) else srdf
    if not isinstance(information, KinematicsInformation):
        raise WrongTypeError(f"group {group_name!r}: an SRDFModel is needed, not {srdf!r:.100}")
    tree = solver.flat_state.tree
    if group_name in information.chain_groups:
        return _unique(
            name
            for base, tip in information.chain_groups[group_name]
            for name in chain_joints(solver, base, tip)
        )
    if group_name in information.joint_groups:
        names = information.joint_groups[group_name]
        for name in names:
            if name not in tree.joint_rows:
                raise UnknownNameError("joint", name, tree.joint_rows)
        return _unique(name for name in names if name in tree.columns)
    if group_name in information.link_groups:
        links = information.link_groups[group_name]
        for link in links:
            if link not in tree.link_rows:
                raise UnknownLinkError(link, tree.link_rows)
        carriers = (
            tree.joint_names[tree.link_rows[link] - 1] for link in links if _carried(solver, link)
        )
        return _unique(name for name in carriers if name in tree.columns)
    raise UnknownNameError("group", group_name, sorted(information.group_names))


def _carried(solver: StateSolver, link: str) -> bool:
    return link != solver.getBaseLinkName()


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
