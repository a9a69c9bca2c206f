"""A7.3: panda-python's own motions on a robot that serves a model library."""

from pathlib import Path
from tempfile import TemporaryDirectory

from bars import Sheet
from children import run_program
from fer_library import build_fer_library
from peers import python_of
from real_libfranka import LOCKSTEP
from simulator import SERVER_HOST, simulator

__all__ = ["motions"]

LIMIT_S = 90.0
START = "--q=0.1,-0.6,0.1,-2.2,0.1,1.6,0.8"


def motions(sheet: Sheet) -> None:
    """A7.3: panda-python's motions, which judge themselves, its log and its teaching mode."""
    python = python_of("v5")
    with TemporaryDirectory() as folder:
        library = Path(folder) / "served.so"
        library.write_bytes(build_fer_library(Path(folder)))
        with simulator(*LOCKSTEP, "--model-library", str(library), START, fci=5):
            seen = run_program(python, "panda", SERVER_HOST, "moves", limit_s=LIMIT_S)
            sheet.report("A7.3.move_to_start", seen["started"], "== True")
            sheet.report("A7.3.move_to_pose", seen["moved"], "== True")
            sheet.report("A7.3.pose_error_m", seen["error_m"], "<= 0.02")
            sheet.report("A7.3.log_gaps", seen["gaps"], "== 0", n=seen["cycles"])
            seen = run_program(python, "panda", SERVER_HOST, "teach", limit_s=LIMIT_S)
            sheet.report("A7.3.teaching_moved_rad", seen["moved"], "<= 0.001")
            sheet.report("A7.3.mode_after", seen["mode"], "== Idle")
