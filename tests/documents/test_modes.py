"""rag and agent mode on documents: what the model and the store were asked (documents.md §1 and §4)."""

import asyncio
import logging
from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from nodes.policy import Policy
from nodes.prompts.planner import context_block, format_context
from tests.documents.desk import ERROR, NO_DOCUMENTS, NOT_FOUND, USER, Desk, scripted
from tests.fake_documents import FakeDocumentStore
from tests.graph.rig import Rig, ScriptedPlanner, ScriptedTool, becomes, calls, says
from tools.base import Scope
from tools.documents.search import DocumentSearch, chunk_evidence
from tools.errors import InputError, ModelError, StoreUnavailable

QUESTION = "年假有几天？"
ANSWER = says("每年十五天。[E1]")
CALLING = Policy(use_function_calling=True)
SEARCHES = ["dense", "sparse", "sparse"]


def semantic(query: str = QUESTION, **more: Any) -> Any:
    """Return a model turn with one search."""
    return calls(("semantic_search", {"query": query, **more}))


async def rigged(*turns: Any, policy: Policy | None = None, **fields: Any) -> tuple[Desk, Rig]:
    """Return a stocked desk whose mind is scripted."""
    rig = Rig(planner=ScriptedPlanner(list(turns)))
    desk = Desk(mind=scripted(rig), policy=policy or Policy(), **fields)
    await desk.stock()
    return desk, rig


async def test_rag_is_one_retrieval_and_one_model_call() -> None:
    """S004-28 S004-01 S004-22 LOP-01 S004-D12: no tool bound, no model grades, no refiner; one dense query, one by
    words, one by the names of what they found. The reader grades, once, and says how sure the answer is.
    """
    desk, rig = await rigged(ANSWER)
    result = await desk.ask(QUESTION)
    (request,) = rig.planner.history
    assert request.draft_only and request.mode == "rag"
    assert (rig.grader.history, rig.refiner.history) == ([], [])
    assert sorted(method for method in desk.asked() if method in SEARCHES) == SEARCHES
    assert desk.embedder.history == [QUESTION]
    assert desk.asked().count("matching") == 0
    assert (result["mode"], result["graded_by"], len(result["tool_calls"])) == ("rag", "offline", 1)
    assert len(result["attempts"]) == 1 and result["grade"]["confidence"] == result["confidence"]
    assert result["tool_calls"][0]["args"] == {"query": QUESTION, "top_k": 5}
    assert result["answer"] == "每年十五天。[1]"
    (citation,) = result["citations"]
    assert (citation["source"], citation["location"]) == ("手册.pdf", "第 1 页")


async def test_agent_mode_leaves_rag_as_it_was() -> None:
    """S004-28 S004-01: a run in agent mode before and after changes nothing of what rag mode asks."""
    desk, rig = await rigged(ANSWER, semantic(), ANSWER, ANSWER)
    before = await desk.ask(QUESTION, "t1")
    first = desk.asked()
    await desk.ask(QUESTION, "t1", mode="agent")
    seen = len(desk.asked())
    after = await desk.ask(QUESTION, "t1")
    assert [m for m in desk.asked()[seen:] if m in SEARCHES] == [m for m in first if m in SEARCHES]
    assert before["answer"] == after["answer"] and len(rig.planner.history) == 4
    assert rig.planner.history[3].draft_only


@pytest.mark.parametrize(
    ("toolkits", "calling", "wanted", "mode"),
    [
        (["documents"], False, None, "rag"),
        (["documents"], True, None, "agent"),
        (["documents"], False, "agent", "agent"),
        (["documents"], True, "rag", "rag"),
        (["documents", "narrative"], False, None, "agent"),
        (["documents", "memory"], False, None, "agent"),
        (["narrative"], True, None, "agent"),
    ],
)
async def test_which_mode(toolkits: list[str], calling: bool, wanted: str | None, mode: str) -> None:
    """DOC-01 S004-18 S004-03 LOP-01: the run's mode wins; the variable concerns documents alone."""
    desk, _ = await rigged(ANSWER, ANSWER, ANSWER, ANSWER, policy=Policy(use_function_calling=calling))
    await desk.world.stock()
    result = await desk.ask(QUESTION, toolkits=toolkits, mode=wanted)
    assert result["mode"] == mode


