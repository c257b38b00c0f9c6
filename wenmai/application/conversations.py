"""Conversations: questions with their answers, and the threads that they stand on. Each user has their own."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, Literal, Protocol
from uuid import NAMESPACE_URL, UUID, uuid5

from pydantic import BaseModel, Field, ValidationError
from typing_extensions import Unpack

from nodes.modes import reads_stories
from state.context import Context, ContextFields, LanguageChoice, Mode, Toolkit
from state.result import TurnResult
from state.schema import Evidence
from tools.messages import Message
from wenmai.answer import Answer, TurnEvent, record_of
from wenmai.app.container import Services
from wenmai.application.caller import (
    Caller,
    fields_as_sent,
    in_words_of,
    note,
    opens_all,
    refuse_identity,
    with_library,
)
from wenmai.application.limits import limit_of, too_often
from wenmai.application.paging import USUAL, FirstRow, Guard, Page, Rows, Strict, check_guard, horizon_of, in_range
from wenmai.application.passages import around
from wenmai.application.quotas import Quotas
from wenmai.application.reading import EXCERPT, words_from
from wenmai.inputs import FIELDS, FieldError, NotFound, checked_question, spoken, text_of


class RunFields(Guard):
    """Sources and limits of a question; what is left out has the usual value."""

    toolkits: list[Toolkit] | None = Field(
        default=None, min_length=1, description="Tool sets; default: narrative", examples=[["narrative"]]
    )
    mode: Mode | None = None
    language: LanguageChoice | None = Field(default=None, description="Of the answer; auto follows the question")
    kn_ids: list[str] | None = Field(default=None, description="Networks that toolkit knowledge asks")
    folders: list[str] | None = Field(
        default=None, description="Folders of the collection that toolkit documents asks; default: all of it"
    )
    remember: bool | None = Field(default=None, description="Keep what the turn teaches of the user")
    time_zone: str | None = Field(
        default=None, description="Of the user's clock: by it yesterday is counted", examples=["Asia/Shanghai"]
    )
    max_attempts: int | None = Field(default=None, ge=1, le=100)
    deadline_s: float | None = Field(default=None, gt=0, le=3600)

    def context(self) -> dict[str, Any]:
        """Return the declared fields of a context that the client has set."""
        known = (name for name in FIELDS if name in type(self).model_fields)
        return {name: value for name in known if (value := getattr(self, name)) is not None}


class SessionBody(BaseModel):
    """What was talked about elsewhere: entities in order of mention, the last is the newest."""

    entities: list[str]
    topic: str | None = None


class Question(RunFields):
    """A question with its sources and limits; what is left out has the usual value."""

    question: str = Field(min_length=1, examples=["他后来怎么样了？"])
    library: str | None = Field(
        default=None, examples=["sample"], description="The library; needed for stories, unless there is only one"
    )
    stream_drafts: bool | None = Field(
        default=None, description="Stream thoughts, and drafts as they are written; default: true for an event stream"
    )
    session_context: SessionBody | None = None


class KeptTurn(TurnResult):
    """A turn of a thread. Of older turns only question and answer are kept: the other fields are null then."""

    number: int | None = Field(
        default=None, description="Counts the questions of a thread from 1; null in the answer to a question"
    )
    answered_at: str | None = None
    trace: str | None = Field(default=None, exclude=True, description="Told on the machine of the file alone")


class ThreadView(BaseModel):
    """A conversation."""

    id: str
    title: str = Field(description="At first the beginning of its first question")
    library: str | None = Field(description="The library of its first question")
    created_at: datetime
    updated_at: datetime


class FoundTurn(BaseModel):
    """Words in a conversation: `before + quote + after` is verbatim."""

    thread_id: str
    title: str
    library: str | None = Field(description="The library of the conversation's first question")
    number: int = Field(description="Counts the questions of a thread from 1")
    question: str
    said_in: Literal["question", "answer"]
    before: str
    quote: str
    after: str


class TurnRecord(BaseModel):
    """The result record of a turn, {} where it is no longer kept."""

    record: dict[str, Any]


class ThreadReceipt(BaseModel):
    """What went with a conversation."""

    documents: int = Field(description="Documents that were uploaded to it")
    traces: int = Field(description="Traces of its questions")


class NewTitle(Strict):
    """Another title."""

    title: str = Field(min_length=1, max_length=200)


class ThreadExport(ThreadView):
    """A whole conversation."""

    turns: Sequence[KeptTurn]


TITLE_CHARACTERS = 60
SEARCH = "search"  # no thread begins with this name: its address finds words in threads
MOST_SEARCHED = 200  # threads that a search reads: every turn of each is read anew
OWNER, TITLE, LIBRARY = "owner", "title", "library"  # keys in a thread's metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedQuestion:
    """A question whose fields are checked.

    Attributes:
        thread: the one to ask on, None for a new one.
        fields: the fields of the run that were set, with who asks.
        run: all fields of the run.
        session: what was talked about elsewhere.
        is_kept: False: nothing of it stays behind.
        is_watched: the steps are seen; without them LangGraph is faster.
    """

    text: str
    thread: str | None
    fields: Mapping[str, Any]
    run: Context
    session: Mapping[str, Any] | None = None
    is_kept: bool = True
    is_watched: bool = True

    def metadata(self, caller: Caller) -> dict[str, Any]:
        """Return what a server keeps of a thread that begins with it."""
        library = self.fields.get(LIBRARY) if reads_stories(self.run) else None
        return thread_metadata(self.text, library, caller.user_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """A question with its answer; `record` is the whole result, {} where it is no longer kept."""

    number: int
    question: str
    answer: str
    record: Mapping[str, Any] = field(default_factory=dict)
    answered_at: str | None = None


class Conversations(Protocol):
    """The threads of users, whichever server keeps them. A thread of another user does not exist: NotFound."""

    async def session(self, caller: Caller, name: str, *, with_documents: bool = False) -> str:
        """Return the id of the thread that a caller calls by its id or by a name of his own; it need not exist.

        Where a name may be several ids, the one with documents of the caller comes first if they are looked at.

        Raises NotFound for a name that no thread can have.
        """
        ...

    async def threads(self, caller: Caller) -> Sequence[ThreadView]: ...

    async def thread(self, caller: Caller, id: str) -> ThreadView: ...

    async def turns(self, caller: Caller, id: str) -> Sequence[StoredTurn]:
        """Return what was asked and answered on a thread, the first turn first. Raises NotFound."""
        ...

    async def rename(self, caller: Caller, id: str, title: str) -> ThreadView: ...

    async def delete(self, caller: Caller, *ids: str) -> ThreadReceipt:
        """Delete threads with their documents and traces; where one may not be deleted, none.

        Raises NotFound; StoreLocked while a question runs on one. What has failed halfway can be called again: the
        threads go last.
        """
        ...

    async def leave_nothing(self) -> None:
        """Take what was deleted out of the files. Raises StoreLocked where another process keeps it there."""
        ...

    async def kept_bytes(self, caller: Caller) -> int:
        """Return what the checkpoints of a caller's threads take; 0 where the server does not say."""
        ...

    def ask(self, caller: Caller, question: CheckedQuestion) -> AsyncGenerator[TurnEvent]:
        """Yield `thread` first, the steps of the turn, and `answer` with the result last.

        What is wrong with a question is raised before `thread`. Raises WenmaiError.
        """
        ...


