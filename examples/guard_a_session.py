"""A session with guards and an observer; first as a dry run, in which nothing is sent."""

import time
from dataclasses import replace

import numpy as np

from kinegraph.robot import (
    CartesianOptions,
    CartesianSent,
    ControlError,
    ImpedanceOptions,
    MotionLimits,
    Robot,
    RobotState,
    SceneRobot,
    SimulatedRobot,
    WorkspaceBox,
)

HOST = "127.0.0.72"


def main() -> None:
    furthest = 0.0

    def observe(state: RobotState, sent: CartesianSent) -> None:
        nonlocal furthest
        furthest = max(furthest, float(np.abs(sent.q_goal - state.q).max()))

    # lockstep_s: the simulated robot waits for each command, so that a busy machine loses none.
    with SimulatedRobot(HOST, lockstep_s=0.2), Robot(HOST) as robot, SceneRobot(robot) as scene:
        here = scene.tip_pose().translation
        options = CartesianOptions(
            limits=MotionLimits(0.5, 2.0, 60.0),
            workspace=WorkspaceBox(here - 0.1, here + 0.1),
            max_target_age_s=1.0,  # a policy that stops thinking stops the arm
            backend=ImpedanceOptions(max_spring_force=20.0),
            observer=observe,
        )
        with scene.cartesian_targets(replace(options, dry_run=True)) as rehearsal:
            rehearsal.move_by([0.0, 0.0, 0.02])
            time.sleep(0.2)
        print(f"rehearsed {rehearsal.cycle_count} cycles, sent {robot.counters.sent} commands")

        arm = scene.cartesian_targets(options)
        try:
            arm.move_by([0.0, 0.0, 0.2])
        except ValueError as refused:
            print(refused)
        for step in np.linspace(0.0, 0.05, 20):
            arm.set_position(here + np.array([step, 0.0, 0.0]))
            time.sleep(0.03)
        while arm.is_running:  # nothing more comes: the session lands and ends by itself
            time.sleep(0.05)
        try:
            arm.stop()
        except ControlError as ended:
            print(ended)
        print(f"the goal led by {1e3 * furthest:.1f} mrad at most")


if __name__ == "__main__":
    main()
