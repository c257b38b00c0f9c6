"""Stores that die while a question is on its way: an answer that says so, whichever step asked them last (LOP-05)."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from langgraph.graph.state import CompiledStateGraph

from graph.builder import AgentDependencies, build_graph
from nodes.policy import Policy
from state.session import Session
from tests.fakes import FakeCatalog, FakeStoryGraph
from tests.graph.rig import (
    LIBRARY,
    NO_WAIT,
    Rig,
    ScriptedGrader,
    ScriptedPlanner,
    ScriptedResolver,
    ScriptedTool,
    Traces,
    config,
    found,
    piece,
    run_context,
    says,
    search,
    strict_saver,
    wall_clock,
)
from tests.graph.talk import maiden
from tests.shipped import shipped_reader
from tests.unit.tools.world import World
from tools.errors import LibraryNotFound, StoreCorrupt, StoreUnavailable, WenmaiError
from tools.records import Horizon, LibraryInfo, Name
from tools.story.names import EntityLinker
from tools.toolboxes import toolbox_for
from wenmai.language.segmenting import cut
from wenmai.minds.offline.mind import offline_mind

ERROR = "抱歉，处理您的问题时出错，请重试。"
DOWN = "Neo4j 没有响应：请检查 NEO4J_URI"
QUESTION = "少女是如何重回世界的？"
LOST = "Neo4j 里没有资料库 月 的图谱：请再次运行 wenmai ingest"
STEPS = 60  # more than a question asks the stores


class Fuse(list[str]):
    """The calls of a store; it tells of each."""

    def __init__(self, tell: Callable[[], None]) -> None:
        super().__init__()
        self.tell = tell

    def append(self, method: str, /) -> None:
        super().append(method)
        self.tell()


@dataclass
class Dying:
    """The offline agent on stores that answer `left` calls more and then no other."""

    left: int | None = None
    failure: WenmaiError = field(default_factory=lambda: StoreUnavailable(DOWN))
    world: World = field(default_factory=maiden)
    traces: Traces = field(default_factory=Traces)
    graph: CompiledStateGraph[Any, Any, Any, Any] = field(init=False)

    def __post_init__(self) -> None:
        linker = EntityLinker(self.world.graph)
        parts = AgentDependencies(
            mind=offline_mind(linker, self.world.passages, self.world.embedder, reader=shipped_reader),
            catalog=FakeCatalog(LibraryInfo(name=LIBRARY, title="月", embedder="fake", dimension=32)),
            linker=linker,
            toolboxes=lambda toolkits: toolbox_for(toolkits, self.world.tools()),
            traces=self.traces,
            policy=Policy(),
            clock=wall_clock,
            segment=cut,
            retries=NO_WAIT,
        )
        self.graph = build_graph(parts, strict_saver())

    def called(self) -> None:
        """Count a call; the one behind the last kills both stores."""
        if self.left is None:
            return
        self.left -= 1
        if self.left < 0:
            self.world.graph.failure = self.world.passages.failure = self.failure

    async def ask(self, left: int | None, **context: Any) -> dict[str, Any]:
        """Ask on stores that live for so many calls more."""
        self.world.graph.failure = self.world.passages.failure = self.left = None
        await self.world.stock()
        self.world.graph.history, self.world.passages.history = Fuse(self.called), Fuse(self.called)
        self.left = left
        given = {"messages": [{"role": "user", "content": QUESTION}]}
        output = await self.graph.ainvoke(given, config(), context=run_context(**context))
        assert output["messages"][-1].text == output["result"]["answer"]
        result: dict[str, Any] = output["result"]
        return result


@pytest.mark.parametrize("mode", ["agent", "rag"])
@pytest.mark.parametrize(
    "failure", [StoreUnavailable(DOWN), StoreCorrupt("资料库的文件损坏：请重新入库"), LibraryNotFound(LOST)]
)
async def test_wherever_the_stores_die_the_question_is_answered(failure: WenmaiError, mode: str) -> None:
    """LOP-05 S004-24 S003-D12: from each call on, in turn: a result that names the store, never a broken run."""
    whole = await Dying().ask(None, mode=mode)
    assert whole["answer"] != ERROR and whole["warning"] is None
    ends, outlived = [], False
    for left in range(STEPS):
        dying = Dying(failure=failure)
        result = await dying.ask(left, mode=mode)
        (trace,) = dying.traces.records
        assert (trace["status"], trace["final_response"]) == ("finished", result["answer"])
        outlived = dying.left is not None and dying.left >= 0
        if outlived:
            break
        told = [result["warning"] or "", *(call["result"] for one in trace["attempts"] for call in one["tool_calls"])]
        assert any(str(failure) in text for text in told), left
        ends.append(result["answer"])
    assert outlived, "the stores never lived to the end"
    assert ERROR in ends and whole["answer"] in ends


async def test_a_store_that_is_dead_at_the_opening_is_told() -> None:
    """LOP-05 S004-D10: the apology, the reason as a warning; the thread keeps its session and goes on."""
    dying = Dying()
    await dying.ask(None)
    before: Session = (await dying.graph.aget_state(config())).values["session"]
    result = await dying.ask(0)
    assert (result["answer"], result["warning"], result["passed"]) == (ERROR, DOWN, None)
    assert (result["tool_calls"], result["evidence"]) == ([], [])
    after: Session = (await dying.graph.aget_state(config())).values["session"]
    assert after["entities"] == before["entities"] and before["entities"]
    third = await dying.ask(None)
    assert third["answer"] not in (ERROR, "") and third["warning"] is None


async def test_a_dead_catalog_is_told() -> None:
    """LOP-05: the catalog is asked first of all stores; it is tried three times, then said."""

    class Dead(FakeCatalog):
        asked = 0

        async def info(self, library: str) -> LibraryInfo:
            self.asked += 1
            raise StoreUnavailable("PostgreSQL 没有响应：请检查 POSTGRES_URI")

    rig, catalog = Rig(), Dead()
    rig.graph = build_graph(replace(rig.parts(), catalog=catalog), rig.saver)
    result = await rig.ask()
    assert (result["answer"], result["warning"]) == (ERROR, "PostgreSQL 没有响应：请检查 POSTGRES_URI")
    assert catalog.asked == 3 and rig.planner.history == []


async def test_a_guarded_reader_learns_nothing_from_a_store_that_is_down() -> None:
    """STO-19: what the thread knew beyond the guard is neither shown nor lost by an apology."""
    dying = Dying()
    await dying.ask(None)
    result = await dying.ask(0, as_of_chapter=15)
    assert "献出" not in str({key: value for key, value in result.items() if key != "question"})
    assert result["answer"] == ERROR


async def test_a_bug_at_the_opening_is_an_answer_without_a_stack_trace(caplog: pytest.LogCaptureFixture) -> None:
    """S000-D13 LOP-10: what nobody foresaw is named by its kind alone; where it happened stands in the log."""
    rig = Rig(resolver=ScriptedResolver({"谁？": ZeroDivisionError("secret")}))
    result = await rig.ask("谁？")
    assert (result["answer"], result["warning"]) == (ERROR, "内部错误 (ZeroDivisionError)")
    assert "Traceback" in caplog.text and "in resolve" in caplog.text


async def test_a_store_that_is_down_leaves_no_stack_trace(caplog: pytest.LogCaptureFixture) -> None:
    """LOP-10: an error of ours is a line that says what to do."""
    rig = Rig(resolver=ScriptedResolver({"谁？": StoreCorrupt(DOWN)}))
    assert (await rig.ask("谁？"))["warning"] == DOWN
    assert DOWN in caplog.text and "Traceback" not in caplog.text


@pytest.mark.parametrize("failure", [StoreUnavailable(DOWN), LibraryNotFound(LOST)])
async def test_a_ranking_outlives_the_store_of_names(failure: WenmaiError) -> None:
    """LOP-05 S003-D12: the evidence is best first although the store behind it has no names for the session."""

    class Nameless(FakeStoryGraph):
        async def names(self, library: str, horizon: Horizon | None) -> list[Name]:
            raise failure

    def rig(stories: FakeStoryGraph) -> Rig:
        tools = [ScriptedTool("search", [found(piece("古名刻在石上。"), piece("她向火神宣誓。", 2))])]
        planner = ScriptedPlanner([search(), says("卡齐娜获得了古名。[E1]")])
        return Rig(planner=planner, tools=tools, stories=stories)

    whole, result = await rig(FakeStoryGraph()).ask(), await rig(Nameless()).ask()
    assert str(failure) in result["warning"] and whole["warning"] is None
    texts = [one["text"] for one in whole["evidence"]]
    assert [one["text"] for one in result["evidence"]] == texts == ["她向火神宣誓。", "古名刻在石上。"]


async def test_a_draft_outlives_the_store_that_its_grader_asks() -> None:
    """S003-D04 LOP-05: a grader whose store is down leaves the draft ungraded, and says why."""
    grader = ScriptedGrader([StoreUnavailable(DOWN)])
    rig = Rig(planner=ScriptedPlanner([search(), says("卡齐娜获得了古名。[E1]")]), grader=grader)
    result = await rig.ask()
    assert (result["answer"], result["passed"]) == ("卡齐娜获得了古名。[1]", False)
    assert DOWN in result["warning"] and len(grader.history) == 2
