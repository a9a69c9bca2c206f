"""Answers and return values of tesseract's own SceneGraph."""

import json
from pathlib import Path
from typing import Any

import pytest
from scene_builders import check_invariants, parse_file, snapshot
from shared_cases import GOLDEN, shared_root

from kinegraph.scene import (
    Joint,
    JointLimits,
    JointType,
    Link,
    SceneGraph,
)

HERE = ("fr3_hand", "synth_a", "ur5")
COPIED = {name: GOLDEN / "kinematics" / name for name in HERE}


def robots() -> dict[str, Path]:
    """The robots copied here, and all shared ones where they are."""
    root = shared_root()
    folder = root / "cases" / "kinematics" if root else Path("nowhere")
    return COPIED | {path.parent.name: path.parent for path in folder.glob("*/graph.json")}


ROBOTS = robots()


def answers(name: str) -> dict[str, Any]:
    path = ROBOTS[name] / "graph.json"
    if name in HERE:
        path = GOLDEN / "scene" / "graphs" / f"{name}.json"
    answers: dict[str, Any] = json.loads(path.read_text())
    return answers


def names(items: Any) -> list[str]:
    return [item.getName() for item in items]


@pytest.mark.parametrize("name", ROBOTS)
def test_questions_about_a_robot_are_answered_as_upstream_does(name: Any) -> None:
    graph, expected = parse_file(ROBOTS[name] / "robot.urdf"), answers(name)
    assert graph.getRoot() == expected["root"]
    assert graph.isTree() == expected["is_tree"]
    assert graph.isAcyclic() == expected["is_acyclic"]
    assert sorted(names(graph.getLeafLinks())) == expected["leaf_links"]
    for link, about in expected["links"].items():
        assert graph.getAdjacentLinkNames(link) == about["adjacent"]
        assert graph.getInvAdjacentLinkNames(link) == about["inv_adjacent"]
        assert sorted(graph.getLinkChildrenNames(link)) == about["children"]
    for joint, about in expected["joints"].items():
        assert graph.getSourceLink(joint).getName() == about["source"]
        assert graph.getTargetLink(joint).getName() == about["target"]
        assert sorted(graph.getJointChildrenNames(joint)) == about["children"]


@pytest.mark.parametrize("name", ROBOTS)
def test_paths_and_adjacency_maps_of_a_robot_are_upstreams(name: Any) -> None:
    graph, expected = parse_file(ROBOTS[name] / "robot.urdf"), answers(name)
    for path in expected["paths"]:
        found = graph.getShortestPath(path["root"], path["tip"])
        assert found.links == path["links"]
        assert found.joints == path["joints"]
        assert found.active_joints == path["active_joints"]
    for entry in expected["adjacency"]:
        assert graph.getAdjacencyMap(entry["links"]) == entry["map"]


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robots_lists_hold_what_upstream_lists(name: Any) -> None:
    graph = parse_file(ROBOTS[name] / "robot.urdf")
    meta = json.loads((ROBOTS[name] / "meta.json").read_text())
    assert graph.getRoot() == meta["base_link"]
    assert sorted(names(graph.getLinks())) == sorted(meta["link_names"])
    assert sorted(names(graph.getJoints())) == sorted(meta["joint_names"])
    assert sorted(names(graph.getActiveJoints())) == sorted(meta["active_joint_names"])
    check_invariants(graph)


def joint_of(data: dict[str, Any]) -> Joint:
    joint = Joint(data["name"])
    joint.type = JointType[data["type"].upper()]
    joint.parent_link_name, joint.child_link_name = data["parent"], data["child"]
    joint.parent_to_joint_origin_transform = data["origin"]
    if "limits" in data:
        joint.axis = data["axis"]
        joint.limits = JointLimits(*data["limits"])
    return joint


def graph_of(data: dict[str, Any]) -> SceneGraph:
    graph = SceneGraph(data["name"])
    for link in data["links"]:
        graph.addLink(Link(link))
    for joint in data["joints"]:
        assert graph.addJoint(joint_of(joint))
    return graph


def carry_out(graph: SceneGraph, step: dict[str, Any]) -> bool:
    name: Any = step.get("name")
    match step["op"]:
        case "addLink":
            return graph.addLink(Link(step["link"]), joint_of(step["joint"]))
        case "moveLink":
            return graph.moveLink(joint_of(step["joint"]))
        case "replaceJoint":
            joint = joint_of(step["joint"])
            return graph.removeJoint(joint.getName()) and graph.addJoint(joint)
        case "removeLink":
            return graph.removeLink(name, True)
        case "removeJoint":
            return graph.removeJoint(name, True)
        case "moveJoint":
            return graph.moveJoint(name, step["parent_link"])
        case "changeJointOrigin":
            return graph.changeJointOrigin(name, step["new_origin"])
        case "insertSceneGraph":
            return graph.insertSceneGraph(
                graph_of(step["graph"]), joint_of(step["joint"]), step["prefix"]
            )
        case op:
            answer: bool = getattr(graph, op)(name, *step["args"])
            return answer


@pytest.mark.parametrize("name", ROBOTS)
def test_edits_return_what_upstream_returns_and_lead_to_the_same_links(name: Any) -> None:
    steps = json.loads((ROBOTS[name] / "mutations.json").read_text())["sequences"]
    for sequence in steps:
        graph = parse_file(ROBOTS[name] / "robot.urdf")
        for step in sequence:
            if step["op"] == "setState" or step["scene_graph_returns"] is None:
                continue
            before = snapshot(graph)
            assert carry_out(graph, step) is step["scene_graph_returns"], step["kind"]
            check_invariants(graph)
            if step["scene_graph_returns"]:
                assert sorted(names(graph.getLinks())) == sorted(step["after"]["link_names"])
                assert sorted(names(graph.getJoints())) == sorted(step["after"]["joint_names"])
                assert graph.isTree()
            else:
                assert snapshot(graph) == before
