"""Robots, golden cases and replays that several kinematics tests share."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from shared_cases import GOLDEN, shared_root

from kinegraph.kinematics.ofkt import OFKTStateSolver
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.joint_parts import JointLimits, JointMimic
from kinegraph.scene.link import Link
from kinegraph.scene.pose import Isometry3d
from kinegraph.scene.urdf.reader import parseURDFFile

KINEMATICS = GOLDEN / "kinematics"
TOLERANCE = 1e-12
TYPES = {kind.name.lower(): kind for kind in JointType}
ACTIVE = ("revolute", "continuous", "prismatic")


def robot_folders() -> list[Path]:
    """Folders of robots: the copies in the tests, and all shared ones where they are there."""
    found = {path.name: path for path in sorted(KINEMATICS.iterdir()) if path.is_dir()}
    root = shared_root()
    if root is not None and (cases := root / "cases" / "kinematics").is_dir():
        found |= {path.name: path for path in sorted(cases.iterdir()) if path.is_dir()}
    return list(found.values())


def named(path: Path) -> str:
    """Id of a parametrised test."""
    return path.name


def robot(folder: Path) -> SceneGraph:
    """Scene graph of a golden robot."""
    return parseURDFFile(folder / "robot.urdf")


def meta(folder: Path) -> dict[str, Any]:
    """Names and orders of a golden robot."""
    loaded: dict[str, Any] = json.loads((folder / "meta.json").read_text())
    return loaded


def small_robot(name: str = "synth_a") -> SceneGraph:
    """One of the robots that are copied into the tests."""
    return robot(KINEMATICS / name)


def joint(
    name: str,
    parent: str,
    child: str,
    kind: str = "fixed",
    *,
    origin: Any = None,
    axis: Any = (0.0, 0.0, 1.0),
    limits: Any = (-2.0, 2.0, 1.0, 1.0, 1.0, 1.0),
    mimic: tuple[str, float, float] | None = None,
) -> Joint:
    """A joint in one line; limits are lower, upper, effort, velocity, acceleration, jerk."""
    made = Joint(name)
    made.type = TYPES[kind]
    made.parent_link_name, made.child_link_name = parent, child
    made.parent_to_joint_origin_transform = Isometry3d(None if origin is None else np.array(origin))
    made.axis = axis
    if kind in ACTIVE and limits is not None:
        made.limits = JointLimits(*limits)
    if mimic is not None:
        master, multiplier, offset = mimic
        made.mimic = JointMimic(offset, multiplier, master)
    return made


def up(distance: float = 1.0) -> Isometry3d:
    """A step along z."""
    return Isometry3d.from_rpy((0.0, 0.0, distance), (0.0, 0.0, 0.0))


def graph_of(root: str, *joints: Joint, name: str = "graph") -> SceneGraph:
    """A graph of a root link and joints in an order in which parents come first."""
    graph = SceneGraph(name)
    graph.addLink(Link(root))
    for made in joints:
        assert graph.addLink(Link(made.child_link_name), made), made
    return graph


def plain_graph() -> SceneGraph:
    """The test graph of `upstream-bad-inputs.md`: base, j1, j2 turn, j3 fixed; jf floats."""
    return graph_of(
        "base",
        joint("j1", "base", "l1", "revolute", origin=up()),
        joint("j2", "l1", "l2", "revolute", origin=up()),
        joint("j3", "l2", "l3", origin=up()),
        joint("jf", "base", "f", "floating", origin=up()),
    )


def bent_graph() -> SceneGraph:
    """The plain graph's names with turned origins and axes: every value shows in every number."""
    pose = Isometry3d.from_rpy
    return graph_of(
        "base",
        joint("j1", "base", "l1", "revolute", origin=pose((0.1, 0.2, 1.0), (0.3, 0.0, 0.0))),
        joint(
            "j2",
            "l1",
            "l2",
            "revolute",
            origin=pose((0.5, 0.1, 0.2), (0.0, 0.7, 0.1)),
            axis=(1.0, 2.0, -1.0),
        ),
        joint("j3", "l2", "l3", origin=pose((0.4, 0.0, 0.3), (0.0, 0.0, 0.2))),
        joint("jf", "base", "f", "floating", origin=up()),
    )


def gripper_graph() -> SceneGraph:
    """A palm with two fingers, of which the right one follows the left one."""
    slide: dict[str, Any] = {
        "kind": "prismatic",
        "axis": (0.0, 1.0, 0.0),
        "limits": (0.0, 0.04, 20, 0.2, 1, 100),
    }
    return graph_of(
        "palm",
        joint("left", "palm", "left_finger", origin=up(0.06), **slide),
        joint("right", "palm", "right_finger", origin=up(0.06), mimic=("left", -1.0, 0.0), **slide),
        joint("tcp_joint", "palm", "tcp", origin=up(0.1)),
    )


def joint_of_step(spec: dict[str, Any]) -> Joint:
    """A joint as `mutations.json` writes it."""
    made = joint(
        spec["name"],
        spec["parent"],
        spec["child"],
        spec["type"],
        origin=spec["origin"],
        limits=spec.get("limits"),
    )
    if "axis" in spec:
        made.axis = spec["axis"]
    return made


def graph_of_step(spec: dict[str, Any]) -> SceneGraph:
    """A scene graph as `mutations.json` writes it."""
    graph = SceneGraph(spec["name"])
    for link in spec["links"]:
        assert graph.addLink(Link(link))
    for made in spec["joints"]:
        assert graph.addJoint(joint_of_step(made))
    return graph


def apply_step(solver: OFKTStateSolver | SceneGraph, step: dict[str, Any]) -> bool | None:
    """Carry out one step of `mutations.json` on a solver, or on a graph by the same method."""
    op = step["op"]
    if op == "setState" and isinstance(solver, OFKTStateSolver):
        solver.setState(step["joints"] if "joints" in step else step["floating"])
        return None
    method: Callable[..., bool] = getattr(solver, op)
    if op == "addLink":
        return method(Link(step["link"]), joint_of_step(step["joint"]))
    if op in ("moveLink", "replaceJoint"):
        return method(joint_of_step(step["joint"]))
    if op in ("removeLink", "removeJoint"):
        return method(step["name"])
    if op == "moveJoint":
        return method(step["name"], step["parent_link"])
    if op == "changeJointOrigin":
        return method(step["name"], np.array(step["new_origin"]))
    if op == "insertSceneGraph":
        graph = graph_of_step(step["graph"])
        return method(graph, joint_of_step(step["joint"]), step["prefix"])
    return method(step["name"], *step["args"])
