"""The extras of the distribution: packages that only some need, asked for where they are first used.

Modules below are imported inside functions, behind `require_extra`, so that everything else runs without them.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Literal

from tools.errors import ConfigError
from tools.messages import Message

Extra = Literal["formats", "gemini", "mcp", "neo4j", "office", "onnx", "postgres", "qdrant"]
EXTRAS: Mapping[Extra, tuple[str, ...]] = MappingProxyType(
    {
        "formats": ("mwparserfromhell", "pysubs2"),
        "gemini": ("langchain_google_genai",),
        "mcp": ("mcp",),
        "neo4j": ("langchain_neo4j", "neo4j"),
        "office": ("mammoth", "openpyxl", "pdf_oxide", "pptx", "pypdf"),
        "onnx": ("tokenizers",),
        "postgres": ("pgvector", "psycopg", "psycopg_pool"),
        "qdrant": ("langchain_qdrant", "qdrant_client"),
    }
)
"""By extra the modules that it brings; `langgraph.checkpoint.postgres` comes with the same extra as psycopg."""


def is_missing(extra: Extra) -> bool:
    """Return True if a module of an extra is not installed."""
    return any(find_spec(name) is None for name in EXTRAS[extra])


def require_extra(extra: Extra, wanted_by: str) -> None:
    """Refuse to go on without an extra; `wanted_by` is the setting, path or command that needs it.

    Raises:
        ConfigError: it is not installed; the message names it and the command that installs it.
    """
    if is_missing(extra):
        raise ConfigError(Message("extra.missing", wanted_by=wanted_by, extra=extra))
