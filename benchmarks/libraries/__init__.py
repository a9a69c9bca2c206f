"""The libraries of the side-by-side timings, each in a module of its own behind `base.Library`."""

from importlib import import_module
from typing import Any

__all__ = ["HOMES", "find"]

# Module and class by the name that the tables have.
HOMES = {
    "kinegraph": ("kinegraph", "Kinegraph"),
    "pinocchio": ("pinocchio", "Pinocchio"),
    "tesseract OFKT": ("tesseract", "TesseractOFKT"),
    "tesseract KDL": ("tesseract", "TesseractKDL"),
    "mujoco": ("mujoco", "MuJoCo"),
    "yourdfpy": ("yourdfpy", "Yourdfpy"),
    "C limit": ("c_limit", "CLimit"),
}


def find(name: str) -> Any:
    """Import a library's class; an ImportError when the library is not there."""
    module, attribute = HOMES[name]
    return getattr(import_module(f"libraries.{module}"), attribute)
