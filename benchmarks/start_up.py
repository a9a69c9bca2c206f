"""Import times, memory, first poses in new processes, and compiling from an empty cache."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from crew import python_of
from pairing import Figure, Sheet, ratio_of, rounds_of, seconds
from robots import FOLDER, ROBOTS

__all__ = ["COMPILED", "IMPORTS", "NEW_PROCESS", "compare_starts", "time_compilation"]

IMPORTS, NEW_PROCESS, COMPILED = "import", "new process to first pose", "all kernels compiled"
# Name in the tables, library, what a user imports.
STATEMENTS = [
    ("kinegraph.scene", "kinegraph", "import kinegraph.scene"),
    ("kinegraph.kinematics", "kinegraph", "import kinegraph.kinematics"),
    # The doors load a name's module when it is first used: this is what a program imports.
    (
        "kinegraph",
        "kinegraph",
        "from kinegraph.kinematics import OFKTStateSolver, link_pose; "
        "from kinegraph.scene import parseURDFString",
    ),
    ("pinocchio", "pinocchio", "import pinocchio"),
    (
        "tesseract OFKT",
        "tesseract OFKT",
        "from tesseract_robotics import tesseract_common, tesseract_scene_graph, "
        "tesseract_state_solver, tesseract_urdf",
    ),
    ("mujoco", "mujoco", "import mujoco"),
    ("yourdfpy", "yourdfpy", "import yourdfpy"),
]
PROBE = Path(__file__).parent / "probe.py"
ROBOT = "fr3"
PATIENCE_S = 300.0

# Every kernel of kinematics and robot; three times since the start, one after each part.
ALL_KERNELS = """
import time
start = time.perf_counter()
import numpy as np
from kinegraph import kinematics
from kinegraph.scene import parseURDFFile
kinematics.warm_up()
print(time.perf_counter() - start, flush=True)
graph = parseURDFFile({path!r})
solver = kinematics.OFKTStateSolver(graph)
plan = kinematics.plan_inverse(solver, {tip!r})
kinematics.inverse_kinematics(plan, np.eye(4))
kinematics.inverse_kinematics(plan, np.stack([np.eye(4)] * 2))
arm = kinematics.plan_dynamics(graph, plan.joint_names, {tip!r})
q = np.zeros(len(plan.joint_names))
for values in (q, np.stack([q, q])):
    kinematics.mass_matrix(arm, values)
    kinematics.gravity_torque(arm, values)
    kinematics.coriolis_torque(arm, values, values)
    kinematics.inverse_dynamics(arm, values, values, values)
    kinematics.forward_dynamics(arm, values, values, values)
    kinematics.jacobian_derivative(arm, values, values)
    kinematics.manipulability(arm, values)
print(time.perf_counter() - start, flush=True)
from kinegraph.robot import warm_up
warm_up()
print(time.perf_counter() - start, flush=True)
"""


def compare_starts(rounds: int, sheet: Sheet) -> None:
    """Load every library in new processes, in turn."""
    cases = [case for case in STATEMENTS if _works(case, sheet)]
    probes: list[list[dict[str, float]]] = [[] for _ in cases]

    def sampler(place: int) -> float:
        probes[place].append(_probe(*cases[place][1:]))
        return 0.0

    rounds_of([lambda p=place: sampler(p) for place in range(len(cases))], rounds)
    found = dict(zip([case[0] for case in cases], probes, strict=True))
    for label, key in ((IMPORTS, "import"), (NEW_PROCESS, "whole")):
        print(f"\n{label:26}{'':10}{'theirs':>10}{'ours':>10}{'ours/theirs':>13}  95 %")
        _print_times(label, key, found, sheet)
    _print_memory(found, sheet)


def _works(case: tuple[str, str, str], sheet: Sheet) -> bool:
    try:
        _probe(*case[1:])  # the first start also fills the caches
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        sheet.note(f"{case[0]} is left out of the starts: {error}"[:200])
        return False
    return True


def _probe(library: str, statement: str) -> dict[str, float]:
    tip, leaf = ROBOTS[ROBOT]
    command = [python_of(library), str(PROBE), library, statement]
    command += [str(FOLDER / f"{ROBOT}.urdf"), tip, leaf]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with process:
        line = process.stdout.readline() if process.stdout else b""
        whole = time.perf_counter() - start
    if process.returncode:
        raise ValueError(f"its process ended with code {process.returncode}")
    return {**json.loads(line), "whole": whole}


def _print_times(
    label: str, key: str, found: dict[str, list[dict[str, float]]], sheet: Sheet
) -> None:
    times = {name: [probe[key] for probe in probes] for name, probes in found.items()}
    mine = times["kinegraph"]
    middle = statistics.median(mine)
    for name, theirs in times.items():
        figure = sheet.add(
            Figure(ROBOT, label, name, statistics.median(theirs), *ratio_of(mine, theirs))
        )
        if name == "kinegraph":
            continue
        print(
            f"  {name:34}{seconds(figure.value):>10}{seconds(middle):>10}{figure.ratio:>13.3g}"
            f"  [{figure.low:.3g}, {figure.high:.3g}]"
        )


def _print_memory(found: dict[str, list[dict[str, float]]], sheet: Sheet) -> None:
    print("\nresident memory, MiB         before    loaded     first pose")
    for name, probes in found.items():
        row = [statistics.median(probe[key] for probe in probes) for key in KEYS]
        print(f"  {name:24}{row[0]:>9.0f}{row[1]:>10.0f}{row[2]:>15.0f}")
        for key, value in zip(KEYS, row, strict=True):
            sheet.add(Figure(ROBOT, f"MiB {key}", name, value))


KEYS = ("before", "loaded", "posed")


def time_compilation(sheet: Sheet) -> None:
    """Compile every kernel from an empty cache, in a process of its own."""
    print("\ncompiling from an empty cache, one process", flush=True)
    script = ALL_KERNELS.format(path=str(FOLDER / f"{ROBOT}.urdf"), tip=ROBOTS[ROBOT][0])
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "NUMBA_CACHE_DIR": cache},
            cwd=cache,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
    times = [float(line) for line in done.stdout.split()]
    labels = ("chains, trees, batches", "and inverse kinematics, dynamics", COMPILED)
    for label, value in zip(labels, times, strict=False):
        print(f"  {label:40}{seconds(value):>10}")
        sheet.add(Figure("", label, "kinegraph", value))
    if done.returncode:
        sheet.note(f"compiling failed: {done.stderr.strip()[-200:]}")
