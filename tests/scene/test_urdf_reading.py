"""Every element and attribute of URDF: what is read, what is refused and where the error points."""

import logging
import math
from typing import Any

import numpy as np
import pytest
from scene_builders import parse_file, parse_string

from kinegraph.scene import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    GeneralResourceLocator,
    GeometryType,
    Isometry3d,
    JointCalibration,
    JointDynamics,
    JointLimits,
    JointSafety,
    JointType,
    Material,
    Mesh,
    Octree,
    PositionBasedVelocityLimits,
    SignedDistanceField,
    Sphere,
    URDFError,
)

LIMIT = '<limit lower="-1" upper="2" effort="3" velocity="4"/>'


def robot(body: str, head: str = 'name="r"') -> str:
    return f"<robot {head}>\n{body}\n</robot>"


def with_joint(inside: str, kind: str = "revolute", links: str = "ab") -> str:
    made = "".join(f'<link name="{name}"/>' for name in links)
    joint = f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>\n{inside}</joint>'
    return robot(f"{made}\n{joint}")


def read_joint(inside: str, kind: str = "revolute") -> Any:
    joint = parse_string(with_joint(inside, kind)).getJoint("j")
    assert joint is not None
    return joint


def read_link(inside: str, materials: str = "", head: str = 'name="r"') -> Any:
    text = robot(f'{materials}<link name="a">\n{inside}\n</link>', head)
    link = parse_string(text).getLink("a")
    assert link is not None
    return link


def read_shape(shape: str, head: str = 'name="r"') -> Any:
    text = f"<collision><geometry>{shape}</geometry></collision>"
    return read_link(text, head=head).collision[0].geometry


def refusal(text: str) -> URDFError:
    with pytest.raises(URDFError) as error:
        parse_string(text)
    return error.value


def test_an_error_says_file_line_element_attribute_value_and_what_was_expected(
    tmp_path: Any,
) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(with_joint(f'<origin xyz="1 2"/>{LIMIT}'))
    with pytest.raises(URDFError) as error:
        parse_file(file)
    assert str(error.value) == (
        f"{file}:4: robot 'r' / joint 'j' / origin: attribute xyz='1 2' "
        "is not 3 numbers separated by blanks"
    )
    assert (error.value.file, error.value.line) == (str(file), 4)
    assert error.value.element == "robot 'r' / joint 'j' / origin"
    assert (error.value.attribute, error.value.value) == ("xyz", "1 2")


def test_an_error_in_a_text_counts_the_lines_in_front_too() -> None:
    error = refusal("\n\n  " + robot("<link/>"))
    assert error.line == 4
    assert error.file is None
    assert str(error).startswith("<string>:4: robot 'r' / link: attribute name is missing")


def test_a_revolute_joint_is_read_whole() -> None:
    joint = read_joint(
        '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="0 3 4"/>'
        '<limit lower="-1" upper="2" effort="3" velocity="4" acceleration="5" jerk="6"/>'
        '<dynamics damping="1" friction="2"/>'
        '<safety_controller soft_upper_limit="1" soft_lower_limit="-1" k_position="2"'
        ' k_velocity="3"/><calibration rising="1" falling="2"/>'
        '<position_based_velocity_limits velocity_offset="0.5" deceleration_limit="6"/>'
    )
    assert joint.type is JointType.REVOLUTE
    origin = Isometry3d.from_rpy([1, 2, 3], [0.1, 0.2, 0.3])
    assert joint.parent_to_joint_origin_transform == origin
    assert joint.axis.tolist() == [0, 3, 4]
    assert joint.limits == JointLimits(-1, 2, 3, 4, 5, 6)
    assert joint.dynamics == JointDynamics(1, 2)
    assert joint.safety == JointSafety(1, -1, 2, 3)
    assert joint.calibration == JointCalibration(0, 1, 2)
    assert joint.position_based_velocity_limits == PositionBasedVelocityLimits(0.5, 6)


