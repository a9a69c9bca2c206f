"""`Model`: libfranka's model calls, for a state or for explicit values."""

from enum import Enum
from typing import Any, Protocol, TypeAlias, overload

from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.model.arguments import PoseLike
from kinegraph.robot.model.backend import RobotModelBackend
from kinegraph.robot.state import RobotState
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.errors import suggestion

__all__ = ["Frame", "Model", "ModelState"]

STANDARD_GRAVITY = (0.0, 0.0, -9.81)


class Frame(Enum):
    """A frame of the arm; libfranka's order."""

    Joint1 = 1
    Joint2 = 2
    Joint3 = 3
    Joint4 = 4
    Joint5 = 5
    Joint6 = 6
    Joint7 = 7
    Flange = 8
    EndEffector = 9
    Stiffness = 10


class ModelState(Protocol):
    """What the model reads of a state; `RobotState` has it."""

    @property
    def q(self) -> Array: ...  # noqa: D102
    @property
    def dq(self) -> Array: ...  # noqa: D102
    @property
    def F_T_EE(self) -> Array: ...  # noqa: D102
    @property
    def EE_T_K(self) -> Array: ...  # noqa: D102
    @property
    def m_total(self) -> float: ...  # noqa: D102
    @property
    def I_total(self) -> Array: ...  # noqa: D102
    @property
    def F_x_Ctotal(self) -> Array: ...  # noqa: D102
    @property
    def O_ddP_O(self) -> Array: ...  # noqa: D102


# Named too, because pyright does not look through the descriptors of its fields.
AnyState: TypeAlias = ModelState | RobotState


