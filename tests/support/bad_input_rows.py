"""What the rows of the table of bad inputs do, by their number, and how each must end."""

from typing import Any

import numpy as np
from bad_inputs import (
    NOT_FINITE,
    TWICE,
    Call,
    adding,
    cyclic_scene,
    elsewhere,
    inserting,
    made,
    planar_scene,
    rooted_scene,
    scene,
    tool,
)
from kinematics_cases import graph_of

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver
from kinegraph.scene import JointType, Link, SceneGraph

nan, inf = np.nan, np.inf
NOPE = {"nope": 1.0}


def unknown_kind() -> Any:
    """A joint of which nobody said how it moves."""
    one = made("jx", "base", "n")
    one.type = JointType.UNKNOWN
    return one


REFUSED: dict[int, tuple[Call, type[Exception], tuple[str, ...]]] = {
    1: (lambda s: s.setState(NOPE), ValueError, ("nope", "setState")),
    2: (lambda s: s.setState(["j1", "nope"], [0.5, 1.0]), ValueError, ("nope", "setState")),
    3: (lambda s: s.setState({"j3": 1.0}), ValueError, ("j3",)),
    4: (lambda s: s.setState({"jf": 1.0}), ValueError, ("jf",)),
    5: (lambda s: s.setState(NOPE), ValueError, ("nope", "setState")),
    6: (lambda s: s.getState(NOPE), ValueError, ("nope", "getState")),
    7: (lambda s: s.getState(NOPE), ValueError, ("nope", "getState")),
    8: (lambda s: s.getJacobian(NOPE, "l3"), ValueError, ("nope", "getJacobian")),
    9: (lambda s: s.getJacobian(NOPE, "l3"), ValueError, ("nope", "getJacobian")),
    10: (lambda s: s.getJacobian(["nope"], [1.0], "l3"), ValueError, ("nope", "getJacobian")),
    11: (lambda s: s.setState([0.5]), ValueError, ("length", "1", "2")),
    12: (lambda s: s.setState(np.ones(5)), ValueError, ("length", "5", "2")),
    13: (lambda s: s.setState([]), ValueError, ("length", "0", "2")),
    14: (lambda s: s.getJacobian(np.ones(1000), "l3"), ValueError, ("length", "1000", "2")),
    15: (lambda s: s.getState([0.5]), ValueError, ("length", "1", "2")),
    16: (lambda s: s.setState(["j1", "j2"], [0.5]), ValueError, ("length", "1", "2")),
    17: (lambda s: s.setState(["j1"], [0.5, 1.0, 2.0]), ValueError, ("length", "1", "3")),
    18: (lambda s: s.setState({"j1": nan}), ValueError, ("j1", "nan")),
    19: (lambda s: s.setState([nan, 0.1]), ValueError, ("j1", "nan")),
    20: (lambda s: s.setState([0.1, inf]), ValueError, ("j2", "inf")),
    21: (lambda s: s.setState(["a", "b"]), TypeError, ()),
    22: (lambda s: s.setState(None), TypeError, ()),
    23: (lambda s: s.setState(np.zeros((2, 1))), TypeError, ("(2, 1)",)),
    24: (lambda s: s.setState(np.zeros((1, 2))), TypeError, ("(1, 2)",)),
    31: (lambda s: s.getJacobian([0.1, 0.2], "nope"), KeyError, ("nope",)),
    32: (lambda s: s.getJacobian([0.1, 0.2], "nope"), KeyError, ("nope",)),
    34: (lambda s: s.getLinkTransform("nope"), KeyError, ("nope",)),
    35: (lambda s: s.getRelativeLinkTransform("base", "nope"), KeyError, ("nope",)),
    36: (lambda s: s.setState({"nope": elsewhere()}), ValueError, ("nope",)),
    37: (lambda s: s.setState({"j1": 0.7}, {"nope": elsewhere()}), ValueError, ("nope",)),
    38: (lambda s: s.setState({"jf": elsewhere()}), RuntimeError, ("not supported",)),
    39: (lambda s: s.getState({"jf": elsewhere()}), RuntimeError, ("not supported",)),
    45: (adding(made("jx", "base", "n", "revolute", limits=None)), ValueError, ("jx", "limits")),
    46: (adding(made("jx", "base", "n", "planar")), RuntimeError, ("jx",)),
    47: (adding(unknown_kind()), RuntimeError, ("jx",)),
    48: (adding(made("jx", "base", "n", "revolute", axis=(0, 0, 0))), ValueError, ("jx", "axis")),
    59: (lambda s: s.changeJointPositionLimits("j1", 2.0, -2.0), ValueError, ("j1", "2.0", "-2.0")),
    60: (lambda s: s.changeJointPositionLimits("j1", nan, inf), ValueError, ("j1", "nan")),
    61: (lambda s: s.changeJointVelocityLimits("j1", -3.0), ValueError, ("j1", "-3.0")),
    63: (lambda s: s.changeJointOrigin("j1", NOT_FINITE), ValueError, ("j1",)),
    64: (lambda s: s.changeJointOrigin("j1", TWICE), ValueError, ("j1",)),
    73: (lambda _: OFKTStateSolver(SceneGraph()), RuntimeError, ("empty",)),
    74: (lambda _: KDLStateSolver(SceneGraph()), RuntimeError, ("empty",)),
    77: (lambda _: OFKTStateSolver(planar_scene()), RuntimeError, ("jx",)),
    78: (lambda _: KDLStateSolver(planar_scene()), RuntimeError, ("jx",)),
    79: (lambda _: OFKTStateSolver(scene(loose=["second"])), RuntimeError, ("second",)),
    80: (lambda _: KDLStateSolver(scene(loose=["second"])), RuntimeError, ("second",)),
    81: (lambda _: OFKTStateSolver(cyclic_scene()), RuntimeError, ("c1",)),
    82: (lambda s: s.getState().getJointValues(["nope"]), KeyError, ("nope",)),
    83: (lambda s: s.getState().getFloatingJointValues(["nope"]), KeyError, ("nope",)),
    88: (lambda g: g.getInboundJoints("nope"), KeyError, ("nope",)),
    89: (lambda g: g.getLinkVisibility("nope"), KeyError, ("nope",)),
    90: (lambda g: g.getShortestPath("base", "loose"), ValueError, ("base", "loose")),
    92: (lambda _: OFKTStateSolver(rooted_scene()), RuntimeError, ("l1",)),
    94: (lambda g: g.addLink(Link("")), ValueError, ()),
}

