"""A part on a belt: the tool keeps its place over it while both move."""

import time

import numpy as np

from kinegraph.robot import CartesianOptions, MotionLimits, Robot, SceneRobot, SimulatedRobot
from kinegraph.scene import Isometry3d, Joint, JointLimits, JointType, Link

HOST = "127.0.0.68"
SPEED = 0.05  # m/s
SECONDS = 1.5
LIMITS = MotionLimits(0.4, 2.0, 100.0)  # m/s, m/s^2, m/s^3


def belt(scene: SceneRobot) -> Joint:
    """Return a belt that carries a part along y, 5 cm below the controlled link."""
    joint = Joint("belt")
    joint.type = JointType.PRISMATIC
    joint.axis = np.array([0.0, 1.0, 0.0])
    joint.limits = JointLimits(-1.0, 1.0, 10.0, 1.0, 1.0)
    joint.parent_link_name, joint.child_link_name = scene.arm.base_link, "part"
    place = scene.tip_pose().translation - [0.0, 0.0, 0.05]
    joint.parent_to_joint_origin_transform = Isometry3d.from_rpy(place, (0.0, 0.0, 0.0))
    return joint


def main() -> None:
    # lockstep_s: the simulated robot waits for each command, so that a busy machine loses none.
    with (
        SimulatedRobot(HOST, lockstep_s=0.2),
        Robot(HOST) as robot,
        SceneRobot(robot) as scene,
    ):
        scene.addLink(Link("part"), belt(scene))
        scene.sync_tool()
        with scene.cartesian_targets(CartesianOptions(limits=LIMITS)) as arm:
            over = scene.relative_pose("part", scene.tip_link)
            arm.set_target(over, frame="part")  # from now on the target goes where the part goes
            begun = now = arm.robot_time()
            while now < begun + SECONDS:
                # What a camera or the belt's encoder says, at whatever rate it does.
                scene.set_joint("belt", SPEED * (now - begun), SPEED)
                while arm.robot_time() < now + 0.02:
                    time.sleep(0.002)
                now = arm.robot_time()
            off = scene.relative_pose("part", scene.tip_link).translation - over.translation
            print(f"the belt carried the part {1e3 * SPEED * (now - begun):.0f} mm")
            print(f"still over the part within {1e3 * np.linalg.norm(off):.0f} mm")
            scene.set_joint("belt", SPEED * (now - begun), 0.0)  # the belt stops
            print("landed:", arm.wait())


if __name__ == "__main__":
    main()
