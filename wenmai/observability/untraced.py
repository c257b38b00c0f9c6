"""LangChain traces by itself where variables of LangSmith ask for it, by a client that hides nothing."""

import os
from collections.abc import Mapping

VARIABLES = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")


def is_asked_for(environment: Mapping[str, str]) -> bool:
    """Return True if LangChain would trace by itself."""
    return any(environment.get(name, "").strip().lower() == "true" for name in VARIABLES)


def refuse(environment: Mapping[str, str] = os.environ) -> None:
    """Let nothing of this process be traced, whatever the environment asks for; the settings did not."""
    if is_asked_for(environment):
        import langsmith

        langsmith.configure(client=None, enabled=False)
