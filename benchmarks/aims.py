"""The aims of the project beside what was measured in this run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from growth import GROWTH
from pairing import Figure, Sheet
from robot_clients import LOOP, TARGETS
from robot_loops import LOST, RESPONSE, WAKE
from robot_runs import CONDITIONS, IDLE
from robot_states import DECODE
from side_by_side import OURS
from start_up import COMPILED, IMPORTS, NEW_PROCESS
from threads import BOTH

__all__ = ["print_aims"]

Aim: TypeAlias = tuple[str, str, str, str, float]

FR3 = "fr3"
LEVEL = 1.5
# What a 1000-link scene may add to one leaf joint over a scene of ten links.
LEAF_LEVEL = 1.25


@dataclass(frozen=True)
class Verdict:
    """One aim: what it says, the most it allows, what was measured with its interval."""

    text: str
    most: float
    value: float
    low: float
    high: float

    @property
    def word(self) -> str:
        """Whether it holds; an interval on both sides of the aim leaves it open."""
        word = "yes" if self.value <= self.most else "NO"
        return f"{word}, not sure" if self.low <= self.most < self.high else word


# Aim, robot, question, library, most that the ratio ours / theirs may be.
RATIOS: list[Aim] = [
    ("one pose, copied out, to pinocchio", FR3, "pose", "pinocchio", 1.0),
    ("set, one pose, to pinocchio", FR3, "set_pose", "pinocchio", 1.0),
    ("Jacobian, one call, to pinocchio", FR3, "jacobian", "pinocchio", 1.1),
    ("getJacobian to pinocchio", FR3, "set_jacobian", "pinocchio", 1.1),
    ("all poses, array, to pinocchio", FR3, "all_poses", "pinocchio", 0.1),
    ("all poses, array, to tesseract OFKT", FR3, "all_poses", "tesseract OFKT", 0.1),
    ("all poses, array, to tesseract KDL", FR3, "all_poses", "tesseract KDL", 0.1),
    ("all poses, dict, to tesseract OFKT", FR3, "all_dict", "tesseract OFKT", 1.0),
    ("all poses, dict, to tesseract KDL", FR3, "all_dict", "tesseract KDL", 1.0),
    ("100,000 poses to the C limit, one thread", FR3, "batch 100000", "C limit", 1.5),
    ("the same, written into a given array", FR3, "batch_out 100000", "C limit", 1.5),
    ("100,000 poses, all processors, to pinocchio", FR3, BOTH, "pinocchio", 1.0 / 80.0),
    ("text to first pose, to tesseract OFKT", FR3, "build", "tesseract OFKT", 1.5),
    ("attach, first pose, to tesseract OFKT", FR3, "attach", "tesseract OFKT", 4.0),
    ("attach, first pose, to pinocchio", FR3, "attach", "pinocchio", 0.5),
]
# Aim, robot, question, label in the sheet, most that the value may be.
VALUES: list[Aim] = [
    ("import kinegraph.scene, s", FR3, IMPORTS, "kinegraph.scene", 0.2),
    ("import kinegraph.kinematics, s", FR3, IMPORTS, "kinegraph.kinematics", 0.25),
    ("new process to first pose, warm cache, s", FR3, NEW_PROCESS, OURS, 0.6),
    ("all kernels from an empty cache, s", "", COMPILED, OURS, 40.0),
]
# The compiled loop is judged at FIFO priority, outside the machine's stalls.
RATIOS += [
    (f"compiled loop, {RESPONSE}, {condition}, to pylibfranka", condition, RESPONSE, LOOP, 1.0)
    for condition in CONDITIONS
]
VALUES += [
    ("decode a state, us", "", DECODE, "from_wire, version 10", 15.0),
    ("decode a state of an FER, us", "", DECODE, "from_wire, version 5", 15.0),
    ("compiled loop, wake to send, p99.9, us", IDLE, WAKE, LOOP, 100.0),
    ("Cartesian targets, wake to send, p99.9, us", IDLE, WAKE, TARGETS, 100.0),
    *((f"compiled loop, commands lost, {name}", name, LOST, LOOP, 0.0) for name in CONDITIONS),
    *((f"Cartesian targets, lost, {name}", name, LOST, TARGETS, 0.0) for name in CONDITIONS),
]
# Aim, question, larger and smaller scene, whether costs are per link, most.
GROWN = [
    ("one leaf joint, 1,000 to 10 links", "leaf", "table of 1000", "table of 10", False),
    *(
        (f"{label}, {shape}, per link, 10,000 to 1,000", question, *ends, True)
        for shape in ("chain", "bush")
        for ends in [(f"{shape} of 10000", f"{shape} of 1000")]
        for question, label in (
            ("all_poses", "all poses"),
            ("build", "text to pose"),
            ("attach_whole", "attach"),
        )
    ),
]


def print_aims(sheet: Sheet) -> None:
    """Print each aim with what this run says about it."""
    verdicts = [
        *_judged(sheet, RATIOS, lambda figure: (figure.ratio, figure.low, figure.high)),
        *_judged(sheet, VALUES, lambda figure: (figure.value,) * 3),
        *_growth(sheet),
    ]
    if not verdicts:
        return
    print(f"\naims of the project{'':29}{'aim':>10}{'measured':>10}  95 %")
    for verdict in verdicts:
        interval = f"[{verdict.low:.3g}, {verdict.high:.3g}]" if verdict.low < verdict.high else ""
        print(
            f"  {verdict.text:46}{'<= ' + format(verdict.most, '.3g'):>10}"
            f"{verdict.value:>10.3g}  {interval:20}{verdict.word}"
        )
    unmet = sum(verdict.value > verdict.most for verdict in verdicts)
    print(f"  {len(verdicts) - unmet} of {len(verdicts)} met in this run")


def _judged(
    sheet: Sheet, aims: Sequence[Aim], numbers: Callable[[Figure], tuple[float, float, float]]
) -> Sequence[Verdict]:
    """Judge the aims that this run has a figure for, by value, low and high of that figure."""
    found = []
    for text, robot, question, label, most in aims:
        figure = sheet.find(robot, question, label)
        if figure is not None:
            found.append(Verdict(text, most, *numbers(figure)))
    return found


def _growth(sheet: Sheet) -> Sequence[Verdict]:
    found = []
    for text, question, larger, smaller, shared in GROWN:
        big, small = (sheet.find(scene, question + GROWTH, OURS) for scene in (larger, smaller))
        if big is None or small is None:
            continue
        ratio = big.value / small.value
        if shared:
            ratio *= int(smaller.split()[-1]) / int(larger.split()[-1])
        found.append(Verdict(text, LEVEL if shared else LEAF_LEVEL, ratio, ratio, ratio))
    return found
