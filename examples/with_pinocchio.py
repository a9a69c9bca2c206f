"""The same robot in pinocchio and back: pip install 'kinegraph[interop]'."""

import numpy as np
import pinocchio

from kinegraph.kinematics import OFKTStateSolver
from kinegraph.robot import description_text
from kinegraph.scene import from_pinocchio, match_pinocchio, parseURDFString, to_pinocchio

TIP = "fr3_link8"


def main() -> None:
    graph = parseURDFString(description_text("fr3"))
    solver = OFKTStateSolver(graph)
    q = solver.getRandomState(np.random.default_rng(1)).getJointValues(solver.getActiveJointNames())

    # A model, and the places of the graph's joints in its vectors.
    model, order = to_pinocchio(graph)
    data = model.createData()
    configuration = order.configuration(q)
    print("model:", model.name, "with", model.njoints - 1, "joints and", model.nframes, "frames")

    # The same pose and Jacobian on both sides.
    tip = model.getFrameId(TIP)
    pinocchio.computeJointJacobians(model, data, configuration)
    pose = pinocchio.updateFramePlacement(model, data, tip)
    solver.setState(q)
    ours = solver.getLinkTransform(TIP)
    print("poses agree:    ", np.allclose(pose.homogeneous, ours.matrix, rtol=0, atol=1e-12))
    theirs = pinocchio.getFrameJacobian(model, data, tip, pinocchio.LOCAL_WORLD_ALIGNED)
    jacobian = solver.getJacobian(q, TIP)
    print("Jacobians agree:", np.allclose(order.jacobian(theirs), jacobian, rtol=0, atol=1e-9))

    # What only pinocchio has: derivatives of the dynamics, for one.
    zeros = np.zeros(model.nv)
    pinocchio.computeRNEADerivatives(model, data, configuration, zeros, zeros)
    print("stiffness of gravity at joint 2:", round(float(data.dtau_dq[1, 1]), 3), "Nm/rad")

    # pinocchio's transforms are taken wherever a transform is.
    graph.changeJointOrigin("fr3_joint1", pinocchio.SE3(np.eye(3), np.array([0.0, 0.0, 0.4])))
    first = graph.getJoints()[0]
    print(first.getName(), "is now at", first.parent_to_joint_origin_transform.translation)

    # Back again, as far as a model can tell: joints, frames, limits and masses.
    back = from_pinocchio(model)
    print("back:", back, "columns", match_pinocchio(back, model).q_columns)


if __name__ == "__main__":
    main()
