"""Compiled graphs as LangGraph's users call them: with and without `await`, on any loop, opened at their first use."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, nullcontext
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, TypeVar
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot, StateUpdate

from graph.builder import TASK, TurnGraph
from state.account import LOCAL
from state.context import Context
from tools.errors import InputError
from tools.messages import Message
from wenmai import inputs
from wenmai.agent import Agent
from wenmai.app.container import Services
from wenmai.app.libraries import LibraryReading
from wenmai.background import Loop, close_at_exit
from wenmai.checkpoints.sqlite import Saver, checkpoints_of
from wenmai.settings.settings import validate_config

RUNTIME = "__pregel_runtime"  # of LangGraph's own
Input = Any
T = TypeVar("T")
Checker = Callable[[Mapping[str, Any], int], None]


@dataclass(eq=False)
class LocalRuns:
    """What the graphs of a process share: one event loop, the services, the checkpoints. Nothing is open at first."""

    services: Services
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    _saver: Saver | None = None

    @cached_property
    def loop(self) -> Loop:
        """The loop, in a thread of its own, until the end of the process."""
        loop = Loop()
        close_at_exit(self.close)
        return loop

    async def saver(self) -> Saver:
        """Return the checkpoints of all threads. Raises StoreError."""
        async with self._opening:
            if self._saver is None:
                self._saver = await self._open.enter_async_context(checkpoints_of(self.services.settings))
            return self._saver

    def close(self) -> None:
        """Close what was opened, and the loop; a graph that is used again opens it anew."""

        async def closed() -> None:
            self._saver = None  # whoever asks again opens anew
            await self._open.aclose()
            await self.services.close()

        for cached in (local_runs, agent_graph, recall_graph):
            cached.cache_clear()
        if (loop := vars(self).pop("loop", None)) is not None:
            loop.run(closed())
            loop.stop()


class LocalGraph(TurnGraph):
    """A compiled graph whose runs are made on the loop of `runs`, with the sources of their context open.

    The context is given as `context={"library": …}`, or under `configurable` beside `thread_id`; of the latter only
    the names of `Context` are read. A thread's turns are kept in the checkpoints of the deployment, unless another
    checkpointer was set; a run without `thread_id`, or as a step of another graph, keeps none.
    """

    def __init__(self, *, runs: LocalRuns, check: Checker, reads_library: bool, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.runs, self.check, self.reads_library = runs, check, reads_library

    def stream(
        self, input: Input, config: RunnableConfig | None = None, *, context: Any = None, **options: Any
    ) -> Generator[Any]:
        """Yield what happens; see `CompiledStateGraph.stream`."""
        yield from self.runs.loop.iterate(self._events(input, ensure_config(config), context, options))

    async def astream(
        self, input: Input, config: RunnableConfig | None = None, *, context: Any = None, **options: Any
    ) -> AsyncIterator[Any]:
        """Yield what happens; see `CompiledStateGraph.astream`."""
        events = self.runs.loop.relay(self._events(input, ensure_config(config), context, options))
        async with aclosing(events):
            async for event in events:
                yield event

    def get_state(self, config: RunnableConfig, *, subgraphs: bool = False) -> StateSnapshot:
        """Return the state of a thread, or of one checkpoint of it."""
        state: StateSnapshot = self._wait(config, lambda graph: graph.aget_state(config, subgraphs=subgraphs))
        return state

    async def aget_state(self, config: RunnableConfig, *, subgraphs: bool = False) -> StateSnapshot:
        """Return the state of a thread, or of one checkpoint of it."""
        return await self._call(config, lambda graph: graph.aget_state(config, subgraphs=subgraphs))

    def get_state_history(self, config: RunnableConfig, **options: Any) -> Iterator[StateSnapshot]:
        """Yield the states of a thread, the newest first."""
        yield from self.runs.loop.iterate(self._states(config, options))

    async def aget_state_history(self, config: RunnableConfig, **options: Any) -> AsyncIterator[StateSnapshot]:
        """Yield the states of a thread, the newest first."""
        states = self.runs.loop.relay(self._states(config, options))
        async with aclosing(states):
            async for state in states:
                yield state

    def bulk_update_state(self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]) -> RunnableConfig:
        """Write changes of a thread's state as if nodes had made them; `update_state` is made of it."""
        written: RunnableConfig = self._wait(config, lambda graph: graph.abulk_update_state(config, supersteps))
        return written

    async def abulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """Write changes of a thread's state as if nodes had made them; `aupdate_state` is made of it."""
        return await self._call(config, lambda graph: graph.abulk_update_state(config, supersteps))

    def close(self) -> None:
        """Close the stores and the checkpoints of this process's graphs; `graph`, imported again, opens them anew."""
        self.runs.close()

    def _wait(self, config: RunnableConfig, work: Callable[[Any], Awaitable[T]]) -> T:
        return self.runs.loop.run(self._with_saver(config, work))

    async def _call(self, config: RunnableConfig, work: Callable[[Any], Awaitable[T]]) -> T:
        return await self.runs.loop.call(self._with_saver(config, work))

    async def _with_saver(self, config: RunnableConfig, work: Callable[[Any], Awaitable[T]]) -> T:
        return await work(await self._kept(config))

    async def _states(self, config: RunnableConfig, options: Mapping[str, Any]) -> AsyncGenerator[StateSnapshot]:
        async for state in (await self._kept(config)).aget_state_history(config, **options):
            yield state

    async def _kept(self, config: RunnableConfig) -> TurnGraph:
        """Return the graph that keeps the thread of a configuration. Raises InputError for another user's."""
        configurable = config.get("configurable", {})
        return await self._keeping(configurable.get("thread_id"), run_of(None, configurable))

    async def _keeping(self, thread: object, run: Context) -> TurnGraph:
        """Return the same graph with the checkpointer that was set, else the deployment's, for the user of a run.

        Raises InputError for a thread of another user, FieldError for what names none.
        """
        if thread is not None:
            inputs.checked_thread(str(thread))
        saver = await self.runs.saver()
        graph = self._plain(saver if self.checkpointer is None else self.checkpointer)
        if thread is not None and await Agent(self.runs.services, graph, saver).is_foreign(str(thread), run.user_id):
            raise InputError(Message("conversation.unknown_named", id=thread))
        return graph

    def _plain(self, checkpointer: Any) -> TurnGraph:
        """Return the same graph to be run on the loop; with the checkpointer False it keeps nothing."""
        own = attributes_of(self, "runs", "check", "reads_library")
        return TurnGraph(**{**own, "checkpointer": checkpointer})

    async def _events(
        self, input: Input, config: RunnableConfig, context: Any, options: Mapping[str, Any]
    ) -> AsyncGenerator[Any]:
        """Yield the events of a run, whose library nobody changes meanwhile and whose thread has no other."""
        services, configurable = self.runs.services, config.get("configurable", {})
        run = run_of(context, configurable)
        if isinstance(input, Mapping):
            self.check({"input": input}, services.settings.max_question_chars)
        thread = None if TASK in configurable else configurable.get("thread_id")
        saver = None if thread is None else await self.runs.saver()
        graph = self._plain(False)
        async with AsyncExitStack() as held:
            if saver is not None:
                await held.enter_async_context(saver.turn(inputs.checked_thread(str(thread))))
                graph = await self._keeping(thread, run)
            reading = services.opening.reading(run) if self.reads_library else nullcontext(LibraryReading())
            reader = await held.enter_async_context(reading)
            metadata = {"run_id": str(config.get("run_id") or uuid4()), **config.get("metadata", {})}
            known: RunnableConfig = {**config, "metadata": metadata}
            events: Any = graph.astream(input, known, context=run, **options)
            async with aclosing(events):
                async for event in events:
                    reader.require_undisturbed()
                    yield event
            if saver is not None and self.checkpointer is None:
                await saver.aprune_thread(str(thread), *services.settings.kept_turns)


