"""What the bars let franky do: `franky_moves.py HOST TASK [ARGUMENT ...]`, in its environment.

Prints the figures as JSON on its last line.
"""

import json
import sys
import time
from typing import Any

import franky
import numpy as np

HOST = sys.argv[1]
# Share of its own limits, which beside the Cartesian ones of the robot leave out the joints'.
FACTOR = 0.1


def connect() -> Any:
    robot = franky.Robot(HOST, realtime_config=franky.RealtimeConfig.Ignore)
    robot.recover_from_errors()
    robot.set_collision_behavior([100.0] * 7, [100.0] * 7, [100.0] * 6, [100.0] * 6)
    robot.relative_dynamics_factor = FACTOR
    return robot


def joints(robot: Any) -> Any:
    return np.array(robot.current_joint_state.position)


def place(robot: Any) -> Any:
    return np.array(robot.current_pose.end_effector_pose.translation)


def joint_motion() -> Any:
    """0.1 rad on joint 4 and back on two others."""
    robot = connect()
    goal = joints(robot) + [0.0, 0.05, 0.0, 0.1, 0.0, -0.05, 0.0]  # noqa: RUF005
    robot.move(franky.JointMotion(goal))
    return {"error": float(np.abs(joints(robot) - goal).max())}


def cartesian_motion() -> Any:
    """5 cm in x, in a straight line."""
    robot = connect()
    goal = place(robot) + np.array([0.05, 0.0, 0.0])
    pose = robot.current_pose.end_effector_pose
    robot.move(franky.CartesianMotion(franky.Affine(goal, pose.quaternion)))
    return {"error": float(np.linalg.norm(place(robot) - goal))}


def joint_velocities() -> Any:
    """0.1 rad/s for half a second, back, and a stop; both ways are equally long."""
    robot, speed = connect(), np.full(7, 0.1)
    start = joints(robot)
    hold = franky.Duration(500)
    robot.move(franky.JointVelocityWaypointMotion([
        franky.JointVelocityWaypoint(speed, hold_target_duration=hold),
        franky.JointVelocityWaypoint(-speed, hold_target_duration=hold),
        franky.JointVelocityWaypoint(np.zeros(7)),
    ]))  # fmt: skip
    return {"error": float(np.abs(joints(robot) - start).max())}


def cartesian_velocities() -> Any:
    """5 cm/s for half a second, back, and a stop; both ways are equally long."""
    robot = connect()
    start, hold = place(robot), franky.Duration(500)

    def speed(x: float) -> Any:
        return franky.RobotVelocity(franky.Twist(linear_velocity=[x, 0.0, 0.0]))

    robot.move(franky.CartesianVelocityWaypointMotion([
        franky.CartesianVelocityWaypoint(speed(0.05), hold_target_duration=hold),
        franky.CartesianVelocityWaypoint(speed(-0.05), hold_target_duration=hold),
        franky.CartesianVelocityWaypoint(speed(0.0)),
    ]))  # fmt: skip
    return {"error": float(np.linalg.norm(place(robot) - start))}


def joint_tracker() -> Any:
    """The joint impedance tracker led by 0.1 rad within a second, then held."""
    robot = connect()
    start = goal = joints(robot)
    with franky.JointImpedanceTracker(robot, stiffness=np.full(7, 200.0), period=0.01) as tracker:
        begun = time.monotonic()
        while tracker.tick() and time.monotonic() - begun < 3.0:
            share = min(1.0, time.monotonic() - begun)
            goal = start + 0.1 * share * np.eye(7)[3]
            tracker.set_target(goal)
        error = float(np.abs(np.array(tracker.current_joint_state.position) - goal).max())
    return {"error": error}


def cartesian_tracker() -> Any:
    """The Cartesian impedance tracker led by 5 cm within a second, then held."""
    robot = connect()
    pose = robot.current_pose.end_effector_pose
    start = np.array(pose.translation)
    goal = start
    with franky.CartesianImpedanceTracker(
        robot, translational_stiffness=800.0, rotational_stiffness=50.0, period=0.01
    ) as tracker:
        begun = time.monotonic()
        while tracker.tick() and time.monotonic() - begun < 3.0:
            share = min(1.0, time.monotonic() - begun)
            goal = start + 0.05 * share * np.eye(3)[0]
            tracker.set_target(franky.Affine(goal, pose.quaternion))
        shown = tracker.current_pose
        reached = getattr(shown, "end_effector_pose", shown)
        error = float(np.linalg.norm(np.array(reached.translation) - goal))
    return {"error": error}


def reaction() -> Any:
    """A slow motion that stops when a force shows; a line is printed when it has begun."""
    robot = connect()
    pose = robot.current_pose.end_effector_pose
    goal = np.array(pose.translation) + [0.1, 0.0, 0.0]  # noqa: RUF005
    motion = franky.CartesianMotion(
        franky.Affine(goal, pose.quaternion), relative_dynamics_factor=0.1
    )
    seen: list[float] = []
    force = franky.CartesianPoseReaction(
        (franky.Measure.FORCE_Z > 5.0) | (franky.Measure.FORCE_Z < -5.0),
        franky.CartesianStopMotion(),
    )
    force.register_callback(lambda state, _rel, _abs: seen.append(state.time.to_sec()))
    motion.add_reaction(force)
    sys.stdout.write("moving\n")
    sys.stdout.flush()
    robot.move(motion)
    return {"at_ms": 1e3 * seen[0] if seen else None}


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(globals()[sys.argv[2]](*sys.argv[3:])) + "\n")
