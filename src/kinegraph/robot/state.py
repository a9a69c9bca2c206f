"""The robot's state as a program sees it: 49 read-only fields over one buffer."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.error_flags import Errors
from kinegraph.robot.errors import InvalidArgumentError, ProtocolError
from kinegraph.robot.modes import ControllerMode, MotionGeneratorMode, RobotMode
from kinegraph.robot.state_fields import (
    controller,
    errors,
    generator,
    milliseconds,
    mode,
    number,
    table,
    vector,
)
from kinegraph.robot.state_values import (
    PUBLIC_FIELDS,
    TRANSFORMS,
    check_complete,
    check_names,
    default_row,
    write_field,
)
from kinegraph.robot.wire.datagram_layout import STATE_SIZE_V5, STATE_SIZE_V10
from kinegraph.robot.wire.state_layout import STATE_SIZE, S_motion_generator_mode, S_q, S_time
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import NotRigidError, suggestion
from kinegraph.scene.pose import Isometry3d, as_isometry

__all__ = ["ControllerMode", "Errors", "MotionGeneratorMode", "RobotMode", "RobotState"]

_RIGID_TOLERANCE = 1e-3
_SIZES = {10: STATE_SIZE_V10, 5: STATE_SIZE_V5}


@cache
def _wire() -> Any:
    """The wire kernels, imported when the first state is decoded: numba takes half a second."""
    from kinegraph.robot.wire import wire_kernels

    return wire_kernels


class RobotState:
    """One state of the robot, immutable.

    The arrays are read-only views of one buffer. Transforms are sixteen numbers, column by column;
    `isometry` gives them as `Isometry3d`. Frames: O base, F flange, NE nominal end effector as set
    in Desk, EE end effector, K stiffness frame. `==` compares all 49 fields exactly.

    `RobotState()` is a state that nothing is known of: identity transforms, gravity along -z, mode
    Other, zero else. Others come from `from_wire`, `from_wire_v5`, `from_row`, `from_dict` and
    `replace`.
    """

    __slots__ = ("_row",)

    _row: Array

    O_T_EE = vector("(16,) measured pose of the end effector in the base frame, m.")
    O_T_EE_d = vector("(16,) last desired pose of the end effector in the base frame, m.")
    F_T_EE = vector("(16,) end effector in the flange frame: `F_T_NE` times `NE_T_EE`, m.")
    F_T_NE = vector("(16,) nominal end effector in the flange frame, as set in Desk, m.")
    NE_T_EE = vector("(16,) end effector in the nominal end effector's frame, as set, m.")
    EE_T_K = vector("(16,) stiffness frame in the end effector's frame, as set, m.")
    m_ee = number("Mass of the end effector, kg.")
    I_ee = vector("(9,) inertia of the end effector about its centre, column-major, kg m^2.")
    F_x_Cee = vector("(3,) centre of mass of the end effector in the flange frame, m.")
    m_load = number("Mass of the load, kg.")
    I_load = vector("(9,) inertia of the load about its centre, column-major, kg m^2.")
    F_x_Cload = vector("(3,) centre of mass of the load in the flange frame, m.")
    m_total = number("Mass of end effector and load, kg.")
    I_total = vector("(9,) inertia of both about their centre, column-major, kg m^2.")
    F_x_Ctotal = vector("(3,) centre of mass of both in the flange frame, m.")
    elbow = vector("(2,) position of joint 3, rad, and sign of joint 4.")
    elbow_d = vector("(2,) desired elbow, as `elbow`.")
    elbow_c = vector("(2,) commanded elbow, as `elbow`.")
    delbow_c = vector("(2,) commanded velocity of joint 3, rad/s, and 0.")
    ddelbow_c = vector("(2,) commanded acceleration of joint 3, rad/s^2, and 0.")
    tau_J = vector("(7,) measured link-side torques, Nm.")
    tau_J_d = vector("(7,) desired link-side torques without gravity, Nm.")
    dtau_J = vector("(7,) derivative of the measured torques, Nm/s.")
    q = vector("(7,) measured joint positions, rad.")
    q_d = vector("(7,) desired joint positions, rad.")
    dq = vector("(7,) measured joint velocities, rad/s.")
    dq_d = vector("(7,) desired joint velocities, rad/s.")
    ddq_d = vector("(7,) desired joint accelerations, rad/s^2.")
    joint_contact = vector("(7,) 1 where a contact was detected, else 0.")
    cartesian_contact = vector("(6,) contact in the stiffness frame: x, y, z, roll, pitch, yaw.")
    joint_collision = vector("(7,) 1 where a collision was detected, else 0.")
    cartesian_collision = vector("(6,) collision in the stiffness frame, as `cartesian_contact`.")
    tau_ext_hat_filtered = vector("(7,) estimated external torques, filtered, Nm.")
    O_F_ext_hat_K = vector(
        "(6,) estimated external wrench on K, about the base's origin, N and Nm."
    )
    K_F_ext_hat_K = vector("(6,) estimated external wrench on K, about K's origin, N and Nm.")
    O_dP_EE_d = vector("(6,) desired twist in the base frame, linear then angular, m/s and rad/s.")
    O_ddP_O = vector("(3,) acceleration of gravity in the base frame, m/s^2.")
    O_T_EE_c = vector("(16,) last commanded pose of the end effector in the base frame, m.")
    O_dP_EE_c = vector("(6,) last commanded twist in the base frame, m/s and rad/s.")
    O_ddP_EE_c = vector("(6,) last commanded acceleration in the base frame, m/s^2 and rad/s^2.")
    theta = vector("(7,) motor-side positions, rad.")
    dtheta = vector("(7,) motor-side velocities, rad/s.")
    accelerometer_top = table("(6, 3) readings of the upper accelerometers, m/s^2; zero on an FER.")
    accelerometer_bottom = table("(6, 3) readings of the lower accelerometers, as the upper ones.")
    current_errors = errors("Errors that are active now.")
    last_motion_errors = errors("Errors that ended the last motion.")
    control_command_success_rate = number("Share of the last 100 commands that arrived in time.")
    robot_mode = mode("What the robot is doing.")
    time = milliseconds("The robot's millisecond counter at this state.")
    motion_generator_mode = generator("Running motion generator; no part of the public state.")
    controller_mode = controller("Running controller; no part of the public state.")

    def __init__(self) -> None:
        self._adopt(default_row())

    def _adopt(self, row: Array) -> None:
        row.setflags(write=False)
        object.__setattr__(self, "_row", row)

    @classmethod
    def _of(cls, row: Array) -> "RobotState":
        state = cls.__new__(cls)
        state._adopt(row)
        return state

    @classmethod
    def from_row(cls, row: Array) -> "RobotState":
        """Return the state of one row of the loop, see `wire/state_layout.py`.

        Args:
            row: (STATE_SIZE,) float64; it is copied.

        Raises:
            InvalidArgumentError: Not such a row. Also a `ValueError`.
        """
        copied = as_numbers("row", row)
        if copied.shape != (STATE_SIZE,):
            raise InvalidArgumentError(f"a state row has {STATE_SIZE} numbers, not {copied.shape}")
        return cls._of(copied)

    @classmethod
    def from_wire(cls, datagram: Any) -> "RobotState":
        """Decode a RobotState datagram of version 10 (FR3).

        Every binary32 becomes the equal binary64; `m_total`, `F_x_Ctotal` and `I_total` are derived
        from end effector and load; an unknown mode byte is `Other`.

        Args:
            datagram: `bytes`, anything with the buffer protocol, or a record of the packed type; a
                longer one is accepted, its tail ignored.

        Raises:
            ProtocolError: The datagram is shorter than the structure.
        """
        return cls._decode(10, datagram)

    @classmethod
    def from_wire_v5(cls, datagram: Any) -> "RobotState":
        """Decode a RobotState datagram of version 5 (FER), whose numbers are binary64.

        Otherwise as `from_wire`; the accelerometers, which an FER lacks, are zero.

        Raises:
            ProtocolError: The datagram is shorter than the structure.
        """
        return cls._decode(5, datagram)

    @classmethod
    def _decode(cls, version: int, datagram: Any) -> "RobotState":
        data = bytearray(datagram if isinstance(datagram, bytes) else _bytes(datagram))
        if len(data) < _SIZES[version]:
            raise ProtocolError(
                f"libfranka: incorrect object size: a RobotState of version {version} has "
                f"{_SIZES[version]} bytes, {len(data)} came",
                expected=_SIZES[version],
                received=len(data),
            )
        row = np.empty(STATE_SIZE)
        _wire().decode_state(version, np.frombuffer(data, np.uint8), len(data), row)
        return cls._of(row)

    def to_wire(self) -> bytes:
        """Encode as a datagram of version 10; numbers are rounded to binary32."""
        return self._encode(10)

    def to_wire_v5(self) -> bytes:
        """Encode as a datagram of version 5."""
        return self._encode(5)

    def _encode(self, version: int) -> bytes:
        datagram = np.zeros(_SIZES[version], np.uint8)
        _wire().encode_state(version, self._row.copy(), datagram)
        return datagram.tobytes()

    @property
    def row(self) -> Array:
        """(STATE_SIZE,) the whole state as one read-only row, see `wire/state_layout.py`."""
        return self._row[:]

    def isometry(self, name: str) -> Isometry3d:
        """Return one of the transforms as `Isometry3d`.

        A rotation that is off by rounding (binary32) is replaced by the nearest one.

        Args:
            name: `O_T_EE`, `O_T_EE_d`, `O_T_EE_c`, `F_T_EE`, `F_T_NE`, `NE_T_EE` or `EE_T_K`.

        Raises:
            InvalidArgumentError: The field is no transform. Also a `ValueError`.
            NotRigidError: The numbers are no rigid transform within 1e-3. Also a `ValueError`.
        """
        if name not in TRANSFORMS:
            raise InvalidArgumentError(f"no transform {name!r}{suggestion(str(name), TRANSFORMS)}")
        matrix = getattr(self, name).reshape(4, 4).T.copy()
        block = matrix[:3, :3]
        if not np.abs(block.T @ block - np.eye(3)).max() <= _RIGID_TOLERANCE:
            raise NotRigidError(f"{name} is no rigid transform: {matrix.tolist()}")
        left, _, right = np.linalg.svd(block)
        matrix[:3, :3] = left @ right
        return as_isometry(matrix, name)

    def replace(self, **fields: Any) -> "RobotState":
        """Return a copy with some fields changed; derived fields are not computed anew.

        Transforms are taken as sixteen numbers (column-major), 4x4 matrix or `Isometry3d`; errors
        as `Errors` or names; the mode as `RobotMode`, its name or number.

        Raises:
            InvalidArgumentError: There is no such field, or a value does not fit. Also a
                `ValueError`.
        """
        check_names(fields)
        row = self._row.copy()
        for name, value in fields.items():
            write_field(row, name, value)
        return self._of(row)

    def to_dict(self) -> dict[str, Any]:
        """Return the 49 fields: numbers, lists, `time` in ms, errors as lists of names."""
        return {name: _plain(getattr(self, name)) for name in PUBLIC_FIELDS}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "RobotState":
        """Build from what `to_dict` returns; arrays are taken too.

        Raises:
            InvalidArgumentError: A field is missing or unknown, or a value does not fit. Also a
                `ValueError`.
        """
        if not isinstance(data, Mapping):
            raise InvalidArgumentError(f"{data!r:.200} is no mapping of the fields of a RobotState")
        check_names(data)
        check_complete(data)
        return cls().replace(**data)

    def to_json(self) -> str:
        """Return the fields of `to_dict` as JSON."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str | bytes) -> "RobotState":
        """Build from what `to_json` returns.

        Raises:
            InvalidArgumentError: No JSON object, or as `from_dict`. Also a `ValueError`.
        """
        try:
            data = json.loads(text)
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidArgumentError(f"no JSON: {error}") from error
        if not isinstance(data, dict):
            raise InvalidArgumentError(f"a JSON object is needed, not {type(data).__name__}")
        return cls.from_dict(data)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RobotState):
            return NotImplemented
        public = slice(0, S_motion_generator_mode)
        return bool((self._row[public] == other._row[public]).all())

    def __hash__(self) -> int:
        return hash((self._row[S_time].item(), *self._row[S_q : S_q + 7].tolist()))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"RobotState is immutable; use replace({name}=...)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"RobotState is immutable; {name!r} cannot be deleted")

    def __copy__(self) -> "RobotState":
        return self

    def __deepcopy__(self, memo: object) -> "RobotState":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._row.tobytes(),)

    def __repr__(self) -> str:
        q = ", ".join(f"{angle:.6g}" for angle in self.q)
        return (
            f"RobotState(time={self.time}, robot_mode={self.robot_mode.name}, q=[{q}], "
            f"current_errors={self.current_errors})"
        )


def _restore(data: bytes) -> RobotState:
    return RobotState._of(np.frombuffer(data).copy())


def _bytes(datagram: Any) -> bytes:
    if isinstance(datagram, np.ndarray | np.generic):
        return datagram.tobytes()
    try:
        return bytes(memoryview(datagram))
    except TypeError as error:
        raise ProtocolError(f"no bytes of a datagram: {type(datagram).__name__}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Errors):
        return list(value)
    return value.name if isinstance(value, RobotMode) else value
