"""What the demo measures of its run, and the table that it prints."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegraph.kinematics.solver import StateSolver
from kinegraph.robot.recording.run import RecordedRun
from kinegraph.robot.scene_robot import SceneRobot
from kinegraph.robot.wire.error_bits import ERROR_NAMES
from kinegraph.scene.array_types import Array

__all__ = [
    "Landing",
    "Report",
    "jacobian_error",
    "largest_lag",
    "print_report",
    "reported_errors",
]

STEP = 1e-6


@dataclass(frozen=True, slots=True)
class Landing:
    """How a target was met, by the kinematics of the measured joint positions."""

    name: str
    distance_mm: float
    angle_mrad: float


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What the demo prints.

    Attributes:
        landings: One per target.
        lag_mm: Largest distance between the desired and the measured tip.
        received: States that the scene was set to or passed over for a newer one.
        missed: States that never came or were overwritten unread.
        success_rate: Smallest share of the last 100 commands that the robot received.
        compute_us: (3,) median, 99th percentile and largest compute time of a cycle.
        jacobian_error: Largest difference of the tip's Jacobian to finite differences.
        part_error: Largest change of the attached part's pose in the tool.
        part_jump: Largest change of the part's pose in the scene by attaching or detaching it.
        peak_torque: Nm.
        carried_kg: Mass below the flange.
        errors: Errors that the robot has reported at any time.
        recorded: Cycles in the file.
        record_lost: Rows that the recorder was too late for.
    """

    landings: Sequence[Landing]
    lag_mm: float
    received: int
    missed: int
    success_rate: float
    compute_us: Array
    jacobian_error: float
    part_error: float
    part_jump: float
    peak_torque: float
    carried_kg: float
    errors: Sequence[str]
    recorded: int
    record_lost: int

    def passes(self, limit_mm: float, limit_mrad: float) -> bool:
        """Whether every target was met and the robot reports no error."""
        met = all(
            landing.distance_mm <= limit_mm and landing.angle_mrad <= limit_mrad
            for landing in self.landings
        )
        return met and not self.errors


def largest_lag(run: RecordedRun, scene: SceneRobot) -> float:
    """Return the largest distance between desired and measured tip over a run, mm."""
    from kinegraph.kinematics.chain import plan_chain

    states, cycles, records = (run.tables[name] for name in ("states", "cycles", "records"))
    count = min(len(cycles), len(records))
    at = np.searchsorted(states["time"], cycles["message_id"][:count])
    known = at < len(states)
    with scene.scene() as (_, solver):
        plan = plan_chain(solver, scene.tip_link, scene.arm.joint_names, scene.arm.base_link)
    tips = np.array([plan.pose(np.ascontiguousarray(q))[:3, 3] for q in states["q"][at[known]]])
    desired = records["pose"][:count][known][:, 12:15]
    return float(1e3 * np.linalg.norm(tips - desired, axis=1).max())


def reported_errors(run: RecordedRun) -> tuple[str, ...]:
    """Return the names of all errors that any recorded state shows."""
    flags = run.tables["states"]["current_errors"]
    return tuple(name for bit, name in enumerate(ERROR_NAMES) if flags[:, bit].any())


def jacobian_error(solver: StateSolver, link: str) -> float:
    """Return the largest difference of a link's Jacobian to central differences of its pose."""
    names = solver.getActiveJointNames()
    q = solver.getState().getJointValues(names)
    jacobian = solver.getJacobian(q, link)
    worst = 0.0
    for column in range(len(names)):
        ahead, behind = q.copy(), q.copy()
        ahead[column] += STEP
        behind[column] -= STEP
        front = solver.getState(ahead).link_transforms[link].matrix
        back = solver.getState(behind).link_transforms[link].matrix
        turn = (front[:3, :3] - back[:3, :3]) @ (0.5 * (front[:3, :3] + back[:3, :3])).T
        rate = np.array([turn[2, 1], turn[0, 2], turn[1, 0]]) / (2.0 * STEP)
        linear = (front[:3, 3] - back[:3, 3]) / (2.0 * STEP)
        worst = max(worst, np.abs(jacobian[:, column] - [*linear, *rate]).max())
    return float(worst)


def print_report(report: Report) -> None:
    """Print the table."""
    print(f"\n{'target':30}{'distance, mm':>14}{'angle, mrad':>14}")
    for landing in report.landings:
        print(f"{landing.name:30}{landing.distance_mm:>14.3f}{landing.angle_mrad:>14.3f}")
    p50, p99, most = report.compute_us
    rows = [
        ("largest lag", f"{report.lag_mm:.2f} mm"),
        ("states received / missed", f"{report.received} / {report.missed}"),
        ("success rate, smallest", f"{report.success_rate:.2f}"),
        ("compute time p50 / p99 / max", f"{p50:.1f} / {p99:.1f} / {most:.1f} us"),
        ("peak torque", f"{report.peak_torque:.2f} Nm"),
        ("Jacobian - finite differences", f"{report.jacobian_error:.1e}"),
        ("attached part in the tool", f"moved by {report.part_error:.1e}"),
        ("part at attach and detach", f"jumped by {report.part_jump:.1e}"),
        ("below the flange", f"{report.carried_kg:.3f} kg"),
        ("cycles recorded / rows lost", f"{report.recorded} / {report.record_lost}"),
        ("errors of the robot", ", ".join(report.errors) or "none"),
    ]
    print()
    for name, value in rows:
        print(f"{name:32}{value}")
