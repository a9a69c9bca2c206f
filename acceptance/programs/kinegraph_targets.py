"""The moves of `shared_moves` by our own target controllers.

    kinegraph_targets.py HOST moves VARIANTS MOVES

VARIANTS are `default`, `reference` (the peer's gains and nothing else), `robot` and `tool` (the
default law for a frame that is not the flange). Prints the figures as JSON on its last line.
"""

import json
import sys
import time
from typing import Any

from kinegraph_client import FIFO, connect, raise_this_thread, thresholds
from shared_moves import (
    BACK_S,
    BUDGET,
    ROW_S,
    STEP_M,
    TURN_BUDGET,
    TURN_RAD,
    arc,
    looked_at,
    tool_pose,
)

from kinegraph.robot import (
    CARTESIAN,
    CartesianOptions,
    ImpedanceOptions,
    MotionLimits,
    Robot,
    RobotController,
    SceneRobot,
)
from kinegraph.scene import Isometry3d, Joint, JointType, Link

BACKENDS: dict[str, ImpedanceOptions | RobotController] = {
    "default": ImpedanceOptions(),
    "tool": ImpedanceOptions(),
    "reference": CARTESIAN,
    "robot": RobotController(),
}


def options(variant: str) -> CartesianOptions:
    return CartesianOptions(
        limits=MotionLimits(**BUDGET),
        rotation_limits=MotionLimits(**TURN_BUDGET),
        backend=BACKENDS[variant],
        realtime_priority=FIFO,
    )


def with_tool(robot: Robot) -> SceneRobot:
    """The robot's scene with a tool on the flange that the robot does not know of."""
    scene = SceneRobot(robot)
    joint = Joint("to_probe")
    joint.type = JointType.FIXED
    joint.parent_link_name, joint.child_link_name = scene.arm.flange_link, "probe"
    joint.parent_to_joint_origin_transform = Isometry3d(tool_pose())
    scene.addLink(Link("probe"), joint)
    scene.set_tip_link("probe")
    return scene


def moves(variants: str, names: str) -> Any:
    """Every move with every variant, each in a session of its own."""
    seen = []
    with connect() as robot:
        robot.set_collision_behavior(*thresholds())
        raise_this_thread()
        for variant in variants.split(","):
            for name in names.split(","):
                if variant == "tool":
                    with with_tool(robot) as scene:
                        arm = scene.cartesian_targets(options(variant), tool="scene")
                        seen.append({"variant": variant, **session(arm, name)})
                else:
                    arm = robot.start_cartesian_target_control(options(variant))
                    seen.append({"variant": variant, **session(arm, name)})
    return {"moves": seen}


def session(arm: Any, name: str) -> Any:
    """One move; whether there is a record of each of its cycles, too."""
    with arm:
        home = arm.target_pose()

        def start() -> None:
            if name == "step":
                arm.move_by([STEP_M, 0.0, 0.0])
            elif name == "turn":
                arm.move_by([0.0, 0.0, 0.0, 0.0, 0.0, TURN_RAD])
            elif name == "follow":
                arm.follow(home.translation + arc(), ROW_S)

        figures = looked_at(name, lambda: 1e3 * arm.robot_time(), start)
        cycles = arm.cycle_count
        records = len(arm.records().read()[0])
        figures |= {"records": records, "missing_records": max(0, cycles - records)}
        arm.set_pose(home)
        time.sleep(BACK_S)
    return figures


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(globals()[sys.argv[2]](*sys.argv[3:])) + "\n")
