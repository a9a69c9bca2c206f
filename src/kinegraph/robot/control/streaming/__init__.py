"""Motions through the robot's own controller: the echo they start from, and the backstop."""
