"""The loop on the real client: signatures, parallel calls, coercion, caps, rag mode, tokens, streams."""

import base64
import json
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk

from nodes.policy import Policy, Price
from tests.gemini import fault
from tests.gemini.parts import as_json, call, text, thought
from tests.gemini.replies import always, turn, usage
from tests.gemini.space import LOOPBACK_MODEL, Gemini, Space
from tests.graph.talk import GRADER, REFINER, RESOLVER, SHALLOW, TOKENS, grade, resolved, talking
from tools.toolboxes import TOOLKITS

QUESTION = "恰斯卡和卡齐娜是什么关系？"
LOOK = call("track_journey", {"entity": "恰斯卡", "target": "卡齐娜"})
SCENES = call("search_memory", {"query": "恰斯卡 卡齐娜"})
DRAFT = "恰斯卡与卡齐娜一见如故[E1]。后来她安慰了卡齐娜[E2]。"
ANSWER = "恰斯卡与卡齐娜一见如故[1]。后来她安慰了卡齐娜[2]。"


def asked(service: Space, model: str = LOOPBACK_MODEL) -> list[Any]:
    return [one for one in service.history if one.model == model]


def bytes_of(signature: str) -> bytes:
    """Return a signature's bytes: the client writes base64 for URLs, the service the plain one."""
    return base64.b64decode(signature.replace("-", "+").replace("_", "/"))


async def test_signatures_go_back_as_they_came(gemini: Gemini) -> None:
    """S004-D15 PLA-11: calls, thoughts and texts return whole with their signatures; the gemini is strict about it."""
    async with talking(gemini) as talk:
        talk.agent(turn(thought("先看关系"), text("先查"), LOOK), turn(thought("再看原文"), SCENES), text(DRAFT))
        talk.grader(grade())
        result = await talk.ask(QUESTION)
    gemini.assert_clean()
    assert gemini.signatures.scope == "conversation" and not gemini.signatures.allow_skip
    last = asked(gemini)[2].contents
    sent = [part["thoughtSignature"] for content in last for part in content["parts"] if "functionCall" in part]
    given = [
        part["thoughtSignature"]
        for one in asked(gemini)[:2]
        for part in one.sent["candidates"][0]["content"]["parts"]
        if "functionCall" in part
    ]
    assert [bytes_of(one) for one in sent] == [bytes_of(one) for one in given] and len(sent) == 2
    assert result["answer"] == ANSWER


async def test_parallel_calls_are_answered_in_order(service: Space) -> None:
    """S000-D14 S000-D12 S000-D15: several calls a turn, one response each in their order, floats coerced."""
    async with talking(service) as talk:
        talk.agent(
            turn(
                call("track_entity", {"entity": "恰斯卡", "chapter_range": [1.0, 4.0]}),
                call("vector_search", {"query": "卡齐娜", "top_k": 2.0}),
                call("fly", {"to": "月亮"}),
                call("vector_search", {"query": "卡齐娜", "top_k": 2.5}),
            ),
            text(DRAFT),
        )
        talk.grader(grade())
        result = await talk.ask(QUESTION, toolkits=["story"])
    service.assert_clean()
    responses = asked(service)[1].responses
    assert [name for name, _ in responses] == ["track_entity", "vector_search", "fly", "vector_search"]
    assert responses[2][1] == {
        "error": "Unknown tool: fly",
        "tool": "fly",
        "valid_tools": [*TOOLKITS["story"], "stop"],
    }
    assert "top_k" in responses[3][1]["error"]
    assert [one["ok"] for one in result["tool_calls"]] == [True, True, False, False]
    assert "[E1] " in responses[0][1]["result"]


async def test_a_cap_ends_the_calls(service: Space) -> None:
    """LOP-03 S000-27 S000-D12: endless calls end at the cap; what is over it gets a placeholder, then a draft."""
    many = [call("search_memory", {"query": f"卡齐娜 {n}"}) for n in range(7)]
    async with talking(service) as talk:
        talk.agent(turn(*many), text(DRAFT))
        talk.grader(grade())
        result = await talk.ask(QUESTION)
    service.assert_clean()
    draft = asked(service)[1]
    responses = [part["functionResponse"]["response"] for part in draft.contents[2]["parts"]]
    assert [one.get("error") for one in responses] == [None] * 5 + ["limit reached"] * 2
    assert not draft.may_call and result["attempts"][0]["stop_reason"] == "max_turns"


