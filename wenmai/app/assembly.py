"""What the agent's graphs are built from: minds, tools, traces. The one module of `app` that loads LangGraph.

What few questions need is loaded where it is made: the mind that asks a model, the graph that recalls memories.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from graph.builder import AgentDependencies, build_graph
from nodes.answer import TraceSink
from nodes.checking.draft_check import DraftCheck
from nodes.remember import Memories
from nodes.roles import Mind
from tools.base import Tool
from tools.dispatch import Toolbox
from tools.messages import say
from tools.networks.knowledge_network_query import KnowledgeNetworkQuery
from tools.networks.knowledge_network_retrieval import KnowledgeNetworkRetrieval, retrieval_tool
from tools.networks.lexicon import Lexicons
from tools.recall.context import MemoryReader
from tools.recall.recall_memories import RecallMemories
from tools.recall.tools import ENTRIES
from tools.story.names import EntityLinker
from tools.toolboxes import document_tools, story_tools, toolbox_for
from wenmai.app.clock import new_id, now
from wenmai.app.engines import Engines
from wenmai.language.segmenting import cut
from wenmai.minds.offline.mind import offline_mind
from wenmai.observability.logs import log_turn
from wenmai.observability.traces import ObservedTraces, TraceFiles

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    from graph.recall_builder import GraphRecall, RecallDependencies
    from wenmai.minds.model.caller import Breaker
    from wenmai.minds.model.client import Provider
    from wenmai.observability.otel import Spans
    from wenmai.settings.settings import Settings

log = logging.getLogger("wenmai.mind")
WITHOUT_MODEL = frozenset({"linker", "lexicons", "memory_reader", "offline", "network_retrieval", "spans"})
"""Parts that stay where another model answers."""


@dataclass(frozen=True)
class AgentAssembly:
    """The agent's parts over the stores of a process, each made at its first use."""

    services: Engines
    settings: "Settings"

    def answering_by(self, settings: "Settings") -> "AgentAssembly":
        """Return the parts for another model; those that know none stay, with their sessions and connections."""
        made = AgentAssembly(self.services, settings)
        vars(made).update({name: part for name, part in vars(self).items() if name in WITHOUT_MODEL})
        return made

    @cached_property
    def linker(self) -> EntityLinker:
        return EntityLinker(self.services.graph)

    @cached_property
    def lexicons(self) -> Lexicons:
        from wenmai.minds.offline.networks.naming import asked_words

        return Lexicons(self.services.knowledge, asked_words)

    @cached_property
    def memory_reader(self) -> MemoryReader:
        return MemoryReader(self.services.memories, self.services.memory_ranking, self.services.memory_caches)

    @cached_property
    def provider(self) -> "Provider":
        """The chat models of the endpoint; their library is loaded at the first use."""
        from wenmai.minds.choice import endpoint_of
        from wenmai.minds.model.providers import provider_of

        return self.services.closed_at_end(provider_of(endpoint_of(self.settings)))

    @cached_property
    def breaker(self) -> "Breaker":
        from wenmai.minds.model.caller import Breaker

        settings = self.settings
        return Breaker(settings.breaker_failures, settings.breaker_pause_s)

    @cached_property
    def offline(self) -> Mind:
        services = self.services
        return offline_mind(self.linker, services.passages, services.embedder, self.lexicons, lambda: services.reader)

    @cached_property
    def mind(self) -> Mind:
        if not self.settings.asks_model:
            log.info(say("model.none_set_answers_offline"))
            return self.offline
        from wenmai.minds.choice import role_models

        models = role_models(self.settings)
        if self.settings.is_small:
            from wenmai.minds.wording import small_mind

            check = DraftCheck(lambda: self.services.reader, cut)
            return small_mind(self.provider, self.breaker, models.agent, self.linker, self.offline, check)
        from wenmai.minds.model.mind import OpeningSearch, model_mind
        from wenmai.minds.offline.book import BookReader
        from wenmai.minds.offline.memories import asks_memories
        from wenmai.minds.offline.networks.naming import in_full

        opener = OpeningSearch(self.lexicons, asks_memories, in_full, BookReader(self.linker))
        return model_mind(self.provider, self.breaker, models, self.linker, self.offline, opener)

    @property
    def fallback(self) -> Mind | None:
        return self.offline if self.mind is not self.offline else None

    @cached_property
    def spans(self) -> "Spans | None":
        """What sends spans by OpenTelemetry; None without OTEL_EXPORTER_OTLP_ENDPOINT. Raises ConfigError."""
        if not self.settings.otel_exporter_otlp_endpoint:
            return None
        from wenmai.observability.otel import spans_of

        return self.services.closed_at_end(spans_of(self.settings))

    @property
    def traces(self) -> TraceSink:
        """Where traces go: files, a line in the log, spans, and a server's counts."""
        settings = self.settings
        log = partial(log_turn, with_question=settings.log_questions)
        sink: TraceSink = ObservedTraces(TraceFiles(settings.trace_dir), log)
        if self.spans is not None:
            sink = self.spans.traced(sink)
        if not self.services.is_server:
            return sink
        from wenmai.observability.metrics import count

        known = frozenset((*self.tools, *(entry.name for entry in ENTRIES)))
        return ObservedTraces(sink, partial(count, known=known))

    @cached_property
    def network_retrieval(self) -> KnowledgeNetworkRetrieval:
        """The tool that remembers what it has found in a conversation."""
        seconds = (self.settings.tool_timeout_s, self.settings.knowledge_session_s)
        return retrieval_tool(self.services.knowledge, new_id, *seconds)

    @cached_property
    def tools(self) -> dict[str, Tool]:
        services, settings = self.services, self.settings
        recall = RecallMemories(lambda query, scope: self.recall(query, scope))
        networks = self.network_retrieval
        documents = document_tools(services.documents, services.embedder, settings.top_k_retrieval)
        query = KnowledgeNetworkQuery(services.knowledge)
        others: dict[str, Tool] = {**documents, recall.name: recall, networks.name: networks, query.name: query}
        own = story_tools(services.passages, services.graph, services.embedder, services.catalog, services.losses)
        tools = {**own, **others}
        if not services.is_server:
            return tools
        from wenmai.observability.metrics import MeasuredTool

        return {name: MeasuredTool(tool) for name, tool in tools.items()}

    def toolbox(self, toolkits: Sequence[str]) -> Toolbox:
        settings = self.settings
        limits = (settings.tool_timeout_s, settings.recall_timeout_s)
        return toolbox_for(toolkits, self.tools, *limits, settings.disabled_tools)

    @cached_property
    def recall(self) -> "GraphRecall":
        """What looks for memories for a question, which keeps the steps in its own trace; built for the first."""
        return self._recall_by(None)

    @cached_property
    def own_recall(self) -> "GraphRecall":
        return self._recall_by(self.traces)

    def _recall_by(self, traces: TraceSink | None) -> "GraphRecall":
        from graph.recall_builder import GraphRecall, build_recall

        return GraphRecall(build_recall(self.recall_dependencies(traces)))

    def dependencies(self) -> AgentDependencies:
        services = self.services
        return AgentDependencies(
            mind=self.mind,
            fallback=self.fallback,
            catalog=services.catalog,
            linker=self.linker,
            toolboxes=self.toolbox,
            traces=self.traces,
            policy=self.settings.policy(),
            clock=now,
            segment=cut,
            memories=Memories(
                services.memory_service, self.memory_reader, lambda user_id, keys: services.forget(user_id, keys)
            ),
            lexicons=self.lexicons,
            documents=services.documents,
            reader=lambda: services.reader,
        )

    @cached_property
    def served_graph(self) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """The graph of LangGraph's server, which brings its own checkpointer and loop."""
        return build_graph(self.dependencies())

    @cached_property
    def served_recall(self) -> "CompiledStateGraph[Any, Any, Any, Any]":
        from graph.recall_builder import build_recall

        return build_recall(self.recall_dependencies(self.traces))

    def recall_dependencies(self, traces: TraceSink | None = None) -> "RecallDependencies":
        """Return what the graph memory_recall is built from; with `traces` each recall writes its own."""
        from graph.recall_builder import RecallDependencies

        return RecallDependencies(
            mind=self.mind,
            fallback=self.fallback,
            reader=self.memory_reader,
            catalog=self.services.catalog,
            policy=self.settings.policy(),
            clock=now,
            traces=traces,
        )
