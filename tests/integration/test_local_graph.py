"""The compiled graph as users of LangGraph call it: from scripts, from any loop, on threads."""

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.graph.state import CompiledStateGraph

import wenmai
from tests.integration.cli_story import STORY, Cli
from tools.errors import InputError, LibraryNotFound
from wenmai.inputs import FieldError, NotFound
from wenmai.local_graph import LocalGraph, agent_graph, recall_graph

STEPS = ["resolve_pronouns", "plan", "tool_call", "plan", "grade", "answer"]


def asking(question: str) -> dict[str, Any]:
    """Return the graph's input."""
    return {"messages": [{"role": "user", "content": question}]}


def on(thread: str, **more: Any) -> Any:
    """Return the configuration of a thread that asks the library."""
    return {"configurable": {"thread_id": thread, "library": "ferry", **more}}


WHO = asking("沈河在对岸开了什么？")
THEN = asking("他的左腿怎么了？")


@pytest.fixture
def graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalGraph]:
    """The graph on a library of a folder."""
    (tmp_path / "story.txt").write_text(STORY, encoding="utf-8")
    monkeypatch.setenv("DATA_DIR", str(tmp_path / ".wenmai"))
    monkeypatch.setenv("TRACE_DIR", str(tmp_path / "traces"))
    done = Cli(tmp_path).run("ingest", "story.txt", "--library", "ferry")
    assert done.returncode == 0, done.stderr
    made = agent_graph()
    yield made
    made.close()


def test_it_is_a_compiled_graph_and_importing_it_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "none"))
    before = threading.enumerate()
    from graph.agent import graph, memory_recall
    from graph.memory_recall import graph as recall

    assert isinstance(graph, CompiledStateGraph) and isinstance(recall, CompiledStateGraph) and recall is memory_recall
    assert graph is wenmai.graph and graph is agent_graph() and recall is recall_graph()
    assert not (tmp_path / "none").exists()
    # By name: threads of tests before may end meanwhile, none may begin.
    assert [one.name for one in threading.enumerate() if one not in before] == []
    graph.close()


def test_a_question_without_a_thread_is_answered_and_not_kept(graph: LocalGraph) -> None:
    output = graph.invoke(WHO, context={"library": "ferry"})
    assert "茶铺" in output["messages"][-1].text and set(output) == {"messages", "result"}
    assert "茶铺" in graph.invoke(WHO, {"configurable": {"library": "ferry"}})["messages"][-1].text
    found = graph.batch([WHO, asking("阿满今年多大？")], context={"library": "ferry"})
    assert ["茶铺" in found[0]["messages"][-1].text, "十四岁" in found[1]["messages"][-1].text] == [True, True]


def test_the_second_turn_of_a_thread_knows_the_first(graph: LocalGraph) -> None:
    graph.invoke(WHO, on("t"))
    output = graph.invoke(THEN, on("t"))
    assert "沈河" in output["result"]["resolved_question"] and len(graph.get_state(on("t")).values["messages"]) == 4