def test_limits_left_out_have_defaults() -> None:
    assert read_joint('<limit effort="3" velocity="4"/>').limits == JointLimits(0, 0, 3, 4, 2, 1000)
    assert read_joint("", "planar").limits is None
    assert read_joint(LIMIT, "planar").limits == JointLimits(-1, 2, 3, 4, 2, 1000)
    continuous = read_joint('<limit lower="1" upper="1" effort="3" velocity="4"/>', "continuous")
    assert continuous.limits == JointLimits(-4 * math.pi, 4 * math.pi, 3, 4, 2, 1000)
    assert read_joint("", "continuous").limits == JointLimits(-4 * math.pi, 4 * math.pi)


@pytest.mark.parametrize("kind", ["fixed", "floating"])
def test_axis_and_limit_of_a_joint_without_value_are_not_looked_at(kind: Any) -> None:
    joint = read_joint('<axis xyz="no numbers"/><limit lower="x"/>', kind)
    assert joint.limits is None
    assert joint.axis.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('xyz="1 2 3"', Isometry3d.from_rpy([1, 2, 3], [0, 0, 0])),
        ('rpy="0.1 0.2 0.3"', Isometry3d.from_rpy([0, 0, 0], [0.1, 0.2, 0.3])),
        ('xyz="1 2 3" wxyz="1 0 0 0"', Isometry3d.from_rpy([1, 2, 3], [0, 0, 0])),
        ('wxyz="2 0 0 2" rpy="1 1 1"', Isometry3d.from_rpy([0, 0, 0], [0, 0, math.pi / 2])),
        ('xyz="  1\t2\n 3 "', Isometry3d.from_rpy([1, 2, 3], [0, 0, 0])),
        ('xyz="+1e0 .2E1 3."', Isometry3d.from_rpy([1, 2, 3], [0, 0, 0])),
    ],
)
def test_origins_are_read_in_all_their_forms(text: Any, expected: Any) -> None:
    origin = read_joint(f"<origin {text}/>", "fixed").parent_to_joint_origin_transform
    np.testing.assert_allclose(origin.matrix, expected.matrix, atol=1e-15)


def test_an_origin_that_repeats_is_read_once() -> None:
    text = robot(
        '<link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/>'
        '<origin xyz="1 2 3" rpy="1 2 3"/></joint>'
        '<joint name="k" type="fixed"><parent link="a"/><child link="c"/>'
        '<origin xyz="1 2 3" rpy="1 2 3"/></joint>'
    )
    first, second = parse_string(text).getJoints()
    assert first.parent_to_joint_origin_transform is second.parent_to_joint_origin_transform


BAD_NUMBERS = [
    "",
    "x",
    "nan",
    "inf",
    "-inf",
    "1e999",
    "0x10",
    "1_0",
    "1,5",
    "1 2",
    "\uff11",
    "1d0",
    "--1",
]


@pytest.mark.parametrize("bad", BAD_NUMBERS)
@pytest.mark.parametrize(
    ("attribute", "element"),
    [
        ("lower", '<limit lower="{}" upper="9" effort="3" velocity="4"/>'),
        ("upper", '<limit lower="-9" upper="{}" effort="3" velocity="4"/>'),
        ("effort", '<limit effort="{}" velocity="4"/>'),
        ("velocity", '<limit effort="3" velocity="{}"/>'),
        ("acceleration", '<limit effort="3" velocity="4" acceleration="{}"/>'),
        ("jerk", '<limit effort="3" velocity="4" jerk="{}"/>'),
        ("damping", f'{LIMIT}<dynamics damping="{{}}"/>'),
        ("friction", f'{LIMIT}<dynamics friction="{{}}"/>'),
        ("k_velocity", f'{LIMIT}<safety_controller k_velocity="{{}}"/>'),
        ("k_position", f'{LIMIT}<safety_controller k_velocity="1" k_position="{{}}"/>'),
        ("soft_lower_limit", f'{LIMIT}<safety_controller k_velocity="1" soft_lower_limit="{{}}"/>'),
        ("rising", f'{LIMIT}<calibration rising="{{}}"/>'),
        ("falling", f'{LIMIT}<calibration falling="{{}}"/>'),
        ("offset", f'{LIMIT}<mimic joint="k" offset="{{}}"/>'),
        ("multiplier", f'{LIMIT}<mimic joint="k" multiplier="{{}}"/>'),
        (
            "velocity_offset",
            f'{LIMIT}<position_based_velocity_limits velocity_offset="{{}}"'
            ' deceleration_limit="1"/>',
        ),
    ],
)
def test_a_malformed_number_is_refused_wherever_it_stands(
    bad: Any, attribute: Any, element: Any
) -> None:
    error = refusal(with_joint(element.format(bad)))
    assert (error.attribute, error.value) == (attribute, bad)
    assert error.line == 4
    assert error.element.startswith("robot 'r' / joint 'j' / ")


