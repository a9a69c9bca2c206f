"""The model evaluated by the robot's own library, `libfcimodels`."""

import os
import threading
from types import TracebackType
from typing import Any, NoReturn

import numpy as np

from kinegraph.robot.errors import InvalidOperationError
from kinegraph.robot.model.arguments import PoseLike, joint_number
from kinegraph.robot.model.checked_calls import (
    CORIOLIS,
    GRAVITY,
    JOINT,
    MASS,
    NO_INERTIA,
    gather,
    joint_and_tool,
    joint_and_two_tools,
)
from kinegraph.robot.model.library import ModelLibrary, load_from_bytes, load_from_file
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["SoModelBackend"]

FLANGE, END_EFFECTOR = 8, 9


class SoModelBackend:
    """`RobotModelBackend` of the robot's own `libfcimodels`, the model library of FCI version 5.

    Make one by `open` or `from_bytes`, or by `Robot.load_model("robot")`.

    **Trust.** Loading runs the library's code in this process, with all that this process may do
    and without any check of what it does; each call runs more of it. Load only a library that was
    built for this machine by those who built the robot: from a control unit over its command
    connection, or from a file that was captured there and that nobody else could write to since.
    The functions must have the signatures of libfranka 0.9.2; of anything else the behaviour is
    undefined. What is no shared object of this architecture, or is cut off, is refused before it
    is loaded.

    Calls from several threads take turns, because nothing is known about the library's own memory.
    An object is a context manager; a closed one refuses every call, and the library is unloaded.
    """

    def __init__(self, library: ModelLibrary, origin: str) -> None:
        self._library: ModelLibrary | None = library
        self._origin = origin
        self._turn = threading.RLock()

    @classmethod
    def open(cls, path: "str | os.PathLike[str]") -> "SoModelBackend":
        """Load a library from a file, which stays where it is.

        This runs the code of the file in this process: see the class for the trust it takes. The
        file must not be exchanged meanwhile.

        Args:
            path: The file.

        Raises:
            ModelError: There is no such file, it cannot be read, is no shared object, is for
                another architecture, or lacks one of the thirty functions, which is then named.
        """
        return cls(load_from_file(path), os.fspath(path))

    @classmethod
    def from_bytes(cls, data: bytes) -> "SoModelBackend":
        """Load a library that was downloaded.

        This runs the code in the bytes in this process: see the class for the trust it takes. They
        pass through a fresh file of mode 0600 in the directory for temporary files, which is
        removed before this returns.

        Args:
            data: The shared object.

        Raises:
            ModelError: The file cannot be written, or as `open`.
        """
        return cls(load_from_bytes(data), f"{len(data)} bytes")

    # --- life -----------------------------------------------------------------------------------

    def close(self) -> None:
        """Unload the library; later calls are refused, a second close does nothing."""
        with self._turn:
            self._library = None

    def __enter__(self) -> "SoModelBackend":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        closed = ", closed" if self._library is None else ""
        return f"SoModelBackend({self._origin!r}{closed})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "cannot pickle a SoModelBackend: loaded code stays in its process; send the library's "
            "path or bytes instead"
        )

    def _call(self, name: str, size: int, *arguments: Any) -> Array:
        """Call a function that takes `arguments` and then fills `size` numbers."""
        out = np.empty(size)
        with self._turn:
            if self._library is None:
                raise InvalidOperationError("this model library was closed")
            self._library.functions[name](
                *[a.ctypes.data if isinstance(a, np.ndarray) else a for a in arguments],
                out.ctypes.data,
            )
        return out

    # --- dynamics -------------------------------------------------------------------------------

    def coriolis(
        self,
        q: VectorLike,
        dq: VectorLike,
        i_total: VectorLike,
        m_total: float,
        f_x_ctotal: VectorLike,
        gravity_earth: VectorLike = (0.0, 0.0, -9.81),
    ) -> Array:
        """Coriolis and centrifugal torques, (7,) Nm: `c_NE(q, dq, I_total, m_total, F_x_Ctotal)`.

        `gravity_earth` is checked and takes no part: the library's function has no such argument.

        Raises:
            InvalidArgumentError: A value is not finite or has the wrong size. Also a `ValueError`.
        """
        given = gather(CORIOLIS, q, m_total, f_x_ctotal, i_total, gravity_earth, dq)
        mass, centre, inertia = float(given[7]), given[8:11], given[11:20]
        return self._call("c_NE", 7, given[:7], given[23:], inertia, mass, centre)

    def gravity(
        self, q: VectorLike, gravity_earth: VectorLike, m_total: float, f_x_ctotal: VectorLike
    ) -> Array:
        """Torques against gravity, (7,) Nm: `g_NE(q, gravity_earth, m_total, F_x_Ctotal)`.

        Raises:
            InvalidArgumentError: A value is not finite or has the wrong size. Also a `ValueError`.
        """
        given = gather(GRAVITY, q, m_total, f_x_ctotal, NO_INERTIA, gravity_earth)
        return self._call("g_NE", 7, given[:7], given[20:], float(given[7]), given[8:11])

    def mass(
        self, q: VectorLike, i_total: VectorLike, m_total: float, f_x_ctotal: VectorLike
    ) -> Array:
        """Mass matrix, (49,) kg m^2: `M_NE(q, I_total, m_total, F_x_Ctotal)`.

        Raises:
            InvalidArgumentError: A value is not finite or has the wrong size. Also a `ValueError`.
        """
        given = gather(MASS, q, m_total, f_x_ctotal, i_total)
        return self._call("M_NE", 49, given[:7], given[11:], float(given[7]), given[8:11])

    # --- poses ----------------------------------------------------------------------------------

    def pose(self, q: VectorLike, joint_index: int) -> Array:
        """Pose of a joint frame in the base frame, (16,).

        Raises:
            InvalidArgumentError: `q` is not seven finite numbers, `joint_index` not 1 to 7.
        """
        return self._call(f"O_T_J{joint_number(joint_index)}", 16, gather(JOINT, q))

    def pose_flange(self, q: VectorLike) -> Array:
        """Pose of the flange, (16,).

        Raises:
            InvalidArgumentError: `q` is not seven finite numbers. Also a `ValueError`.
        """
        return self._call(f"O_T_J{FLANGE}", 16, gather(JOINT, q))

    def pose_ee(self, q: VectorLike, f_t_ee: PoseLike) -> Array:
        """Pose of the end effector, (16,).

        Raises:
            InvalidArgumentError: As `pose_flange`, or `f_t_ee` is not a rigid transform.
        """
        return self._call(f"O_T_J{END_EFFECTOR}", 16, *joint_and_tool(q, f_t_ee))

    def pose_stiffness(self, q: VectorLike, f_t_ee: PoseLike, ee_t_k: PoseLike) -> Array:
        """Pose of the stiffness frame, (16,): that of an end effector at `f_t_ee ee_t_k`.

        Raises:
            InvalidArgumentError: As `pose_ee`, or `ee_t_k` is not a rigid transform.
        """
        return self._call(f"O_T_J{END_EFFECTOR}", 16, *joint_and_two_tools(q, f_t_ee, ee_t_k))

    # --- Jacobians ------------------------------------------------------------------------------

    def body_jacobian(self, q: VectorLike, joint_index: int) -> Array:
        """Body Jacobian of a joint frame, (42,).

        Raises:
            InvalidArgumentError: As `pose`.
        """
        return self._joint_jacobian("Ji_J_J", q, joint_index)

    def body_jacobian_flange(self, q: VectorLike) -> Array:
        """Body Jacobian of the flange, (42,).

        Raises:
            InvalidArgumentError: As `pose_flange`.
        """
        return self._call(f"Ji_J_J{FLANGE}", 42, gather(JOINT, q))

    def body_jacobian_ee(self, q: VectorLike, f_t_ee: PoseLike) -> Array:
        """Body Jacobian of the end effector, (42,).

        Raises:
            InvalidArgumentError: As `pose_ee`.
        """
        return self._call(f"Ji_J_J{END_EFFECTOR}", 42, *joint_and_tool(q, f_t_ee))

    def body_jacobian_stiffness(self, q: VectorLike, f_t_ee: PoseLike, ee_t_k: PoseLike) -> Array:
        """Body Jacobian of the stiffness frame, (42,).

        Raises:
            InvalidArgumentError: As `pose_stiffness`.
        """
        return self._call(f"Ji_J_J{END_EFFECTOR}", 42, *joint_and_two_tools(q, f_t_ee, ee_t_k))

    def zero_jacobian(self, q: VectorLike, joint_index: int) -> Array:
        """Zero Jacobian of a joint frame, (42,).

        Raises:
            InvalidArgumentError: As `pose`.
        """
        return self._joint_jacobian("O_J_J", q, joint_index)

    def zero_jacobian_flange(self, q: VectorLike) -> Array:
        """Zero Jacobian of the flange, (42,).

        Raises:
            InvalidArgumentError: As `pose_flange`.
        """
        return self._call(f"O_J_J{FLANGE}", 42, gather(JOINT, q))

    def zero_jacobian_ee(self, q: VectorLike, f_t_ee: PoseLike) -> Array:
        """Zero Jacobian of the end effector, (42,).

        Raises:
            InvalidArgumentError: As `pose_ee`.
        """
        return self._call(f"O_J_J{END_EFFECTOR}", 42, *joint_and_tool(q, f_t_ee))

    def zero_jacobian_stiffness(self, q: VectorLike, f_t_ee: PoseLike, ee_t_k: PoseLike) -> Array:
        """Zero Jacobian of the stiffness frame, (42,).

        Raises:
            InvalidArgumentError: As `pose_stiffness`.
        """
        return self._call(f"O_J_J{END_EFFECTOR}", 42, *joint_and_two_tools(q, f_t_ee, ee_t_k))

    def _joint_jacobian(self, kind: str, q: VectorLike, joint_index: int) -> Array:
        number, checked = joint_number(joint_index), gather(JOINT, q)
        # The first joint's Jacobian is constant: its function takes no positions.
        return self._call(f"{kind}{number}", 42, *(() if number == 1 else (checked,)))
