"""What leaves for LangSmith while questions are answered, seen from the other end."""

import json

from nodes.policy import DIMENSION_MAX
from tests.langsmith_service.records import Json
from tests.langsmith_service.server import LangSmithServer
from tests.small_story import TOKEN, Opening
from tests.smith.conftest import KEY

WHO = "苏晚亭是谁？"
PASTED = "AIzaSyA0123456789abcdefghijklmnopqrstuv"
USER = "alice@example.com"
KEPT = ("thread_id", "library", "attempt", "score", "passed", "status", "mind", "mode")


def root_of(smith: LangSmithServer) -> Json:
    """Return the one question that was traced."""
    (root,) = [run for run in smith.records.roots if run["name"] == "wenmai"]
    assert smith.records.unknown == [] and smith.records.keys == {KEY}
    return root


async def test_metadata_and_feedback(opening: Opening, smith: LangSmithServer) -> None:
    """S003-24 S003-17: thread, library, attempt and grade with the trace; the five dimensions as feedback on it."""
    async with opening() as agent:
        answer = await agent.ask(WHO, library="river", thread_id="t1", user_id=USER)
    root = root_of(smith)
    metadata, grade = root["extra"]["metadata"], answer.grade
    assert grade is not None
    told = {name: metadata[name] for name in KEPT}
    assert told == {
        "thread_id": "t1",
        "library": "river",
        "attempt": answer.record["attempt"],
        "score": grade["score"],
        "passed": answer.record["passed"],
        "status": "answer",
        "mind": "offline",
        "mode": "agent",
    }
    scores = smith.records.scores(str(root["id"]))
    sure = set() if answer.confidence is None else {"confidence"}
    assert set(scores) == {*grade["scores"], "score", "passed", *sure} and len(grade["scores"]) == 5
    assert metadata["confidence"] == answer.confidence == scores.get("confidence")
    assert all(0 <= scores[name] <= DIMENSION_MAX for name in grade["scores"])
    assert {name: scores[name] for name in grade["scores"]} == grade["scores"] and scores["score"] == grade["score"]
    assert root["session_name"] == "tests"
    names = {run["name"] for run in smith.records.runs.values()}
    assert {"resolve_pronouns", "plan", "tool_call", "grade", "answer"} <= names
    assert WHO in json.dumps(root["inputs"], ensure_ascii=False)
    assert repr(answer.text)[1:-1] in str(root["outputs"])


async def test_no_identity_and_no_key_leaves(opening: Opening, smith: LangSmithServer) -> None:
    """PLA-01: neither the user, nor his account, nor a key that stands in a text or in the settings."""
    async with opening() as agent:
        question = f"苏晚亭是谁？我的密钥是 {PASTED}，令牌是 {TOKEN}"
        await agent.ask(question, library="river", thread_id="t1", user_id=USER, account="acme-account")
    assert "苏晚亭" in smith.records.said and root_of(smith)["inputs"]
    for secret in (PASTED, TOKEN, KEY, USER, "acme-account"):
        assert secret not in smith.records.said


async def test_contents_are_hidden_by_a_setting(opening: Opening, smith: LangSmithServer) -> None:
    """PLA-01: with LANGSMITH_HIDE_CONTENTS no question, answer, evidence or name leaves; the grades do."""
    async with opening(langsmith_hide_contents=True) as agent:
        await agent.ask(WHO, library="river", thread_id="t1", user_id=USER)
    root = root_of(smith)
    assert root["inputs"] == root["outputs"] == {}
    for word in ("苏晚亭", "守塔人", "雾港", USER):
        assert word not in smith.records.said
    assert root["extra"]["metadata"]["library"] == "river" and smith.records.scores(str(root["id"]))["score"] > 0


async def test_an_error_tells_its_kind_alone(opening: Opening, smith: LangSmithServer) -> None:
    """S003-D12: a failed question is traced as failed; with hidden contents its message stays here."""
    async with opening(langsmith_hide_contents=True) as agent:
        graph = agent.graph
        try:
            await graph.ainvoke({"messages": [("user", "  ")]}, {"configurable": {"thread_id": "secret-word"}})
        except ValueError as error:
            assert "empty" in str(error)
    failed = [run for run in smith.records.runs.values() if run.get("error")]
    assert failed and {run["error"] for run in failed} <= {"InputError", "ValueError"}


async def test_a_refusal_has_no_feedback_on_points(opening: Opening, smith: LangSmithServer) -> None:
    """LOP-12: its status is in the metadata; where the grader is sure of it, that is the only feedback."""
    async with opening() as agent:
        answer = await agent.ask("苏晚亭的电话号码是多少？", library="river", thread_id="t1")
    root = root_of(smith)
    assert answer.status == "not_found" and answer.grade is None
    assert (root["extra"]["metadata"]["status"], root["extra"]["metadata"]["score"]) == ("not_found", None)
    assert set(smith.records.scores(str(root["id"]))) <= {"confidence"}
