"""Tables of a recorded run in the forms that other programs take."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from kinegraph.scene.array_types import Array

__all__ = ["save_csv", "save_npz", "table_columns"]

LINES = 10_000


def table_columns(rows: np.ndarray) -> dict[str, Array]:
    """Return a structured array as one-dimensional columns by name.

    Args:
        rows: (n,) structured; a field of several numbers becomes `name_1`, `name_2`, ...
    """
    columns: dict[str, Array] = {}
    for name in rows.dtype.names or ():
        values = rows[name].reshape(len(rows), -1) if rows[name].ndim > 1 else rows[name]
        if values.ndim == 1:
            columns[name] = values
        else:
            columns.update({f"{name}_{k + 1}": values[:, k] for k in range(values.shape[1])})
    return columns


def save_npz(path: Path | str, tables: Mapping[str, np.ndarray]) -> None:
    """Write tables as one compressed npz file."""
    np.savez_compressed(path, **dict(tables))  # type: ignore[arg-type]


def save_csv(path: Path | str, columns: Mapping[str, Array]) -> None:
    """Write columns as CSV; numbers are as short as reads back exactly.

    Args:
        path: File to be written.
        columns: (n,) each.
    """
    table = list(columns.values())
    rows = len(table[0]) if table else 0
    with Path(path).open("w", encoding="ascii", newline="\n") as file:
        file.write(",".join(columns) + "\n")
        for start in range(0, rows, LINES):
            pieces = [map(_text, column[start : start + LINES].tolist()) for column in table]
            file.writelines(",".join(row) + "\n" for row in zip(*pieces, strict=True))


def _text(number: float) -> str:
    return repr(number).removesuffix(".0")
