"""What the bars let our target controller do for long: `kinegraph_soak.py HOST TASK SECONDS`.

Prints the figures as JSON on its last line.
"""

import gc
import json
import sys
import threading
import time
from typing import Any

import numpy as np
from collections_seen import Collections
from kinegraph_client import FIFO, connect, rss_mb, spin, thresholds
from shared_moves import TOOL_AT, TOOL_TILT

from kinegraph.robot import (
    CartesianOptions,
    CartesianTargets,
    MotionLimits,
    SceneRobot,
    TuningUpdate,
)
from kinegraph.scene import Isometry3d, Joint, JointType, Link

CUBE_M, STEP_M, TURN_RAD = 0.12, 0.05, np.deg2rad(15.0)
WARM_S, LANDING_S, MINUTE_S, LOOK_S = 5.0, 2.0, 60.0, 0.1
STALL_S, BURST, BURST_S = 2.0, 20, 0.1
RATE_HZ, TUNE_S, TOOL_S = 30.0, 1.0, 5.0
LOOP_THREAD = "kinegraph-loop"


class Books:
    """Reads every record and cycle of a session in a thread of its own.

    That thread collects garbage, too, so that there are collections from which the loop's thread
    has to be free.
    """

    def __init__(self, arm: CartesianTargets) -> None:
        self._records, self._cycles = arm.records(), arm.cycles()
        self._compute_at = [name for name, _ in self._cycles.fields].index("compute_ns")
        self._ended = threading.Event()
        self.records = 0
        self.compute_us: list[np.ndarray] = []
        self._collections = Collections()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while not self._ended.wait(LOOK_S):
            self._take()
            gc.collect(0)
        self._take()

    def _take(self) -> None:
        self.records += len(self._records.read()[0])
        rows = self._cycles.read()[0]
        self.compute_us.append(1e-3 * rows[:, self._compute_at].astype(np.float32))

    def close(self) -> dict[str, Any]:
        """Stop reading; what was read."""
        self._ended.set()
        self._thread.join(5.0)
        self._collections.close()
        compute = np.concatenate(self.compute_us)
        p50, p99, p999 = np.percentile(compute, [50.0, 99.0, 99.9])
        return {
            "records": self.records,
            "records_lost": self._records.lost,
            "cycles_read": len(compute),
            "collections": self._collections.count,
            "loop_collections": self._collections.by(LOOP_THREAD),
            "compute_p50_us": p50,
            "compute_p99_us": p99,
            "compute_p999_us": p999,
        }