@pytest.mark.parametrize(
    "bad", ["", "1", "1 2", "1 2 3 4", "1,2,3", "a b c", "1 nan 3", "1 2 1e400"]
)
@pytest.mark.parametrize("place", ["origin xyz", "origin rpy", "axis xyz"])
def test_a_vector_needs_its_count_of_numbers(bad: Any, place: Any) -> None:
    element, attribute = place.split()
    error = refusal(with_joint(f'<{element} {attribute}="{bad}"/>{LIMIT}'))
    assert (error.attribute, error.value) == (attribute, bad)
    assert error.element.endswith(element)


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<origin/>" + LIMIT, ["origin", "at least one of xyz, rpy, wxyz"]),
        ('<origin wxyz="0 0 0 0"/>' + LIMIT, ["wxyz", "norm"]),
        ('<origin wxyz="1 0 0"/>' + LIMIT, ["wxyz", "4 numbers"]),
        ("<axis/>" + LIMIT, ["axis", "xyz", "missing"]),
        ("", ["<limit>", "revolute"]),
        ('<limit velocity="1"/>', ["effort", "missing"]),
        ('<limit effort="1"/>', ["velocity", "missing"]),
        ('<limit lower="2" upper="1" effort="1" velocity="1"/>', ["lower", "greater", "upper='1'"]),
        ('<limit lower="2" effort="1" velocity="1"/>', ["lower='2'", "upper='0'"]),
        ('<limit effort="1" velocity="-1"/>', ["velocity='-1'", "negative"]),
        ('<limit effort="-1" velocity="1"/>', ["effort='-1'", "negative"]),
        ('<limit effort="1" velocity="1" jerk="-1"/>', ["jerk='-1'", "negative"]),
        (LIMIT + "<dynamics/>", ["at least one of damping, friction"]),
        (LIMIT + "<calibration/>", ["at least one of rising, falling"]),
        (LIMIT + "<safety_controller/>", ["k_velocity", "missing"]),
        (LIMIT + "<mimic/>", ["mimic", "joint", "missing"]),
        (LIMIT + '<mimic joint="jj"/>', ["'jj'", "does not exist"]),
        (LIMIT + '<mimic joint="j"/>', ["circle", "'j' -> 'j'"]),
        (LIMIT + "<position_based_velocity_limits/>", ["velocity_offset", "missing"]),
    ],
)
def test_a_broken_part_of_a_joint_is_refused(inside: Any, words: Any) -> None:
    error = refusal(with_joint(inside))
    assert all(word in str(error) for word in ["joint 'j'", *words])


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        ('<joint type="fixed"/>', ["joint", "name"]),
        ('<joint name="" type="fixed"/>', ["joint", "name"]),
        ('<joint name="j"><parent link="a"/><child link="b"/></joint>', ["type", "missing"]),
        ('<joint name="j" type="Fixed"/>', ["type='Fixed'", "revolute, continuous"]),
        ('<joint name="j" type="fixed"><child link="b"/></joint>', ["<parent>"]),
        ('<joint name="j" type="fixed"><parent link="a"/></joint>', ["<child>"]),
        ('<joint name="j" type="fixed"><parent/><child link="b"/></joint>', ["parent", "link"]),
        (
            '<joint name="j" type="fixed"><parent link="aa"/><child link="b"/></joint>',
            ["link='aa'", "does not exist"],
        ),
        (
            '<joint name="j" type="fixed"><parent link="a"/><child link="a"/></joint>',
            ["same link 'a'", "cycle"],
        ),
    ],
)
def test_a_joint_needs_name_type_and_two_links(joint: Any, words: Any) -> None:
    error = refusal(robot(f'<link name="a"/><link name="b"/>{joint}'))
    assert all(word in str(error) for word in words)


