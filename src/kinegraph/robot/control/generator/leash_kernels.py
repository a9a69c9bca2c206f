"""Where a cycle's plan starts: the previous desired pose, on a leash from the measured one.

There is no echo of a torque command. While the arm follows, the generator runs from its own
output, bit for bit; held back, the desired pose stays a leash ahead of the arm.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.memory_layout import (
    M_anchor,
    M_leash_alteration,
    M_leash_angular_alteration,
    M_measured,
    M_reference,
)
from kinegraph.robot.control.options_layout import O_leash_rotation, O_leash_translation
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.rotation_kernels import relative_log, turn_by
from kinegraph.scene.array_types import Array


@kernel
def pull(options: Array, memory: Array) -> None:
    """Write the anchor: the measured placement pulled toward the reference, a leash at most.

    One scale serves position and rotation, so that the anchor lies on the way between the two.
    """
    x = memory[M_reference] - memory[M_measured]
    y = memory[M_reference + 1] - memory[M_measured + 1]
    z = memory[M_reference + 2] - memory[M_measured + 2]
    u, v, w = relative_log(memory, M_reference + 3, memory, M_measured + 3)
    way = math.sqrt(x * x + y * y + z * z)
    turn = math.sqrt(u * u + v * v + w * w)
    scale = 1.0
    if way > options[O_leash_translation]:
        scale = options[O_leash_translation] / way
    if turn * scale > options[O_leash_rotation]:
        scale = options[O_leash_rotation] / turn
    memory[M_leash_alteration] = (1.0 - scale) * way
    memory[M_leash_angular_alteration] = (1.0 - scale) * turn
    if scale >= 1.0:
        copy(memory, M_reference, M_anchor, 12)
        return
    memory[M_anchor] = memory[M_measured] + scale * x
    memory[M_anchor + 1] = memory[M_measured + 1] + scale * y
    memory[M_anchor + 2] = memory[M_measured + 2] + scale * z
    turn_by(scale * u, scale * v, scale * w, memory, M_measured + 3, memory, M_anchor + 3)
