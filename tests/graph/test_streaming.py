"""A turn as a person sees it: steps, thoughts, the draft as it is written, why it was withdrawn, what became of it."""

from dataclasses import replace
from time import monotonic
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.checking.statements import sentences_of
from nodes.citations import as_draft
from nodes.quotes import cite
from nodes.streaming import GrowingText
from tests.gemini import fault
from tests.gemini.parts import as_json, call, text, thought
from tests.gemini.replies import turn
from tests.gemini.space import LOOPBACK_MODEL, Gemini, Space
from tests.graph.rig import config, piece, run_context
from tests.graph.talk import GRADER, SHALLOW, grade, talking
from tests.graph.test_openai_dialects import models
from tests.openai_service.dialect import DIALECTS
from tests.openai_service.space import OpenAI

QUESTION = "恰斯卡和卡齐娜是什么关系？"
LOOK = call("find_connection", {"entity1": "恰斯卡", "entity2": "卡齐娜"})
SCENES = call("search_memory", {"query": "恰斯卡 卡齐娜"})
DRAFT = "恰斯卡与卡齐娜一见如故[E1]。后来她安慰了卡齐娜[E2]。"
ANSWER = "恰斯卡与卡齐娜一见如故[1]。后来她安慰了卡齐娜[2]。"
WRONG, WRONG_SHOWN = "两人从来不认识[E1]。", "两人从来不认识[1]。"
BESIDE = "我先查一查两人在故事里的关系，再看原文中的场景，然后把时间和地点核对一遍，最后按先后顺序作答。"
GAP_S = 0.1


async def watched(talk: Any, question: str = QUESTION, **context: Any) -> list[dict[str, Any]]:
    """Return the events of a turn whose drafts are shown."""
    return await talk.stream(question, "custom", stream_drafts=True, **context)  # type: ignore[no-any-return]  # dicts


def said(events: list[dict[str, Any]], kind: str, attempt: int | None = None) -> str:
    """Return the text of all events of a kind."""
    return "".join(
        one["text"] for one in events if one["event"] == kind and attempt in (None, one.get("attempt", attempt))
    )


def order(events: list[dict[str, Any]]) -> list[str]:
    """Return the kinds of the events, each run of one kind once."""
    kinds = [one["event"] for one in events]
    return [kind for at, kind in enumerate(kinds) if at == 0 or kinds[at - 1] != kind]


async def test_a_turn_with_two_drafts(service: Space) -> None:
    """LOP-19: thoughts and drafts as they come, the failed one withdrawn with its reason, then the verdict."""
    service.piece = 4
    async with talking(service) as talk:
        talk.agent(
            turn(thought("先看关系"), text("先查"), LOOK, SCENES),
            turn(thought("想想再写"), text(WRONG)),
            LOOK,
            text(DRAFT),
        )
        talk.grader(grade(SHALLOW), grade())
        talk.refiner(as_json(["恰斯卡 相遇", "卡齐娜 安慰"]))
        events = await watched(talk)
    service.assert_clean()
    assert said(events, "draft", 1) == WRONG_SHOWN and said(events, "draft", 2) == said(events, "text") == ANSWER
    assert len([one for one in events if one["event"] == "draft"]) > 4
    assert said(events, "thought", 1) == "先看关系先查想想再写"
    (reset,) = [one for one in events if one["event"] == "reset"]
    assert (reset["attempt"], reset["reason"]) == (1, "failed") and "深度不足" in reset["text"]
    assert order(events)[-3:] == ["text", "citations", "verdict"]
    cited, verdict = events[-2]["citations"], events[-1]
    assert [one["n"] for one in cited] == [1, 2] and (verdict["attempt"], verdict["passed"]) == (2, True)
    steps = [one["node"] for one in events if one["event"] == "step"]
    assert events[0] == {"event": "step", "node": "resolve_pronouns"}
    assert [steps.count(name) for name in ("plan", "tool_call", "grade", "refine", "answer")] == [4, 2, 2, 1, 1]


async def test_only_the_answer_is_a_message(service: Space) -> None:
    """PLA-13: LangGraph's `messages` has calls, their results and the answer, neither drafts nor thoughts."""
    async with talking(service) as talk:
        talk.agent(turn(thought("先看关系"), text("先查"), LOOK), text(WRONG), LOOK, text(DRAFT))
        talk.grader(grade(SHALLOW), grade())
        talk.refiner(as_json(["恰斯卡 相遇", "卡齐娜 安慰"]))
        chunks = await talk.stream(QUESTION, ["messages", "custom"], stream_drafts=True)
    service.assert_clean()
    shown = [chunk[0] for mode, chunk in chunks if mode == "messages"]
    assert "".join(one.text for one in shown if one.type != "tool") == ANSWER
    assert [one.name for one in shown if one.type == "tool"] == ["find_connection", "find_connection"]
    methods = {
        model: {one.method for one in service.history if one.model == model} for model in (LOOPBACK_MODEL, GRADER)
    }
    graded = "streamGenerateContent" if service.provider == "openai" else "generateContent"  # LOP-109: always streamed
    assert methods == {LOOPBACK_MODEL: {"streamGenerateContent"}, GRADER: {graded}}


