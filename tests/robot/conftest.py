"""Fixtures of the robot's tests."""

from drives import driven, drives

__all__ = ["driven", "drives"]
