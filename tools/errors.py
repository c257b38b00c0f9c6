"""The error tree.

WenmaiError                  every error of ours; `str(error)` is one line, in the reader's language where its message
                             is of `tools.messages`: what happened and what to do
├── InputError               the caller's input is wrong (exit code 2; HTTP 422)
│   ├── ArgumentError        a tool's argument; goes back to the model as a result
│   └── LibraryNotFound      no library of that name
├── StoreError               a store cannot do its work
│   ├── StoreUnavailable     dead, unreachable or timed out: transient, retried
│   │   ├── KnowledgeTimeout     a knowledge network did not answer in time
│   │   └── KnowledgeFailed      it answered 5xx, nothing, no JSON, or broke the connection off
│   ├── KnowledgeRefused     a knowledge network answered 401, 403 or 404: passed on with its status
│   ├── KnowledgeQueryError  it did not accept the query (400, 406 …): a retry cannot help
│   ├── StoreLocked          another process holds the folder; names the holder
│   ├── StoreUnfinished      the ingest of a library was broken off: it is to be run again
│   ├── StoreForeign         another catalog's library has this name on a server
│   ├── StoreCorrupt         the files cannot be read
│   ├── StoreGone            the whole content has been removed by another program
│   ├── StoreFull            no space left on the device
│   └── EmbedderMismatch     the library was built with another embedding model
├── ModelError               a mind failed; `transient` is true if a retry may help
│   └── OutOfTokens          the next call would cost more than `max_tokens` leaves: it is not made
├── IngestError              a source cannot be read; names the file and the reason
├── ConfigError              a setting is wrong
└── TrackingError            LangSmith does not take an experiment
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # errors are named before a command loads anything heavy
    from state.schema import UsageRow
    from tools.messages import Text


class WenmaiError(Exception):
    """Base of every error of ours. `http_status` is how a server answers; where a field says it, that one wins."""

    http_status = 500


class InputError(WenmaiError, ValueError):
    """The caller's input is wrong."""

    http_status = 422


class ArgumentError(InputError):
    """A tool's argument is wrong: the message names the rule, in the model's language."""


class LibraryNotFound(InputError):
    """There is no library of that name."""

    http_status = 404


class StoreError(WenmaiError):
    """A store cannot do its work."""

    http_status = 503


class StoreUnavailable(StoreError):
    """The store is dead, unreachable or too slow."""


class KnowledgeTimeout(StoreUnavailable):
    """A knowledge network did not answer in time."""


class KnowledgeFailed(StoreUnavailable):
    """A knowledge network answered 5xx, with nothing or with no JSON, or broke the connection off.

    Attributes:
        status: the HTTP status; None where there was no answer at all.
    """

    def __init__(self, message: "Text", status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class KnowledgeRefused(StoreError):
    """A knowledge network answered 401, 403 or 404; the status is passed on.

    Attributes:
        status: the HTTP status.
        code: the service's error code, '' without one.
    """

    def __init__(self, message: "Text", status: int, code: str = "") -> None:
        super().__init__(message)
        self.status = self.http_status = status
        self.code = code


class KnowledgeQueryError(StoreError):
    """A knowledge network did not accept a query (400, 406 …).

    Attributes:
        status: the HTTP status.
        code: the service's error code, '' without one.
    """

    http_status = 422

    def __init__(self, message: "Text", status: int = 400, code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class StoreLocked(StoreError):
    """Another process holds the store."""

    http_status = 409


class StoreUnfinished(StoreError):
    """A library is not whole, and nobody is at it: its ingest was broken off."""

    http_status = 409


class StoreForeign(StoreError):
    """A server's library of this name belongs to another catalog.

    Attributes:
        place: host and folder of that catalog, '' where it is unknown. The message leaves it out:
            a server's callers must not see it.
    """

    def __init__(self, message: "Text", place: str = "") -> None:
        super().__init__(message)
        self.place = place


class StoreCorrupt(StoreError):
    """The store's files cannot be read."""


class StoreGone(StoreError):
    """The store's whole content has been removed by another program."""


class StoreFull(StoreError):
    """There is no space left on the device."""

    http_status = 507


class EmbedderMismatch(StoreError):
    """The library was built with another embedding model or dimension."""


class ModelError(WenmaiError):
    """A mind failed.

    Attributes:
        transient: whether trying again may help (429, 500, 503, time-out).
        retry_after_s: seconds to wait before, as the service asks.
        paid: the cost of calls before the failure, one row for each model.
    """

    http_status = 503

    def __init__(self, message: "Text", *, transient: bool = False, retry_after_s: float = 0.0) -> None:
        super().__init__(message)
        self.transient = transient
        self.retry_after_s = retry_after_s
        self.paid: list[UsageRow] = []


class OutOfTokens(ModelError):
    """A call is not made because it would cost more tokens than the question has left."""


class IngestError(WenmaiError):
    """A source cannot be read."""

    http_status = 422


class ConfigError(WenmaiError):
    """A setting is wrong; the message lists every one."""

    http_status = 503


class TrackingError(WenmaiError):
    """LangSmith does not take an experiment; the message names the variable to mend."""


# Errors of a store within a question. The library was there when the question began: if a store does not know it any
# more, it was lost, and the caller's input is not wrong.
STORE_FAILURES = (StoreError, LibraryNotFound)


def is_transient(error: BaseException) -> bool:
    """Return True if a retry may help: the one predicate of every retry policy."""
    return isinstance(error, StoreUnavailable) or (isinstance(error, ModelError) and error.transient)


def short_reason(error: object) -> str:
    """Return what an error of a library says, on one line and not too long."""
    return " ".join(str(error).split())[:200]
