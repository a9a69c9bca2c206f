"""What users' subclasses add to our objects, for copies and pickles of them."""

from typing import Any

__all__ = ["additions", "restore"]


def additions(instance: object, ours: type) -> dict[str, Any]:
    """Return the attributes that subclasses of `ours` have added, by name."""
    found: dict[str, Any] = dict(getattr(instance, "__dict__", {}))
    for cls in type(instance).__mro__:
        if cls is ours:
            break
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if not name.startswith("__") and hasattr(instance, name):
                found[name] = getattr(instance, name)
    return found


def restore(instance: object, added: dict[str, Any]) -> None:
    """Give an object the attributes that another one had."""
    for name, value in added.items():
        object.__setattr__(instance, name, value)
