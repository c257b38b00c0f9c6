"""One turn of calls, then the draft."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from nodes.citations import marked_text
from nodes.prompts.planner import user_text
from nodes.roles import Planner, Reply
from state.schema import Evidence
from tests.fakes import FakeEmbedder
from tests.graph.rig import piece
from tests.unit.minds.rooms import DECLARATIONS, call_of, calls_of, made, mind_of, planned
from tests.unit.minds.scripted import ScriptedReader
from tests.unit.tools.world import World, passage
from tools.documents.search import MOST_FOUND
from tools.messages import say_in
from tools.records import Horizon

QUESTION = "卡齐娜的古名怎么来的？"
NOT_FOUND = user_text("not_found", "zh")
NAMED = [piece("卡齐娜终于获得了自己的古名。", 1)]


class Expecting(FakeEmbedder):
    """Keeps the queries that it is told of beforehand."""

    expected: Sequence[str] = ()

    def expect_queries(self, texts: Sequence[str]) -> None:
        self.expected = texts


async def planner(world: World, **words: float | Mapping[str, float]) -> Planner:
    return (await mind_of(ScriptedReader(words), world)).planner


def turn_of(reply: Reply) -> AIMessage:
    """Return a turn of calls."""
    assert isinstance(reply, AIMessage)
    return reply


def text_of(reply: Reply, evidence: Sequence[Evidence] = ()) -> str:
    """Return the text of a draft, '' for a turn of calls."""
    return "" if isinstance(reply, AIMessage) else marked_text(reply["sentences"], evidence)


async def test_one_turn_calls_and_ends_the_retrieval() -> None:
    message = await (await planner(World())).plan(planned(QUESTION))

    *calls, last = made(message)
    assert (
        calls[0] == ("get_character_events", {"entity": "卡齐娜"}) and ("search_memory", {"query": QUESTION}) in calls
    )
    assert last == ("stop", {"reason": "sufficient"}) and turn_of(message).text == ""


@pytest.mark.parametrize("toolkits", [["narrative"], ["story"], ["narrative", "memory"]])
async def test_a_turn_has_at_most_five_calls_beside_the_stop(toolkits: list[str]) -> None:
    request = planned("上次我问过，卡齐娜经历了什么？", toolkits=toolkits, queries=["权能", "归还", "月下", "交谈"])

    calls = made(await (await planner(World())).plan(request))

    assert len(calls) == 6 and len({str(call) for call in calls}) == 6


async def test_calls_are_numbered_behind_the_earlier_ones() -> None:
    earlier = [call_of("search_memory", {"query": "别的"}), call_of("vector_search", {"query": "别的"})]

    message = await (await planner(World())).plan(planned(QUESTION, calls=earlier))

    assert [call["id"] for call in turn_of(message).tool_calls][:2] == ["call-3", "call-4"]


async def test_what_was_called_already_is_not_called_again_but_by_another_attempt() -> None:
    first = await (await planner(World())).plan(planned(QUESTION))
    calls = [call_of(name, args) for name, args in made(first)]
    room = await planner(World())

    assert made(await room.plan(planned(QUESTION, calls=calls, evidence=NAMED))) == [("stop", {"reason": "sufficient"})]
    assert made(await room.plan(planned(QUESTION, calls=calls))) == [("stop", {"reason": "not_found"})]
    assert made(await room.plan(planned(QUESTION, calls=calls, attempt=2))) == made(first)


async def test_only_tools_of_the_run_are_called() -> None:
    declared = [one for one in DECLARATIONS if one["name"] != "get_character_events"]
    whole = await calls_of(QUESTION)
    assert await calls_of(QUESTION, declarations=declared) == [one for one in whole if one[0] != "get_character_events"]
    assert len(whole) > 1 and await calls_of(QUESTION, declarations=[]) == []


async def test_the_queries_of_a_turn_are_embedded_at_once() -> None:
    embedder = Expecting()

    calls = made(await (await planner(World(embedder=embedder))).plan(planned(QUESTION)))

    searched = [args["query"] for name, args in calls if name == "search_memory"]
    assert embedder.expected == list(dict.fromkeys(searched)) and QUESTION in embedder.expected


async def test_the_draft_is_what_the_composer_says() -> None:
    draft = await (await planner(World(), 获得=20.0)).plan(planned(QUESTION, draft_only=True, evidence=NAMED))

    assert text_of(draft, NAMED) == "卡齐娜终于获得了自己的古名。 [E1]"


async def test_documents_are_searched_by_words_only_where_the_meaning_has_found_too_little() -> None:
    room = await planner(World())
    first = planned("报销要什么？", toolkits=["documents"], library="")
    searched = [call_of("semantic_search", {"query": "报销要什么？"})]
    again = planned("报销要什么？", toolkits=["documents"], library="", calls=searched)

    assert made(await room.plan(first)) == [("semantic_search", {"query": "报销要什么？"})]
    (name, args), last = made(await room.plan(again))
    assert name == "keyword_search" and "报销" in args["keywords"] and last[0] == "stop"


async def test_documents_that_answer_need_no_search_by_words() -> None:
    chunk: Evidence = {**piece("年假：员工每年享有十五天年假。"), "kind": "document", "source": "手册.txt"}
    searched = [call_of("semantic_search", {"query": "年假有几天？"})]
    request = planned("年假有几天？", toolkits=["documents"], library="", calls=searched, evidence=[chunk])

    message = await (await planner(World(), 十五天=20.0)).plan(request)

    assert text_of(message, [chunk]) == "年假：员工每年享有十五天年假。 [E1]"


@pytest.mark.parametrize(
    ("horizon", "found", "is_sure"),
    [(None, 2, True), (None, 1, False), (Horizon(1, 1), 1, True)],
)
async def test_a_list_of_open_tasks_that_lacks_some_is_not_sure(
    horizon: Horizon | None, found: int, is_sure: bool
) -> None:
    """DOC-11: of a library the best passages are found; only with all of its tasks is the list more likely right."""
    texts = ["☑ 付煤气费\n☐ 给莉娜寄乐谱", "☐ 修码头的灯"]
    world = World(rows=[passage(at, 1, at, text, ()) for at, text in enumerate(texts, 1)])
    evidence = [piece(text, at) for at, text in enumerate(texts[:found], 1)]
    request = planned("还有哪些任务没完成？", evidence=evidence, horizon=horizon, draft_only=True)

    reply = await (await planner(world)).plan(request)

    assert not isinstance(reply, AIMessage) and text_of(reply, evidence).count("- ") == found
    assert ((reply["confidence"] or 0) > 0.5) is is_sure


@pytest.mark.parametrize(("items", "is_sure"), [(3, True), (MOST_FOUND, False)])
async def test_a_list_of_open_tasks_that_was_cut_is_not_sure(items: int, is_sure: bool) -> None:
    """DOC-11: a search that found as much as it may has perhaps not found all."""
    chunk: Evidence = {**piece("☐ 修码头的灯"), "kind": "document", "source": "清单.md"}
    searched = [call_of("keyword_search", {"keywords": "☐", "limit": MOST_FOUND}, items=items)]
    fields = {"toolkits": ["documents"], "library": "", "calls": searched, "evidence": [chunk], "draft_only": True}
    reply = await (await planner(World())).plan(planned("还有哪些任务没完成？", **fields))
    assert not isinstance(reply, AIMessage) and ((reply["confidence"] or 0) > 0.5) is is_sure


async def test_small_talk_is_answered_without_a_search() -> None:
    message = await (await planner(World())).plan(planned("谢谢你", small_talk=True))

    assert text_of(message) == "不客气！还有想了解的吗？"


async def test_under_a_spoiler_guard_one_who_is_not_met_yet_is_not_told_of() -> None:
    """Deeds of others, which the words of the question find, would be no answer."""
    room = await planner(World(), 获得=20.0)
    early = Horizon(part=1, chapter=1)
    request = planned("玛薇卡的古名怎么来的？", draft_only=True, evidence=NAMED, horizon=early)

    assert text_of(await room.plan(request)).startswith(say_in("zh", "answer.not_found_so_far", part=1, chapter=1))
    met = planned(QUESTION, draft_only=True, evidence=NAMED, horizon=early)
    assert not text_of(await room.plan(met)).startswith(NOT_FOUND[:2])
    unguarded = planned("玛薇卡的古名怎么来的？", draft_only=True, evidence=NAMED)
    assert not text_of(await room.plan(unguarded)).startswith(NOT_FOUND)


async def test_under_a_spoiler_guard_files_and_memories_answer_of_one_who_is_not_met_yet() -> None:
    """Their marks name them where they stand among the evidence."""
    chunk: Evidence = {
        **piece("玛薇卡的古名由长老授予。", 2),
        "kind": "document",
        "source": "手册.txt",
        "event_order": None,
    }
    memory: Evidence = {**piece("我喜欢玛薇卡。", 3), "kind": "memory", "score": 0.9}
    evidence: list[Evidence] = [*NAMED, chunk, memory]
    given: dict[str, Any] = {"draft_only": True, "evidence": evidence, "horizon": Horizon(part=1, chapter=1)}
    kits = ["narrative", "documents", "memory"]
    reader = {"古名": {"获得": 20.0, "长老": 15.0}, "喜欢谁": {"喜欢玛薇卡": 20.0}}
    room = await planner(World(), **reader)

    told = await room.plan(planned("玛薇卡的古名怎么来的？", toolkits=kits, **given))
    recalled = await room.plan(planned("我之前说我喜欢谁？是玛薇卡吗？", toolkits=kits, **given))

    assert text_of(told, evidence) == "玛薇卡的古名由长老授予。 [E2]"
    assert text_of(recalled, evidence) == "我喜欢玛薇卡。 [E3]"
