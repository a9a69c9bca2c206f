"""From a scene to the packed constants of the dynamics kernels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegraph.kinematics.chain import link_row
from kinegraph.kinematics.dynamics_layout import (
    BODY,
    COLUMN,
    HEADER,
    INERTIA,
    N_BODIES,
    N_COLUMNS,
    PARENT,
    POSITION,
    RATIO,
    ROTATION,
    SHIFT,
    TIP_BODY,
    TIP_POSITION,
    TIP_ROTATION,
    TURNS,
    dynamics_workspace,
)
from kinegraph.kinematics.dynamics_source import Source, SourceState, read_source
from kinegraph.kinematics.tree import FlatTree
from kinegraph.kinematics.tree_layout import (
    AXIS,
    KIND,
    MULTIPLIER,
    ORDER,
    PLACE,
    SIZE,
    SLIDES,
    TRANSLATION,
)
from kinegraph.kinematics.tree_layout import COLUMN as TREE_COLUMN
from kinegraph.kinematics.tree_layout import PARENT as TREE_PARENT
from kinegraph.kinematics.tree_layout import ROTATION as TREE_ROTATION
from kinegraph.kinematics.tree_layout import SHIFT as TREE_SHIFT
from kinegraph.kinematics.tree_layout import TURNS as TREE_TURNS
from kinegraph.kinematics.values import name_list
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import (
    InvalidInertialError,
    InvalidNameError,
    NoPathError,
    UnknownJointError,
)
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.link import Inertial

__all__ = ["DynamicsPlan", "plan_dynamics"]

METHOD = "plan_dynamics"
BASE = -1  # the body that does not move


@dataclass(frozen=True, slots=True, eq=False)
class DynamicsPlan:
    """The rigid bodies that a set of joints moves, packed for the dynamics kernels.

    Attributes:
        data: The packed constants, see `dynamics_layout`. Read-only by convention.
        joint_names: Joint of each value column.
        n: Number of value columns.
        body_count: Number of moving bodies: n and the followers of mimic rules.
        base_link: Link that counts as fixed; gravity and Jacobians are in its frame.
        flange_link: Link that carries the load and has the Jacobian.
    """

    data: Array
    joint_names: tuple[str, ...]
    n: int
    body_count: int
    base_link: str
    flange_link: str

    def workspace(self) -> Array:
        """Return new scratch memory for the kernels; one for each thread."""
        return np.empty(dynamics_workspace(self.body_count))


def plan_dynamics(
    source: Source,
    joint_names: Sequence[str] | None,
    flange_link: str,
    base_link: str | None = None,
    include_below_flange: bool = False,
    *,
    inertials_from: SceneGraph | None = None,
) -> DynamicsPlan:
    """Lump a scene's links into the bodies that a set of joints moves.

    Every other moving joint stays where the source has it (a graph: at zero, or where its mimic
    rule puts it), so that a link behind it belongs to the body that carries it. A joint that
    follows a named one by a mimic rule moves with it, wherever it is: it makes a body of its own,
    and its torque counts for the named joint by the rule's multiplier. The named joints may branch.

    Args:
        source: A solver, whose current state places the joints that are not named, or a graph.
        joint_names: Joint of each value column, in this order; None for those that move the flange
            in the base, from the base on.
        flange_link: Link that carries the load and has the Jacobian.
        base_link: Link that counts as fixed; what is not below it does not count. None for the
            root.
        include_below_flange: Whether what hangs below the flange link counts. Leave it out where it
            is given as a load.
        inertials_from: Graph that has the links' inertials, for a solver, which does not keep
            them. None for the source itself.

    Returns:
        The plan; later edits of the source do not change it.

    Raises:
        UnknownLinkError: No such link. Also a `KeyError`.
        UnknownJointError: A name is not an independent moving joint, or moves nothing that counts.
            Also a `ValueError`.
        InvalidNameError: A joint is named twice. Also a `ValueError`.
        NoPathError: The flange is not below the base. Also a `ValueError`.
        InvalidInertialError: A mass is negative or an inertia not finite. Also a `ValueError`.
        TreeError: The graph is not a tree. Also a `RuntimeError`.
        UnsupportedError: A solver, and no `inertials_from`. Also a `RuntimeError`.
    """
    scene = read_source(source, METHOD, inertials_from)
    tree = scene.tree
    base = 0 if base_link is None else link_row(tree, base_link)
    tip = link_row(tree, flange_link)
    places = tree.layout[:, PLACE]
    below_base = _subtree(tree, base)
    if places[tip] not in below_base:
        raise NoPathError(
            f"{METHOD}: flange link {flange_link!r} is not below base link "
            f"{tree.link_names[base]!r}"
        )
    below_tip = _subtree(tree, tip)[1:]
    skipped = range(0) if include_below_flange else below_tip
    rows = [int(tree.layout[place, ORDER]) for place in below_base[1:] if place not in skipped]
    names = _joints_between(tree, base, tip)
    if joint_names is not None:
        names = tuple(name_list(joint_names, f"{METHOD}: joint_names"))
    columns = _columns(tree, names, rows)
    lumps = _Lumps(scene, columns)
    lumps.add_all(base, rows)
    for row in rows:
        lumps.add_inertial(row, scene.inertials[row], tree.link_names[row])
    return _packed(lumps, tip, names, tree.link_names[base], flange_link)


def _subtree(tree: FlatTree, row: int) -> range:
    place = int(tree.layout[row, PLACE])
    return range(place, place + int(tree.layout[row, SIZE]))


def _joints_between(tree: FlatTree, base: int, tip: int) -> tuple[str, ...]:
    columns: list[int] = []
    row = tip
    while row != base:
        column = int(tree.layout[row, TREE_COLUMN])
        if column >= 0 and column not in columns:
            columns.append(column)
        row = int(tree.layout[row, TREE_PARENT])
    return tuple(tree.active_names[column] for column in reversed(columns))


def _columns(tree: FlatTree, names: Sequence[str], rows: Sequence[int]) -> dict[int, int]:
    """Return the plan's column by the tree's."""
    unknown = [name for name in names if name not in tree.columns]
    if unknown:
        raise UnknownJointError(METHOD, unknown, "independent moving joints", tree.columns)
    columns = {tree.columns[name]: i for i, name in enumerate(names)}
    if len(columns) != len(names):
        twice = sorted({name for name in names if list(names).count(name) > 1})
        raise InvalidNameError(f"{METHOD}: named twice: {', '.join(twice)}")
    moving = {int(tree.layout[row, TREE_COLUMN]) for row in rows}
    idle = [name for name in names if tree.columns[name] not in moving]
    if idle:
        raise UnknownJointError(METHOD, idle, "between the base and what counts as the arm")
    return columns


class _Lumps:
    """Bodies while they are being filled: frames of links in bodies, and constants of bodies."""

    def __init__(self, scene: SourceState, columns: dict[int, int]) -> None:
        self.scene = scene
        self.columns = columns
        self.frames: dict[int, tuple[int, Array, Array]] = {}
        self.bodies: list[Array] = []

    def add_all(self, base: int, rows: Sequence[int]) -> None:
        """Place every row's link in a body; parents come first."""
        self.frames[base] = (BASE, np.eye(3), np.zeros(3))
        for row in rows:
            numbers, layout = self.scene.numbers[row], self.scene.tree.layout[row]
            body, R, p = self.frames[int(layout[TREE_PARENT])]
            p = p + R @ numbers[TRANSLATION : TRANSLATION + 3]
            R = R @ numbers[TREE_ROTATION : TREE_ROTATION + 9].reshape(3, 3)
            column = self.columns.get(int(layout[TREE_COLUMN]))
            if column is None:
                axis, value = numbers[AXIS : AXIS + 3], float(self.scene.values[row])
                move_R, move_p = _motion(layout[KIND], axis, value)
                self.frames[row] = (body, R @ move_R, p + R @ move_p)
            else:
                self.frames[row] = self._new_body(body, R, p, layout[KIND], numbers, column)

    def _new_body(
        self, parent: int, R: Array, p: Array, kind: int, numbers: Array, column: int
    ) -> tuple[int, Array, Array]:
        turn = _turn_z_to(numbers[AXIS : AXIS + 3])
        body = np.zeros(BODY)
        body[PARENT], body[TURNS], body[COLUMN] = parent, kind == TREE_TURNS, column
        body[RATIO], body[SHIFT] = numbers[MULTIPLIER], numbers[TREE_SHIFT]
        body[ROTATION : ROTATION + 9] = (R @ turn).ravel()
        body[POSITION : POSITION + 3] = p
        self.bodies.append(body)
        return len(self.bodies) - 1, turn.T, np.zeros(3)

    def add_inertial(self, row: int, inertial: Inertial | None, name: str) -> None:
        """Add a link's mass to the body that it belongs to."""
        index, R, p = self.frames[row]
        if inertial is None or index == BASE:
            return
        mass, center, inertia = _checked(inertial, name)
        R_center = R @ inertial.origin.linear
        c = p + R @ center
        turned = R_center @ inertia @ R_center.T
        about = turned + mass * ((c @ c) * np.eye(3) - np.outer(c, c))
        lump = self.bodies[index][INERTIA : INERTIA + 10]
        lump[0] += mass
        lump[1:4] += mass * c
        lump[4:] += about[np.triu_indices(3)]


