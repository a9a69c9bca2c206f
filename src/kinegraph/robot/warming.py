"""Compiling everything that a control session needs, before it is needed."""

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
    from kinegraph.robot.control.backends import controller_of
    from kinegraph.robot.control.joint_options import JointOptions
    from kinegraph.robot.control.options import CartesianOptions, RobotController
    from kinegraph.robot.limits import rate_limits
    from kinegraph.robot.loop import loop_thread
    from kinegraph.robot.loop.callback import CompiledCallbacks
    from kinegraph.robot.parked_loop import ParkedLoop
    from kinegraph.robot.sim.descriptions import description_text
    from kinegraph.robot.wire.tables import PROTOCOLS
    from kinegraph.scene.urdf import parseURDFString

    table = arm_table(version)
    name, flange = FLANGES[version]
    loop_thread.warm_up()
    graph = parseURDFString(description_text(name))
    chain = plan_chain(graph, flange)
    bodies = plan_dynamics(graph, chain.joint_names, flange)
    loop = loop_thread.LoopThread(PROTOCOLS[version], rate_limits(version))
    try:
        for options in (
            CartesianOptions(),
            CartesianOptions(backend=RobotController()),
            JointOptions(),
            JointOptions(backend=RobotController()),
        ):
            controller = controller_of(options, table, chain.data, bodies.data, loop.waiters)
            controller.prepare(loop.memory)
        for program in (CompiledCallbacks(0, None, None), ParkedLoop()):
            program.prepare(loop.memory)
    finally:
        loop.close()
