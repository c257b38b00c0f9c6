"""What calls cost that were of no use, and how long a busy service is waited for (S003-23, LOP-04)."""

import time

import pytest

from tests.gemini import fault
from tests.gemini.parts import call, text
from tests.gemini.replies import Step
from tests.gemini.space import LOOPBACK_MODEL, Gemini
from tests.graph.talk import RESOLVER, SHALLOW, grade, talking

QUESTION = "恰斯卡和卡齐娜是什么关系？"
LOOK = call("find_connection", {"entity1": "恰斯卡", "entity2": "卡齐娜"})
WAIT_S = 240  # a wait that no deadline here has room for
SESSION = {"entities": ["恰斯卡"], "topic": None}


@pytest.mark.parametrize("stream_drafts", [False, True])
@pytest.mark.parametrize(
    "step",
    [
        fault.finish("MAX_TOKENS"),
        fault.finish("SAFETY"),
        fault.malformed_call(),
        fault.blocked(),
        fault.empty(),
        fault.silent(),
    ],
)
async def test_what_a_failed_call_cost(gemini: Gemini, step: Step, stream_drafts: bool) -> None:
    """S003-23: tokens of replies that were no use count with their role and attempt, also where the step fails."""
    async with talking(gemini) as talk:
        talk.agent(step, fault.status(503), step, step)
        result = await talk.ask(QUESTION, stream_drafts=stream_drafts)
    assert result["degraded"] and len(gemini.history) == 4
    (row,) = result["usage"]["by"]
    assert (row["role"], row["attempt"], row["model"], row["calls"]) == ("planner", 1, LOOPBACK_MODEL, 3)
    assert row["input_tokens"] == sum(prompt_tokens(gemini)) > 0
    assert talk.traces.records[0]["usage"] == result["usage"]


def prompt_tokens(gemini: Gemini) -> list[int]:
    """Return what the service counted, by reply."""
    return [one.sent["usageMetadata"]["promptTokenCount"] for one in gemini.history if one.status == 200]


async def test_what_failed_roles_cost(gemini: Gemini) -> None:
    """S003-23: resolver, grader and refiner too: bad structured output, MAX_TOKENS, no candidate."""
    async with talking(gemini) as talk:
        talk.resolver(text("no JSON"), fault.empty())
        talk.agent(LOOK, text("两人一见如故[E1]。"), LOOK, text("浅[E1]。"), LOOK, text("两人一见如故[E1]。"))
        talk.grader(grade())
        result = await talk.ask("她是谁？", session=SESSION)
        counted = prompt_tokens(gemini)
        row = result["usage"]["by"][0]
        assert {**row, "seconds": 0} == {
            "role": "resolver",
            "attempt": 1,
            "model": RESOLVER,
            "calls": 2,
            "input_tokens": sum(counted[:2]),
            "output_tokens": gemini.history[0].sent["usageMetadata"]["candidatesTokenCount"],
            "thinking_tokens": 0,
            "cached_tokens": 0,
            "seconds": 0,
            "cost_usd": None,
        }
        assert row["seconds"] > 0 and row["output_tokens"] > 0
        assert [(one["role"], one["calls"]) for one in result["usage"]["by"][1:]] == [("planner", 2), ("grader", 1)]
        assert not result["degraded"] and result["usage"]["input_tokens"] == sum(counted)
        talk.grader(fault.finish("MAX_TOKENS", text('{"scores": {')), grade(SHALLOW), grade())
        talk.refiner(fault.blocked())
        result = await talk.ask(QUESTION, thread="t2")
    calls = {(one["role"], one["attempt"]): one["calls"] for one in result["usage"]["by"]}
    assert calls == {
        ("planner", 1): 2,
        ("grader", 1): 2,
        ("refiner", 1): 1,
        ("planner", 2): 2,
        ("grader", 2): 1,
    }
    assert result["usage"]["input_tokens"] == sum(prompt_tokens(gemini)[len(counted) :])


async def test_a_wait_that_is_asked_for(gemini: Gemini) -> None:
    """LOP-04: RetryInfo is kept where it fits the deadline, in plan and grade; else the question fails over at once."""
    async with talking(gemini) as talk:
        talk.agent(fault.quota(0.3), LOOK, text("两人一见如故[E1]。"))
        talk.grader(fault.quota(0.3), grade())
        patient = await talk.ask(QUESTION)
        times = [one.at for one in gemini.history]
        sent, begun = len(times), time.monotonic()
        talk.agent(fault.quota(WAIT_S))
        hurried = await talk.ask(QUESTION, thread="t2", deadline_s=WAIT_S / 2)
        talk.resolver(fault.quota(WAIT_S))
        resolving = await talk.ask("她是谁？", thread="t3", session=SESSION, deadline_s=WAIT_S / 2)
    assert patient["passed"] and not patient["degraded"]
    assert times[1] - times[0] >= 0.3 and times[4] - times[3] >= 0.3
    assert len(gemini.history) == sent + 2 and time.monotonic() - begun < WAIT_S / 2
    assert hurried["degraded"] and hurried["citations"] and "429" in hurried["warning"]
    assert resolving["degraded"] and "429" in resolving["warning"]


async def test_a_grader_whose_wait_does_not_fit(gemini: Gemini) -> None:
    """LOP-04 S003-D04: ungraded at once, with the draft."""
    async with talking(gemini) as talk:
        talk.agent(LOOK, text("两人一见如故[E1]。"))
        talk.grader(fault.quota(WAIT_S))
        result = await talk.ask(QUESTION, deadline_s=WAIT_S / 2)
    assert (result["answer"], result["passed"]) == ("两人一见如故[1]。", False) and len(gemini.history) == 3