class Model:
    """A robot's kinematics and dynamics, as libfranka's `Model`.

    Every call takes a state, or its values one by one. Matrices are flat and column-major, as in
    the state: `model.pose(...).reshape(4, 4, order="F")`.

    Args:
        backend: What evaluates the calls, such as `NativeModelBackend`.
    """

    def __init__(self, backend: RobotModelBackend) -> None:
        if isinstance(backend, type) or not isinstance(backend, RobotModelBackend):
            raise InvalidArgumentError(
                f"backend: {backend!r:.200} is none; it needs the calls of RobotModelBackend"
            )
        self._backend = backend

    @property
    def backend(self) -> RobotModelBackend:
        """What evaluates the calls."""
        return self._backend

    @overload
    def pose(self, frame: Frame, state: AnyState, /) -> Array: ...
    @overload
    def pose(self, frame: Frame, q: VectorLike, F_T_EE: PoseLike, EE_T_K: PoseLike) -> Array: ...
    def pose(self, frame: Frame, q: Any, F_T_EE: Any = None, EE_T_K: Any = None) -> Array:
        """Pose of a frame in the base frame, (16,).

        Args:
            frame: Which frame.
            q: A state; or (7,) joint positions, rad.
            F_T_EE: (16,) end effector in the flange frame; for EndEffector and Stiffness.
            EE_T_K: (16,) stiffness frame in the end effector frame; for Stiffness.

        Raises:
            InvalidArgumentError: A value is missing, not finite, of wrong size, or no rigid
                transform. Also a `ValueError`.
        """
        return self._in_frame("pose", frame, q, F_T_EE, EE_T_K)

    @overload
    def body_jacobian(self, frame: Frame, state: AnyState, /) -> Array: ...
    @overload
    def body_jacobian(
        self, frame: Frame, q: VectorLike, F_T_EE: PoseLike, EE_T_K: PoseLike
    ) -> Array: ...
    def body_jacobian(self, frame: Frame, q: Any, F_T_EE: Any = None, EE_T_K: Any = None) -> Array:
        """Jacobian of a frame in its own axes, (42,), linear rows first. Arguments as `pose`.

        Raises:
            InvalidArgumentError: As `pose`.
        """
        return self._in_frame("body_jacobian", frame, q, F_T_EE, EE_T_K)

    @overload
    def zero_jacobian(self, frame: Frame, state: AnyState, /) -> Array: ...
    @overload
    def zero_jacobian(
        self, frame: Frame, q: VectorLike, F_T_EE: PoseLike, EE_T_K: PoseLike
    ) -> Array: ...
    def zero_jacobian(self, frame: Frame, q: Any, F_T_EE: Any = None, EE_T_K: Any = None) -> Array:
        """Jacobian of a frame in the axes of the base, (42,), linear rows first.

        The reference point is the frame's origin. Arguments as `pose`.

        Raises:
            InvalidArgumentError: As `pose`.
        """
        return self._in_frame("zero_jacobian", frame, q, F_T_EE, EE_T_K)

    @overload
    def mass(self, state: AnyState, /) -> Array: ...
    @overload
    def mass(
        self, q: VectorLike, I_total: VectorLike, m_total: float, F_x_Ctotal: VectorLike
    ) -> Array: ...
    def mass(self, q: Any, I_total: Any = None, m_total: Any = None, F_x_Ctotal: Any = None) -> Any:
        """Mass matrix, (49,) kg m^2.

        Args:
            q: A state; or (7,) joint positions, rad.
            I_total: (9,) inertia of all that the flange carries about its centre, kg m^2.
            m_total: Its mass, kg; without mass its inertia does not count.
            F_x_Ctotal: (3,) its centre in the flange frame, m.

        Raises:
            InvalidArgumentError: A value is missing, not finite or of wrong size. Also a
                `ValueError`.
        """
        if _is_state(q):
            _refuse("mass", I_total=I_total, m_total=m_total, F_x_Ctotal=F_x_Ctotal)
            return self._backend.mass(q.q, q.I_total, q.m_total, q.F_x_Ctotal)
        _need("mass", I_total=I_total, m_total=m_total, F_x_Ctotal=F_x_Ctotal)
        return self._backend.mass(q, I_total, m_total, F_x_Ctotal)

    @overload
    def coriolis(self, state: AnyState, /) -> Array: ...
    @overload
    def coriolis(
        self,
        q: VectorLike,
        dq: VectorLike,
        I_total: VectorLike,
        m_total: float,
        F_x_Ctotal: VectorLike,
    ) -> Array: ...
    def coriolis(
        self,
        q: Any,
        dq: Any = None,
        I_total: Any = None,
        m_total: Any = None,
        F_x_Ctotal: Any = None,
    ) -> Array:
        """Coriolis and centrifugal torques C(q, dq) dq, (7,) Nm.

        Args:
            q: A state; or (7,) joint positions, rad.
            dq: (7,) joint velocities, rad/s.
            I_total: As in `mass`.
            m_total: As in `mass`.
            F_x_Ctotal: As in `mass`.

        Raises:
            InvalidArgumentError: As `mass`.
        """
        if _is_state(q):
            _refuse("coriolis", dq=dq, I_total=I_total, m_total=m_total, F_x_Ctotal=F_x_Ctotal)
            s = q
            return self._backend.coriolis(s.q, s.dq, s.I_total, s.m_total, s.F_x_Ctotal, s.O_ddP_O)
        _need("coriolis", dq=dq, I_total=I_total, m_total=m_total, F_x_Ctotal=F_x_Ctotal)
        return self._backend.coriolis(q, dq, I_total, m_total, F_x_Ctotal, STANDARD_GRAVITY)

    @overload
    def gravity(self, state: AnyState, /, *, gravity_earth: VectorLike | None = None) -> Array: ...
    @overload
    def gravity(
        self,
        q: VectorLike,
        m_total: float,
        F_x_Ctotal: VectorLike,
        gravity_earth: VectorLike = STANDARD_GRAVITY,
    ) -> Array: ...
    def gravity(
        self, q: Any, m_total: Any = None, F_x_Ctotal: Any = None, gravity_earth: Any = None
    ) -> Array:
        """Torques that hold the arm against gravity, (7,) Nm.

        Args:
            q: A state; or (7,) joint positions, rad.
            m_total: Mass of all that the flange carries, kg.
            F_x_Ctotal: (3,) its centre in the flange frame, m.
            gravity_earth: (3,) acceleration of gravity in the base frame, m/s^2. Left out: the
                state's `O_ddP_O`; without a state (0, 0, -9.81).

        Raises:
            InvalidArgumentError: As `mass`.
        """
        if _is_state(q):
            _refuse("gravity", m_total=m_total, F_x_Ctotal=F_x_Ctotal)
            pull = q.O_ddP_O if gravity_earth is None else gravity_earth
            return self._backend.gravity(q.q, pull, q.m_total, q.F_x_Ctotal)
        _need("gravity", m_total=m_total, F_x_Ctotal=F_x_Ctotal)
        pull = STANDARD_GRAVITY if gravity_earth is None else gravity_earth
        return self._backend.gravity(q, pull, m_total, F_x_Ctotal)

    def _in_frame(self, call: str, frame: Frame, q: Any, F_T_EE: Any, EE_T_K: Any) -> Array:
        """Evaluate one of the three calls that depend on a frame."""
        number = _frame_number(frame)
        if _is_state(q):
            _refuse(call, F_T_EE=F_T_EE, EE_T_K=EE_T_K)
            q, F_T_EE, EE_T_K = q.q, q.F_T_EE, q.EE_T_K
        if number <= Frame.Joint7.value:
            result: Array = getattr(self._backend, call)(q, number)
        elif frame is Frame.Flange:
            result = getattr(self._backend, f"{call}_flange")(q)
        elif frame is Frame.EndEffector:
            _need(call, F_T_EE=F_T_EE)
            result = getattr(self._backend, f"{call}_ee")(q, F_T_EE)
        else:
            _need(call, F_T_EE=F_T_EE, EE_T_K=EE_T_K)
            result = getattr(self._backend, f"{call}_stiffness")(q, F_T_EE, EE_T_K)
        return result


def _is_state(value: Any) -> bool:
    return hasattr(value, "q") and hasattr(value, "F_T_EE")


def _frame_number(frame: Any) -> int:
    if isinstance(frame, Frame):
        return frame.value
    names = [each.name for each in Frame]
    raise InvalidArgumentError(
        f"frame: {frame!r} is not a Frame ({', '.join(names)}){suggestion(str(frame), names)}"
    )


def _need(call: str, **values: Any) -> None:
    missing = [name for name, value in values.items() if value is None]
    if missing:
        raise InvalidArgumentError(f"{call}: without a state, {', '.join(missing)} must be given")


def _refuse(call: str, **values: Any) -> None:
    given = [name for name, value in values.items() if value is not None]
    if given:
        raise InvalidArgumentError(f"{call}: with a state, {', '.join(given)} cannot be given too")
