"""`SceneRobot`: a robot, a state solver and a controller on one scene graph."""

import logging
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from kinegraph.kinematics.chain import ChainPlan, plan_chain
from kinegraph.kinematics.dynamics_plan import plan_dynamics
from kinegraph.kinematics.ofkt import OFKTStateSolver
from kinegraph.kinematics.payload import Load
from kinegraph.kinematics.solver import Mimic
from kinegraph.robot.arm_in_scene import ArmInScene, find_arm
from kinegraph.robot.carried_load import carried_load, carried_mass, difference
from kinegraph.robot.errors import (
    FrankaError,
    InvalidArgumentError,
    InvalidOperationError,
    ProtocolError,
)
from kinegraph.robot.robot import Robot
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.state_layout import S_q
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import UnknownLinkError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.link import Link
from kinegraph.scene.pose import Isometry3d, TransformLike
from kinegraph.scene.urdf import parseURDFString

if TYPE_CHECKING:
    from kinegraph.robot.control.joint_options import JointOptions
    from kinegraph.robot.control.joint_targets import JointTargets
    from kinegraph.robot.control.options import CartesianOptions
    from kinegraph.robot.control.target_handle import TargetHandle
    from kinegraph.robot.control.targets import CartesianTargets

__all__ = ["SceneRobot", "ToolMismatch"]

_LOG = logging.getLogger("kinegraph.robot")
TOOL_TOLERANCE = 1e-5
MASS_TOLERANCE = 1e-3
GRAVITY = 9.81
FOLLOW_S = 1.0
RETRY_S = 0.1
SHOWN_S = 0.5

T = TypeVar("T")
Targets = TypeVar("Targets", bound="TargetHandle")


@dataclass(frozen=True, slots=True, eq=False)
class ToolMismatch:
    """The robot's end effector frame and the scene's controlled link, compared.

    Attributes:
        robot: F_T_EE, the end effector in the flange as the robot has it.
        scene: The controlled link in the flange as the scene has it.
        distance: Between the origins, m.
        angle: Between the axes, rad.
    """

    robot: Isometry3d
    scene: Isometry3d
    distance: float
    angle: float

    @property
    def matters(self) -> bool:
        """Whether it is above 1e-5 m or rad."""
        return self.distance > TOOL_TOLERANCE or self.angle > TOOL_TOLERANCE


