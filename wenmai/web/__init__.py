"""What the LangGraph server gets besides the graph: wrong input is refused before a run starts."""
