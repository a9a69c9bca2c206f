"""What is timed: four robots, and scenes that are made here, as URDF text."""

from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "GRIPPER_TIP",
    "PREFIX",
    "ROBOTS",
    "Robot",
    "bush",
    "chain",
    "gripper_text",
    "load",
    "table_of_arms",
    "with_gripper",
]

FOLDER = Path(__file__).parent / "robots"
# Link whose pose is asked for, and the joint that moves alone.
ROBOTS = {
    "fr3": ("fr3_link8", "fr3_joint7"),
    "ur5": ("ee_link", "wrist_3_joint"),
    "humanoid": ("r_wrist", "RARM_WRIST_R"),
    "pr2": ("r_gripper_tool_frame", "r_wrist_roll_joint"),
}
PREFIX = "tool_"
GRIPPER_TIP = "finger2_link2"
ARM_LINKS = 9
INERTIAL = (
    '<inertial><mass value="0.1"/>'
    '<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>'
)
AXES = ("0 0 1", "0 1 0", "1 0 0")


@dataclass(frozen=True)
class Robot:
    """A scene to time.

    Attributes:
        name: What the tables call it.
        text: URDF without shapes.
        tip: Link whose pose is asked for.
        leaf: Joint that is changed alone; what hangs below it moves the tip.
    """

    name: str
    text: str
    tip: str
    leaf: str


def load(name: str) -> Robot:
    """Read one of `ROBOTS`."""
    return Robot(name, (FOLDER / f"{name}.urdf").read_text(encoding="utf-8"), *ROBOTS[name])


def chain(links: int) -> Robot:
    """Links in a row, each turning in the one before."""
    return _tree("chain", [k - 1 for k in range(1, links)])


def bush(links: int) -> Robot:
    """Links of which each carries three others, as far as they last."""
    return _tree("bush", [(k - 1) // 3 for k in range(1, links)])


def table_of_arms(links: int) -> Robot:
    """Arms of nine links that stand side by side on one base."""
    parents = [0 if (k - 1) % ARM_LINKS == 0 else k - 1 for k in range(1, links)]
    return _tree("table", parents)


def _tree(kind: str, parents: list[int]) -> Robot:
    links = len(parents) + 1
    parts = [
        f'<robot name="{kind}">',
        *(f'<link name="l{k}">{INERTIAL}</link>' for k in range(links)),
    ]
    for k, parent in enumerate(parents, start=1):
        origin = f'xyz="{0.1 * (k % 7):.1f} 0 0.1" rpy="0 {0.1 * (k % 3):.1f} 0.2"'
        parts.append(_joint(f"j{k}", f"l{parent}", f"l{k}", origin, AXES[k % 3]))
    last = links - 1
    return Robot(f"{kind} of {links}", "".join(parts) + "</robot>", f"l{last}", f"j{last}")


def _joint(name: str, parent: str, child: str, origin: str, axis: str) -> str:
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin {origin}/><axis xyz="{axis}"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
    )


def gripper_text(prefix: str = "") -> str:
    """A palm with three fingers of three links: ten links, nine joints."""
    parts = [f'<robot name="gripper"><link name="{prefix}palm">{INERTIAL}</link>']
    for finger in range(3):
        parent = "palm"
        for segment in range(3):
            child = f"finger{finger}_link{segment}"
            name = f"{prefix}finger{finger}_joint{segment}"
            origin = f'xyz="0.02 {0.01 * finger} 0.03" rpy="0 0 {0.5 * finger}"'
            parts.append(f'<link name="{prefix}{child}">{INERTIAL}</link>')
            parts.append(_joint(name, prefix + parent, prefix + child, origin, "0 1 0"))
            parent = child
    return "".join(parts) + "</robot>"


def with_gripper(robot: Robot) -> Robot:
    """The robot's text with the gripper fixed to the tip: for those that can only read anew."""
    gripper = gripper_text(PREFIX)
    inside = gripper[gripper.index(">") + 1 : -len("</robot>")]
    mount = (
        f'<joint name="{PREFIX}mount" type="fixed"><parent link="{robot.tip}"/>'
        f'<child link="{PREFIX}palm"/></joint>'
    )
    text = robot.text.replace("</robot>", inside + mount + "</robot>")
    return Robot(robot.name, text, PREFIX + GRIPPER_TIP, robot.leaf)
