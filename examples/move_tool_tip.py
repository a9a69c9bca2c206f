"""Cartesian targets for the tip of a tool, and what the loop did to reach them."""

import numpy as np

from kinegraph.robot import Robot, SceneRobot, SimulatedRobot, description_text
from kinegraph.scene import Isometry3d, Joint, JointType, parseURDFString

HOST = "127.0.0.72"


def mount(flange: str) -> Joint:
    """Return the joint that carries the gripper."""
    joint = Joint("gripper_mount")
    joint.type = JointType.FIXED
    joint.parent_link_name, joint.child_link_name = flange, "gripper/palm"
    return joint


def main() -> None:
    np.set_printoptions(precision=4, suppress=True)
    # lockstep_s: the simulated robot waits for each command, so that a busy machine loses none.
    with SimulatedRobot(HOST, lockstep_s=0.2), Robot(HOST) as robot, SceneRobot(robot) as scene:
        gripper = parseURDFString(description_text("gripper"))
        scene.insertSceneGraph(gripper, mount(scene.arm.flange_link), "gripper/")
        scene.set_tip_link("gripper/tip")

        # The robot has to know the tool: its frame, and its mass for the gravity compensation.
        scene.sync_tool()
        print(f"told the robot of {scene.sync_load().mass:.2f} kg")

        with scene.cartesian_targets() as arm:
            start = arm.target_pose()
            up = start.translation + np.array([0.0, 0.0, 0.04])
            arm.set_position(up)  # the orientation stays
            print("first target reached: ", arm.wait())

            turned = start @ Isometry3d.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, np.deg2rad(20.0)))
            arm.set_pose(turned)
            print("second target reached:", arm.wait())
            off = arm.measured_pose().translation - turned.translation
            print(f"off by {1e3 * np.linalg.norm(off):.2f} mm")
            records, lost = arm.records().read_records()

        # Leaving the block landed the arm and finished the motion. One record per cycle:
        speed = np.linalg.norm(records["velocity"], axis=1)
        print(f"{len(records)} records, lost {lost}")
        print(f"largest speed {speed.max():.3f} m/s, torque {np.abs(records['tau']).max():.1f} Nm")


if __name__ == "__main__":
    main()
