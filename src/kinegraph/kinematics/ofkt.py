"""`OFKTStateSolver`: the solver whose tree can be changed."""

from collections.abc import Mapping
from functools import cache

from kinegraph.kinematics import tree_edit
from kinegraph.kinematics.flat_state import FlatState
from kinegraph.kinematics.joint_records import JointRecord, joint_record
from kinegraph.kinematics.modes import checked_mimic
from kinegraph.kinematics.mutable_solver import MutableStateSolver, limit_number
from kinegraph.kinematics.solver import Mimic
from kinegraph.kinematics.tree import FlatTree, flatten, single_link
from kinegraph.kinematics.tree_layout import (
    ACCELERATION,
    JERK,
    LOWER,
    PARENT,
    SLIDES,
    TURNS,
    UPPER,
    VELOCITY,
)
from kinegraph.kinematics.tree_table import Branch
from kinegraph.kinematics.values import str_name
from kinegraph.scene.array_types import Array
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
        if joint.child_link_name != name:
            return False
        branch = Branch(_one_link(), [name], [], {})
        return self._attach(joint, record, branch, "addLink")

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
        branch = flatten(scene_graph, method, follow=self._state.table.follow)
        if joint.child_link_name != prefix + branch.link_names[0]:
            return False
        return self._attach(joint, record, Branch.prefixed(branch, prefix), method)

    def _attach(self, joint: Joint, record: JointRecord, branch: Branch, method: str) -> bool:
        state = self._state
        table = state.table
        name, carrier = joint.getName(), joint.parent_link_name
        if carrier not in table.link_rows or name in table.joint_rows or name in branch.joints:
            return False
        if not table.link_rows.keys().isdisjoint(branch.links):
            return False
        if not table.joint_rows.keys().isdisjoint(branch.joints):
            return False
        table = state.opened(len(branch.links))
        before = table.column_count
        row = table.attach(table.link_rows[carrier], (name, record), branch, method)
        state.close([row], more=table.column_count - before)
        return True

    def moveLink(self, joint: Joint) -> bool:  # noqa: D102
        record = _record(joint, "moveLink")
        table = self._state.table
        row = table.link_rows.get(joint.child_link_name)
        parent = table.link_rows.get(joint.parent_link_name)
        if not row or parent is None or table.is_below(parent, row):
            return False
        old, new = table.joint_names[row], joint.getName()
        if new != old and new in table.joint_rows:
            return False
        return self._carry_by(row, parent, joint, record, "moveLink")

    def _carry_by(
        self, row: int, parent: int, joint: Joint, record: JointRecord, method: str
    ) -> bool:
        """Hang a row of the table below another by a joint that comes last in all lists."""
        state = self._state
        table = state.table
        old, new = table.joint_names[row], joint.getName()
        led = bool(table.followers.get(old))
        if led and (new != old or record.kind not in (TURNS, SLIDES)):
            return False
        if table.is_tied(old) or (table.follow and record.mimic is not None):
            return self._carry_tied(joint, record, method)
        gone, more = state.opened().carry(row, parent, (new, record))
        state.close([row], gone, more)
        return True

    def _carry_tied(self, joint: Joint, record: JointRecord, method: str) -> bool:
        tree = self._current_tree()
        row, parent = tree.link_rows[joint.child_link_name], tree.link_rows[joint.parent_link_name]
        named = (joint.getName(), record)
        moved, rows = tree_edit.moved_to_end(tree, row, parent, named, method)
        values = tree.joint_values(self._state.q)
        values[row] = 0.0
        self._replace(moved, values[rows][moved.active_rows])
        return True

    def removeLink(self, name: str) -> bool:  # noqa: D102
        row = self._state.table.link_rows.get(str_name(name, "removeLink"))
        return bool(row) and self._remove(int(row or 0))

    def removeJoint(self, name: str) -> bool:  # noqa: D102
        row = self._state.table.joint_rows.get(str_name(name, "removeJoint"))
        return row is not None and self._remove(row)

    def _remove(self, row: int) -> bool:
        state = self._state
        rows = state.table.below(row)
        if state.table.is_led_from(rows):
            return False
        gone = state.opened().remove(rows)
        state.close([], gone, dead=set(rows))
        return True

    # -- joints ------------------------------------------------------------------------------

    def replaceJoint(self, joint: Joint) -> bool:  # noqa: D102
        method = "replaceJoint"
        record = _record(joint, method)
        state = self._state
        table, name = state.table, joint.getName()
        row = table.joint_rows.get(name)
        parent = table.link_rows.get(joint.parent_link_name)
        if row is None or parent is None or table.link_names[row] != joint.child_link_name:
            return False
        if table.is_below(parent, row):
            return False
        if table.types[row] != joint.type or table.layout[row, PARENT] != parent:
            return self._carry_by(row, parent, joint, record, method)
        if table.follow and (name in table.mimics or record.mimic is not None):
            return self._replace_tied(name, record, method)
        state.opened().set_joint(row, record)
        state.close([row])
        return True

    def _replace_tied(self, name: str, record: JointRecord, method: str) -> bool:
        tree = self._current_tree()
        new = tree_edit.with_joint(tree, tree.joint_rows[name], record, method)
        self._replace(new, tree.joint_values(self._state.q)[new.active_rows])
        return True

    def moveJoint(self, name: str, parent_link: str) -> bool:  # noqa: D102
        state = self._state
        table = state.table
        row = table.joint_rows.get(str_name(name, "moveJoint"))
        parent = table.link_rows.get(str_name(parent_link, "moveJoint"))
        if row is None or parent is None or table.is_below(parent, row):
            return False
        state.opened().hang(row, parent)
        state.close([row])
        return True

    def changeJointOrigin(self, name: str, new_origin: TransformLike) -> bool:  # noqa: D102
        str_name(name, "changeJointOrigin")
        origin = as_isometry(new_origin, f"changeJointOrigin: origin of joint {name!r}")
        if not self._state.has_joint(name):
            return False
        self._state.set_origin(name, origin)
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
        return self._change_limits(name, {LOWER: low, UPPER: high})

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
        return self._change_limits(name, {column: number})

    def _change_limits(self, name: str, changes: Mapping[int, float]) -> bool:
        if self._state.kind_of_joint(name) not in (TURNS, SLIDES):
            return False
        self._state.set_limits(name, changes)
        return True

    # -- inside ------------------------------------------------------------------------------

    def _current_tree(self) -> FlatTree:
        """Return the tree with the current floating values as its origins."""
        state = self._state
        if state.numbers is state.tree.numbers:
            return state.tree
        return state.tree.with_numbers(state.numbers)

    def _replace(self, tree: FlatTree, q: Array) -> None:
        self._state = FlatState(tree, tree.numbers, q)


@cache
def _one_link() -> FlatTree:
    """Return a tree of one link, whatever its name."""
    return single_link("link")


def _record(joint: object, method: str) -> JointRecord:
    """Check a user's joint and read its numbers."""
    if not isinstance(joint, Joint):
        raise WrongTypeError(f"{method}: a Joint is needed, not {joint!r:.100}")
    check_joint(joint)
    return joint_record(joint, method)
