"""Every public call of the scene with arguments of wrong kinds, one at a time.

Whatever is not taken ends in an error of ours that says what is needed, and changes nothing.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scene_builders import make_graph, make_joint, parse_file, parse_string, snapshot

from kinegraph.scene import (
    AllowedCollisionMatrix,
    Box,
    CalibrationInfo,
    Capsule,
    Collision,
    CollisionMarginData,
    Cone,
    ContactManagersPluginInfo,
    Cylinder,
    GeneralResourceLocator,
    Isometry3d,
    Joint,
    JointLimits,
    JointType,
    KinegraphError,
    KinematicsInformation,
    KinematicsPluginInfo,
    Link,
    Material,
    Mesh,
    Octree,
    Plane,
    PluginInfoContainer,
    SceneGraph,
    SignedDistanceField,
    Sphere,
    SRDFModel,
    Visual,
    as_isometry,
    processSRDFAllowedCollisions,
    writeURDFFile,
    writeURDFString,
)


class Stranger:
    """Something that nobody expects."""


JUNK: list[Any] = [
    *(None, 5, -1, 2.5, float("nan"), float("inf"), True, 1j, 10**400),
    *("x", "", "a\0b", "\ud800", b"x", [], [1], ["x"], [[1], [2, 3]], {}, {"a": 1}, {1}, (1, 2)),
    *(Stranger(), int, len, np.int64(3), np.ones(1), np.ones(3), np.full((4, 4), np.nan)),
    np.array(1.0),  # without axes: it has __iter__, which fails
]
EYE = np.eye(4)
ROBOT = '<robot name="r"><link name="a"/></robot>'


def graph() -> Any:
    return make_graph(make_joint("jb", "a", "b"), make_joint("jc", "b", "c"))


def new_joint() -> Joint:
    return make_joint("jd", "c", "d", JointType.FIXED)


def pose() -> Isometry3d:
    return Isometry3d.from_rpy([1, 2, 3], [0, 0, 1])


def locator() -> GeneralResourceLocator:
    return GeneralResourceLocator((), ())


def margins() -> CollisionMarginData:
    return CollisionMarginData()


NAME, PAIR = ("a",), ("a", "b")
JOINT = ("jb",)
MADE: dict[Any, tuple[Any, ...]] = {
    Link: NAME,
    Joint: NAME,
    Material: NAME,
    SceneGraph: NAME,
    Sphere: (1.0,),
    Box: (1.0, 1.0, 1.0),
    Cylinder: (1.0, 1.0),
    Capsule: (1.0, 1.0),
    Cone: (1.0, 1.0),
    Plane: (0.0, 0.0, 1.0, 0.0),
    Mesh: ("f", (1.0, 1.0, 1.0), False),
    SignedDistanceField: ("f", (1.0, 1.0, 1.0)),
    Octree: ("f", "box", False, 1.0),
    GeneralResourceLocator: ((), ()),
    CollisionMarginData: (0.0, {PAIR: 1.0}),
    Isometry3d: (EYE,),
    as_isometry: (EYE,),
    parse_string: (ROBOT, None),
    parse_file: ("nope.urdf", None),
    writeURDFString: (graph,),
    writeURDFFile: (graph, "package", "name"),
    processSRDFAllowedCollisions: (graph, SRDFModel),
}
GRAPH: dict[str, tuple[Any, ...]] = {
    "addLink": (lambda: Link("d"), new_joint),
    "addJoint": (new_joint,),
    "setName": NAME,
    "setRoot": NAME,
    "getLink": NAME,
    "getJoint": JOINT,
    "removeLink": ("a", False),
    "moveLink": (lambda: make_joint("jn", "a", "c"),),
    "setLinkVisibility": ("a", True),
    "setLinkCollisionEnabled": ("a", True),
    "getLinkVisibility": NAME,
    "getLinkCollisionEnabled": NAME,
    "removeJoint": ("jb", False),
    "moveJoint": ("jc", "a"),
    "changeJointOrigin": ("jb", EYE),
    "changeJointLimits": ("jb", JointLimits),
    "changeJointPositionLimits": ("jb", -1.0, 1.0),
    "changeJointVelocityLimits": ("jb", 1.0),
    "changeJointAccelerationLimits": ("jb", 1.0),
    "changeJointJerkLimits": ("jb", 1.0),
    "getJointLimits": JOINT,
    "getSourceLink": JOINT,
    "getTargetLink": JOINT,
    "getInboundJoints": NAME,
    "getOutboundJoints": NAME,
    "getAdjacentLinkNames": NAME,
    "getInvAdjacentLinkNames": NAME,
    "getLinkChildrenNames": NAME,
    "getJointChildrenNames": JOINT,
    "getAdjacencyMap": (["a"],),
    "getShortestPath": PAIR,
    "saveDOT": ("graph.dot",),
    "addAllowedCollision": ("a", "b", "r"),
    "removeAllowedCollision": PAIR,
    "isCollisionAllowed": PAIR,
    "setAllowedCollisionMatrix": (AllowedCollisionMatrix,),
    "insertSceneGraph": (graph, new_joint, "p"),
}
INFORMATION: dict[str, tuple[Any, ...]] = {
    "insert": (KinematicsInformation,),
    "addChainGroup": ("g", [PAIR]),
    "addJointGroup": ("g", ["j"]),
    "addLinkGroup": ("g", ["j"]),
    "addGroupJointState": ("g", "s", {"j": 1.0}),
    "addGroupTCP": ("g", "t", EYE),
    "removeGroupJointState": ("g", "s"),
    "removeGroupTCP": ("g", "t"),
    "hasGroupJointState": ("g", "s"),
    "hasGroupTCP": ("g", "t"),
    "hasGroup": ("g",),
}
for kind in ("Chain", "Joint", "Link"):
    INFORMATION |= {f"remove{kind}Group": ("g",), f"has{kind}Group": ("g",)}
METHODS: list[tuple[Any, dict[str, tuple[Any, ...]]]] = [
    (graph, GRAPH),
    (KinematicsInformation, INFORMATION),
    (lambda: Link("l"), {"addVisual": (Visual,), "addCollision": (Collision,), "clone": NAME}),
    (lambda: Joint("j"), {"clone": NAME}),
    (
        AllowedCollisionMatrix,
        {
            "addAllowedCollision": ("a", "b", "r"),
            "removeAllowedCollision": PAIR,
            "isCollisionAllowed": PAIR,
            "insertAllowedCollisionMatrix": (AllowedCollisionMatrix,),
        },
    ),
    (
        pose,
        {
            "from_quaternion": ([0, 0, 0], [0, 0, 0, 1]),
            "from_rpy": ([0, 0, 0], [0, 0, 0]),
            "from_column_major": (EYE.ravel(),),
            "isApprox": (EYE, 1e-5),
            "__matmul__": (EYE,),
            "__rmatmul__": (EYE,),
        },
    ),
    (
        locator,
        {"addPath": ("nowhere",), "loadEnvironmentVariable": ("X",), "locateResource": ("x",)},
    ),
    (
        SRDFModel,
        {
            "initString": (graph, '<robot name="graph"/>', None),
            "initFile": (graph, "nope", None),
            "saveToFile": ("model.srdf",),
        },
    ),
    (
        margins,
        {
            "setDefaultCollisionMargin": (1.0,),
            "setPairCollisionMargin": ("a", "b", 1.0),
            "getPairCollisionMargin": PAIR,
        },
    ),
    *(
        (cls, {"insert": (cls,)})
        for cls in (
            CalibrationInfo,
            PluginInfoContainer,
            KinematicsPluginInfo,
            ContactManagersPluginInfo,
        )
    ),
]
CALLS = {
    function.__name__: (lambda function=function: function, args) for function, args in MADE.items()
} | {
    f"{type(make()).__name__}.{name}": (lambda make=make, name=name: getattr(make(), name), args)
    for make, methods in METHODS
    for name, args in methods.items()
}


def called(make: Any, arguments: tuple[Any, ...], place: int, junk: Any) -> None:
    """Call with one argument replaced; functions in the others' places make them."""
    given = [value() if callable(value) else value for value in arguments]
    given[place] = junk
    function = make()
    owner: Any = getattr(function, "__self__", None)
    before = snapshot(owner) if isinstance(owner, SceneGraph) else None
    error = None
    try:
        function(*given)
    except KinegraphError as raised:
        error = raised
    except OSError:  # a text is a path, but not one that can be written to
        assert isinstance(junk, str)
    if error is not None:
        assert 5 < len(str(error)) < 1500
        assert before is None or snapshot(owner) == before


