"""Wenmai: multi-turn, cited answers over stories. `async with wenmai.open_agent() as agent: …`.

`agent.ask(question, library=…)` answers with citations, `agent.stream(…)` yields the steps, the text and the answer.
Errors are `WenmaiError` and what derives from it. The command line is `wenmai`, or `python -m wenmai`.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from wenmai.own_packages import require_own_packages

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
COMMAND = ["-m", "wenmai"]  # nobody needs a traceback of `python -m wenmai`
HOMES = {"Agent": "wenmai.agent", "open_agent": "wenmai.agent", "Answer": "wenmai.answer", "Event": "wenmai.answer"}

try:
    require_own_packages()
except ImportError as error:
    if sys.orig_argv[1:3] != COMMAND:
        raise
    sys.exit(str(error))


def __getattr__(name: str) -> Any:
    """Load a name at its first use: `import wenmai` costs nothing."""
    if name == "__version__":
        from importlib.metadata import version

        return version("wenmai")
    if name in __all__:
        return getattr(import_module(HOMES.get(name, "wenmai.errors")), name)
    raise AttributeError(f"module 'wenmai' has no attribute {name!r}")
