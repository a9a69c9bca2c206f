"""The simulated robot."""

from kinegraph.robot.sim.robot import SimulatedRobot
from kinegraph.robot.sim.tool import SimulatedTool

__all__ = ["SimulatedRobot", "SimulatedTool"]
