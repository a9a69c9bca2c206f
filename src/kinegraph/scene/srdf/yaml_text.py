"""YAML texts as plain data and back, through PyYAML, which is an extra.

Only what JSON could hold is read: maps with texts as keys, lists, texts, finite numbers, true and
false, nothing. Size, depth and the number of values are bounded.
"""

import math
from functools import cache
from typing import Any

MAX_BYTES = 256 * 2**10
"""Largest text that is read; files of plugins have some kilobytes."""

MAX_DEPTH = 50
MAX_VALUES = 100_000
"""Bounds on the data: a few aliases in a text can stand for endlessly many values."""

INSTALL = "PyYAML is needed for it: pip install 'kinegraph[srdf]'"

_NOT_RESOLVED = ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:merge")


class YamlError(ValueError):
    """A text is no YAML, is too large, or holds something that is not read."""


class MissingYamlError(YamlError):
    """PyYAML is not installed."""


def _yaml() -> Any:
    try:
        import yaml
    except ImportError as error:
        raise MissingYamlError(INSTALL) from error
    return yaml


@cache
def _loader() -> Any:
    yaml = _yaml()
    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        """Refuses a key that stands twice; leaves dates as texts."""

        yaml_implicit_resolvers = {  # noqa: RUF012  PyYAML's own way to choose
            first: [(tag, pattern) for tag, pattern in rules if tag not in _NOT_RESOLVED]
            for first, rules in base.yaml_implicit_resolvers.items()
        }

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen: set[tuple[str, str]] = set()
            for key, _ in node.value:
                entry = (key.tag, str(key.value))
                if entry in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {entry[1]!r:.100} stands twice", key.start_mark
                    )
                seen.add(entry)
            return super().construct_mapping(node, deep)

    return Loader


def load_yaml(data: bytes) -> object:
    """Read a text.

    Raises:
        MissingYamlError: PyYAML is not installed.
        YamlError: Anything wrong; the message names the line where there is one.
    """
    if len(data) > MAX_BYTES:
        raise YamlError(f"the text has more than {MAX_BYTES} bytes")
    yaml = _yaml()
    try:
        value = yaml.load(data, Loader=_loader())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f"line {mark.line + 1}: "
        reason = getattr(error, "problem", None) or error
        raise YamlError(f"{line}{reason!s:.200}") from error
    except (ValueError, RecursionError) as error:
        raise YamlError(f"{error!s:.200}") from error
    _Walk().check(value, 0)
    return value


def dump_yaml(value: object) -> str:
    """Write plain data as text, maps in their order.

    Raises:
        MissingYamlError: PyYAML is not installed.
        YamlError: Something that `load_yaml` would not give back.
    """
    yaml = _yaml()
    _Walk().check(value, 0)
    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
    return text


class _Walk:
    def __init__(self) -> None:
        self._count = 0

    def check(self, value: object, depth: int) -> None:
        self._count += 1
        if depth > MAX_DEPTH or self._count > MAX_VALUES:
            raise YamlError(f"more than {MAX_DEPTH} levels or {MAX_VALUES} values")
        if isinstance(value, dict):
            for key, item in value.items():
                if not isinstance(key, str) or key == "<<":
                    raise YamlError(f"{key!r:.100} is no name; keys must be texts")
                self.check(item, depth + 1)
        elif isinstance(value, list):
            for item in value:
                self.check(item, depth + 1)
        elif isinstance(value, float) and not math.isfinite(value):
            raise YamlError(f"{value!r} is not finite")
        elif value is not None and not isinstance(value, str | int | float | bool):
            raise YamlError(f"{value!r:.100} is a {type(value).__name__}, which is not read")
