"""What a LangGraph server mounts beside its own routes."""
