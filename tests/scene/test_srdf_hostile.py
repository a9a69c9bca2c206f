"""SRDF texts that are meant to hurt; the bound of ten seconds is a hang bound."""

from typing import Any

import pytest
from srdf_texts import read_srdf, srdf

from kinegraph.scene import SRDFError

ENTITY = '<!DOCTYPE r [<!ENTITY a "{}">]>'
GROUP = '<group name="g"><joint name="{}"/></group>'
REFUSED: dict[str, Any] = {
    "entities": ENTITY.format("x" * 1000) + srdf(GROUP.format("&a;" * 1000)),
    "an entity that is not declared": srdf(GROUP.format("&a;")),
    "an entity of a document type elsewhere": '<!DOCTYPE r SYSTEM "r.dtd">'
    + srdf(GROUP.format("j1&a;")),
    "attributes out of nothing": '<!DOCTYPE robot [<!ATTLIST joint name CDATA "j1">]>'
    + srdf(GROUP.format("j1")),
    "elements a hundred thousand deep": srdf("<a>" * 100_000 + "</a>" * 100_000),
    "more text than is read": srdf(GROUP.format("j1") * 400_000),
    "a number of a million digits": srdf(f'<collision_margins default_margin="{"9" * 10**6}"/>'),
    "digits of another script": srdf('<collision_margins default_margin="\u0663"/>'),
    "an underscore in a number": srdf('<collision_margins default_margin="1_0"/>'),
    "a version of many digits": srdf("", f'name="r" version="1.{"9" * 5000}"'),
    "a version of another script": srdf("", 'name="r" version="\u0661.\u0660"'),
    "a long wrong name": srdf(GROUP.format("j" * 1_000_000)),
    "nothing": b"",
    "no xml": "hello",
    "an unclosed element": '<robot name="r"><group name="g">',
    "an attribute twice": '<robot name="r" name="q"/>',
    "half a character": srdf(GROUP.format("\ud800")),
    "a zero byte": srdf(GROUP.format("\0")),
    "an encoding that nobody knows": b'<?xml version="1.0" encoding="klingon"?><robot name="r"/>',
    "an encoding that is none": b'<?xml version="1.0" encoding="rot13"?><robot name="r"/>',
    "an encoding of addresses": b'<?xml version="1.0" encoding="idna"?><robot name="r"/>',
    "bytes that are not what they say": b'<?xml version="1.0" encoding="ascii"?>'
    b'<robot name="\xe4"/>',
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_a_short_error(name: Any) -> None:
    with pytest.raises(SRDFError) as error:
        read_srdf(REFUSED[name])
    assert len(str(error.value)) < 1000


@pytest.mark.timeout(60)
def test_many_elements_are_read_soon() -> None:
    pairs = '<disable_collisions link1="a" link2="b" reason="x"/>' * 50_000
    unknown = '<disable_collisions link1="a" link2="x"/>' * 50_000
    assert len(read_srdf(srdf(pairs + unknown)).acm) == 1


def test_encodings_of_several_bytes_are_followed() -> None:
    text = '<?xml version="1.0" encoding="shift_jis"?>' + srdf(
        '<group name="腕"><joint name="j1"/></group>'
    )
    assert read_srdf(text.encode("shift_jis")).kinematics_information.hasGroup("腕")
    assert read_srdf(text).kinematics_information.hasGroup("腕")