Opener = Callable[[], Awaitable[Conversations]]


@dataclass(frozen=True, slots=True)
class ConversationOperations:
    """What can be done with a user's conversations: questions with their answers."""

    services: Services
    caller: Caller
    open: Opener

    async def ask(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        session_context: Mapping[str, Any] | None = None,
        **fields: Unpack[ContextFields],
    ) -> Answer:
        """Answer a question on a thread; a new thread is made when none is named.

        Args:
            thread_id: the session to go on with.
            session_context: `{"entities": [...], "topic": ...}`, pushed onto the thread's session.
            **fields: any field of `state.context.Context` but those that say who asks; where only one library is
                there it need not be named.

        Raises:
            FieldError: a blank question, an unknown or wrong field.
            LibraryNotFound, NotFound: a library, network or thread that is not there for the caller.
            StoreError: the library is locked, corrupt, or built with another embedder.
        """
        events = self.events(question, thread_id, session_context, fields, is_watched=False)
        return Answer(TurnResult.model_validate(await record_of(events)))

    async def stream(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        session_context: Mapping[str, Any] | None = None,
        **fields: Unpack[ContextFields],
    ) -> AsyncIterator[TurnEvent]:
        """Yield what happens, as it happens: `thread`, steps, thoughts, drafts, the checked text, last `answer`.

        Arguments and errors as in `ask`; drafts are shown unless `stream_drafts=False`.
        """
        async with aclosing(
            self.events(question, thread_id, session_context, {"stream_drafts": True, **fields})
        ) as events:
            async for event in events:
                yield event

    async def sources(self, **fields: Unpack[ContextFields]) -> Sequence[str]:
        """Open what a question with these fields reads, and return it as a person calls it. Raises as `ask`."""
        with fields_as_sent():
            _, run = await self._run_fields(fields)
            return await self.services.opening.open(run)

    @in_range
    async def list(
        self, *, q: str | None = None, library: str | None = None, limit: Rows = USUAL, offset: FirstRow = 0
    ) -> Page[ThreadView]:
        """Return the caller's threads, the last used first."""
        known = await (await self.open()).threads(self.caller)
        rows = [
            one
            for one in known
            if self.caller.opens(one.library) and library in (None, one.library) and (q is None or q in one.title)
        ]
        return Page.of(rows, limit, offset)

    async def get(self, thread_id: str) -> ThreadView:
        """Return a thread. Raises NotFound, also for one that began with a library that the key does not open."""
        return self._opened(await (await self.open()).thread(self.caller, thread_id), thread_id)

    @in_range
    async def turns(self, thread_id: str, *, limit: Rows = USUAL, offset: FirstRow = 0) -> Page[KeptTurn]:
        """Return questions and answers, the oldest first, without their evidence: `turn` has it. Raises NotFound."""
        found = Page.of(await self._turns(thread_id), limit, offset)
        return found.map(lambda turn: turn_view(turn).model_copy(update={"evidence": []}))

    async def turn(self, thread_id: str, number: int) -> KeptTurn:
        """Return all that is kept of a turn; questions count from 1. Raises NotFound."""
        turn = next((one for one in await self._turns(thread_id) if one.number == number), None)
        if turn is None:
            raise NotFound("number", Message("conversation.unknown_question", number=number))
        return turn_view(turn)

    @in_range
    async def evidence(
        self, thread_id: str, number: int, *, limit: Rows = USUAL, offset: FirstRow = 0
    ) -> Page[Evidence]:
        """Return what was found for a question, best first; of older turns it is no longer kept. Raises NotFound."""
        return Page.of((await self.turn(thread_id, number)).evidence, limit, offset)

    @in_range
    async def find(
        self,
        query: str,
        *,
        library: str | None = None,
        guard: Guard | None = None,
        limit: Rows = USUAL,
        offset: FirstRow = 0,
    ) -> Page[FoundTurn]:
        """Return where these very words stand in the caller's threads, the last used thread first.

        The 200 last used threads are looked through. Script, case, width, punctuation and blanks do not count.

        Args:
            library: only threads that began with it.
            guard: leaves out answers asked for under a later one of `library`, or none.

        Raises:
            FieldError: a query that is blank or has more than 200 characters, a guard without a library.
        """
        from wenmai.language.wordings import Texts

        wording = words_from(query)
        if library is None and guard is not None:
            raise FieldError("library", Message("guard.needs_library"))
        horizon = None if library is None else await horizon_of(self.services.catalog, library, guard)
        opened = await self.open()
        spoken: list[tuple[ThreadView, StoredTurn, Literal["question", "answer"], str]] = []
        known = await opened.threads(self.caller)
        own = (one for one in known if self.caller.opens(one.library) and library in (None, one.library))
        for thread in islice(own, MOST_SEARCHED):
            try:
                turns = await opened.turns(self.caller, thread.id)
            except NotFound:  # it was deleted meanwhile
                continue
            for turn in reversed(turns):
                spoken.append((thread, turn, "question", turn.question))
                is_beyond = horizon is not None and not horizon.covers(turn.record.get("as_of"))
                if not is_beyond and opens_all(self.caller, turn.record):
                    spoken.append((thread, turn, "answer", turn.answer))
        texts = Texts([text for *_, text in spoken])
        places = await asyncio.to_thread(lambda: list(texts.find(wording)))

        def view(place: tuple[int, int, int]) -> FoundTurn:
            thread, turn, said_in, text = spoken[place[0]]
            before, quote, after = around(text, place[1], place[2], EXCERPT)
            return FoundTurn(
                thread_id=thread.id,
                title=thread.title,
                library=thread.library,
                number=turn.number,
                question=turn.question,
                said_in=said_in,
                before=before,
                quote=quote,
                after=after,
            )

        return Page.of(places, limit, offset).map(view)

    async def rename(self, thread_id: str, title: str) -> ThreadView:
        """Give a thread another title. Raises NotFound."""
        await self.get(thread_id)
        return await (await self.open()).rename(self.caller, thread_id, title)

    async def export(self, thread_id: str, *, guard: Guard | None = None, number: int | None = None) -> ThreadExport:
        """Return a whole thread, or one turn of it, under a guard without answers asked for under a later one or none.

        `transcripts.markdown_of` makes a text of it. Raises NotFound.
        """
        known = await self.get(thread_id)
        turns = [turn_view(one) for one in await self._turns(thread_id) if number in (None, one.number)]
        if number is not None and not turns:
            raise NotFound("number", Message("conversation.unknown_question", number=number))
        libraries = {turn.library or "" for turn in turns}
        horizons = {one: await horizon_of(self.services.catalog, one, guard) for one in libraries}
        for at, turn in enumerate(turns):
            horizon = horizons[turn.library or ""]
            if horizon is not None and not horizon.covers(turn.as_of):
                turns[at] = KeptTurn(
                    number=turn.number,
                    question=turn.question,
                    answer=spoken(Message("conversation.answer_withheld"), turn.question),
                )
        return ThreadExport(**known.model_dump(), turns=turns)

    async def delete(self, thread_id: str) -> ThreadReceipt:
        """Delete a thread with its documents and the traces of its questions; memories stay.

        Raises NotFound; StoreLocked while a question runs on it.
        """
        await self.get(thread_id)
        return await (await self.open()).delete(self.caller, thread_id)

    async def events(
        self,
        question: str,
        thread: str | None,
        session: Mapping[str, Any] | None,
        fields: Mapping[str, Any],
        *,
        is_kept: bool = True,
        is_watched: bool = True,
    ) -> AsyncGenerator[TurnEvent]:
        """Yield the events of a turn, as `stream`; the one place where a question of any door is checked."""
        with fields_as_sent(), in_words_of(question):
            set_fields, run = await self._run_fields(fields if is_kept else {**fields, "keep_trace": False})
            if thread == SEARCH:
                raise FieldError("thread", Message("conversation.reserved_name", id=thread))
            if thread is not None and self.caller.is_limited:
                await self._require_open(thread)
            checked_question(text_of(question), self.services.settings.max_question_chars)  # its own fault comes first
            if is_kept:
                await Quotas(self.services, self.caller, self.open).require_disk("request")
            await self._count_question()  # last: what is refused does not count
            note(library=run.library if reads_stories(run) else None, thread=thread)
            checked = CheckedQuestion(
                text=question,
                thread=thread,
                fields=set_fields,
                run=run,
                session=session,
                is_kept=is_kept,
                is_watched=is_watched,
            )
            async with aclosing((await self.open()).ask(self.caller, checked)) as events:
                async for event in events:
                    if event.kind == "answer":
                        note(thread=event.data.get("thread_id"), usage=event.data.get("usage"))
                    yield event

    async def _count_question(self) -> None:
        """Raise FieldError (429) where the questions of a server's user are used up."""
        rate = self.services.settings.user_questions
        if self.caller.key and (seconds := await limit_of(rate).wait(f"question {self.caller.user_id}")):
            raise too_often(Message("user.questions_spent", rate=rate, seconds=seconds), seconds)

    async def _require_open(self, thread: str) -> None:
        """Raise NotFound for a thread of a library that the key does not open; one that is still to be made is open."""
        try:
            known = await (await self.open()).thread(self.caller, thread)
        except NotFound:
            return
        self._opened(known, thread)
        turns = await (await self.open()).turns(self.caller, thread)
        if not all(opens_all(self.caller, turn.record) for turn in turns):  # what they name would be in the talk
            raise NotFound("thread", Message("conversation.unknown_named", id=thread[:80]))

    def _opened(self, known: ThreadView, id: str) -> ThreadView:
        if not self.caller.opens(known.library):
            raise NotFound("thread", Message("conversation.unknown_named", id=id[:80]))
        return known

    async def _run_fields(self, fields: Mapping[str, Any]) -> tuple[Mapping[str, Any], Context]:
        """Return the fields of a run with who asks, and all of its fields. Raises FieldError, LibraryNotFound."""
        refuse_identity(fields)
        check_guard(fields)
        set_fields, run = await with_library({**fields, **self.caller.identity()}, self.services.catalog, self.caller)
        if reads_stories(run):
            self.caller.require_library(run.library)
        for name in run.kn_ids:
            self.caller.require_network(name)
        return set_fields, run

    async def _turns(self, thread_id: str) -> Sequence[StoredTurn]:
        """Return the turns; of those that quote a library that the key does not open the question alone."""
        await self.get(thread_id)
        found = await (await self.open()).turns(self.caller, thread_id)
        if not self.caller.is_limited:
            return found
        return [turn if opens_all(self.caller, turn.record) else withheld(turn) for turn in found]


