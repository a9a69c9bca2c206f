"""The Cartesian target controller on an arm that is no Franka: one of six joints, simulated."""

import numpy as np

from kinegraph.robot import ArmControl, SimulatedArm, describe_arm
from kinegraph.scene import parseURDFString

# Each joint: its axis, the way from the one before, m, and what it carries, kg.
JOINTS = (
    ("0 0 1", "0 0 0.15", 4.0),
    ("0 1 0", "0 0 0.1", 8.0),
    ("0 1 0", "0 0 0.4", 3.0),
    ("0 1 0", "0 0 0.35", 1.5),
    ("1 0 0", "0 0 0.1", 1.0),
    ("0 1 0", "0.1 0 0", 0.5),
)
READY = [0.0, -0.6, 1.5, 0.6, 0.1, 0.3]


def arm_text() -> str:
    """Return a description: limits are all that is needed besides links, joints and masses."""
    parts = ['<robot name="six"><link name="link0"/>']
    for i, (axis, way, mass) in enumerate(JOINTS):
        parts.append(
            f'<joint name="joint{i}" type="revolute"><parent link="link{i}"/>'
            f'<child link="link{i + 1}"/><origin xyz="{way}"/><axis xyz="{axis}"/>'
            f'<limit lower="-3" upper="3" velocity="2.5" effort="{150 if i < 3 else 30}"/></joint>'
            f'<link name="link{i + 1}"><inertial><mass value="{mass}"/>'
            f'<inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )
    return "".join([*parts, "</robot>"])


def main() -> None:
    np.set_printoptions(precision=4, suppress=True)
    description = describe_arm(parseURDFString(arm_text()), "link6")
    table = description.table
    print(
        "limits of velocity", table.max_joint_velocity, "acceleration", table.max_joint_acceleration
    )

    # An arm of your own has what this one has: table, torque_rate, gravity, read, send and stop.
    arm = SimulatedArm(description, READY, friction=0.05)
    control = ArmControl(arm, description)

    # Stepped: time stands still between the calls. pace="clock" runs 1000 cycles a second instead.
    with control.cartesian_targets(pace="stepped") as targets:
        print("reached:", targets.move_to(targets.target() + np.array([0.05, 0.05, -0.03])))
        arm.push([0.0, 0.0, -20.0, 0.0, 0.0, 0.0])  # N, at the controlled link
        control.step(1000)  # ms
        print("pushed away by", targets.measured_pose().translation - targets.target(), "m")
        arm.push()
        print("back:", targets.wait())
        records, _ = targets.records().read_records()
    print(f"{len(records)} cycles, largest torque {np.abs(records['tau']).max():.1f} Nm")


if __name__ == "__main__":
    main()
