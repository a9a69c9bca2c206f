"""Make `dynamics.json` with pinocchio. Run from the root of the checkout:

PYTHONPATH=tests/support python tests/golden/dynamics/generate.py
"""

import json
from pathlib import Path

import numpy as np
import pinocchio
from dynamics_pinocchio import PinocchioArm
from dynamics_robots import TIPS, robot_urdf

from kinegraph.kinematics.dynamics import Load, plan_dynamics
from kinegraph.scene import parseURDFString

GRAVITY = [0.3, -0.4, -9.7]  # no axis of the base


def robot_cases(name: str) -> list[dict[str, object]]:
    """Four configurations, every other one with a load."""
    urdf, tip = robot_urdf(name), TIPS[name]
    names = list(plan_dynamics(parseURDFString(urdf), None, tip).joint_names)
    rng = np.random.default_rng(len(name))
    return [one_case(urdf, names, tip, rng, bool(i % 2)) for i in range(4)]


def one_case(
    urdf: str, names: list[str], tip: str, rng: np.random.Generator, loaded: bool
) -> dict[str, object]:
    """Inputs and results for one configuration."""
    q, dq, ddq = rng.uniform(-3.0, 3.0, (3, len(names)))
    inertia = [[0.004, 0.0003, -0.0002], [0.0003, 0.005, 0.0001], [-0.0002, 0.0001, 0.003]]
    load = Load(1.35, [0.03, -0.02, 0.14], inertia) if loaded else None
    arm = PinocchioArm(urdf, names, tip, load)
    J, dJ = arm.jacobian_and_rate(q, dq)
    results = {
        "mass_matrix": arm.mass_matrix(q),
        "inverse_dynamics": arm.inverse_dynamics(q, dq, ddq, np.array(GRAVITY)),
        "coriolis_torque": arm.coriolis_torque(q, dq),
        "gravity_torque": arm.gravity_torque(q, np.array(GRAVITY)),
        "forward_dynamics": arm.forward_dynamics(q, dq, ddq, np.array(GRAVITY)),
        "jacobian": J,
        "jacobian_derivative": dJ,
    }
    given = {"q": q, "dq": dq, "ddq": ddq}
    return {
        "loaded": loaded,
        **{key: value.tolist() for key, value in (given | results).items()},
    }


def main() -> None:
    """Write the file."""
    out = {
        "source": f"pinocchio {pinocchio.__version__}",
        "generator": "tests/golden/dynamics/generate.py",
        "note": "ddq of a case is the torque of its forward_dynamics",
        "gravity": GRAVITY,
        "load": {
            "mass": 1.35,
            "center": [0.03, -0.02, 0.14],
            "inertia": [
                [0.004, 0.0003, -0.0002],
                [0.0003, 0.005, 0.0001],
                [-0.0002, 0.0001, 0.003],
            ],
        },
        "robots": {name: robot_cases(name) for name in TIPS},
    }
    Path(__file__).with_name("dynamics.json").write_text(json.dumps(out) + "\n")


if __name__ == "__main__":
    main()
