"""The error tree.

WenmaiError                  every error of ours; `str(error)` is one line: what happened and what to do
├── InputError               what the caller gave is wrong (exit code 2; HTTP 422)
│   ├── ArgumentError        a tool's argument; goes back to the model as a result
│   └── LibraryNotFound      no library of that name
├── StoreError               a store cannot do what was asked
│   ├── StoreUnavailable     dead, unreachable or timed out: transient, retried
│   │   ├── KnowledgeTimeout     a knowledge network did not answer in time
│   │   └── KnowledgeFailed      it answered 5xx, nothing, no JSON, or broke the connection off
│   ├── KnowledgeRefused     a knowledge network said 401, 403 or 404: passed on with its status
│   ├── KnowledgeQueryError  it did not accept the query (400, 406 …): asking the same again cannot help
│   ├── StoreLocked          another process holds the folder; names the holder
│   ├── StoreForeign         another catalog's library has this name on a server
│   ├── StoreCorrupt         the files cannot be read
│   ├── StoreGone            what was there has been removed as a whole, behind our back
│   ├── StoreFull            no space left on the device
│   └── EmbedderMismatch     the library was built with another embedding model (PLA-10)
├── ModelError               a mind failed; `transient` tells whether a retry may help
└── IngestError              a source cannot be read; names the file and the reason
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # errors are named before a command loads anything heavy
    from state.schema import UsageRow


class WenmaiError(Exception):
    """Base of every error of ours."""


class InputError(WenmaiError, ValueError):
    """The caller's input is wrong."""


class ArgumentError(InputError):
    """A tool's argument is wrong: the message tells the rule, in the model's language."""


class LibraryNotFound(InputError):
    """There is no library of that name."""


class StoreError(WenmaiError):
    """A store cannot do what was asked."""


class StoreUnavailable(StoreError):
    """The store is dead, unreachable or too slow."""


class KnowledgeTimeout(StoreUnavailable):
    """A knowledge network did not answer in time."""


class KnowledgeFailed(StoreUnavailable):
    """A knowledge network answered 5xx, with nothing or with no JSON, or broke the connection off.

    Attributes:
        status: the HTTP status; None where there was no answer at all.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class KnowledgeRefused(StoreError):
    """A knowledge network said 401, 403 or 404 (knowledge.md §2: passed on).

    Attributes:
        status: the HTTP status.
        code: the service's error code, '' without one (KNO-05).
    """

    def __init__(self, message: str, status: int, code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class KnowledgeQueryError(StoreError):
    """A knowledge network did not accept a query (400, 406 …).

    Attributes:
        status: the HTTP status.
        code: the service's error code, '' without one (KNO-05).
    """

    def __init__(self, message: str, status: int = 400, code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class StoreLocked(StoreError):
    """Another process holds the store."""


class StoreForeign(StoreError):
    """What a server has under this name is another catalog's.

    Attributes:
        place: host and folder of that catalog, '' where it is unknown. The message is without it: a server's callers
            have no business with them.
    """

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(message)
        self.place = place


class StoreCorrupt(StoreError):
    """The store's files cannot be read."""


class StoreGone(StoreError):
    """What the store held has been removed as a whole, by somebody else."""


class StoreFull(StoreError):
    """There is no space left on the device."""


class EmbedderMismatch(StoreError):
    """The library was built with another embedding model or dimension."""


class ModelError(WenmaiError):
    """A mind failed.

    Attributes:
        transient: whether trying again may help (429, 500, 503, time-out).
        retry_after_s: seconds that the service asks to wait before.
        paid: what calls cost that were answered before the failure, one row for each model.
    """

    def __init__(self, message: str, *, transient: bool = False, retry_after_s: float = 0.0) -> None:
        super().__init__(message)
        self.transient = transient
        self.retry_after_s = retry_after_s
        self.paid: list[UsageRow] = []


class IngestError(WenmaiError):
    """A source cannot be read."""


# What a store tells that fails in mid-question. The library was there when the question began: where a store knows it
# no more, it was lost, and the caller's input is not wrong.
STORE_FAILURES = (StoreError, LibraryNotFound)


def is_transient(error: BaseException) -> bool:
    """Tell whether a retry may help: the one predicate of every retry policy (PLA-18)."""
    return isinstance(error, StoreUnavailable) or (isinstance(error, ModelError) and error.transient)
