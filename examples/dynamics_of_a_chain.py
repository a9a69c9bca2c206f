"""Mass matrix, gravity, inverse and forward dynamics of any chain, from the links' inertials."""

import numpy as np

from kinegraph.kinematics import (
    Load,
    coriolis_torque,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    manipulability,
    mass_matrix,
    plan_dynamics,
)
from kinegraph.robot import description_text
from kinegraph.scene import parseURDFString

READY = np.array([0.0, -0.7854, 0.0, -2.3562, 0.0, 1.5708, 0.7854])


def main() -> None:
    np.set_printoptions(precision=3, suppress=True)
    graph = parseURDFString(description_text("fr3"))

    # The plan lumps the links into bodies once; None takes the joints that move the flange.
    plan = plan_dynamics(graph, None, "fr3_link8")
    print("joints:", ", ".join(plan.joint_names))

    gravity = gravity_torque(plan, READY)
    print("torques that hold the arm, Nm:   ", gravity)
    print("with 1 kg on the flange, Nm:     ", gravity_torque(plan, READY, load=Load(1.0)))

    mass = mass_matrix(plan, READY)
    print("inertia of each joint, kg m^2:   ", np.diag(mass))

    rng = np.random.default_rng(2)
    dq, ddq = rng.normal(size=7), rng.normal(size=7)
    tau = inverse_dynamics(plan, READY, dq, ddq)
    parts = mass @ ddq + coriolis_torque(plan, READY, dq) + gravity
    print("M ddq + c + g is the same:       ", np.allclose(tau, parts, atol=1e-10))
    back = forward_dynamics(plan, READY, dq, tau)
    print("forward undoes inverse:          ", np.allclose(back, ddq, atol=1e-8))

    # Many configurations at once: rows in, rows out.
    rows = READY + 0.5 * rng.normal(size=(1000, 7))
    reach = manipulability(plan, rows)
    print(f"manipulability, worst and best:   {reach.min():.1e} and {reach.max():.2f}")


if __name__ == "__main__":
    main()
