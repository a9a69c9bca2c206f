"""`OFKTStateSolver`: the solver whose tree can be changed."""

from collections.abc import Iterable

import numpy as np

from kinegraph.kinematics import tree_edit
from kinegraph.kinematics.flat_state import FlatState
from kinegraph.kinematics.joint_records import JointRecord, joint_record
from kinegraph.kinematics.modes import checked_mimic
from kinegraph.kinematics.mutable_solver import MutableStateSolver, limit_number, str_name
from kinegraph.kinematics.solver import Mimic
from kinegraph.kinematics.tree import FlatTree, flatten, single_link
from kinegraph.kinematics.tree_layout import (
    ACCELERATION,
    JERK,
    KIND,
    LOWER,
    PARENT,
    SLIDES,
    TURNS,
    UPPER,
    VELOCITY,
)
from kinegraph.scene.array_types import Array, IntArray
from kinegraph.scene.errors import InvalidLimitError, WrongTypeError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.graph.joint_rules import check_joint
from kinegraph.scene.joint import Joint
from kinegraph.scene.link import Link
from kinegraph.scene.names import checked_name
from kinegraph.scene.pose import TransformLike, as_isometry

__all__ = ["OFKTStateSolver"]


class OFKTStateSolver(MutableStateSolver):
    """State solver of a scene that can change.

    Active joints stand in depth-first order, children in the order in which their joints were
    added to the graph (`KDLStateSolver` sorts them otherwise: take the order of vectors from the
    solver at hand).

    Args:
        scene_graph: A tree, copied; or the name of a root link, for a solver of that link alone.
        prefix: Stands before every name.
        mimic: "follow": mimic joints follow their masters and have no value of their own.
            "independent": they are ordinary active joints, as in tesseract.

    Raises:
        TreeError: The graph is empty or not a tree, or its root is carried by a joint. Also a
            `RuntimeError`.
        UnsupportedError: A planar joint, or one of unknown type. Also a `RuntimeError`.
        InvalidJointError: A moving joint without limits or axis, or a mimic rule that leads
            nowhere. Also a `ValueError`.
        WrongTypeError: Neither a graph nor a name. Also a `TypeError`.
    """

    __slots__ = ()

    def __init__(
        self, scene_graph: SceneGraph | str, prefix: str = "", *, mimic: Mimic = "follow"
    ) -> None:
        follow = checked_mimic(mimic)
        if not isinstance(prefix, str):
            raise WrongTypeError(f"OFKTStateSolver: prefix must be a str, not {prefix!r:.100}")
        if isinstance(scene_graph, str):
            name = checked_name(scene_graph, "OFKTStateSolver")
            self._start(single_link(prefix + name, follow=follow))
        elif isinstance(scene_graph, SceneGraph):
            tree = flatten(scene_graph, "OFKTStateSolver", follow=follow)
            self._start(tree.with_prefix(prefix))
        else:
            raise WrongTypeError(
                "OFKTStateSolver: a SceneGraph or the name of a root link is needed, not "
                f"{scene_graph!r:.100}"
            )

    def clone(self) -> "OFKTStateSolver":
        """Return an independent solver with the same state, limits, orders and revision."""
        return self._copy()

    # -- links -------------------------------------------------------------------------------

    def addLink(self, link: Link, joint: Joint) -> bool:  # noqa: D102  see MutableStateSolver
        if not isinstance(link, Link):
            raise WrongTypeError(f"addLink: a Link is needed, not {link!r:.100}")
        record = _record(joint, "addLink")
        name = link.getName()
        branch = single_link(name, follow=self._state.tree.follow)
        if joint.child_link_name != name:
            return False
        return self._attach(joint, record, branch, "", "addLink")

    def insertSceneGraph(  # noqa: D102
        self, scene_graph: SceneGraph, joint: Joint, prefix: str = ""
    ) -> bool:
        method = "insertSceneGraph"
        if not isinstance(scene_graph, SceneGraph):
            raise WrongTypeError(f"{method}: a SceneGraph is needed, not {scene_graph!r:.100}")
        if not isinstance(prefix, str):
            raise WrongTypeError(f"{method}: prefix must be a str, not {prefix!r:.100}")
        record = _record(joint, method)
        if scene_graph.isEmpty():
            return False
        branch = flatten(scene_graph, method, follow=self._state.tree.follow)
        if joint.child_link_name != prefix + branch.link_names[0]:
            return False
        return self._attach(joint, record, branch, prefix, method)

    def _attach(
        self, joint: Joint, record: JointRecord, branch: FlatTree, prefix: str, method: str
    ) -> bool:
        tree = self._current_tree()
        parent = tree.link_rows.get(joint.parent_link_name)
        name = joint.getName()
        if parent is None or name in tree.joint_rows:
            return False
        links = [prefix + link for link in branch.link_names]
        joints = [prefix + inner for inner in branch.joint_names]
        if name in joints or not tree.link_rows.keys().isdisjoint(links):
            return False
        if not tree.joint_rows.keys().isdisjoint(joints):
            return False
        new = tree_edit.attached(tree, parent, (name, record), branch, prefix, method)
        more = new.column_count - tree.column_count
        self._replace(new, np.concatenate((self._state.q, np.zeros(more))))
        return True

    def moveLink(self, joint: Joint) -> bool:  # noqa: D102
        record = _record(joint, "moveLink")
        tree = self._current_tree()
        row = tree.link_rows.get(joint.child_link_name)
        parent = tree.link_rows.get(joint.parent_link_name)
        if not row or parent is None or _is_below(tree, parent, row):
            return False
        old, new = tree.joint_names[row - 1], joint.getName()
        if new != old and new in tree.joint_rows:
            return False
        return self._carry_by(tree, row, parent, joint, record, "moveLink")

    def _carry_by(
        self, tree: FlatTree, row: int, parent: int, joint: Joint, record: JointRecord, method: str
    ) -> bool:
        old, new = tree.joint_names[row - 1], joint.getName()
        led = any(master == old for master, _, _ in tree.mimics.values())
        if led and (new != old or record.kind not in (TURNS, SLIDES)):
            return False
        moved, rows = tree_edit.moved_to_end(tree, row, parent, (new, record), method)
        values = tree.joint_values(self._state.q)
        values[row] = 0.0
        self._replace(moved, values[rows][moved.active_rows])
        return True

    def removeLink(self, name: str) -> bool:  # noqa: D102
        row = self._state.tree.link_rows.get(str_name(name, "removeLink"))
        return bool(row) and self._remove(int(row or 0))

    def removeJoint(self, name: str) -> bool:  # noqa: D102
        row = self._state.tree.joint_rows.get(str_name(name, "removeJoint"))
        return row is not None and self._remove(row)

    def _remove(self, row: int) -> bool:
        tree = self._current_tree()
        gone = tree_edit.subtree(tree, row).tolist()
        joints = {tree.joint_names[i - 1] for i in gone}
        if any(
            name not in joints and master in joints for name, (master, _, _) in tree.mimics.items()
        ):
            return False
        smaller, rows = tree_edit.without(tree, gone)
        self._replace_rows(tree, smaller, rows)
        return True

    # -- joints ------------------------------------------------------------------------------

    def replaceJoint(self, joint: Joint) -> bool:  # noqa: D102
        method = "replaceJoint"
        record = _record(joint, method)
        tree = self._current_tree()
        row = tree.joint_rows.get(joint.getName())
        parent = tree.link_rows.get(joint.parent_link_name)
        if row is None or parent is None or tree.link_names[row] != joint.child_link_name:
            return False
        if _is_below(tree, parent, row):
            return False
        if tree.types[row - 1] != joint.type or tree.layout[row, PARENT] != parent:
            return self._carry_by(tree, row, parent, joint, record, method)
        new = tree_edit.with_joint(tree, row, record, method)
        self._replace_rows(tree, new, np.arange(tree.link_count))
        return True

    def moveJoint(self, name: str, parent_link: str) -> bool:  # noqa: D102
        tree = self._current_tree()
        row = tree.joint_rows.get(str_name(name, "moveJoint"))
        parent = tree.link_rows.get(str_name(parent_link, "moveJoint"))
        if row is None or parent is None or _is_below(tree, parent, row):
            return False
        self._replace(tree_edit.with_parent(tree, row, parent), self._state.q)
        return True

    def changeJointOrigin(self, name: str, new_origin: TransformLike) -> bool:  # noqa: D102
        str_name(name, "changeJointOrigin")
        origin = as_isometry(new_origin, f"changeJointOrigin: origin of joint {name!r}")
        tree = self._current_tree()
        row = tree.joint_rows.get(name)
        if row is None:
            return False
        self._replace(tree_edit.with_origin(tree, row, origin), self._state.q)
        return True

    # -- limits ------------------------------------------------------------------------------

    def changeJointPositionLimits(  # noqa: D102
        self, name: str, lower: float, upper: float
    ) -> bool:
        method = "changeJointPositionLimits"
        str_name(name, method)
        low, high = limit_number(lower, method), limit_number(upper, method)
        if not low <= high:
            raise InvalidLimitError(
                f"{method}: joint {name!r}: lower limit {low} and upper limit {high} "
                "must be numbers with lower <= upper"
            )
        return self._change_limits(name, ((LOWER, low), (UPPER, high)))

    def changeJointVelocityLimits(self, name: str, limit: float) -> bool:  # noqa: D102
        return self._change_limit(name, VELOCITY, limit, "changeJointVelocityLimits")

    def changeJointAccelerationLimits(self, name: str, limit: float) -> bool:  # noqa: D102
        return self._change_limit(name, ACCELERATION, limit, "changeJointAccelerationLimits")

    def changeJointJerkLimits(self, name: str, limit: float) -> bool:  # noqa: D102
        return self._change_limit(name, JERK, limit, "changeJointJerkLimits")

    def _change_limit(self, name: str, column: int, limit: float, method: str) -> bool:
        str_name(name, method)
        number = limit_number(limit, method)
        if not number >= 0.0:
            raise InvalidLimitError(f"{method}: joint {name!r}: limit {number} must be >= 0")
        return self._change_limits(name, ((column, number),))

    def _change_limits(self, name: str, changes: Iterable[tuple[int, float]]) -> bool:
        state = self._state
        row = state.tree.joint_rows.get(name)
        if row is None or state.tree.layout[row, KIND] not in (TURNS, SLIDES):
            return False
        self._replace(tree_edit.with_limits(self._current_tree(), row, changes), state.q)
        return True

    # -- inside ------------------------------------------------------------------------------

    def _current_tree(self) -> FlatTree:
        """Return the tree with the current floating values as its origins."""
        state = self._state
        if state.numbers is state.tree.numbers:
            return state.tree
        return tree_edit.with_numbers(state.tree, state.numbers)

    def _replace(self, tree: FlatTree, q: Array) -> None:
        self._state = FlatState(tree, tree.numbers, q)

    def _replace_rows(self, old: FlatTree, new: FlatTree, rows: IntArray) -> None:
        """Replace the tree; `rows` are the old rows of the new tree's, whose values stay."""
        values = old.joint_values(self._state.q)
        self._replace(new, values[rows][new.active_rows])


def _record(joint: object, method: str) -> JointRecord:
    """Check a user's joint and read its numbers."""
    if not isinstance(joint, Joint):
        raise WrongTypeError(f"{method}: a Joint is needed, not {joint!r:.100}")
    check_joint(joint)
    return joint_record(joint, method)


def _is_below(tree: FlatTree, row: int, top: int) -> bool:
    """Tell whether a row is `top` or below it."""
    return row in tree_edit.subtree(tree, top)
