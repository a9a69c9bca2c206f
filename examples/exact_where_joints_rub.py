"""A step of 5 cm where the joints rub: by the default law, and by springs and dampers alone."""

import time

import numpy as np

from kinegraph.robot import (
    CARTESIAN,
    CartesianOptions,
    FrictionTerm,
    ImpedanceOptions,
    IntegralTerm,
    Robot,
    SceneRobot,
    SimulatedRobot,
)

HOST = "127.0.0.113"
LAWS = {
    "springs and dampers": CARTESIAN,
    "no integral force": ImpedanceOptions(integral=None),
    "default": ImpedanceOptions(friction=FrictionTerm(), integral=IntegralTerm(max_force=10.0)),
}


def off_by(law: ImpedanceOptions) -> float:
    """Return how far from its target the arm is two seconds later, m."""
    with (
        SimulatedRobot(HOST, friction=True, lockstep_s=0.2),
        Robot(HOST) as robot,
        SceneRobot(robot) as scene,
        scene.cartesian_targets(CartesianOptions(backend=law)) as arm,
    ):
        target = arm.target() + np.array([0.05, 0.0, 0.0])
        arm.set_position(target)
        end = robot.state.time + 2000  # ms, by the robot's clock
        while robot.state.time < end:
            time.sleep(0.01)
        return float(np.linalg.norm(arm.measured_pose().translation - target))


def main() -> None:
    for name, law in LAWS.items():
        print(f"{name}: off by {1e3 * off_by(law):.2f} mm")


if __name__ == "__main__":
    main()
