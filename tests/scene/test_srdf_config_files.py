import sys
from typing import Any

import numpy as np
import pytest
from srdf_texts import full_model, read_srdf, small_robot, srdf

from kinegraph.scene import (
    GeneralResourceLocator,
    Isometry3d,
    SRDFError,
    SRDFModel,
)
from kinegraph.scene.srdf import yaml_text

KINEMATICS = """
kinematic_plugins:
  search_paths: [/usr/local/lib]
  search_libraries:
    - kdl_factories
  inv_kin_plugins:
    manipulator:
      default: LMA
      plugins:
        LMA: {class: KDLInvKinChainLMAFactory, config: {base_link: a, tip_link: d, w: [1, .5]}}
        ROP:
          class: ROPInvKinFactory
  fwd_kin_plugins:
    manipulator:
      plugins: {Fwd: {class: F}}
"""
CONTACT = """
contact_manager_plugins:
  search_libraries: [bullet]
  discrete_plugins:
    default: B
    plugins: {B: {class: BulletFactory}}
  continuous_plugins:
    plugins: {C: {class: CastFactory, config: 2020-01-01}}
"""
CALIBRATION = """
calibration:
  joints:
    j1:
      position: {x: 1, y: 2e0, z: 3e-3}
      orientation: {x: 0, y: 0, z: 2, w: 2}
    j3:
      position: {x: 0, y: 0, z: 0}
      orientation: {r: 0, p: 0, y: 1.5}
"""


