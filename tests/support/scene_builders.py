"""Small graphs built by hand, and random ones."""

from typing import Any

from hypothesis import strategies as st

from kinegraph.scene import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Inertial,
    Isometry3d,
    Joint,
    JointCalibration,
    JointDynamics,
    JointLimits,
    JointMimic,
    JointSafety,
    JointType,
    Link,
    Material,
    Mesh,
    Octree,
    PositionBasedVelocityLimits,
    SceneGraph,
    SignedDistanceField,
    Sphere,
    Visual,
    parseURDFFile,
    parseURDFString,
)

MOVING = (JointType.REVOLUTE, JointType.PRISMATIC, JointType.CONTINUOUS)


def make_joint(
    name: str,
    parent: str,
    child: str,
    kind: JointType = JointType.REVOLUTE,
    origin: Any = None,
) -> Joint:
    """A joint about z with limits of plus and minus 2, where its type has limits."""
    joint = Joint(name)
    joint.type = kind
    joint.parent_link_name = parent
    joint.child_link_name = child
    if origin is not None:
        joint.parent_to_joint_origin_transform = origin
    if kind not in (JointType.FIXED, JointType.FLOATING):
        joint.axis = (0, 0, 1)
        joint.limits = JointLimits(-2.0, 2.0, 10.0, 1.0, 0.5, 1000.0)
    return joint


def at(x: float, y: float = 0.0, z: float = 0.0) -> Isometry3d:
    """A pure translation."""
    return Isometry3d.from_rpy((x, y, z), (0, 0, 0))


def make_graph(*joints: Joint, name: str = "graph") -> Any:
    """A graph of these joints; links are made as they are named.

    Typed as Any, for tests look into optional parts without asking first.
    """
    graph = SceneGraph(name)
    for joint in joints:
        for link in (joint.parent_link_name, joint.child_link_name):
            if graph.getLink(link) is None:
                assert graph.addLink(Link(link))
        assert graph.addJoint(joint)
    return graph


def five_links() -> Any:
    """The graph that tesseract's own tests use: base - link_1 ... link_5, four joint types."""
    return make_graph(
        make_joint("joint_1", "link_1", "link_2", JointType.FIXED, at(1)),
        make_joint("joint_2", "link_2", "link_3", JointType.PLANAR, at(1)),
        make_joint("joint_3", "link_3", "link_4", JointType.FLOATING, at(1)),
        make_joint("joint_4", "link_2", "link_5", JointType.REVOLUTE, at(0, 1)),
        name="five",
    )


def snapshot(graph: SceneGraph) -> tuple[Any, ...]:
    """Everything that a failed call must leave as it was, orders and revision included."""
    return (
        graph.getName(),
        graph.getRoot(),
        graph.revision,
        [link.clone() for link in graph.getLinks()],
        [joint.clone() for joint in graph.getJoints()],
        [[j.getName() for j in graph.getOutboundJoints(k.getName())] for k in graph.getLinks()],
        [[j.getName() for j in graph.getInboundJoints(k.getName())] for k in graph.getLinks()],
        graph.getAllowedCollisionMatrix(),
    )


def check_invariants(graph: SceneGraph) -> None:
    """What must hold for every graph after every edit."""
    links = [link.getName() for link in graph.getLinks()]
    joints = graph.getJoints()
    assert len(set(links)) == len(links)
    for link in links:
        outbound = [j.getName() for j in joints if j.parent_link_name == link]
        inbound = [j.getName() for j in joints if j.child_link_name == link]
        assert [j.getName() for j in graph.getOutboundJoints(link)] == outbound
        assert [j.getName() for j in graph.getInboundJoints(link)] == inbound
    for joint in joints:
        assert joint.parent_link_name in links
        assert joint.child_link_name in links
        assert graph.getJoint(joint.getName()) is joint
    assert (graph.getRoot() in links) if links else graph.getRoot() == ""
    assert sorted(graph.networkx().nodes) == sorted(links)
    assert graph.networkx().number_of_edges() == len(joints)


