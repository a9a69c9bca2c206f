"""`SceneRobot`: a robot, a state solver and a controller on one scene graph."""

from collections.abc import Sequence

from kinegraph.kinematics.solver import Mimic
from kinegraph.robot.joined.controlling import ControlledScene
from kinegraph.robot.robot import Robot
from kinegraph.scene.graph import SceneGraph

__all__ = ["SceneRobot"]


class SceneRobot(ControlledScene):
    """Joins a robot and a solver by joint names, and keeps scene and solver in step.

    It owns graph and solver: change the scene through the methods here, which edit both in one
    transaction; a running controller sees the changed tree at the edge of a cycle. A thread sets
    the solver to every state that the robot sends, so that each link has a live pose.

    Args:
        robot: Connected robot.
        scene_graph: Scene with the arm in it; it is copied. Left out: the robot's own description.
        tip_link: Link to be controlled. Left out: the flange.
        joint_names: (7) the arm's joints in the robot's order. Left out: those whose names end in
            joint1 to joint7.
        flange_link: Link at the arm's flange. Left out: what the last joint carries by fixed
            joints and is named link8 or flange, else the last joint's child.
        base_link: Link whose frame is the robot's base O. Left out: parent of the first joint.
        mimic: As for the solvers.

    Raises:
        InvalidArgumentError: No such joints or links. Also a `ValueError`.
        UnknownLinkError: `tip_link` is no link. Also a `KeyError`.
    """

    def __init__(
        self,
        robot: Robot,
        scene_graph: SceneGraph | None = None,
        *,
        tip_link: str | None = None,
        joint_names: Sequence[str] | None = None,
        flange_link: str | None = None,
        base_link: str | None = None,
        mimic: Mimic = "follow",
    ) -> None:
        super().__init__(
            robot,
            scene_graph,
            joint_names=joint_names,
            flange_link=flange_link,
            base_link=base_link,
            mimic=mimic,
        )
        if tip_link is not None:
            self.set_tip_link(tip_link)
        self._set_positions(robot.read_once().q)
