"""Small SRDF texts with upstream's verdict."""

import json
from typing import Any

import numpy as np
import pytest
from scene_builders import parse_string
from shared_cases import GOLDEN

from kinegraph.scene import SRDFError, SRDFModel

DATA = json.loads((GOLDEN / "scene" / "srdf_cases.json").read_text(encoding="utf-8"))
CASES = {case["name"]: case for case in DATA["cases"]}

# Where the specification decides otherwise than upstream.
REFUSED_BY_US = {"group_duplicate_other_kind"}
READ = [name for name, case in CASES.items() if "result" in case and name not in REFUSED_BY_US]


def read(text: str) -> SRDFModel:
    model = SRDFModel()
    model.initString(parse_string(DATA["urdf"]), text)
    return model


@pytest.mark.parametrize("name", CASES)
def test_a_text_is_read_or_refused_as_upstream_does(name: Any) -> None:
    case = CASES[name]
    if "error" in case or name in REFUSED_BY_US:
        with pytest.raises(SRDFError) as error:
            read(case["srdf"])
        assert str(error.value).startswith("<string>:1: ")
        return
    result = case["result"]
    model = read(case["srdf"])
    info = model.kinematics_information
    assert model.name == result["name"]
    assert list(model.version) == result["version"]
    assert sorted(info.group_names) == result["group_names"]
    chains = {group: [list(c) for c in chain] for group, chain in info.chain_groups.items()}
    assert chains == result["chain_groups"]
    assert info.joint_groups == result["joint_groups"]
    assert info.link_groups == result["link_groups"]
    assert info.group_states == result["group_states"]
    allowed = [[a, b, reason] for (a, b), reason in model.acm.getAllAllowedCollisions().items()]
    assert sorted(allowed) == result["acm"]


@pytest.mark.parametrize("name", READ)
def test_tool_centre_points_and_margins_are_as_upstream_reads_them(name: Any) -> None:
    result = CASES[name]["result"]
    model = read(CASES[name]["srdf"])
    tcps = model.kinematics_information.group_tcps
    assert tcps.keys() == result["group_tcps"].keys()
    for group, expected in result["group_tcps"].items():
        assert tcps[group].keys() == expected.keys()
        for tcp, matrix in expected.items():
            np.testing.assert_allclose(tcps[group][tcp].matrix, matrix, atol=1e-15)
    margins = model.collision_margin_data
    if margins is None:
        assert result["margins"] is None
    else:
        assert margins.getDefaultCollisionMargin() == result["margins"]["default"]
        assert margins.getPairCollisionMargin("c", "a") == result["margins"]["a_c"]
        assert margins.getMaxCollisionMargin() == result["margins"]["max"]


@pytest.mark.parametrize("name", READ)
def test_what_was_read_is_written_and_read_again(name: Any, tmp_path: Any) -> None:
    model, again = read(CASES[name]["srdf"]), SRDFModel()
    assert model.saveToFile(tmp_path / "again.srdf")
    again.initFile(parse_string(DATA["urdf"]), tmp_path / "again.srdf")
    assert again == model
