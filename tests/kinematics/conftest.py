"""Solvers that several modules test."""

import pytest
from kinematics_cases import bent_graph, plain_graph
from solver_kinds import SOLVERS

from kinegraph.kinematics import StateSolver


@pytest.fixture(params=SOLVERS, ids=lambda kind: kind.__name__)
def solver(request: pytest.FixtureRequest) -> StateSolver:
    """A solver of the plain graph at j1 = 0.3, j2 = -0.4."""
    made: StateSolver = request.param(plain_graph())
    made.setState({"j1": 0.3, "j2": -0.4})
    return made


@pytest.fixture(params=SOLVERS, ids=lambda kind: kind.__name__)
def bent(request: pytest.FixtureRequest) -> StateSolver:
    """A solver whose Jacobians tell all values and columns apart."""
    made: StateSolver = request.param(bent_graph())
    made.setState({"j1": 0.3, "j2": -0.4})
    return made
