"""The robot descriptions that come with the package."""

from contextlib import AbstractContextManager
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from kinegraph.scene.errors import UnknownNameError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable  # of importlib.abc before Python 3.11

__all__ = [
    "DESCRIPTION_NAMES",
    "description_path",
    "description_text",
    "description_with_hand",
]

DESCRIPTION_NAMES = ("fer", "fr3", "gripper", "hand")
_HAND_ON_FLANGE = "0 0 -0.785398163397448"  # as Desk's configuration has it


def description_text(name: str) -> str:
    """URDF text of a description.

    Args:
        name: "fr3" (Franka Research 3), "fer" (Franka Emika Robot, Panda) or "gripper" (a parallel
            gripper of ten links whose root `palm` goes onto the flange), "hand" (the Franka Hand,
            whose root `hand` goes onto the flange, turned by -45 degrees about z).

    Returns:
        The XML text, in UTF-8 by its declaration.

    Raises:
        UnknownNameError: No description has that name. Also a `KeyError`.
    """
    return _resource(name).read_text(encoding="utf-8")


def description_with_hand(name: str) -> str:
    """URDF text of an arm with the Franka Hand on its flange.

    The fingers are `hand_finger_left`, half the width between them in m, and `hand_finger_right`,
    which follows. `SimulatedRobot(urdf=...)` serves it with the fingers fixed: libfranka's `Model`
    ends the process when joints behind the flange move (0.21.3).

    Args:
        name: "fr3" or "fer".

    Raises:
        UnknownNameError: It is no arm's. Also a `KeyError`.
    """
    if not isinstance(name, str) or name not in ("fer", "fr3"):
        raise UnknownNameError("arm", name, ("fer", "fr3"))
    arm, hand = description_text(name), description_text("hand")
    parts = hand[hand.index('<link name="hand">') : hand.rindex("</robot>")]
    mount = (
        '  <joint name="hand_mount" type="fixed">\n'
        f'    <parent link="{name}_link8"/>\n    <child link="hand"/>\n'
        f'    <origin xyz="0 0 0" rpy="{_HAND_ON_FLANGE}"/>\n  </joint>\n'
    )
    end = arm.rindex("</robot>")
    return f"{arm[:end]}  {parts}{mount}{arm[end:]}"


def description_path(name: str) -> AbstractContextManager[Path]:
    """File of a description, for programs that want a path.

    Use it as `with description_path("fr3") as path:`; the file is only sure to exist inside (a
    package may lie in an archive).

    Raises:
        UnknownNameError: No description has that name. Also a `KeyError`.
    """
    return as_file(_resource(name))


def _resource(name: str) -> "Traversable":
    if not isinstance(name, str) or name not in DESCRIPTION_NAMES:
        raise UnknownNameError("description", name, DESCRIPTION_NAMES)
    return files("kinegraph.robot.sim").joinpath("data", f"{name}.urdf")
