"""A person whom no text of the book names is refused by name."""

from typing import Any

import pytest

from tests.graph.rig import piece
from tests.shipped import shipped_reader
from tests.unit.minds.rooms import planned
from tests.unit.minds.scripted import ScriptedReader
from tests.unit.tools.world import LIBRARY, World
from tools.story.linking import EntityLinker
from wenmai.language.titles import telling_part
from wenmai.minds.offline.composer import unknown_name
from wenmai.minds.offline.follow_ups.talk import TalkReader
from wenmai.minds.offline.questions.question import understood

EVIDENCE = [piece("卡齐娜终于获得了自己的古名。她笑了，把鼓递给了小陆。", 1)]


async def said(question: str, reader: TalkReader | None = None, **fields: Any) -> str | None:
    """Return the stranger whom a question about the small story names."""
    world = await World().stock()
    table = await EntityLinker(world.graph).table(LIBRARY, None)
    request = planned(question, evidence=EVIDENCE, **{"library": LIBRARY, **fields})
    return await unknown_name(reader or shipped_reader(), world.passages, request, understood(question, table), table)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("王大锤后来怎么样了？", "王大锤"),
        ("卡齐娜认识刘建军吗？", "刘建军"),
        ("李医生给谁看过病？", "李医生"),
    ],
)
async def test_who_is_not_in_the_book_is_named(question: str, name: str) -> None:
    assert await said(question) == name


@pytest.mark.parametrize(
    "question",
    [
        "卡齐娜是谁？",
        "小陆拿到了什么？",
        "谁在第十三章出现？",
        "阿姨去哪了？",
        "这句话是谁说的？",
        "“王大锤去哪了”是谁说的？",
    ],
)
async def test_who_is_in_the_book_or_is_nobody_is_not(question: str) -> None:
    assert await said(question) is None


async def test_a_name_in_another_script_may_stand_in_its_own() -> None:
    reader = ScriptedReader(people=["Mr. Darcy"])
    assert await said("Who is Mr. Darcy?", reader, language="en") is None


async def test_without_a_library_or_a_reader_nobody_is_missed() -> None:
    assert await said("王大锤在哪里？", library="") is None


@pytest.mark.parametrize(
    ("text", "found", "name", "part"),
    [
        ("Who is Mr. Darcy?", "Mr. Darcy", "Mr. Darcy", "Darcy"),
        ("Where is Miss Nora Brandt's hat?", "Nora Brandt", "Nora Brandt", "Brandt"),
        ("who is darcy?", "darcy", "darcy", ""),
        ("张三丰在哪？", "三丰", "张三丰", "张三丰"),
        ("诸葛果在哪？", "葛果", "诸葛果", "诸葛果"),
        ("李医生在哪？", "李医生", "李医生", "李"),
        ("老李在哪？", "老李", "老李", "李"),
        ("邹场长在哪？", "邹场长", "邹场长", "邹"),
        ("护士在哪？", "护士", "护士", ""),
        ("他把它挂在哪？", "把它", "把它", ""),
        ("马践踏麦田", "马践", "马践", ""),
    ],
)
def test_what_tells_a_name_from_others(text: str, found: str, name: str, part: str) -> None:
    start = text.index(found)
    span, told = telling_part(text, (start, start + len(found)))
    assert (text[slice(*span)], told) == (name, part)
