"""Checked drafts and the grader's claims on the real clients of both protocols (loop.md §6)."""

import pytest

from tests.gemini.parts import call, text
from tests.gemini.replies import Reply
from tests.gemini.space import LOOPBACK_MODEL, Space
from tests.graph.talk import GRADER, REFINER, SHALLOW, grade, maiden, talking
from tests.shipped import shipped_reader

WHO = "谁献出了自己的身体？"
SAID = "少女献出了自己的身体，三月的权能由此转交，她重回世界[E1]。"
LOOK = call("search_memory", {"query": "献出 身体"})


@pytest.mark.parametrize(
    ("grading", "asked", "by"), [("auto", 0, "offline"), ("always", 1, GRADER), ("never", 0, "offline")]
)
async def test_who_grades(service: Space, grading: str, asked: int, by: str) -> None:
    """LOP-16: a short draft that code has verified needs no model's verdict, unless the run wants one each time."""
    async with talking(service, world=maiden(), reader=shipped_reader) as talk:
        talk.agent(LOOK, text(SAID))
        talk.grader(*[grade()] * asked)
        result = await talk.ask(WHO, grade=grading)
    service.assert_clean()
    assert (result["passed"], result["graded_by"], result["grade"]["by"]) == (True, by, by)
    assert len([one for one in service.history if one.model == GRADER]) == asked and result["notes"] == []


async def test_a_doubtful_draft_is_graded_by_the_model(service: Space) -> None:
    """LOP-16 LOP-14: what the check changed or doubts is never passed by it alone."""
    async with talking(service, world=maiden(), reader=shipped_reader) as talk:
        talk.agent(LOOK, text(SAID.replace("[E1]", "[E9]")))
        talk.grader(grade())
        result = await talk.ask(WHO)
    service.assert_clean()
    assert (result["graded_by"], [note["action"] for note in result["notes"]]) == (GRADER, ["moved"])


async def test_claims_and_queries_of_the_grader(service: Space) -> None:
    """S003-15 S003-16 S003-19 S003-D09: an unsupported claim fails; the grader's queries open a revision."""
    claims = [
        {"text": "少女献出身体", "marks": [1], "supported": "yes"},
        {"text": "她很后悔", "marks": [1], "supported": "no"},
    ]
    async with talking(service, world=maiden()) as talk:
        talk.agent(LOOK, text("少女献出身体，她很后悔[E1]。"), text(SAID))
        talk.grader(grade(claims=claims, queries=["少女 权能 转交"]), grade(claims=claims[:1]))
        result = await talk.ask(WHO)
    service.assert_clean()
    first, second = result["attempts"]
    assert (first["fail_reason"], first["grade"]["scores"]["evidence"]) == ("score=68 < 70; unsupported=1", 10)
    assert (second["passed"], second["grade"]["scores"]["evidence"]) == (True, 20)
    assert REFINER not in {one.model for one in service.history}
    revision = [one for one in service.history if one.model == LOOPBACK_MODEL][2]
    assert revision.prompt.startswith(f"用户问题: {WHO}") and "- 没有依据: 她很后悔" in revision.prompt
    graded = next(one for one in service.history if one.model == GRADER)
    assert graded.schema is not None
    assert list(graded.schema["properties"])[:5] == ["claims", "missing", "follows_material", "refusal_ok", "queries"]
    assert "<material>\n[E1] (" in graded.prompt and "search_memory(" in graded.prompt and "显示" not in graded.prompt


async def test_a_correct_refusal_passes(service: Space) -> None:
    """LOP-15 S000-34: in the model's words, after two different searches: four requests, status not_found."""
    said = "资料中没有提到少女的年龄。"
    async with talking(service, world=maiden()) as talk:
        talk.agent(
            call("search_memory", {"query": "少女 年龄"}), call("search_memory", {"query": "少女 几岁"}), text(said)
        )
        talk.grader(grade(SHALLOW, refusal_ok="yes"))
        result = await talk.ask("少女几岁？")
    service.assert_clean()
    assert (result["status"], result["answer"], result["passed"], len(service.history)) == ("not_found", said, True, 4)


async def test_without_a_look_up(service: Space) -> None:
    """S003-D03 LOP-15: from memory it fails without a grader; a question about the assistant needs no look-up."""
    async with talking(service, world=maiden()) as talk:
        talk.agent(text("少女重回了世界。"), text("我可以回答关于这本书的问题。"))
        failed = await talk.ask(WHO, max_attempts=1)
        chat = await talk.ask("你能做什么？", thread="t2")
    service.assert_clean()
    assert failed["attempts"][0]["grade"]["suggestion"] == "请先调用检索工具查证后再回答"
    assert (chat["status"], chat["grade"], chat["answer"]) == ("chat", None, "我可以回答关于这本书的问题。")


@pytest.mark.parametrize(("second", "passed", "by"), [(grade(), True, GRADER), (grade(claims=[]), False, "code")])
async def test_a_grader_that_judges_no_claim_is_asked_again(
    service: Space, second: Reply, passed: bool, by: str
) -> None:
    """LOP-16: points without a claim say nothing of the draft; after a second time it is not graded."""
    async with talking(service, world=maiden()) as talk:
        talk.agent(LOOK, text(SAID))
        talk.grader(grade(claims=[]), second)
        result = await talk.ask(WHO, grade="always", max_attempts=1)
    service.assert_clean()
    assert (result["passed"], result["graded_by"]) == (passed, by)
    assert len([one for one in service.history if one.model == GRADER]) == 2
    assert passed or "没有核对任何论断" in result["warning"]