async def test_words_come_while_the_model_writes(service: Space) -> None:
    """LOP-19: also in the first turn, where the model could still call: not when the reply is whole."""
    service.piece = 4
    times: dict[str, list[float]] = {}
    async with talking(service) as talk:
        talk.agent(replace(turn(thought("想一想"), text(DRAFT)), gap_s=GAP_S))
        talk.grader(grade())
        question, run = await talk.given(QUESTION, None), run_context(stream_drafts=True)
        async for chunk in talk.graph.astream(question, config(), context=run, stream_mode="custom"):
            times.setdefault(chunk["event"], []).append(monotonic())
    service.assert_clean()
    assert times["step"][0] < times["tool_end"][0] < times["thought"][0] < times["draft"][0]
    assert len(times["draft"]) > 3 and times["draft"][-1] - times["draft"][0] > 3 * GAP_S
    assert times["draft"][-1] < times["text"][0] < times["citations"][0] < times["verdict"][0]


async def test_text_beside_calls_is_a_thought(service: Space) -> None:
    """LOP-19 S000-33 S000-34: a few words are held back, more are withdrawn; what the code replaces is never shown."""
    stop = call("stop", {"reason": "sufficient"})
    async with talking(service) as talk:
        talk.agent(turn(text("先查一查关系"), LOOK), turn(text(BESIDE), SCENES), stop, text(DRAFT))
        talk.grader(grade())
        events = await watched(talk)
    async with talking(service) as talk:
        talk.agent(
            text(
                "凭记忆作答：她是一位从来没有人见过的将军，住在很远的地方，没有人知道她后来去了哪里，也没有人再提起她。"
            )
        )
        invented = await watched(talk, "玛薇卡是谁？", max_attempts=1)
    service.assert_clean()
    kinds = [one["event"] for one in events if one["event"] in ("draft", "reset", "thought")]
    at = kinds.index("reset")
    assert kinds[0] == "thought" and set(kinds[1:at]) == {"draft"} and kinds[at + 1] == "thought"
    assert set(kinds[at + 2 :]) == {"draft"} and said(events, "thought") == "先查一查关系" + BESIDE
    assert said(events, "draft") == BESIDE + ANSWER
    assert [one["reason"] for one in events if one["event"] == "reset"] == ["calls"]
    assert "draft" not in order(invented) and "reset" not in order(invented)


async def test_a_stream_that_breaks_off_is_withdrawn(service: Space) -> None:
    """LOP-19: what a cut stream has shown goes before the model is asked again."""
    service.piece = 4
    async with talking(service) as talk:
        talk.agent(LOOK, fault.cut(text(DRAFT)), text(DRAFT))
        talk.grader(grade())
        events = await watched(talk)
    shown = [(one["event"], one.get("text", "")) for one in events if one["event"] in ("draft", "reset")]
    at = [kind for kind, _ in shown].index("reset")
    assert 0 < len("".join(words for _, words in shown[:at])) < len(ANSWER)
    assert "".join(words for _, words in shown[at + 1 :]) == ANSWER
    assert [one["reason"] for one in events if one["event"] == "reset"] == ["interrupted"]


async def test_an_earlier_draft_comes_back(service: Space) -> None:
    """LOP-19 S003-D08: where the last draft is not the best, its withdrawal says which one stands."""
    worse = {**SHALLOW, "completeness": 1, "citation": 1}
    async with talking(service) as talk:
        talk.agent(LOOK, text(DRAFT), LOOK, text(WRONG))
        talk.grader(grade(SHALLOW), grade(worse))
        talk.refiner(as_json(["恰斯卡 相遇", "卡齐娜 安慰"]))
        events = await watched(talk, max_attempts=2)
    service.assert_clean()
    resets = [(one["attempt"], one["reason"]) for one in events if one["event"] == "reset"]
    assert resets == [(1, "failed"), (2, "earlier")] and "第 1 稿" in str(events)
    assert said(events, "text") == ANSWER and events[-1]["passed"] is False


