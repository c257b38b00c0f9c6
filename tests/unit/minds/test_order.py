"""Events whose order is asked."""

import pytest

from state.schema import Evidence
from tests.graph.rig import piece
from tests.unit.minds.scripted import ScriptedReader, people
from wenmai.minds.offline.questions.order import events_asked, events_told, in_order


@pytest.mark.parametrize(
    ("question", "events"),
    [
        ("点燃圣火、比赛落败，哪个在先？", ["点燃圣火", "比赛落败"]),
        ("点燃圣火、比赛落败、获得古名的先后顺序是什么？", ["点燃圣火", "比赛落败", "获得古名"]),
        ("Which came first: the fire or the fall?", ["the fire", "the fall"]),
        ("先发生的是婚礼还是葬礼？", ["婚礼", "葬礼"]),
        ("哪件事先发生：婚礼还是葬礼？", ["婚礼", "葬礼"]),
        ("婚礼在葬礼之前还是之后？", ["婚礼", "葬礼"]),
        ("是婚礼在先，还是葬礼在先？", ["婚礼", "葬礼"]),
        ("婚礼早还是葬礼早？", ["婚礼", "葬礼"]),
        ("先喝酒还是先吃饭？", ["喝酒", "吃饭"]),
        ("请按时间顺序排列：婚礼、葬礼、火灾", ["婚礼", "葬礼", "火灾"]),
        ("Did the wedding happen before or after the funeral?", ["the wedding", "the funeral"]),
        ("Which happened earlier, the wedding or the funeral?", ["the wedding", "the funeral"]),
        ("先生教的是语文，还是数学？", []),
        ("他在城门之前还是之后等人？", []),
        ("点燃圣火、比赛落败的先后？", ["点燃圣火", "比赛落败"]),
        ("她什么时候点燃圣火？", []),
        ("卡齐娜、恰斯卡和基尼奇先后投奔了谁？", []),
        ("谁先后点燃了圣火、火把和灯？", []),
        ("这些事的先后顺序是什么？", []),
    ],
)
def test_the_events_of_a_question(question: str, events: list[str]) -> None:
    assert events_asked(question) == events


async def told(script: dict[str, float | dict[str, float]], *pieces: Evidence) -> list[str]:
    """Return the sentences that tell the events 落败 and 点燃圣火, as they are read in pieces."""
    rows = list(enumerate(pieces, 1))
    found = await events_told(ScriptedReader(script), ["落败", "点燃圣火"], people("恰斯卡"), rows, "zh")
    return [one.sentence for one in found]


async def test_they_are_told_in_the_order_of_the_story() -> None:
    pieces = [piece("比赛她落败了。", 9), piece("她点燃圣火。", 2)]
    script: dict[str, float | dict[str, float]] = {"落败": {"落败": 5.0}, "圣火": {"圣火": 5.0}}

    assert await told(script, *pieces) == ["她点燃圣火。", "比赛她落败了。"]


async def test_those_of_one_passage_are_told_as_they_stand_in_it() -> None:
    script: dict[str, float | dict[str, float]] = {"落败": {"落败": 5.0}, "圣火": {"圣火": 5.0}}

    assert await told(script, piece("她先落败。后来点燃圣火。", 1)) == ["她先落败。", "后来点燃圣火。"]


async def test_each_has_a_place_of_its_own() -> None:
    """Two events are not told by the same words: the surer one keeps them."""
    script: dict[str, float | dict[str, float]] = {"落败": {"落败": 5.0}, "圣火": {"落败": 4.0, "圣火": 3.0}}

    assert await told(script, piece("她先落败。后来点燃圣火。", 1)) == ["她先落败。", "后来点燃圣火。"]


@pytest.mark.parametrize(
    ("script", "order"),
    [({"落败": 5.0}, 1), ({"落败": {"落败": -9.0}, "圣火": {"圣火": 5.0}}, 1), ({"圣火": 5.0, "落败": 5.0}, None)],
    ids=["same place", "unsure", "no story"],
)
async def test_where_one_has_no_sure_place_of_its_own_there_is_no_order(
    script: dict[str, float | dict[str, float]], order: int | None
) -> None:
    one = piece("她落败了。" if len(script) == 1 else "她落败了。后来点燃圣火。", 1)

    assert await told(script, {**one, "event_order": order}) == []


async def test_they_are_said_in_the_words_of_the_text() -> None:
    pieces = list(enumerate([piece("她先落败。后来点燃圣火。", 1)], 1))
    script: dict[str, float | dict[str, float]] = {"落败": {"落败": 5.0}, "圣火": {"圣火": 5.0}}
    found = await events_told(ScriptedReader(script), ["落败", "点燃圣火"], people("恰斯卡"), pieces, "zh")

    assert in_order(found, "zh") == ["先是：她先落败。 [E1]", "然后：后来点燃圣火。 [E1]"]
    assert in_order(found, "en") == ["First: 她先落败。 [E1]", "Then: 后来点燃圣火。 [E1]"]
