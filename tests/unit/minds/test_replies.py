"""What is answered without a search."""

from dataclasses import replace

import pytest

from state.session import Session, SessionTurn
from tests.unit.minds.book_rig import request_of
from wenmai.minds.offline.conversation.replies import reply_to


def turn(question: str, answer: str) -> SessionTurn:
    return SessionTurn(question=question, resolved=question, answer=answer, entities=[])


TURNS = [turn("铜铃是谁的？", "铜铃是钟楼的。[1]"), turn("老周是谁？", "面馆的老板。[1][2]")]


@pytest.mark.parametrize(
    ("text", "reply"),
    [("谢谢你", "不客气！还有想了解的吗？"), ("再见", "再见！"), ("你好", "您好！请问想了解什么？")],
)
def test_small_talk(text: str, reply: str) -> None:
    assert reply_to(request_of(text)) == reply


def test_small_talk_in_english() -> None:
    assert reply_to(request_of("Thanks a lot", "en")) == "You're welcome! Anything else?"


def test_abilities_name_the_story_and_give_examples() -> None:
    lines = reply_to(request_of("你能做什么？")).splitlines()
    assert "《夜宵店》" in lines[0] and len(lines) == 4
    assert lines[1] == "1. 主要人物有谁？"


def test_abilities_name_the_other_sources() -> None:
    text = reply_to(request_of("What can you do?", "en", toolkits=["documents", "memory"], library=""))
    assert "the uploaded documents, our earlier conversations" in text and "“" not in text


def test_the_last_answer_again() -> None:
    """Without its marks: the citations belong to the turn before."""
    assert reply_to(request_of("请再说一遍", turns=TURNS)) == "上一个回答是：\n面馆的老板。"
    assert reply_to(request_of("换个说法", turns=[*TURNS, turn("?", "")])).endswith("面馆的老板。")
    assert "还没有可以重复的回答" in reply_to(request_of("再说一遍"))


def test_the_questions_so_far() -> None:
    wanted = "你问过 2 个问题：\n1. 铜铃是谁的？\n2. 老周是谁？"
    assert reply_to(request_of("我一共问了几个问题？", turns=TURNS)) == wanted
    assert reply_to(request_of("What did I ask?", "en", turns=TURNS[:1])).startswith("You have asked 1 question:")
    assert "还没有问过" in reply_to(request_of("我问过什么？"))


def test_a_session_remembers_the_last_questions() -> None:
    text = reply_to(request_of("我问过哪些问题？", turns=[turn(f"问{n}？", "答。") for n in range(5)]))
    assert text.startswith("我记得最近 5 个问题：")


@pytest.mark.parametrize(
    "question", ["我最开始问了什么？", "第一个问题是什么", "我问的第一个问题是什么？", "我一开始都问了些什么？"]
)
def test_the_first_question_is_told_from_the_whole_talk(question: str) -> None:
    request = request_of(question, turns=TURNS)
    session: Session = {**request.session, "first": "书里写了谁？"}
    assert reply_to(replace(request, session=session)) == "你问的第一个问题是：书里写了谁？"
    assert reply_to(request) == "你问的第一个问题是：铜铃是谁的？"


@pytest.mark.parametrize("question", ["What did I ask first?", "What was my first question?"])
def test_the_first_question_in_english(question: str) -> None:
    assert reply_to(request_of(question, "en", turns=TURNS)) == "The first thing you asked was: 铜铃是谁的？"


def test_the_last_question() -> None:
    assert reply_to(request_of("What did I ask last?", "en", turns=TURNS)).endswith("老周是谁？")
    assert reply_to(request_of("我上一个问题是什么？", turns=TURNS)) == "你上一个问题是：老周是谁？"
