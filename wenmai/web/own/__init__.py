"""The project's own server: one process on Starlette and uvicorn, without LangGraph's runtime."""