async def test_a_call_in_the_draft_turn(service: Space) -> None:
    """PLA-04: a call that comes though no tools are bound is answered as not run, the turn is repeated once."""
    async with talking(service) as talk:
        talk.agent(LOOK, call("stop", {"reason": "sufficient"}), SCENES, text("两人一见如故[E1]。"))
        talk.grader(grade())
        result = await talk.ask(QUESTION)
    service.assert_clean()
    assert asked(service)[3].responses == [("search_memory", {"error": "not run: a draft is due"})]
    assert result["answer"] == "两人一见如故[1]。"


async def test_a_repeated_call_comes_from_the_record(service: Space) -> None:
    """S000-D14 S000-32: an equal call of a later attempt is answered without the tool; what was shown is named."""
    async with talking(service) as talk:
        talk.agent(LOOK, text("浅[E1]。"), LOOK, text("两人一见如故[E1]。"))
        talk.grader(grade(SHALLOW), grade())
        talk.refiner(as_json(["恰斯卡 相遇", "卡齐娜 安慰"]))
        result = await talk.ask(QUESTION)
    service.assert_clean()
    first, second = asked(service)[1], asked(service)[3]
    (_, shown), (_, named) = first.responses[0], second.responses[0]
    assert "[E1] 第" in shown["result"] and result["passed"]
    assert named["result"] == "<material>\n见 E1\n见 E2\n共 2 条，显示 2 条\n</material>"
    assert second.contents[:3] == first.contents, "the rows themselves still stand before"
    earlier, later = [attempt["tool_calls"][0]["result"] for attempt in talk.traces.records[0]["attempts"]]
    assert earlier == later and "两人一见如故" in later
    assert len([one for one in talk.world.passages.asked if one[0] == "dense"]) == 0


async def test_invented_citations(service: Space) -> None:
    """S003-D17 LOP-14: a sentence whose only mark names nothing, and which nothing supports, is dropped and noted."""
    async with talking(service) as talk:
        talk.agent(LOOK, text("两人一见如故[E1]。她们一起住在月亮背面的宫殿里[E77]。"))
        talk.grader(grade())
        result = await talk.ask(QUESTION)
    assert result["answer"] == "两人一见如故[1]。" and len(result["citations"]) == 1
    (note,) = result["notes"]
    assert (note["action"], note["reason"]) == ("dropped", "unsupported")
    assert note["text"] == "她们一起住在月亮背面的宫殿里。"
    assert result["grade"]["scores"]["citation"] == 15 and result["passed"]


async def test_what_the_grader_sees(service: Space) -> None:
    """S003-16 S003-12 S003-22: question, draft, cited evidence, names of calls, newest first; never thoughts."""
    async with talking(service) as talk:
        talk.agent(turn(thought("秘密的想法"), text("我先查关系"), LOOK), SCENES, text(DRAFT))
        talk.grader(grade(score=99))
        result = await talk.ask(QUESTION)
    (request,) = asked(service, GRADER)
    prompt = request.prompt
    assert QUESTION in prompt and DRAFT in prompt and "[E1] (" in prompt
    assert prompt.index("search_memory(") < prompt.index("track_journey(")
    assert "秘密的想法" not in prompt and "我先查关系" not in prompt
    assert request.tools == [] and request.schema and "scores" in request.schema["required"]
    assert request.config["thinkingConfig"] == {"thinkingLevel": "LOW"}
    assert "20/15/10/5/0" in request.system and result["grade"]["score"] == 78, "the total is recomputed"


async def test_evidence_that_was_cut_is_said_to_be(service: Space) -> None:
    """S003-16 PLA-21: at most 2,000 characters of a piece, and the grader is told; no output of a tool."""
    async with talking(service) as talk:
        talk.world.rows = [replace(one, text=one.text * 200) for one in talk.world.rows]
        talk.agent(call("track_entity", {"entity": "卡齐娜"}), text(DRAFT))
        talk.grader(grade())
        await talk.ask(QUESTION, toolkits=["story"])
    prompt = asked(service, GRADER)[0].prompt
    shown = prompt[prompt.index("<material>") : prompt.index("</material>")]
    assert shown.count("…（已截断）") == 2 and len(shown) < 4_300
    assert '[1.1] track_entity({"entity": "卡齐娜"}) → ' in prompt and "显示" not in prompt


async def test_a_self_contained_question_stays(service: Space) -> None:
    """S003-01: the model is asked only where words refer; where it says that they do not, they stay as they are."""
    question, other = "  恰斯卡 和卡齐娜，是什么关系 ？ ", "它山之石是什么？"
    async with talking(service) as talk:
        talk.resolver(resolved("改写过的问题", refers_back=False, topic="关系"))
        talk.agent(LOOK, text(DRAFT), LOOK, text(DRAFT))
        talk.grader(grade(), grade())
        by_itself = await talk.ask(question, session={"entities": ["基尼奇"]})
        assert asked(service, RESOLVER) == []
        no_reference = await talk.ask(other, thread="t2", session={"entities": ["基尼奇"]})
    service.assert_clean()
    assert (by_itself["resolved_question"], no_reference["resolved_question"]) == (question, other)
    assert len(asked(service, RESOLVER)) == 1 and no_reference["resolutions"] == []


