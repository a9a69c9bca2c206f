"""From a pinocchio model to a scene graph, as far as a model can tell."""

from typing import Any

import numpy as np

from kinegraph.scene.array_types import Array
from kinegraph.scene.bridges.extras import extra_module
from kinegraph.scene.bridges.pinocchio_joints import read_joint
from kinegraph.scene.errors import InvalidNameError, WrongTypeError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.link import Link
from kinegraph.scene.link_parts import Inertial
from kinegraph.scene.pose import Isometry3d, as_isometry

__all__ = ["from_pinocchio"]

NO_BODY = 1e-9
"""Share of a joint's mass below which the rest is rounding, not a body."""

SAME_PLACE = 1e-9


def from_pinocchio(model: Any) -> SceneGraph:
    """Return a scene graph of a pinocchio model.

    A model has joints and, if it was made of a description, frames; the frames of bodies become
    links, the frames of fixed joints become fixed joints again, and operational and sensor frames
    become links on fixed joints. A joint without a body frame carries a link named after it. A
    model does not know shapes, materials, acceleration and jerk limits (the graph gets half the
    velocity and 1000, as from a URDF), nor the limits of mimic joints (they follow from their
    masters'). Limits beyond 1e9 are written as 1e9; joints that turn without bounds become
    continuous.

    Args:
        model: A `pinocchio.Model`.

    Returns:
        A tree whose solvers give the poses of the model's frames; `match_pinocchio` finds the
        columns.

    Raises:
        UnsupportedError: pinocchio is not installed, or a joint is neither revolute, prismatic, a
            free flyer nor a mimic of those. Also a `RuntimeError`.
        WrongTypeError: Not a model. Also a `TypeError`.
        InvalidNameError: Two frames would become links of the same name. Also a `ValueError`.
        NotFiniteError, InvalidLimitError, InvalidInertialError: Numbers that pinocchio takes and
            kinegraph refuses. Also `ValueError`.
    """
    pinocchio = extra_module("pinocchio")
    if not isinstance(model, pinocchio.Model):
        raise WrongTypeError(f"from_pinocchio: a pinocchio Model is needed, not {model!r:.100}")
    return _Reader(pinocchio, model).graph