def test_a_circle_of_mimic_rules_is_refused_and_a_chain_is_not() -> None:
    def chain(*masters: str) -> str:
        links = '<link name="l0"/>'
        for number, master in enumerate(masters):
            mimic = f'<mimic joint="{master}"/>' if master else ""
            links += (
                f'<link name="l{number + 1}"/><joint name="j{number}" type="continuous">'
                f'<parent link="l{number}"/><child link="l{number + 1}"/>{mimic}</joint>'
            )
        return robot(links)

    graph = parse_string(chain("", "j2", "j0", "j1"))
    assert graph.getJoint("j3").mimic.joint_name == "j1"
    error = refusal(chain("", "j2", "j3", "j1"))
    assert "'j1' -> 'j2' -> 'j3' -> 'j1'" in str(error)


def test_the_trees_faults_are_named() -> None:
    def joints(*pairs: str) -> str:
        links = "".join(f'<link name="{name}"/>' for name in sorted(set("".join(pairs))))
        return robot(
            links
            + "".join(
                f'<joint name="{p}{c}" type="fixed"><parent link="{p}"/><child link="{c}"/></joint>'
                for p, c in map(tuple, pairs)
            )
        )

    assert "'b' has more than one parent: 'a' (joint 'ab') and 'c'" in str(
        refusal(joints("ab", "cb"))
    )
    assert "2 links have no parent" in str(refusal(joints("ab", "cd")))
    assert "(there is no cycle)" in str(refusal(joints("ab", "cd")))
    assert "cycle: 'a' ('ab') -> 'b' ('bc') -> 'c' ('ca') -> 'a'" in str(
        refusal(joints("ab", "bc", "ca"))
    )
    assert "cycle: 'b' ('bc') -> 'c' ('cb') -> 'b'" in str(
        refusal(robot('<link name="a"/>' + joints("bc", "cb")[len('<robot name="r">') : -8]))
    )


def test_a_root_need_not_come_first_nor_links_before_joints() -> None:
    graph = parse_string(
        robot(
            '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
            '<link name="b"/><link name="a"/>'
        )
    )
    assert graph.getRoot() == "a"
    assert [link.getName() for link in graph.getLinks()] == ["b", "a"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (robot(""), ["<link>"]),
        (robot('<link name="a"/>', ""), ["robot", "name", "missing"]),
        (robot("<link/>"), ["link", "name"]),
        (robot('<link name=""/>'), ["link", "name"]),
        (robot('<link name="a"/><link name="a"/>'), ["link 'a'", "another link"]),
        (robot('<link name="a"/>', 'name="r" version="2"'), ["version='2'"]),
        (robot('<link name="a"/>', 'name="r" version="x"'), ["version='x'"]),
        (robot('<link name="a"/>', 'name="r" version="1.x"'), ["version='1.x'"]),
        (robot('<link name="a"/>', 'name="r" tesseract:make_convex="maybe"'), ["make_convex"]),
        ("<sdf/>", ["sdf", "<robot>"]),
    ],
)
def test_a_robot_needs_a_name_links_and_a_known_version(text: Any, words: Any) -> None:
    error = refusal(text)
    assert all(word in str(error) for word in words)


@pytest.mark.parametrize("head", ['name="r"', 'name=""', 'name="r" version="1.0"'])
def test_a_single_link_is_a_robot(head: Any) -> None:
    graph = parse_string(robot('<link name="a"/>', head))
    assert graph.getRoot() == "a"


