"""A small shared object with the thirty functions of a robot's model library, and what they return.

Every function fills its output with a formula in which each argument, and each number of it, has a
weight of its own: arguments that are swapped, shifted or cut show in the values.
"""

import subprocess
from pathlib import Path

import numpy as np

from kinegraph.scene.array_types import Array

# As declared in fci-protocol section 14: name, lengths of the arguments (0: a double by value).
FUNCTIONS: dict[str, tuple[tuple[int, ...], int]] = {
    **{f"O_T_J{i}": ((7,), 16) for i in range(1, 9)},
    "O_T_J9": ((7, 16), 16),
    **{f"{kind}_J1": ((), 42) for kind in ("O_J", "Ji_J")},
    **{f"{kind}_J{i}": ((7,), 42) for kind in ("O_J", "Ji_J") for i in range(2, 9)},
    **{f"{kind}_J9": ((7, 16), 42) for kind in ("O_J", "Ji_J")},
    "M_NE": ((7, 9, 0, 3), 49),
    "c_NE": ((7, 7, 9, 0, 3), 7),
    "g_NE": ((7, 3, 0, 3), 7),
}
TAGS = {name: number + 1 for number, name in enumerate(FUNCTIONS)}


def c_source(without: str | None = None) -> str:
    """C of the library, without one of the functions if it is named."""
    parts = ["#include <math.h>"]
    for name, (lengths, size) in FUNCTIONS.items():
        if name == without:
            continue
        taken = [
            f"double a{k}" if length == 0 else f"const double a{k}[{length}]"
            for k, length in enumerate(lengths)
        ]
        lines = [f"for (int k = 0; k < {size}; ++k) {{ double sum = {TAGS[name]}.0 + 0.01 * k;"]
        for k, length in enumerate(lengths):
            if length == 0:
                lines.append(f"sum += {k + 1}.0 * (1 + k) * a{k};")
            else:
                lines.append(
                    f"for (int j = 0; j < {length}; ++j)"
                    f" sum += sin(1.0 + {k}.0 + 0.1 * j + 0.01 * k) * a{k}[j];"
                )
        lines.append("out[k] = sum; }")
        parts.append(f"void {name}({', '.join([*taken, f'double out[{size}]'])}) {{")
        parts += [*lines, "}"]
    return "\n".join(parts) + "\n"


def expected(name: str, *arguments: Array | float) -> Array:
    """What a function of the library returns, by numpy."""
    lengths, size = FUNCTIONS[name]
    assert len(lengths) == len(arguments)
    k = np.arange(size)
    out = TAGS[name] + 0.01 * k
    for number, (length, value) in enumerate(zip(lengths, arguments, strict=True)):
        if length == 0:
            out = out + (number + 1) * (1 + k) * value
        else:
            weights = np.sin(1.0 + number + 0.1 * np.arange(length) + 0.01 * k[:, None])
            out = out + weights @ np.asarray(value)
    return np.asarray(out, np.float64)


def build(folder: Path, without: str | None = None, name: str = "libfcimodels.so") -> Path:
    """Compile the library with gcc."""
    return compile_c(folder, c_source(without), name)


def compile_c(folder: Path, source: str, name: str) -> Path:
    """Compile C to a shared object."""
    file, library = folder / f"{name}.c", folder / name
    file.write_text(source)
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-O1", "-std=c99", "-o", library, file, "-lm"],
        check=True,
        timeout=60,
    )
    return library