def test_it_runs_on_any_loop(graph: LocalGraph) -> None:
    async def turn(question: dict[str, Any]) -> dict[str, Any]:
        assert [list(update) async for update in graph.astream(WHO, on("other"), stream_mode="updates")] == [
            [step] for step in STEPS
        ]
        output: dict[str, Any] = await graph.ainvoke(question, on("t"))
        assert (await graph.aget_state(on("t"))).values["messages"][-1].text == output["messages"][-1].text
        return output

    asyncio.run(turn(WHO))
    assert "沈河" in asyncio.run(turn(THEN))["result"]["resolved_question"]


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"context": {"libary": "ferry"}}, FieldError, "libary"),
        ({"context": {"library": "none"}}, LibraryNotFound, "none"),
        ({"config": {"configurable": {"library": "none"}}}, LibraryNotFound, "none"),
        ({"config": {"configurable": {"library": 3}}}, FieldError, "library"),
    ],
)
def test_a_wrong_context_is_refused(graph: LocalGraph, options: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        graph.invoke(WHO, **options)


def test_other_names_under_configurable_are_left_alone(graph: LocalGraph) -> None:
    assert "茶铺" in graph.invoke(WHO, on("t", user_name="x", libary="y"))["messages"][-1].text


TEXT = "沈河在对岸开了什么？"


@pytest.mark.parametrize("messages", [TEXT, HumanMessage(TEXT), {"role": "user", "content": TEXT}, ("user", TEXT)])
def test_one_message_needs_no_list(graph: LocalGraph, messages: Any) -> None:
    """As LangGraph's `add_messages` takes it."""
    assert "茶铺" in graph.invoke({"messages": messages}, context={"library": "ferry"})["messages"][-1].text


def test_earlier_turns_that_a_client_has_kept_in_its_own_form_are_not_stored_twice(graph: LocalGraph) -> None:
    """PLA-13."""
    answer = graph.invoke(WHO, on("t"))["messages"][-1].text
    assert "[1]" in answer and "，" in answer
    plain = answer.replace("[1]", " ").replace("，", ",").replace("。", ".") + "\n"
    kept = [("user", "沈河 在对岸开了什么?"), ("assistant", plain), ("user", "他的左腿怎么了？")]
    graph.invoke({"messages": kept}, on("t"))
    assert [one.type for one in graph.get_state(on("t")).values["messages"]] == ["human", "ai"] * 2
    other = [("user", "阿满今年多大？"), ("assistant", "十四岁。"), ("user", "他的左腿怎么了？")]
    graph.invoke({"messages": other}, on("t"))
    assert len(graph.get_state(on("t")).values["messages"]) == 8


def said_on(graph: LocalGraph, thread: str) -> list[str]:
    """Return what stands on a thread: the questions, and `ai` for an answer."""
    messages = graph.get_state(on(thread)).values["messages"]
    return [one.text if one.type == "human" else one.type for one in messages]


SHEN, MAN, HIS = "沈河在对岸开了什么？", "阿满今年多大？", "他的左腿怎么了？"


@pytest.mark.parametrize("second", [SHEN, MAN])
def test_a_message_that_comes_again_is_a_new_question(graph: LocalGraph, second: str) -> None:
    """PLA-13: LangGraph gives a message its id, and replaces what has the id of one that comes."""
    question = HumanMessage(SHEN)
    graph.invoke({"messages": [question]}, on("t"))
    assert question.id
    output = graph.invoke({"messages": [HumanMessage(second, id=question.id)]}, on("t"))
    assert output["result"]["question"] == output["result"]["resolved_question"] == second
    assert said_on(graph, "t") == [SHEN, "ai", second, "ai"]
    whole = {"messages": [*graph.get_state(on("t")).values["messages"][:2], ("user", MAN)]}
    assert "十四岁" in graph.invoke(whole, on("t"))["messages"][-1].text
    assert said_on(graph, "t") == [SHEN, "ai", second, "ai", MAN, "ai"]


def test_an_answer_is_never_the_question(graph: LocalGraph) -> None:
    graph.invoke(WHO, on("t"))
    with pytest.raises(FieldError, match="messages"):
        graph.invoke({"messages": [("user", SHEN), ("assistant", "茶铺。")]}, on("t"))
    graph.update_state(on("n"), {"messages": [AIMessage("茶铺。")]}, as_node="__start__")
    with pytest.raises(InputError, match="ai"):
        graph.invoke(None, on("n"))


def test_earlier_turns_that_are_new_on_a_thread_are_its_latest_talk(graph: LocalGraph) -> None:
    """PLA-13."""
    graph.invoke(asking(MAN), on("t"))
    kept = [("user", "谁在对岸开了茶铺？"), ("assistant", "沈河。"), ("user", HIS)]
    output = graph.invoke({"messages": kept}, on("t"))
    assert "沈河" in output["result"]["resolved_question"]
    session = graph.get_state(on("t")).values["session"]
    assert [turn["question"] for turn in session["turns"]] == [MAN, "谁在对岸开了茶铺？", HIS]


def test_known_turns_are_known_wherever_they_stand_and_whatever_their_answer(graph: LocalGraph) -> None:
    """PLA-13: a client went back a turn, and has its answers in a form of its own."""
    answer = graph.invoke(WHO, on("t"))["messages"][-1].text
    graph.invoke(asking(MAN), on("t"))
    graph.invoke({"messages": [("user", SHEN), ("assistant", answer[:8] + "……"), ("user", HIS)]}, on("t"))
    assert said_on(graph, "t") == [SHEN, "ai", MAN, "ai", HIS, "ai"]
    # Asked twice by the client, once on the thread: the second time is new.
    twice = [("user", SHEN), ("assistant", answer)] * 2
    graph.invoke({"messages": [*twice, ("user", MAN)]}, on("t"))
    assert said_on(graph, "t")[6:] == [SHEN, "ai", MAN, "ai"]


def test_an_edited_draft_is_what_is_answered(graph: LocalGraph) -> None:
    """PLA-13: also behind `grade`, whose verdict was of another draft."""
    graph.invoke(WHO, on("t"), interrupt_before=["answer"])
    draft = graph.get_state(on("t")).values["draft"]
    edited = [{**draft["sentences"][0], "text": "是一间茶铺。", "marks": []}]
    graph.update_state(on("t"), {"draft": {**draft, "sentences": edited}})
    output = graph.invoke(None, on("t"))
    assert output["messages"][-1].text == "是一间茶铺。"
    assert (output["result"]["passed"], output["result"]["grade"]) == (None, None)


def test_messages_are_removed_as_langgraph_does(graph: LocalGraph) -> None:
    graph.invoke(asking(MAN), on("t"))
    graph.invoke(WHO, on("t"))
    last = graph.get_state(on("t")).values["messages"][-1]
    graph.update_state(on("t"), {"messages": [RemoveMessage(id=last.id)]})
    assert said_on(graph, "t") == [MAN, "ai", SHEN]
    graph.invoke(THEN, on("t"))
    assert [one["question"] for one in graph.get_state(on("t")).values["session"]["turns"]] == [MAN, HIS]
    graph.update_state(on("t"), {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES)]})
    assert said_on(graph, "t") == []
    assert graph.invoke(THEN, on("t"))["result"]["resolved_question"] == HIS