class _Reader:
    """Reads the links of joint after joint; a link stands for the frame that made it."""

    def __init__(self, pinocchio: Any, model: Any) -> None:
        self._pinocchio = pinocchio
        self._model = model
        self._frames = list(model.frames)
        kinds = pinocchio.FrameType
        self._joint_kind, self._fixed_kind = kinds.JOINT, kinds.FIXED_JOINT
        self._body_kind = kinds.BODY
        self._names: dict[int, str] = {}  # link name by frame
        self._mains: list[str] = []  # link at the origin of each joint
        self._taken = {f.name for i, f in enumerate(self._frames) if self._is_link(i)}
        self._weightless: set[int] = set()  # joints whose frames' inertias are not theirs
        self._poses: dict[str, Isometry3d] = {}  # of links, in their joints
        self._joint_names = set(map(str, model.names))
        self._fixed = self._fixed_frames()
        self._of_joint = self._frames_by_joint()
        self.graph = SceneGraph(model.name)
        for index in range(model.njoints):
            self._add_joint(index)

    def _frames_by_joint(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in range(self._model.njoints)]
        for index, frame in enumerate(self._frames):
            found[frame.parentJoint].append(index)
        return found

    def _fixed_frames(self) -> dict[int, int]:
        """Return the frame of the fixed joint of each link frame; each goes to the first link."""
        first: dict[int, int] = {}
        for index, frame in enumerate(self._frames):
            above = frame.parentFrame
            if above and self._frames[above].type == self._fixed_kind and self._is_link(index):
                first.setdefault(above, index)
        return {index: above for above, index in first.items()}

    def _add_joint(self, index: int) -> None:
        """Add the joint, the link at its origin, and the links fixed to that one."""
        main = self._main_frame(index)
        name = self._fresh_name(index) if main is None else self._frames[main].name
        if main is not None:
            self._names[main] = name
        links = [f for f in self._of_joint[index] if f != main and self._is_link(f)]
        link = Link(name)
        link.inertial = _inertial(self._rest(index, links))
        self._mains.append(name)
        self._poses[name] = Isometry3d()
        if index == 0:
            self.graph.addLink(link)
        else:
            self._attach(link, self._moving_joint(index, name))
        for frame in links:
            self._add_fixed(index, frame)

    def _main_frame(self, index: int) -> int | None:
        """Return the first body frame at the joint's origin that hangs on no fixed joint."""
        for number in self._of_joint[index]:
            frame = self._frames[number]
            above = self._frames[frame.parentFrame]
            on_joint = number != 0 and (above.type != self._fixed_kind or frame.parentFrame == 0)
            if frame.type == self._body_kind and on_joint and _is_identity(frame.placement):
                return number
        return None

    def _fresh_name(self, index: int) -> str:
        name = str(self._model.names[index])
        while name in self._taken:
            name += "_link"
        self._taken.add(name)
        return name

    def _is_link(self, number: int) -> bool:
        """Tell whether a frame becomes a link: all but the frames of joints and the universe's."""
        frame = self._frames[number]
        if number == 0 or frame.type == self._joint_kind:
            return False
        return bool(frame.type != self._fixed_kind)

    def _add_fixed(self, index: int, number: int) -> None:
        frame = self._frames[number]
        parent = self._link_above(frame.parentFrame, index)
        joint = Joint(self._fixed_name(number))
        joint.type = JointType.FIXED
        joint.parent_link_name = parent
        joint.child_link_name = frame.name
        pose = as_isometry(frame.placement, f"placement of frame {frame.name!r}")
        joint.parent_to_joint_origin_transform = self._poses[parent].inverse() @ pose
        link = Link(frame.name)
        if index not in self._weightless:
            link.inertial = _inertial(self._frame_inertia(number, at_joint=False))
        self._names[number] = frame.name
        self._poses[frame.name] = pose
        self._attach(link, joint)

    def _fixed_name(self, number: int) -> str:
        above = self._fixed.get(number)
        name = str(self._frames[number if above is None else above].name)
        while name in self._joint_names:
            name += "_joint"
        self._joint_names.add(name)
        return name

    def _link_above(self, number: int, index: int) -> str:
        """Climb from a frame to the first that is a link of the same joint, or to its origin."""
        seen: set[int] = set()  # pinocchio's reduced models have frames that are their own parents
        while number not in seen and self._frames[number].parentJoint == index:
            if number in self._names:
                return self._names[number]
            seen.add(number)
            number = self._frames[number].parentFrame
        return self._mains[index]

    def _moving_joint(self, index: int, child: str) -> Joint:
        model = self._model
        parent_index = model.parents[index]
        own = model.getFrameId(model.names[index], self._joint_kind)
        above = self._frames[own].parentFrame if own < len(self._frames) else 0
        parent = self._link_above(above, parent_index)
        placement = as_isometry(
            model.jointPlacements[index], f"placement of joint {model.names[index]!r}"
        )
        joint = read_joint(model, index)
        joint.parent_link_name, joint.child_link_name = parent, child
        joint.parent_to_joint_origin_transform = self._poses[parent].inverse() @ placement
        return joint

    def _attach(self, link: Link, joint: Joint) -> None:
        if not self.graph.addLink(link, joint):
            raise InvalidNameError(f"from_pinocchio: link {link.getName()!r} would be there twice")

    def _rest(self, index: int, links: list[int]) -> Array:
        """Return what a joint carries beside the links fixed to its first link, ten numbers."""
        whole = np.array(self._model.inertias[index].toDynamicParameters())
        fixed = sum((self._frame_inertia(f, at_joint=True) for f in links), np.zeros(10))
        if not fixed.any():
            return whole
        rest: Array = whole - fixed
        if rest[0] < -NO_BODY * whole[0]:  # frames that were added without their mass
            self._weightless.add(index)
            return whole
        return rest if np.abs(rest).max() > NO_BODY * np.abs(whole).max() else np.zeros(10)

    def _frame_inertia(self, number: int, *, at_joint: bool) -> Array:
        """Return the inertia that was added with a frame and the fixed joint above it."""
        total = np.zeros(10)
        for frame in [number, *([self._fixed[number]] if number in self._fixed else [])]:
            part = self._frames[frame]
            inertia = part.placement.act(part.inertia) if at_joint else part.inertia
            total += inertia.toDynamicParameters()
        return total


def _inertial(ten: Array) -> Inertial | None:
    """Return an inertial of mass, mass times centre and inertia about the frame's origin."""
    mass = float(ten[0])
    if not ten.any():
        return None
    centre = ten[1:4] / mass if mass else np.zeros(3)
    inertial = Inertial()
    inertial.origin = Isometry3d.from_rpy(centre, (0.0, 0.0, 0.0))
    xx, xy, yy, xz, yz, zz = ten[4:].tolist()  # pinocchio's order
    x, y, z = centre.tolist()
    inertial.mass = mass
    inertial.ixx = xx - mass * (y * y + z * z)
    inertial.iyy = yy - mass * (x * x + z * z)
    inertial.izz = zz - mass * (x * x + y * y)
    inertial.ixy, inertial.ixz, inertial.iyz = (
        xy + mass * x * y,
        xz + mass * x * z,
        yz + mass * y * z,
    )
    return inertial


def _is_identity(placement: Any) -> bool:
    return bool(np.abs(placement.homogeneous - np.eye(4)).max() <= SAME_PLACE)
