"""A scripted robot that behaves as the `server` entry of a recorded reaction says.

The reactions are in `cases/fci/reactions_v10.json` and `reactions_v5.json`: what two versions of
libfranka did in each situation.
"""

import json
from typing import Any

import pytest
from scripted_robot import IDLE, REFLEX, ScriptedRobot
from shared_cases import GOLDEN

from kinegraph.robot.wire import state_layout as layout

STATES_UNTIL_ABORT = 12
STATUSES = "statuses_in_order_for_"


def reactions(version: int) -> list[Any]:
    """Pytest parameters: the recorded reactions of one version."""
    path = GOLDEN / "fci" / f"reactions_v{version}.json"
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return [pytest.param(version, case, id=f"v{version} {case['situation']}") for case in cases]


class ReactingRobot(ScriptedRobot):
    """Serves one client as a reaction's `server` entry says.

    States are counted from the connection on, except for the closing of the command connection:
    its states are counted from the motion's first one, so that it is closed while moving however
    slowly the client's process starts.

    Args:
        address: Loopback address.
        version: FCI version.
        server: The entry.
    """

    def __init__(self, address: str, version: int, server: dict[str, Any]) -> None:
        self._server = server
        self._states_sent = 0
        self._first_id = server.get("first_message_id")
        super().__init__(address, version)
        self.row[layout.S_control_command_success_rate] = 1.0
        self.row[layout.S_elbow_c : layout.S_elbow_c + 2] = (0.1, -1.0)
        self.row[layout.S_robot_mode] = server.get("robot_mode_when_idle", IDLE)
        self.idle_controller = server.get("controller_mode_when_idle", self.idle_controller)
        self.row[layout.S_controller_mode] = self.idle_controller
        self.step = server.get("message_id_step", 1)
        self.connect_version = server.get("version_reported_in_connect_response", version)
        self.delays = server.get("reply_delay_s", {})
        self.silent_delays = True
        self.mangle = self._mangle
        for key, values in server.items():
            if key.startswith(STATUSES):
                self.statuses[key.removeprefix(STATUSES)] = list(values)
        move = server.get("Move", {})
        self.move_first = move.get("first_status", self.move_first)
        self.move_final = move.get("status_sent_after_the_finished_command", self.move_final)
        self._aborts_with = move.get("final_status")
        self._aborts_into = IDLE if "robot_mode 1" in move.get("then", "") else REFLEX
        self.abort_error = move.get("error_bit_set")

    def send_state(self) -> None:
        """Send the next state; leave the motion or close the connection where that is due."""
        if self.destination is None:
            if self._first_id is not None:
                self.message_id = self._first_id - self.step
                return
        elif self._in_motion:
            shown = len(self.shown)
            if self._aborts_with is not None and shown >= STATES_UNTIL_ABORT:
                self.leave(self._aborts_into, self._aborts_with)
                return
            if shown == self._server.get("tcp_closed_after_states"):
                self.drop_client()
        super().send_state()

    def _mangle(self, datagram: bytes) -> list[bytes]:
        self._states_sent += self.destination is not None
        number = self._states_sent
        if number > self._server.get("states_sent_before_falling_silent", number):
            return []
        if number == self._server.get("state_number_sent_4_bytes_long"):
            return [datagram + bytes(4)]
        if number == self._server.get("state_number_sent_4_bytes_short"):
            return [datagram[:-4]]
        return [datagram]
