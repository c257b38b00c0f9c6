"""The agent as LangGraph's users know it: `from graph.agent import graph`, and the factory of the LangGraph server."""

from functools import cache
from typing import TYPE_CHECKING, Any

from langgraph.graph.state import CompiledStateGraph

from graph.builder import build_graph

if TYPE_CHECKING:
    from wenmai.local_graph import LocalGraph

    graph: LocalGraph


@cache
def served_graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the graph of the LangGraph server, which brings its own checkpointer and loop. Reads the settings."""
    from wenmai.app.container import process_services

    return build_graph(process_services().assembly.dependencies())


def __getattr__(name: str) -> Any:
    """Build `graph` when it is imported: settings are read then, stores open at its first run."""
    if name != "graph":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from wenmai.local_graph import agent_graph

    return agent_graph()