def withheld(turn: StoredTurn) -> StoredTurn:
    return StoredTurn(
        number=turn.number,
        question=turn.question,
        answer=spoken(Message("conversation.answer_of_other_library"), turn.question),
    )


def thread_metadata(question: str, library: str | None, owner: str) -> dict[str, Any]:
    """Return what is kept of a thread that begins with a question."""
    return {TITLE: " ".join(question.split())[:TITLE_CHARACTERS], LIBRARY: library or None, OWNER: owner}


def thread_view(id: object, metadata: Mapping[str, Any], created_at: object, updated_at: object) -> ThreadView:
    """Return a thread as a server keeps it; times may be texts."""
    named = {"title": str(metadata.get(TITLE) or ""), "library": metadata.get(LIBRARY)}
    return ThreadView.model_validate({"id": str(id), **named, "created_at": created_at, "updated_at": updated_at})


def turn_view(turn: StoredTurn) -> KeptTurn:
    """Return what is kept of a turn; of one in the form of an older version question and answer."""
    own = {"number": turn.number, "question": turn.question, "answer": turn.answer, "answered_at": turn.answered_at}
    try:
        return KeptTurn.model_validate({**turn.record, **own})
    except ValidationError:
        return KeptTurn.model_validate(own)


def uuid_of(name: str) -> str | None:
    """Return a UUID in its usual form, None for a name that is none."""
    try:
        return str(UUID(name))
    except ValueError:
        return None


def thread_id(name: str, caller: Caller) -> str:
    """Return the id of a thread: a UUID in its usual form, of a name one that no other user's name gives."""
    return uuid_of(name) or str(uuid5(NAMESPACE_URL, f"{caller.user_id}\n{name}"))
