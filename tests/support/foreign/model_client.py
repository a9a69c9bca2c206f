"""A model library under libfranka 0.9.2: `model_client.py HOST TASK`; every call of its `Model`."""

from panda_py import libfranka as f
from telling import HOST, main, say

Q = [0.1, -0.6, 0.2, -2.1, 0.3, 1.7, 0.9]
DQ = [0.5, -0.2, 0.8, 0.3, -1.0, 0.7, 1.5]
# Column by column; no symmetry that would hide a transposition.
F_T_EE = [0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.02, -0.01, 0.15, 1.0]
EE_T_K = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.01, 0.03, 1.0]
INERTIA = [0.004, 0.0003, -0.0002, 0.0003, 0.005, 0.0001, -0.0002, 0.0001, 0.003]
MASS, CENTRE, GRAVITY = 1.35, [0.03, -0.02, 0.14], [0.3, -0.2, -9.7]
FRAMES = (*(f"Joint{i}" for i in range(1, 8)), "Flange", "EndEffector", "Stiffness")


def every_call() -> None:
    """What each call of the model returns for the numbers above."""
    model = f.Robot(HOST, f.RealtimeConfig.kIgnore).load_model()
    say(q=Q, dq=DQ, F_T_EE=F_T_EE, EE_T_K=EE_T_K, inertia=INERTIA, mass=MASS, centre=CENTRE,
        gravity=GRAVITY)  # fmt: skip
    for call in ("pose", "body_jacobian", "zero_jacobian"):
        evaluate = getattr(model, call)
        say(**{
            f"{call}.{name}": list(evaluate(getattr(f.Frame, f"k{name}"), Q, F_T_EE, EE_T_K))
            for name in FRAMES
        })  # fmt: skip
    say(
        call_mass=list(model.mass(Q, INERTIA, MASS, CENTRE)),
        call_coriolis=list(model.coriolis(Q, DQ, INERTIA, MASS, CENTRE)),
        call_gravity=list(model.gravity(Q, MASS, CENTRE, GRAVITY)),
    )


def refused() -> None:
    """The error of a robot without a library."""
    robot = f.Robot(HOST, f.RealtimeConfig.kIgnore)
    try:
        robot.load_model()
    except RuntimeError as problem:
        say(text=str(problem))


if __name__ == "__main__":
    main({"every_call": every_call, "refused": refused})
