"""The entry file of LangGraph server and Studio: one factory."""

from functools import cache
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from graph.builder import build_graph
from wenmai.app.container import process_services


@cache
def graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the one compiled graph: settings are read here, stores open at their first use."""
    return build_graph(process_services().assembly.dependencies())
