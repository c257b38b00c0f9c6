"""A turn of four model calls through the whole graph, beside the same calls through LangChain's `create_agent`.

    python benchmarks/overhead.py --json overhead.json

Two tool calls, the draft and the grade, asked of the loopback Gemini. Both sides have the same client, connections,
system prompt, tools and checkpointer; the stores are in memory, so that nothing hides what the graphs cost. LangChain's
agent does not grade: its grade is asked of the same client directly. Turns alternate between the two.
"""

import argparse
import asyncio
import itertools
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from benchmarks.measures import machine, quantiles, timed, write
from graph.builder import AgentDependencies, build_graph
from nodes.policy import Policy
from nodes.prompts.grading import GRADER
from nodes.prompts.planner import system_prompt
from state.context import Context
from tests.fakes import FakeCatalog
from tests.gemini.exchange import Request
from tests.gemini.parts import Json, as_json, call, text
from tests.gemini.replies import Reply, turn
from tests.gemini.server import Server
from tests.gemini.space import LOOPBACK_MODEL, Gemini
from tests.unit.tools.world import LIBRARY, World
from tools.base import Scope, Tool
from tools.dispatch import Toolbox
from tools.records import LibraryInfo
from tools.story.names import EntityLinker
from tools.toolboxes import toolbox_for
from wenmai.app.clock import now
from wenmai.language.segmenting import cut
from wenmai.minds.model.caller import Breaker
from wenmai.minds.model.client import ModelEndpoint, ModelSettings
from wenmai.minds.model.mind import RoleModels, model_mind
from wenmai.minds.model.providers.gemini import GeminiProvider, in_json
from wenmai.minds.model.schemas import Graded
from wenmai.minds.offline.mind import offline_mind
from wenmai.observability.traces import TraceFiles

MODEL = ModelSettings(id=LOOPBACK_MODEL, variable="GEMINI_MODEL", summaries=True)
MOST = 1.3  # times the time of the peer
CALLS_A_TURN = 4
WARM_UP = 10
QUESTION = "恰斯卡和卡齐娜是什么关系？"
TITLE = "原神"
LOOK = call("find_connection", {"entity1": "恰斯卡", "entity2": "卡齐娜"})
SCENES = call("search_memory", {"query": "恰斯卡 卡齐娜"})
DRAFT = "恰斯卡与卡齐娜一见如故[E1]。后来她安慰了卡齐娜[E2]。"
SCORES = {"tool_usage": 18, "evidence": 16, "completeness": 14, "citation": 15, "depth": 15}
CLAIMS = [{"text": "论断", "marks": [1], "supported": "yes"}]
GRADE = {"question_type": "relation", "claims": CLAIMS, "scores": SCORES}


def answered(request: Request) -> Json | Reply:
    """Play the model: two calls, one a turn, the draft, the grade."""
    if request.schema:
        return as_json(GRADE)
    rounds = sum(content.get("role") == "model" for content in request.contents)
    return turn(text("先查") if rounds < 2 else text(DRAFT), *([LOOK], [SCENES], [])[min(rounds, 2)])


