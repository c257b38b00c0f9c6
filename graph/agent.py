"""The agent as LangGraph's users know it: `from graph.agent import graph, memory_recall`, and the server's factory."""

from typing import TYPE_CHECKING, Any

from langgraph.graph.state import CompiledStateGraph

if TYPE_CHECKING:
    from wenmai.local_graph import LocalGraph

    graph: LocalGraph
    memory_recall: LocalGraph


def served_graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the graph of the LangGraph server, which asks for it at each run. Reads the settings."""
    from wenmai.app.container import process_services

    return process_services().assembly.served_graph


def __getattr__(name: str) -> Any:
    """Build a graph when it is imported: settings are read then, stores open at its first run."""
    if name not in ("graph", "memory_recall"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from wenmai.local_graph import agent_graph, recall_graph

    return agent_graph() if name == "graph" else recall_graph()
