"""The role of the resolver: what needs no search, documents without names, no reader, very long questions."""

import threading
from collections.abc import Sequence
from typing import cast

import pytest

from nodes.roles import Resolution, ResolveRequest
from state.session import Session, SessionEntity, SessionTurn
from tests.fakes import FakeStoryGraph
from tests.unit.minds.scripted import ScriptedReader, talk
from tests.unit.tools.world import LIBRARY
from tools.records import Entity
from tools.story.linking import EntityLinker
from wenmai.minds.offline.follow_ups.resolver import LONGEST_QUESTION, OfflineResolver
from wenmai.minds.offline.follow_ups.talk import TalkReader
from wenmai.reader.inputs import Turn
from wenmai.reader.reader import Need

DIED = talk(("张三是怎么死的？", "被赵铁山砍死。"))
HE = ScriptedReader(mentions=["他"], antecedents_of={"他": [("张三", 0.9)]})


async def resolution(
    question: str, session: Session, reader: TalkReader | None = HE, library: str = LIBRARY
) -> Resolution:
    """Resolve over a library that knows two people and a place."""
    graph = FakeStoryGraph()
    kinds = (("张三", "Character"), ("赵铁山", "Character"), ("渡口", "Location"))
    await graph.put_entities(LIBRARY, [Entity(name=name, kind=kind, first=(1, 1), mentions=9) for name, kind in kinds])
    request = ResolveRequest(question=question, session=session, library=library, horizon=None, language="zh")
    return await OfflineResolver(EntityLinker(graph), None, lambda: reader).resolve(request)


def stack(*entities: tuple[str, str | None]) -> Session:
    """Return a session of one turn with these entities."""
    session = talk(("张三是怎么死的？", "被赵铁山砍死。"))
    session["entities"] = [SessionEntity(name=name, kind=kind, gloss=None) for name, kind in entities]
    return session


async def test_what_was_put_in_is_told() -> None:
    found = await resolution("他多大了？", DIED)
    assert found.question == "张三多大了？"
    assert found.mentions == [{"mention": "他", "entity": "张三"}]
    assert found.entities == ["张三"]
    assert found.topic == "张三"
    assert not found.small_talk


@pytest.mark.parametrize("question", ["谢谢", "你能做什么？", "我刚才问了什么？", "再说一遍", "What can you do?"])
async def test_no_search_and_no_change(question: str) -> None:
    found = await resolution(question, DIED, ScriptedReader(antecedents_of={"": [("张三", 0.9)]}))
    assert found.small_talk
    assert found.question == question
    assert found.entities == []


async def test_documents_without_a_story() -> None:
    reader = ScriptedReader(mentions=["它"], antecedents_of={"它": [("年假", 0.9)]})
    found = await resolution("它可以累积吗？", talk(("年假有几天？", "十天。")), reader, library="")
    assert found.question == "年假可以累积吗？"
    assert found.topic == "年假可以累积吗"


async def test_a_very_long_question_is_not_read() -> None:
    reader = ScriptedReader(mentions=["他"], antecedents_of={"他": [("张三", 0.9)]})
    question = "他" * (LONGEST_QUESTION + 1)
    assert (await resolution(question, DIED, reader)).question == question
    assert not reader.asked


async def test_the_reader_does_not_hold_up_the_loop() -> None:
    threads: list[int] = []

    class Watched(ScriptedReader):
        def need(self, question: str, talk: Sequence[Turn]) -> Need:
            threads.append(threading.get_ident())
            return super().need(question, talk)

    await resolution("他多大了？", DIED, Watched(mentions=["他"]))
    assert threads
    assert threads[0] != threading.get_ident()


async def test_turns_of_an_earlier_version_are_read() -> None:
    turn = {"question": "张三是谁？", "resolved": "张三是谁？", "answer": "渡口的船夫。", "entities": ["张三"]}
    kept = cast("SessionTurn", turn | {"focus": ["张三"], "chances": [0.9], "as_of": None})
    assert (await resolution("他多大了？", Session(entities=[], topic=None, turns=[kept]))).question == "张三多大了？"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("他多大了？", "张三多大了？"),
        ("为什么？", "张三是怎么死的，为什么？"),
        ("赵铁山认识他吗？", "赵铁山认识他吗？"),
        ("他们认识吗？", "他们认识吗？"),
        ("渡口在哪里？", "渡口在哪里？"),
    ],
)
async def test_without_a_reader_only_what_is_plain(question: str, expected: str) -> None:
    session = stack(("张三", "Character"), ("渡口", "Location"))
    assert (await resolution(question, session, None)).question == expected


async def test_without_a_reader_two_people_are_too_many() -> None:
    session = stack(("张三", "Character"), ("赵铁山", None))
    assert (await resolution("他多大了？", session, None)).question == "他多大了？"
