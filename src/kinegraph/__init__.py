"""Kinematics of whole robot scenes, carried into a running Franka arm.

The doors are `kinegraph.scene` (what there is), `kinegraph.kinematics` (where everything is) and
`kinegraph.robot` (what moves it).
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