def test_a_conversation_that_is_written_into_a_new_thread_goes_on(graph: LocalGraph) -> None:
    told = [("user", "谁在对岸开了茶铺？"), ("assistant", "沈河。")]
    for step in ("plan", "grade"):  # of a turn, which is not there
        with pytest.raises(InputError, match="answer"):
            graph.update_state(on("t"), {"messages": told}, as_node=step)
    graph.update_state(on("t"), {"messages": told}, as_node="answer")
    assert "沈河" in graph.invoke(THEN, on("t"))["result"]["resolved_question"]


def test_a_thread_that_is_deleted_while_it_is_asked_stays_deleted(graph: LocalGraph) -> None:
    """PLA-02."""
    with wenmai.connect() as app:
        for _ in range(2):
            events = graph.stream(WHO, on("t"), stream_mode="updates")
            assert [list(next(events)) for _ in range(2)] == [["resolve_pronouns"], ["plan"]]
            until = time.monotonic() + 20
            while not app.conversations.list().items and time.monotonic() < until:
                time.sleep(0.01)  # steps are written behind the run
            app.conversations.delete("t")
            assert [list(update) for update in events][-1] == ["answer"]
            assert list(graph.get_state_history(on("t"))) == [] and app.conversations.list().items == []
        graph.invoke(WHO, on("t"))
        assert [one.id for one in app.conversations.list().items] == ["t"]


@pytest.mark.parametrize(
    ("thread", "more"), [("", {}), (" ", {}), ("a\0b", {}), ("t", {"user_id": "  "}), ("t", {"user_id": ""})]
)
def test_what_names_no_thread_and_no_user_is_refused(graph: LocalGraph, thread: str, more: dict[str, Any]) -> None:
    with pytest.raises(FieldError):
        graph.invoke(WHO, on(thread, **more))
    with pytest.raises(FieldError):
        graph.get_state(on(thread, **more))


@pytest.mark.parametrize(
    "given", [{}, {"messages": []}, {"messages": ""}, {"messages": 3}, asking(" "), {"question": "x"}]
)
def test_a_wrong_input_is_refused(graph: LocalGraph, given: Any) -> None:
    with pytest.raises(FieldError):
        graph.invoke(given, context={"library": "ferry"})


def test_a_closed_graph_that_is_used_again_knows_its_threads(graph: LocalGraph) -> None:
    graph.invoke(WHO, on("again"))
    graph.close()
    graph.invoke(THEN, on("again"))
    assert len(graph.get_state(on("again")).values["messages"]) == 4


def test_a_thread_of_another_user_is_refused(graph: LocalGraph) -> None:
    graph.invoke(WHO, on("t", user_id="alice"))
    with pytest.raises(InputError, match="t"):
        graph.invoke(THEN, on("t", user_id="bob"))


