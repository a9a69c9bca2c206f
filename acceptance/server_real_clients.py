"""`server-real-clients`: A0 to A8, real clients against our simulated robot."""

from collections.abc import Callable

import real_franka_rs
import real_hand
import real_libfranka
import real_others
import real_panda
from bars import Sheet

__all__ = ["GROUPS"]

GROUPS: dict[str, Callable[[Sheet], None]] = {
    "A0": real_libfranka.connecting,
    "A1.1 A1.4": real_libfranka.reading,
    "A1.3 A2.1": real_franka_rs.models,
    "A4.1 A4.2 A4.3 A4.4 A4.5 A4.6 A4.7 A4.8": real_libfranka.motions,
    "A2.3 A4.6": real_others.old_library,
    "A5": real_libfranka.reflexes,
    "A6": real_franka_rs.targets,
    "A7.1": real_others.franky,
    "A7.2": real_others.aiofranka,
    "A7.3": real_panda.motions,
    "A8": real_hand.hands,
}
