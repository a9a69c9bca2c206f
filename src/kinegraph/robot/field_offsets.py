"""Flat arrays of named fields: where each field starts."""

__all__ = ["offsets"]


def offsets(fields: tuple[tuple[str, int], ...]) -> dict[str, int]:
    """Return where each field starts in an array that has one after the other.

    Args:
        fields: Names and numbers of entries, in their order.
    """
    table, at = {}, 0
    for name, count in fields:
        table[name] = at
        at += count
    return table