def read(tmp_path: Any, tag: str, text: str | bytes) -> SRDFModel:
    (tmp_path / "c.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_srdf(srdf(f'\n<{tag} filename="{(tmp_path / "c.yaml").as_posix()}"/>'))


def test_solvers_are_kept(tmp_path: Any) -> None:
    model = read(tmp_path, "kinematics_plugin_config", KINEMATICS)
    info = model.kinematics_information.kinematics_plugin_info
    assert (info.search_paths, info.search_libraries) == (["/usr/local/lib"], ["kdl_factories"])
    container = info.inv_plugin_infos["manipulator"]
    assert container.default_plugin == "LMA"
    lma = container.plugins["LMA"]
    assert lma.class_name == "KDLInvKinChainLMAFactory"
    assert lma.config == {"base_link": "a", "tip_link": "d", "w": [1, 0.5]}
    assert container.plugins["ROP"].config is None
    assert info.fwd_plugin_infos["manipulator"].plugins["Fwd"].class_name == "F"


def test_collision_checkers_are_kept(tmp_path: Any) -> None:
    info = read(tmp_path, "contact_managers_plugin_config", CONTACT).contact_managers_plugin_info
    assert info.search_libraries == ["bullet"]
    assert info.discrete_plugin_infos.default_plugin == "B"
    assert info.discrete_plugin_infos.plugins["B"].class_name == "BulletFactory"
    assert info.continuous_plugin_infos.plugins["C"].config == "2020-01-01"


def test_calibrated_origins_are_poses(tmp_path: Any) -> None:
    joints = read(tmp_path, "calibration_config", CALIBRATION).calibration_info.joints
    j1 = [[0.0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 0.003], [0, 0, 0, 1]]
    np.testing.assert_allclose(joints["j1"].matrix, np.array(j1), atol=1e-15)
    assert joints["j3"] == Isometry3d.from_rpy([0, 0, 0], [0, 0, 1.5])


def test_a_later_file_adds_to_an_earlier_one(tmp_path: Any) -> None:
    (tmp_path / "one.yaml").write_text(CALIBRATION)
    (tmp_path / "two.yaml").write_text(
        "calibration: {joints: {j3: {position: {x: 9, y: 0, z: 0},"
        " orientation: {x: 0, y: 0, z: 0, w: 1}}}}"
    )
    (tmp_path / "r.srdf").write_text(
        srdf('<calibration_config filename="one.yaml"/><calibration_config filename="two.yaml"/>')
    )
    model = SRDFModel()
    model.initFile(small_robot(), tmp_path / "r.srdf")
    assert list(model.calibration_info.joints) == ["j1", "j3"]
    assert model.calibration_info.joints["j3"].translation.tolist() == [9, 0, 0]


def test_files_are_found_through_the_locator(tmp_path: Any) -> None:
    (tmp_path / "pkg" / "config").mkdir(parents=True)
    (tmp_path / "pkg" / "config" / "k.yaml").write_text(KINEMATICS)
    text = srdf('<kinematics_plugin_config filename="package://pkg/config/k.yaml"/>')
    model = read_srdf(text, GeneralResourceLocator([tmp_path / "pkg"], ()))
    assert not model.kinematics_information.kinematics_plugin_info.empty()
    with pytest.raises(SRDFError, match="not a file that can be found"):
        read_srdf(text, GeneralResourceLocator((), ()))


POSE = "{position: {x: 1, y: 2, z: 3}, orientation: {x: 0, y: 0, z: 0, w: 1}}"
PLUGIN = "kinematic_plugins: {{inv_kin_plugins: {{g: {}}}}}"
REFUSED: dict[str, tuple[str, str | bytes, str]] = {
    "no yaml": ("calibration_config", "a: [1", "line 2"),
    "nothing": ("calibration_config", "", "calibration"),
    "a list": ("kinematics_plugin_config", "- 1", "no map"),
    "another file": ("kinematics_plugin_config", CALIBRATION, "kinematic_plugins"),
    "no joints": ("calibration_config", "calibration: {}", "'joints'"),
    "an unknown joint": (
        "calibration_config", f"calibration: {{joints: {{j9: {POSE}}}}}", "'j9'"),
    "a missing number": (
        "calibration_config",
        f"calibration: {{joints: {{j1: {POSE.replace('y: 2,', '')}}}}}",
        "calibration.joints.j1.position: has no 'y'"),
    "a text as number": (
        "calibration_config",
        f"calibration: {{joints: {{j1: {POSE.replace('y: 2', 'y: two')}}}}}",
        "calibration.joints.j1.position.y: 'two' is no number"),
    "a truth as number": (
        "calibration_config", f"calibration: {{joints: {{j1: {POSE.replace('y: 2', 'y: yes')}}}}}",
        "no number"),
    "nan": (
        "calibration_config", f"calibration: {{joints: {{j1: {POSE.replace('y: 2', 'y: .nan')}}}}}",
        "not finite"),
    "infinity in words": (
        "calibration_config", f"calibration: {{joints: {{j1: {POSE.replace('y: 2', 'y: inf')}}}}}",
        "no number"),
    "a number too large": (
        "calibration_config",
        f"calibration: {{joints: {{j1: {POSE.replace('y: 2', 'y: 1' + '0' * 400)}}}}}",
        "too large"),
    "a quaternion of zeros": (
        "calibration_config", f"calibration: {{joints: {{j1: {POSE.replace('w: 1', 'w: 0')}}}}}",
        "no quaternion"),
    "no orientation": (
        "calibration_config", "calibration: {joints: {j1: {position: {x: 0, y: 0, z: 0}}}}",
        "'orientation'"),
    "a joint twice": (
        "calibration_config", f"calibration:\n joints:\n  j1: {POSE}\n  j1: {POSE}", "line 4"),
    "a plugin without a class": (
        "kinematics_plugin_config", PLUGIN.format("{plugins: {P: {}}}"), "has no 'class'"),
    "a class that is a number": (
        "kinematics_plugin_config", PLUGIN.format("{plugins: {P: {class: 3}}}"), "no text"),
    "no plugins": ("kinematics_plugin_config", PLUGIN.format("{default: P}"), "'plugins'"),
    "plugins in a list": ("kinematics_plugin_config", PLUGIN.format("{plugins: [P]}"), "no map"),
    "paths that are one text": (
        "kinematics_plugin_config", "kinematic_plugins: {search_paths: /usr/lib}", "no list"),
    "a number as key": ("kinematics_plugin_config", "{1: 2}", "no name"),
    "an object of python": (
        "kinematics_plugin_config", "!!python/object/apply:os.getcwd []", "python"),
    "binary": ("kinematics_plugin_config", "kinematic_plugins: !!binary aGk=", "bytes"),
    "bytes that are no text": ("kinematics_plugin_config", b"\xff\x00\xff", ""),
    "a deep list": ("kinematics_plugin_config", "[" * 20_000, ""),
    "a deep list that ends": ("kinematics_plugin_config", "[" * 300 + "]" * 300, "levels"),
    "aliases of aliases": (
        "kinematics_plugin_config",
        "a0: &a0 [1]\n" + "".join(f"a{i}: &a{i} [{f'*a{i - 1},' * 9}]\n" for i in range(1, 12)),
        "values"),
    "merged merges": (
        "kinematics_plugin_config",
        "a0: &a0 {x: 1}\n"
        + "".join(f"a{i}: &a{i} {{<<: [{f'*a{i - 1},' * 9}]}}\n" for i in range(1, 12)),
        "no name"),
    "itself": ("kinematics_plugin_config", "&a [*a]", "levels"),
    "a large file": ("kinematics_plugin_config", "# " + "x" * 300_000, "bytes"),
    "many keys": ("kinematics_plugin_config", "".join(f"{i}a: 1\n" for i in range(25_000)), ""),
}  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_file_is_refused_with_its_place(name: Any, tmp_path: Any) -> None:
    tag, text, words = REFUSED[name]
    with pytest.raises(SRDFError) as error:
        read(tmp_path, tag, text)
    assert words in str(error.value)
    assert error.value.line == 2
    assert error.value.element == f"robot 'r' / {tag}"
    assert error.value.attribute == "filename"
    assert str(error.value.value).endswith("c.yaml")
    assert len(str(error.value)) < 1000


@pytest.mark.parametrize("filename", ["", "nope.yaml", "../x.yaml", "http://h/x.yaml", "/"])
def test_a_file_that_is_not_there_is_named(filename: Any, tmp_path: Any) -> None:
    (tmp_path / "r.srdf").write_text(srdf(f'<calibration_config filename="{filename}"/>'))
    with pytest.raises(SRDFError, match="not a file that can be found") as error:
        SRDFModel().initFile(small_robot(), tmp_path / "r.srdf")
    assert error.value.value == filename


def test_without_pyyaml_the_error_says_what_to_install(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(SRDFError, match=r"pip install 'kinegraph\[srdf\]'"):
        read(tmp_path, "calibration_config", CALIBRATION)
    with pytest.raises(SRDFError, match=r"pip install 'kinegraph\[srdf\]'"):
        full_model().saveToFile(tmp_path / "full.srdf")
    assert [path.name for path in tmp_path.iterdir()] == ["c.yaml"]


def test_without_pyyaml_plain_models_are_read_and_written(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    model = read_srdf(srdf('<group name="g"><joint name="j1"/></group>'))
    assert model.saveToFile(tmp_path / "r.srdf")


def test_data_are_written_as_they_are_read() -> None:
    data = {"z": [1, 2.5e-7, -0.0, True, None, "1e-3", "yes", "ä: b"], "a": {"": {}}}
    again = yaml_text.load_yaml(yaml_text.dump_yaml(data).encode())
    assert again == data
    assert list(data) == ["z", "a"]
