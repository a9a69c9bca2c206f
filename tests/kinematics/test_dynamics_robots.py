"""The dynamics of every golden robot as a whole, in both modes of mimic joints, with parts on it.

Masses are random, because some of the descriptions have none. The judge is pinocchio's rnea: its
crba (M) and its time variation of frame Jacobians are wrong with mimic joints; they disagree with
rnea and with finite differences there.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kinematics_cases import joint, named, robot, robot_folders, small_robot
from oracles import third_party

from kinegraph.kinematics import (
    DynamicsPlan,
    OFKTStateSolver,
    coriolis_torque,
    gravity_torque,
    inverse_dynamics,
    jacobian,
    jacobian_derivative,
    manipulability,
    mass_matrix,
    plan_chain,
    plan_dynamics,
)
from kinegraph.scene import Inertial, Isometry3d, SceneGraph
from kinegraph.scene.bridges import PinocchioOrder, to_pinocchio

pin = third_party("pinocchio")

WITH_PART = Path("ur5_with_fr3_hand")
FOLDERS = [*robot_folders(), WITH_PART]
cases = pytest.mark.parametrize("folder", FOLDERS, ids=named)
modes = pytest.mark.parametrize("mimic", ["follow", "independent"])


def scene(folder: Path) -> SceneGraph:
    """A robot, or one with another one attached to its tip, with a random mass on every link."""
    if folder != WITH_PART:
        graph = robot(folder)
    else:
        graph, part = small_robot("ur5"), small_robot("fr3_hand")
        origin = Isometry3d.from_rpy((0.1, 0.2, 0.3), (1.0, 0.2, 0.3))
        mount = joint("mount", "wrist_3_link", f"part_{part.getRoot()}", origin=origin.matrix)
        assert graph.insertSceneGraph(part, mount, "part_")
    rng = np.random.default_rng(3)
    for link in graph.getLinks():
        heavy = link.clone()
        heavy.inertial = body(rng)
        assert graph.addLink(heavy, True)
    return graph


def body(rng: np.random.Generator) -> Inertial:
    """The inertial of six points of mass."""
    points, mass = rng.normal(scale=0.1, size=(6, 3)), rng.uniform(0.2, 3.0)
    centre = points.mean(axis=0)
    covariance = mass * np.cov(points.T, bias=True)
    tensor = np.trace(covariance) * np.eye(3) - covariance
    made = Inertial()
    made.mass = mass
    made.origin = Isometry3d.from_rpy(centre, rng.uniform(-2.0, 2.0, 3))
    made.ixx, made.ixy, made.ixz, made.iyy, made.iyz, made.izz = tensor[np.triu_indices(3)]
    return made


class Pair:
    """A robot here and in pinocchio, at a random state."""

    def __init__(self, folder: Path, mimic: Any) -> None:
        graph = scene(folder)
        self.solver = OFKTStateSolver(graph, mimic=mimic)
        self.names, links = self.solver.getActiveJointNames(), self.solver.getLinkNames()
        self.tip = max(links, key=lambda link: plan_chain(self.solver, link).n)
        self.plan: DynamicsPlan = plan_dynamics(
            self.solver, self.names, self.tip, links[0], True, inertials_from=graph
        )
        order: PinocchioOrder
        self.model, order = to_pinocchio(graph, mimic)
        assert list(order.joint_names) == self.names
        self.data, self.columns = self.model.createData(), order.v_columns
        self.q, self.dq, self.ddq = np.random.default_rng(7).uniform(-1, 1, (3, len(self.names)))
        self.configuration = order.configuration(self.q)

    def rnea(self, dq: Any, ddq: Any) -> Any:
        """pinocchio's torques."""
        rates, changes = np.zeros(self.model.nv), np.zeros(self.model.nv)
        rates[self.columns], changes[self.columns] = dq, ddq
        return pin.rnea(self.model, self.data, self.configuration, rates, changes)[self.columns]


@cases
@modes
def test_torques_and_masses_are_pinocchios(folder: Path, mimic: Any) -> None:
    pair = Pair(folder, mimic)
    plan, q, dq, still = pair.plan, pair.q, pair.dq, np.zeros(pair.plan.n)
    gravity = pair.rnea(still, still)
    M = np.array([pair.rnea(still, row) - gravity for row in np.eye(plan.n)]).T
    scale = max(1.0, np.abs(M).max(), np.abs(gravity).max())
    close: Any = {"rtol": 0.0, "atol": 1e-10 * scale}
    np.testing.assert_allclose(mass_matrix(plan, q), M, **close)
    np.testing.assert_allclose(gravity_torque(plan, q), gravity, **close)
    moving = pair.rnea(dq, still) - gravity
    np.testing.assert_allclose(coriolis_torque(plan, q, dq), moving, **close)
    torque = inverse_dynamics(plan, q, dq, pair.ddq)
    np.testing.assert_allclose(torque, pair.rnea(dq, pair.ddq), **close)


@cases
@modes
def test_jacobian_derivative_and_manipulability_are_those_of_the_solvers_jacobian(
    folder: Path, mimic: Any
) -> None:
    pair = Pair(folder, mimic)
    solver, q, step = pair.solver, pair.q, 1e-5 * pair.dq
    ahead, behind = jacobian(solver, q + step, pair.tip), jacobian(solver, q - step, pair.tip)
    derivative = jacobian_derivative(pair.plan, q, pair.dq)
    scale = max(1.0, np.abs(derivative).max())
    np.testing.assert_allclose(derivative, (ahead - behind) / 2e-5, rtol=0.0, atol=1e-7 * scale)
    here = jacobian(solver, q, pair.tip)
    volume = np.linalg.svd(here, compute_uv=False).prod()
    assert manipulability(pair.plan, q) == pytest.approx(volume, rel=1e-9, abs=1e-12)