async def test_the_resolver_completes_an_ellipsis(service: Space) -> None:
    """S003-01: a bare question becomes a whole one; earlier answers are shown whole, the newest name first."""
    long = f"恰斯卡与卡齐娜一见如故[E1]。{'她们常常见面[E1]。' * 30}"
    async with talking(service) as talk:
        talk.resolver(resolved("恰斯卡为什么与卡齐娜一见如故？", ("", "恰斯卡")))
        talk.agent(LOOK, text(long), LOOK, text(DRAFT))
        talk.grader(grade(), grade())
        await talk.ask(QUESTION)
        result = await talk.ask("为什么？")
    service.assert_clean()
    (request,) = asked(service, RESOLVER)
    assert request.prompt.count("她们常常见面[1]。") >= 25 and "新问题：为什么？" in request.prompt
    assert "卡齐娜 (Character), 恰斯卡 (Character)\n" in request.prompt
    assert result["resolved_question"] == "恰斯卡为什么与卡齐娜一见如故？"


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("她为什么去了？", "恰斯卡和卡齐娜是什么关系？恰斯卡为什么去了？"),
        ("她为什么去了？", "恰斯卡和卡齐娜是什么关系，她为什么去了？"),
        ("她为什么去了？", "恰斯卡为什么去了，还有恰斯卡和卡齐娜是什么关系？"),
        ("她为什么去了？", "恰斯卡跟卡齐娜是什么关系，恰斯卡为什么去了？"),
        ("Why did she go?", "Why did 恰斯卡 go? 恰斯卡和卡齐娜是什么关系"),
    ],
)
async def test_a_rewriting_that_asks_another_question_too_is_refused(
    service: Space, question: str, written: str
) -> None:
    """S000-D10: neither before the question nor behind it, in the same words or nearly; it is asked as it is."""
    async with talking(service) as talk:
        talk.resolver(resolved(written, ("她", "恰斯卡")))
        talk.agent(LOOK, text(DRAFT), LOOK, text(DRAFT))
        talk.grader(grade(), grade())
        await talk.ask(QUESTION)
        result = await talk.ask(question)
    service.assert_clean()
    assert len(asked(service, RESOLVER)) == 1
    assert (result["resolved_question"], result["resolutions"]) == (question, [])


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("她的哥哥呢？", "恰斯卡和卡齐娜的哥哥是什么关系？"),
        ("为什么？", "恰斯卡和卡齐娜为什么是这种关系？"),
        ("她去了哪里，和谁？", "恰斯卡去了哪里，和谁？"),
    ],
)
async def test_a_rewriting_in_the_words_of_the_last_question_is_taken(
    service: Space, question: str, written: str
) -> None:
    """S000-D10: one question may be completed by the words of another."""
    async with talking(service) as talk:
        talk.resolver(resolved(written, ("", "恰斯卡")))
        talk.agent(LOOK, text(DRAFT), LOOK, text(DRAFT))
        talk.grader(grade(), grade())
        await talk.ask(QUESTION)
        result = await talk.ask(question)
    assert result["resolved_question"] == written


@pytest.mark.parametrize("question", ["玛薇卡点燃了什么？", "那她呢？"])
async def test_rag_mode_is_one_model_call(service: Space, question: str) -> None:
    """LOP-01: one retrieval, one model call without tools, rules resolve, graded by no model."""
    async with talking(service) as talk:
        talk.agent(text("她点燃了圣火[E1]。"))
        result = await talk.ask(question, mode="rag", session={"entities": ["玛薇卡"]})
    service.assert_clean()
    (request,) = service.history
    assert request.tools == [] and {content["role"] for content in request.contents} == {"user"}
    said = json.dumps(request.contents, ensure_ascii=False)
    assert "圣火" in said and "[E1]" in said and "基于以上检索到的信息" in request.prompt
    assert result["citations"] and [one["tool"] for one in result["tool_calls"]] == ["vector_search"]


async def test_small_talk(service: Space) -> None:
    """LOP-07: a greeting is answered by one model call, without tools and grade."""
    async with talking(service) as talk:
        talk.agent(text("您好！想了解什么？"))
        result = await talk.ask("你好")
    service.assert_clean()
    assert (result["answer"], result["grade"], service.history[0].tools) == ("您好！想了解什么？", None, [])


