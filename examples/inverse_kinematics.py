"""Where must the joints be? One pose, many poses, a free axis, and poses out of reach."""

import numpy as np

from kinegraph.kinematics import (
    InverseOptions,
    InverseStatus,
    KinematicGroup,
    KinGroupIKInput,
    inverse_kinematics,
    link_pose,
    plan_inverse,
)
from kinegraph.robot import description_text
from kinegraph.scene import Isometry3d, parseURDFString

READY = np.array([0.0, -0.7854, 0.0, -2.3562, 0.0, 1.5708, 0.7854])
FLANGE = "fr3_link8"


def main() -> None:
    np.set_printoptions(precision=3, suppress=True)
    graph = parseURDFString(description_text("fr3"))

    # The plan compiles the chain once; the target is the flange's pose in the base.
    plan = plan_inverse(graph, FLANGE)
    target = Isometry3d.from_rpy((0.45, 0.2, 0.5), (np.pi, 0.0, 0.4))
    found = inverse_kinematics(plan, target, READY)
    print("joints:           ", found.q)
    print(f"errors:            {found.position_error:.1e} m, {found.rotation_error:.1e} rad")
    print(f"after {found.iterations} iterations, {found.attempts} attempt")

    # Rows of targets in, rows of values out, in parallel; every row keeps the limits.
    rows = np.random.default_rng(1).uniform(plan.bounds[:, 0], plan.bounds[:, 1], (1000, 7))
    many = inverse_kinematics(plan, link_pose(graph, rows, FLANGE), READY)
    print(f"of 1000 poses:     {many.converged.sum()} solved")

    # A tool that may turn about its own axis has one more freedom: weight 0.
    free = InverseOptions(weights=(1, 1, 1, 1, 1, 0))
    turned = inverse_kinematics(plan, target, READY, options=free)
    print("nearer to ready:  ", np.linalg.norm(turned.q - READY) < np.linalg.norm(found.q - READY))

    # Too far away is told apart from not found; the values are the nearest ones.
    far = Isometry3d.from_rpy((1.5, 0.0, 0.5), (np.pi, 0.0, 0.0))
    lost = inverse_kinematics(plan, far, READY, options=InverseOptions(max_attempts=5))
    print(
        "1.5 m away:       ", InverseStatus(lost.status).name, f"{lost.position_error:.2f} m short"
    )

    # The same in tesseract's terms: a group, poses in any link's frame, several seeds.
    group = KinematicGroup.from_chain("arm", "fr3_link0", FLANGE, graph)
    pose = KinGroupIKInput(target, "fr3_link0", FLANGE)
    seeds = np.vstack((READY, rows[:5]))
    for solution in group.calcInvKin(pose, seeds):
        print("solution:         ", solution, group.checkJoints(solution))


if __name__ == "__main__":
    main()
