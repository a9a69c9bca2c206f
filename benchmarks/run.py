"""Timings beside the libraries that a user would pick instead: `make bench`.

Prints for FR3 and PR2, each in pairs within one run: set and one pose, set and all poses, the
Jacobian, a batch of 100 000 poses, beside pinocchio and tesseract-robotics; then the 1 kHz loop's
compute time with an idle and with a busy Python thread.

    python benchmarks/run.py [--only kinematics|loop] [--quick]
"""

import argparse
import platform
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from peers import Kinegraph, Pinocchio, Tesseract, load
from timing import Ratio, paired, seconds

CONFIGURATIONS = 64
BATCH = 100_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", choices=["kinematics", "loop"])
    parser.add_argument("--quick", action="store_true", help="fewer pairs, for a look")
    options = parser.parse_args(arguments)
    _machine()
    if options.only != "loop":
        for robot in ("fr3", "pr2"):
            _kinematics(robot, pairs=5 if options.quick else 21)
    if options.only != "kinematics":
        from loop import measure_loop

        measure_loop(seconds_each=5 if options.quick else 20)
    return 0


def _machine() -> None:
    names = ("numpy", "numba", "pin", "tesseract-robotics")
    print(f"{platform.machine()}, Python {platform.python_version()}", end="")
    for name in names:
        try:
            print(f", {name} {version(name)}", end="")
        except PackageNotFoundError:
            print(f", no {name}", end="")
    print()


def _kinematics(robot: str, pairs: int) -> None:
    text, tip = load(robot)
    ours = Kinegraph(text, tip)
    limits = np.clip(ours.solver.getLimits().joint_limits, -3.0, 3.0)
    rng = np.random.default_rng(1)
    q = rng.uniform(limits[:, 0], limits[:, 1], (CONFIGURATIONS, len(limits)))
    peers: dict[str, Any] = {}
    for name, make in _peers(text, tip).items():
        try:
            peers[name] = make()
        except ImportError as missing:
            print(f"{name} left out: {missing}")
    print(f"\n{robot}: {len(ours.solver.getLinkNames())} links, {len(limits)} joints, tip {tip}")
    print(f"{'':34}{'ours':>10}{'peer':>10}{'ratio':>8}  [10 %, 90 %]")
    for name, peer in peers.items():
        rows, theirs = ours.rows(q, ours.order), peer.rows(q, ours.order)
        _agree(ours, peer, rows[0], theirs[0], jacobian=name != "tesseract OFKT")
        for label, mine, other in _questions(ours, peer):
            _line(f"{label} / {name}", paired(mine, rows, other, theirs, pairs=pairs))
        _batch(name, ours, peer, rng, limits, pairs)


def _peers(text: str, tip: str) -> dict[str, Callable[[], Any]]:
    return {
        "pinocchio": lambda: Pinocchio(text, tip),
        "tesseract OFKT": lambda: Tesseract(text, tip),
        "tesseract KDL": lambda: Tesseract(text, tip, "KDLStateSolver"),
    }


def _questions(ours: Kinegraph, peer: Any) -> list[tuple[str, Any, Any]]:
    questions = [
        ("set, one pose", ours.set_and_pose, peer.pose),
        ("one pose, one call", ours.pose, peer.pose),
        ("set, all poses (array)", ours.all_poses, peer.all_poses),
        ("Jacobian (getJacobian)", ours.get_jacobian, peer.jacobian),
    ]
    if isinstance(peer, Tesseract):
        questions.append(("set, all poses (dict)", ours.all_as_dict, peer.all_as_dict))
    return questions


def _batch(name: str, ours: Kinegraph, peer: Any, rng: Any, limits: Any, pairs: int) -> None:
    q = rng.uniform(limits[:, 0], limits[:, 1], (BATCH, len(limits)))
    few = peer.rows(q[: BATCH // 20], ours.order)  # the peer's loop is linear in its rows
    result = paired(ours.batch, [q], peer.batch, [few], pairs=min(pairs, 7), span_s=1e-3)
    scaled = Ratio(
        result.ours, result.peer * 20, result.ratio / 20, result.low / 20, result.high / 20
    )
    _line(f"batch of {BATCH:,} poses / {name}", scaled)
    print(f"{'':34}{result.ours / BATCH * 1e9:>7.1f} ns a configuration")


def _agree(ours: Kinegraph, peer: Any, row: Any, theirs: Any, *, jacobian: bool) -> None:
    np.testing.assert_allclose(ours.set_and_pose(row), peer.pose(theirs), atol=1e-9)
    np.testing.assert_allclose(ours.pose(row), peer.pose(theirs), atol=1e-9)
    if jacobian:  # tesseract's OFKT leaves out the joint origins' rotation
        columns = [peer.order.index(name) for name in ours.order]
        np.testing.assert_allclose(
            ours.get_jacobian(row), peer.jacobian(theirs)[:, columns], atol=1e-9
        )


def _line(label: str, result: Ratio) -> None:
    interval = f"[{result.low:.3g}, {result.high:.3g}]"
    print(
        f"{label:34}{seconds(result.ours):>10}{seconds(result.peer):>10}"
        f"{result.ratio:>8.3g}  {interval}"
    )


if __name__ == "__main__":
    sys.exit(main())
