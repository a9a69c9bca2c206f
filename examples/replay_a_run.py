"""A recorded run on a scene again: the path of the tip, beside what the robot reported."""

import tempfile
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from kinegraph.robot import Replay, Robot, SceneRobot, SimulatedRobot

HOST = "127.0.0.75"
STEP = np.array([0.04, 0.0, 0.03])


def record(path: Path) -> None:
    """Move the tip to and fro."""
    with ExitStack() as stack:
        stack.enter_context(SimulatedRobot(HOST, lockstep_s=0.2))
        robot = stack.enter_context(Robot(HOST))
        stack.enter_context(robot.record(path))
        scene = stack.enter_context(SceneRobot(robot))
        arm = stack.enter_context(scene.cartesian_targets())
        start = arm.target()
        for target in (start + STEP, start):
            arm.set_position(target)
            arm.wait()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.log"
        record(path)
        replay = Replay(path, rate_hz=2.0)  # the scene is what the robot served

        print("time, s   tip by the scene, mm      third link, mm")
        for step in replay:  # sets replay.solver
            third = step.scene.link_transforms[replay.arm.links[2]].translation
            tip = replay.solver.getLinkTransform(replay.arm.flange_link).translation
            print(f"{step.time_s:7.2f}", *(f"{1e3 * x:8.1f}" for x in (*tip, *third)))

        everything = Replay(path)  # all states at once
        ours, theirs = everything.end_effector(), everything.recorded_poses("O_T_EE")
        apart = np.linalg.norm(ours[:, :3, 3] - theirs[:, :3, 3], axis=1)
        span = np.ptp(ours[:, :3, 3], axis=0)
        print(f"{len(everything)} states, the tip moved within {(1e3 * span).round(1)} mm")
        print(f"scene and robot agree on the tip within {1e6 * apart.max():.2g} um")


if __name__ == "__main__":
    main()
