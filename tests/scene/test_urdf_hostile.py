"""Texts that are meant to hurt: each ends in an error or a graph, and soon.

The bound of ten seconds is a hang bound; each takes some milliseconds.
"""

import re
from typing import Any

import pytest
from scene_builders import parse_string

from kinegraph.scene import URDFError
from kinegraph.scene.markup import text as xml_text

LINK = '<link name="a"/>'
JOINT = (
    '<link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/>'
    '<child link="b"/><origin xyz="{}"/></joint>'
)
LAUGHS = (
    '<!DOCTYPE r [<!ENTITY a0 "lol">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    + "]>"
)
LONG_ENTITY = f'<!DOCTYPE r [<!ENTITY a "{"x" * 100_000}">]>'
LONG = [letter * 100_000 for letter in "abcdefghijkl"]


def robot(body: str, name: str = "r") -> str:
    return f'<robot name="{name}">{body}</robot>'


REFUSED = {
    "a billion laughs in text": LAUGHS + robot('<link name="a">&a11;</link>'),
    "a billion laughs in a name": LAUGHS + robot(LINK, "&a11;"),
    "a long entity many times": LONG_ENTITY + robot(f'<link name="{"&a;" * 5000}"/>'),
    "a harmless entity": '<!DOCTYPE r [<!ENTITY a "x">]>' + robot(LINK),
    "a file as entity": '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
    + robot('<link name="a">&a;</link>'),
    "an entity that is not declared": robot('<link name="&a;"/>'),
    "elements a hundred thousand deep": robot("<a>" * 100_000 + "</a>" * 100_000),
    "an attribute of eleven megabytes": robot(f'<link name="{"a" * 11_000_000}"/>'),
    "more text than is read": robot(LINK * 600_000),
    "more elements than are read": robot(LINK + "<u/>" * 600_000),
    "a root with a long name": "<" + "t" * 5_000_000 + "/>",
    "a shape with a long name": robot(
        f'<link name="a"><visual><geometry><{"s" * 5_000_000}/></geometry></visual></link>'
    ),
    "two parents with long names": robot(
        "".join(f'<link name="{name}"/>' for name in LONG)
        + "".join(
            f'<joint name="{name}" type="fixed"><parent link="{name}"/>'
            f'<child link="{LONG[2]}"/></joint>'
            for name in LONG[:2]
        )
    ),
    "many roots with long names": robot("".join(f'<link name="{name}"/>' for name in LONG)),
    "a cycle of long names": robot(
        "".join(f'<link name="{name}"/>' for name in LONG)
        + "".join(
            f'<joint name="{child}" type="fixed"><parent link="{parent}"/>'
            f'<child link="{child}"/></joint>'
            for parent, child in zip(LONG, LONG[1:] + LONG[:1], strict=True)
        )
    ),
    "a joint from a link with a long name to itself": robot(
        f'<link name="{LONG[0]}"/><joint name="{LONG[0]}" type="fixed">'
        f'<parent link="{LONG[0]}"/><child link="{LONG[0]}"/></joint>'
    ),
    "a circle of mimic rules with long names": robot(
        f'<link name="a"/><link name="b"/><joint name="{LONG[0]}" type="continuous">'
        f'<parent link="a"/><child link="b"/><mimic joint="{LONG[0]}"/></joint>'
    ),
    "one name very often": robot(LINK * 30_000),
    "a number of five million digits": robot(JOINT.format("9" * 5_000_000 + " 0 0")),
    "four million numbers": robot(JOINT.format("9 " * 4_000_000)),
    "a wrong name among many similar ones": robot(
        "".join(f'<link name="{"l" * 50}{i}"/>' for i in range(20_000))
        + f'<joint name="j" type="fixed"><parent link="{"l" * 50}x"/><child link="l"/></joint>'
    ),
    "bytes that are not what they say": b'<?xml version="1.0" encoding="utf-8"?>\xff<robot/>',
    "an encoding that nobody knows": b'<?xml version="1.0" encoding="klingon"?><robot/>',
    "utf-16 without any mark": robot(LINK).encode("utf-16-le"),
    "a zero byte": robot(LINK, "r\0"),
    "half a character": robot(LINK, "r\ud800"),
    "nothing": b"",
    "blanks": " \n\t",
    "no xml": "hello",
    "all bytes": bytes(range(256)) * 100,
    "an unclosed element": '<robot name="r"><link name="a">',
    "two roots": robot(LINK) + robot(LINK),
    "an attribute twice": '<robot name="r" name="q"><link name="a"/></robot>',
    "a broken tag after an undeclared prefix": '<robot name="r" t:x="1"><link name="a"></robot>',
}

