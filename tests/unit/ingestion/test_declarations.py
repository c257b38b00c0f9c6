"""Names that a text gives in so many words."""

import pytest

from wenmai.ingestion.names.declarations import declarations

FIRST = "我每天六点开门。我的店很小。我没有说话。"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("我叫窦小满，今年九岁。", "窦小满"),
        ("我大名叫窦小满。", "窦小满"),
        ("我姓罗，单名一个蔓字。", "罗蔓"),
        ("镇上的人都叫我川子。川子来了。", "川子"),
    ],
)
def test_the_narrators_name(text: str, name: str) -> None:
    assert [(one.name, one.is_self) for one in declarations([text + FIRST])] == [(name, True)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("镇上的人都叫他老狗。老狗走了。", "老狗"),
        ("孩子们给他起了个外号，叫水鬼。水鬼走了。", "水鬼"),
        ("他外号八碗。八碗走了。", "八碗"),
        ("知县姓郑，讳明远，素有清名。", "郑明远"),
        ("Everybody called him Butterfingers. Butterfingers ran.", "Butterfingers"),
        ("He was a man whom the village called Half-Moon. Half-Moon ran.", "Half-Moon"),
        ("She was known to all as the Duchess. The Duchess sat.", "Duchess"),
    ],
)
def test_what_others_are_called(text: str, name: str) -> None:
    assert [(one.name, one.is_self) for one in declarations([text])] == [(name, False)]


@pytest.mark.parametrize(
    "text",
    [
        "大家都叫他回来。他回来了。",
        "大家都叫他先生。先生走了。",
        "他叫他老狗。老狗走了。",
        "人人都叫她奶奶。奶奶走了。",
        "They called him Captain. Captain Bell ran.",
        "“我叫窦小满。”他说。",
        "Everybody called him Butterfingers.",
    ],
)
def test_what_is_no_name(text: str) -> None:
    assert declarations([text]) == []
