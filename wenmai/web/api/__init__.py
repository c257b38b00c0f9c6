"""The HTTP API `/api/v1`: one resource a module, the same on the project's own server and on LangGraph's."""
