"""The entry file of the graph memory_recall for LangGraph server and Studio: one factory."""

from functools import cache
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from graph.recall_builder import build_recall
from wenmai.app.container import process_services


@cache
def graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the one compiled graph: settings are read here, stores open at their first use."""
    assembly = process_services().assembly
    return build_recall(assembly.recall_dependencies(assembly.traces))
