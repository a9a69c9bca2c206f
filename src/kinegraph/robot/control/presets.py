"""Whole torque laws that reproduce known controllers; what these do not have is off in them."""

from kinegraph.robot.control.gains import CARTESIAN_GAINS, DROID_GAINS, JOINT_GAINS
from kinegraph.robot.control.options import ImpedanceOptions

__all__ = ["CARTESIAN", "DROID", "JOINT"]

CARTESIAN = ImpedanceOptions(gains=CARTESIAN_GAINS)
"""The Cartesian controller of franka-rs 0.4.0 with its default options."""

DROID = ImpedanceOptions(gains=DROID_GAINS)
"""polymetis' HybridJointImpedanceControl as the DROID platform uses it."""

JOINT = ImpedanceOptions(gains=JOINT_GAINS)
"""The joint controller of franka-rs 0.4.0 with its default options."""
