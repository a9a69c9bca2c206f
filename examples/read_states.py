"""The robot's states, and a scene whose links have live poses by them."""

import numpy as np

from kinegraph.robot import Robot, SceneRobot, SimulatedRobot

HOST = "127.0.0.71"  # of a real robot: its name or address, without the simulated one


def main() -> None:
    np.set_printoptions(precision=4, suppress=True)
    with SimulatedRobot(HOST), Robot(HOST) as robot:
        state = robot.read_once()
        print("q =", state.q, "rad, mode", state.robot_mode.name)

        # Every state from now on, in order. `lost` counts those that were overwritten unread.
        stream = robot.states()
        times = [next(stream).time for _ in range(500)]
        print("500 states, steps of", set(np.diff(times).tolist()), "ms, lost:", stream.lost)

        # The scene of the robot's own description; a thread sets it to every state that comes.
        with SceneRobot(robot) as scene:
            print("arm:", ", ".join(scene.arm.joint_names), "- flange:", scene.arm.flange_link)
            print("flange by the scene:", scene.link_pose(scene.arm.flange_link).translation, "m")
            flange = state.isometry("O_T_EE") @ state.isometry("F_T_EE").inverse()
            print("flange by the robot:", flange.translation, "m")
            with scene.scene() as (graph, solver):  # held still for the length of the block
                poses = solver.getLinkTransforms()
            print("poses of all", len(poses), "links of", graph.getName())
        print("states received:", robot.counters.received, "- lost:", robot.counters.lost)


if __name__ == "__main__":
    main()
