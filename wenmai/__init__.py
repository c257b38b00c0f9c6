"""Wenmai: multi-turn, cited answers over stories. `async with wenmai.open_agent() as agent: …`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wenmai.agent import Agent, open_agent
    from wenmai.answer import Answer, Event
    from wenmai.errors import (
        ArgumentError,
        ConfigError,
        EmbedderMismatch,
        IngestError,
        InputError,
        KnowledgeFailed,
        KnowledgeQueryError,
        KnowledgeRefused,
        KnowledgeTimeout,
        LibraryNotFound,
        ModelError,
        StoreCorrupt,
        StoreError,
        StoreForeign,
        StoreFull,
        StoreGone,
        StoreLocked,
        StoreUnavailable,
        TrackingError,
        WenmaiError,
    )

    __version__: str

__all__ = [
    "Agent",
    "Answer",
    "ArgumentError",
    "ConfigError",
    "EmbedderMismatch",
    "Event",
    "IngestError",
    "InputError",
    "KnowledgeFailed",
    "KnowledgeQueryError",
    "KnowledgeRefused",
    "KnowledgeTimeout",
    "LibraryNotFound",
    "ModelError",
    "StoreCorrupt",
    "StoreError",
    "StoreForeign",
    "StoreFull",
    "StoreGone",
    "StoreLocked",
    "StoreUnavailable",
    "TrackingError",
    "WenmaiError",
    "__version__",
    "open_agent",
]
HOMES = {"Agent": "wenmai.agent", "open_agent": "wenmai.agent", "Answer": "wenmai.answer", "Event": "wenmai.answer"}


def __getattr__(name: str) -> Any:
    """Load a name at its first use: `import wenmai` costs nothing."""
    if name == "__version__":
        from importlib.metadata import version

        return version("wenmai")
    if name in __all__:
        return getattr(import_module(HOMES.get(name, "wenmai.errors")), name)
    raise AttributeError(f"module 'wenmai' has no attribute {name!r}")
