"""What the codes of a conversion mean, in libfranka's words.

The numbers are those of `conversion_kernels.py`, which a program that only decodes states need not
import; a test holds the two together.
"""

from kinegraph.robot.errors import InvalidArgumentError

OK = 0
BAD_CUTOFF = 1
FILTER_NOT_FINITE = 2
LIMITER_NOT_FINITE = 3
LIMITER_NOT_RIGID = 4
NOT_FINITE = 5
NOT_RIGID = 6
BAD_ELBOW = 7
ELBOW_FILTER_NOT_FINITE = 8
ELBOW_LIMITER_NOT_FINITE = 9
ELBOW_NOT_FINITE = 10

# Whole motions, numbered as in `conversion_kernels.py`.
JOINT_POSITIONS = 1
JOINT_VELOCITIES = 2
CARTESIAN_POSE = 3
CARTESIAN_VELOCITIES = 4

FILTER_VALUE = (
    "lowpass-filter: current or past input value of the signal to be filtered is infinite or NaN."
)
FILTER_CUTOFF = "lowpass-filter: cutoff_frequency is zero, negative, infinite or NaN."
FILTER_TIME = "lowpass-filter: sample_time is negative, infinite or NaN."
LIMITER_POSE = "O_T_EE_c is invalid transformation matrix. Has to be column major!"
COMMANDING = "Commanding value is infinite or NaN."

TEXTS: dict[int, str] = {
    BAD_CUTOFF: FILTER_CUTOFF,
    FILTER_NOT_FINITE: FILTER_VALUE,
    LIMITER_NOT_FINITE: COMMANDING,
    LIMITER_NOT_RIGID: LIMITER_POSE,
    NOT_FINITE: COMMANDING,
    NOT_RIGID: "libfranka: Attempt to set invalid transformation in motion generator. "
    "Has to be column major!",
    BAD_ELBOW: "Invalid elbow configuration given! "
    "Only +1 or -1 are allowed for the sign of the 4th joint.",
    ELBOW_FILTER_NOT_FINITE: f"elbow: {FILTER_VALUE}",
    ELBOW_LIMITER_NOT_FINITE: "elbow: commanded_position is infinite or NaN.",
    ELBOW_NOT_FINITE: f"elbow: {COMMANDING}",
}
_LIMITER_FIELDS: dict[int, str] = {
    JOINT_POSITIONS: "commanded_positions",
    JOINT_VELOCITIES: "commanded_velocities",
    CARTESIAN_POSE: "O_T_EE_c",
    CARTESIAN_VELOCITIES: "O_dP_EE_c",
}


def text_of(code: int, kind: int = 0) -> str:
    """Return the text of a code; the one of a pose filter has its own beginning.

    Args:
        code: What a conversion returned.
        kind: The motion that was converted; 0 for torques.
    """
    if code == LIMITER_NOT_FINITE and kind in _LIMITER_FIELDS:
        return f"{_LIMITER_FIELDS[kind]} is infinite or NaN."
    if code == FILTER_NOT_FINITE and kind == CARTESIAN_POSE:
        return f"Cartesian {FILTER_VALUE}"
    return TEXTS[code]


def refuse(code: int, kind: int = 0) -> None:
    """Raise what a code means; nothing for 0.

    Raises:
        InvalidArgumentError: The conversion failed. Also a `ValueError`.
    """
    if code != OK:
        raise InvalidArgumentError(text_of(code, kind), code=code)
