"""For tests of robot programs: a relay that harms the traffic, and fixtures for pytest.

Each part is imported when it is first used: pytest loads this package in every project that has
kinegraph installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinegraph.robot.testing.echo import relay_cost as relay_cost
    from kinegraph.robot.testing.faults import Burst as Burst
    from kinegraph.robot.testing.faults import DatagramFaults as DatagramFaults
    from kinegraph.robot.testing.faults import Faults as Faults
    from kinegraph.robot.testing.faults import Freeze as Freeze
    from kinegraph.robot.testing.figures import motion_times as motion_times
    from kinegraph.robot.testing.figures import relay_figures as relay_figures
    from kinegraph.robot.testing.figures import response_latencies as response_latencies
    from kinegraph.robot.testing.record import RelayRecord as RelayRecord
    from kinegraph.robot.testing.record import TcpEntry as TcpEntry
    from kinegraph.robot.testing.relay import Relay as Relay

# Module -> its public names; the same as above.
_NAMES = {
    "echo": ("relay_cost",),
    "faults": ("Burst", "DatagramFaults", "Faults", "Freeze"),
    "relay": ("Relay",),
    "figures": ("motion_times", "relay_figures", "response_latencies"),
    "record": ("RelayRecord", "TcpEntry"),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