ANSWERED: dict[int, tuple[Call, object]] = {
    40: (adding(made("jx", "nope", "n")), False),
    41: (adding(made("jx", "n", "n")), False),
    42: (adding(made("jx", "base", "l1")), False),
    43: (adding(made("jx", "base", "l1"), "l1"), False),
    44: (adding(made("j1", "base", "n")), False),
    49: (lambda s: s.moveLink(made("jx", "l1", "base")), False),
    50: (lambda s: s.moveLink(made("jx", "l3", "l1")), False),
    51: (lambda s: s.moveLink(made("jx", "l2", "l1", "revolute")), False),
    52: (lambda s: s.moveJoint("j1", "l1"), False),
    53: (lambda s: s.moveJoint("j1", "l3"), False),
    54: (lambda s: s.replaceJoint(made("j1", "l1", "l1", "revolute")), False),
    55: (lambda s: s.moveLink(made("j2", "base", "f")), False),
    56: (lambda s: s.removeLink("base"), False),
    57: (lambda s: s.changeJointPositionLimits("j3", -9.0, 9.0), False),
    58: (lambda s: s.changeJointJerkLimits("jf", 9.0), False),
    66: (inserting(tool(), "at", "a", "a_long_prefix_"), False),
    67: (inserting(tool(), "at", "zz_a", "pp_"), False),
    68: (inserting(tool(made("ga", "a", "l1")), "at", "a"), False),
    69: (inserting(tool(made("j1", "a", "b")), "at", "a"), False),
    70: (inserting(tool(), "at", "b"), False),
    71: (inserting(SceneGraph(), "at", "a"), False),
    72: (inserting(tool(), "p_ga", "p_a", "p_"), False),
    87: (lambda g: g.getLink("nope"), None),
    91: (lambda g: g.addJoint(made("jx", "l1", "l1")), False),
    93: (lambda g: g.addJoint(made("j1", "base", "loose")), False),
    95: (lambda s: (s.hasLinkName("nope"), s.isActiveLinkName("nope")), (False, False)),
}

ACCEPTED: dict[int, tuple[Call, dict[str, float]]] = {
    25: (lambda s: s.setState(np.array([1, 2])), {"j1": 1.0, "j2": 2.0}),
    26: (lambda s: s.setState(np.array([1, 2], np.float32)), {"j1": 1.0, "j2": 2.0}),
    27: (lambda s: s.setState([1.0, 2.0]), {"j1": 1.0, "j2": 2.0}),
    28: (lambda s: s.setState(np.array([0.1, 9.0, 0.4, 9.0])[::2]), {"j1": 0.1, "j2": 0.4}),
    29: (lambda s: s.setState({"j1": 0.3}), {"j1": 0.3, "j2": -0.07}),
    30: (lambda s: s.setState({}), {"j1": 0.11, "j2": -0.07}),
}

ONE_LINK: dict[int, type[OFKTStateSolver] | type[KDLStateSolver]] = {
    75: OFKTStateSolver,
    76: KDLStateSolver,
}

ON_THEIR_OWN = (33, 62, 65, 84, 85, 86)
"""Rows whose outcome takes more than a value or an error to say: they have a test each."""


def one_link() -> SceneGraph:
    """A graph of one link and no joint."""
    return graph_of("only")