async def test_the_mode_of_a_run_is_told_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    """S004-20 S004-D19 S004-27: question, mode, calls and answer stand in the log; a key in the question does not."""
    desk, _ = await rigged(ANSWER, semantic(), ANSWER)
    key = "AIza" + "x" * 35
    with caplog.at_level(logging.INFO, "wenmai.loop"):
        await desk.ask(f"{key} 年假有几天？这是一个很长很长的问题，" + "长" * 60)
        await desk.ask(QUESTION, "t2", mode="agent", user_id="乙")
    said = "\n".join(record.getMessage() for record in caplog.records)
    assert "Handling question for session t1: [redacted] 年假有几天？" in said
    assert "Handling question for session t2: 年假有几天？..." in said
    assert "Using RAG mode" in said and "Using Function Calling mode" in said
    assert "[Turn 1] Calling: semantic_search({'query': '年假有几天？'})" in said
    assert "Successfully generated answer (length: 13)" in said  # with the mark of a doubtful sentence
    assert key not in said.split("Using RAG mode")[0] and "长" * 50 not in said.split("Using RAG mode")[0]


async def test_the_question_can_be_kept_out_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """S004-20: the text can be switched off."""
    desk, _ = await rigged(ANSWER, policy=Policy(log_questions=False))
    with caplog.at_level(logging.INFO, "wenmai.loop"):
        await desk.ask("秘密的年假有几天？")
    said = "\n".join(record.getMessage() for record in caplog.records)
    assert "Handling question for session t1: ..." in said and "秘密" not in said


@pytest.mark.parametrize("mode", ["rag", "agent"])
async def test_no_documents(mode: str) -> None:
    """S004-D11 S004-27: without a visible document no model is asked, in either mode; another user's do not count."""
    rig = Rig(planner=ScriptedPlanner([ANSWER]))
    desk = Desk(mind=scripted(rig))
    await desk.put("别人的.txt", "年假有五天。", session="t1", user="乙")
    result = await desk.ask(QUESTION, mode=mode)
    assert (result["answer"], result["tool_calls"], result["grade"]) == (NO_DOCUMENTS, [], None)
    assert (rig.planner.history, rig.resolver.history, rig.grader.history) == ([], [], [])
    english = await desk.ask("How many days?", mode=mode)
    assert english["answer"] == "I don't have any documents to reference. Please upload some documents first."


async def test_nothing_that_matches() -> None:
    """S004-D11 S000-34: documents are there and nothing matches: not_found, written by code."""
    desk, rig = await rigged(calls(("keyword_search", {"keywords": "量子力学"})), says("我知道！"), policy=CALLING)
    result = await desk.ask("量子力学是什么？")
    assert result["answer"] == NOT_FOUND and rig.grader.history == []


async def test_agent_mode_needs_a_session() -> None:
    """S004-17: without one the answer says so, and nothing is asked; rag mode sees what is preloaded."""
    desk, rig = await rigged(ANSWER, saver=None)
    result = await desk.ask(QUESTION, None, mode="agent")
    assert result["answer"] == "Error: Session ID is required."
    assert rig.planner.history == [] and desk.asked() == []
    rag = await desk.ask("保修期多久？", None)
    assert [piece["source"] for piece in rag["evidence"]] == ["保修.md"]


@pytest.mark.parametrize("mode", ["rag", "agent"])
async def test_a_blank_question(mode: str) -> None:
    """S004-19: a ValueError to the caller, never an apology."""
    desk, _ = await rigged(ANSWER)
    with pytest.raises(ValueError, match="Question cannot be empty") as caught:
        await desk.ask(" \n", mode=mode)
    assert isinstance(caught.value, InputError)


async def test_the_loop_of_agent_mode() -> None:
    """S004-15 S004-21 S004-26 S004-27: question with tools, calls, results, calls again, text; every tool is called."""
    desk, rig = await rigged(
        calls(("list_documents", {})),
        semantic(),
        calls(("keyword_search", {"keywords": "FIN-2071"})),
        says("每年十五天。[E3]"),
        policy=CALLING,
    )
    result = await desk.ask(QUESTION)
    assert [(call["tool"], call["ok"]) for call in result["tool_calls"]] == [
        ("list_documents", True),
        ("semantic_search", True),
        ("keyword_search", True),
    ]
    names = [declaration["name"] for declaration in rig.planner.history[0].declarations]
    assert names == ["semantic_search", "keyword_search", "query_table", "list_documents", "stop"]
    assert [len(request.calls) for request in rig.planner.history] == [0, 1, 2, 3]
    seen = [message for message in rig.planner.history[3].transcript if isinstance(message, ToolMessage)]
    assert '"total": 2' in seen[0].text and "十五天" in seen[1].text and "FIN-2071" in seen[2].text
    assert result["mode"] == "agent" and len(rig.grader.history) == 1


