"""Memories as people speak of themselves, with the offline mind: moves, changes of mind, days, forgetting."""

from datetime import timedelta
from typing import Any

import pytest

from tests.recall.rig import NOON, RecallRig
from tests.recall.test_remember import Reader, stored
from tools.errors import InputError
from wenmai.inputs import context_from

ALONE: dict[str, Any] = {"toolkits": ["memory"], "remember": True}


async def told(reader: Reader, *said: str) -> None:
    for one in said:
        assert (await reader.ask(one, **ALONE))["status"] == "chat"


async def answer(reader: Reader, question: str) -> str:
    return str((await reader.ask(question, **ALONE))["answer"])


@pytest.mark.parametrize(
    ("said", "now", "before", "new", "old"),
    [
        (("我住在杭州。", "我上个月搬到了成都。"), "我现在住在哪里？", "我以前住在哪里？", "成都", "杭州"),
        (
            ("I live in Lisbon.", "I moved to Porto in May."),
            "Where do I live?",
            "Where did I live before?",
            "Porto",
            "Lisbon",
        ),
        (
            ("I work at a bakery.", "I now work at a bank."),
            "Where do I work?",
            "Where did I work before?",
            "bank",
            "bakery",
        ),
        (("我家在苏州。", "我搬家到了无锡。"), "我住在哪里？", "我以前住在哪里？", "无锡", "苏州"),
    ],
)
async def test_a_move_makes_the_old_home_past(
    rig: RecallRig, said: tuple[str, ...], now: str, before: str, new: str, old: str
) -> None:
    """MEM-13: what is true now answers what is asked now, what was true once what asks for it."""
    reader = Reader(rig)
    await told(reader, *said)
    current, past = await answer(reader, now), await answer(reader, before)
    assert new in current and old not in current
    assert old in past and new not in past.splitlines()[0]
    assert {one.content: one.is_active for one in await stored(rig)} == {said[0]: False, said[1]: True}


@pytest.mark.parametrize(
    ("first", "then", "replaced"),
    [
        ("I love drinking coffee.", "I don't like coffee anymore, I drink tea now.", True),
        ("我喜欢喝咖啡。", "我不喜欢咖啡了。", True),
        ("I have a red kayak.", "I sold my kayak yesterday.", True),
        ("My dentist is Anna Howe.", "My new dentist is Ravi Patel.", True),
        ("My phone number is 555-0111.", "My phone number is 555-0199.", True),
        ("I love coffee.", "I love tea.", False),
        ("I live in Lisbon.", "I used to live in Rome.", False),
        ("I live in Lisbon.", "My sister moved to Porto.", False),
        ("My brother is a doctor.", "My brother is in Paris.", False),
        ("我住在杭州。", "我妹妹搬到了成都。", False),
        ("I am allergic to nuts.", "I am allergic to cats.", False),
    ],
)
async def test_a_change_of_mind(rig: RecallRig, first: str, then: str, replaced: bool) -> None:
    """MEM-13: the opposite, or the end, of the same makes it past; another thing, or somebody else's, does not."""
    await told(Reader(rig), first, then)
    assert {one.content: one.is_active for one in await stored(rig)} == {first: not replaced, then: True}


async def test_days_are_those_of_the_speaker(rig: RecallRig) -> None:
    """MEM-14: yesterday is the day before the speaker's own today, kept beside the words and told with them."""
    reader, kept = Reader(rig, clock=lambda: NOON), list[str]()
    for zone in ("Pacific/Kiritimati", "Pacific/Honolulu"):  # 24 hours apart
        result = await reader.ask(f"I sold my kayak to {zone[8:]} yesterday.", time_zone=zone, **ALONE)
        (row,) = [one for one in await stored(rig) if one.memory_key == result["remembered"][0]["memory_key"]]
        kept.append(row.content_metadata["days"][0][1])
        asked = await reader.ask(f"When did I sell my kayak to {zone[8:]}?", time_zone=zone, **ALONE)
        assert f"yesterday ({kept[-1]})" in asked["answer"] and asked["passed"]
    assert kept == [f"{NOON.date()}", f"{NOON.date() - timedelta(1)}"]
    with pytest.raises(InputError, match=r"context\.time_zone"):
        context_from({"time_zone": "Mars/Olympus"})


async def test_questions_by_month_and_year(rig: RecallRig) -> None:
    """MEM-14: what happened in a month or year is found by it, and nothing of another one."""
    reader = Reader(rig)
    await told(reader, "I climbed a mountain in March 2024.", "我2023年5月去了西藏。", "I bought a loom in 2021.")
    assert "mountain" in await answer(reader, "What did I do in March 2024?")
    assert "西藏" in (found := await answer(reader, "我2023年做了什么？")) and "mountain" not in found
    assert "loom" in await answer(reader, "What did I do in 2021?")
    assert (await reader.ask("What did I do in 2019?", **ALONE))["status"] == "not_found"


