"""Where the joints of a graph are in the vectors of a pinocchio model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from kinegraph.scene.array_types import Array, IntArray
from kinegraph.scene.bridges.extras import checked_graph, extra_module
from kinegraph.scene.bridges.tree_order import joints_in_order
from kinegraph.scene.errors import (
    LengthError,
    NotFiniteError,
    ShapeError,
    UnknownJointError,
    WrongTypeError,
)
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.graph.paths import RIGID
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.pose import Isometry3d, TransformLike, as_isometry
from kinegraph.scene.vectors import real_array

__all__ = ["PinocchioOrder", "match_pinocchio"]

CIRCLE = 2
"""Numbers of a joint whose configuration is cosine and sine."""

FREE = 7
"""Numbers of a free flyer: position and quaternion x, y, z, w."""


@dataclass(frozen=True, eq=False)
class FloatingPlace:
    """Where a floating joint is in pinocchio's vectors.

    Attributes:
        q_column: First of its seven columns (x, y, z, quaternion x, y, z, w).
        v_column: First of its six columns.
        origin: The joint's origin in its parent link, which pinocchio multiplies in front.
    """

    q_column: int
    v_column: int
    origin: Isometry3d


@dataclass(frozen=True, eq=False)
class PinocchioOrder:
    """Translates values and Jacobians between a graph's solvers and a pinocchio model.

    Attributes:
        joint_names: (n) active joints in the order of kinegraph's columns.
        q_columns: (n,) first column of each joint in pinocchio's configurations. Read-only.
        v_columns: (n,) column of each joint in pinocchio's velocities. Read-only.
        on_circle: (n,) whether pinocchio has cosine and sine instead of an angle. Read-only.
        floating: Place of each floating joint.
        neutral: (nq,) pinocchio's configuration for zero values and floating joints at their
            origins in the graph. Read-only.
        nv: Length of pinocchio's velocities.
    """

    joint_names: tuple[str, ...]
    q_columns: IntArray
    v_columns: IntArray
    on_circle: Any
    floating: Mapping[str, FloatingPlace]
    neutral: Array
    nv: int

    def configuration(
        self,
        q: Any,
        floating_joint_values: Mapping[str, TransformLike] = MappingProxyType({}),
    ) -> Array:
        """Return pinocchio's configuration for kinegraph's values.

        Args:
            q: (n,) or (N, n) values in the order of `joint_names`, rad or m.
            floating_joint_values: Transform from parent link to child link by floating joint; the
                others stay at their origins.

        Returns:
            (nq,) or (N, nq).

        Raises:
            ShapeError, LengthError: `q` has another shape. Also `ValueError`.
            NotFiniteError: A value is NaN or infinite. Also a `ValueError`.
            UnknownJointError: Not a floating joint. Also a `ValueError`.
            WrongTypeError, NotRigidError: No real numbers, or no rigid transform.
        """
        values = self._rows(q, len(self.joint_names), "configuration: q")
        unknown = [name for name in floating_joint_values if name not in self.floating]
        if unknown:
            raise UnknownJointError("configuration", unknown, "floating joints", self.floating)
        made = np.tile(self.neutral, (*values.shape[:-1], 1))
        made[..., self.q_columns] = np.where(self.on_circle, np.cos(values), values)
        sines = self.q_columns[self.on_circle] + 1
        made[..., sines] = np.sin(values[..., self.on_circle])
        for name, value in floating_joint_values.items():
            place = self.floating[name]
            moved = place.origin.inverse() @ as_isometry(value, f"floating joint {name!r}")
            made[..., place.q_column : place.q_column + FREE] = _seven(moved)
        return made

    def joint_values(self, configuration: Any) -> Array:
        """Return kinegraph's values, (n,) or (N, n), of a configuration (nq,) or (N, nq).

        An angle on a circle comes back in [-pi, pi].

        Raises:
            ShapeError, LengthError: Another shape. Also `ValueError`.
            NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
        """
        rows = self._rows(configuration, len(self.neutral), "joint_values: configuration")
        values: Array = rows[..., self.q_columns]
        firsts = self.q_columns[self.on_circle]
        values[..., self.on_circle] = np.arctan2(rows[..., firsts + 1], rows[..., firsts])
        return values

    def floating_joint_values(self, configuration: Any) -> dict[str, Isometry3d]:
        """Return the transform from parent to child link of each floating joint.

        Args:
            configuration: (nq,).

        Raises:
            ShapeError, LengthError: Another shape. Also `ValueError`.
            NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
            NotRigidError: A quaternion is not of length 1 within 1e-3. Also a `ValueError`.
        """
        row = self._rows(configuration, len(self.neutral), "floating_joint_values: configuration")
        if row.ndim != 1:
            raise ShapeError(f"floating_joint_values: one configuration, not shape {row.shape}")
        found = {}
        for name, place in self.floating.items():
            seven = row[place.q_column : place.q_column + FREE]
            found[name] = place.origin @ Isometry3d.from_quaternion(seven[:3], seven[3:])
        return found

    def jacobian(self, matrix: Any) -> Array:
        """Return a Jacobian (6, n) in kinegraph's columns, of pinocchio's (6, nv).

        pinocchio hands out (6,) where nv is 1, which is taken too. The axes stay:
        LOCAL_WORLD_ALIGNED is what kinegraph calls "base".

        Raises:
            ShapeError: Another shape. Also a `ValueError`.
        """
        array = real_array(matrix, "jacobian")
        if array.shape == (6,) and self.nv == 1:
            array = array[:, np.newaxis]
        if array.shape != (6, self.nv):
            raise ShapeError(f"jacobian: (6, {self.nv}) is needed, not {array.shape}")
        return array[:, self.v_columns].copy()

    def _rows(self, value: Any, length: int, what: str) -> Array:
        rows = real_array(value, what)
        if rows.ndim not in (1, 2):
            raise ShapeError(f"{what} must have one or two axes, not shape {rows.shape}")
        if rows.shape[-1] != length:
            raise LengthError(f"{what}: length {rows.shape[-1]} was given, {length} is needed")
        if not np.isfinite(rows).all():
            raise NotFiniteError(f"{what} has numbers that are not finite")
        return rows


def _seven(pose: Isometry3d) -> Array:
    return np.concatenate([pose.translation, pose.quat_xyzw])


def match_pinocchio(
    scene_graph: SceneGraph, model: Any, joint_names: Sequence[str] | None = None
) -> PinocchioOrder:
    """Find the joints of a graph in a pinocchio model by their names.

    The model may come from `to_pinocchio`, or from pinocchio's own readers if they read the same
    robot.

    Args:
        scene_graph: A tree.
        model: A `pinocchio.Model`.
        joint_names: Active joints in the order that is wanted, such as
            `solver.getActiveJointNames()`. Left out: all that have a value in the model, in the
            order of `OFKTStateSolver`.

    Raises:
        UnknownJointError: Joints that the model does not have, or that have no value there. Also a
            `ValueError`.
        TreeError: The graph is empty or not a tree. Also a `RuntimeError`.
        WrongTypeError: Not a graph, or not a model. Also a `TypeError`.
    """
    graph = checked_graph(scene_graph, "match_pinocchio")
    if not (hasattr(model, "getJointId") and hasattr(model, "jointPlacements")):
        raise WrongTypeError(f"match_pinocchio: a pinocchio Model is needed, not {model!r:.100}")
    joints = joints_in_order(graph, "match_pinocchio")
    places = {name: index for index, name in enumerate(model.names) if index}
    moving = [joint for joint in joints if joint.type is not JointType.FIXED]
    missing = [joint.getName() for joint in moving if joint.getName() not in places]
    if missing:
        raise UnknownJointError("match_pinocchio", missing, "joints of the model", places)
    valued = [
        joint.getName()
        for joint in moving
        if joint.type not in RIGID and model.joints[places[joint.getName()]].nq in (1, CIRCLE)
    ]
    names = valued if joint_names is None else list(joint_names)
    unknown = [name for name in names if name not in valued]
    if unknown:
        raise UnknownJointError("match_pinocchio", unknown, "joints with a value", valued)
    twins = [model.joints[places[name]] for name in names]
    floating = _floating_places(model, places, moving)
    on_circle = np.array([twin.nq == CIRCLE for twin in twins], dtype=np.bool_)
    return PinocchioOrder(
        tuple(names),
        _frozen(np.array([twin.idx_q for twin in twins], dtype=np.int64)),
        _frozen(np.array([twin.idx_v for twin in twins], dtype=np.int64)),
        _frozen(on_circle),
        floating,
        _frozen(np.array(extra_module("pinocchio").neutral(model))),
        int(model.nv),
    )


def _floating_places(
    model: Any, places: Mapping[str, int], moving: Sequence[Joint]
) -> dict[str, FloatingPlace]:
    """Find the free flyers; their origins are the graph's, for a model has them in joint frames."""
    found = {}
    for joint in moving:
        if joint.type is not JointType.FLOATING:
            continue
        name = joint.getName()
        twin = model.joints[places[name]]
        if twin.nq != FREE:
            raise UnknownJointError("match_pinocchio", [name], "floating joints of the model")
        origin = joint.parent_to_joint_origin_transform
        found[name] = FloatingPlace(twin.idx_q, twin.idx_v, origin)
    return found


def _frozen(array: Any) -> Any:
    array.setflags(write=False)
    return array
