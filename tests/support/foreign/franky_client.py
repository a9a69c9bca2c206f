"""franky 2.0.0 (libfranka 0.21.2 and a planner): `franky_client.py HOST TASK [ARGUMENT ...]`."""

import time
from collections.abc import Callable
from typing import Any

import franky
import numpy as np
from telling import HOST, JOINT_STEP, PATH_M, flags, later, main, refusals, say, smooth

ONE = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
TRACKED_S = 3.0


def connect() -> Any:
    robot: Any = franky.Robot(HOST, realtime_config=franky.RealtimeConfig.Ignore)
    # At 0.2 its Cartesian ramps (3.7 m/s2) need 11.6 rad/s2 of joint 2: no robot takes them.
    robot.relative_dynamics_factor = 0.1
    return robot


def shown(robot: Any) -> dict[str, Any]:
    """Where the arm is; the pose in columns as the others have it."""
    pose = robot.current_pose.end_effector_pose.matrix
    return {"q": list(robot.current_joint_positions), "O_T_EE": pose.T.ravel().tolist()}


def mode(robot: Any) -> str:
    return str(robot.state.robot_mode).rsplit(".", maxsplit=1)[-1]


def path_goal(robot: Any, share: float = 1.0) -> Any:
    """Pose that is 3 cm further along x of the base."""
    matrix = np.array(robot.current_pose.end_effector_pose.matrix)
    matrix[0, 3] += PATH_M * share
    return franky.Affine(matrix)


def joint_goal(robot: Any, share: float = 1.0) -> Any:
    return np.add(robot.current_joint_positions, np.multiply(JOINT_STEP, share))


def joint_motion(robot: Any) -> None:
    robot.move(franky.JointMotion(joint_goal(robot)))


def far(robot: Any) -> None:
    robot.move(franky.JointMotion(joint_goal(robot, 10.0)))


def joint_waypoints(robot: Any) -> None:
    half, whole = franky.JointWaypoint(joint_goal(robot, 0.5)), joint_goal(robot)
    robot.move(franky.JointWaypointMotion([half, franky.JointWaypoint(whole)]))


def cartesian_motion(robot: Any) -> None:
    robot.move(franky.CartesianMotion(path_goal(robot)))


def cartesian_limited(robot: Any) -> None:
    """The same with libfranka's limiter, which only smooths the end."""
    robot.move(franky.CartesianMotion(path_goal(robot)), limit_rate=True)


def cartesian_waypoints(robot: Any) -> None:
    goals = [franky.CartesianWaypoint(path_goal(robot, share)) for share in (0.5, 1.0)]
    robot.move(franky.CartesianWaypointMotion(goals))


def joint_velocities(robot: Any) -> None:
    """There at a velocity, and the rest by position: the planner's ramps are its own."""
    goal = joint_goal(robot)
    speed = np.multiply(JOINT_STEP, 0.5)
    motion = franky.JointVelocityMotion
    robot.move(motion(speed, duration=franky.Duration(400)), asynchronous=True)
    robot.move(franky.JointVelocityStopMotion())
    robot.join_motion(20.0)
    robot.move(franky.JointMotion(goal))


def joint_velocity_waypoints(robot: Any) -> None:
    goal = joint_goal(robot)
    speeds = [np.multiply(JOINT_STEP, 0.5), np.zeros(7)]
    points = [franky.JointVelocityWaypoint(speed) for speed in speeds]
    robot.move(franky.JointVelocityWaypointMotion(points))
    robot.move(franky.JointMotion(goal))


def cartesian_velocities(robot: Any) -> None:
    goal = path_goal(robot)
    speed = franky.RobotVelocity(franky.Twist([0.02, 0.0, 0.0], [0.0, 0.0, 0.0]))
    motion = franky.CartesianVelocityMotion
    robot.move(motion(speed, duration=franky.Duration(400)), asynchronous=True)
    robot.move(franky.CartesianVelocityStopMotion())
    robot.join_motion(20.0)
    robot.move(franky.CartesianMotion(goal))


def clock(robot: Any) -> float:
    """The robot's own time, s: on a busy machine it is behind the wall's."""
    return float(robot.state.time.to_sec())


def joint_tracker(robot: Any) -> None:
    begin, goal = robot.current_joint_positions, joint_goal(robot)
    with franky.JointImpedanceTracker(robot, period=0.01) as tracker:
        start = clock(robot)
        while (t := clock(robot) - start) < TRACKED_S and tracker.tick():
            tracker.set_target(begin + (goal - begin) * smooth(t))


def cartesian_tracker(robot: Any) -> None:
    poses = [path_goal(robot, share) for share in np.linspace(0.0, 1.0, 101)]
    with franky.CartesianImpedanceTracker(robot, period=0.01) as tracker:
        start = clock(robot)
        while (t := clock(robot) - start) < TRACKED_S and tracker.tick():
            tracker.set_target(poses[round(100 * smooth(t))])


def joint_impedance(robot: Any) -> None:
    sprung(robot, franky.JointImpedanceMotion(joint_goal(robot)))