def test_its_threads_are_conversations_like_any_other(graph: LocalGraph) -> None:
    """PLA-02."""
    graph.invoke(WHO, on("mine"))
    graph.invoke(WHO, on("hers", user_id="alice"))
    recall_graph().invoke({"query": "我的猫叫什么？"}, {"configurable": {"thread_id": "recalled"}})
    graph.update_state(on("written"), {"messages": ["沈河是谁？"]})
    graph.close()
    with wenmai.connect() as app:
        own = app.conversations
        assert [(one.id, one.title, one.library) for one in own.list().items] == [
            ("written", "沈河是谁？", None),
            ("mine", "沈河在对岸开了什么？", "ferry"),
        ]
        assert "沈河" in own.ask("他的左腿怎么了？", thread_id="mine").record["resolved_question"]
        assert len(own.turns("mine").items) == 2 and own.rename("mine", "渡口").title == "渡口"
        own.delete("mine")
        assert [one.id for one in own.list().items] == ["written"]
        with pytest.raises(NotFound):
            own.get("hers")
    with wenmai.connect(user="alice") as app:
        assert [one.id for one in app.conversations.list().items] == ["hers"]
        with pytest.raises(NotFound):
            app.conversations.ask("沈河是谁？", thread_id="written")


def test_the_state_of_a_thread_is_its_users(graph: LocalGraph) -> None:
    """PLA-02: as its runs are; who is named under `configurable` asks, else the user of this machine."""
    hers = on("t", user_id="alice")
    graph.update_state(hers, {"messages": TEXT})
    assert "茶铺" in graph.invoke(None, hers)["messages"][-1].text
    for other in (on("t", user_id="bob"), on("t")):
        with pytest.raises(InputError, match="t"):
            graph.get_state(other)
        with pytest.raises(InputError, match="t"):
            asyncio.run(graph.aget_state(other))
        with pytest.raises(InputError, match="t"):
            list(graph.get_state_history(other))
        with pytest.raises(InputError, match="t"):
            graph.update_state(other, {"messages": TEXT})
    assert graph.get_state(hers).values["owner"] == "alice"
    for _ in range(2):
        recall_graph().invoke({"query": "我的猫叫什么？"}, on("r"), context={"user_id": "alice"})
    with pytest.raises(InputError, match="r"):
        recall_graph().get_state(on("r", user_id="bob"))


def test_the_steps_of_the_last_turns_stay_the_ends_of_older_ones(
    graph: LocalGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PLA-35."""
    for _ in range(7):
        graph.invoke(WHO, on("t"))
    history = list(graph.get_state_history(on("t")))
    ends = [at for at, state in enumerate(history) if not state.next and state.values.get("result")]
    assert len(ends) == 7 and len(history) == 5 * (len(STEPS) + 2) + 2


def test_a_turn_is_replayed_and_forked(graph: LocalGraph) -> None:
    answer = graph.invoke(WHO, on("t"))["messages"][-1].text
    history = list(graph.get_state_history(on("t")))
    graded: Any = next(state for state in history if state.next == ("grade",))
    again = on("t", **graded.config["configurable"])
    assert [list(update) for update in graph.stream(None, again, stream_mode="updates")] == [["grade"], ["answer"]]
    assert graph.get_state(on("t")).values["messages"][-1].text == answer

    planned = next(one for one in history if one.next == ("plan",) and not one.values["tool_calls"])
    forked: Any = graph.update_state(planned.config, {"resolved_question": "阿满今年多大？"})
    assert "十四岁" in graph.invoke(None, on("t", **forked["configurable"]))["messages"][-1].text


def test_a_run_stops_before_a_node_and_goes_on(graph: LocalGraph) -> None:
    graph.invoke(WHO, on("t"), interrupt_before=["grade"])
    assert graph.get_state(on("t")).next == ("grade",)
    assert "茶铺" in graph.invoke(None, on("t"))["messages"][-1].text


def test_another_checkpointer_takes_the_place_of_the_deployments(graph: LocalGraph) -> None:
    own = graph.copy({"checkpointer": InMemorySaver()})
    own.invoke(WHO, on("t"))
    assert "沈河" in own.invoke(THEN, on("t"))["result"]["resolved_question"]
    assert graph.get_state(on("t")).values == {}


def test_who_stops_reading_stops_the_run(graph: LocalGraph) -> None:
    events = graph.stream(WHO, on("t"), stream_mode="updates")
    next(events)
    events.close()
    assert "result" not in graph.get_state(on("t")).values or not graph.get_state(on("t")).values["result"]
    assert "茶铺" in graph.invoke(WHO, on("t"))["messages"][-1].text


def test_memories_are_recalled_by_their_graph(graph: LocalGraph) -> None:
    found = recall_graph().invoke({"query": "我的猫叫什么？"}, context={"user_id": "alice"})
    assert found["recalled"]["memories"] == []
