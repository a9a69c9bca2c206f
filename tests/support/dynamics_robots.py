"""Robots for dynamics tests: descriptions as text, some of them made from a seed."""

from pathlib import Path

import numpy as np
from lxml import etree

from kinegraph.robot.sim.descriptions import description_text

FOLDER = Path(__file__).parents[1] / "golden" / "dynamics"

# Robot: the last link of its arm.
TIPS = {
    "fr3": "fr3_link8",
    "fer": "fer_link8",
    "ur5": "tool0",
    "iiwa14": "tool0",
    "random_chain": "tip",
}


def robot_urdf(name: str) -> str:
    """URDF text of a robot of `TIPS`."""
    if name in ("fr3", "fer"):
        return description_text(name)
    if name == "random_chain":
        return random_chain(20240611, "RPRCRPRR")
    text = (FOLDER / f"{name}.urdf").read_text(encoding="utf-8")
    # tesseract's iiwa14 has no inertials.
    return with_inertials(text, 14) if name == "iiwa14" else text


def random_inertial(rng: np.random.Generator) -> str:
    """Inertial of a body that could exist: that of some points of mass."""
    points = rng.normal(scale=0.08, size=(6, 3))
    points -= points.mean(axis=0)
    mass = rng.uniform(0.3, 4.0)
    covariance = mass * points.T @ points / 6.0
    inertia = np.trace(covariance) * np.eye(3) - covariance
    numbers = [f"{value!r}" for value in inertia[np.triu_indices(3)].tolist()]
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    tensor = " ".join(f'{name}="{value}"' for name, value in zip(names, numbers, strict=True))
    origin = random_origin(rng, 0.1)
    return f'<inertial>{origin}<mass value="{mass!r}"/><inertia {tensor}/></inertial>'


def random_origin(rng: np.random.Generator, size: float) -> str:
    """An origin element."""
    xyz = " ".join(f"{value!r}" for value in rng.uniform(-size, size, 3).tolist())
    rpy = " ".join(f"{value!r}" for value in rng.uniform(-3.0, 3.0, 3).tolist())
    return f'<origin xyz="{xyz}" rpy="{rpy}"/>'


def random_chain(seed: int, kinds: str) -> str:
    """A chain of joints with skew axes and with links that hang off it.

    Args:
        seed: Of everything.
        kinds: A letter for each joint from the base on: R revolute, C continuous, P prismatic.
    """
    rng = np.random.default_rng(seed)
    types = {"R": "revolute", "C": "continuous", "P": "prismatic"}
    parts = [f'<robot name="chain"><link name="l0">{random_inertial(rng)}</link>']
    for i, kind in enumerate(kinds, 1):
        # Axes of any length; a reader must make them unit vectors.
        axis = " ".join(f"{value!r}" for value in rng.normal(size=3).tolist())
        parts.append(f'<link name="l{i}">{random_inertial(rng)}</link>')
        parts.append(f'<link name="side{i}">{random_inertial(rng)}</link>')
        parts.append(
            f'<joint name="j{i}" type="{types[kind]}"><parent link="l{i - 1}"/>'
            f'<child link="l{i}"/>{random_origin(rng, 0.4)}<axis xyz="{axis}"/>'
            f'<limit lower="-3" upper="3" effort="100" velocity="3"/></joint>'
        )
        parts.append(
            f'<joint name="s{i}" type="fixed"><parent link="l{i}"/><child link="side{i}"/>'
            f"{random_origin(rng, 0.2)}</joint>"
        )
    parts.append(
        f'<link name="tip"/><joint name="t" type="fixed"><parent link="l{len(kinds)}"/>'
        f'<child link="tip"/>{random_origin(rng, 0.2)}</joint></robot>'
    )
    return "".join(parts)


def with_inertials(urdf: str, seed: int) -> str:
    """The same description, with an inertial in each link that has none."""
    rng = np.random.default_rng(seed)
    root = etree.fromstring(urdf.encode())
    for link in root.findall("link"):
        if link.find("inertial") is None:
            link.append(etree.fromstring(random_inertial(rng)))
    return str(etree.tostring(root, encoding="unicode"))
