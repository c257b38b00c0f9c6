"""Conversations behind the API: of the project's own server, or of a LangGraph server."""
