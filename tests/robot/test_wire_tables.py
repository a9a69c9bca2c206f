"""The tables against the layout files of the specification."""

import json
import subprocess
import sys
from typing import Any

import pytest
from shared_cases import GOLDEN

from kinegraph.robot.errors import InvalidOperationError
from kinegraph.robot.wire.gripper_tables import GRIPPER, VACUUM_GRIPPER
from kinegraph.robot.wire.protocol import Protocol, title
from kinegraph.robot.wire.tables import ERROR_NAMES, PROTOCOLS

LAYOUTS: dict[int, dict[str, Any]] = {
    version: json.loads((GOLDEN / "fci" / f"fci_layout_v{version}.json").read_text())
    for version in (10, 5)
}
DEVICES: list[tuple[str, Protocol, dict[str, Any]]] = [
    ("v10", PROTOCOLS[10], LAYOUTS[10]),
    ("v5", PROTOCOLS[5], LAYOUTS[5]),
    ("gripper", GRIPPER, LAYOUTS[10]["gripper"]),
    ("gripper of v5", GRIPPER, LAYOUTS[5]["gripper"]),
    ("vacuum", VACUUM_GRIPPER, LAYOUTS[10]["vacuum_gripper"]),
    ("vacuum of v5", VACUUM_GRIPPER, LAYOUTS[5]["vacuum_gripper"]),
]
MESSAGES = [
    pytest.param(protocol, name, message, id=f"{device} {name}")
    for device, protocol, layout in DEVICES
    for name, message in layout["messages"].items()
]
NUMPY_CODES = {"bool": "u1", "u1": "u1"}


@pytest.mark.parametrize(("protocol", "name", "layout"), MESSAGES)
def test_message_has_the_fields_offsets_and_size_of_the_layout(
    protocol: Protocol, name: str, layout: dict[str, Any]
) -> None:
    message = protocol.message(name)
    closed = [field for field in layout["fields"] if field["type"] != "bytes"]
    assert message.size == (layout["size"] if layout["size"] is not None else 1)
    assert [field["name"] for field in closed] == list(message.dtype.names or ())
    columns: Any = message.dtype.fields or {}
    for field in closed:
        kind, offset = columns[field["name"]][:2]
        assert offset == field["offset"]
        assert kind.itemsize == field["count"] * kind.base.itemsize
        code = NUMPY_CODES.get(field["type"], field["type"])
        assert kind.base.str[1:] == code
        assert kind.base.str[0] in "<|"


@pytest.mark.parametrize(
    ("protocol", "layout"), [d[1:] for d in DEVICES], ids=[d[0] for d in DEVICES]
)
def test_commands_and_status_bytes_are_those_of_the_layout(
    protocol: Protocol, layout: dict[str, Any]
) -> None:
    assert dict(protocol.commands) == layout["commands"]
    statuses = layout["status"]
    for command in layout["commands"]:
        assert dict(protocol.status(command)) == statuses.get(command, statuses.get("others"))
        for name, number in protocol.status(command).items():
            assert protocol.status_names[command][number] == name
    assert protocol.tcp_port == layout["tcp_port"]
    assert {k: dict(v) for k, v in protocol.enums.items()} == layout.get("enums", {})


@pytest.mark.parametrize("version", [10, 5])
def test_error_names_are_those_of_the_layout_in_order(version: int) -> None:
    assert list(ERROR_NAMES) == LAYOUTS[version]["error_bits"]
    assert len(set(ERROR_NAMES)) == 41


def test_open_ended_replies_name_their_tail() -> None:
    assert PROTOCOLS[10].message("GetRobotModel.Response").tail == "robot_model"
    assert PROTOCOLS[5].message("LoadModelLibrary.Response").tail == "library"


def test_accelerometers_are_rows_and_matrices_are_flat() -> None:
    state = PROTOCOLS[10].dtype("RobotState")
    assert state["accelerometer_top"].shape == (6, 3)
    assert state["O_T_EE"].shape == (16,)


def test_command_of_the_other_version_is_refused_by_name() -> None:
    with pytest.raises(
        InvalidOperationError, match="Set Filters is not available on FCI version 10"
    ):
        PROTOCOLS[10].command("SetFilters")
    with pytest.raises(InvalidOperationError, match="did you mean 'SetLoad'"):
        PROTOCOLS[5].status("SetLoads")
    with pytest.raises(InvalidOperationError, match=r"GetRobotModel\.Request"):
        PROTOCOLS[5].dtype("GetRobotModel.Request")


def test_titles_are_those_of_the_error_texts() -> None:
    titles = {title(command) for protocol in PROTOCOLS.values() for command in protocol.commands}
    assert {
        "Move",
        "Stop Move",
        "Set EE to K",
        "Set NE to EE",
        "Automatic Error Recovery",
    } <= titles


def test_tables_do_not_load_numba() -> None:
    script = "import sys, kinegraph.robot.wire.messages; print('numba' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"
