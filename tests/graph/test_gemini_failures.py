"""Failures of the service, one row each: what the user gets, what was retried, how long it took (LOP-11)."""

from collections.abc import Callable
from typing import Any

import pytest

from nodes.policy import Policy
from tests.gemini import fault
from tests.gemini.parts import as_json, call, text
from tests.gemini.replies import Step, always, turn
from tests.gemini.space import LOOPBACK_MODEL, Space
from tests.graph.random_scripts import EMPTIES
from tests.graph.rig import PEOPLE
from tests.graph.talk import GRADER, REFINER, RESOLVER, SHALLOW, grade, models, resolved, settings, talking
from wenmai.minds.model.caller import Breaker

QUESTION = "恰斯卡和卡齐娜是什么关系？"
LOOK = call("find_connection", {"entity1": "恰斯卡", "entity2": "卡齐娜"})
ERROR = "抱歉，处理您的问题时出错，请重试。"
MESSAGE = Policy(on_model_failure="message")
SESSION = {"entities": ["恰斯卡"], "topic": None}

# step, tries of the planner (LOP-04: three for what may pass), words of the warning
ROWS: list[Any] = [
    pytest.param(fault.bad_key, 1, "{key}", id="wrong key"),
    pytest.param(lambda: fault.status(403, "Permission denied"), 1, "{key}", id="forbidden"),
    pytest.param(lambda: fault.unknown_model(LOOPBACK_MODEL), 1, "{prefix}_MODEL", id="unknown model"),
    pytest.param(fault.region, 1, "地区", id="region refused"),
    pytest.param(lambda: fault.status(400, "Request contains an invalid argument."), 1, "拒绝了请求", id="refused"),
    pytest.param(fault.quota, 3, "429", id="quota"),
    pytest.param(lambda: fault.quota(None, per="Day"), 3, "429", id="quota of the day"),
    pytest.param(lambda: fault.status(500), 3, "500", id="internal error"),
    pytest.param(lambda: fault.status(503), 3, "503", id="overloaded"),
    pytest.param(lambda: fault.status(504), 3, "限定时间", id="deadline of the service"),
    pytest.param(fault.gateway, 3, "502", id="gateway"),
    pytest.param(fault.closed, 3, "连不上 {service}", id="connection closed"),
    pytest.param(lambda: fault.cut(text("恰斯卡与卡齐娜一见如故")), 3, "{service}", id="cut in a JSON string"),
    pytest.param(fault.hang, 3, "限定时间", id="no first byte"),
]


def said(words: str, service: Space) -> str:
    """Return words of a message as one service says them."""
    return words.format(**service.words._asdict())


