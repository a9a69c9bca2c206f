"""The same batch of poses on Dask's distributed scheduler: pip install 'kinegraph[distributed]'.

Two worker processes on this machine stand for a cluster: give `Client` your scheduler's address
instead. A pickled solver carries its whole scene, so nothing but kinegraph is needed there.
"""

import logging
import tempfile
import time
from typing import Any

import dask
import numpy as np
from distributed import Client, LocalCluster
from numpy.typing import NDArray

from kinegraph.kinematics import OFKTStateSolver, jacobian, link_pose
from kinegraph.robot import description_text
from kinegraph.scene import parseURDFString

TIP = "fr3_link8"
Array = NDArray[np.float64]
COUNT = 100_000
PATIENT = {f"distributed.comm.timeouts.{kind}": "120s" for kind in ("connect", "tcp")}
PARTS = 8  # each of 12 500 configurations: 0.7 MB there, 1.6 MB back


def poses(solver: OFKTStateSolver, q: Array) -> Array:
    """What runs in a worker: (N, n) values to (N, 4, 4) poses."""
    return link_pose(solver, q, TIP)


def highest_speed(solver: OFKTStateSolver, q: Array) -> float:
    """Reduce where the data are: the largest linear speed of the tip per rad/s of one joint."""
    return max(float(np.linalg.norm(jacobian(solver, row, TIP)[:3], axis=0).max()) for row in q)


def run(client: Any, solver: OFKTStateSolver, q: Array) -> None:
    parts = np.array_split(q, PARTS)
    (there,) = client.scatter([solver], broadcast=True)  # once to each worker, not once per part

    start = time.perf_counter()
    results = client.gather([client.submit(poses, there, part) for part in parts])
    spent = time.perf_counter() - start
    print(f"{COUNT} poses in {PARTS} parts on {len(client.ncores())} workers: {spent:.2f} s")

    start = time.perf_counter()
    local = link_pose(solver, q, TIP)
    print(f"here: {time.perf_counter() - start:.2f} s; a cluster pays for more work than this")
    difference = float(np.abs(np.concatenate(results) - local).max())
    print(f"largest difference from the local result: {difference:.1e} m")

    speeds = client.gather([client.submit(highest_speed, there, part[:500]) for part in parts])
    here = max(highest_speed(solver, part[:500]) for part in parts)
    print(f"fastest tip: {max(speeds):.4f} m/s per rad/s; here the same: {max(speeds) == here}")


def main() -> None:
    solver = OFKTStateSolver(parseURDFString(description_text("fr3")))
    limits = solver.getLimits().joint_limits
    q = np.random.default_rng(1).uniform(limits[:, 0], limits[:, 1], (COUNT, len(limits)))
    with (
        tempfile.TemporaryDirectory() as scratch,
        dask.config.set({"temporary-directory": scratch, **PATIENT}),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # else 8787, with a warning where that is taken
            # What Dask logs on a busy machine while it stops; errors of tasks come by `gather`.
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        run(client, solver, q)


if __name__ == "__main__":
    main()
