"""The parts of `SceneRobot`: what it follows, carries, edits and controls."""
