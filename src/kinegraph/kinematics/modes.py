"""The two ways of treating mimic joints."""

from kinegraph.scene.errors import InvalidNameError

__all__ = ["checked_mimic"]


def checked_mimic(mimic: object) -> bool:
    """Return whether mimic joints follow.

    Raises:
        InvalidNameError: Neither "follow" nor "independent". Also a `ValueError`.
    """
    if not isinstance(mimic, str) or mimic not in ("follow", "independent"):
        raise InvalidNameError(f'mimic must be "follow" or "independent", not {mimic!r:.100}')
    return mimic == "follow"
