"""`ArmScene`: the scene around an arm that is no Franka, with the arm where it is."""

import threading
from collections.abc import Callable

from kinegraph.kinematics.chain import plan_chain
from kinegraph.kinematics.ofkt import OFKTStateSolver
from kinegraph.robot.argument_checks import check_finite_number
from kinegraph.robot.arm_in_scene import ArmInScene
from kinegraph.robot.control.checks import check_kind
from kinegraph.robot.control.scene_target import SceneTarget
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.joined.frames import SceneFrames
from kinegraph.robot.torque_arm.description import ArmDescription
from kinegraph.scene.array_types import Array
from kinegraph.scene.pose import Isometry3d

__all__ = ["ArmScene"]


def place_of(description: ArmDescription) -> ArmInScene:
    """Return where an arm is in its scene; its flange is what the last joint carries."""
    graph, names = description.graph, description.joint_names
    joints = [graph.getJoint(name) for name in names]
    links = tuple(joint.child_link_name for joint in joints if joint is not None)
    return ArmInScene(names, links, description.base_link, links[-1])


def tip_joints(description: ArmDescription) -> frozenset[str]:
    """Return the joints between base and controlled link, and those that they follow."""
    graph = description.graph
    path = graph.getShortestPath(description.base_link, description.tip_link).joints
    joints = [graph.getJoint(name) for name in path]
    masters = [joint.mimic.joint_name for joint in joints if joint and joint.mimic]
    return frozenset([*path, *masters])


class ArmScene(SceneFrames):
    """The links around an arm and on it, as a target session asks for them.

    Args:
        description: Of the arm; its scene is used.
        newest_q: Returns (n,) the arm's measured joint positions.

    Attributes:
        lock: Held by who changes the scene.
        tip_joints: Joints between base and controlled link, and those that these follow.
    """

    def __init__(self, description: ArmDescription, newest_q: Callable[[], Array]) -> None:
        self.lock = threading.RLock()
        self._description, self._newest_q = description, newest_q
        self.tip_joints = tip_joints(description)
        self._known: dict[str, float] = {}
        super().__init__(
            place_of(description),
            description.graph,
            OFKTStateSolver(description.graph),
            self.lock,
            lambda: description.tip_link,
            self._known,
        )

    def refresh(self) -> None:
        """Put the arm where it is measured."""
        self._solver.setState(list(self._description.joint_names), self._newest_q())

    def tip_target(self, target: SceneTarget, ahead_s: float = 0.0) -> Array:
        """Return (7,) where the controlled link has to be; see `FrameSource`."""
        with self.lock:
            self.refresh()
            return super().tip_target(target, ahead_s)

    def link_pose(self, link_name: str) -> Isometry3d:
        """Return a link's pose in the arm's base.

        Raises:
            UnknownLinkError: It is no link. Also a `KeyError`.
        """
        with self.lock:
            self.refresh()
            base = self._description.base_link
            return self._solver.getRelativeLinkTransform(base, link_name)

    def set_joint(self, name: str, value: float, velocity: float | None) -> None:
        """Set a joint that is not the arm's; see `ArmControl.set_joint`."""
        check_kind("name", name, str)
        check_finite_number("value", value)
        if name in self._description.joint_names:
            raise InvalidArgumentError(f"set_joint: the arm itself sets {name!r}")
        if velocity is not None:
            check_finite_number("velocity", velocity)
        with self.lock:
            self._solver.setState({name: value})
            if velocity is None:
                self._known.pop(name, None)
            else:
                self._known[name] = float(velocity)

    def chain(self) -> Array:
        """Return the constants of the chain to the controlled link as it is now."""
        about = self._description
        with self.lock:
            plan = plan_chain(self._solver, about.tip_link, about.joint_names, about.base_link)
            return plan.data
