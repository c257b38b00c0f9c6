"""The graph memory_recall as LangGraph's users know it, and the factory of the LangGraph server."""

from functools import cache
from typing import TYPE_CHECKING, Any

from langgraph.graph.state import CompiledStateGraph

from graph.recall_builder import build_recall

if TYPE_CHECKING:
    from wenmai.local_graph import LocalGraph

    graph: LocalGraph


@cache
def served_graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the graph of the LangGraph server, which brings its own checkpointer and loop. Reads the settings."""
    from wenmai.app.container import process_services

    assembly = process_services().assembly
    return build_recall(assembly.recall_dependencies(assembly.traces))


def __getattr__(name: str) -> Any:
    """Build `graph` when it is imported: settings are read then, stores open at its first run."""
    if name != "graph":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from wenmai.local_graph import recall_graph

    return recall_graph()