async def test_agent_mode_prepares_no_context() -> None:
    """S004-17 S004-21: the first model turn sees the question alone; the store was only asked what there is."""
    seen: list[list[str]] = []
    desk, rig = await rigged(policy=CALLING)

    def first(request: Any) -> Any:
        seen.append(desk.asked())
        return ANSWER

    rig.planner.turns = [first, ANSWER]
    await desk.ask(QUESTION)
    assert seen == [["documents"]]
    assert [message.type for message in rig.planner.history[0].transcript] == ["human"]


async def test_documents_have_one_attempt() -> None:
    """LOP-02 S004-D01: one graded draft, so that MAX_FUNCTION_CALLS bounds the question."""
    wide = Policy(use_function_calling=True, max_calls=2)
    desk, _ = await rigged(*[semantic(f"年假{n}") for n in range(4)], ANSWER, policy=wide)
    result = await desk.ask(QUESTION)
    assert len(result["attempts"]) == 1
    assert [call["ok"] for call in result["tool_calls"]] == [True, True]
    assert result["attempts"][0]["stop_reason"] == "max_turns"


@pytest.mark.parametrize("mode", ["rag", "agent"])
async def test_a_dead_store(mode: str) -> None:
    """S004-23 LOP-05 S004-D19: the answer is the error text in both modes, and no model writes it."""
    desk, _ = await rigged(semantic(), ANSWER)
    assert isinstance(desk.documents, FakeDocumentStore)
    desk.documents.failure = StoreUnavailable("文档库连不上")
    result = await desk.ask(QUESTION, mode=mode)
    assert result["answer"] == ERROR
    assert [call["ok"] for call in result["tool_calls"]] == [False]


@pytest.mark.parametrize("mode", ["rag", "agent"])
async def test_a_dead_model(mode: str) -> None:
    """S004-24 LOP-11 S004-27: the offline mind finishes the question from the documents, and the result says so."""
    desk, _ = await rigged(*[ModelError("503", transient=False)] * 9)
    result = await desk.ask(QUESTION, mode=mode)
    assert "十五天年假" in result["answer"] and result["degraded"] and result["mode"] == mode


@pytest.mark.parametrize("mode", ["rag", "agent"])
async def test_a_dead_model_with_message(mode: str) -> None:
    """S004-23 S004-24: ON_MODEL_FAILURE=message gives the error text."""
    desk, _ = await rigged(*[ModelError("503", transient=False)] * 9, policy=Policy(on_model_failure="message"))
    assert (await desk.ask(QUESTION, mode=mode))["answer"] == ERROR


async def test_fallback_to_rag() -> None:
    """LOP-11: agent mode whose first model call failed answers in rag mode: one retrieval, one model call."""
    policy = Policy(use_function_calling=True, fallback_to_rag=True)
    desk, rig = await rigged(ModelError("503", transient=False), ANSWER, policy=policy)
    result = await desk.ask(QUESTION)
    assert (result["answer"], result["mode"], result["degraded"]) == ("每年十五天。[1]", "rag", False)
    assert [call["tool"] for call in result["tool_calls"]] == ["semantic_search"]
    assert rig.planner.history[-1].draft_only and rig.grader.history == []


async def test_fallback_to_rag_is_not_tried_twice_nor_behind_a_result() -> None:
    """LOP-11: a second failure, or one behind a tool's result, goes to the offline mind."""
    policy = Policy(use_function_calling=True, fallback_to_rag=True)
    dead = ModelError("503", transient=False)
    desk, _ = await rigged(dead, dead, policy=policy)
    twice = await desk.ask(QUESTION)
    assert twice["degraded"] and "十五天年假" in twice["answer"]
    desk, _ = await rigged(semantic(), dead, policy=policy)
    behind = await desk.ask(QUESTION)
    assert (behind["mode"], behind["degraded"]) == ("agent", True)


async def test_a_disabled_tool_is_refused_in_the_loop() -> None:
    """S004-D08 S004-10: it is not offered, and a call of it is answered like one of an unknown tool."""
    desk, rig = await rigged(calls(("list_documents", {})), semantic(), ANSWER, policy=CALLING)
    desk.disabled = ("list_documents",)
    result = await desk.ask(QUESTION)
    assert [call["ok"] for call in result["tool_calls"]] == [False, True]
    assert "list_documents" not in [one["name"] for one in rig.planner.history[0].declarations]