@pytest.mark.parametrize(("step", "tries", "words"), ROWS)
async def test_the_offline_mind_finishes(
    service: Space, step: Callable[[], Step], tries: int, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    """LOP-11 LOP-04: retried where that may help, then the offline mind answers from the evidence at hand."""
    # Short only where it must pass: on a busy machine an answer may take a second.
    async with talking(service, timeout_s=3.0 if step is fault.hang else 60.0) as talk:
        talk.agent(LOOK, always(step()))
        result = await talk.ask(QUESTION)
    if step is fault.hang and service.provider == "openai":
        tries = 1  # LOP-109: on this machine it would only be as slow again
    assert len([one for one in service.history if one.model == LOOPBACK_MODEL]) == 1 + tries
    assert result["degraded"] and result["mind"] == "offline" and said(words, service) in result["warning"]
    assert "卡齐娜" in result["answer"] and result["citations"] and result["passed"] is not None
    assert result["tool_calls"][0]["tool"] == "find_connection", "the evidence at hand is kept"
    assert "plan failed" in caplog.text
    assert talk.traces.records[0]["degraded"] and "loopback-key" not in str(talk.traces.records) + result["warning"]


@pytest.mark.parametrize(("step", "tries", "words"), ROWS[:1] + ROWS[8:9])
async def test_the_message_instead(service: Space, step: Callable[[], Step], tries: int, words: str) -> None:
    """LOP-11 S004-D10 S000-40: ON_MODEL_FAILURE=message gives the text, the warning names the reason."""
    async with talking(service, policy=MESSAGE) as talk:
        talk.agent(LOOK, always(step()))
        result = await talk.ask(QUESTION)
    assert (result["answer"], result["passed"], result["degraded"]) == (ERROR, None, False)
    assert said(words, service) in result["warning"] and result["mind"] == service.provider


async def test_an_earlier_draft_instead_of_the_message(service: Space) -> None:
    """S004-24 LOP-11: with `message` the best earlier attempt's draft is returned with passed=false."""
    async with talking(service, policy=MESSAGE) as talk:
        talk.agent(LOOK, text("两人是朋友[E1]。"), always(fault.bad_key()))
        talk.grader(grade(SHALLOW))
        talk.refiner(as_json(["恰斯卡 卡齐娜 相遇", "恰斯卡 安慰"]))
        result = await talk.ask(QUESTION)
    assert (result["answer"], result["passed"]) == ("两人是朋友[1]。", False)
    assert service.words.key in result["warning"]


async def test_a_dead_network(service: Space) -> None:
    """LOP-11: nobody listens; three tries, then the offline mind from the first step on."""
    async with talking(service, url="http://127.0.0.1:9") as talk:
        result = await talk.ask(QUESTION)
    assert result["degraded"] and result["citations"] and service.words.address in result["warning"]


async def test_a_wrong_key_of_the_whole_deployment(service: Space) -> None:
    """S003-03 LOP-11: one request, and the warning names the variable."""
    async with talking(service, key="wrong") as talk:
        result = await talk.ask(QUESTION)
    assert result["degraded"] and service.words.key in result["warning"] and "wrong" not in result["warning"]


@pytest.mark.parametrize("policy", [Policy(), MESSAGE])
async def test_the_resolver_fails(service: Space, policy: Policy) -> None:
    """LOP-11 PLA-12: the first step fails before the turn is opened; nothing of the turn before counts."""
    async with talking(service, policy=policy) as talk:
        talk.agent(LOOK, text("两人一见如故[E1]。"))
        talk.grader(grade())
        first = await talk.ask(QUESTION)
        talk.resolver(fault.bad_key())
        second = await talk.ask("为什么呢？")
        talk.agent(call("lookup_knowledge", {"entity": "恰斯卡"}), text("恰斯卡是调停人[E1]。"))
        talk.grader(grade())
        third = await talk.ask("恰斯卡是谁？")
    asked_models = [one.model for one in service.history]
    assert first["passed"] and third["passed"] and not third["degraded"] and third["warning"] is None
    assert service.words.key in second["warning"] and second["question"] == "为什么呢？"
    assert asked_models.count(RESOLVER) == 1 and [len(one["attempts"]) for one in (first, third)] == [1, 1]
    if policy is MESSAGE:
        assert (second["answer"], second["degraded"], second["tool_calls"]) == (ERROR, False, [])
    else:
        assert second["degraded"] and second["citations"] and second["resolved_question"] != "为什么呢？"
    assert len(talk.traces.records) == 3


async def test_an_unusable_resolution_is_asked_for_again(service: Space) -> None:
    """PLA-05: truncated JSON once, then the answer; no JSON twice, and the rules resolve the question for the model."""
    async with talking(service) as talk:
        talk.resolver(
            fault.finish("MAX_TOKENS", text('{"refers_back": tr')), resolved("恰斯卡是谁？", ("她", "恰斯卡"))
        )
        talk.agent(call("lookup_knowledge", {"entity": "恰斯卡"}), text("恰斯卡是调停人[E1]。"))
        talk.grader(grade())
        result = await talk.ask("她是谁？", session=SESSION)
        assert (result["resolved_question"], result["degraded"]) == ("恰斯卡是谁？", False)
        service.assert_clean()
        talk.resolver(fault.blocked(), fault.malformed_call())
        talk.agent(call("lookup_knowledge", {"entity": "恰斯卡"}), text("恰斯卡是调停人[E1]。"))
        talk.grader(grade())
        result = await talk.ask("她是谁？", thread="t2", session=SESSION)
    assert (result["resolved_question"], result["degraded"], result["passed"]) == ("恰斯卡是谁？", False, True)
    assert "指代由规则消解" in result["warning"]


@pytest.mark.parametrize("on_failure", ["offline", "message"])
@pytest.mark.parametrize(
    "steps",
    [
        [fault.unknown_model(GRADER), fault.unknown_model(GRADER)],
        [fault.finish("SAFETY"), fault.finish("RECITATION")],
        [as_json({"scores": "viel"}), fault.finish("MAX_TOKENS", text('{"scores": {"depth": 1'))],
    ],
)
async def test_the_grader_fails(service: Space, steps: list[Step], on_failure: Any) -> None:
    """S003-D04 S003-03: one repetition, then ungraded in every setting: the draft, passed=false, no further attempt."""
    async with talking(service, policy=Policy(on_model_failure=on_failure)) as talk:
        talk.agent(LOOK, text("两人一见如故[E1]。"))
        talk.grader(steps[0], always(steps[1]))
        result = await talk.ask(QUESTION)
    service.assert_clean() if steps[0] is not steps[1] else None
    assert (result["answer"], result["passed"], result["degraded"]) == ("两人一见如故[1]。", False, False)
    assert result["grade"]["suggestion"] == "请重试或检查答案格式" and len(result["attempts"]) == 1
    assert "GRADER_MODEL" in result["grade"]["reason"] and "GRADER_MODEL" in result["warning"]


async def test_a_grader_that_recovers(service: Space) -> None:
    """S003-D04: the repetition is enough."""
    async with talking(service) as talk:
        talk.agent(LOOK, text("两人一见如故[E1]。"))
        talk.grader(fault.status(503), grade())
        result = await talk.ask(QUESTION)
    assert result["passed"] and result["warning"] is None


async def test_the_refiner_fails(service: Space) -> None:
    """S003-D04 S003-22: the hint without queries opens the next attempt; a lasting failure is named."""
    async with talking(service) as talk:
        talk.agent(LOOK, text("浅[E1]。"), LOOK, text("两人一见如故[E1]。"))
        talk.grader(grade(SHALLOW), grade())
        talk.refiner(fault.unknown_model(REFINER))
        result = await talk.ask(QUESTION)
    planner = [one for one in service.history if one.model == LOOPBACK_MODEL]
    assert "[系统提示: 上次答案不完整 (尝试 1/3). 改进建议: 答案深度不足" in planner[2].prompt
    assert result["passed"] and not result["degraded"] and "REFINER_MODEL" in result["warning"]


@pytest.mark.parametrize("step", EMPTIES)
async def test_an_empty_reply(service: Space, step: Step) -> None:
    """PLA-05 S004-D10: repeated once and then fine; empty twice is the text no_answer and a warning, never stored."""
    async with talking(service) as talk:
        talk.agent(LOOK, step, text("两人一见如故[E1]。"))
        talk.grader(grade())
        assert (await talk.ask(QUESTION))["answer"] == "两人一见如故[1]。"
        service.assert_clean()
        talk.agent(LOOK, step, step)
        result = await talk.ask(QUESTION, thread="t2", max_attempts=1)
    assert result["answer"] == "抱歉，未能生成合适的答案，请重试。" and "没有给出文字" in result["warning"]
    service.assert_clean()


async def test_two_candidates_and_a_call_beside_text(service: Space) -> None:
    """S004-D15: the first candidate counts; text beside a call is a thought, the call is run."""
    async with talking(service) as talk:
        talk.agent(turn(text("先查关系"), LOOK), fault.two(text("两人一见如故[E1]。"), text("无关")))
        talk.grader(grade())
        result = await talk.ask(QUESTION)
    service.assert_clean()
    assert result["answer"] == "两人一见如故[1]。"
    assert talk.traces.records[0]["attempts"][0]["reasoning"]["thoughts"] == ["先查关系"]


async def test_the_breaker_spares_the_next_question(service: Space) -> None:
    """LOP-11: three outages open the circuit; the next question is answered offline without a request."""
    async with talking(service, breaker=Breaker(failures=3, pause_s=60)) as talk:
        service.outage = fault.status(503)
        first = await talk.ask(QUESTION)
        sent = len(service.history)
        second = await talk.ask("卡齐娜是谁？", thread="t2")
        service.outage = None
    assert sent == 3 and len(service.history) == 3
    assert first["degraded"] and second["degraded"] and "暂停调用" in second["warning"]


async def test_a_thinking_level_that_a_model_does_not_take(service: Space) -> None:
    """S003-03: the variable to mend is named."""
    prefix = service.words.prefix
    wrong = models(agent=settings(LOOPBACK_MODEL, f"{prefix}_MODEL", thinking="minimal"))
    async with talking(service, models=wrong) as talk:
        talk.agent(always(fault.status(400, "Thinking level MINIMAL is not supported for this model.")))
        result = await talk.ask(f"{PEOPLE[0]}是谁？")
    assert f"{prefix}_THINKING" in result["warning"] and result["degraded"]
