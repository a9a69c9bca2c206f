"""`SceneGraph`: what users see."""

from typing import overload

from kinegraph.scene.errors import WrongTypeError
from kinegraph.scene.graph import composition
from kinegraph.scene.graph.edits import GraphEdits
from kinegraph.scene.joint import Joint

__all__ = ["SceneGraph"]


class SceneGraph(GraphEdits):
    """A scene: links as vertices, joints as directed edges from parent to child.

    The graph keeps copies of what it is given, in the order in which it was given; that order is
    the order of every list. Links and joints that it hands out are read-only. It need not be a tree
    (see `isTree`); the solvers need one.

    Methods that change something return False, or raise, with the graph as it was. A name that is
    no str, and any other argument of a wrong kind, is a `WrongTypeError`, also a `TypeError`.

    Args:
        name: Any text.
    """

    def clone(self) -> "SceneGraph":
        """Return an independent copy, with names, root, flags and allowed collisions."""
        copy = SceneGraph()
        self._copy_into(copy)
        return copy

    def __copy__(self) -> "SceneGraph":
        # Links and joints belong to one graph: there is no shallow copy.
        return self.clone()

    def __deepcopy__(self, memo: object) -> "SceneGraph":
        return self.clone()

    @overload
    def insertSceneGraph(self, scene_graph: "SceneGraph", prefix: str = "") -> bool: ...
    @overload
    def insertSceneGraph(
        self, scene_graph: "SceneGraph", joint: Joint, prefix: str = ""
    ) -> bool: ...
    def insertSceneGraph(  # type: ignore[misc]  # tesseract's two forms share the second place
        self, scene_graph: "SceneGraph", joint: Joint | str | None = None, prefix: str = ""
    ) -> bool:
        """Copy a whole graph into this one, its names with a prefix in front.

        The prefix is put before link and joint names, the masters of mimic joints and the names of
        allowed collisions. Into an empty graph the inserted root becomes the root; otherwise the
        root stays, and without a joint the result is not a tree.

        Args:
            scene_graph: The graph to insert; it stays as it is.
            joint: A joint of this graph to the inserted root, named with the prefix.
            prefix: Any text; nothing is put between it and the names.

        Returns:
            False when a prefixed name is taken, or the joint does not fit: unknown parent, a
            child that is not the prefixed root, a name that is taken on either side, limits
            missing.

        Raises:
            WrongTypeError: Not a graph, joint or text. Also a `TypeError`.
            NotFiniteError, InvalidLimitError: As in `addJoint`. Also `ValueError`.
        """
        if isinstance(joint, str):
            if prefix:
                raise WrongTypeError(f"insertSceneGraph: two prefixes, {joint!r} and {prefix!r}")
            prefix, joint = joint, None
        composition.check_arguments(scene_graph, joint, prefix)
        if composition.collides(self, scene_graph, prefix):
            return False
        if joint is None:
            composition.insert(self, scene_graph, prefix)
            return True
        copy = self._fitting_joint(joint, (joint.parent_link_name,))
        if copy is None or not composition.attaches(copy, scene_graph, prefix):
            return False
        if copy.getName() in {prefix + name for name in scene_graph._joints}:
            return False
        composition.insert(self, scene_graph, prefix)
        self._put_joint(copy)
        return True