finite = st.floats(-10, 10, allow_nan=False)
sizes = st.floats(1e-3, 10)
names = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"),
    min_size=1,
    max_size=8,
)
points = st.tuples(finite, finite, finite)
rpy_poses = st.builds(Isometry3d.from_rpy, points, points)
products = st.builds(lambda a, b: a * b, rpy_poses, rpy_poses)
poses = rpy_poses | products | st.just(Isometry3d.Identity())
shapes = st.one_of(
    st.builds(Sphere, sizes),
    st.builds(Box, sizes, sizes, sizes),
    st.builds(Cylinder, sizes, sizes),
    st.builds(Capsule, sizes, sizes),
    st.builds(Cone, sizes, sizes),
    st.builds(Mesh, names, st.tuples(sizes, sizes, sizes), st.booleans()),
    st.builds(SignedDistanceField, names, st.tuples(sizes, sizes, sizes)),
    st.builds(
        Octree,
        names,
        st.sampled_from(["box", "sphere_inside", "sphere_outside"]),
        st.booleans(),
        st.none() | sizes,
    ),
)


@st.composite
def materials(draw: st.DrawFn) -> Material:
    """Few names, so that the same name with other colours comes up."""
    material = Material(draw(st.sampled_from(["", "red", "default_tesseract_material", "a&b"])))
    material.color = draw(st.tuples(*[st.floats(0, 1)] * 4))
    material.texture_filename = draw(st.sampled_from(["", "package://p/t.png"]))
    return material


@st.composite
def links(draw: st.DrawFn, name: str) -> Link:
    """A link with inertial, visuals and collisions."""
    link = Link(name)
    if draw(st.booleans()):
        inertial = link.inertial = Inertial()
        inertial.origin = draw(poses)
        inertial.mass = draw(sizes)
        for field in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"):
            setattr(inertial, field, draw(finite))
    for _ in range(draw(st.integers(0, 2))):
        visual = Visual()
        visual.name = draw(st.sampled_from(["", "v", "w"]))
        visual.origin, visual.geometry = draw(poses), draw(shapes)
        if draw(st.booleans()):
            visual.material = draw(materials())
        link.addVisual(visual)
    for _ in range(draw(st.integers(0, 2))):
        collision = Collision()
        collision.name = draw(st.sampled_from(["", "c"]))
        collision.origin, collision.geometry = draw(poses), draw(shapes)
        link.addCollision(collision)
    return link


@st.composite
def joints(draw: st.DrawFn, name: str, parent: str, child: str) -> Joint:
    """A joint of any type that URDF has, with any of its parts."""
    kinds = [kind for kind in JointType if kind is not JointType.UNKNOWN]
    joint = make_joint(name, parent, child, draw(st.sampled_from(kinds)), draw(poses))
    if joint.limits is not None:
        joint.axis = draw(points)
        low, high = sorted((draw(finite), draw(finite)))
        joint.limits = JointLimits(low, high, *(draw(sizes) for _ in range(4)))
        if draw(st.booleans()) and joint.type is JointType.CONTINUOUS:
            joint.limits = None
    if draw(st.booleans()):
        joint.dynamics = JointDynamics(draw(finite), draw(finite))
    if draw(st.booleans()):
        joint.safety = JointSafety(*(draw(finite) for _ in range(4)))
    if draw(st.booleans()):
        joint.calibration = JointCalibration(*(draw(finite) for _ in range(3)))
    if draw(st.booleans()):
        joint.position_based_velocity_limits = PositionBasedVelocityLimits(
            draw(finite), draw(finite)
        )
    return joint


@st.composite
def trees(draw: st.DrawFn, max_links: int = 8) -> SceneGraph:
    """A random tree with everything on it; its root need not be its first link."""
    labels = draw(st.lists(names, min_size=1, max_size=max_links, unique=True))
    graph = SceneGraph(draw(st.text("ab <&\"'é", max_size=4)))
    made = {}
    for index in range(1, len(labels)):
        parent = labels[draw(st.integers(0, index - 1))]
        made[f"j{index}"] = draw(joints(f"j{index}", parent, labels[index]))
    for label in draw(st.permutations(labels)):
        graph.addLink(draw(links(label)))
    graph.setRoot(labels[0])
    for number, (name, joint) in enumerate(made.items()):
        if number and draw(st.booleans()):
            joint.mimic = JointMimic(draw(finite), draw(finite), f"j{number}")
        assert graph.addJoint(joint), name
    return graph


parse_string: Any = parseURDFString
parse_file: Any = parseURDFFile
"""The readers, typed as Any, for tests look into optional parts without asking first."""