@dataclass
class Bench:
    """Both agents over one client."""

    gemini: Gemini
    traces: Path
    world: World = field(default_factory=World)
    provider: GeminiProvider = field(init=False)
    tools: dict[str, Tool] = field(init=False)
    toolbox: Toolbox = field(init=False)
    ours: CompiledStateGraph[Any, Any, Any, Any] = field(init=False)
    theirs: CompiledStateGraph[Any, Any, Any, Any] = field(init=False)
    threads: Iterator[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        self.provider = GeminiProvider(ModelEndpoint(key=self.gemini.key, base_url=self.gemini.url))
        self.tools = self.world.tools()
        self.toolbox = toolbox_for(["narrative"], self.tools)
        self.ours = build_graph(self.parts(), InMemorySaver())

    async def open(self) -> "Bench":
        """Fill the stores and build LangChain's agent."""
        await self.world.stock()
        names = self.toolbox.names[:-1]
        model = await self.provider.model(MODEL)
        prompt = system_prompt(TITLE, ["narrative"], 5)
        tools = [langchain_tool(self.tools[name], self.toolbox) for name in names]
        self.theirs = create_agent(model, tools, system_prompt=prompt, checkpointer=InMemorySaver())
        return self

    def parts(self) -> AgentDependencies:
        """Return what our graph is built from: everything but the stores is the product's own."""
        linker = EntityLinker(self.world.graph)
        rules = offline_mind(linker, self.world.passages, self.world.embedder)
        models = RoleModels(agent=MODEL, searcher=MODEL, grader=MODEL, refiner=MODEL, resolver=MODEL)
        return AgentDependencies(
            mind=model_mind(self.provider, Breaker(), models, linker, rules),
            fallback=rules,
            catalog=FakeCatalog(LibraryInfo(name=LIBRARY, title=TITLE, embedder="fake", dimension=32)),
            linker=linker,
            toolboxes=lambda toolkits: self.toolbox,
            traces=TraceFiles(self.traces),
            policy=Policy(),
            clock=now,
            segment=cut,
        )

    def config(self) -> Any:
        """Return the configuration of a new thread."""
        return {"configurable": {"thread_id": str(next(self.threads))}}

    async def ask_ours(self) -> None:
        """Ask through our graph: resolved, planned, graded, cited, traced."""
        given: Any = {"messages": [{"role": "user", "content": QUESTION}]}
        output = await self.ours.ainvoke(
            given, self.config(), context=Context(library=LIBRARY, opening_search=False), durability="exit"
        )
        if not output["result"]["passed"]:
            raise RuntimeError(f"the scripted turn failed: {output['result']}")

    async def ask_theirs(self) -> None:
        """Ask through LangChain's agent, then for the grade."""
        given: Any = {"messages": [HumanMessage(f"用户问题: {QUESTION}")]}
        output = await self.theirs.ainvoke(given, self.config(), durability="exit")
        grader = in_json(await self.provider.model(MODEL), Graded)
        said = "\n\n".join(str(message.text) for message in output["messages"])
        reply = await grader.ainvoke([SystemMessage(GRADER["zh"]), HumanMessage(said)])
        Graded.model_validate_json(reply.text)

    async def ask_bare(self) -> None:
        """Make the four requests with the client alone."""
        model = await self.provider.model(MODEL)
        bound = model.bind_tools(self.toolbox.declarations())
        for _ in range(CALLS_A_TURN - 1):
            await bound.ainvoke([SystemMessage("说话"), HumanMessage(QUESTION)])
        await in_json(model, Graded).ainvoke([SystemMessage(GRADER["zh"]), HumanMessage(QUESTION)])


def langchain_tool(tool: Tool, toolbox: Toolbox) -> StructuredTool:
    """Return one of our tools as LangChain's agents take them."""

    async def run(**arguments: Any) -> str:
        return (await toolbox.run(tool.name, arguments, Scope(library=LIBRARY, limit=3), 1)).content

    return StructuredTool.from_function(
        coroutine=run, name=tool.name, description=tool.description, args_schema=tool.arguments
    )


@dataclass(slots=True)
class Times:
    """Milliseconds of each turn: on the clock, and of this thread's processor, which other programs do not disturb."""

    clock: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    async def add(self, ask: Callable[[], Awaitable[None]]) -> None:
        """Measure one turn."""
        started = time.thread_time()
        with timed() as watch:
            await ask()
        self.clock.append(watch.seconds * 1e3)
        self.processor.append((time.thread_time() - started) * 1e3)


async def measured(bench: Bench, turns: int) -> dict[str, Times]:
    """Return the times of each turn; the sides alternate in changing order, the first turns are not counted."""
    sides: dict[str, Callable[[], Awaitable[None]]] = {
        "wenmai": bench.ask_ours,
        "create_agent": bench.ask_theirs,
        "client alone": bench.ask_bare,
    }
    found: dict[str, Times] = {}
    orders = itertools.cycle(itertools.permutations(sides))
    for number in range(WARM_UP + turns):
        if number == WARM_UP:
            found = {}
        for name in next(orders):
            await found.setdefault(name, Times()).add(sides[name])
    return found


@contextmanager
def serving() -> Iterator[Gemini]:
    """Run the service; clients keep their connections, as they do with Google's."""
    server = Server(keep_alive=True).start()
    gemini = server.open()
    gemini.answer(answered)
    yield gemini
    server.stop()


async def compared(gemini: Gemini, turns: int, traces: Path) -> dict[str, Any]:
    """Measure both sides and return the ratio of their medians."""
    bench = await Bench(gemini, traces).open()
    try:
        found = await measured(bench, turns)
    finally:
        await bench.provider.close()
    gemini.assert_clean()
    figures = {
        name: {**quantiles(times.clock), "processor_p50_ms": quantiles(times.processor)["p50_ms"]}
        for name, times in found.items()
    }
    ours, theirs = figures["wenmai"], figures["create_agent"]
    ratios = {"ratio": "p50_ms", "processor_ratio": "processor_p50_ms"}
    compared = {name: round(ours[column] / theirs[column], 3) for name, column in ratios.items()}
    calls = len(gemini.generated) / len(found) / (WARM_UP + turns)
    return {"calls_a_turn": calls, **figures, **compared, "most": MOST, "holds": compared["ratio"] <= MOST}


def main() -> None:
    """Measure and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--turns", type=int, default=60, help="measured turns of each side")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    before = machine()
    with serving() as gemini, tempfile.TemporaryDirectory() as traces:
        figures = asyncio.run(compared(gemini, arguments.turns, Path(traces)))
    write(arguments.json, {"benchmark": "overhead", "machine": before, "after": machine(), **figures})


if __name__ == "__main__":
    main()
