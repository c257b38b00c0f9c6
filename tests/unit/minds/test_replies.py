"""What is answered without a search."""

from collections.abc import Sequence
from typing import Any

import pytest

from nodes.citations import plain_text
from nodes.roles import ResolveRequest
from state.context import Language
from state.session import Session, SessionTurn
from tests.unit.minds.rooms import mind_of, planned
from tests.unit.tools.world import LIBRARY


async def reply_to(
    text: str, language: Language = "zh", turns: Sequence[SessionTurn] = (), first: str = "", **fields: Any
) -> str:
    """Return the reply to what the resolver takes for talk."""
    mind, session = await mind_of(), Session(entities=[], topic=None, turns=list(turns))
    if first:
        session["first"] = first
    request = ResolveRequest(question=text, session=session, library=LIBRARY, horizon=None, language=language)
    assert (await mind.resolver.resolve(request)).small_talk
    draft = await mind.planner.plan(planned(text, language, session=session, small_talk=True, **fields))
    assert isinstance(draft, dict) and draft["status"] == "chat"
    return plain_text(draft["sentences"])


def turn(question: str, answer: str) -> SessionTurn:
    return SessionTurn(question=question, resolved=question, answer=answer, entities=[])


TURNS = [turn("铜铃是谁的？", "铜铃是钟楼的。[1]"), turn("老周是谁？", "面馆的老板。[1][2]")]


@pytest.mark.parametrize(
    ("text", "reply"),
    [("谢谢你", "不客气！还有想了解的吗？"), ("再见", "再见！"), ("你好", "您好！请问想了解什么？")],
)
async def test_small_talk(text: str, reply: str) -> None:
    assert await reply_to(text) == reply


async def test_small_talk_in_english() -> None:
    assert await reply_to("Thanks a lot", "en") == "You're welcome! Anything else?"


async def test_abilities_name_the_story_and_give_examples() -> None:
    lines = (await reply_to("你能做什么？")).splitlines()
    assert "《夜宵店》" in lines[0] and len(lines) == 4
    assert lines[1] == "1. 主要人物有谁？"


async def test_abilities_name_the_other_sources() -> None:
    text = await reply_to("What can you do?", "en", toolkits=["documents", "memory"], library="")
    assert "the uploaded documents, our earlier conversations" in text and "“" not in text


async def test_the_last_answer_again() -> None:
    """Without its marks: the citations belong to the turn before."""
    assert await reply_to("请再说一遍", turns=TURNS) == "上一个回答是：\n面馆的老板。"
    assert (await reply_to("换个说法", turns=[*TURNS, turn("?", "")])).endswith("面馆的老板。")
    assert "还没有可以重复的回答" in await reply_to("再说一遍")


async def test_the_questions_so_far() -> None:
    wanted = "你问过 2 个问题：\n1. 铜铃是谁的？\n2. 老周是谁？"
    assert await reply_to("我一共问了几个问题？", turns=TURNS) == wanted
    assert (await reply_to("What did I ask?", "en", turns=TURNS[:1])).startswith("You have asked 1 question:")
    assert "还没有问过" in await reply_to("我问过什么？")


async def test_a_session_remembers_the_last_questions() -> None:
    text = await reply_to("我问过哪些问题？", turns=[turn(f"问{n}？", "答。") for n in range(5)])
    assert text.startswith("我记得最近 5 个问题：")


@pytest.mark.parametrize(
    "question", ["我最开始问了什么？", "第一个问题是什么", "我问的第一个问题是什么？", "我一开始都问了些什么？"]
)
async def test_the_first_question_is_told_from_the_whole_talk(question: str) -> None:
    assert await reply_to(question, turns=TURNS, first="书里写了谁？") == "你问的第一个问题是：书里写了谁？"
    assert await reply_to(question, turns=TURNS) == "你问的第一个问题是：铜铃是谁的？"


@pytest.mark.parametrize("question", ["What did I ask first?", "What was my first question?"])
async def test_the_first_question_in_english(question: str) -> None:
    assert await reply_to(question, "en", turns=TURNS) == "The first thing you asked was: 铜铃是谁的？"


async def test_the_last_question() -> None:
    assert (await reply_to("What did I ask last?", "en", turns=TURNS)).endswith("老周是谁？")
    assert await reply_to("我上一个问题是什么？", turns=TURNS) == "你上一个问题是：老周是谁？"
