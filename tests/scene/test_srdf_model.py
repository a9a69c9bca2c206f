import copy
import pickle
from typing import Any

import numpy as np
import pytest
from srdf_texts import full_model, read_srdf, small_robot, srdf

from kinegraph.scene import (
    CollisionMarginData,
    KinegraphError,
    PluginInfo,
    SRDFError,
    SRDFModel,
    UnknownNameError,
    WrongTypeError,
    processSRDFAllowedCollisions,
)

GROUP = '<group name="g"><joint name="j1"/></group>'
STATE = '<group_state name="s" group="g"><joint name="j1" value="{}"/></group_state>'

# Text, the element that the error names, the attribute, the value, words of the reason.
REFUSED = {
    "a version of four parts": (
        srdf("", 'name="r" version="1.0.0.0"'), "robot 'r'", "version", "1.0.0.0", "1.0.0"),
    "an unknown link of a chain": (
        srdf('<group name="g"><chain base_link="a" tip_link="dd"/></group>'),
        "robot 'r' / group 'g' / chain", "tip_link", "dd", "did you mean 'd'?"),
    "an unknown link of a group": (
        srdf('<group name="g"><link name="x"/></group>'),
        "robot 'r' / group 'g' / link 'x'", "name", "x", "does not exist"),
    "a group without a name": (
        srdf('<group name=""><joint name="j1"/></group>'),
        "robot 'r' / group ''", "name", "", "empty"),
    "a group of groups": (
        srdf(GROUP + '<group name="h"><group name="g"/></group>'),
        "robot 'r' / group 'h'", "", None, "groups of groups"),
    "two kinds in one group": (
        srdf('<group name="g"><link name="a"/><joint name="j1"/></group>'),
        "robot 'r' / group 'g'", "", None, "mixes joint and link"),
    "two groups of one name": (
        srdf(GROUP + '<group name="g"><link name="a"/></group>'),
        "robot 'r' / group 'g'", "name", "g", "group of joints"),
    "a state of no group": (
        srdf(GROUP + '<group_state name="s" group="h"><joint name="j1" value="0"/></group_state>'),
        "robot 'r' / group_state 's'", "group", "h", "does not exist"),
    "a state without joints": (
        srdf(GROUP + '<group_state name="s" group="g"/>'),
        "robot 'r' / group_state 's'", "", None, "<joint>"),
    "a value that is no number": (
        srdf(GROUP + STATE.format("nan")),
        "robot 'r' / group_state 's' / joint 'j1'", "value", "nan", "not a number"),
    "a decimal comma": (
        srdf('<collision_margins default_margin="0,5"/>'),
        "robot 'r' / collision_margins", "default_margin", "0,5", "not a number"),
    "no tool centre points": (
        srdf('<group_tcps group="g"/>'), "robot 'r' / group_tcps", "", None, "<tcp>"),
    "a quaternion of zeros": (
        srdf('<group_tcps group="g"><tcp name="t" xyz="0 0 0" wxyz="0 0 0 0"/></group_tcps>'),
        "robot 'r' / group_tcps / tcp 't'", "wxyz", "0 0 0 0", "no quaternion"),
    "an allowed collision of one link": (
        srdf('<disable_collisions link1="a"/>'),
        "robot 'r' / disable_collisions", "link2", None, "missing"),
    "a margin without a number": (
        srdf('<collision_margins default_margin="0"><pair_margin link1="a" link2="b"/>'
             "</collision_margins>"),
        "robot 'r' / collision_margins / pair_margin", "margin", None, "missing"),
    "another root element": ("<urdf/>", "urdf", "", None, "<robot>"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_an_error_says_where_and_what(name: Any, tmp_path: Any) -> None:
    text, element, attribute, value, words = REFUSED[name]
    path = tmp_path / "robot.srdf"
    path.write_text("\n\n" + text)
    with pytest.raises(SRDFError, match=r"robot\.srdf:3: ") as error:
        SRDFModel().initFile(small_robot(), path)
    assert (error.value.file, error.value.line) == (str(path), 3)
    assert error.value.element == element
    assert (error.value.attribute, error.value.value) == (attribute, value)
    assert words in str(error.value)
    for base in (ValueError, RuntimeError, KinegraphError):
        assert isinstance(error.value, base)


def test_a_failed_reading_changes_nothing() -> None:
    model = full_model()
    texts: list[Any] = [case[0] for case in REFUSED.values()]
    for text in [*texts, "", "<robot", b"\xff\xfe"]:
        with pytest.raises(SRDFError):
            model.initString(small_robot(), text)
    assert model == full_model()


def test_reading_replaces_what_was_there() -> None:
    model = full_model()
    model.initString(small_robot(), srdf(""))
    assert model == SRDFModel("r")


def test_a_missing_file_is_named(tmp_path: Any) -> None:
    with pytest.raises(SRDFError, match=r"none\.srdf: cannot be read") as error:
        SRDFModel().initFile(small_robot(), tmp_path / "none.srdf")
    assert error.value.file == str(tmp_path / "none.srdf")


@pytest.mark.parametrize("bad", [None, 3, ["<robot/>"]])
def test_only_graphs_and_texts_are_taken(bad: Any) -> None:
    with pytest.raises(WrongTypeError):
        read_srdf(bad)
    with pytest.raises(WrongTypeError, match="SceneGraph"):
        SRDFModel().initString(bad, srdf(""))
    with pytest.raises(WrongTypeError, match="SceneGraph"):
        processSRDFAllowedCollisions(bad, SRDFModel())


def test_elements_may_come_in_any_order() -> None:
    state = '<group_state name="s" group="g"><joint name="j2" value="0.5"/></group_state>'
    assert read_srdf(srdf(state + GROUP)) == read_srdf(srdf(GROUP + state))


def test_unknown_things_are_warned_of_once_per_kind(caplog: Any) -> None:
    text = srdf(
        '<group_opw group="g"/><group_opw group="h"/><virtual_joint name="v"/>'
        '<disable_collisions link1="a" link2="x"/><disable_collisions link1="y" link2="a"/>'
        '<end_effector name="e"/><passive_joint name="j1"/>'
    )
    assert read_srdf(text) == SRDFModel("r")
    messages = [record.getMessage() for record in caplog.records]
    assert messages == [
        "<string>:1: ignored unknown <group_opw> in robot 'r' (2 in the file)",
        "<string>:1: ignored unknown link in <disable_collisions> in robot 'r' (2 in the file)",
    ]


def test_another_robots_name_is_logged_as_an_error(caplog: Any) -> None:
    assert read_srdf(srdf("", 'name="q"')).name == "q"
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "'q'" in caplog.text


def test_bytes_and_texts_with_any_mark_are_read() -> None:
    text = '<?xml version="1.0" encoding="utf-16"?>' + srdf(GROUP)
    for data in (text, text.encode("utf-16"), "\ufeff" + text, b"\xef\xbb\xbf" + GROUPED):
        assert read_srdf(data) == read_srdf(GROUPED)


GROUPED = srdf(GROUP).encode()


def test_a_full_model_survives_the_file(tmp_path: Any) -> None:
    model, again = full_model(), SRDFModel()
    assert model.saveToFile(tmp_path / "full.srdf")
    again.initFile(small_robot(), tmp_path / "full.srdf")
    assert again == model
    info, other = model.kinematics_information, again.kinematics_information
    assert other.group_states == info.group_states
    assert other.joint_groups == info.joint_groups
    for group, tcps in info.group_tcps.items():
        for name, pose in tcps.items():
            assert other.group_tcps[group][name] == pose
    assert again.calibration_info.joints == model.calibration_info.joints
    assert again.collision_margin_data is not None
    assert again.collision_margin_data.getPairCollisionMargin("a", "c") == 1 / 3


def test_the_same_model_gives_the_same_files(tmp_path: Any) -> None:
    texts = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        assert full_model().saveToFile(tmp_path / folder / "full.srdf")
        files = sorted((tmp_path / folder).iterdir())
        texts.append([(file.name, file.read_bytes()) for file in files])
    assert texts[0] == texts[1]
    assert [name for name, _ in texts[0]] == [
        "full.srdf",
        "full_calibration_config.yaml",
        "full_contact_managers_plugin_config.yaml",
        "full_kinematics_plugin_config.yaml",
    ]


def test_pairs_of_links_are_written_in_the_order_of_the_alphabet(tmp_path: Any) -> None:
    model = SRDFModel("r")
    for pair in (("d", "c"), ("b", "a"), ("c", "a"), ("d", "a")):
        model.acm.addAllowedCollision(*pair, "x")
    model.saveToFile(tmp_path / "acm.srdf")
    lines = [line for line in (tmp_path / "acm.srdf").read_text().splitlines() if "link1" in line]
    assert [line.split('"')[1] + line.split('"')[3] for line in lines] == ["ab", "ac", "ad", "cd"]


def test_two_models_in_one_folder_keep_their_own_plugins(tmp_path: Any) -> None:
    one, two = full_model(), full_model()
    two.kinematics_information.kinematics_plugin_info.clear()
    two.kinematics_information.kinematics_plugin_info.search_paths += ["/two"]
    assert one.saveToFile(tmp_path / "one.srdf")
    assert two.saveToFile(tmp_path / "two.srdf")
    again = SRDFModel()
    again.initFile(small_robot(), tmp_path / "one.srdf")
    assert again == one


def test_a_file_that_cannot_be_written_gives_false(tmp_path: Any, caplog: Any) -> None:
    assert full_model().saveToFile(tmp_path / "nowhere" / "full.srdf") is False
    assert "cannot be written" in caplog.text
    assert list(tmp_path.iterdir()) == []


def broken(change: Any) -> SRDFModel:
    model = full_model()
    change(model, model.kinematics_information)
    return model


UNWRITABLE: dict[str, Any] = {
    "a group of two kinds": lambda m, i: i.addJointGroup("chain", ["j1"]),
    "an empty group": lambda m, i: i.addJointGroup("empty", []),
    "an empty state": lambda m, i: i.addGroupJointState("chain", "empty", {}),
    "a state of no group": lambda m, i: i.addGroupJointState("nobody", "s", {"j1": 0.0}),
    "a name without a group": lambda m, i: i.group_names.add("nobody"),
    "a value that is not finite": lambda m, i: i.group_states["chain"]["home"].update(j1=np.nan),
    "a value that is no number": lambda m, i: i.group_states["chain"]["home"].update(j1="1"),
    "a control character": lambda m, i: i.addJointGroup("g\1", ["j1"]),
    "a name that is no text": lambda m, i: i.joint_groups["joints"].append(3),
    "a version of two parts": lambda m, i: setattr(m, "version", [1, 0]),
    "an object as configuration": lambda m, i: i.kinematics_plugin_info.inv_plugin_infos[
        "chain"
    ].plugins.update(bad=PluginInfo("B", {1, 2})),
}


@pytest.mark.parametrize("name", UNWRITABLE)
def test_what_srdf_cannot_hold_is_refused_before_anything_is_written(
    name: Any, tmp_path: Any
) -> None:
    with pytest.raises(SRDFError):
        broken(UNWRITABLE[name]).saveToFile(tmp_path / "bad.srdf")
    assert list(tmp_path.iterdir()) == []


WRONG_FIELDS: dict[str, Any] = {
    "name": 5,
    "version": [1, -1, 0],
    "version ": [1.5, 0, 0],
    "version  ": None,
    "version   ": [1, 2],
    "kinematics_information": None,
    "kinematics_information.group_names": None,
    "kinematics_information.chain_groups": {"g": 5},
    "kinematics_information.joint_groups": [1],
    "kinematics_information.group_states": {"g": 5},
    "kinematics_information.group_tcps": {"g": {"t": 5}},
    "kinematics_information.kinematics_plugin_info": 5,
    "contact_managers_plugin_info": 5,
    "contact_managers_plugin_info.search_paths": 5,
    "contact_managers_plugin_info.discrete_plugin_infos": 5,
    "acm": None,
    "collision_margin_data": 5,
    "calibration_info": None,
    "calibration_info.joints": {"j": 5},
}


@pytest.mark.parametrize("field", WRONG_FIELDS)
def test_a_field_of_a_wrong_kind_is_refused_before_anything_is_written(
    field: Any, tmp_path: Any
) -> None:
    model = SRDFModel(name="r")
    model.acm.addAllowedCollision("a", "b", "")
    owner: Any = model
    *way, name = field.strip().split(".")
    for step in way:
        owner = getattr(owner, step)
    setattr(owner, name, WRONG_FIELDS[field])
    with pytest.raises(SRDFError):
        model.saveToFile(tmp_path / "r.srdf")
    assert list(tmp_path.iterdir()) == []


def test_clear_resets_every_field() -> None:
    model = full_model()
    model.clear()
    assert model == SRDFModel()
    assert model.name == "undefined"
    assert list(model.version) == [1, 0, 0]
    assert model.collision_margin_data is None
    assert model.calibration_info.empty()


CHANGES: dict[str, Any] = {
    "name": lambda m, i: setattr(m, "name", "q"),
    "version": lambda m, i: setattr(m, "version", [1, 2, 4]),
    "acm": lambda m, i: m.acm.removeAllowedCollision("a", "b"),
    "margins": lambda m, i: m.collision_margin_data.setDefaultCollisionMargin(0.1),
    "no margins": lambda m, i: setattr(m, "collision_margin_data", None),
    "calibration": lambda m, i: m.calibration_info.joints.pop("j1"),
    "contact managers": lambda m, i: m.contact_managers_plugin_info.clear(),
    "kinematics plugins": lambda m, i: i.kinematics_plugin_info.clear(),
    "a state": lambda m, i: i.addGroupJointState("chain", "out", {"j1": 2.00001}),
    "a tcp": lambda m, i: i.addGroupTCP("chain", "tip", np.eye(4)),
    "a chain": lambda m, i: i.chain_groups["chain"].reverse(),
    "a joint": lambda m, i: i.joint_groups["joints"].append("j3"),
    "a link": lambda m, i: i.link_groups["links"].append("b"),
    "a group": lambda m, i: i.removeLinkGroup("links"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_models_differ_when_one_field_differs(name: Any) -> None:
    assert broken(CHANGES[name]) != full_model()


def test_order_and_tiny_differences_do_not_count() -> None:
    model = full_model()
    info = model.kinematics_information
    info.joint_groups["joints"].reverse()
    info.link_groups["links"].reverse()
    info.group_states["chain"]["out"]["j1"] += 1e-7
    assert model == full_model()
    assert model != "a model"


def test_models_are_copied_and_pickled() -> None:
    model = full_model()
    assert pickle.loads(pickle.dumps(model)) == model
    twin = copy.deepcopy(model)
    twin.kinematics_information.group_states["chain"]["home"]["j1"] = 5.0
    assert model == full_model()


def test_allowed_collisions_are_added_to_the_graph() -> None:
    graph = small_robot()
    graph.addAllowedCollision("c", "d", "mine")
    revision = graph.revision
    processSRDFAllowedCollisions(graph, full_model())
    assert graph.getAllowedCollisionMatrix().getAllAllowedCollisions() == {
        ("c", "d"): "mine",
        ("a", "b"): "Adjacent",
        ("a", "c"): 'Never & "ever" <',
    }
    assert graph.revision > revision


def test_margins_by_pair_in_either_order() -> None:
    margins = CollisionMarginData(0.1)
    assert margins.getMaxCollisionMargin() == 0.1
    margins.setPairCollisionMargin("b", "a", 0.3)
    assert margins.getPairCollisionMargin("a", "b") == 0.3
    assert margins.getPairCollisionMargin("a", "c") == 0.1
    assert margins.getMaxCollisionMargin() == 0.3
    assert margins.getPairCollisionMargins() == {("a", "b"): 0.3}
    margins.setDefaultCollisionMargin(0.5)
    assert margins.getMaxCollisionMargin() == 0.5
    for bad in (float("nan"), float("inf"), "1", None, True):
        with pytest.raises((ValueError, TypeError)):
            margins.setDefaultCollisionMargin(bad)  # type: ignore[arg-type]
        with pytest.raises((ValueError, TypeError)):
            margins.setPairCollisionMargin("a", "b", bad)  # type: ignore[arg-type]
    assert margins == CollisionMarginData(0.5, {("b", "a"): 0.3})


def test_a_negative_margin_is_not_hidden_by_the_largest() -> None:
    margins = CollisionMarginData(-0.2, {("a", "b"): -0.1})
    assert margins.getMaxCollisionMargin() == -0.1


def test_removing_a_tcp_of_an_unknown_group_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'chain'"):
        full_model().kinematics_information.removeGroupTCP("chian", "tip")
