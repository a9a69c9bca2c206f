"""`client-faults`: B4 to B6, our client behind a bad network and with bad robots."""

from collections.abc import Callable

import fault_deaths
import fault_hostile
import fault_packets
from bars import Sheet

__all__ = ["GROUPS"]

GROUPS: dict[str, Callable[[Sheet], None]] = {
    "B4": fault_packets.packets,
    "B4.burst B4.freeze B4.tcp": fault_packets.breaks,
    "B5": fault_deaths.deaths,
    "B6": fault_hostile.hostile,
}
