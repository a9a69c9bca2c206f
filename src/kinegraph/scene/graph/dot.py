"""A scene graph as Graphviz text."""

from collections.abc import Iterable

from kinegraph.scene.joint import Joint, JointType


def to_dot(links: Iterable[str], joints: Iterable[Joint]) -> str:
    r"""Return a digraph with one edge per joint, labelled `name\n(Type)`."""
    lines = ["digraph D {", '  node [shape="box"];']
    lines += [f"  {_quoted(name)};" for name in links]
    for joint in joints:
        kind = JointType(joint.type).name.capitalize()
        label = _escaped(joint.getName()) + rf"\n({kind})"
        lines.append(
            f"  {_quoted(joint.parent_link_name)} -> {_quoted(joint.child_link_name)} "
            f'[label="{label}"];'
        )
    return "\n".join([*lines, "}", ""])


def _quoted(name: str) -> str:
    return f'"{_escaped(name)}"'


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
