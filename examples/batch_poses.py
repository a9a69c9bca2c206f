"""Poses and Jacobians as arrays: one configuration, many, and into an array that is there."""

import time

import numpy as np

from kinegraph.kinematics import OFKTStateSolver, jacobian, jacobians, link_pose, link_poses
from kinegraph.robot import description_text
from kinegraph.scene import parseURDFString

TIP = "fr3_link8"
COUNT = 20_000


def main() -> None:
    np.set_printoptions(precision=4, suppress=True)
    solver = OFKTStateSolver(parseURDFString(description_text("fr3")))
    limits = solver.getLimits().joint_limits
    q = np.random.default_rng(1).uniform(limits[:, 0], limits[:, 1], (COUNT, len(limits)))

    # One configuration. The solver's own state does not count and does not change.
    print("one pose      ", link_pose(solver, q[0], TIP).shape)
    print("all links     ", link_poses(solver, q[0]).shape, "in the order of getLinkNames()")
    print("one Jacobian  ", jacobian(solver, q[0], TIP).shape)

    # Many configurations: one more axis in front.
    poses = link_pose(solver, q, TIP)
    print("poses         ", poses.shape)
    print("all links     ", link_poses(solver, q[:100]).shape)
    print("Jacobians     ", jacobians(solver, q[:100], TIP).shape)

    # Into memory that is there already, for loops that should not allocate.
    link_pose(solver, q, TIP, out=poses)
    start = time.perf_counter()
    link_pose(solver, q, TIP, out=poses)
    spent = time.perf_counter() - start
    print(f"{COUNT} poses in {1e3 * spent:.2f} ms, {1e9 * spent / COUNT:.0f} ns each")

    # The highest point that was reached, and the same pose by the solver.
    best = int(poses[:, 2, 3].argmax())
    solver.setState(q[best])
    agrees = np.allclose(solver.getLinkTransform(TIP).matrix, poses[best], atol=1e-12)
    print("highest at", poses[best, :3, 3], "m; the solver agrees:", agrees)

    # The same Jacobian in other axes, in brackets pinocchio's names.
    base = jacobian(solver, q[best], TIP)  # base axes at the link (LOCAL_WORLD_ALIGNED)
    body = jacobian(solver, q[best], TIP, frame="body")  # the link's axes (LOCAL)
    turned = np.kron(np.eye(2), poses[best, :3, :3]) @ body
    print("body axes turned into base axes agree:", np.allclose(turned, base, atol=1e-12))


if __name__ == "__main__":
    main()
