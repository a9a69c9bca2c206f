"""What the bars let aiofranka do: `aio.py HOST TASK`, in its environment.

Prints the figures as JSON on its last line.
"""

import asyncio
import json
import os
import sys
from typing import Any

import numpy as np
from aiofranka.native import NativeFrankaController
from aiofranka.robot import RobotInterface

HOST = sys.argv[1]
FIFO = int(os.environ.get("LOOP_FIFO", "0"))


async def session() -> Any:
    """Start, move home, joint impedance and OSC at 50 Hz, stop; timing of its native loop."""
    robot = RobotInterface(HOST, read_tool=False)
    controller = NativeFrankaController(robot)
    controller.realtime_priority = FIFO
    failures: list[str] = []
    controller.error_callback = failures.append
    await controller.start()
    home = np.array(robot.data.qpos[:7]) + 0.1 * np.eye(7)[3]
    await controller.move(home)
    moved = float(np.abs(np.array(robot.data.qpos[:7]) - home).max())
    controller.loop_stats(reset=True)

    controller.switch("impedance")
    controller.set_freq(50)
    start = np.array(robot.data.qpos[:7])
    for step in range(100):
        await controller.set("q_desired", start + 0.1 * step / 99 * np.eye(7)[3])
    await asyncio.sleep(0.5)
    joint = float(np.abs(np.array(robot.data.qpos[:7]) - start - 0.1 * np.eye(7)[3]).max())

    controller.switch("osc")
    controller.ee_kp = np.array([300.0, 300.0, 300.0, 1000.0, 1000.0, 1000.0])
    controller.ee_kd = 2.0 * np.sqrt(controller.ee_kp)
    controller.set_freq(50)
    pose = np.array(controller.state["ee"], copy=True)
    goal = pose.copy()
    for step in range(100):
        goal = pose.copy()
        goal[0, 3] += 0.05 * step / 99
        await controller.set("ee_desired", goal)
    await asyncio.sleep(1.0)
    osc = float(np.linalg.norm(np.array(controller.state["ee"])[:3, 3] - goal[:3, 3]))
    stats = {k: float(v) for k, v in controller.loop_stats().items()}
    await controller.stop()
    return {"move": moved, "joint": joint, "osc_m": osc, "stats": stats, "failures": failures}


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(asyncio.run(globals()[sys.argv[2]]())) + "\n")
