"""The controller's records: the seed's 28 fields, one at a time and as arrays."""

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from control_rig import READY, Rig, target_row

from kinegraph.robot.control import CartesianSent, record_dtype, records_from_rows, view_rows
from kinegraph.robot.control.record_layout import RECORD_FIELDS, RECORD_SIZE
from kinegraph.robot.errors import InvalidArgumentError

# Names and types of the seed's table, in its order.
SEED = """
pose f8 16; orientation f8 4; target f8 3; target_orientation f8 4; velocity f8 3;
acceleration f8 3; angular_velocity f8 3; angular_acceleration f8 3; backstop_alteration f8;
backstop_angular_alteration f8; q_goal f8 7; dq_goal f8 7; cap_scale f8; pinned i1 7; tau f8 7;
tau_envelope f8 7; tau_position f8 7; ik_error f8; ik_passes u4; stall_pressure f8; stalled b1;
ik_step f8; ik_step_clipped f8; ik_blend f8; held b1; wall_age i1 2; leash_alteration f8;
leash_angular_alteration f8
"""
FIELDS = [entry.split() for entry in SEED.replace("\n", " ").split(";")]


def run() -> Rig:
    """A session that moved for a while."""
    rig = Rig("fr3")
    rig.cycle()
    pose = rig.fk(READY)
    pose[0, 3] += 0.05
    rig.target = target_row(pose)
    rig.follow(200)
    return rig


def test_fields_types_and_order_are_the_seeds() -> None:
    dtype = record_dtype()
    assert dtype.names == tuple(entry[0] for entry in FIELDS)
    assert dtype.names == tuple(field.name for field in fields(CartesianSent))
    assert len(fields(CartesianSent)) == 28
    for name, kind, *count in FIELDS:
        expected = np.dtype((kind, (int(count[0]),))) if count else np.dtype(kind)
        assert dtype[name] == expected, name


def test_every_number_of_a_row_arrives_in_its_field() -> None:
    row = np.arange(1.0, RECORD_SIZE + 1.0)
    view = view_rows(row[None])[0]
    at = 0
    for name, count in RECORD_FIELDS:
        shown = np.atleast_1d(view[name])
        assert shown.tolist() == row[at : at + shown.size].tolist()
        at += count


def test_the_view_shares_its_memory_and_the_records_do_not() -> None:
    rows = np.array(run().records)
    view, records = view_rows(rows), records_from_rows(rows)
    rows[5, 0] = 123.0
    assert view["pose"][5, 0] == 123.0
    assert records["pose"][5, 0] != 123.0
    assert records["ik_passes"].dtype == np.uint32
    assert records["pinned"].shape == (201, 7)


def test_one_record_has_python_numbers_and_arrays_that_cannot_be_changed() -> None:
    rig = run()
    sent = CartesianSent.from_row(rig.record)
    assert sent.ik_passes == rig["ik_passes"] > 0
    assert isinstance(sent.ik_passes, int)
    assert sent.stalled is False
    assert sent.q_goal.tolist() == rig["q_goal"].tolist()
    assert sent.wall_age.dtype == np.int8
    assert sent == CartesianSent.from_row(rig.record)
    assert sent != CartesianSent.from_row(rig.records[0])
    with pytest.raises(ValueError, match="read-only"):
        sent.tau[0] = 1.0
    with pytest.raises(FrozenInstanceError):
        sent.cap_scale = 0.5  # type: ignore[misc]


def test_pose_and_quaternion_of_a_record_agree() -> None:
    sent = CartesianSent.from_row(run().record)
    x, y, z, w = sent.orientation
    assert w >= 0
    rotation = sent.pose.reshape(4, 4).T[:3, :3]
    assert rotation[2, 1] - rotation[1, 2] == pytest.approx(4 * w * x, abs=1e-12)
    assert rotation[0, 2] - rotation[2, 0] == pytest.approx(4 * w * y, abs=1e-12)
    assert rotation[1, 0] - rotation[0, 1] == pytest.approx(4 * w * z, abs=1e-12)
    assert sent.pose[[3, 7, 11, 15]].tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("rows", [np.zeros(RECORD_SIZE), np.zeros((2, 5))])
def test_rows_of_another_size_are_refused(rows: np.ndarray) -> None:
    with pytest.raises(InvalidArgumentError, match="rows"):
        view_rows(rows)


@pytest.mark.parametrize("joints", [0, 10])
def test_numbers_of_joints_out_of_range_are_refused(joints: int) -> None:
    with pytest.raises(InvalidArgumentError, match="joints"):
        view_rows(np.zeros((1, RECORD_SIZE)), joints)