async def test_toggles_do_not_touch_rag_mode() -> None:
    """S004-01 S004-10: rag mode retrieves whatever the toggles say."""
    desk, _ = await rigged(ANSWER)
    desk.disabled = ("semantic_search", "keyword_search", "list_documents")
    assert (await desk.ask(QUESTION))["answer"] == "每年十五天。[1]"


async def test_get_context_chunks() -> None:
    """S004-22: the texts that rag mode answers from, and how they stand in the prompt."""
    desk, _ = await rigged()
    chunks = await DocumentSearch(desk.documents, desk.embedder).get_context_chunks(
        QUESTION, Scope(library="", user_id=USER, thread_id="t1"), 2
    )
    assert len(chunks) == 2 and "十五天年假" in chunks[0]
    assert format_context(chunks) == f"[Context 1]\n{chunks[0]}\n\n---\n\n[Context 2]\n{chunks[1]}"


async def test_context_names_its_sources_and_keeps_to_its_room() -> None:
    """S004-22 S004-25: file and place of each piece; what is beyond 8,000 characters is left out."""
    desk = Desk()
    await desk.put("长.txt", *["文" * 3_000] * 4)
    found = await DocumentSearch(desk.documents, desk.embedder).search("文", _scope(), 4)
    block = context_block([chunk_evidence(chunk, score, "zh") for chunk, score in found], "zh")
    assert "[Context 2]" in block and "[Context 3]" not in block
    assert block.endswith("资料来源：\n[E1] 长.txt\n[E2] 长.txt")


def _scope() -> Any:
    return Scope(library="", user_id=USER, thread_id="t1")


@pytest.mark.parametrize("mode", ["rag", "agent"])
async def test_two_sessions_in_both_modes(mode: str) -> None:
    """DOC-07 S004-13: ten runs of two sessions at once, each with a file of one name, never see the other's."""
    desk = Desk()
    await desk.stock()

    async def one(number: int) -> None:
        user, thread, secret = (USER, "t1", "ZETA") if number % 2 else ("乙", "t2", "十五天")
        result = await desk.ask("年假有几天？内部代号是什么？", thread, user_id=user, mode=mode)
        assert secret not in str(result) and {piece["source"] for piece in result["evidence"]} >= {"手册.pdf"}

    for _ in range(5):
        await asyncio.gather(one(0), one(1))


async def test_both_toolkits_in_rag_mode() -> None:
    """LOP-01: rag mode retrieves once, from what the run names first, and says what it left out."""
    desk, _ = await rigged(ANSWER, ANSWER)
    await desk.world.stock()
    result = await desk.ask(QUESTION, toolkits=["documents", "narrative"], mode="rag")
    assert [call["tool"] for call in result["tool_calls"]] == ["semantic_search"]
    assert "vector_search" in result["warning"]
    story = await desk.ask("玛薇卡点燃了什么？", "t5", toolkits=["story", "documents"], mode="rag")
    assert [(call["tool"], call["args"]["top_k"]) for call in story["tool_calls"]] == [("vector_search", 5)]


async def test_documents_alone_need_no_library() -> None:
    """S004-01 DOC-01: a run on documents alone asks no catalog and reads no story's names."""
    desk, rig = await rigged(ANSWER)
    result = await desk.ask(QUESTION, library="nowhere")
    assert result["answer"] == "每年十五天。[1]"
    assert rig.resolver.history[0].library == ""


async def test_resolved_question_is_what_is_retrieved() -> None:
    """S004-22 S000-23: rag mode searches with the question that stands by itself."""
    rig = Rig(planner=ScriptedPlanner([ANSWER, ANSWER]))
    rig.resolver.resolutions["那病假呢？"] = becomes("病假有几天？", ("那", "病假"))
    desk = Desk(mind=scripted(rig))
    await desk.stock()
    await desk.ask("那病假呢？")
    assert desk.embedder.history == ["病假有几天？"]


async def test_a_scripted_tool_is_no_part_of_documents() -> None:
    """S004-10: a run on documents alone is offered the three tools and no other toolkit's."""
    desk, _ = await rigged(semantic(), ANSWER, policy=CALLING)
    await desk.ask(QUESTION)
    assert set(desk.offered) == {("documents",)}
    assert ScriptedTool("search").name not in desk.toolbox(["documents"]).names
