"""The names that `kinegraph.robot` hands out."""

import ast
import inspect
from importlib import import_module

import pytest

import kinegraph.robot as robot


def declared() -> dict[str, str]:
    """Names that type checkers see, with their modules."""
    tree = ast.parse(inspect.getsource(robot))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {
        alias.asname or alias.name: str(node.module)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_names_of_type_checkers_are_those_of_the_program() -> None:
    assert sorted(declared()) == robot.__all__
    assert set(robot.__all__) <= set(dir(robot))


@pytest.mark.parametrize(("name", "module"), sorted(declared().items()))
def test_name_is_the_object_of_its_module(name: str, module: str) -> None:
    assert getattr(robot, name) is getattr(import_module(module), name)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Robbot'"):
        robot.Robbot  # noqa: B018
