"""The façade: ask and stream from Python, with threads that last."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Durability, StreamMode
from typing_extensions import Unpack

from graph.builder import build_graph
from nodes.turn import deadline_of, language_of
from state.account import LOCAL, may_go_on
from state.context import Context, ContextFields
from state.result import TurnResult
from state.schema import AgentState
from tools.base import Scope
from tools.documents.records import PRELOADED, DocumentEntry, DocumentOwner, DocumentScope, Removed
from tools.documents.search import DocumentSearch
from tools.errors import InputError
from tools.messages import Message
from wenmai import inputs
from wenmai.answer import Answer, Event, TurnEvent, events, record_of
from wenmai.app.container import Services, services_of
from wenmai.checkpoints.sqlite import PrunedSqliteSaver, checkpoints_of
from wenmai.documents.service import Uploaded, folder_name
from wenmai.settings.settings import Settings, validate_config

if TYPE_CHECKING:
    from langchain_neo4j import Neo4jGraph

    from wenmai.checkpoints.postgres import PrunedPostgresSaver
    from wenmai.direct_tools.calls import ToolView

__all__ = ["Agent", "Answer", "Event", "TurnEvent", "open_agent"]

# `ask` reads no steps, and without "custom" LangGraph runs the one node of a step by itself, not as a task beside
# another that waits for what it writes.
ASK_MODES: Final[Sequence[StreamMode]] = ("updates",)
STREAM_MODES: Final[Sequence[StreamMode]] = ("updates", "custom")


@dataclass(frozen=True, slots=True)
class Agent:
    """Answers questions and takes documents in. Made by `open_agent`.

    Attributes:
        kept_steps: the turns of a thread whose steps are kept; with 0 a turn is written once, at its end.
    """

    services: Services
    graph: CompiledStateGraph[AgentState, Context, Any, Any]
    checkpoints: "PrunedSqliteSaver | PrunedPostgresSaver"
    kept_steps: int = 0

    async def ask(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        session_context: Mapping[str, Any] | None = None,
        **context: Unpack[ContextFields],
    ) -> Answer:
        """Answer a question on a thread; a new thread is made when none is named.

        Args:
            question: one message of the user.
            thread_id: the session to go on with.
            session_context: `{"entities": [...], "topic": ...}`, pushed onto the thread's session.
            **context: any field of `state.context.Context`. Who names no `user_id` asks as `local`, as on the command
                line; with None nobody asks, and only preloaded documents and no memories are seen.

        Raises:
            ValueError: a blank question, an unknown or wrong field, an unknown library, a foreign thread.
            StoreError: the library is locked, corrupt, or built with another embedder; or no result came.
        """
        events = self._events(question, thread_id, session_context, context, ASK_MODES)
        return Answer(TurnResult.model_validate(await record_of(events)))

    async def run(
        self, query: str, session_context: Mapping[str, Any] | None = None, **context: Unpack[ContextFields]
    ) -> str:
        """Answer on a new thread and return the text alone."""
        return (await self.ask(query, session_context=session_context, **context)).text

    async def get_context_chunks(
        self, question: str, session_id: str, top_k: int = 5, *, user_id: str | None = LOCAL
    ) -> list[str]:
        """Return the texts that rag mode answers from, best first, as that session's user sees them.

        With None as the user they are those of preloaded documents.
        """
        scope = Scope(library="", user_id=inputs.checked_user(user_id), thread_id=session_id)
        search = DocumentSearch(self.services.documents, self.services.embedder)
        return await search.get_context_chunks(question, scope, top_k)

    async def recall(
        self, query: str, user_id: str | None, messages: Sequence[Mapping[str, Any]] = (), **context: Any
    ) -> dict[str, Any]:
        """Look for memories of a user; `messages` are `{role, content}`, oldest first.

        Returns the record, or `{error, error_code}`; without a user_id that is permission_denied.
        """
        known = inputs.query_from(query, self.services.settings.max_question_chars)
        run = inputs.context_from({**context, "user_id": user_id})
        scope = Scope(
            library=run.library,
            user_id=run.user_id,
            language=language_of(known, run),
            seconds=deadline_of(run, self.services.settings.policy()),
            permissions=frozenset(run.permissions),
            history=inputs.history_from([dict(message) for message in messages]),
            horizon=await self.services.opening.horizon(run),
        )
        return (await self.services.assembly.own_recall(known, scope)).record

    async def tool(self, name: str, *, user_id: str | None = LOCAL, **arguments: Any) -> dict[str, Any]:
        """Call a tool by itself, as over MCP: its result as plain data, or `{"error": …}` in the form of the tool.

        Nobody calls it with None as the user: a tool that needs one says so.
        """
        from wenmai.application.caller import Caller
        from wenmai.application.tools import agent_tools

        tools = await agent_tools(self, self.services)
        return (await tools.call(name, arguments, Caller(user_id=inputs.checked_user(user_id) or ""))).structured

    async def tools(self) -> "Sequence[ToolView]":
        """Return the tools that `tool` calls, with the JSON schemas of their arguments and results."""
        from wenmai.application.tools import agent_tools

        return (await agent_tools(self, self.services)).views

    async def upload(
        self,
        file: str | Path,
        *,
        thread_id: str | None = None,
        user_id: str | None = LOCAL,
        content: bytes | None = None,
        preloaded: bool = False,
        folder: str | None = None,
    ) -> Uploaded:
        """Store a document in a user's session, in a folder of his collection, or with `preloaded` for everybody.

        Args:
            file: a path; with `content` only its name counts.
            thread_id: the session; questions on this thread by this user see the document.
            user_id: whose session it is; default: `local`, as on the command line. Nobody (None) has none.
            content: what the file holds, where it is not on the disk.
            preloaded: for every session; then neither thread nor user is named.
            folder: of the user's collection, which all his sessions see, `""` for its top; then no thread is named.

        Raises:
            InputError: no session, no user or a blank one, a bad name, or over a limit; nothing is stored.
            IngestError: the file cannot be read; nothing is stored.
        """
        owner = owner_of(thread_id, user_id, preloaded, folder)
        service = self.services.document_service
        data = await asyncio.to_thread(inputs.file_bytes, Path(file), service.max_bytes, content)
        return await service.upload(str(file), data, owner)

    async def documents(self, thread_id: str | None = None, user_id: str | None = LOCAL) -> list[DocumentEntry]:
        """Return the documents that a session sees: preloaded first, then the newest of it and the collection.

        Nobody sees no others than preloaded ones.
        """
        return await self.services.document_service.documents(DocumentScope(inputs.checked_user(user_id), thread_id))

    async def remove_documents(
        self,
        *names: str,
        thread_id: str | None = None,
        user_id: str | None = LOCAL,
        preloaded: bool = False,
        folder: str | None = None,
    ) -> Removed:
        """Remove documents of a session, of a folder, or preloaded ones, by name or id; without names all of them."""
        owner, service = owner_of(thread_id, user_id, preloaded, folder), self.services.document_service
        return await (service.remove(owner, names) if names else service.remove_all(owner))

    def stream(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        session_context: Mapping[str, Any] | None = None,
        **context: Unpack[ContextFields],
    ) -> AsyncIterator[TurnEvent]:
        """Yield what happens, as it happens: steps, thoughts, drafts, the checked text, last the result record.

        Arguments and errors as in `ask`; drafts are shown unless `stream_drafts=False`.
        """
        return self._events(question, thread_id, session_context, {"stream_drafts": True, **context}, STREAM_MODES)

    async def _events(
        self,
        question: str,
        thread_id: str | None,
        session_context: Mapping[str, Any] | None,
        context: Mapping[str, Any],
        modes: Sequence[StreamMode],
    ) -> AsyncGenerator[TurnEvent]:
        run, state = inputs.context_from({"user_id": LOCAL, **context}), self.input(question, session_context)
        inputs.checked_user(run.user_id)
        thread = thread_id or str(uuid.uuid4())
        async with self.checkpoints.turn(thread), self.services.opening.reading(run) as reader:
            if thread_id is not None and await self.is_foreign(thread, run.user_id):
                raise InputError(Message("conversation.unknown_named", id=thread))
            async for event in self.turn(thread, state, run, modes, is_new=thread_id is None):
                reader.require_undisturbed()
                yield event

    async def turn(
        self, thread: str, state: Any, run: Context, modes: Sequence[StreamMode], *, is_new: bool
    ) -> AsyncGenerator[TurnEvent]:
        """Yield a turn on a thread that the caller has alone, whose sources are open. `state` is made by `input`."""
        config: RunnableConfig = {**self.config(thread), "metadata": {"run_id": str(uuid.uuid4())}}
        durability: Durability = "async" if self.kept_steps else "exit"
        stream: Any = self.graph.astream(state, config, context=run, stream_mode=list(modes), durability=durability)
        result: TurnEvent | None = None  # remember adds to it: it is yielded last, and once
        async with aclosing(stream):  # it writes a checkpoint as it ends: not behind a caller who leaves
            async for mode, chunk in stream:
                for event in events(str(mode), chunk):
                    if event.kind == "answer":
                        result = event
                    else:
                        yield event
        if result is not None:
            yield result
        if not is_new or self.kept_steps:  # else a new thread has one checkpoint
            await self.checkpoints.aprune_thread(thread, self.services.settings.kept_checkpoints, self.kept_steps)

    def input(self, question: str, session_context: Mapping[str, Any] | None) -> Any:
        """Return the graph's input. Raises FieldError."""
        text = inputs.checked_question(inputs.text_of(question), self.services.settings.max_question_chars)
        given = inputs.session_context_from(dict(session_context)) if session_context else None
        return {"messages": [{"role": "user", "content": text}], "session_context": given}

    def config(self, thread_id: str) -> RunnableConfig:
        """Return the configuration of a run on a thread."""
        return {"configurable": {"thread_id": thread_id}}

    async def is_foreign(self, thread: str, user_id: str | None) -> bool:
        """Return True if a thread is another user's; one without an owner is the user's of this machine."""
        state = await self.graph.aget_state(self.config(thread))
        return bool(state.values) and not may_go_on(owner_in(state.values, state.metadata), user_id)


