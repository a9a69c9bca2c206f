"""The questions of one robot, put to all libraries in pairs within one run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from crew import AbsentError, FailedError, Worker, one_processor
from pairing import Figure, Sheet, ratio_of, rounds_of, seconds
from robots import Robot

__all__ = ["OURS", "QUESTIONS", "SCENE_QUESTIONS", "Question", "compare", "headings"]

OURS = "kinegraph"
TOLERANCE = 1e-6
SPAN_S = 0.006
TARGETS = 1000
# Rows of the batches whose answers are compared.
FEW = 5


@dataclass(frozen=True)
class Question:
    """What is asked, how many configurations at once, and in how many rounds at most."""

    name: str
    label: str
    count: int = 1
    rounds: int = 99

    @property
    def key(self) -> str:
        """Name in the sheet."""
        return f"{self.name} {self.count}" if self.count > 1 else self.name


def _batches(name: str, label: str) -> list[Question]:
    return [
        Question(name, f"{label} of {count:,}", count, rounds)
        for count, rounds in ((1, 99), (100, 99), (10_000, 11), (100_000, 7))
    ]


QUESTIONS = [
    Question("build", "text to first pose", rounds=15),
    Question("pose", "one pose, one call"),
    Question("set_pose", "set, one pose"),
    Question("all_poses", "all poses, array"),
    Question("all_dict", "set, all poses, dict"),
    Question("jacobian", "Jacobian, one call"),
    Question("set_jacobian", "getJacobian"),
    Question("leaf", "one leaf joint, pose"),
    *_batches("batch", "poses"),
    Question("batch_out", "poses into out, 100,000", 100_000, 11),
    *_batches("jacobians", "Jacobians"),
    Question("attach", "attach ten links, pose", rounds=15),
    Question("inverse", "inverse, 1", 1, 15),
    Question("inverse", "inverse, 1,000", 1_000, 7),
]
SCENE_QUESTIONS = [q for q in QUESTIONS if q.name in ("leaf", "all_poses", "attach", "build")]


def headings() -> None:
    """Print what the columns are."""
    print(f"{'':26}{'':16}{'theirs':>10}{'ours':>10}{'ours/theirs':>13}  95 %")


def compare(
    crew: dict[str, Worker],
    robot: Robot,
    questions: Sequence[Question],
    rounds: int,
    sheet: Sheet,
) -> None:
    """Check all answers of one robot, then time all questions."""
    ours, one = crew[OURS], one_processor()
    facts = ours.ask("open", robot)
    order, limits = facts["order"], facts["limits"]
    print(f"\n{robot.name}: {facts['links']} links, {len(order)} joints, tip {robot.tip}")
    present = {}
    for name, worker in list(crew.items()):
        try:
            worker.ask("use", one)
            worker.ask("open", robot)
            worker.ask("draw", order, limits)
            present[name] = worker
        except (AbsentError, FailedError) as reason:
            if name != "C limit":
                sheet.note(f"{name} is left out for {robot.name}: {reason}")
            _bury(crew, name)
    _check_all(present, sheet, robot.name)
    headings()
    targets = _targets(ours) if any(q.name == "inverse" for q in questions) else None
    for question in questions:
        _time(crew, present, robot.name, question, min(rounds, question.rounds), targets, sheet)


def _bury(crew: dict[str, Worker], name: str) -> None:
    if crew[name].process.poll() is not None:
        crew.pop(name)


def _targets(ours: Worker) -> Any:
    return ours.ask("answer_of", "batch", TARGETS)


def _check_all(present: dict[str, Worker], sheet: Sheet, robot: str) -> None:
    """Compare every library's answers with ours before anything is timed."""
    ours = present[OURS]
    order = ours.ask("joints")
    mine = {name: ours.ask("answer", name) for name in ("pose", "set_pose", "leaf", "attach")}
    jacobian = ours.ask("answer", "jacobian")
    many = {name: ours.ask("answer_of", name, FEW) for name in ("batch", "jacobians")}
    poses = ours.ask("link_poses")
    _judge(mine["set_pose"], mine["pose"], f"{OURS}, {robot}: set, one pose", sheet)
    for name, worker in present.items():
        if name == OURS:
            continue
        for question, answer in mine.items():
            theirs = _asked(worker, lambda w, q=question: w.ask("answer", q))
            _judge(theirs, answer, f"{name}, {robot}: {question}", sheet)
        theirs = _asked(worker, lambda w: w.ask("answer_of", "batch", FEW))
        _judge(theirs, many["batch"], f"{name}, {robot}: batch of poses", sheet)
        columns = [order.index(joint) for joint in worker.ask("joints")]
        theirs = _asked(worker, lambda w: w.ask("answer", "jacobian"))
        _judge(theirs, jacobian[:, columns], f"{name}, {robot}: Jacobian", sheet)
        theirs = _asked(worker, lambda w: w.ask("answer_of", "jacobians", FEW))
        _judge(theirs, many["jacobians"][:, :, columns], f"{name}, {robot}: Jacobians", sheet)
        links = _asked(worker, lambda w: w.ask("link_poses"))
        _judge_links(links, poses, f"{name}, {robot}", sheet)


