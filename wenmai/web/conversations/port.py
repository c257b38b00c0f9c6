"""What the API asks of conversations, whichever server keeps them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from uuid import NAMESPACE_URL, UUID, uuid5

from tools.wording import Words
from wenmai.answer import Event
from wenmai.application.caller import Caller
from wenmai.direct_tools.calls import Identity

TITLE_CHARACTERS = 60
NO_RESULT = Words("没有得到结果，请重试", "there was no result: try again")


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A conversation of a user; `library` is the one of its first question."""

    id: str
    title: str
    library: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question with its answer; `record` is the whole result record, {} where it is no longer kept."""

    number: int
    question: str
    answer: str
    record: Mapping[str, Any] = field(default_factory=dict)
    answered_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question on a thread, None for a new one; `context` has the fields of a run that the caller has set.

    With `is_kept` false nothing of it stays behind.
    """

    question: str
    thread: str | None
    context: Mapping[str, Any]
    session: Mapping[str, Any] | None = None
    is_kept: bool = True

    @property
    def title(self) -> str:
        """What a thread is called that begins with it."""
        return " ".join(self.question.split())[:TITLE_CHARACTERS]


class Conversations(Protocol):
    """The threads of users. A thread of another user does not exist: NotFound."""

    async def threads(self, viewer: Caller) -> Sequence[Thread]:
        """Return a user's threads, the last used first."""
        ...

    async def thread(self, viewer: Caller, id: str) -> Thread:
        """Return one. Raises NotFound."""
        ...

    async def turns(self, viewer: Caller, id: str) -> Sequence[Turn]:
        """Return what was asked and answered on a thread, the first turn first. Raises NotFound."""
        ...

    async def rename(self, viewer: Caller, id: str, title: str) -> Thread:
        """Give a thread a title. Raises NotFound."""
        ...

    async def delete(self, viewer: Caller, id: str) -> None:
        """Delete a thread with its documents. Raises NotFound; StoreLocked while a question runs on it."""
        ...

    def ask(self, viewer: Caller, asked: Asked) -> AsyncIterator[Event]:
        """Yield `thread` first, the steps of the turn, and `answer` with the result record last. Raises WenmaiError."""
        ...


def thread_id(name: str, identity: Identity) -> str:
    """Return the id of a thread: a UUID as it is, of a name one that no other user's name gives."""
    try:
        return str(UUID(name))
    except ValueError:
        return str(uuid5(NAMESPACE_URL, f"{identity.user_id or ''}\n{name}"))