def _motion(kind: int, axis: Array, value: float) -> tuple[Array, Array]:
    """Rotation and translation of a joint at a value."""
    if kind == SLIDES:
        return np.eye(3), axis * value
    if kind != TREE_TURNS or value == 0.0:
        return np.eye(3), np.zeros(3)
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    R = np.eye(3) + math.sin(value) * K + (1.0 - math.cos(value)) * (K @ K)
    return R, np.zeros(3)


def _turn_z_to(axis: Array) -> Array:
    """Return a rotation whose third column is the unit vector `axis`."""
    if axis[0] == 0.0 and axis[1] == 0.0 and axis[2] > 0.0:
        return np.eye(3)
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(helper, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _checked(inertial: Inertial, name: str) -> tuple[float, Array, Array]:
    """Mass, centre and inertia of a link."""
    i = inertial
    inertia = np.array([[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]])
    if not (math.isfinite(i.mass) and np.isfinite(inertia).all()):
        raise InvalidInertialError(
            f"{METHOD}: link {name!r}: mass {i.mass} and inertia {inertia.tolist()} must be finite"
        )
    if i.mass < 0.0:
        raise InvalidInertialError(f"{METHOD}: link {name!r}: the mass {i.mass} is negative")
    return i.mass, i.origin.translation, inertia


def _packed(
    lumps: _Lumps, tip: int, names: tuple[str, ...], base_link: str, flange_link: str
) -> DynamicsPlan:
    tip_body, R, p = lumps.frames[tip]
    header = np.zeros(HEADER)
    header[N_COLUMNS], header[N_BODIES], header[TIP_BODY] = len(names), len(lumps.bodies), tip_body
    header[TIP_ROTATION : TIP_ROTATION + 9] = R.ravel()
    header[TIP_POSITION : TIP_POSITION + 3] = p
    data = np.concatenate([header, *lumps.bodies])
    return DynamicsPlan(data, names, len(names), len(lumps.bodies), base_link, flange_link)
