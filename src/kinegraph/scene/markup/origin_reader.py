"""The `origin` element, shared by joints, inertials, visuals and collisions."""

from xml.etree.ElementTree import Element

from kinegraph.scene.markup.place import Source
from kinegraph.scene.markup.values import to_floats, vector, vector_of
from kinegraph.scene.markup.vocabulary import ROTATION
from kinegraph.scene.pose import Isometry3d, from_rows, quaternion_source
from kinegraph.scene.rotations import IDENTITY_ROWS, Rows, Vector3, rows_from_rpy
from kinegraph.scene.stored_pose import RotationSource

AGREES = 1e-5
"""The exact rotation counts only beside angles that say the same: a file edited by hand wins."""

ZERO = (0.0, 0.0, 0.0)
IDENTITY = Isometry3d.Identity()


class OriginReader:
    """Reads origins; equal ones of a file are one object."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._poses: dict[tuple[str | None, str | None], Isometry3d] = {}
        self._rotations: dict[str | None, tuple[Rows, RotationSource]] = {
            None: (IDENTITY_ROWS, ("rpy", ZERO))
        }

    def read(self, element: Element | None) -> Isometry3d:
        """Return the pose of an `origin` element; the identity without one."""
        if element is None:
            return IDENTITY
        attributes = element.attrib
        if "wxyz" in attributes or ROTATION in attributes:
            return self._unusual_pose(element, attributes)
        key = attributes.get("xyz"), attributes.get("rpy")
        pose = self._poses.get(key)
        if pose is None:
            pose = self._poses[key] = self._pose(element, *key)
        return pose

    def _pose(self, element: Element, xyz: str | None, rpy: str | None) -> Isometry3d:
        if xyz is None and rpy is None:
            self._source.fail(element, "needs at least one of xyz, rpy, wxyz")
        rows, angles = self._rotations.get(rpy) or self._rotation(element, rpy)
        return from_rows(rows, self._translation(element, xyz), angles)

    def _unusual_pose(self, element: Element, attributes: dict[str, str]) -> Isometry3d:
        """Return the pose of a quaternion, or of what our writer wrote."""
        source = self._source
        wxyz = attributes.get("wxyz")
        if wxyz is None:
            pose = self._pose(element, attributes.get("xyz"), attributes.get("rpy"))
        else:
            a, b, c, d = vector(source, element, "wxyz", 4)
            if not 1e-150 < max(map(abs, (a, b, c, d))) < 1e150:
                source.fail(element, "is no quaternion: its norm is 0 or too large", "wxyz", wxyz)
            translation = self._translation(element, attributes.get("xyz"))
            pose = quaternion_source(translation, (a, b, c, d))
        return self._exact(element, pose) if ROTATION in attributes else pose

    def _translation(self, element: Element, xyz: str | None) -> Vector3:
        if xyz is None:
            return ZERO
        x, y, z = to_floats(xyz, 3) or vector_of(self._source, element, "xyz", xyz, 3)
        return x, y, z

    def _rotation(self, element: Element, rpy: str | None) -> tuple[Rows, RotationSource]:
        """Return rotation and angles of an `rpy`; few different ones stand in a file."""
        roll, pitch, yaw = vector(self._source, element, "rpy", 3)
        known = rows_from_rpy(roll, pitch, yaw), ("rpy", (roll, pitch, yaw))
        self._rotations[rpy] = known
        return known

    def _exact(self, element: Element, pose: Isometry3d) -> Isometry3d:
        """Take the writer's nine numbers where they agree with the angles."""
        a, b, c, d, e, f, g, h, i = vector(self._source, element, ROTATION, 9)
        rows = (a, b, c, d, e, f, g, h, i)
        other, translation = pose.rows()
        if max(abs(one - two) for one, two in zip(rows, other, strict=True)) > AGREES:
            return pose
        return from_rows(rows, translation)