async def test_what_the_check_changed_is_in_the_verdict(service: Space) -> None:
    """LOP-16 LOP-19: the draft shows what the model wrote, the text what is left, the verdict what went."""
    address = "详情请看 https://example.com/story 。"
    async with talking(service) as talk:
        talk.agent(LOOK, text(DRAFT + address))
        talk.grader(grade())
        events = await watched(talk)
    assert address.strip() in said(events, "draft") and "example.com" not in said(events, "text")
    (note,) = events[-1]["notes"]
    assert (note["action"], note["reason"]) == ("dropped", "address")


async def test_tags_in_a_text_are_thoughts(service: Space) -> None:
    """PLA-30 LOP-19: of models behind a gateway, in either protocol; the draft has none of it."""
    service.piece = 5
    async with talking(service) as talk:
        talk.agent(LOOK, turn(text("<think>先找两人的关系。</think>"), text(DRAFT)))
        talk.grader(grade())
        events = await watched(talk)
    service.assert_clean()
    assert (said(events, "thought"), said(events, "draft")) == ("先找两人的关系。", ANSWER)
    assert events[-1]["notes"] == []


@pytest.mark.parametrize("thoughts", ["reasoning_content", "reasoning", "think"])
async def test_thoughts_of_every_kind_of_server(openai: OpenAI, thoughts: Any) -> None:
    """PLA-30 LOP-19: fields and tags are thoughts as they come; none of it stands in a draft."""
    openai.dialect, openai.piece = replace(DIALECTS["thoughts as reasoning"], thoughts=thoughts), 3
    async with talking(openai, models=models()) as talk:
        talk.agent(turn(thought("先找两人的关系"), LOOK), turn(thought("再写回答"), text(DRAFT)))
        talk.grader(grade())
        events = await watched(talk)
    openai.assert_clean()
    assert "".join(said(events, "thought").split()) == "先找两人的关系再写回答"
    assert said(events, "draft") == ANSWER
    assert len([one for one in events if one["event"] == "thought"]) > 3


async def test_thoughts_of_gemini_come_where_they_are_asked_for(gemini: Gemini) -> None:
    """LOP-19: by include_thoughts, which the settings of the role decide."""
    async with talking(gemini) as talk:
        talk.agent(LOOK, turn(thought("再写回答"), text(DRAFT)))
        talk.grader(grade())
        events = await watched(talk)
    gemini.assert_clean()
    sent = [one.body["generationConfig"]["thinkingConfig"] for one in gemini.history if one.model == LOOPBACK_MODEL]
    assert all(one["includeThoughts"] for one in sent) and said(events, "thought") == "再写回答"


@pytest.mark.parametrize("dialect", ["text only", "tools ignored"])
async def test_calls_in_text_are_not_shown(openai: OpenAI, dialect: str) -> None:
    """PLA-31 LOP-19: where calls are text, only the draft is shown, and as it is written."""
    openai.dialect, openai.piece = DIALECTS[dialect], 4
    async with talking(openai, models=models()) as talk:
        talk.agent(turn(text("先查"), LOOK), text(DRAFT))
        talk.grader(grade())
        events = await watched(talk)
    openai.assert_clean()
    drafts = [one["text"] for one in events if one["event"] == "draft"]
    assert "".join(drafts) == ANSWER and len(drafts) > 3 and "tool_call" not in str([*drafts, said(events, "thought")])


PIECES = [piece("恰斯卡与卡齐娜一见如故，成了朋友。", 1), piece("后来她安慰了卡齐娜。她说[2]号比赛。", 2)]
WORDS = ("恰斯卡与卡齐娜一见如故", "后来她安慰了卡齐娜", "。", "\n", " ", "**", "（注）", "E", "】")
MARKS = ("[E1]", "[E2]", "[E9]", "［E1、E2］", "(E1-E2)", "[2]", "[Context 1]", "[E1][E2]", "[", "(见 E1", "[1")
SCRAPS = st.sampled_from([*WORDS, *MARKS])


@given(st.lists(SCRAPS, max_size=12), st.lists(st.integers(1, 6), min_size=1, max_size=40))
def test_a_growing_text_ends_as_the_whole_one(scraps: list[str], sizes: list[int]) -> None:
    """LOP-19: however a draft is cut into pieces, what is shown is the draft with the marks of an answer."""
    draft = "".join(scraps)
    growing, shown, at = GrowingText(PIECES), "", 0
    for size in sizes:
        shown += growing.take(draft[at : at + size])
        at += size
    shown += growing.take(draft[at:]) + growing.end()
    whole, _, _ = cite(sentences_of(as_draft(draft, PIECES), PIECES), PIECES, lambda _: "")
    assert shown == whole
