"""How the controller's flat arrays are laid out: fields one after the other."""

MAX_JOINTS = 9
"""Room for joints in every array; the number in use is a number of the options."""

CYCLE_TIME = 1e-3
"""Nominal cycle, s. Every step of the controller uses it, never a measured period."""

ROTATION_AXIS_FACTOR = 0.99
"""libfranka's factor of the pose interface on rotational budgets."""


def offsets(fields: tuple[tuple[str, int], ...]) -> dict[str, int]:
    """Return where each field starts.

    Args:
        fields: Names and numbers of entries, in their order.
    """
    table, at = {}, 0
    for name, count in fields:
        table[name] = at
        at += count
    return table
