"""The arm's model in libfranka's terms: of a connected robot, and of the published parameters."""

import numpy as np

from kinegraph.robot import FER_FRICTION, Frame, InvalidOperationError, Robot, SimulatedRobot

HOST = "127.0.0.74"  # of a real robot: its name or address, without the simulated one


def main() -> None:
    np.set_printoptions(precision=4, suppress=True)
    with SimulatedRobot(HOST), Robot(HOST) as robot:
        # "auto" evaluates here: version 10 serves its URDF, version 5's arm is published.
        model, state = robot.load_model(), robot.read_once()
        pose = model.pose(Frame.EndEffector, state).reshape(4, 4, order="F")
        print("end effector by the model:", pose[:3, 3], "m")
        print("end effector by the robot:", state.isometry("O_T_EE").translation, "m")
        print("gravity:", model.gravity(state), "Nm, Coriolis:", model.coriolis(state), "Nm")

        # Matrices are flat and column by column, as in the state.
        J = model.zero_jacobian(Frame.EndEffector, state).reshape(6, 7, order="F")
        M = model.mass(state).reshape(7, 7)
        inertia = np.linalg.inv(J[:3] @ np.linalg.inv(M) @ J[:3].T)
        print("mass that a push on the tip meets along x, y, z:", np.diag(inertia), "kg")

        # The robot's own library is code that runs in this process: only when asked for.
        try:
            robot.load_model("robot")
        except InvalidOperationError as error:
            print("no library:", error)
    print("friction of an FER at 0.5 rad/s:", FER_FRICTION.torques(np.full(7, 0.5)), "Nm")


if __name__ == "__main__":
    main()