def _asked(worker: Worker, question: Callable[[Worker], Any]) -> Any:
    """Return the answer, None where it is not offered, or the failure."""
    try:
        return question(worker)
    except AbsentError:
        return None
    except FailedError as reason:
        return reason


def _judge(theirs: Any, ours: Any, what: str, sheet: Sheet) -> None:
    if isinstance(theirs, FailedError):
        sheet.note(f"{what}: failed, {theirs}")
    elif theirs is not None and theirs.shape != ours.shape:
        sheet.note(f"{what}: of shape {theirs.shape}, ours {ours.shape}")
    elif theirs is not None and not np.abs(theirs - ours).max() <= TOLERANCE:
        sheet.note(f"{what} differs from ours by {np.abs(theirs - ours).max():.2g}")


def _judge_links(theirs: Any, ours: dict[str, Any], what: str, sheet: Sheet) -> None:
    if not isinstance(theirs, dict):
        return
    wrong = [n for n in theirs if n in ours and np.abs(theirs[n] - ours[n]).max() > TOLERANCE]
    missing = ours.keys() - theirs.keys()
    if wrong:
        sheet.note(f"{what}: {len(wrong)} of {len(ours)} links are elsewhere, such as {wrong[0]}")
    if missing:
        sheet.note(f"{what}: has no {', '.join(sorted(missing)[:4])}")


def _time(
    crew: dict[str, Worker],
    present: dict[str, Worker],
    robot: str,
    question: Question,
    rounds: int,
    targets: Any,
    sheet: Sheet,
) -> None:
    names = _ready(crew, present, question, targets, sheet, robot)
    if OURS not in names:
        return
    samplers = [lambda w=present[name]: w.ask("sample") for name in names]
    try:
        taken = dict(zip(names, rounds_of(samplers, rounds), strict=True))
    except FailedError as reason:
        sheet.note(f"{robot}, {question.label}: given up, {reason}")
        for name in names:
            _bury(crew, name)
        return
    mine = sorted(taken[OURS])[rounds // 2]
    sheet.add(Figure(robot, question.key, OURS, mine))
    for place, name in enumerate(name for name in names if name != OURS):
        middle = sorted(taken[name])[rounds // 2]
        ratio = ratio_of(taken[OURS], taken[name])
        figure = sheet.add(Figure(robot, question.key, name, middle, *ratio))
        _line(question.label if place == 0 else "", figure, mine)
    if question.name == "inverse" and question.count > 1:
        shares = (f"{name} {present[name].ask('solved'):.1%}" for name in names)
        print(f"{'':26}solved: {', '.join(shares)}")


def _ready(
    crew: dict[str, Worker],
    present: dict[str, Worker],
    question: Question,
    targets: Any,
    sheet: Sheet,
    robot: str,
) -> list[str]:
    names = []
    for name, worker in list(present.items()):
        try:
            worker.ask("ready", question.name, question.count, SPAN_S, targets)
            names.append(name)
        except AbsentError:
            continue
        except FailedError as reason:
            sheet.note(f"{name}, {robot}, {question.label}: {reason}")
            if worker.process.poll() is not None:
                crew.pop(name, None)
                present.pop(name)
    return names


def _line(label: str, figure: Figure, mine: float) -> None:
    print(
        f"{label:26}{figure.library:16}{seconds(figure.value):>10}{seconds(mine):>10}"
        f"{figure.ratio:>13.3g}  [{figure.low:.3g}, {figure.high:.3g}]",
        flush=True,
    )
