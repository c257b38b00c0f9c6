"""The graph memory_recall as LangGraph's users know it, and the factory of the LangGraph server."""

from typing import TYPE_CHECKING, Any

from langgraph.graph.state import CompiledStateGraph

if TYPE_CHECKING:
    from wenmai.local_graph import LocalGraph

    graph: LocalGraph


def served_graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the graph of the LangGraph server, which asks for it at each run. Reads the settings."""
    from wenmai.app.container import process_services

    return process_services().assembly.served_recall


def __getattr__(name: str) -> Any:
    """Build `graph` when it is imported: settings are read then, stores open at its first run."""
    if name != "graph":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from wenmai.local_graph import recall_graph

    return recall_graph()
