"""The model of a connected robot: computed here, or by the robot's own library."""

from typing import Literal, get_args

from kinegraph.robot.errors import InvalidArgumentError, ModelError
from kinegraph.robot.link import RobotLink
from kinegraph.robot.model.backend import RobotModelBackend
from kinegraph.robot.model.elf import model_architecture
from kinegraph.robot.model.fer import fer_model_backend
from kinegraph.robot.model.native import NativeModelBackend
from kinegraph.robot.model.so_backend import SoModelBackend
from kinegraph.scene.errors import KinegraphError, suggestion

__all__ = ["ModelSource", "load_backend"]

ModelSource = Literal["auto", "native", "robot"]
"""Where a model comes from."""


def load_backend(link: RobotLink, source: ModelSource) -> RobotModelBackend:
    """Return what evaluates the model of the robot at the other end of a connection.

    Args:
        link: The connection.
        source: As for `Robot.load_model`.

    Raises:
        FrankaError: As for `Robot.load_model`.
    """
    sources = get_args(ModelSource)
    if not isinstance(source, str) or source not in sources:
        raise InvalidArgumentError(
            f"no model comes from {source!r}; {', '.join(map(repr, sources))} are known"
            f"{suggestion(str(source), sources)}"
        )
    if source == "robot":
        return SoModelBackend.from_bytes(_download(link))
    link.check_open()
    return fer_model_backend() if link.connection.version == 5 else _served(link)


def _download(link: RobotLink) -> bytes:
    protocol = link.connection.channel.protocol
    protocol.command("LoadModelLibrary")  # before this machine is judged
    enums = protocol.enums
    fields = {
        "architecture": enums["Architecture"][model_architecture()],
        "system": enums["System"]["Linux"],
    }
    return link.command("LoadModelLibrary", fields)[1:]


def _served(link: RobotLink) -> NativeModelBackend:
    payload = link.command("GetRobotModel")
    try:
        return NativeModelBackend.from_urdf(payload[1:].rstrip(b"\0"))
    except ModelError:
        raise
    except KinegraphError as error:
        raise ModelError(f"the robot's model cannot be used: {error}") from error
