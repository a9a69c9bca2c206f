"""`plan_inverse`: the chains, bounds and periods of an inverse problem, compiled once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from kinegraph.kinematics.chain import Source, plan_chain
from kinegraph.kinematics.chain_layout import (
    COLUMN,
    SHIFT_X,
    SHIFT_Y,
    SHIFT_Z,
    SLIDE,
    STEP_COUNT,
    STEP_SIZE,
    STEPS,
    TOOL,
    TURN,
)
from kinegraph.kinematics.inverse_layout import PLAN_CHAINS
from kinegraph.kinematics.joint_bounds import checked_bounds, current_values, position_bounds
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import InvalidNameError, LengthError, WrongTypeError

__all__ = ["InversePlan", "plan_inverse"]

# Followers with gear ratios of larger denominators never count as back where they were.
FINEST_GEAR = 64


@dataclass(frozen=True, slots=True, eq=False)
class InversePlan:
    """Compiled chains with bounds, for `inverse_kinematics`; made by `plan_inverse`.

    Attributes:
        data: The chains of all tips (`inverse_layout`). Read-only by convention.
        box: (n, 3) bounds and period of each column. Read-only by convention.
        rest: (n,) the values that stand in for a seed.
        joint_names: (n) joint of each value column.
        tip_links: (K) links that have targets.
        base_links: (K) link in whose frame each target is.
        single: Whether there is one tip without an axis of its own in the targets.
    """

    data: Array
    box: Array
    rest: Array
    joint_names: tuple[str, ...]
    tip_links: tuple[str, ...]
    base_links: tuple[str, ...]
    single: bool
    _starts: dict[tuple[int, int], Array] = field(default_factory=dict, repr=False)

    @property
    def n(self) -> int:
        """Number of value columns."""
        return len(self.joint_names)

    @property
    def bounds(self) -> Array:
        """The (n, 2) bounds that solutions keep, a copy."""
        return self.box[:, :2].copy()


def plan_inverse(
    source: Source,
    tip_link: str | Sequence[str],
    joint_names: Sequence[str] | None = None,
    base_link: str | Sequence[str] | None = None,
    *,
    bounds: Any = None,
) -> InversePlan:
    """Compile an inverse problem.

    Joints that are not named stand still, as in `plan_chain`, and mimic joints follow. The bounds
    of followers do not count.

    Args:
        source: Solver or graph.
        tip_link: Link that is to reach the target, or several that are to reach one each.
        joint_names: Joint of each value column, in this order. Left out: those that move the tips
            in the base, in the order of the first tip, then the next.
        base_link: Link in whose frame the targets are, or one for each tip; it may move itself.
            Left out: the root.
        bounds: (n, 2) lower and upper bounds, may be infinite. Left out: the source's position
            limits; continuous joints have none.

    Raises:
        UnknownLinkError: A link does not exist. Also a `KeyError`.
        UnknownJointError: A name is not an active joint. Also a `ValueError`.
        InvalidNameError: A joint is named twice, or no joint moves a tip. Also a `ValueError`.
        LengthError: Not as many base links as tips. Also a `ValueError`.
        ShapeError: `bounds` is not (n, 2). Also a `ValueError`.
        InvalidLimitError: A lower bound above the upper one, or NaN. Also a `ValueError`.
        WrongTypeError: No solver or graph, no names. Also a `TypeError`.
    """
    single = isinstance(tip_link, str)
    tips = _names(tip_link, "tip_link")
    bases: tuple[str | None, ...] = (None,) * len(tips)
    if base_link is not None:
        bases = _names(base_link, "base_link")
        bases = bases * len(tips) if isinstance(base_link, str) else bases
    if len(bases) != len(tips) or not tips:
        raise LengthError(f"plan_inverse: {len(bases)} base links for {len(tips)} tip links")
    ends = list(zip(tips, bases, strict=True))
    if joint_names is None:
        found = [plan_chain(source, tip, None, base).joint_names for tip, base in ends]
        joint_names = tuple(dict.fromkeys(name for names in found for name in names))
    chains = [plan_chain(source, tip, joint_names, base) for tip, base in ends]
    for chain in chains:
        if chain.data[STEP_COUNT] == 0:
            raise InvalidNameError(
                f"plan_inverse: none of the joints ({', '.join(chain.joint_names)}) moves link "
                f"{chain.tip_link!r} in {chain.base_link!r}"
            )
    names = chains[0].joint_names
    box = np.zeros((len(names), 3))
    if bounds is None:
        box[:, :2] = position_bounds(source, names, "plan_inverse")
    else:
        box[:, :2] = checked_bounds(bounds, names, "plan_inverse")
    data = [chain.data for chain in chains]
    box[:, 2] = _periods(data, len(names))
    rest = np.clip(current_values(source, names), box[:, 0], box[:, 1])
    base_names = tuple(chain.base_link for chain in chains)
    packed = _packed(data, len(names), _reaches(data, box))
    return InversePlan(packed, box, rest, names, tips, base_names, single)


def _names(names: Any, what: str) -> tuple[str, ...]:
    given = (names,) if isinstance(names, str) else names
    if not isinstance(given, Sequence) or not all(isinstance(name, str) for name in given):
        raise WrongTypeError(f"plan_inverse: {what} must be a name or names, not {names!r:.100}")
    return tuple(given)


def _packed(chains: Sequence[Array], n: int, reaches: Sequence[float]) -> Array:
    head = PLAN_CHAINS + 2 * len(chains)
    places = head + np.cumsum([0, *map(len, chains[:-1])])
    return np.concatenate(((n, len(chains)), places, reaches, *chains))


def _steps(chain: Array) -> Array:
    """Return a chain's moving joints, one row each."""
    return chain[STEPS : STEPS + STEP_SIZE * int(chain[STEP_COUNT])].reshape(-1, STEP_SIZE)


def _reaches(chains: Sequence[Array], box: Array) -> list[float]:
    """Return the length of each chain at full stretch, inf with a slide without end."""
    reaches = []
    for chain in chains:
        reach = float(np.linalg.norm(chain[TOOL + 9 : TOOL + 12]))
        for step in _steps(chain):
            reach += float(np.linalg.norm(step[[SHIFT_X, SHIFT_Y, SHIFT_Z]]))
            if step[SLIDE] != 0.0:
                reach += abs(step[SLIDE]) * float(np.abs(box[int(step[COLUMN]), :2]).max())
        reaches.append(reach)
    return reaches


def _periods(chains: Sequence[Array], n: int) -> Array:
    """Return for each column after how much of it the poses of all tips repeat, 0 for never."""
    turns: list[list[Fraction]] = [[] for _ in range(n)]
    for chain in chains:
        for step in _steps(chain):
            ratio = Fraction(float(step[TURN])).limit_denominator(FINEST_GEAR)
            exact = step[SLIDE] == 0.0 and float(ratio) == step[TURN]
            turns[int(step[COLUMN])].append(ratio if exact else Fraction(0))
    return np.array([_period(ratios) for ratios in turns])


def _period(ratios: Sequence[Fraction]) -> float:
    """Return the least value that is a whole number of turns for every gear ratio."""
    if not ratios or 0 in ratios:
        return 0.0
    smallest = math.lcm(*(ratio.denominator for ratio in ratios))
    return 2.0 * math.pi * smallest / math.gcd(*(int(ratio * smallest) for ratio in ratios))
