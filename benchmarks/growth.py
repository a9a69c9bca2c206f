"""How costs grow with the scene: chains, bushes and tables of arms of 10 to 10 000 links."""

from collections.abc import Callable

from crew import FailedError, Worker, one_processor
from pairing import Figure, Sheet, seconds
from robots import Robot, bush, chain, table_of_arms

__all__ = ["GROWTH", "SIZES", "show_growth", "show_leaf"]

GROWTH = ", growth"
SIZES = (10, 100, 1_000, 10_000)
SHAPES: dict[str, Callable[[int], Robot]] = {"chain": chain, "bush": bush}
# Question, heading, whether the cost is shared by the scene's links.
GROWING = (
    ("all_poses", "all poses", True),
    ("build", "text to pose", True),
    ("attach_whole", "attach it", True),
    ("attach", "attach ten to it", False),
)
SPAN_S = 0.02
PATIENCE_S = 240.0


def show_growth(ours: Worker, samples: int, sheet: Sheet) -> None:
    """Print what each link costs; a column that stays level grows linearly."""
    print("\ncost per link of the scene (of the ten links for the last column), best of some")
    print(f"{'':20}" + "".join(f"{heading:>18}" for _, heading, _ in GROWING))
    for shape, make in SHAPES.items():
        for size in SIZES:
            costs = _costs(ours, make(size), [name for name, _, _ in GROWING], samples, sheet)
            cells = ""
            for name, _, shared in GROWING:
                share = size if shared else 10
                cells += f"{seconds(costs[name] / share) if name in costs else '-':>18}"
            print(f"{shape + f' of {size:,}':20}{cells}", flush=True)


def show_leaf(ours: Worker, samples: int, sheet: Sheet) -> None:
    """Print what changing one leaf joint costs in scenes of many links: it should not grow."""
    print("\none leaf joint changed and its link's pose, tables of nine-link arms, best of some")
    for size in SIZES:
        costs = _costs(ours, table_of_arms(size), ["leaf"], samples, sheet)
        cell = seconds(costs["leaf"]) if costs else "-"
        print(f"  {size:>8,} links{cell:>12}", flush=True)


def _costs(
    ours: Worker, robot: Robot, questions: list[str], samples: int, sheet: Sheet
) -> dict[str, float]:
    """Smallest sample of each question, on one processor."""
    costs = {}
    try:
        ours.ask("use", one_processor())
        facts = ours.ask("open", robot, patience_s=PATIENCE_S)
        ours.ask("draw", facts["order"], facts["limits"])
        for question in questions:
            ours.ask("ready", question, 1, SPAN_S, patience_s=PATIENCE_S)
            cost = min(ours.ask("sample", patience_s=PATIENCE_S) for _ in range(samples))
            sheet.add(Figure(robot.name, f"{question}{GROWTH}", "kinegraph", cost))
            costs[question] = cost
    except FailedError as reason:
        sheet.note(f"{robot.name}: {reason}")
    return costs