async def test_which_of_several_is_to_be_forgotten(rig: RecallRig) -> None:
    """LOP-23: where several memories fit the user is asked which; its number, or all, then says so."""
    reader = Reader(rig)
    await told(reader, "我对花生过敏。", "我对牛奶过敏。", "我对猫过敏。")
    asked = await reader.ask("请忘掉我过敏的事。", **ALONE)
    assert asked["remembered"] == [] and all(name in asked["answer"] for name in ("花生", "牛奶", "猫"))
    at = next(line[0] for line in asked["answer"].splitlines() if "牛奶" in line)
    done = await reader.ask(f"第{at}条", **ALONE)
    assert done["answer"].startswith("已忘掉：我过敏的事（1 条记忆）")
    assert {one.content for one in await stored(rig)} == {"我对花生过敏。", "我对猫过敏。"}
    await reader.ask("请忘掉我过敏的事。", **ALONE)
    await reader.ask("全部", **ALONE)
    assert await stored(rig) == []
    assert (await reader.ask("第二条", **ALONE))["status"] != "chat" or await stored(rig) == []


async def test_a_choice_is_made_of_what_was_listed(rig: RecallRig) -> None:
    """LOP-23: behind a request that forgot what it meant, "all" means nothing more."""
    reader = Reader(rig)
    await told(reader, "我住在杭州西湖区。", "我对牛奶过敏。", "我喜欢爬山。")
    assert (await reader.ask("忘掉我住在杭州。", **ALONE))["remembered"]
    assert (await reader.ask("都忘掉", **ALONE))["remembered"] == []
    assert {one.content for one in await stored(rig)} == {"我对牛奶过敏。", "我喜欢爬山。"}


async def test_what_is_past_can_be_forgotten_too(rig: RecallRig) -> None:
    """LOP-23: it is told as past, so a request may mean it."""
    reader = Reader(rig)
    await told(reader, "I live in Lisbon.", "I moved to Porto in May.")
    result = await reader.ask("Forget that I lived in Lisbon.", **ALONE)
    assert len(result["remembered"]) == 1
    assert [one.content for one in await stored(rig)] == ["I moved to Porto in May."]


@pytest.mark.parametrize(
    ("first", "then", "replaced"),
    [
        ("My sister Nell lives in Ghent.", "My sister Nell moved to Bruges last week.", True),
        ("我爸爸住在烟台。", "我爸爸上个月搬到了大连。", True),
        ("My brother lives in Ghent.", "My sister moved to Bruges.", False),
        ("My friend Ann lives in Ghent.", "My friend Bea moved to Bruges.", False),
        ("We decided to plant roses.", "We decided to paint the barn instead.", False),
        ("We decided to plant the yard with roses.", "We decided to plant the yard with tulips instead.", True),
        ("我们决定六月去青岛旅行。", "我们决定改去西安旅行。", True),
        ("I prefer upper berths.", "I prefer lower berths now.", True),
        ("I like upper berths.", "I prefer soft pillows now.", False),
        ("My favourite hotel is the Crane.", "我最喜欢的酒店现在是白鹭。", True),
    ],
)
async def test_what_changes_in_a_life(rig: RecallRig, first: str, then: str, replaced: bool) -> None:
    """MEM-35 MEM-36: relatives, decisions, preferences, and favourites in either language."""
    reader = Reader(rig)
    await told(reader, first, then)
    assert {one.content: one.is_active for one in await stored(rig)} == {first: not replaced, then: True}


async def test_what_takes_a_slot_is_found_however_old_it_is(rig: RecallRig) -> None:
    """MEM-35: many other statements between them do not hide it."""
    reader = Reader(rig)
    await told(reader, "我住在洛阳。", *(f"I own book number {at} of the old series." for at in range(24)))
    await told(reader, "I moved to Delft in May.")
    assert {one.content: one.is_active for one in await stored(rig)}["我住在洛阳。"] is False


@pytest.mark.parametrize(
    ("said", "question", "answered"),
    [
        ("I paid 40 pounds for the running shoes.", "What is my shoe size?", None),
        ("My locker number is 118.", "What is my phone number?", None),
        ("My phone number is 555-0118.", "What is my phone number?", "555-0118"),
        ("我的邮箱是 a@b.example。", "What is my email?", "a@b.example"),
        ("My brother is allergic to pollen.", "What am I allergic to?", None),
    ],
)
async def test_what_is_mine_is_told_by_what_speaks_of_it(
    rig: RecallRig, said: str, question: str, answered: str | None
) -> None:
    """MEM-36: of another thing, or of another person, is no answer."""
    reader = Reader(rig)
    await told(reader, said)
    record = await reader.ask(question, **ALONE)
    assert (answered in record["answer"]) if answered else record["status"] == "not_found"
