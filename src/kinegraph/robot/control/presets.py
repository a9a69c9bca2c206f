"""Whole torque laws that reproduce known controllers; what these do not have is off in them."""

import math

from kinegraph.robot.control.gains import CARTESIAN_GAINS, DROID_GAINS, JOINT_GAINS, Gains
from kinegraph.robot.control.options import ImpedanceOptions

__all__ = ["CARTESIAN", "DROID", "JOINT"]


def reference(gains: Gains) -> ImpedanceOptions:
    """Return the reference's law, springs and dampers alone, with these gains."""
    return ImpedanceOptions(
        gains=gains,
        velocity_feedforward=False,
        reference_cutoff=1000.0,
        feedforward_from="goal",
        acceleration_feedforward=0.0,
        friction=None,
        integral=None,
        feedback_cutoff=1000.0,
        wall_depth=math.inf,
        max_lead=math.inf,
    )


CARTESIAN = reference(CARTESIAN_GAINS)
"""The Cartesian controller of franka-rs 0.4.0 with its default options."""

DROID = reference(DROID_GAINS)
"""polymetis' HybridJointImpedanceControl as the DROID platform uses it."""

JOINT = reference(JOINT_GAINS)
"""The joint controller of franka-rs 0.4.0 with its default options."""
