"""Random sequences of edits, most of which do not fit: the graph stays consistent throughout."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from scene_builders import at, check_invariants, make_joint, snapshot

from kinegraph.scene import JointLimits, JointType, KinegraphError, Link, SceneGraph

links = st.sampled_from(["a", "b", "c", "d", "e"])
joints = st.sampled_from(["j1", "j2", "j3", "j4"])
kinds = st.sampled_from(list(JointType))
prefixes = st.sampled_from(["", "p_"])
numbers = st.sampled_from([-1.0, 0.0, 1.0, float("nan")])
flags = st.booleans()
new_joints = st.builds(make_joint, joints, links, links, kinds, st.builds(at, st.floats(-3, 3)))
new_links = st.builds(Link, links)


@st.composite
def graphs(draw: st.DrawFn) -> SceneGraph:
    graph = SceneGraph("other")
    for name in draw(st.lists(links, unique=True, max_size=3)):
        graph.addLink(Link(name))
    for joint in draw(st.lists(new_joints, max_size=2)):
        graph.addJoint(joint)
    return graph


EDITS: dict[str, list[st.SearchStrategy[Any]]] = {
    "addLink": [new_links, new_joints | flags],
    "addJoint": [new_joints],
    "removeLink": [links, flags],
    "removeJoint": [joints, flags],
    "moveLink": [new_joints],
    "moveJoint": [joints, links],
    "setRoot": [links],
    "changeJointOrigin": [joints, st.builds(at, st.floats(-3, 3))],
    "changeJointLimits": [joints, st.builds(JointLimits, numbers, numbers)],
    "changeJointPositionLimits": [joints, numbers, numbers],
    "changeJointVelocityLimits": [joints, numbers],
    "insertSceneGraph": [graphs(), prefixes | new_joints, prefixes],
}
edits = st.one_of([st.tuples(st.just(name), *arguments) for name, arguments in EDITS.items()])


@given(st.lists(edits, max_size=25))
@settings(max_examples=200, deadline=None)
def test_an_edit_is_made_whole_or_not_at_all(sequence: Any) -> None:
    graph = SceneGraph("graph")
    graph.addLink(Link("a"))
    for name, *arguments in sequence:
        before = snapshot(graph)
        try:
            done = getattr(graph, name)(*arguments)
        except KinegraphError:
            done = False
        check_invariants(graph)
        if done:
            assert graph.revision > before[2]
        else:
            assert snapshot(graph) == before
        assert graph.isTree() == _is_tree(graph)


def _is_tree(graph: SceneGraph) -> bool:
    """Count: one root, one joint above every other link, and no ring."""
    names = [link.getName() for link in graph.getLinks()]
    roots = [name for name in names if not graph.getInboundJoints(name)]
    above = [len(graph.getInboundJoints(name)) for name in names if name not in roots]
    return not names or (len(roots) == 1 and set(above) <= {1} and graph.isAcyclic())
