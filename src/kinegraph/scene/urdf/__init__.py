"""URDF: texts to graphs and back."""

from kinegraph.scene.urdf.reader import parseURDFFile, parseURDFString
from kinegraph.scene.urdf.writer import writeURDFFile, writeURDFString

__all__ = ["parseURDFFile", "parseURDFString", "writeURDFFile", "writeURDFString"]
