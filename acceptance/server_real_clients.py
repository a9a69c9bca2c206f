"""`server-real-clients`: A0 to A8, real clients against our simulated robot."""

from collections.abc import Callable

import real_libfranka
from bars import Sheet

__all__ = ["GROUPS"]

GROUPS: dict[str, Callable[[Sheet], None]] = {
    "A0": real_libfranka.connecting,
    "A1": real_libfranka.reading,
    "A4": real_libfranka.motions,
    "A5": real_libfranka.reflexes,
}
