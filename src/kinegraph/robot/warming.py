"""Compiling everything that a control session needs, before it is needed."""

import numpy as np

__all__ = ["warm_up"]

FLANGES = {10: ("fr3", "fr3_link8"), 5: ("fer", "fer_link8")}


def warm_up(version: int = 10) -> None:
    """Compile, or load from the cache, all that the client, its loops and the targets run.

    The first time on a machine this takes about a minute, later less than two seconds. Connecting
    and starting a session do the same for what they need; a program that cannot wait there calls
    this first.

    Args:
        version: FCI version, 10 or 5.

    Raises:
        InvalidArgumentError: Another version. Also a `ValueError`.
    """
    from kinegraph.kinematics.chain import plan_chain
    from kinegraph.kinematics.dynamics_plan import plan_dynamics
    from kinegraph.robot.control.arms import arm_table
    from kinegraph.robot.control.backends import cartesian_form, joint_form
    from kinegraph.robot.control.joint_options import JointOptions
    from kinegraph.robot.control.memory_layout import MEMORY_SIZE
    from kinegraph.robot.control.options import CartesianOptions, RobotController
    from kinegraph.robot.limits import rate_limits
    from kinegraph.robot.loop import loop_thread
    from kinegraph.robot.loop.callback import CompiledCallbacks
    from kinegraph.robot.loop.target_controller import TargetController
    from kinegraph.robot.parked_loop import ParkedLoop
    from kinegraph.robot.sim.descriptions import description_text
    from kinegraph.robot.wire.tables import PROTOCOLS
    from kinegraph.scene.urdf import parseURDFString

    name, flange = FLANGES[version]
    loop_thread.warm_up()
    graph = parseURDFString(description_text(name))
    chain = plan_chain(graph, flange)
    arm = plan_dynamics(graph, chain.joint_names, flange)
    loop = loop_thread.LoopThread(PROTOCOLS[version], rate_limits(version))
    try:
        table = arm_table(version)
        posed = (CartesianOptions(), CartesianOptions(backend=RobotController()))
        turned = (JointOptions(), JointOptions(backend=RobotController()))
        for packed, form in (
            *((options.packed(table), cartesian_form(options)) for options in posed),
            *((options.packed(table), joint_form(options, chain.n)) for options in turned),
        ):
            controller = TargetController(
                packed,
                chain.data,
                arm.data,
                np.zeros(MEMORY_SIZE),
                loop.waiters,
                form=form,
            )
            controller.prepare(loop.memory)
        for program in (CompiledCallbacks(0, None, None), ParkedLoop()):
            program.prepare(loop.memory)
    finally:
        loop.close()
