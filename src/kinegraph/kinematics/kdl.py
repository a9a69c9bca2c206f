"""`KDLStateSolver`: the solver with KDL's order of joints."""

from kinegraph.kinematics.modes import checked_mimic
from kinegraph.kinematics.solver import Mimic, StateSolver
from kinegraph.kinematics.tree import flatten
from kinegraph.scene.errors import WrongTypeError
from kinegraph.scene.graph import SceneGraph

__all__ = ["KDLStateSolver"]


class KDLStateSolver(StateSolver):
    """State solver of a scene that stays as it is.

    Active joints are sorted by the names of their child links, as KDL sorts them
    (`OFKTStateSolver` has them depth first: take the order of vectors from the solver at hand).
    Floating joints stay at their origins: `floating_joint_values` beside joint values are checked
    and ignored, and alone they are refused.

    Args:
        scene_graph: A tree, copied.
        mimic: As in `OFKTStateSolver`.

    Raises:
        TreeError, UnsupportedError, InvalidJointError, WrongTypeError: As in `OFKTStateSolver`.
    """

    __slots__ = ()
    _supports_floating = False

    def __init__(self, scene_graph: SceneGraph, *, mimic: Mimic = "follow") -> None:
        follow = checked_mimic(mimic)
        if not isinstance(scene_graph, SceneGraph):
            raise WrongTypeError(
                f"KDLStateSolver: a SceneGraph is needed, not {scene_graph!r:.100}"
            )
        self._start(flatten(scene_graph, "KDLStateSolver", follow=follow, sorted_columns=True))

    def clone(self) -> "KDLStateSolver":
        """Return an independent solver with the same state, limits and orders."""
        return self._copy()
