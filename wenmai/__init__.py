"""Wenmai: multi-turn, cited answers over stories, knowledge networks, memories and documents.

Everything that Wenmai does, in notebooks and scripts:

    import wenmai

    app = wenmai.connect()                               # until app.close(), or the end of the process
    app.libraries.ingest("novel.txt", "novel")
    app.entities.list("novel", guard=wenmai.Guard(as_of_chapter=3))
    answer = app.conversations.ask("主角是谁？", library="novel")
    print(answer.text, answer.confidence, answer.citations)
    app.conversations.ask("他后来呢？", library="novel", thread_id=answer.thread_id)

    async with wenmai.open() as app:                     # the same in programs with `await`
        answer = await app.conversations.ask("主角是谁？", library="novel", as_of_chapter=3)

Where a server (`wenmai serve`) holds the data, both work through it; `url=` and `key=` name one elsewhere. The agent
alone:

    answer = wenmai.ask("主角是谁？", library="novel")   # opens the stores for one question, or asks their server
    async with wenmai.open_agent() as agent:             # services: one agent, many questions
        answer = await agent.ask("主角是谁？", library="novel", as_of_chapter=3)
        async for event in agent.stream("他后来呢？", library="novel", thread_id=answer.thread_id):
            ...                                          # the steps, the draft, the answer

    wenmai.graph.invoke({"messages": […]}, context={"library": "novel"})     # LangGraph: the compiled graph

    search = wenmai.retriever("novel", as_of_chapter=3)  # LangChain: chains, graphs, search.as_tool(…)

`help(wenmai.Agent)` has the other methods, `help(wenmai.Answer)` what an answer holds, `state.context.Context` every
field of a question. Errors are `WenmaiError` and what derives from it. Settings are environment variables or `.env`.
"""

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from wenmai.own_packages import require_own_packages

if TYPE_CHECKING:
    from graph.agent import graph
    from tools.errors import (
        ArgumentError,
        ConfigError,
        EmbedderMismatch,
        IngestError,
        InputError,
        KnowledgeFailed,
        KnowledgeQueryError,
        KnowledgeRefused,
        KnowledgeTimeout,
        LibraryNotFound,
        ModelError,
        OutOfTokens,
        StoreCorrupt,
        StoreError,
        StoreForeign,
        StoreFull,
        StoreGone,
        StoreLocked,
        StoreUnavailable,
        StoreUnfinished,
        TrackingError,
        WenmaiError,
    )
    from wenmai.agent import Agent, open_agent
    from wenmai.answer import Answer, Event, TurnEvent
    from wenmai.application.paging import Guard
    from wenmai.langchain_retriever import retriever
    from wenmai.opening import ask, connect, open

    __version__: str

__all__ = [
    "Agent",
    "Answer",
    "ArgumentError",
    "ConfigError",
    "EmbedderMismatch",
    "Event",
    "Guard",
    "IngestError",
    "InputError",
    "KnowledgeFailed",
    "KnowledgeQueryError",
    "KnowledgeRefused",
    "KnowledgeTimeout",
    "LibraryNotFound",
    "ModelError",
    "OutOfTokens",
    "StoreCorrupt",
    "StoreError",
    "StoreForeign",
    "StoreFull",
    "StoreGone",
    "StoreLocked",
    "StoreUnavailable",
    "StoreUnfinished",
    "TrackingError",
    "TurnEvent",
    "WenmaiError",
    "__version__",
    "ask",
    "connect",
    "graph",
    "open",
    "open_agent",
    "retriever",
]
COMMAND = ["-m", "wenmai"]  # nobody needs a traceback of `python -m wenmai`
HOMES = {
    "Agent": "wenmai.agent",
    "Answer": "wenmai.answer",
    "Event": "wenmai.answer",
    "Guard": "wenmai.application.paging",
    "TurnEvent": "wenmai.answer",
    "ask": "wenmai.opening",
    "connect": "wenmai.opening",
    "graph": "graph.agent",
    "open": "wenmai.opening",
    "open_agent": "wenmai.agent",
    "retriever": "wenmai.langchain_retriever",
}

# ONNX Runtime reads this when it is imported, which the clients of servers do too; without it a device id and a
# database of what runs here are written to the home directory, and sent.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

try:
    require_own_packages()
except ImportError as error:
    if sys.orig_argv[1:3] != COMMAND:
        raise
    sys.exit(str(error))


def __getattr__(name: str) -> Any:
    """Load a name at its first use: `import wenmai` costs nothing."""
    if name == "__version__":
        from importlib.metadata import version

        return version("wenmai")
    if name in __all__:
        return getattr(import_module(HOMES.get(name, "tools.errors")), name)
    raise AttributeError(f"module 'wenmai' has no attribute {name!r}")
