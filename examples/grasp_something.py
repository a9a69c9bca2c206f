"""The hand: grasp what is there, see that nothing is there, stop in mid-motion."""

import time

from kinegraph.robot import CommandError, Gripper, SimulatedHand

HOST = "127.0.0.75"  # of a real robot: its name or address, without the simulated hand


def main() -> None:
    with SimulatedHand(HOST, object_width=0.04) as hand, Gripper(HOST) as gripper:
        print("homing:", gripper.homing(), f"- opens to {1e3 * gripper.state.max_width:.0f} mm")

        # An object is held when the fingers come to rest within 5 mm of the width that is given.
        held = gripper.grasp(width=0.042, speed=0.1, force=20.0)
        print(f"grasped: {held}, {1e3 * gripper.read_once().width:.1f} mm wide")

        gripper.move(0.08, speed=0.1)
        hand.object_width = None
        held = gripper.grasp(width=0.042, speed=0.1, force=20.0)
        print(f"grasped: {held}, {1e3 * gripper.read_once().width:.1f} mm: nothing was there")

        # An action may go on in the background; stop ends it, from any thread.
        action = gripper.start_move(0.08, speed=0.02)
        time.sleep(0.5)
        gripper.stop()
        try:
            action.wait()
        except CommandError as error:
            print(f"{error} The fingers are {1e3 * gripper.read_once().width:.1f} mm apart")


if __name__ == "__main__":
    main()
