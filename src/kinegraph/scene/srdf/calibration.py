"""Where joints really are."""

from dataclasses import dataclass, field

from kinegraph.scene.arguments import check_kind
from kinegraph.scene.pose import Isometry3d
from kinegraph.scene.srdf.comparing import same_poses


@dataclass(slots=True, eq=False)
class CalibrationInfo:
    """Measured origins of joints.

    Attributes:
        joints: Pose of the joint's frame in the parent link's frame, by joint name.
    """

    joints: dict[str, Isometry3d] = field(default_factory=dict)

    __hash__ = None  # type: ignore[assignment]

    def insert(self, other: "CalibrationInfo") -> None:
        """Take over all joints of another one; its poses win."""
        self.joints.update(check_kind(other, CalibrationInfo, "insert").joints)

    def clear(self) -> None:
        """Remove all joints."""
        self.joints.clear()

    def empty(self) -> bool:
        """Tell whether there is nothing in it."""
        return not self.joints

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CalibrationInfo):
            return NotImplemented
        return same_poses(self.joints, other.joints)