async def test_english(service: Space) -> None:
    """S003-08: an English question has English prompts in each role."""
    async with talking(service) as talk:
        talk.resolver(resolved("Who is Kachina?", ("she", "Kachina")))
        talk.agent(
            call("lookup_knowledge", {"entity": "Kachina"}), call("stop", {"reason": "sufficient"}), text("Young. [E1]")
        )
        talk.grader(grade())
        await talk.ask("Who is she?", session={"entities": ["Kachina"]})
    service.assert_clean()
    resolver, planner, *_, draft, grader = service.history
    assert resolver.system.startswith("You make a follow-up question") and "Answer in English" in planner.system
    assert draft.prompt.startswith(
        "Based on the information retrieved above, answer the user's question: Who is Kachina?"
    )
    assert grader.system.startswith("You are a strict grader") and "## Draft" in grader.prompt


async def test_usage(service: Space) -> None:
    """S003-23: tokens by role and attempt, thinking and cached apart, money by the price table; in the trace too."""
    prices = {LOOPBACK_MODEL: Price(input=1.0, output=10.0, cached=0.1), GRADER: Price(input=2.0, output=4.0)}
    async with talking(service, policy=Policy(prices=prices)) as talk:
        talk.agent(turn(LOOK, tokens=TOKENS), turn(text(DRAFT), tokens=usage(2000, 100)))
        talk.grader(grade())
        result = await talk.ask(QUESTION)
    planner, grader = result["usage"]["by"]
    assert {**planner, "seconds": 0} == {
        "role": "planner",
        "attempt": 1,
        "model": LOOPBACK_MODEL,
        "calls": 2,
        "input_tokens": 3000,
        "output_tokens": 170,
        "thinking_tokens": 20,
        "cached_tokens": 400,
        "seconds": 0,
        "cost_usd": pytest.approx((2600 * 1.0 + 400 * 0.1 + 170 * 10.0) / 1e6),
    }
    assert (grader["role"], grader["cost_usd"]) == ("grader", pytest.approx((1000 * 2 + 70 * 4) / 1e6))
    assert result["usage"]["total_tokens"] == 4240 and result["usage"]["seconds"] > 0
    assert result["usage"]["cost_usd"] == pytest.approx(planner["cost_usd"] + grader["cost_usd"])
    assert talk.traces.records[0]["usage"] == result["usage"]


async def test_a_model_without_a_price(service: Space) -> None:
    """S000-D16: an unknown price is unknown, not nothing."""
    async with talking(service) as talk:
        talk.agent(LOOK, text(DRAFT))
        talk.grader(grade())
        result = await talk.ask(QUESTION)
    assert result["usage"]["cost_usd"] is None and result["usage"]["calls"] == 3


async def test_max_tokens_without_a_draft(service: Space) -> None:
    """PLA-08: no further model call; the offline mind writes and grades what the evidence gives."""
    async with talking(service) as talk:
        talk.agent(turn(LOOK, tokens=usage(7_900, 200)))
        result = await talk.ask(QUESTION, max_tokens=8_000)
    service.assert_clean()
    assert len(service.history) == 1 and result["usage"]["total_tokens"] == 8_100
    assert result["degraded"] and result["citations"] and result["grade"] and "max_tokens" in result["warning"]
    assert len(result["attempts"]) == 1


async def test_max_tokens_with_a_draft(service: Space) -> None:
    """PLA-08: the draft of attempt 1 is returned, failed as it is; no refiner, no second attempt."""
    async with talking(service) as talk:
        talk.agent(turn(LOOK, tokens=usage(4_990, 10)), turn(text(DRAFT), tokens=usage(1_390, 10)))
        talk.grader(grade(SHALLOW))
        result = await talk.ask(QUESTION, max_tokens=8_000)
    service.assert_clean()
    assert (result["answer"], result["passed"], result["degraded"]) == (ANSWER, False, False)
    assert "max_tokens" in result["warning"] and asked(service, REFINER) == []


async def test_max_tokens_before_the_grader(service: Space) -> None:
    """PLA-08: spent by the draft: the mind without a model grades it."""
    async with talking(service) as talk:
        talk.agent(turn(LOOK, tokens=usage(10, 10)), turn(text(DRAFT), tokens=usage(7_800, 200)))
        result = await talk.ask(QUESTION, max_tokens=8_000)
    service.assert_clean()
    assert result["answer"] == ANSWER and result["grade"]["reason"].startswith("reader")
    assert asked(service, GRADER) == [] and not result["degraded"]


