"""What leaves for LangSmith while questions are answered, seen from the other end."""

import json
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, TypedDict

from langgraph.graph import StateGraph

from nodes.policy import DIMENSION_MAX
from nodes.tool_runs import tool_run
from state.schema import PendingCall
from tests.langsmith_service.records import Json
from tests.langsmith_service.server import LangSmithServer
from tests.small_story import TOKEN, Opening
from tests.smith.conftest import KEY
from tools.base import Scope
from tools.dispatch import Toolbox
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.observability.allowance import QUESTION_BYTES

WHO = "苏晚亭是谁？"
PASTED = "AIzaSyA0123456789abcdefghijklmnopqrstuv"
USER = "alice@example.com"


class Rounds(TypedDict):
    """The state of a graph that calls tools."""

    rounds: int
    found: list[str]
    question: str


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


async def test_a_tool_call_is_a_run_of_a_tool(opening: Opening, smith: LangSmithServer) -> None:
    """LOP-20: LangSmith counts and filters calls as tools: name, arguments and result, below the node that made it."""
    async with opening() as agent:
        answer = await agent.ask(WHO, library="river", thread_id="t1")
    runs = smith.records.runs
    calls = [run for run in runs.values() if run["run_type"] == "tool"]
    assert {run["name"] for run in calls} == {call["tool"] for call in answer.tool_calls}
    (stop,) = [run for run in calls if run["name"] == "stop"]
    others = [run for run in calls if run is not stop]
    assert others and all(runs[str(run["parent_run_id"])]["name"] == "tool_call" for run in calls)
    arguments = [call["args"] for call in answer.tool_calls if call["tool"] != "stop"]
    assert all(run["inputs"] in arguments and run["outputs"]["output"] and run["end_time"] for run in others)
    assert "苏晚亭" in json.dumps([run["outputs"] for run in others], ensure_ascii=False)


async def test_a_failed_call_is_a_failed_run(opening: Opening, smith: LangSmithServer) -> None:
    """LOP-20: the call of a tool that fails is an error in LangSmith, with the line that the model reads."""

    async def calling(state: Rounds) -> dict[str, Any]:
        call = PendingCall(id="c1", name="no_such_tool", args={"query": "灯塔"})
        async with tool_run(call) as end:
            outcome = await Toolbox(()).run(call["name"], call["args"], Scope(library="river"), 1)
            await end(outcome.content, outcome.ok)
        return {}

    async with opening() as agent:
        assert agent.services.smith
        graph: Any = StateGraph(Rounds).add_node(calling).add_edge("__start__", "calling").compile()
        await graph.ainvoke({"rounds": 0})
    (run,) = [run for run in smith.records.runs.values() if run["run_type"] == "tool"]
    assert run["name"] == "no_such_tool" and "Unknown tool" in run["error"]


async def test_a_question_is_small_and_names_no_folder(
    opening: Opening, smith: LangSmithServer, tmp_path: Path
) -> None:
    """LOP-20: over a long story a question sends at most 200 kB, whole answer and grade among them, and no path."""
    pages = [f"第{n}日，苏晚亭在灯塔上守夜，海雾漫过第{n}级台阶。" * 30 for n in range(1, 60)]
    long = tmp_path / "long.txt"
    long.write_text("第一回 守夜\n\n" + "\n\n".join(pages), encoding="utf-8")
    async with opening() as agent:
        request = IngestRequest(path=long, library="long")
        services = agent.services
        await ingest(request, stores=services.stores, embedder=services.embedder, tagger=services.reader)
        answer = await agent.ask("苏晚亭在哪里守夜？", library="long", thread_id="t1")
        assert len(json.dumps(answer.record, ensure_ascii=False).encode()) > 20_000
    root, sent = root_of(smith), sum(len(text.encode()) for text in smith.records.texts)
    assert 10_000 < sent <= QUESTION_BYTES
    assert root["outputs"]["result"]["answer"] == answer.record["answer"]
    assert root["outputs"]["result"]["grade"]["score"] == answer.record["grade"]["score"]
    assert answer.trace and Path(answer.trace).name in smith.records.said
    for folder in (tmp_path, Path.home(), Path.cwd(), Path(sys.prefix), Path(tempfile.gettempdir())):
        assert f"{folder}/" not in smith.records.said


async def test_the_longest_question_is_small(opening: Opening, smith: LangSmithServer) -> None:
    """LOP-20: however many steps a question takes and however long they are, it sends at most 200 kB."""
    text = "海雾漫过台阶，苏晚亭还在灯塔上守夜。" * 1_000

    async def calling(state: Rounds) -> dict[str, Any]:
        for n in range(3):
            async with tool_run(PendingCall(id=f"c{n}", name="search_memory", args={"query": text})) as end:
                await end(text, True)
        return {"rounds": state["rounds"] + 1, "found": [*state["found"], text], "question": text}

    async with opening() as agent:
        assert agent.services.smith
        graph = StateGraph(Rounds).add_node(calling).add_edge("__start__", "calling")
        graph.add_conditional_edges("calling", lambda state: "calling" if state["rounds"] < 40 else "__end__")
        compiled: Any = graph.compile()
        await compiled.ainvoke({"rounds": 0, "found": [], "question": text}, {"recursion_limit": 100})
    sent = sum(len(one.encode()) for one in smith.records.texts)
    assert QUESTION_BYTES // 2 < sent <= QUESTION_BYTES
    assert len([run for run in smith.records.runs.values() if run["run_type"] == "tool"]) > 10
    assert all(run.get("end_time") for run in smith.records.runs.values())


async def test_errors_name_no_folder(opening: Opening, smith: LangSmithServer, tmp_path: Path) -> None:
    """LOP-20: a traceback keeps its files and lines, without the folders that they lie in."""
    async with opening() as agent:
        with suppress(ValueError):
            await agent.graph.ainvoke({"messages": [("user", "  ")]}, {"configurable": {"thread_id": "t1"}})
    failed = [str(run["error"]) for run in smith.records.runs.values() if run.get("error")]
    assert failed and any('File "turn.py", line' in one for one in failed)
    assert not any('File "/' in one for one in failed)
