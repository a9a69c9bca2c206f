"""Bridges to other libraries: tesseract's scene graph and pinocchio's model.

Neither library is needed before one of these functions is called; the extra `interop` has both.
"""

from kinegraph.scene.bridges.pinocchio import to_pinocchio
from kinegraph.scene.bridges.pinocchio_order import PinocchioOrder, match_pinocchio
from kinegraph.scene.bridges.pinocchio_reader import from_pinocchio
from kinegraph.scene.bridges.tesseract import from_tesseract, to_tesseract

__all__ = [
    "PinocchioOrder",
    "from_pinocchio",
    "from_tesseract",
    "match_pinocchio",
    "to_pinocchio",
    "to_tesseract",
]