def test_an_inertial_is_read_whole() -> None:
    inertial = read_link(
        '<inertial><origin xyz="1 2 3"/><mass value="2"/>'
        '<inertia izz="6" ixx="1" ixy="2" ixz="3" iyy="4" iyz="5"/></inertial>'
    ).inertial
    assert inertial.origin.translation.tolist() == [1, 2, 3]
    numbers = [
        getattr(inertial, name) for name in ("mass", "ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    ]
    assert numbers == [2, 1, 2, 3, 4, 5, 6]
    assert read_link("").inertial is None


INERTIA = '<inertia ixx="1" ixy="2" ixz="3" iyy="4" iyz="5" izz="6"/>'


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        (INERTIA, ["inertial", "<mass>"]),
        ('<mass value="1"/>', ["inertial", "<inertia>"]),
        ("<mass/>" + INERTIA, ["mass", "value", "missing"]),
        ('<mass value="x"/>' + INERTIA, ["value='x'"]),
        ('<mass value="-1"/>' + INERTIA, ["value='-1'", "negative"]),
        ('<mass value="1"/>' + INERTIA.replace('iyz="5" ', ""), ["iyz", "missing"]),
        ('<mass value="1"/>' + INERTIA.replace('"5"', '"five"'), ["iyz='five'"]),
        ('<origin/><mass value="1"/>' + INERTIA, ["origin", "at least one"]),
    ],
)
def test_a_broken_inertial_is_refused(inside: Any, words: Any) -> None:
    error = refusal(robot(f'<link name="a"><inertial>{inside}</inertial></link>'))
    assert all(word in str(error) for word in ["link 'a' / inertial", *words])


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ('<box size="1 2 3"/>', Box(1, 2, 3)),
        ('<box size=" 1  2 3 " colour="red"/>', Box(1, 2, 3)),
        ('<sphere radius="0.5"/>', Sphere(0.5)),
        ('<cylinder radius="1" length="2"/>', Cylinder(1, 2)),
        ('<capsule radius="1" length="2"/>', Capsule(1, 2)),
        ('<tesseract:capsule radius="1" length="2"/>', Capsule(1, 2)),
        ('<cone radius="1" length="2"/>', Cone(1, 2)),
        ('<tesseract:cone radius="1" length="2"/>', Cone(1, 2)),
        ('<mesh filename="package://p/a.stl"/>', Mesh("package://p/a.stl")),
        ('<mesh filename="a" scale="1 2 3"/>', Mesh("a", (1, 2, 3))),
        ('<mesh filename="a" tesseract:make_convex="true"/>', Mesh("a", make_convex=True)),
        ('<tesseract:signed_distance_field filename="a.vdb"/>', SignedDistanceField("a.vdb")),
        (
            '<tesseract:octomap shape_type="box" prune="true"><tesseract:octree filename="a.bt"/>'
            "</tesseract:octomap>",
            Octree("a.bt", "box", True),
        ),
        (
            '<tesseract:octomap shape_type="sphere_inside"><tesseract:point_cloud'
            ' filename="a.pcd" resolution="0.1"/></tesseract:octomap>',
            Octree("a.pcd", "sphere_inside", False, 0.1),
        ),
    ],
)
def test_shapes_are_read_with_and_without_declared_prefix(text: Any, shape: Any) -> None:
    assert read_shape(text) == shape
    assert read_shape(text, 'name="r" xmlns:tesseract="http://ros.org/wiki/tesseract"') == shape


def test_the_robots_make_convex_holds_for_collision_meshes_that_say_nothing() -> None:
    mesh = '<geometry><mesh filename="a"/></geometry>'
    own = '<geometry><mesh filename="a" tesseract:make_convex="false"/></geometry>'
    link = read_link(
        f"<visual>{mesh}</visual><collision>{mesh}</collision><collision>{own}</collision>",
        head='name="r" tesseract:make_convex="true"',
    )
    assert link.visual[0].geometry.getType() is GeometryType.MESH
    assert [c.geometry.make_convex for c in link.collision] == [True, False]


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("", ["geometry", "empty"]),
        ("<torus/>", ["<torus>", "sphere"]),
        ("<box/>", ["box", "size", "missing"]),
        ('<box size="1 2"/>', ["size='1 2'"]),
        ('<box size="1 2 x"/>', ["size='1 2 x'"]),
        ('<box size="1 0 1"/>', ["> 0"]),
        ('<sphere radius="-1"/>', ["radius='-1'", "> 0"]),
        ("<sphere/>", ["radius", "missing"]),
        ('<cylinder radius="1"/>', ["length", "missing"]),
        ('<cylinder radius="1" length="0"/>', ["length='0'", "> 0"]),
        ('<capsule length="1"/>', ["radius", "missing"]),
        ('<cone radius="x" length="1"/>', ["radius='x'"]),
        ("<mesh/>", ["filename", "missing"]),
        ('<mesh filename=""/>', ["filename", "empty"]),
        ('<mesh filename="a" scale="1 0 1"/>', ["scale='1 0 1'"]),
        ('<mesh filename="a" scale="1"/>', ["scale='1'"]),
        ('<mesh filename="a" tesseract:make_convex="yes"/>', ["make_convex='yes'"]),
        ("<octomap/>", ["shape_type", "missing"]),
        ('<octomap shape_type="cube"/>', ["shape_type='cube'", "sphere_inside"]),
        ('<octomap shape_type="box"/>', ["<octree>", "<point_cloud>"]),
        ('<octomap shape_type="box"><point_cloud filename="a"/></octomap>', ["resolution"]),
        ('<signed_distance_field scale="1 1 1"/>', ["filename", "missing"]),
    ],
)
def test_a_broken_shape_is_refused(shape: Any, words: Any) -> None:
    text = f'<link name="a"><collision><geometry>{shape}</geometry></collision></link>'
    error = refusal(robot(text))
    assert all(word in str(error) for word in ["link 'a' / collision / geometry", *words])


