"""What random scripts and the table of faults have found, each with a script of its own."""

import pytest

from nodes.prompts.planner import user_text
from tests.gemini import fault
from tests.gemini.parts import as_json, call, text
from tests.gemini.replies import always
from tests.gemini.space import Space
from tests.graph.talk import GOOD, GRADER, grade, talking

QUESTION = "恰斯卡和卡齐娜是什么关系？"
LOOK = call("find_connection", {"entity1": "恰斯卡", "entity2": "卡齐娜"})


async def test_two_candidates_in_a_stream(service: Space) -> None:
    """S004-D15: the first candidate alone is the draft, in a stream too."""
    service.piece = 3
    async with talking(service) as talk:
        talk.agent(LOOK, fault.two(text("两人一见如故[E1]。"), text("两人素不相识[E1]。")))
        talk.grader(grade())
        chunks = await talk.stream(QUESTION, "custom", stream_drafts=True)
    service.assert_clean()
    drafted = "".join(chunk["text"] for chunk in chunks if chunk["event"] == "draft")
    assert drafted == "两人一见如故[1]。"
    assert "".join(chunk["text"] for chunk in chunks if chunk["event"] == "text") == "两人一见如故[1]。"


@pytest.mark.parametrize(("turns", "key"), [(5, "no_answer"), (1, "limit")])
async def test_an_apology_never_passes(service: Space, turns: int, key: str) -> None:
    """S004-D10 S003-13: what code wrote because the model wrote nothing is graded without a model, and fails."""
    async with talking(service) as talk:
        talk.agent(LOOK, always(fault.finish("SAFETY")))
        talk.grader(always(grade()))
        result = await talk.ask(QUESTION, max_attempts=1, max_turns=turns)
    assert result["answer"] == user_text(key, "zh")  # type: ignore[arg-type]  # both are keys
    assert (result["passed"], result["grade"]["scores"]["evidence"]) == (False, 0)
    assert [one for one in service.history if one.model == GRADER] == []


async def test_an_apology_does_not_take_the_place_of_a_draft(service: Space) -> None:
    """S004-24 S003-D08: the worst draft of an earlier attempt is better than the apology of a later one."""
    nothing = dict.fromkeys(GOOD, 1)
    async with talking(service) as talk:
        talk.agent(LOOK, text("两人一见如故[E1]。"), LOOK, always(fault.finish("SAFETY")))
        talk.grader(grade(nothing))
        talk.refiner(as_json(["恰斯卡 相遇", "卡齐娜 比赛"]))
        result = await talk.ask(QUESTION, max_attempts=2)
    service.assert_clean()
    assert (result["answer"], result["passed"], result["attempt"]) == ("两人一见如故[1]。", False, 1)


async def test_silence_is_not_nothing_found(service: Space) -> None:
    """S004-D10 LOP-05: silent in every attempt, though the first one found something: no_answer, never not_found."""
    async with talking(service) as talk:
        talk.agent(LOOK, always(fault.finish("SAFETY")))
        talk.refiner(always(as_json(["恰斯卡 相遇", "卡齐娜 比赛"])))
        result = await talk.ask(QUESTION)
    assert result["answer"] == user_text("no_answer", "zh") and result["passed"] is False
    assert len(result["attempts"]) == 3 and "SAFETY" in result["warning"]