async def test_nothing_of_a_draft_is_streamed_before_it_passes(service: Space) -> None:
    """PLA-13: failed draft, thoughts, grades and queries stay unseen; the answer comes in pieces, then whole."""
    async with talking(service) as talk:
        talk.agent(turn(text("先查"), LOOK), text("两人不认识[E1]。"), LOOK, text(DRAFT))
        talk.grader(grade(SHALLOW), grade())
        talk.refiner(as_json(["恰斯卡 相遇", "卡齐娜 安慰"]))
        chunks = await talk.stream(QUESTION, ["messages", "custom"])
    service.assert_clean()
    messages = [chunk[0] for mode, chunk in chunks if mode == "messages"]
    events = [chunk for mode, chunk in chunks if mode == "custom"]
    assert "".join(one.text for one in messages if isinstance(one, AIMessageChunk)) == ANSWER
    assert not [one for one in messages if isinstance(one, AIMessage) and not one.tool_calls and one.text not in ANSWER]
    pieces = [one["text"] for one in events if one["event"] == "text"]
    assert pieces == ["恰斯卡与卡齐娜一见如故[1]。", "后来她安慰了卡齐娜[2]。"]
    assert "两人不认识" not in str([one for one in events if one["event"] != "tool_end"])
    if service.provider == "gemini":  # the other protocol streams every reply (LOP-109)
        assert all(one.method == "generateContent" for one in service.history)


async def test_a_stream_that_breaks_off(service: Space) -> None:
    """LOP-04 S003-23: cut in the middle of a JSON string; tried again; each stream counts once, the cut one too."""
    async with talking(service) as talk:
        talk.agent(LOOK, fault.cut(text(DRAFT)), turn(text(DRAFT), tokens=usage(100, 10)))
        talk.grader(grade())
        result = await talk.ask(QUESTION, stream_drafts=True)
    service.assert_clean()
    assert result["answer"] == ANSWER and not result["degraded"]
    row = result["usage"]["by"][0]
    paid = [one.sent["usageMetadata"]["promptTokenCount"] for one in asked(service)]
    if service.provider == "openai":
        del paid[1]  # this protocol says at the end of a stream what it cost
    assert (row["model"], row["calls"], row["input_tokens"]) == (LOOPBACK_MODEL, len(paid), sum(paid))


async def test_an_endless_caller(service: Space) -> None:
    """LOP-10 LOP-26: calls for ever, also in draft turns: every call is answered, what was found makes the answer."""
    async with talking(service) as talk:
        talk.agent(always(turn(SCENES, call("stop", {}), LOOK)))
        talk.grader(always(grade(SHALLOW)))
        talk.refiner(always(as_json(["一", "二"])))
        result = await talk.ask(QUESTION)
    assert service.refused == [] and len(result["attempts"]) == 1 and len(asked(service)) == 3
    assert result["degraded"] and result["citations"] and result["passed"] is False


@pytest.mark.parametrize("step", [fault.status(500), fault.quota(), fault.cut(text(DRAFT)), fault.closed()])
@pytest.mark.parametrize("at", range(4))
async def test_an_error_at_each_step(service: Space, at: int, step: Any) -> None:
    """LOP-10 LOP-04: a passing fault at any model call changes nothing but a repeated request; no tool runs twice."""
    turns = [LOOK, SCENES, call("stop", {"reason": "sufficient"}), text(DRAFT)]
    async with talking(service) as talk:
        talk.agent(*turns[:at], step, *turns[at:])
        talk.grader(grade())
        result = await talk.ask(QUESTION)
    service.assert_clean()
    assert (result["answer"], result["passed"], result["degraded"], result["warning"]) == (ANSWER, True, False, None)
    assert [one["tool"] for one in result["tool_calls"]] == ["track_journey", "search_memory", "stop"]
    assert len(asked(service)) == 5 and len(talk.traces.records) == 1


@pytest.mark.parametrize("at", range(4))
async def test_a_lasting_error_at_each_step(service: Space, at: int) -> None:
    """LOP-10 LOP-11: whatever the model had done stays; the offline mind goes on from there."""
    turns = [LOOK, SCENES, call("stop", {"reason": "sufficient"})]
    async with talking(service) as talk:
        talk.agent(*turns[:at], always(fault.bad_key()))
        result = await talk.ask(QUESTION)
    assert result["degraded"] and result["citations"] and result["grade"]
    made = [one["tool"] for one in result["tool_calls"]]
    assert made[:at] == ["track_journey", "search_memory", "stop"][:at]
    assert len(asked(service)) == at + 1
