"""What bad input gives: an error that says what is wrong, and a solver as it was before."""

from collections.abc import Callable

import numpy as np

from kinegraph.kinematics import OFKTStateSolver
from kinegraph.robot import description_text
from kinegraph.scene import (
    Joint,
    JointType,
    KinegraphError,
    Link,
    UnknownLinkError,
    URDFError,
    parseURDFString,
)

BROKEN = """<robot name="r">
  <link name="a"/>
  <link name="b"/>
  <joint name="j" type="revolute">
    <parent link="a"/> <child link="b"/>
    <limit lower="-1" upper="one" velocity="1" effort="1"/>
  </joint>
</robot>"""


def show(what: str, call: Callable[[], object]) -> None:
    """Make a call that fails and show its error."""
    try:
        call()
    except KinegraphError as error:
        print(f"{what}\n    {type(error).__name__}: {error}")


def main() -> None:
    solver = OFKTStateSolver(parseURDFString(description_text("fr3")))
    solver.setState({"fr3_joint2": 0.3})
    before = solver.getState()

    show("an unknown joint", lambda: solver.setState({"fr3_joint2": 1.0, "fr3_jiont4": 0.2}))
    show("too few values", lambda: solver.setState([0.1, 0.2]))
    show("a NaN", lambda: solver.setState({"fr3_joint3": float("nan")}))
    show("a matrix for a vector", lambda: solver.setState(np.zeros((2, 7))))
    show("an unknown link", lambda: solver.getLinkTransform("fr3_link9"))
    show("a scaling", lambda: solver.changeJointOrigin("fr3_joint1", np.diag([2, 2, 2, 1])))
    show("a description", lambda: parseURDFString(BROKEN))

    # Each error is also the builtin that one expects, and carries its facts as attributes.
    try:
        solver.getLinkTransform("fr3_link9")
    except KeyError as error:
        facts = error.name if isinstance(error, UnknownLinkError) else ""
        print("a KeyError about", facts)
    try:
        parseURDFString(BROKEN)
    except URDFError as error:
        print(f"line {error.line}, {error.element}, {error.attribute}={error.value!r}")

    # Names that do not fit are no error in an edit: it returns False, as in tesseract.
    joint = Joint("new")
    joint.type = JointType.FIXED
    joint.parent_link_name, joint.child_link_name = "no_such_link", "box"
    print("addLink below an unknown link:", solver.addLink(Link("box"), joint))

    print("solver unchanged:", solver.getState() == before, len(solver.getLinkNames()), "links")


if __name__ == "__main__":
    main()