class Wanderer:
    """Random targets in a cube around the begin, and turns of at most 15 degrees from it."""

    def __init__(self, arm: CartesianTargets, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self._arm = arm
        self._home, self._axes = arm.target(), arm.target_pose().matrix[:3, :3]
        self._place = np.zeros(3)
        self.targets = 0

    def next(self) -> None:
        """Set a target a step away from the last one."""
        step = self.rng.normal(size=3)
        step *= self.rng.uniform(0.0, STEP_M) / np.linalg.norm(step)
        self._place = np.clip(self._place + step, -CUBE_M, CUBE_M)
        turn = self.rng.normal(size=3)
        turn *= self.rng.uniform(0.0, TURN_RAD) / np.linalg.norm(turn)
        pose = np.eye(4)
        pose[:3, :3] = Isometry3d.from_rpy([0.0] * 3, turn).matrix[:3, :3] @ self._axes
        pose[:3, 3] = self._home + self._place
        self._arm.set_pose(pose)
        self.targets += 1


def unruly(seconds: str) -> Any:
    """B3: targets every 0.05 to 0.5 s, stalls and bursts; how each minute's last one is met."""
    landings = []
    minute_s = min(MINUTE_S, 0.3 * float(seconds))
    with connect() as robot:
        robot.set_collision_behavior(*thresholds())
        options = CartesianOptions(realtime_priority=FIFO)
        with robot.start_cartesian_target_control(options) as arm:
            books, wanderer, rng = Books(arm), Wanderer(arm, 3), np.random.default_rng(33)
            time.sleep(WARM_S)
            before, begin, minutes = rss_mb(), time.monotonic(), 1
            while (passed := time.monotonic() - begin) < float(seconds):
                kind = rng.random()
                wanderer.next()
                if kind < 0.02:
                    time.sleep(STALL_S)
                elif kind < 0.05:
                    for _ in range(BURST):
                        wanderer.next()
                        time.sleep(BURST_S / BURST)
                time.sleep(rng.uniform(0.05, 0.5))
                if passed > minutes * minute_s - LANDING_S:
                    minutes += 1
                    time.sleep(LANDING_S)
                    landings.append(1e3 * arm.distance()[0])
            growth = rss_mb() - before
            cycles = arm.cycle_count
            told = books.close()
        return told | {
            "lands_mm": landings, "rss_growth_mb": growth, "targets": wanderer.targets,
            "cycles": cycles,
        }  # fmt: skip


def everything(seconds: str) -> Any:
    """Targets at 30 Hz, tuning, tools that are changed, and a busy thread beside it."""
    ended, turns = threading.Event(), [0]
    with connect() as robot, SceneRobot(robot) as scene:
        robot.set_collision_behavior(*thresholds())
        joint = Joint("to_probe")
        joint.type = JointType.FIXED
        joint.parent_link_name, joint.child_link_name = scene.arm.flange_link, "probe"
        x, y, z = TOOL_AT
        places = [
            Isometry3d.from_rpy([x, y, z + more], [0.0, TOOL_TILT, 0.0]) for more in (0.0, 0.01)
        ]
        joint.parent_to_joint_origin_transform = places[0]
        scene.addLink(Link("probe"), joint)
        scene.set_tip_link("probe")
        options = CartesianOptions(realtime_priority=FIFO)
        with scene.cartesian_targets(options, tool="scene") as arm:
            books, wanderer = Books(arm), Wanderer(arm, 4)
            busy = threading.Thread(target=spin, args=(ended, turns), daemon=True)
            busy.start()
            time.sleep(WARM_S)
            before, begin = rss_mb(), time.monotonic()
            tuned = changed = 0
            while (passed := time.monotonic() - begin) < float(seconds):
                wanderer.next()
                if passed > TUNE_S * (tuned + 1):
                    tuned += 1
                    arm.tune(random_tuning(wanderer.rng))
                if passed > TOOL_S * (changed + 1):
                    changed += 1
                    scene.changeJointOrigin("to_probe", places[changed % 2])
                time.sleep(max(0.0, begin + passed + 1.0 / RATE_HZ - time.monotonic()))
            ended.set()
            busy.join(5.0)
            growth = rss_mb() - before
            cycles = arm.cycle_count
            told = books.close()
        return told | {
            "rss_growth_mb": growth, "targets": wanderer.targets, "tuned": tuned,
            "tools": changed, "turns": turns[0], "cycles": cycles,
        }  # fmt: skip


def random_tuning(rng: np.random.Generator) -> TuningUpdate:
    """Springs, budgets and the pull to the posture, somewhere in what a user would take."""
    return TuningUpdate(
        cartesian_stiffness=float(rng.uniform(400.0, 1500.0)),
        ik_nullspace_gain=float(rng.uniform(0.5, 5.0)),
        limits=MotionLimits(*rng.uniform([0.2, 0.4, 15.0], [0.6, 1.5, 60.0])),
    )


def plain(seconds: str) -> Any:
    """B3: 5 cm there and back every 2 s, as `soak` of `franka_rs.py` does it."""
    landings = []
    with connect() as robot:
        robot.set_collision_behavior(*thresholds())
        options = CartesianOptions(realtime_priority=FIFO)
        with robot.start_cartesian_target_control(options) as arm:
            time.sleep(0.5)
            begin, step = time.monotonic(), np.array([STEP_M, 0.0, 0.0])
            while time.monotonic() - begin < float(seconds):
                arm.move_by(step)
                time.sleep(2.0)
                step = -step
                landings.append(1e3 * arm.distance()[0])
    return {"lands_mm": landings}


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(globals()[sys.argv[2]](*sys.argv[3:])) + "\n")
