import ast
import importlib
import logging
import pickle
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kinegraph import scene
from kinegraph.scene import errors

HEAVY = ("lxml", "networkx", "numba", "scipy", "matplotlib")


def test_every_public_name_is_listed_sorted_and_can_be_had() -> None:
    assert scene.__all__ == sorted(scene.__all__)
    assert set(scene.__all__) == set(scene._HOME)
    for name in scene.__all__:
        assert getattr(scene, name) is not None
        assert name in dir(scene)
    with pytest.raises(AttributeError, match="Nope"):
        scene.Nope  # noqa: B018


def test_every_module_that_lists_names_has_them_listed_here() -> None:
    listed = set()
    for info in pkgutil.iter_modules(scene.__path__):
        module = importlib.import_module(f"kinegraph.scene.{info.name}")
        listed |= set(getattr(module, "__all__", ()))
    assert listed == set(scene.__all__)


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(scene.__file__).read_text(encoding="utf-8"))
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and "kinegraph" in node.module
        for alias in node.names
    }
    assert imported == set(scene.__all__)


@pytest.mark.parametrize(
    "statement",
    ["import kinegraph.scene", "from kinegraph.scene import SceneGraph, Isometry3d, parseURDFFile"],
)
def test_importing_loads_nothing_heavy(statement: Any) -> None:
    code = f"{statement}; import sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_reading_a_description_does_not_need_networkx() -> None:
    code = (
        "import sys; from kinegraph.scene import parseURDFString as p;"
        "p('<robot name=\"r\"><link name=\"a\"/></robot>'); print('networkx' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "False"


def test_the_drawing_of_the_errors_is_true() -> None:
    drawn = {}
    for line in (errors.__doc__ or "").splitlines():
        if "── " in line:
            name, _, rest = line.split("── ")[1].partition(" ")
            drawn[name] = [
                word
                for word in (
                    "KeyError",
                    "ValueError",
                    "RuntimeError",
                    "TypeError",
                    "AttributeError",
                )
                if word in rest
            ]
    classes = {name for name in errors.__all__ if name != "KinegraphError"}
    assert set(drawn) == classes
    for name, builtins in drawn.items():
        cls = getattr(errors, name)
        assert issubclass(cls, errors.KinegraphError)
        for builtin in ("KeyError", "ValueError", "RuntimeError", "TypeError", "AttributeError"):
            assert issubclass(cls, eval(builtin)) == (builtin in builtins), (name, builtin)


def test_errors_survive_pickling() -> None:
    samples = [
        errors.UnknownLinkError("lnk", ["link"]),
        errors.UnknownNameError("joint", "jnt", ["joint"]),
        errors.UnknownJointError("setState", ["a", "b"], "active joints", ["c"]),
        errors.URDFError("text", file="f", line=3, element="e", attribute="a", value="v"),
    ]
    for error in samples:
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert again.__dict__ == error.__dict__


def test_a_suggestion_is_not_sought_among_endless_names() -> None:
    no_name: Any = None
    assert errors.suggestion("linc", ["link"]) == "; did you mean 'link'?"
    assert errors.suggestion("x" * 1000, ["x" * 1001]) == ""
    assert errors.suggestion(no_name, ["link"]) == ""


def test_the_logger_is_named_after_the_package() -> None:
    from kinegraph.scene.markup.place import LOGGER

    assert LOGGER is logging.getLogger("kinegraph.scene")
