"""`ArmAnswers`: the numbers that an arm's cycles work on, and the call of the compiled cycle."""

import numpy as np

from kinegraph.robot.loop.loop_layout import P_CUTOFF, P_LIMIT_RATE, SETTINGS_SIZE, TargetMemory
from kinegraph.robot.torque_arm.arm_row import empty_row, read_arm, write_state
from kinegraph.robot.torque_arm.description import ArmDescription
from kinegraph.robot.torque_arm.protocol import TorqueArm
from kinegraph.scene.array_types import IntArray

__all__ = ["ArmAnswers"]

# Numbers of a load: mass, centre, inertia.
LOAD = 13


class ArmAnswers:
    """Reads an arm's states and computes the torques that answer them.

    Args:
        arm: The arm.
        description: Its kinematics and bodies; the deviation guard goes by its tip.
        cutoff_frequency: Low-pass on the torques, Hz; 1000 and more: none.
        limit_rate: Whether the arm's torque rates are kept.

    Attributes:
        row: State that was read last, see `arm_row`.
        torques: (n,) Nm, the last answer.
    """

    def __init__(
        self,
        arm: TorqueArm,
        description: ArmDescription,
        *,
        cutoff_frequency: float,
        limit_rate: bool,
    ) -> None:
        n = description.n
        self.row, self.torques = empty_row(), np.zeros(n)
        self._arm, self._chain = arm, description.chain.data
        self._settings = np.zeros(SETTINGS_SIZE)
        self._settings[P_CUTOFF], self._settings[P_LIMIT_RATE] = cutoff_frequency, limit_rate
        self._limits = np.concatenate([arm.torque_rate, arm.table.rated_torque])
        self._gravity, self._load = np.array(arm.gravity, dtype=np.float64), np.zeros(LOAD)
        self._pose, self._work = np.zeros((4, 4)), description.bodies.workspace()
        self._tau, self._sent = np.zeros(n), np.zeros(n)

    def read(self) -> None:
        """Read the arm's state into its row.

        Raises:
            ControlError: As `read_arm`.
        """
        write_state(self.row, read_arm(self._arm, self.torques.size))

    def answer(self, block: IntArray, extra: TargetMemory, address: int) -> int:
        """Compute the torques for the state that was read last; returns the controller's answer."""
        from kinegraph.robot.torque_arm.arm_kernels import arm_cycle

        return int(
            arm_cycle(
                block,
                extra,
                address,
                self._chain,
                self.row,
                self._settings,
                self._limits,
                self._gravity,
                self._load,
                self._pose,
                self._work,
                self._tau,
                self._sent,
                self.torques,
            )
        )

    def rehearse(self, block: IntArray, extra: TargetMemory, address: int) -> None:
        """Answer the arm's state on memory apart: what is not compiled is compiled here."""
        self.read()
        self.answer(block, extra, address)
        self._sent[:] = 0.0
