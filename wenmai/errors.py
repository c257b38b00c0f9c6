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

    http_status = 503


class TrackingError(WenmaiError):
    """LangSmith does not take an experiment; the message names the variable to mend."""


# Errors that a server names to its clients, which raise them again.
KINDS: tuple[type[WenmaiError], ...] = (
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
    StoreUnfinished,
)


__all__ = [
    "KINDS",
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