def test_visuals_and_collisions_come_with_names_and_origins() -> None:
    box = '<geometry><box size="1 1 1"/></geometry>'
    link = read_link(
        f'<visual name="v">{box}<origin xyz="1 2 3"/></visual><visual>{box}</visual>'
        f'<collision name="c"><origin xyz="3 2 1"/>{box}</collision>'
    )
    assert [visual.name for visual in link.visual] == ["v", ""]
    assert link.visual[0].origin.translation.tolist() == [1, 2, 3]
    assert link.visual[1].material == Material()
    assert link.collision[0].name == "c"
    for kind in ("visual", "collision"):
        error = refusal(robot(f'<link name="a"><{kind}/></link>'))
        assert f"link 'a' / {kind}: has no <geometry>" in str(error)


GREEN = '<material name="m"><color rgba="0 1 0 0.5"/></material>'
VISUAL = '<visual><geometry><box size="1 1 1"/></geometry>{}</visual>'


def test_materials_are_found_by_name_among_those_read_so_far() -> None:
    by_name = VISUAL.format('<material name="m"/>')
    red = VISUAL.format('<material name="m"><color rgba="1 0 0 1"/></material>')
    for link in (read_link(by_name, GREEN), read_link(VISUAL.format(GREEN) + by_name)):
        assert link.visual[-1].material.color.tolist() == [0, 1, 0, 0.5]
    link = read_link(by_name + red + by_name, GREEN)
    assert [v.material.color.tolist()[0] for v in link.visual] == [0, 1, 1]
    late = robot(f'<link name="a">{by_name}</link>{GREEN}')
    assert parse_string(late).getLink("a").visual[0].material.getName() == "m"
    twice = GREEN + GREEN.replace("0 1 0 0.5", "0 0 1 1")
    assert read_link(by_name, twice).visual[0].material.color.tolist() == [0, 0, 1, 1]


def test_a_texture_without_colour_is_grey() -> None:
    link = read_link(VISUAL.format('<material name=""><texture filename="t.png"/></material>'))
    material = link.visual[0].material
    assert (material.getName(), material.texture_filename) == ("", "t.png")
    assert material.color.tolist() == [0.5, 0.5, 0.5, 1]


@pytest.mark.parametrize(
    ("material", "words"),
    [
        ('<material name="n"/>', ["name='n'", "not defined"]),
        ('<material name=""/>', ["name=''", "not defined"]),
        ("<material/>", ["name", "missing"]),
        ('<material name="m"><color rgba="1 0 0"/></material>', ["rgba='1 0 0'", "4 numbers"]),
        ('<material name="m"><color/></material>', ["rgba", "missing"]),
        ('<material name="m"><texture/></material>', ["filename", "missing"]),
    ],
)
def test_a_broken_material_is_refused(material: Any, words: Any) -> None:
    error = refusal(robot(f'<link name="a">{VISUAL.format(material)}</link>'))
    assert all(word in str(error) for word in words)
    assert "link 'a' / visual / material" in str(error)


def test_a_global_material_needs_colour_or_texture() -> None:
    error = refusal(robot('<material name="m"/><link name="a"/>'))
    assert "material 'm': needs a <color> or a <texture>" in str(error)


