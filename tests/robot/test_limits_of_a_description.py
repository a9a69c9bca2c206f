"""Velocity limits read from a robot's own URDF, and wrenches between frames."""

import numpy as np
import pytest

from kinegraph.robot import (
    InvalidArgumentError,
    JointVelocityTable,
    RobotState,
    rate_limits,
    transform_wrench,
)
from kinegraph.robot.limits import fr3_velocity_table
from kinegraph.scene import SceneGraph, parseURDFString
from kinegraph.scene.errors import NotRigidError

TABLE = fr3_velocity_table()


def arm(prefix: str = "fr3_", *, bare: int = 0, finger: bool = False, drop: int = 0) -> SceneGraph:
    """A serial arm with the table's numbers; `bare` lacks the element, `drop` is not there."""
    parts = ["<robot name='arm'><link name='l0'/>"]
    for i in range(7):
        if i + 1 == drop:
            parts.append(f"<link name='l{i + 1}'/><joint name='f{i}' type='fixed'>")
            parts.append(f"<parent link='l{i}'/><child link='l{i + 1}'/></joint>")
            continue
        extra = (
            f"<position_based_velocity_limits velocity_offset='{TABLE.velocity_offset[i]}' "
            f"deceleration_limit='{TABLE.deceleration_limit[i]}'/>"
        )
        parts.append(
            f"<link name='l{i + 1}'/><joint name='{prefix}joint{i + 1}' type='revolute'>"
            f"<parent link='l{i}'/><child link='l{i + 1}'/><axis xyz='0 0 1'/>"
            f"<limit lower='{TABLE.lower_position[i]}' upper='{TABLE.upper_position[i]}' "
            f"velocity='{TABLE.max_velocity[i]}' effort='87'/>"
            f"{'' if i + 1 == bare else extra}</joint>"
        )
    if finger:
        parts.append(
            "<link name='pad'/><joint name='fr3_finger_joint1' type='prismatic'>"
            "<parent link='l7'/><child link='pad'/><axis xyz='0 1 0'/>"
            "<limit lower='0' upper='0.04' velocity='0.2' effort='20'/></joint>"
        )
    return parseURDFString("".join([*parts, "</robot>"]))


@pytest.mark.parametrize("prefix", ["", "fr3_", "left_fr3_"])
def test_table_is_read_from_the_graph(prefix: str) -> None:
    table = JointVelocityTable.from_graph(arm(prefix))
    for name in JointVelocityTable.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(table, name), getattr(TABLE, name))
    limits = rate_limits(10, table)
    for side, wanted in zip(
        limits.joint_velocity_limits(TABLE.upper_position - 0.1),
        rate_limits(10).joint_velocity_limits(TABLE.upper_position - 0.1),
        strict=True,
    ):
        np.testing.assert_array_equal(side, wanted)


def test_joint_of_a_hand_is_not_taken_for_the_arm() -> None:
    table = JointVelocityTable.from_graph(arm(finger=True))
    np.testing.assert_array_equal(table.max_velocity, TABLE.max_velocity)


def test_missing_element_or_joint_is_named() -> None:
    text = "Missing <position_based_velocity_limits> element for joint: fr3_joint4"
    with pytest.raises(InvalidArgumentError, match=text) as caught:
        JointVelocityTable.from_graph(arm(bare=4))
    assert caught.value.joint == "fr3_joint4"
    with pytest.raises(InvalidArgumentError, match="no joint whose name contains 'joint3'"):
        JointVelocityTable.from_graph(arm(drop=3))


def test_named_joints_are_taken_in_their_order() -> None:
    names = [f"fr3_joint{i}" for i in (7, 6, 5, 4, 3, 2, 1)]
    table = JointVelocityTable.from_graph(arm(), names)
    np.testing.assert_array_equal(table.max_velocity, TABLE.max_velocity[::-1])
    with pytest.raises(InvalidArgumentError, match="seven joints, not 6"):
        JointVelocityTable.from_graph(arm(), names[1:])
    with pytest.raises(InvalidArgumentError, match="no joint 'joint9'"):
        JointVelocityTable.from_graph(arm(), [*names[1:], "joint9"])


def test_tables_and_limits_are_read_only_copies() -> None:
    given = np.full(7, 2.0)
    table = JointVelocityTable(given, given / 10, given, given, -given)
    given[:] = 9.0
    assert table.max_velocity[0] == 2.0
    with pytest.raises(ValueError, match="read-only"):
        rate_limits(10).array[0] = 5.0


K96_POSE = [0.977534080749809, 0.131934596234186, 0.16437877992353, 0.0]
K96_POSE += [0.208433729348799, -0.721051644933332, -0.660787337808986, 0.0]
K96_POSE += [0.0313448790455044, 0.680204224961488, -0.732352176826262, 0.0]
K96_POSE += [0.38659454945898, 0.199352642506218, 0.513259685840906, 1.0]


def test_wrench_of_report_k96_is_about_the_origin_of_the_base() -> None:
    shift = np.eye(4)
    shift[2, 3] = 0.01
    state = RobotState().replace(
        O_T_EE=K96_POSE, EE_T_K=shift, K_F_ext_hat_K=[4.0, -2.5, 11.0, 0.3, -0.15, 0.08]
    )
    pose = state.isometry("O_T_EE") * state.isometry("EE_T_K")
    wrench = transform_wrench(pose, state.K_F_ext_hat_K)
    wanted = [3.73384566912779, 9.81261397184644, -5.74639048087229]
    wanted += [-5.88469883536349, 4.31456645679885, 3.11667261309788]
    np.testing.assert_allclose(wrench, wanted, atol=1e-9)
    back = transform_wrench(pose.inverse(), wrench)
    np.testing.assert_allclose(back, state.K_F_ext_hat_K, atol=1e-12)


def test_wrench_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="wrench"):
        transform_wrench(np.eye(4), [0.0] * 5)
    with pytest.raises(InvalidArgumentError, match="wrench is infinite or NaN"):
        transform_wrench(np.eye(4), [np.nan] * 6)
    with pytest.raises(NotRigidError):
        transform_wrench(2 * np.eye(4), [0.0] * 6)
