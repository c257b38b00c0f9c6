"""What small models reply with: calls with doubled braces, every argument filled, flags that contradict."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolCall

from tests.gemini.parts import as_json
from tests.gemini.replies import always
from tests.gemini.space import LOOPBACK_MODEL
from tests.graph.talk import grade, resolved, talking
from tests.openai_service.space import OpenAI
from wenmai.minds.model.providers.exchange import only_calls
from wenmai.minds.model.providers.openai import fills_all, without_choices
from wenmai.minds.model.roles import adds_names, contradicts_itself
from wenmai.minds.model.schemas import Graded

SEARCH: dict[str, Any] = {
    "name": "search",
    "description": "Searches.",
    "parameters": {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "top_k": {"type": "integer"},
            "chapter": {"type": "integer"},
            "sort_by": {"type": "string", "enum": ["relevance", "time"]},
        },
        "required": ["query"],
    },
}


@pytest.mark.parametrize(
    "text",
    [
        '{{"name": "search", "arguments": {"query": "铜灯"}}}',
        '{{"name": "search", "arguments": {{"query": "铜灯"}}}}',
        '```json\\n{{"name": "search", "arguments": {"query": "铜灯"}}}\\n```',
        '<tool_call>{{"name": "search", "arguments": {"query": "铜灯"}}}</tool_call>',
    ],
)
def test_doubled_braces_are_a_call(text: str) -> None:
    """LOP-112: models that learned calls from templates write `{{"name": …}}`."""
    reply = only_calls(AIMessage(text.replace("\\n", "\n")), [SEARCH])
    assert [(call["name"], call["args"]) for call in reply.tool_calls] == [("search", {"query": "铜灯"})]


def test_a_model_that_fills_everything_is_offered_no_choice() -> None:
    """LOP-112: optional arguments that choose from a list are left out for it, the others stay."""
    full = {"query": "铜灯", "top_k": 3, "chapter": 1, "sort_by": "time"}

    def reply(args: dict[str, Any]) -> AIMessage:
        return AIMessage("", tool_calls=[ToolCall(name="search", args=args, id="1")])

    assert fills_all(reply(full), [SEARCH]) and not fills_all(reply({"query": "铜灯", "sort_by": "time"}), [SEARCH])
    assert list(without_choices(SEARCH)["parameters"]["properties"]) == ["query", "top_k", "chapter"]


@pytest.mark.parametrize(
    ("question", "rewritten", "names", "adds"),
    [
        ("她把灯藏在哪里？", "苏晚照把灯藏在哪里？", ["苏晚照"], True),
        ("Where did she hide it?", "Where did Maren hide it?", ["Maren"], True),
        ("Where did she hide it?", "Where did Maren hide the lamp?", ["Maren"], False),
        ("她把灯藏在哪里？", "苏晚照是谁？苏晚照把灯藏在哪里？", ["苏晚照"], False),
        ("陆沉舟在哪里？", "苏晚照在哪里？", ["苏晚照", "陆沉舟"], False),
        ("她把灯藏在哪里？", "张三把灯藏在哪里？", ["苏晚照"], False),
    ],
)
def test_a_rewriting_that_adds_names(question: str, rewritten: str, names: list[str], adds: bool) -> None:
    """LOP-112: it counts whatever the model's flag says of it; a name that the question has is not put aside."""
    assert adds_names(question, rewritten, names) is adds


async def test_the_resolvers_names_count_whatever_its_flag_says(openai: OpenAI) -> None:
    """LOP-112: `refers_back: false` beside the name that the pronoun means."""
    async with talking(openai) as talk:
        talk.resolver(resolved("恰斯卡是谁？", ("她", "恰斯卡"), refers_back=False))
        talk.agent({"text": "不知道。"})
        talk.grader(always(grade(refusal_ok="yes")))
        result = await talk.ask("她是谁？", session={"entities": ["恰斯卡"], "topic": None}, max_attempts=1)
    assert result["resolved_question"] == "恰斯卡是谁？"


YES, NO = {"text": "铜灯在地窖里。", "supported": "yes"}, {"text": "铜灯在地窖里。", "supported": "no"}
NO_POINTS = dict.fromkeys(("tool_usage", "evidence", "completeness", "citation", "depth"), 0)


@pytest.mark.parametrize(
    ("claims", "scores", "contradicts"),
    [
        ([YES, NO], {**NO_POINTS, "evidence": 16}, True),
        ([YES], NO_POINTS, True),
        ([YES], {**NO_POINTS, "evidence": 16}, False),
        ([NO], NO_POINTS, False),
        ([], NO_POINTS, False),
    ],
)
def test_a_verdict_that_contradicts_itself(claims: list[Any], scores: dict[str, int], contradicts: bool) -> None:
    assert contradicts_itself(Graded.model_validate({"claims": claims, "scores": scores})) is contradicts


async def test_its_grader_is_off_for_the_process(openai: OpenAI) -> None:
    """LOP-112: the offline mind grades in the place of such a verdict; after three no draft is sent any more."""
    async with talking(openai) as talk:
        talk.agent(always({"text": "恰斯卡与卡齐娜一见如故。"}))
        talk.grader(always(as_json({"claims": [YES, NO], "scores": NO_POINTS})))
        for thread in ("t1", "t2", "t3", "t4"):
            context = {"opening_search": True, "grade": "always", "max_attempts": 1}
            result = await talk.ask("恰斯卡和卡齐娜是什么关系？", thread=thread, **context)
            assert result["graded_by"] in ("offline", "code")
    assert sum(one.model != LOOPBACK_MODEL for one in openai.history) == 3