def test_unknown_and_repeated_elements_are_ignored_with_one_warning_per_kind(caplog: Any) -> None:
    text = robot(
        '<link name="a"><sensor/><inertial><mass value="1"/><mass value="2"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>\n'
        "<gazebo/><gazebo/><xacro:macro/>"
    )
    with caplog.at_level(logging.WARNING, "kinegraph.scene"):
        graph = parse_string(text)
    assert graph.getLink("a").inertial.mass == 1
    messages = sorted(record.getMessage() for record in caplog.records)
    assert messages == [
        "<string>:2: ignored repeated <mass> in robot 'r' / link 'a' / inertial (1 in the file)",
        "<string>:2: ignored unknown <sensor> in robot 'r' / link 'a' (1 in the file)",
        "<string>:3: ignored unknown <gazebo> in robot 'r' (2 in the file)",
        "<string>:3: ignored unknown <xacro:macro> in robot 'r' (1 in the file)",
    ]


def test_meshes_are_looked_for_only_on_request(tmp_path: Any) -> None:
    (tmp_path / "part.stl").touch()
    locator = GeneralResourceLocator([tmp_path], ())
    text = '<link name="a"><collision><geometry><mesh filename="{}"/></geometry></collision></link>'
    found = robot(text.format(f"package://{tmp_path.name}/part.stl"))
    missing = robot(text.format(f"package://{tmp_path.name}/nope.stl"))
    assert parse_string(found, locator, strict_meshes=True).getLink("a") is not None
    parse_string(missing, locator)
    for locate in (locator, None):
        with pytest.raises(
            URDFError, match=r"mesh: attribute filename='package.*cannot|can be found"
        ):
            parse_string(missing, locate, strict_meshes=True)


def test_nothing_but_text_is_read() -> None:
    for bad in (None, 3, ["<robot/>"]):
        with pytest.raises(TypeError, match="str or bytes"):
            parse_string(bad)


def test_a_file_that_cannot_be_read_is_a_urdf_error(tmp_path: Any) -> None:
    for path in (tmp_path / "nope.urdf", tmp_path):
        with pytest.raises(URDFError, match="cannot be read") as error:
            parse_file(path)
        assert error.value.file == str(path)


def test_a_default_namespace_changes_nothing() -> None:
    text = with_joint(f'<axis xyz="0 0 1"/>{LIMIT}<foo/>').replace(
        'name="r"', 'xmlns="urn:x" name="r"'
    )
    joint = parse_string(text).getJoint("j")
    assert joint.axis.tolist() == [0, 0, 1]
    assert joint.limits == JointLimits(-1, 2, 3, 4, 2, 1000)
    assert refusal(text.replace("0 0 1", "0 0")).element == "robot 'r' / joint 'j' / axis"


def test_the_first_of_repeated_elements_counts(caplog: Any) -> None:
    joint = read_joint(f'{LIMIT}<limit effort="9" velocity="9"/><axis xyz="0 1 0"/><axis/>')
    assert joint.limits.effort == 3
    assert joint.axis.tolist() == [0, 1, 0]
    link = read_link(
        "<inertial><mass value='1'/>" + INERTIA + "</inertial><inertial/>"
        '<visual><geometry><box size="1 1 1"/><sphere/></geometry><geometry/></visual>'
    )
    assert link.inertial.mass == 1
    assert link.visual[0].geometry == Box(1, 1, 1)
    for kind in ("limit", "axis", "inertial", "geometry"):
        assert f"ignored repeated <{kind}>" in caplog.text
    assert "ignored further shape <sphere>" in caplog.text


def test_unknown_parts_of_a_material_and_an_octomap_are_passed_over(caplog: Any) -> None:
    red = '<material name="m"><shininess/><color rgba="1 0 0 1"/></material>'
    assert read_link(VISUAL.format(red)).visual[0].material.color.tolist() == [1, 0, 0, 1]
    assert "ignored unknown <shininess>" in caplog.text
    shape = '<octomap shape_type="box"><note/><octree filename="a.bt"/></octomap>'
    assert read_shape(shape) == Octree("a.bt")


def test_a_joint_without_a_type_and_a_duplicate_name_are_refused() -> None:
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="{}"/></joint>'
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    error = refusal(robot(links + joint.format("b") + joint.format("c")))
    assert (error.attribute, error.value) == ("name", "j")
