"""Whatever gives poses gives ones that nobody can write to."""

from typing import Any

import numpy as np
import pytest
from scene_builders import make_graph, make_joint

from kinegraph.kinematics import JointGroup, KDLStateSolver, OFKTStateSolver
from kinegraph.scene import Isometry3d

SOLVERS = (OFKTStateSolver, KDLStateSolver)
GIVERS: dict[str, Any] = {
    "getLinkTransform": lambda s: [s.getLinkTransform("b"), s.getLinkTransform("b")],
    "getLinkTransforms": lambda s: s.getLinkTransforms(),
    "getLinkTransforms of values": lambda s: s.getLinkTransforms(["j"], [0.2]).values(),
    "getRelativeLinkTransform": lambda s: [s.getRelativeLinkTransform("c", "a")],
    "link_transforms": lambda s: s.getState().link_transforms.values(),
    "joint_transforms": lambda s: s.getState().joint_transforms.values(),
    "link_transforms of values": lambda s: s.getState({"j": 0.2}).link_transforms.values(),
}


def graph() -> Any:
    return make_graph(make_joint("j", "a", "b"), make_joint("k", "b", "c"))


def check_immutable(T: Isometry3d) -> None:
    before = T.matrix.copy()
    for array in (T.matrix, T.translation, T.rotation, np.asarray(T)):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 9
    assert (T.matrix == before).all()


@pytest.mark.parametrize("solver_class", SOLVERS)
@pytest.mark.parametrize("giver", GIVERS)
def test_a_solvers_poses_stay_as_they_are(solver_class: Any, giver: Any) -> None:
    solver = solver_class(graph())
    solver.setState({"j": 0.3, "k": -0.2})
    poses = list(GIVERS[giver](solver))
    assert poses
    for T in poses:
        check_immutable(T)
    kept = [T.matrix.copy() for T in poses]
    solver.setState({"j": -0.5, "k": 0.1})
    solver.getLinkTransforms()
    assert all((T.matrix == matrix).all() for T, matrix in zip(poses, kept, strict=True))


def test_a_groups_poses_stay_as_they_are() -> None:
    group = JointGroup("arm", ["j", "k"], graph())
    for T in group.calcFwdKin([0.1, 0.2]).values():
        check_immutable(T)
