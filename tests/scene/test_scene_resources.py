from pathlib import Path
from typing import Any

import pytest

from kinegraph.scene import GeneralResourceLocator, ResourceLocator
from kinegraph.scene.resources import relative_resource


@pytest.fixture
def workspace(tmp_path: Any, monkeypatch: Any) -> Path:
    monkeypatch.delenv("TESSERACT_RESOURCE_PATH", raising=False)
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    for folder in ("ws/arm/meshes", "ws/deep/er/tool/inner", "second/arm"):
        (tmp_path / folder).mkdir(parents=True)
    for folder in ("ws/arm", "ws/deep/er/tool", "ws/deep/er/tool/inner", "second/arm"):
        (tmp_path / folder / "package.xml").touch()
    root: Path = tmp_path.resolve()
    return root


def test_a_directory_and_the_packages_below_it_are_found_by_name(workspace: Any) -> None:
    locator = GeneralResourceLocator([workspace / "ws"])
    assert locator.getPackages() == {
        "ws": workspace / "ws",
        "arm": workspace / "ws/arm",
        "tool": workspace / "ws/deep/er/tool",
    }
    assert locator.locateResource("package://arm/meshes/a.stl") == workspace / "ws/arm/meshes/a.stl"
    assert locator.locateResource("package://inner/a.stl") is None
    assert isinstance(locator, ResourceLocator)


def test_the_first_of_a_name_wins(workspace: Any) -> None:
    locator = GeneralResourceLocator([workspace / "second", workspace / "ws"])
    assert locator.getPackages()["arm"] == workspace / "second/arm"
    assert locator.addPath(workspace / "nowhere") is False
    assert locator.addPath(workspace / "ws/arm/package.xml") is False


def test_directories_come_from_the_environment_too(workspace: Any, monkeypatch: Any) -> None:
    import os

    value = os.pathsep.join([str(workspace / "second"), "", str(workspace / "ws")])
    monkeypatch.setenv("ROS_PACKAGE_PATH", value)
    packages = GeneralResourceLocator().getPackages()
    assert packages["arm"] == workspace / "second/arm"
    assert packages["tool"] == workspace / "ws/deep/er/tool"
    assert GeneralResourceLocator((), ()).getPackages() == {}
    assert GeneralResourceLocator((), ()).loadEnvironmentVariable("NO_SUCH_VARIABLE") is False


def test_urls_and_absolute_paths_are_told_apart(workspace: Any) -> None:
    locator: Any = GeneralResourceLocator()
    assert locator.locateResource("file:///a/b%20c.stl") == Path("/a/b c.stl")
    absolute = workspace / "x.stl"
    assert locator.locateResource(str(absolute)) == absolute
    for nowhere in ("a.stl", "http://example.org/a.stl", "package://arm", "", "package://nope/a"):
        assert locator.locateResource(nowhere) is None
    with pytest.raises(TypeError, match="must be a str"):
        locator.locateResource(None)


@pytest.mark.parametrize(
    "rest", ["../second/arm/package.xml", "meshes/../../x", "//../..", "link/../../x", "a\0b"]
)
def test_no_url_leaves_its_package(workspace: Any, rest: Any) -> None:
    (workspace / "ws/arm/link").symlink_to(workspace / "second")
    locator = GeneralResourceLocator([workspace / "ws"])
    assert locator.locateResource(f"package://arm/{rest}") is None
    assert locator.locateResource("package://arm/meshes/../package.xml") is not None


def test_links_that_build_tools_put_into_a_package_are_followed(workspace: Any) -> None:
    # colcon build --symlink-install makes every file of a package a link into the sources.
    (workspace / "sources").mkdir()
    (workspace / "sources/a.stl").touch()
    (workspace / "ws/arm/a.stl").symlink_to(workspace / "sources/a.stl")
    found = GeneralResourceLocator([workspace / "ws"]).locateResource("package://arm/a.stl")
    assert found is not None
    assert found.is_file()


def test_a_url_inside_a_resource_lies_beside_it(workspace: Any) -> None:
    locator = GeneralResourceLocator([workspace / "ws"])
    beside = workspace / "ws/arm/meshes/t.png"
    assert relative_resource(locator, "package://arm/meshes/a.dae", "textures/t.png") == beside
    assert relative_resource(locator, "package://arm/meshes/a.dae", "..") is None
    assert relative_resource(locator, "package://arm/a.dae", str(beside)) == beside
