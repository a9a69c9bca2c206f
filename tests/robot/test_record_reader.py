"""The records of a running session as a program reads them: arrays, one at a time, the newest."""

import numpy as np
import pytest
from other_arms import described, start_of

from kinegraph.robot import records_from_rows
from kinegraph.robot.control import CartesianSent, JointSent, TargetRecord, record_dtype
from kinegraph.robot.control.record_reader import RecordReader
from kinegraph.robot.control.target_handle import TargetHandle
from kinegraph.robot.torque_arm import ArmControl, SimulatedArm

pytestmark = pytest.mark.compiled

UR5 = described("ur5")
KINDS: dict[str, type[TargetRecord]] = {
    "cartesian_targets": CartesianSent,
    "joint_targets": JointSent,
}


def started(kind: str) -> tuple[ArmControl, TargetHandle]:
    """A session that is stepped by hand."""
    control = ArmControl(SimulatedArm(UR5, start_of("ur5")), UR5)
    return control, getattr(control, kind)(pace="stepped")


@pytest.mark.parametrize("kind", KINDS)
def test_records_have_the_arms_joints_and_each_is_read_once(kind: str) -> None:
    control, arm = started(kind)
    with arm:
        reader, rows = arm.records(), arm.records()
        assert isinstance(reader, RecordReader)
        assert reader.kind is KINDS[kind]
        control.step(99)
        first, lost = reader.read_records(60)
        rest, none_lost = reader.read_records()
        assert (len(first), len(rest), lost, none_lost) == (60, 40, 0, 0)
        assert first.dtype == record_dtype(6, KINDS[kind])
        assert first["tau"].shape == (60, 6)
        both = np.concatenate([first, rest])
        np.testing.assert_array_equal(both, records_from_rows(rows.read()[0], 6, KINDS[kind]))
        assert len(reader.read_records()[0]) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_one_at_a_time_they_are_the_same_and_the_last_is_the_newest(kind: str) -> None:
    control, arm = started(kind)
    with arm:
        control.step(599)
        table, one = arm.records().read_records()[0], arm.records()
        records = list(one)
        assert len(records) == len(table) == 600
        assert records[-1] == arm.newest_record()
        assert {type(record) for record in records} == {KINDS[kind]}
        for name, _ in KINDS[kind].layout:
            values = np.array([getattr(record, name) for record in records])
            np.testing.assert_array_equal(values, table[name])
        assert list(one) == []
        control.step(3)
        assert len(list(one)) == 3


def test_a_late_reader_knows_how_many_it_has_lost() -> None:
    control, arm = started("joint_targets")
    with arm:
        late = arm.records()
        assert len(list(late)) == 1
        cycles = late.ring.capacity + 100
        control.step(cycles)
        found, lost = late.read_records()
        assert lost == late.lost == cycles - len(found) >= 100
