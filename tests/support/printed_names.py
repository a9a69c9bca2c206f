"""Names of parametrized tests that are the same in every process."""

import re

__all__ = ["shown"]


def shown(value: object) -> str:
    """The value as it is printed, without what differs between worker processes.

    That is the address of an object, and the order of a set.
    """
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))})"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(shown, value)))}}}"
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
