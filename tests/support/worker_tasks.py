"""What worker processes do in tests: importable there, whatever starts them."""

import os
from typing import Any

from kinegraph.kinematics import jacobians, link_pose


def poses_and_jacobians(solver: Any, q: Any, link: str) -> tuple[int, Any, Any, Any]:
    """The worker's process id, poses (N, 4, 4), Jacobians (N, 6, n) and the solver's own state."""
    return os.getpid(), link_pose(solver, q, link), jacobians(solver, q, link), solver.getState()


def edited(solver: Any, link: str) -> Any:
    """A solver that was edited in the worker."""
    assert solver.removeLink(link)
    return solver
