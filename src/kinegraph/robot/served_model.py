"""The description that a robot of version 10 serves."""

from kinegraph.robot.errors import ModelError
from kinegraph.robot.limits import JointVelocityTable
from kinegraph.robot.link import RobotLink
from kinegraph.scene.errors import KinegraphError

__all__ = ["request_model", "velocity_table"]


def request_model(link: RobotLink) -> str:
    """Ask a robot for its URDF.

    Raises:
        InvalidOperationError: Version 5 serves none, or the robot was closed.
        CommandError: The robot refuses.
        ModelError: The answer is no text.
        NetworkError: No reply in time, or a lost connection.
    """
    payload = link.command("GetRobotModel")
    try:
        return payload[1:].rstrip(b"\0").decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"the robot's model is no UTF-8 text: {error}") from error


def velocity_table(text: str) -> JointVelocityTable | None:
    """Read the velocity limits from a served URDF; None for a mobile base, which has none.

    Raises:
        ModelError: It lacks them, or is no URDF.
    """
    from kinegraph.scene.urdf.reader import parseURDFString

    try:
        graph = parseURDFString(text)
        if graph.getName().startswith("tmr"):
            return None
        return JointVelocityTable.from_graph(graph)
    except KinegraphError as error:
        raise ModelError(f"the robot's model cannot be used: {error}") from error
