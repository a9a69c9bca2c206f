import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from oracles import third_party
from scene_builders import parse_file

from kinegraph.scene import GeneralResourceLocator, URDFError, WrongTypeError
from kinegraph.scene.urdf import xacro_file

HEAD = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="arm">'
CHAIN = """
<xacro:arg name="length" default="0.5"/>
<xacro:property name="half" value="${float('$(arg length)') / 2}"/>
<xacro:macro name="segment" params="i parent">
  <link name="link${i}"/>
  <joint name="joint${i}" type="continuous">
    <parent link="${parent}"/><child link="link${i}"/>
    <origin xyz="0 0 ${half}" rpy="0 ${pi / 2} 0"/>
  </joint>
</xacro:macro>
"""
BODY = """
<link name="base"/>
<xacro:segment i="1" parent="base"/>
<xacro:segment i="2" parent="link1"/>
"""
NO_PACKAGES: Any = GeneralResourceLocator((), ())


@pytest.fixture
def xacro() -> None:
    third_party("xacro")


def write(folder: Any, text: str, name: str = "arm.urdf.xacro") -> Any:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def robot(*parts: str) -> str:
    return HEAD + "".join(parts) + "</robot>"


@pytest.mark.usefixtures("xacro")
def test_macros_properties_and_arguments_are_expanded(tmp_path: Any) -> None:
    path = write(tmp_path, robot(CHAIN, BODY))
    graph = parse_file(path)
    assert graph.getName() == "arm"
    assert [link.getName() for link in graph.getLinks()] == ["base", "link1", "link2"]
    origin = graph.getJoint("joint2").parent_to_joint_origin_transform
    assert origin.translation.tolist() == [0, 0, 0.25]
    graph = parse_file(str(path), xacro_arguments={"length": "3"})
    origin = graph.getJoint("joint2").parent_to_joint_origin_transform
    assert origin.translation.tolist() == [0, 0, 1.5]


class Folders:
    """A locator of a user's own."""

    def __init__(self, **folders: Path) -> None:
        self.folders = folders

    def locateResource(self, url: str) -> Path | None:
        name, _, rest = url.removeprefix("package://").partition("/")
        return self.folders[name] / rest if name in self.folders else None


@pytest.mark.usefixtures("xacro")
@pytest.mark.parametrize("kind", ["general", "own"])
def test_packages_are_found_through_the_locator(kind: Any, tmp_path: Any) -> None:
    write(tmp_path, robot(CHAIN), "macros/urdf/chain.xacro")
    write(tmp_path, robot(BODY), "body/body.xacro")
    include = '<xacro:include filename="$(find {})/{}"/>'
    first = include.format("macros", "urdf/chain.xacro")
    path = write(tmp_path, robot(first, include.format("body", "body.xacro")))
    folders = {"macros": tmp_path / "macros", "body": tmp_path / "body"}
    general = GeneralResourceLocator(folders.values(), ())
    graph = parse_file(path, general if kind == "general" else Folders(**folders))
    assert len(graph.getLinks()) == 3
    with pytest.raises(URDFError, match=r"package 'macros' of \$\(find macros\)") as error:
        parse_file(path, NO_PACKAGES)
    assert error.value.file == str(path)


REFUSED = {
    "an unknown property": (robot('<link name="${nope}"/>'), "nope"),
    "an unknown macro": (robot("<xacro:nope/>"), "nope"),
    "an argument that is missing": (robot('<link name="$(arg nope)"/>'), "nope"),
    "a file that is not there": (robot('<xacro:include filename="none.xacro"/>'), "none.xacro"),
    "itself": (robot('<xacro:include filename="arm.urdf.xacro"/>'), "RecursionError"),
    "no xml": ("<robot", "ExpatError"),
    "a package in an expression": (robot('<link name="${open(1)}"/>'), "open"),
    "the end of the process": (robot('<link name="${().__class__}"/>'), "__class__"),
    "a wrong robot": (robot('<link name="a"/><link name="a"/>'), "another link"),
}


@pytest.mark.usefixtures("xacro")
@pytest.mark.parametrize("name", REFUSED)
def test_what_xacro_or_urdf_refuses_ends_in_one_error(name: Any, tmp_path: Any) -> None:
    text, words = REFUSED[name]
    with pytest.raises(URDFError) as error:
        parse_file(write(tmp_path, text), NO_PACKAGES)
    assert words in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "arm.urdf.xacro"))
    assert len(str(error.value)) < 1500


@pytest.mark.usefixtures("xacro")
def test_an_expansion_without_end_is_stopped(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(xacro_file, "LONGEST_S", 2.0)
    endless = '<xacro:property name="x" value="${[i for i in range(10**12) if i &lt; 0]}"/>${x}'
    with pytest.raises(URDFError, match="within 2 s"):
        parse_file(write(tmp_path, robot(f'<link name="a">{endless}</link>')))


@pytest.mark.usefixtures("xacro")
@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux")
def test_an_expansion_without_bounds_is_stopped(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(xacro_file, "MOST_MEMORY", 300 * 2**20)
    huge = robot("<link name=\"${len('x' * 10**9)}\"/>")
    with pytest.raises(URDFError, match="MemoryError"):
        parse_file(write(tmp_path, huge))


@pytest.mark.usefixtures("xacro")
def test_warnings_of_xacro_are_logged(tmp_path: Any, caplog: Any) -> None:
    text = robot('<xacro:property name="pi" value="3"/><link name="a"/>')
    with caplog.at_level(logging.WARNING, "kinegraph.scene"):
        parse_file(write(tmp_path, text))
    assert "xacro:" in caplog.text


def test_without_xacro_the_error_says_how_to_expand_one(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    path = write(tmp_path, robot('<link name="a"/>'))
    with pytest.raises(URDFError, match=r"pip install 'kinegraph\[xacro\]'") as error:
        parse_file(path)
    assert "xacro robot.urdf.xacro > robot.urdf" in str(error.value)
    assert error.value.file == str(path)


def test_a_missing_file_is_named(tmp_path: Any) -> None:
    with pytest.raises(URDFError, match="no such file"):
        parse_file(tmp_path / "none.xacro")


def test_arguments_are_texts_for_xacro_files_only(tmp_path: Any) -> None:
    path = write(tmp_path, robot('<link name="a"/>'))
    with pytest.raises(WrongTypeError, match="texts"):
        parse_file(path, xacro_arguments={"n": 1})
    plain = write(tmp_path, '<robot name="r"><link name="a"/></robot>', "plain.urdf")
    with pytest.raises(URDFError, match=r"\.xacro files"):
        parse_file(plain, xacro_arguments={"n": "1"})
    assert parse_file(plain, xacro_arguments={}).getRoot() == "a"
