"""Which mode a run has, decided once, and what follows from it and from the toolkits."""

from collections.abc import Sequence
from typing import Literal

from nodes.policy import Policy
from state.context import Context, Mode
from state.schema import PendingCall
from tools.toolboxes import DOCUMENT_TOOLKIT, RAG_DOCUMENTS, RAG_TOOLKIT

RAG_CALL_ID = "rag"
RAG_ROWS = 5
RAG_TOOLS: dict[str, Literal["vector_search", "semantic_search"]] = {
    RAG_TOOLKIT: "vector_search",
    RAG_DOCUMENTS: "semantic_search",
}
STORIES = ("story", "narrative")
PASSAGES = {"narrative": "search_memory", "story": "vector_search"}  # what each toolkit finds passages by
NETWORK_TOOLKIT = "knowledge"
SEARCHED = (*STORIES, DOCUMENT_TOOLKIT)  # by rag mode
MEMORY_TOOLKIT = "memory"
OTHER_SOURCES = (NETWORK_TOOLKIT, DOCUMENT_TOOLKIT, MEMORY_TOOLKIT)
NO_LIBRARY = ""  # of a run that reads no story


def offered_toolkits(context: Context) -> list[str]:
    """Return the toolkits of a run; memory is among them if the run may store memories."""
    wanted = [MEMORY_TOOLKIT] if context.remember else []
    return list(dict.fromkeys([*context.toolkits, *wanted]))


def documents_alone(context: Context) -> bool:
    """Return True if a run uses uploaded documents and nothing else."""
    return offered_toolkits(context) == [DOCUMENT_TOOLKIT]


def reads_stories(context: Context) -> bool:
    """Return True if a run needs its library: it has a story toolkit, or names no other source.

    Memories under a spoiler guard need it, too: the guard counts the chapters of a library.
    """
    is_guarded = context.as_of_chapter is not None and MEMORY_TOOLKIT in offered_toolkits(context)
    if is_guarded or any(one in STORIES for one in context.toolkits):
        return True
    return not any(one in OTHER_SOURCES for one in context.toolkits)


def mode_of(context: Context, policy: Policy) -> Mode:
    """Return the run's own mode; without one documents alone follow USE_FUNCTION_CALLING, all else is agent."""
    if context.mode is not None:
        return context.mode
    return "agent" if policy.use_function_calling or not documents_alone(context) else "rag"


def rag_toolkits(toolkits: Sequence[str]) -> list[str]:
    """Return what rag mode could retrieve from, in the order that the run names it; it takes the first."""
    known = [RAG_DOCUMENTS if one == DOCUMENT_TOOLKIT else RAG_TOOLKIT for one in toolkits if one in SEARCHED]
    return list(dict.fromkeys(known)) or [RAG_TOOLKIT]


def rag_call(toolkits: Sequence[str], question: str, policy: Policy) -> PendingCall:
    """Return the one fixed retrieval of rag mode."""
    toolkit = rag_toolkits(toolkits)[0]
    rows = policy.document_rows if toolkit == RAG_DOCUMENTS else RAG_ROWS
    return PendingCall(id=RAG_CALL_ID, name=RAG_TOOLS[toolkit], args={"query": question, "top_k": rows})
