"""Third-party programs as judges: skipped where they do not install, missed where they do."""

import importlib
import platform
import sys
from types import ModuleType

import pytest

# Where every program of the dependency groups has a wheel.
ALL_INSTALL = (
    sys.platform == "linux"
    and platform.machine() == "x86_64"
    and platform.python_implementation() == "CPython"
    and sys.version_info[:2] == (3, 11)
)


def third_party(name: str) -> ModuleType:
    """Import a module, or skip the tests that need it where it cannot be had."""
    try:
        return importlib.import_module(name)
    except ImportError:
        if ALL_INSTALL:
            raise
        pytest.skip(f"{name} is not installed", allow_module_level=True)
