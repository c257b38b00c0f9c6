"""The error tree of tools.errors, and what only the surroundings raise."""

from tools.errors import (
    ArgumentError,
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
    StoreUnfinished,
    WenmaiError,
    is_transient,
)


class ConfigError(WenmaiError):
    """A setting is wrong; the message lists every one."""


class TrackingError(WenmaiError):
    """LangSmith does not take an experiment; the message names the variable to mend."""


__all__ = [
    "ArgumentError",
    "ConfigError",
    "EmbedderMismatch",
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
    "StoreUnfinished",
    "TrackingError",
    "WenmaiError",
    "is_transient",
]
