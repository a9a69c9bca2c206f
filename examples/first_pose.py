"""A pose and a Jacobian from a URDF text."""

import numpy as np

from kinegraph.kinematics import OFKTStateSolver
from kinegraph.scene import parseURDFString

URDF = """
<robot name="pendulum">
  <link name="base"/> <link name="upper"/> <link name="lower"/> <link name="tip"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/> <child link="upper"/>
    <axis xyz="0 1 0"/> <limit lower="-2" upper="2" velocity="3" effort="20"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/> <child link="lower"/>
    <origin xyz="0 0 0.4"/>
    <axis xyz="0 1 0"/> <limit lower="-2" upper="2" velocity="3" effort="10"/>
  </joint>
  <joint name="tip_frame" type="fixed">
    <parent link="lower"/> <child link="tip"/> <origin xyz="0 0 0.3"/>
  </joint>
</robot>
"""


def main() -> None:
    np.set_printoptions(precision=4, suppress=True)
    solver = OFKTStateSolver(parseURDFString(URDF))
    print("joints:", ", ".join(solver.getActiveJointNames()))
    print("links: ", ", ".join(solver.getLinkNames()))

    # By name. Joints that are not named keep their values.
    solver.setState({"shoulder": 0.5, "elbow": -1.0})
    pose = solver.getLinkTransform("tip")
    print("tip at", pose.translation, "m, quaternion x y z w", pose.quat_xyzw)

    # For other values, without changing the solver: a vector in the order of the joints.
    q = np.array([0.5, 0.5])
    print("Jacobian, rows 0-2 linear, 3-5 angular:")
    print(solver.getJacobian(q, "tip"))

    # It is the derivative of the pose: compare one column with a difference of two poses.
    step = np.array([1e-6, 0.0])
    ahead = solver.getState(q + step).link_transforms["tip"].translation
    behind = solver.getState(q - step).link_transforms["tip"].translation
    print("by differences:", (ahead - behind) / 2e-6)


if __name__ == "__main__":
    main()