def cartesian_impedance(robot: Any) -> None:
    sprung(robot, franky.CartesianImpedanceMotion(path_goal(robot)))


def sprung(robot: Any, motion: Any) -> None:
    start = clock(robot)
    robot.move(motion, asynchronous=True)
    while clock(robot) < start + TRACKED_S:
        time.sleep(0.01)
    robot.move(franky.TorqueStopMotion())


MOTIONS = {
    motion.__name__: motion
    for motion in (
        joint_motion,
        joint_waypoints,
        cartesian_motion,
        cartesian_limited,
        cartesian_waypoints,
        joint_velocities,
        joint_velocity_waypoints,
        cartesian_velocities,
        joint_tracker,
        cartesian_tracker,
        joint_impedance,
        cartesian_impedance,
    )
}


def lands(name: str) -> None:
    robot = connect()
    begin = shown(robot)
    MOTIONS[name](robot)
    say(begin=begin, end=shown(robot), errors=flags(robot.state.last_motion_errors))
    say(mode=mode(robot))


def calls() -> None:
    """Everything that is not a motion: good values are taken, bad ones refused."""
    robot = connect()
    robot.set_collision_behavior(50.0, 50.0)
    robot.set_collision_behavior([50.0] * 7, [60.0] * 7, [50.0] * 6, [60.0] * 6)
    robot.set_joint_impedance([3000.0] * 7)
    robot.set_cartesian_impedance([2000.0] * 3 + [100.0] * 3)
    robot.set_guiding_mode([True] * 6, True)
    robot.set_load(0.5, [0.0, 0.0, 0.03], [1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3])
    robot.set_ee([*ONE, 0.1, 1.0])
    robot.set_k([*ONE, 0.05, 1.0])
    bad: dict[str, Callable[[], Any]] = {
        "joint": lambda: robot.set_joint_impedance([-1.0] * 7),
        "cartesian": lambda: robot.set_cartesian_impedance([0.0] * 6),
        "load": lambda: robot.set_load(-1.0, [0.0] * 3, [0.0] * 9),
        "collision": lambda: robot.set_collision_behavior(
            [50.0] * 7, [4.0] * 7, [1.0] * 6, [2.0] * 6
        ),
    }
    say(refused=refusals(bad, franky.CommandException))
    robot.stop()
    state = robot.state
    model = robot.model
    say(m_load=state.m_load, F_T_EE=state.NE_T_EE.matrix.T.ravel(), mode=mode(robot))
    say(
        pose_error=np.abs(
            model.pose(franky.Frame.EndEffector, state).matrix - state.O_T_EE.matrix
        ).max()
    )
    say(gravity=model.gravity(state), recovered=robot.recover_from_errors(), q=state.q)
    say(has_errors=robot.has_errors, in_control=robot.is_in_control, urdf=robot.model_urdf)


def stops() -> None:
    """Another thread stops a motion; a new one runs on the same connection."""
    robot = connect()

    def stop() -> None:
        while not robot.is_in_control:
            time.sleep(0.01)
        robot.stop()

    other = later(stop)
    said = refusals({"text": lambda: far(robot)}, franky.ControlException)
    other.join()
    begin = shown(robot)
    joint_motion(robot)
    say(begin=begin, end=shown(robot), after=mode(robot), **said)


def reacts() -> None:
    """A force stops a motion by franky's own reaction, without any error."""
    robot = connect()
    robot.set_collision_behavior(100.0, 100.0)
    goal = path_goal(robot, 5.0)
    motion = franky.CartesianMotion(goal)
    stop = franky.CartesianStopMotion()
    force = franky.Measure.FORCE_Z
    motion.add_reaction(franky.CartesianPoseReaction((force > 5.0) | (force < -5.0), stop))
    robot.relative_dynamics_factor = 0.02
    robot.move(motion, asynchronous=True)
    say(moving=True)
    robot.join_motion(60.0)
    left = goal.matrix[0, 3] - robot.current_pose.end_effector_pose.matrix[0, 3]
    say(left=left, errors=flags(robot.state.current_errors), mode=mode(robot))


def reflex() -> None:
    """The robot ends the motion by itself; recovery, then a new one on the same connection."""
    robot = connect()
    said = refusals({"text": lambda: far(robot)}, franky.ControlException)
    say(mode=mode(robot), errors=flags(robot.state.current_errors), **said)
    say(**refusals({"refused": lambda: far(robot)}, franky.CommandException))
    robot.recover_from_errors()
    say(recovered=mode(robot), cleared=flags(robot.state.current_errors))
    begin = shown(robot)
    cartesian_motion(robot)
    say(begin=begin, end=shown(robot), after=mode(robot))


def handshake() -> None:
    say(**refusals({"refused": connect}, franky.IncompatibleVersionException))


if __name__ == "__main__":
    main(
        {
            "lands": lands,
            "calls": calls,
            "stops": stops,
            "reacts": reacts,
            "reflex": reflex,
            "handshake": handshake,
        }
    )
