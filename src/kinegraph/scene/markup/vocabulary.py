"""Words beyond plain URDF and SRDF that readers and writers share.

Prefixes are plain text to tesseract's parser, and so they are here: `tesseract:` means tesseract
whether or not anybody declared it.
"""

TESSERACT = "tesseract"
"""Prefix of tesseract's additions to URDF."""

NAMESPACES = {
    TESSERACT: "http://ros.org/wiki/tesseract",
    "kinegraph": "urn:kinegraph:urdf",
}
"""The prefixes that our writers use, with what they declare for them.

`kinegraph` is for what our writers add where there is no exact word; other readers ignore it.
"""

MAKE_CONVEX = "tesseract:make_convex"

ROTATION = "kinegraph:rotation"
"""Nine numbers of an origin's rotation, row by row, where no angles give the same float64s."""

REFERENCE_POSITION = "kinegraph:reference_position"
"""tesseract never reads a calibration's reference_position, so ours has a name of its own."""
