"""The disk cache notices a change in any kernel file, and strange arguments compile nothing."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from kinematics_cases import joint, small_robot
from numba.core import event

import kinegraph
from kinegraph.kinematics import (
    DynamicsPlan,
    KDLStateSolver,
    KinematicGroup,
    KinGroupIKInput,
    OFKTStateSolver,
    coriolis_torque,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    inverse_kinematics,
    jacobian,
    jacobian_derivative,
    jacobians,
    link_pose,
    link_poses,
    manipulability,
    mass_matrix,
    plan_chain,
    plan_dynamics,
    plan_inverse,
    warm_up,
)
from kinegraph.kinematics.compiled import kernels
from kinegraph.scene import SceneGraph

PACKAGE = Path(kinegraph.__file__).parent
PROBE = """
import numpy as np
from kinegraph.kinematics.outer_kernels import outer
print(outer(np.ones(1)))
"""
OUTER = """
from kinegraph.kinematics.jit import kernel
from kinegraph.kinematics.nested.inner_kernels import inner

@kernel
def outer(x):
    return inner(x) + 1.0
"""
INNER = """
from kinegraph.kinematics.jit import kernel

@kernel
def inner(x):
    return {factor} * x[0]
"""


def run(root: Path) -> str:
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "NUMBA"))},
        "PYTHONPATH": str(root),
        # Python takes a source of the same size and second for unchanged.
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(root / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        env=environment,
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout.strip()


@pytest.mark.compiled
def test_a_change_in_a_nested_callee_reaches_cached_callers(tmp_path: Path) -> None:
    copy = tmp_path / "kinegraph"
    for name in ("__init__.py", "kinematics/__init__.py", "kinematics/jit.py"):
        (copy / name).parent.mkdir(exist_ok=True)
        shutil.copy(PACKAGE / name, copy / name)
    nested = copy / "kinematics" / "nested"
    nested.mkdir()
    (nested / "__init__.py").touch()
    (copy / "kinematics" / "outer_kernels.py").write_text(OUTER)
    (nested / "inner_kernels.py").write_text(INNER.format(factor="2.0"))
    assert run(tmp_path) == "3.0"
    assert list((tmp_path / "cache").rglob("*outer*.nbc"))
    (nested / "inner_kernels.py").write_text(INNER.format(factor="5.0"))
    assert run(tmp_path) == "6.0"


@pytest.mark.compiled
def test_strange_arrays_start_no_compilation() -> None:
    warm_up()
    solver = OFKTStateSolver(small_robot("ur5"))
    used = [kernels.store_values, kernels.checked_jacobian, kernels.checked_links]
    before = [len(kernel.overloads) for kernel in used]
    for strange in (
        np.zeros(6, np.float32),
        np.zeros((6, 1)),
        np.zeros(12)[::2],
        np.zeros(6, ">f8"),
        np.zeros(6, int),
        np.zeros(7),
        [0.0] * 6,
    ):
        for _ in range(2):
            with suppress(ValueError):
                solver.setState(strange)
            with suppress(ValueError):
                solver.getJacobian(strange, "tool0")
            with suppress(ValueError):
                link_poses(solver, strange)
    assert [len(kernel.overloads) for kernel in used] == before


@pytest.mark.compiled
def test_warm_up_leaves_nothing_to_compile() -> None:
    warm_up()
    compiled = []

    class Listener(event.Listener):
        def on_start(self, event: object) -> None:
            compiled.append(event)

        def on_end(self, event: object) -> None:
            pass

    graph = small_robot("fr3_hand")
    solver = OFKTStateSolver(graph)
    with event.install_listener("numba:compile", Listener()):
        use_everything(solver, graph)
    assert compiled == []


def use_everything(solver: OFKTStateSolver, graph: SceneGraph) -> None:
    """Every kind of call that runs a kernel."""
    q = np.zeros(8)
    solver.setState(q)
    solver.setState({"fr3_joint1": 0.1})
    solver.getState()
    solver.setState(q)
    solver.getState(q)
    solver.getLinkTransforms()
    solver.getLinkTransform("fr3_link8")
    solver.getRelativeLinkTransform("fr3_link8", "fr3_hand")
    for _ in range(2):
        solver.getJacobian(q, "fr3_link8")
        link_pose(solver, q, "fr3_link8")
        jacobian(solver, q, "fr3_link8")
    link_pose(solver, np.zeros((3, 8)), "fr3_link8")
    link_poses(solver, q)
    link_poses(solver, np.zeros((3, 8)))
    jacobians(solver, np.zeros((3, 8)), "fr3_link8", "body")
    plan_chain(solver, "fr3_link8").pose_and_jacobian(np.zeros(7))
    KDLStateSolver(graph).getState(q)
    target = solver.getLinkTransform("fr3_link8")
    for targets in (target, [target] * 3):
        inverse_kinematics(plan_inverse(solver, "fr3_link8"), targets)
    group = KinematicGroup("arm", [f"fr3_joint{i}" for i in range(1, 8)], solver)
    group.calcFwdKin(np.zeros(7))
    group.calcJacobian(np.zeros(7), "fr3_link8")
    group.calcInvKin(KinGroupIKInput(target, "base", "fr3_link8"), np.zeros(7))
    dynamics(plan_dynamics(solver, None, "fr3_link8", inertials_from=graph))
    edit(solver, graph)


def dynamics(plan: DynamicsPlan) -> None:
    q = np.zeros(7)
    for values in (q, np.zeros((2, 7))):
        mass_matrix(plan, values)
        inverse_dynamics(plan, values, values, values)
        gravity_torque(plan, values)
        coriolis_torque(plan, values, values)
        forward_dynamics(plan, values, values, values)
        jacobian_derivative(plan, values, values)
        manipulability(plan, values)


def edit(solver: OFKTStateSolver, graph: SceneGraph) -> None:
    assert solver.insertSceneGraph(graph, joint("m", "fr3_link8", "p/base"), "p/")
    solver.getLinkTransform("p/fr3_link8")
    solver.setState({"p/fr3_joint1": 0.1})
    solver.getLinkTransform("p/fr3_link8")
    assert solver.moveLink(joint("n", "base", "fr3_link3", "revolute"))
    assert solver.replaceJoint(joint("n", "fr3_link0", "fr3_link3", "prismatic"))
    solver.getState()
    solver.setState(np.zeros(16))
    assert solver.moveJoint("n", "fr3_link1")
    assert solver.changeJointOrigin("n", np.eye(4))
    solver.getRelativeLinkTransform("p/fr3_link8", "base")
    assert solver.removeLink("fr3_link4")
    solver.getState()