def owner_in(values: Mapping[str, Any], metadata: Mapping[str, Any] | None) -> str | None:
    """Return whose a thread is by its newest checkpoint, None for nobody's.

    Before the first step has ended it is of the user who was named under `configurable`, which LangGraph keeps.
    """
    owner: str | None = values.get("owner", (metadata or {}).get("user_id"))
    return owner


def owner_of(thread_id: str | None, user_id: str | None, preloaded: bool, folder: str | None = None) -> DocumentOwner:
    """Return whose a document is. Raises InputError unless a user's session, a folder or `preloaded` is named."""
    user = inputs.checked_user(user_id)
    if preloaded + bool(thread_id) + (folder is not None) != 1 or (preloaded and user not in (None, LOCAL)):
        raise InputError(Message("document.owner_or_preloaded"))
    if folder is not None:
        return DocumentOwner(user, folder=folder_name(folder))
    return PRELOADED if preloaded else DocumentOwner(user, thread_id)


@asynccontextmanager
async def open_agent(
    settings: Settings | None = None, *, story_graph: "Neo4jGraph | None" = None, **overrides: object
) -> AsyncIterator[Agent]:
    """Open an agent on this process's settings; keywords override single ones (`data_dir=…`).

    Args:
        settings: default: environment and `.env`.
        story_graph: a Neo4j that is open already keeps story graphs and networks, as with NEO4J_URI; it stays open.
        **overrides: single settings.

    Raises:
        ConfigError: a setting is wrong.
        StoreError: the Neo4j does not answer.
        TypeError: a keyword is no setting.
    """
    if settings is not None and overrides:
        raise TypeError(f"open_agent() takes settings or single ones, not both: {', '.join(overrides)}")
    services = await services_of(settings or validate_config(**overrides), story_graph)
    try:
        async with checkpoints_of(services.settings) as checkpoints:
            graph = build_graph(services.assembly.dependencies(), checkpoints)
            yield Agent(services, graph, checkpoints, services.settings.kept_turns[1])
    finally:
        await services.close()