class SceneRobot:
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
        if not isinstance(robot, Robot):
            raise InvalidArgumentError(f"robot: {robot!r:.100} is no Robot")
        if not isinstance(scene_graph, SceneGraph | None):
            raise InvalidArgumentError(f"scene_graph: {scene_graph!r:.100} is no SceneGraph")
        graph = parseURDFString(robot.robot_model()) if scene_graph is None else scene_graph.clone()
        self.robot = robot
        self._graph = graph
        self._solver = OFKTStateSolver(graph, mimic=mimic)
        self.arm: ArmInScene = find_arm(graph, joint_names, flange_link, base_link)
        self._tip = self.arm.flange_link
        self._lock = threading.RLock()
        # Weakly: a handle that is dropped ends its motion.
        self._targets: weakref.ref[TargetHandle] | None = None
        self._starting = False
        self._vertical_stiffness, self._reported_mass = 1.0, np.nan
        self._follower: threading.Thread | None = None
        self._stop_following = threading.Event()
        self._failure: FrankaError | None = None
        self.states_received = 0
        self.states_missed = 0
        if tip_link is not None:
            self.set_tip_link(tip_link)
        self._set_positions(robot.read_once().q)

    # --- scene ----------------------------------------------------------------------------------

    @property
    def tip_link(self) -> str:
        """The controlled link."""
        return self._tip

    def set_tip_link(self, link_name: str) -> None:
        """Choose the link to be controlled; not while a controller runs.

        Raises:
            UnknownLinkError: It is no link. Also a `KeyError`.
            InvalidArgumentError: The arm does not move it. Also a `ValueError`.
            InvalidOperationError: A controller runs.
        """
        with self._lock:
            if self._starting or self._running() is not None:
                raise InvalidOperationError("set_tip_link: a controller runs; stop it first")
            if not self._solver.hasLinkName(link_name):
                raise UnknownLinkError(link_name, self._solver.getLinkNames())
            below = {self.arm.flange_link, *self._graph.getLinkChildrenNames(self.arm.flange_link)}
            if link_name not in below:
                raise InvalidArgumentError(
                    f"set_tip_link: {link_name!r} is not at or below the flange "
                    f"{self.arm.flange_link!r}"
                )
            self._tip = link_name

    @contextmanager
    def scene(self) -> Iterator[tuple[SceneGraph, OFKTStateSolver]]:
        """Give graph and solver for reading, held still for as long as the block lasts."""
        with self._lock:
            self._raise_failure()
            yield self._graph, self._solver

    def insertSceneGraph(self, scene_graph: SceneGraph, joint: Joint, prefix: str = "") -> bool:
        """Attach a copy of another graph; as `SceneGraph.insertSceneGraph`."""
        return self._edit(
            lambda: self._solver.insertSceneGraph(scene_graph, joint, prefix),
            lambda: self._graph.insertSceneGraph(scene_graph, joint, prefix),
        )

    def addLink(self, link: Link, joint: Joint) -> bool:
        """Add a link; as `MutableStateSolver.addLink`."""
        return self._edit(
            lambda: self._solver.addLink(link, joint), lambda: self._graph.addLink(link, joint)
        )

    def moveLink(self, joint: Joint) -> bool:
        """Attach a link elsewhere; as `MutableStateSolver.moveLink`.

        A mass below the flange that the robot does not know is logged with the sag to expect while
        a controller runs.

        Raises:
            InvalidOperationError: It is a part of the arm or carries the controlled link.
        """
        if isinstance(joint, Joint):  # else the solver says so
            self._keep_arm(joint.child_link_name)
        return self._edit(lambda: self._solver.moveLink(joint), lambda: self._graph.moveLink(joint))

    def removeLink(self, name: str) -> bool:
        """Remove a link with all below it; as `MutableStateSolver.removeLink`.

        Raises:
            InvalidOperationError: The arm or the controlled link is part of it.
        """
        self._keep_arm(name, removed=True)
        return self._edit(
            lambda: self._solver.removeLink(name), lambda: self._graph.removeLink(name, True)
        )

    def changeJointOrigin(self, name: str, new_origin: TransformLike) -> bool:
        """Change a joint's origin; as `MutableStateSolver.changeJointOrigin`."""
        return self._edit(
            lambda: self._solver.changeJointOrigin(name, new_origin),
            lambda: self._graph.changeJointOrigin(name, new_origin),
        )

    def attach(self, link_name: str, to_link: str, joint_name: str | None = None) -> bool:
        """Fix a link where it is to another link, from now on moving with that.

        Args:
            link_name: Link to be moved, with all below it.
            to_link: Its new parent.
            joint_name: Name of the fixed joint; left out: "<link_name>_attachment".

        Returns:
            As `moveLink`, which also says what is logged.

        Raises:
            UnknownLinkError: One of them is no link. Also a `KeyError`.
            FrankaError: What ended the stream of states.
        """
        with self._lock:
            self._raise_failure()
            if self._follower is None:  # nobody else keeps the solver in step
                self.refresh()
            joint = Joint(joint_name or f"{link_name}_attachment")
            joint.type = JointType.FIXED
            joint.parent_link_name, joint.child_link_name = to_link, link_name
            joint.parent_to_joint_origin_transform = self._solver.getRelativeLinkTransform(
                to_link, link_name
            )
            return self.moveLink(joint)

    def set_joint(self, name: str, value: float) -> None:
        """Set a joint of the scene that is not the arm's, such as a gripper's.

        Raises:
            InvalidArgumentError: It is the arm's. Also a `ValueError`.
            UnknownJointError: It is no active joint. Also a `ValueError`.
        """
        if name in self.arm.joint_names:
            raise InvalidArgumentError(f"set_joint: the robot itself sets {name!r}")
        with self._undone_on_error():
            self._solver.setState({name: value})
            self._publish_chain()

    def _keep_arm(self, name: str, *, removed: bool = False) -> None:
        needed = {self.arm.base_link, self.arm.flange_link, self._tip}
        with self._lock:
            if name not in self._graph.getLinkChildrenNames(self._graph.getRoot()):
                return  # unknown or the root: the solver says so
            gone = {name, *self._graph.getLinkChildrenNames(name)}
            inside = set(self._graph.getLinkChildrenNames(self.arm.base_link))
            if (removed or name in inside) and gone & (needed | set(self.arm.links)):
                raise InvalidOperationError(
                    f"{name!r} belongs to the arm or carries the controlled link {self._tip!r}"
                )

    def _edit(self, solver: Callable[[], bool], graph: Callable[[], bool]) -> bool:
        with self._undone_on_error() as undo:
            if not solver():
                return False
            # The loop may refuse the chain, so it is asked before the graph is changed.
            self._publish_chain()
            try:
                done = graph()
            except BaseException:
                undo()
                self._publish_chain()
                raise
            if not done:
                undo()
                self._publish_chain()
                return False
            if self._running() is not None:
                self._report_unknown_mass()
            return True

    @contextmanager
    def _undone_on_error(self) -> Iterator[Callable[[], None]]:
        """Hold the scene still; the solver is as before if the block raises or undoes it."""
        with self._lock:
            before = self._solver.clone()

            def undo() -> None:
                self._solver.__setstate__(before.__getstate__())

            try:
                yield undo
            except BaseException:
                undo()
                raise

    # --- states ---------------------------------------------------------------------------------

    def follow(self) -> "SceneRobot":
        """Start to set the solver to every state that arrives; ends with `close`.

        A silence of the robot, and a state that no solver can be set to, are raised by whatever
        asks for poses meanwhile, until the next good state.
        """
        if self._follower is None or not self._follower.is_alive():
            self._stop_following.clear()
            self._failure = None
            self._follower = threading.Thread(
                target=self._follow, name="kinegraph-follow", daemon=True
            )
            self._follower.start()
        return self

    def _follow(self) -> None:
        reader = self.robot.link.loop.states.reader()
        while not self._stop_following.is_set():
            try:
                self.robot.link.wait_for_row(reader.position, FOLLOW_S)
                self._take(*reader.read())
            except FrankaError as failure:
                self._failure = failure
                if not self.robot.is_connected:
                    return
                self._stop_following.wait(RETRY_S)

    def _take(self, rows: Array, lost: int) -> None:
        if not len(rows):
            return
        with self._lock:
            self.states_received += len(rows)
            self.states_missed += lost
            self._set_positions(rows[-1][S_q : S_q + len(self.arm.joint_names)])
            self._failure = None

    def refresh(self) -> RobotState:
        """Set the solver to the newest state; return that state.

        Raises:
            FrankaError: What ended the stream of states.
        """
        with self._lock:
            self._raise_failure()
            self.robot.link.check_open()
            state = self.robot.state
            self._set_positions(state.q)
            return state

    def link_pose(self, link_name: str) -> Isometry3d:
        """Return a link's pose in the scene's base, by the newest state.

        Raises:
            UnknownLinkError: It is no link. Also a `KeyError`.
            FrankaError: What ended the stream of states.
        """
        with self._lock:
            self.refresh()
            return self._solver.getLinkTransform(link_name)

    def relative_pose(self, from_link: str, to_link: str) -> Isometry3d:
        """Return the pose of one link in another's frame, by the newest state.

        Raises:
            UnknownLinkError: One of them is no link. Also a `KeyError`.
        """
        with self._lock:
            self.refresh()
            return self._solver.getRelativeLinkTransform(from_link, to_link)

    def tip_pose(self) -> Isometry3d:
        """Return the controlled link's pose in the robot's base, by the newest state."""
        return self.relative_pose(self.arm.base_link, self._tip)

    def _axes_of(self, link_name: str) -> Array:
        return self.relative_pose(self.arm.base_link, link_name).matrix[:3, :3]

    def tip_jacobian(self) -> Array:
        """Return (6, 7), base axes at the controlled link's origin, by the newest state."""
        with self._lock:
            state = self.refresh()
            return self._chain().pose_and_jacobian(np.array(state.q))[1]

    def _set_positions(self, q: Array) -> None:
        if not np.isfinite(q).all():
            at = int(np.flatnonzero(~np.isfinite(q))[0])
            raise ProtocolError(
                f"the robot's state has q[{at}] = {q[at]}; the scene keeps its pose",
                field=f"q[{at}]",
                value=float(q[at]),
            )
        self._solver.setState(list(self.arm.joint_names), q)

    def _raise_failure(self) -> None:
        failure = self._failure
        if failure is not None:
            raise type(failure)(str(failure), **failure.facts)

    # --- tool and load --------------------------------------------------------------------------

    def tool_mismatch(self) -> ToolMismatch:
        """Compare the robot's F_T_EE with the controlled link in the flange."""
        with self._lock:
            scene = self._solver.getRelativeLinkTransform(self.arm.flange_link, self._tip)
        robot = self.robot.state.isometry("F_T_EE")
        apart = robot.inverse() @ scene
        turn = apart.quat_xyzw
        angle = 2.0 * float(np.arctan2(np.linalg.norm(turn[:3]), abs(turn[3])))
        distance = float(np.linalg.norm(robot.translation - scene.translation))
        return ToolMismatch(robot, scene, distance, angle)

    def sync_tool(self) -> None:
        """Set the robot's end effector frame to the controlled link.

        Raises:
            InvalidOperationError: A moving joint lies between flange and link.
            CommandError: The robot refuses it.
        """
        moving = self._moving_tool_joints()
        if moving:
            raise InvalidOperationError(
                f"sync_tool: the moving joints {', '.join(moving)} lie between the flange and "
                f"{self._tip!r}; control it with tool='scene'"
            )
        scene = self.tool_mismatch().scene
        nominal = self.robot.state.isometry("F_T_NE")
        self.robot.set_EE((nominal.inverse() @ scene).to_column_major())
        self._await_state(lambda _: not self.tool_mismatch().matters)

    def scene_load(self) -> Load:
        """Return all that hangs below the flange as one body at the flange link."""
        with self._lock:
            return carried_load(self._graph, self._solver, self.arm.flange_link)

    def sync_load(self) -> Load:
        """Tell the robot the mass, centre and inertia of all that hangs below the flange.

        What it already knows as its end effector is taken off. Not during a motion.

        Returns:
            What was sent.

        Raises:
            InvalidOperationError: The end effector set in the robot outweighs the scene's.
            CommandError: The robot refuses it.
        """
        state = self.robot.read_once()
        known = Load(state.m_ee, np.array(state.F_x_Cee), np.array(state.I_ee).reshape(3, 3).T)
        load = difference(self.scene_load(), known)
        self.robot.set_load(load.mass, load.center, load.inertia.T.ravel())
        self._await_state(lambda state: abs(state.m_load - load.mass) <= MASS_TOLERANCE)
        return load

    def _await_state(self, shows: Callable[[RobotState], bool]) -> None:
        """Wait until the states show what was set; those on their way do not yet."""
        end = time.monotonic() + SHOWN_S
        while not shows(self.robot.read_once()) and time.monotonic() < end:
            pass

    def unknown_mass(self) -> float:
        """Return the mass below the flange that the robot does not compensate, kg."""
        with self._lock:
            carried = carried_mass(self._graph, self.arm.flange_link)
        return carried - float(self.robot.state.m_total)

    def _report_unknown_mass(self) -> None:
        """Log a mass that the robot does not know, once for each change of what is carried."""
        carried = carried_mass(self._graph, self.arm.flange_link)
        if abs(carried - self._reported_mass) < MASS_TOLERANCE:
            return
        self._reported_mass = carried
        mass = carried - float(self.robot.state.m_total)
        if abs(mass) < MASS_TOLERANCE:
            return
        _LOG.warning(
            "the robot %s %.4g kg below its flange: expect the tip to %s by up to %.2g mm; "
            "sync_load() after the motion tells it",
            "does not know of" if mass > 0.0 else "still compensates for lost",
            abs(mass),
            "sag" if mass > 0.0 else "rise",
            1e3 * abs(mass) * GRAVITY / self._vertical_stiffness,
        )

    def _moving_tool_joints(self) -> list[str]:
        with self._lock:
            path = self._graph.getShortestPath(self.arm.flange_link, self._tip).joints
            joints = [self._graph.getJoint(name) for name in path]
            return [joint.getName() for joint in joints if joint and joint.type != JointType.FIXED]

    # --- control --------------------------------------------------------------------------------

    def cartesian_targets(
        self,
        options: "CartesianOptions | None" = None,
        *,
        tool: Literal["robot", "scene"] = "robot",
    ) -> "CartesianTargets":
        """Start the Cartesian target controller for the controlled link.

        Poses and targets are in the robot's base frame O.

        Args:
            options: Left out: the defaults.
            tool: "robot" refuses to start when the robot's F_T_EE is not the controlled link;
                "scene" goes by the scene alone, not with `RobotController`.

        Returns:
            The running session; use it as a context manager.

        Raises:
            InvalidOperationError: The frames disagree, see `sync_tool`; a motion runs; or the
                robot's controller cannot go by the scene.
            InvalidArgumentError: An option is out of its range. Also a `ValueError`.
            FrankaError: What kept the motion from starting.
        """
        from kinegraph.robot.control.arms import arm_table
        from kinegraph.robot.control.backends import (
            cartesian_form,
            cartesian_session,
            vertical_stiffness,
            within_robot,
        )
        from kinegraph.robot.control.memory_layout import MEMORY_SIZE
        from kinegraph.robot.control.options import CartesianOptions, RobotController
        from kinegraph.robot.control.targets import CartesianTargets
        from kinegraph.robot.control.tuning.live_tuning import LiveTuning
        from kinegraph.robot.loop.target_controller import TargetController

        chosen = CartesianOptions() if options is None else options
        if not isinstance(chosen, CartesianOptions):
            raise InvalidArgumentError(f"options: {options!r:.100} are no CartesianOptions")
        chosen = within_robot(chosen, self.robot.version)
        packed = chosen.packed(arm_table(self.robot.version))
        by_robot = isinstance(chosen.backend, RobotController)
        if by_robot and tool == "scene":
            raise InvalidOperationError(
                "tool='scene' needs the controller's own torques: the robot's controller moves "
                "the robot's end effector; sync_tool() sets that"
            )
        if tool == "robot":
            self._refuse_mismatch()
        elif tool != "scene":
            raise InvalidArgumentError(f"tool: 'robot' or 'scene', not {tool!r}")
        link = self.robot.link

        def make(chain: Array) -> CartesianTargets:
            controller = TargetController(
                packed,
                chain,
                self._dynamics(),
                np.zeros(MEMORY_SIZE),
                link.loop.waiters,
                form=cartesian_form(chosen),
                tuning=LiveTuning.of_session(chosen, packed),
            )
            session = cartesian_session(link, controller, chosen)
            return CartesianTargets(
                session, controller, chain, link.newest_row, self._axes_of, by_robot=by_robot
            )

        targets = self._start(make, chosen.realtime_priority, chosen.cpu)
        self._expect_sag(vertical_stiffness(chosen))
        return targets

    def joint_targets(self, options: "JointOptions | None" = None) -> "JointTargets":
        """Start the joint target controller.

        Targets are positions of the arm's joints, in the robot's order.

        Args:
            options: Left out: the defaults.

        Returns:
            The running session; use it as a context manager.

        Raises:
            InvalidOperationError: A motion runs.
            InvalidArgumentError: An option is out of its range. Also a `ValueError`.
            FrankaError: What kept the motion from starting.
        """
        from kinegraph.robot.control.arms import arm_table
        from kinegraph.robot.control.backends import (
            joint_form,
            joint_session,
            joint_vertical_stiffness,
            joints_within_robot,
        )
        from kinegraph.robot.control.joint_options import JointOptions
        from kinegraph.robot.control.joint_targets import JointTargets
        from kinegraph.robot.control.memory_layout import MEMORY_SIZE
        from kinegraph.robot.loop.target_controller import TargetController

        chosen = JointOptions() if options is None else options
        if not isinstance(chosen, JointOptions):
            raise InvalidArgumentError(f"options: {options!r:.100} are no JointOptions")
        arm = arm_table(self.robot.version)
        chosen = joints_within_robot(chosen, arm)
        packed = chosen.packed(arm)
        link = self.robot.link

        def make(chain: Array) -> JointTargets:
            controller = TargetController(
                packed,
                chain,
                self._dynamics(),
                np.zeros(MEMORY_SIZE),
                link.loop.waiters,
                form=joint_form(chosen, arm.n),
            )
            session = joint_session(link, controller, chosen)
            inset = chosen.backend.joint_limit_inset
            return JointTargets(session, controller, chain, link.newest_row, arm=arm, inset=inset)

        targets = self._start(make, chosen.realtime_priority, chosen.cpu)
        _, jacobian = self._chain().pose_and_jacobian(targets.measured())
        self._expect_sag(joint_vertical_stiffness(chosen, jacobian))
        return targets

    def _start(
        self, make: Callable[[Array], Targets], priority: int | None, cpu: int | None
    ) -> Targets:
        """Start the session that `make` returns for the chain as it is now."""
        link = self.robot.link
        with self._lock:
            if self._starting or link.is_busy:
                raise link.busy()
            targets = make(self._chain().data)
            # From here on every change of the scene goes to this session too.
            self._targets, self._starting = weakref.ref(targets), True
        try:
            link.loop.set_realtime(priority, cpu)
            targets.start()
        finally:
            self._starting = False
        return targets

    def _expect_sag(self, vertical_stiffness: float) -> None:
        """Report what the robot does not know of, against this spring at the tip, N/m."""
        with self._lock:
            self._vertical_stiffness, self._reported_mass = vertical_stiffness, np.nan
            self._report_unknown_mass()

    def _dynamics(self) -> Array:
        return plan_dynamics(
            self._solver,
            self.arm.joint_names,
            self.arm.flange_link,
            self.arm.base_link,
            inertials_from=self._graph,
        ).data

    def _refuse_mismatch(self) -> None:
        found = self.tool_mismatch()
        if not found.matters:
            return
        raise InvalidOperationError(
            f"the robot's end effector and the scene's {self._tip!r} are {found.distance:.6g} m "
            f"and {found.angle:.6g} rad apart: F_T_EE is {found.robot}, the scene has "
            f"{found.scene}; sync_tool() sets the robot's, tool='scene' goes by the scene alone",
            mismatch=found,
        )

    def _chain(self) -> ChainPlan:
        return plan_chain(self._solver, self._tip, self.arm.joint_names, self.arm.base_link)

    def _publish_chain(self) -> None:
        targets = self._handle()
        if targets is not None and (self._starting or targets.is_running):
            targets.replace_chain(self._chain().data)

    def _handle(self) -> "TargetHandle | None":
        return None if self._targets is None else self._targets()

    def _running(self) -> "TargetHandle | None":
        targets = self._handle()
        return targets if targets is not None and targets.is_running else None

    # --- the end --------------------------------------------------------------------------------

    def close(self) -> None:
        """Stop following. The robot stays connected."""
        self._stop_following.set()
        if self._follower is not None:
            self._follower.join(2.0 * FOLLOW_S)
            self._follower = None

    def __enter__(self) -> "SceneRobot":
        """Start to follow the robot's states."""
        return self.follow()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop following."""
        self.close()
