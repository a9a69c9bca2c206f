"""Libraries that are only loaded when a bridge is crossed."""

from importlib import import_module
from typing import Any

from kinegraph.scene.errors import UnsupportedError, WrongTypeError
from kinegraph.scene.graph import SceneGraph

WHERE = {
    "tesseract_robotics": "tesseract-robotics 0.5.1 has wheels for Python 3.11 on Linux x86-64",
    "pinocchio": "pinocchio is the package pin",
}


def extra_module(name: str) -> Any:
    """Import a module of the extra `interop`.

    Raises:
        UnsupportedError: It cannot be imported. Also a `RuntimeError`.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise UnsupportedError(
            f"{name} cannot be imported ({error}); it comes with the extra interop: "
            f"pip install 'kinegraph[interop]' ({WHERE[name.partition('.')[0]]})"
        ) from error


def checked_graph(graph: object, what: str) -> SceneGraph:
    """Return the graph.

    Raises:
        WrongTypeError: Not a `SceneGraph` of kinegraph. Also a `TypeError`.
    """
    if not isinstance(graph, SceneGraph):
        raise WrongTypeError(f"{what}: a kinegraph SceneGraph is needed, not {graph!r:.100}")
    return graph