READ = {
    "a document type without content": "<!DOCTYPE robot>" + robot(LINK),
    "two hundred elements deep": robot(LINK + "<a>" * 200 + "</a>" * 200),
    "blanks before the declaration": '\n \t<?xml version="1.0"?>' + robot(LINK),
    "a byte order mark in a str": "\ufeff" + robot(LINK),
    "a byte order mark in bytes": b"\xef\xbb\xbf" + robot(LINK).encode(),
    "a str that says it is utf-16": '<?xml version="1.0" encoding="utf-16"?>' + robot(LINK),
    "a default namespace": '<robot xmlns="urn:x" name="r"><link name="a"/></robot>',
    "xml in a text section": robot(f'<![CDATA[<link name="b"/>]]>{LINK}'),
    "a file to include": '<robot name="r" xmlns:xi="http://www.w3.org/2001/XInclude">'
    f'<xi:include href="/etc/hostname" parse="text"/>{LINK}</robot>',
    "prefixes that nobody declared": '<robot name="r" tesseract:make_convex="true">'
    f'<xacro:if value="1"/>{LINK}<a:b:c/></robot>',
    "comments and instructions": f"<?a b?><!-- <link/> -->{robot(LINK + '<?c d?><!-- e -->')}",
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_a_short_error(name: Any) -> None:
    with pytest.raises(URDFError) as error:
        parse_string(REFUSED[name])
    assert len(str(error.value)) < 1000


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", READ)
def test_it_is_read(name: Any) -> None:
    graph = parse_string(READ[name])
    assert [link.getName() for link in graph.getLinks()] == ["a"]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("place", ["robot", "link"])
def test_a_hundred_thousand_unknown_kinds_are_told_in_a_few_lines(place: Any, caplog: Any) -> None:
    unknown = "".join(f"<u{number}/>" for number in range(100_000))
    text = robot(LINK + unknown) if place == "robot" else robot(f'<link name="a">{unknown}</link>')
    parse_string(text)
    lines = caplog.messages
    assert len(lines) <= 30
    assert "ignored unknown <u0> in robot 'r'" in lines[0]
    counts = [int(n) for n in re.findall(r"\((\d+) in the file\)", " ".join(lines))]
    (rest,) = re.findall(r"ignored (\d+) elements of further kinds", " ".join(lines))
    assert sum(counts) + int(rest) == 100_000


def test_a_long_kind_is_cut_in_the_warning(caplog: Any) -> None:
    parse_string(robot(LINK + f"<{'u' * 1_000_000}/>"))
    (line,) = caplog.messages
    assert len(line) < 500


def test_an_error_is_not_remembered_by_the_next_text() -> None:
    for text, words in ((LAUGHS + robot("&a11;"), "entity"), (robot("<a>"), "mismatch")):
        with pytest.raises(URDFError, match=words):
            parse_string(text)
    assert parse_string(robot(LINK)).getRoot() == "a"


@pytest.mark.timeout(60)
def test_a_chain_of_ten_thousand_links_is_walked_without_recursion() -> None:
    count = 10_000
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/>'
        f'<mimic joint="j{i + 1 if i < count - 2 else 0}"/></joint>'
        for i in range(count - 1)
    )
    links = "".join(f'<link name="l{i}"/>' for i in range(count))
    with pytest.raises(URDFError, match="circle"):
        parse_string(robot(links + joints))
    last = '<mimic joint="j0"/></joint>'
    graph = parse_string(robot(links + joints[: -len(last)] + "</joint>"))
    assert len(graph.getLinkChildrenNames("l0")) == count - 1
    assert graph.removeLink("l1", recursive=True)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "iso-8859-1"])
def test_declared_encodings_are_followed(encoding: Any) -> None:
    name = "Prüfstand"
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + robot(f'<link name="{name}"/>')
    assert parse_string(text.encode(encoding)).getRoot() == name
    assert parse_string(text).getRoot() == name


def test_the_bound_on_the_size_is_far_above_real_descriptions() -> None:
    assert xml_text.MAX_BYTES >= 8_000_000