@cache
def local_runs() -> LocalRuns:
    """Return what the graphs of this process share. Reads the settings."""
    return LocalRuns(Services(validate_config()))


@cache
def agent_graph() -> LocalGraph:
    """Return the graph of the agent."""
    from graph.builder import build_graph

    runs = local_runs()
    plain = build_graph(runs.services.assembly.dependencies())
    return LocalGraph(runs=runs, check=inputs.check_input, reads_library=True, **attributes_of(plain))


@cache
def recall_graph() -> LocalGraph:
    """Return the graph memory_recall."""
    from graph.recall_builder import build_recall

    runs, assembly = local_runs(), local_runs().services.assembly
    plain = build_recall(assembly.recall_dependencies(assembly.traces))
    return LocalGraph(runs=runs, check=inputs.check_recall_input, reads_library=False, **attributes_of(plain))


def attributes_of(graph: CompiledStateGraph[Any, Any, Any, Any], *without: str) -> dict[str, Any]:
    """Return what a compiled graph is made of, as its own `copy` does."""
    return {key: value for key, value in vars(graph).items() if key not in (*without, "__orig_class__")}


def run_of(context: Any, configurable: Mapping[str, Any]) -> Context:
    """Return the context of a run, from `context`, else from `configurable`, else that of the graph that runs it.

    Who names no `user_id` in a mapping asks as `local`, as on the command line.

    Raises:
        FieldError: an unknown field of `context`, or a wrong value.
    """
    above = getattr(configurable.get(RUNTIME), "context", None) if context is None else context
    if isinstance(above, Context):
        return above
    if context is None:
        given = {**(above if isinstance(above, Mapping) else {}), **configurable}
        context = {name: given[name] for name in given if name in inputs.FIELDS}
    run = inputs.context_from({"user_id": LOCAL, **context})
    inputs.checked_user(run.user_id)
    return run