@pytest.mark.parametrize("call", CALLS)
def test_no_argument_of_a_wrong_kind_ends_in_an_error_of_pythons(
    call: Any, tmp_path: Any, monkeypatch: Any
) -> None:
    make, arguments = CALLS[call]
    monkeypatch.chdir(tmp_path)
    for place in range(len(arguments)):
        for junk in JUNK:
            called(make, arguments, place, junk)


def test_the_table_holds_every_method_with_an_argument() -> None:
    answers = {
        *("clear", "clearAllowedCollisions", "clone", "getActiveJoints", "isEmpty", "isTree"),
        *("getAllowedCollisionMatrix", "getJoints", "getLeafLinks", "getLinks", "getName"),
        *("getRoot", "isAcyclic", "networkx"),
    }
    for cls, table in ((SceneGraph, GRAPH), (KinematicsInformation, INFORMATION)):
        public = {n for n in dir(cls) if not n.startswith("_") and callable(getattr(cls, n))}
        assert public - answers == table.keys()


@pytest.mark.parametrize("number", [1, 2, True])
def test_the_number_of_an_open_file_is_no_path(number: Any) -> None:
    # open() would write there, and close it.
    with pytest.raises(TypeError, match="path must be a str"):
        graph().saveDOT(number)
    os.fstat(int(number))


