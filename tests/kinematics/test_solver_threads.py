"""Queries may run in several threads on one solver."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from kinematics_cases import small_robot

from kinegraph.kinematics import OFKTStateSolver, link_poses


def test_queries_in_threads_get_the_answers_of_one_thread() -> None:
    solver = OFKTStateSolver(small_robot("fr3_hand"))
    rng = np.random.default_rng(9)
    qs = rng.uniform(-1.5, 1.5, (40, 8))
    links = solver.getLinkNames()

    def query(number: int) -> Any:
        q, link = qs[number % 40], links[number % len(links)]
        state = solver.getState(q)
        return (
            state,
            solver.getJacobian(q, link).tolist(),
            [np.asarray(pose).tolist() for pose in solver.getLinkTransforms()],
            solver.getLinkTransform(link),
            link_poses(solver, q).tolist(),
        )

    wanted = [query(number) for number in range(80)]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            solver.setState(np.zeros(8))  # so that they all find poses out of date
            assert list(pool.map(query, range(80))) == wanted
