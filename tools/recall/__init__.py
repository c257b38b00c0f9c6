"""The five tools of the graph memory_recall, their registry and their dispatcher."""
