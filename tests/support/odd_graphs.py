"""Random trees made to be hard to write down: odd names, extreme numbers, every part anywhere."""

import math
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
)

CONTROLS = "".join(map(chr, [*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF]))
"""What XML has no way to write."""

letters = st.characters(exclude_categories=["Cs"], exclude_characters=CONTROLS)
odd = [" ", "\t", "\r\n", "\n", "<", "&amp;", "&#10;", '"', "'", "]]>", "<!--", "-->", "a\x85b"]
odd += ["a\u2028b", "\ufeff", "tesseract:x", 'kinegraph:rotation=""', "e\u0301", "\U0001d518", "%s"]
texts = st.text(letters, max_size=5) | st.sampled_from(odd)
names = texts.filter(lambda text: text != "")
extreme = [0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 1 / 3]
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(extreme)
amounts = numbers.map(abs)
sizes = amounts.filter(lambda number: number > 0.0)
angles = numbers | st.floats(-4, 4)
right = st.sampled_from([0.0, -0.0, math.pi / 2, -math.pi / 2, math.pi, 1e-9])
scales = st.tuples(sizes, sizes, sizes)
triples = st.tuples(numbers, numbers, numbers)
shapes = st.one_of(
    st.builds(Sphere, sizes),
    st.builds(Box, sizes, sizes, sizes),
    st.builds(Cylinder, sizes, sizes),
    st.builds(Capsule, sizes, sizes),
    st.builds(Cone, sizes, sizes),
    st.builds(Mesh, names, scales, st.booleans()),
    st.builds(SignedDistanceField, names, scales),
    st.builds(
        Octree,
        names,
        st.sampled_from(["box", "sphere_inside", "sphere_outside"]),
        st.booleans(),
        st.none() | sizes,
    ),
)


@st.composite
def poses(draw: st.DrawFn) -> Isometry3d:
    """From angles, from a quaternion, or from a matrix that remembers neither."""
    translation = draw(triples)
    pose = Isometry3d.from_rpy(translation, draw(st.tuples(angles, angles, angles)))
    kind = draw(st.integers(0, 3))
    if kind == 1:
        pose = Isometry3d.from_rpy(translation, draw(st.tuples(right, right, right)))
    if kind == 2:
        pose = Isometry3d.from_quaternion(translation, pose.quat_xyzw)
    return Isometry3d(pose.matrix) if kind == 3 else pose


@st.composite
def materials(draw: st.DrawFn) -> Material:
    """Few names, so that the same name with another content comes up."""
    material = Material(draw(st.sampled_from(["", "m", "<", "default_tesseract_material"])))
    if draw(st.booleans()):
        material.color = draw(st.tuples(*[numbers] * 4))
    if draw(st.booleans()):
        material.texture_filename = draw(texts)
    return material


@st.composite
def links(draw: st.DrawFn, name: str) -> Link:
    """With inertial, visuals and collisions."""
    link = Link(name)
    if draw(st.booleans()):
        inertial = link.inertial = Inertial()
        inertial.origin, inertial.mass = draw(poses()), draw(amounts)
        for field in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"):
            setattr(inertial, field, draw(numbers))
    for _ in range(draw(st.integers(0, 2))):
        visual = Visual()
        visual.name, visual.origin, visual.geometry = draw(texts), draw(poses()), draw(shapes)
        visual.material = draw(materials())
        link.addVisual(visual)
    for _ in range(draw(st.integers(0, 2))):
        shape = Collision()
        shape.name, shape.origin, shape.geometry = draw(texts), draw(poses()), draw(shapes)
        link.addCollision(shape)
    return link


def maybe(draw: st.DrawFn, cls: Any, count: int) -> Any:
    """A part of `count` numbers, or None."""
    return cls(*(draw(numbers) for _ in range(count))) if draw(st.booleans()) else None


@st.composite
def joints(draw: st.DrawFn, name: str, parent: str, child: str) -> Joint:
    """Of any type that URDF has, with any of its parts."""
    joint = Joint(name)
    joint.type = draw(st.sampled_from([kind for kind in JointType if kind]))
    joint.parent_link_name, joint.child_link_name = parent, child
    joint.parent_to_joint_origin_transform = draw(poses())
    if joint.type not in (JointType.FIXED, JointType.FLOATING):
        joint.axis = draw(triples)
        low, high = sorted((draw(numbers), draw(numbers)))
        joint.limits = JointLimits(low, high, *(draw(amounts) for _ in range(4)))
    joint.dynamics = maybe(draw, JointDynamics, 2)
    joint.safety = maybe(draw, JointSafety, 4)
    joint.calibration = maybe(draw, JointCalibration, 3)
    joint.position_based_velocity_limits = maybe(draw, PositionBasedVelocityLimits, 2)
    return joint


@st.composite
def odd_trees(draw: st.DrawFn) -> SceneGraph:
    """A tree of up to five links, in any order, with mimic rules."""
    labels: list[str] = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    titles = draw(st.lists(names, min_size=5, max_size=5, unique=True))
    graph = SceneGraph(draw(texts))
    for label in draw(st.permutations(labels)):
        graph.addLink(draw(links(label)))
    graph.setRoot(labels[0])
    masters: list[str] = []
    for index in draw(st.permutations(range(1, len(labels)))):
        parent = labels[draw(st.integers(0, index - 1))]
        joint = draw(joints(titles[index], parent, labels[index]))
        if draw(st.booleans()) and masters:
            master = draw(st.sampled_from(masters))
            joint.mimic = JointMimic(draw(numbers), draw(numbers), master)
        assert graph.addJoint(joint)
        masters.append(titles[index])
    return graph
