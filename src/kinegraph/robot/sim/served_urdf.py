"""The description as it is handed to clients: what libfranka can read, and nothing twice."""

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from kinegraph.robot.sim.tool import SimulatedTool

if TYPE_CHECKING:
    from kinegraph.scene.graph import SceneGraph

__all__ = ["body_below", "served_text"]

MOVING = ("revolute", "continuous", "prismatic", "planar", "floating")
# What only a joint that moves has.
OF_MOVING = ("axis", "limit", "mimic", "dynamics", "calibration", "safety_controller")


def body_below(graph: "SceneGraph", flange: str) -> SimulatedTool | None:
    """What the description has below the flange as one body, all joints at zero; None: nothing."""
    from kinegraph.kinematics import OFKTStateSolver
    from kinegraph.robot.carried_load import carried_load, carried_mass

    if carried_mass(graph, flange) == 0.0:
        return None
    load = carried_load(graph, OFKTStateSolver(graph), flange)
    return SimulatedTool(load.mass, load.center, load.inertia)


def served_text(text: str, graph: "SceneGraph", flange: str) -> str:
    """The text for GetRobotModel.

    Below the flange joints are fixed (libfranka 0.21 ends the process in `load_model` when the
    description has more than seven moving ones, measured) and links have no inertials: a robot
    states their mass as that of its end effector, and libfranka would count it twice.
    """
    below = set(graph.getLinkChildrenNames(flange))
    if below:
        text = _still_below(text, below)
    return _with_plain_flange(text, graph, flange)


def _still_below(text: str, below: set[str]) -> str:
    root = ElementTree.fromstring(text.encode())
    changed = False
    for link in root.findall("link"):
        if link.get("name") in below:
            for inertial in link.findall("inertial"):
                link.remove(inertial)
                changed = True
    for joint in root.findall("joint"):
        child = joint.find("child")
        if child is not None and child.get("link") in below and joint.get("type") in MOVING:
            joint.set("type", "fixed")
            changed = True
            for element in [part for part in joint if part.tag in OF_MOVING]:
                joint.remove(element)
    return ElementTree.tostring(root, encoding="unicode") if changed else text


def _with_plain_flange(text: str, graph: "SceneGraph", flange: str) -> str:
    """The text with a link `link8` at the flange.

    libfranka 0.21 takes the link of exactly this name for the flange and reads beyond the end of
    its list of frames when there is none (measured: `load_model` of 0.21.3 then ends the process,
    or goes on with a wrong inertia, as the heap happens to be).
    """
    end = text.rfind("</robot>")
    if graph.getLink("link8") is not None or end < 0:
        return text
    alias = (
        '  <link name="link8"/>\n  <joint name="flange_alias" type="fixed">\n'
        f'    <parent link="{flange}"/>\n    <child link="link8"/>\n  </joint>\n'
    )
    return text[:end] + alias + text[end:]
