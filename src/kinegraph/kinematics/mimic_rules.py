"""Mimic rules in a tree: which joint a follower ends at, by which factor and offset."""

from collections.abc import Iterable, Mapping

from kinegraph.kinematics.joint_records import MimicRule
from kinegraph.kinematics.tree_layout import FIXED, FLOATS, KIND, MASTER, MULTIPLIER, SHIFT
from kinegraph.scene.array_types import Array, IntArray
from kinegraph.scene.errors import InvalidJointError, suggestion

__all__ = ["prefixed_rules", "resolve_mimics"]


def prefixed_rules(rules: Mapping[str, MimicRule], prefix: str) -> dict[str, MimicRule]:
    """Return rules with a prefix in front of all names."""
    return {
        prefix + follower: (prefix + master, factor, shift)
        for follower, (master, factor, shift) in rules.items()
    }


def resolve_mimics(
    names: Iterable[str],
    rules: Mapping[str, MimicRule],
    joint_rows: Mapping[str, int],
    numbers: Array,
    layout: IntArray,
    method: str,
) -> None:
    """Write master row, multiplier and offset of the followers named, chains resolved.

    Those on their ways are written too. Each rule is looked at once, however long the chains.

    Raises:
        InvalidJointError: A master that is unknown or does not move, or a circle. Also a
            `ValueError`.
    """
    done: dict[str, tuple[int, float, float]] = {}
    for first in names:
        name = first
        way: dict[str, None] = {}
        while name in rules and name not in done:
            if name in way:
                circle = " -> ".join([*way, name])
                raise InvalidJointError(f"{method}: mimic joints follow each other: {circle}")
            way[name] = None
            name = _moving_master(name, rules[name][0], joint_rows, layout, method)
        row, factor, shift = done.get(name) or (joint_rows[name], 1.0, 0.0)
        for follower in reversed(way):
            _, own_factor, own_shift = rules[follower]
            factor, shift = own_factor * factor, own_factor * shift + own_shift
            done[follower] = row, factor, shift
            own = joint_rows[follower]
            numbers[own, MULTIPLIER], numbers[own, SHIFT] = factor, shift
            layout[own, MASTER] = row


def _moving_master(
    name: str, master: str, joint_rows: Mapping[str, int], layout: IntArray, method: str
) -> str:
    """Return a follower's master, or raise `InvalidJointError` where that has no value."""
    row = joint_rows.get(master)
    if row is None:
        raise InvalidJointError(
            f"{method}: joint {name!r} mimics {master!r}, which is no joint"
            f"{suggestion(master, joint_rows)}"
        )
    if layout[row, KIND] in (FIXED, FLOATS):
        raise InvalidJointError(f"{method}: joint {name!r} mimics {master!r}, which has no value")
    return master