@pytest.mark.parametrize(
    "call",
    [
        lambda: parse_file(None),
        lambda: parse_file(b"robot.urdf"),
        lambda: writeURDFFile(graph(), 5),  # type: ignore[arg-type]
        lambda: SRDFModel().initFile(graph(), 5),  # type: ignore[arg-type]
        lambda: SRDFModel().saveToFile(5),  # type: ignore[arg-type]
        lambda: locator().addPath(None),  # type: ignore[arg-type]
    ],
)
def test_an_error_about_a_path_says_what_is_wanted(call: Any) -> None:
    with pytest.raises(TypeError, match=r"path must be a str or os\.PathLike"):
        call()


def test_a_single_path_is_not_a_list_of_its_letters(tmp_path: Any) -> None:
    path: Any = str(tmp_path)
    with pytest.raises(TypeError, match="paths must be a list"):
        GeneralResourceLocator(path)
    assert locator().addPath("") is False


@pytest.mark.parametrize("words", ["no", "", 1, None, np.ones(2)])
def test_a_flag_is_true_or_false_and_nothing_else(words: Any) -> None:
    for call in (
        lambda: graph().setLinkVisibility("a", words),
        lambda: graph().setLinkCollisionEnabled("a", words),
        lambda: graph().removeLink("a", words),
        lambda: graph().removeJoint("jb", words),
        lambda: graph().addLink(Link("d"), replace_allowed=words),
        lambda: Mesh("m", make_convex=words),
        lambda: Octree("m", prune=words),
        lambda: parse_string(ROBOT, strict_meshes=words),
    ):
        with pytest.raises(TypeError, match="must be a bool"):
            call()


def test_flags_and_files_of_a_link_are_checked_when_it_is_added() -> None:
    for field in ("visible", "collision_enabled"):
        link: Any = Link("d")
        setattr(link, field, "no")
        with pytest.raises(TypeError, match=f"{field} must be a bool"):
            graph().addLink(link)
    visual: Any = Visual()
    visual.material.texture_filename = 5
    link = Link("d")
    link.addVisual(visual)
    with pytest.raises(TypeError, match="texture_filename must be a str"):
        graph().addLink(link)


def test_of_two_prefixes_none_is_dropped() -> None:
    insert: Any = graph().insertSceneGraph
    with pytest.raises(TypeError, match="two prefixes"):
        insert(graph(), "p", "q")


@pytest.mark.parametrize("answer", [5, b"x", ["x"]])
def test_a_locators_answer_is_a_path_or_none(answer: Any, tmp_path: Any) -> None:
    class Locator:
        answer: Any

        def locateResource(self, url: str) -> Path | None:
            found: Path | None = self.answer
            return found

    mesh = '<visual><geometry><mesh filename="m.stl"/></geometry></visual>'
    text = ROBOT.replace("/></robot>", f">{mesh}</link></robot>")
    mine = Locator()
    mine.answer = answer
    with pytest.raises(TypeError, match="answer of Locator"):
        parse_string(text, mine, strict_meshes=True)
    (tmp_path / "m.stl").touch()
    mine.answer = str(tmp_path / "m.stl")
    assert parse_string(text, mine, strict_meshes=True).getRoot() == "a"


def test_a_users_subclasses_are_kept_as_what_they_are_derived_from() -> None:
    class MyLimits(JointLimits):
        """Adds nothing that a graph could keep."""

    class MyJoint(Joint):
        """The same."""

    joint = MyJoint("jd")
    joint.type, joint.parent_link_name, joint.child_link_name = JointType.REVOLUTE, "c", "d"
    joint.limits = MyLimits(-1, 1, 1, 1, 1, 1)
    robot = graph()
    assert robot.addLink(Link("d"), joint)
    assert robot.changeJointLimits("jb", MyLimits(-1, 2, 1, 1, 1, 1))
    assert robot.getJointLimits("jd") == JointLimits(-1, 1, 1, 1, 1, 1)
    assert type(robot.getJointLimits("jd")) is JointLimits
    assert type(robot.getJoint("jd").clone()) is Joint
