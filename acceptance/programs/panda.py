"""What the bars let panda-python (libfranka 0.9.2) do: `panda.py HOST TASK`, in its environment."""

import json
import sys
from typing import Any

from panda_py import libfranka

HOST = sys.argv[1]


def connect() -> Any:
    return libfranka.Robot(HOST, libfranka.RealtimeConfig.kIgnore)


def mode(state: Any) -> str:
    return str(state.robot_mode).rsplit(".", 1)[-1].removeprefix("k")


def read_one() -> Any:
    return {"mode": mode(connect().read_once())}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(globals()[sys.argv[2]](*sys.argv[3:])) + "\n")
