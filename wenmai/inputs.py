"""What a caller sends, checked before a run starts: the same rules for Python, command line and server."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from state.context import Context
from state.session import SessionContext
from tools import errors
from tools.errors import (
    ArgumentError,
    InputError,
    KnowledgeQueryError,
    KnowledgeRefused,
    StoreError,
    TrackingError,
    WenmaiError,
)
from tools.language import spoken_in
from tools.memory.days import zone_named
from tools.messages import Message, Names, Text, say, speaking
from tools.reasons import reason_of
from wenmai.stores.files.folder import check_name

if TYPE_CHECKING:
    from state.recall import HistoryMessage

TYPO_SIMILARITY = 0.75
"""Likeness from which a name is a misspelled field; what langgraph-sdk and Studio send stays below 0.7."""
FIELDS = tuple(field.name for field in fields(Context))


class FieldError(InputError):
    """An input field is wrong.

    Attributes:
        field: its name, as the caller wrote it.
        status: how a server answers; 503 where the field is well but what it names cannot be used now.
        wait_s: after how many seconds the same may be asked again; 0: that is not known.
    """

    def __init__(self, field: str, message: Text, status: int = 422, wait_s: int = 0) -> None:
        super().__init__(message)
        self.field = field
        self.status = status
        self.wait_s = wait_s

    @property
    def reason(self) -> str:
        return super().__str__()

    def __str__(self) -> str:
        return f"{self.field}: {self.reason}"


class NotFound(FieldError):
    """Something that was named does not exist, or not for this caller."""

    def __init__(self, field: str, message: Text) -> None:
        super().__init__(field, message, HTTPStatus.NOT_FOUND)

    def __str__(self) -> str:
        return self.reason


# Errors that a server names to its clients, which raise them again.
KINDS = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type)
    and issubclass(kind, WenmaiError)
    and kind not in (WenmaiError, ArgumentError, TrackingError)
}


def code_of(error: WenmaiError) -> str:
    """Return the name of an error's nearest kind: what a server calls it to its clients."""
    kinds = (*KINDS.values(), FieldError, NotFound)
    return next((kind.__name__ for kind in type(error).__mro__ if kind in kinds), WenmaiError.__name__)


def error_of(code: str, message: str, status: int, field: str = "") -> WenmaiError:
    """Return the error that a server named; of an unknown name one of the caller's input or of the store by status."""
    if field and code in (NotFound.__name__, FieldError.__name__):
        is_missing = code == NotFound.__name__
        return NotFound(field, message) if is_missing else FieldError(field, message, status)
    kind = KINDS.get(code)
    if kind in (KnowledgeRefused, KnowledgeQueryError):
        return kind(message, status)
    usual = StoreError if status >= HTTPStatus.INTERNAL_SERVER_ERROR else InputError
    return (kind or usual)(message)


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that was plainly meant: as_of_chaptr, asOfChapter, chapter for as_of_chapter."""

    def plain(name: str) -> str:
        return "".join(char for char in name.lower() if char.isalnum())

    forms = {plain(one): one for one in names}
    found = get_close_matches(plain(name), forms, 1, TYPO_SIMILARITY)
    return forms[found[0]] if found else None


def context_from(values: Mapping[str, Any]) -> Context:
    """Return the context of these values. Raises FieldError for an unknown or wrongly typed one.

    The server by itself drops unknown fields: a misspelled `as_of_chapter` would switch the spoiler guard off.
    """
    for name in values:
        if name not in FIELDS:
            raise FieldError(f"context.{name}", Message("field.unknown_known", known=Names(FIELDS)))
    context: Context = validated(adapter_of(Context), dict(values), "context")
    if context.mode == "rag" and "memory" in context.toolkits:
        raise FieldError("context.toolkits", Message("question.rag_without_memory"))
    try:
        zone_named(context.time_zone)
    except InputError as exc:
        raise FieldError("context.time_zone", exc.args[0]) from exc
    asks_networks = "knowledge" in context.toolkits
    if asks_networks and not context.kn_ids:
        raise FieldError("context.kn_ids", Message("question.networks_needed"))
    if context.kn_ids and not asks_networks:
        raise FieldError("context.kn_ids", Message("question.networks_without_knowledge"))
    if asks_networks and context.mode == "rag":
        raise FieldError("context.toolkits", Message("question.rag_without_knowledge"))
    try:
        check_name(context.library)
    except InputError as exc:
        raise FieldError("context.library", exc.args[0]) from exc
    return context


def history_from(messages: object) -> "list[HistoryMessage]":
    """Return a session's messages for a recall, `{role, content}` each. Raises FieldError."""
    from state.recall import HistoryMessage

    history: list[HistoryMessage] = validated(adapter_of(list[HistoryMessage]), messages, "history")
    return history


def query_from(query: object, most: int) -> str:
    if not isinstance(query, str) or not query.strip():
        raise FieldError("query", Message("question.query_empty"))
    if not is_unicode(query):
        raise FieldError("query", Message("question.query_not_utf8"))
    if len(query) > most:
        raise FieldError("query", spoken(Message("question.query_too_long"), query, length=len(query), most=most))
    return query


def session_context_from(value: object) -> SessionContext:
    session: SessionContext = validated(adapter_of(SessionContext), value, "session_context")
    return session


def question_from(messages: object, most: int) -> str:
    """Return the question in a list of messages, or in one alone: the text of the last. Raises FieldError."""
    if not messages:
        raise FieldError("messages", Message("question.messages_empty"))
    return checked_question(text_of(user_message(messages if isinstance(messages, list) else [messages])), most)


def check_input(body: Mapping[str, Any], most: int) -> None:
    """Check the question and the session that a caller hands over."""
    from state.schema import AgentInput  # with LangChain's messages

    given = input_of(body, AgentInput, '{"messages": [{"role": "user", "content": "…"}]}')
    question_from(given.get("messages"), most)
    if given.get("session_context") is not None:
        session_context_from(given["session_context"])


def check_recall_input(body: Mapping[str, Any], most: int) -> None:
    """Check the query and the session's messages of a recall."""
    from state.recall import RecallInput

    given = input_of(body, RecallInput, '{"query": "…", "history": [{"role": "user", "content": "…"}]}')
    query_from(given.get("query"), most)
    if given.get("history") is not None:
        history_from(given["history"])


def input_of(body: Mapping[str, Any], kind: type, form: str) -> Mapping[str, Any]:
    """Return the input of a run, an object of a kind's fields that looks like `form`. Raises FieldError."""
    given, fields = body.get("input"), kind.__annotations__
    if not isinstance(given, Mapping):
        raise FieldError("input", Message("run.input_form", form=form))
    for name in given:
        if name not in fields:
            raise FieldError(f"input.{name}", Message("field.unknown_known", known=Names(sorted(fields))))
    return given


def checked_user(user_id: str | None) -> str | None:
    """Return a user's name, None for nobody. Raises FieldError for a blank one, which is neither."""
    if user_id is not None and not user_id.strip():
        raise FieldError("user_id", Message("field.empty"))
    return user_id


def checked_thread(name: str) -> str:
    """Return the name of a thread. Raises FieldError for a blank one, NotFound for one that is not printable."""
    if not name.strip():
        raise FieldError("thread_id", Message("field.empty"))
    require_printable(name)
    return name


def require_printable(name: str) -> None:
    """Raise NotFound for a thread's name that databases keep as no text."""
    if not name.isprintable():
        raise NotFound("thread", Message("conversation.unknown_named", id=name[:80]))


def checked_question(text: str, most: int) -> str:
    if not text.strip():
        raise FieldError("messages", "Question cannot be empty")
    if not any(char.isalnum() for char in text):
        raise FieldError("messages", Message("question.no_words"))
    if not is_unicode(text):
        raise FieldError("messages", Message("question.not_utf8"))
    if len(text) > most:
        raise FieldError("messages", spoken(Message("question.too_long"), text, length=len(text), most=most))
    return text


def spoken(words: Message, text: str, **values: object) -> str:
    with speaking(spoken_in(text)):
        return say(words.key, **values)


def is_unicode(text: str) -> bool:
    """Return True if a text can be encoded: bytes that no encoding explains come as lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def wrong_kind(name: str, kind: str, value: object) -> InputError:
    """Return the error for an argument of Python that is no object of a kind."""
    return InputError(Message("argument.wrong_kind", name=name, kind=kind, got=type(value).__name__))


def checked_content(content: object) -> bytes:
    """Return what a file holds, given in its place. Raises InputError for a text, whose encoding nobody knows."""
    if not isinstance(content, bytes | bytearray | memoryview):
        raise wrong_kind("content", "bytes", content)
    return bytes(content)


def file_bytes(path: Path, most: int, content: object = None) -> bytes:
    """Return the bytes of a file, at most one more than the limit, so that its excess shows, or those in its place.

    Raises InputError.
    """
    if content is not None:
        return checked_content(content)
    if not path.is_file():
        raise InputError(Message("file.not_found_at", path=path))
    with path.open("rb") as file:
        return file.read(most + 1)


def user_message(messages: Sequence[Any]) -> object:
    """Return the last message. Raises FieldError where one is no message or the last is not the user's."""
    from langchain_core.messages import HumanMessage, convert_to_messages

    try:
        last = convert_to_messages(messages)[-1]
    except (ValueError, TypeError, KeyError, NotImplementedError) as exc:
        raise FieldError("messages", Message("question.message_form", reason=str(exc)[:200])) from exc
    if not isinstance(last, HumanMessage):
        raise FieldError("messages", Message("question.last_message_not_users", kind=last.type))
    return messages[-1]


def text_of(message: object) -> str:
    content: object = getattr(message, "content", message)
    if isinstance(message, Mapping):
        content = message.get("content", "")
    elif isinstance(message, tuple | list) and len(message) == 2:
        content = message[1]
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "".join(str(block.get("text", "")) for block in blocks if isinstance(block, Mapping))


@cache
def adapter_of(kind: Any) -> TypeAdapter[Any]:
    """Return the validator of a type; building one takes longer than checking with it."""
    return TypeAdapter(kind)


def validated(adapter: TypeAdapter[Any], value: object, name: str) -> Any:
    """Validate strictly, as JSON is (a dataclass from a mapping, a float from an int); name the first wrong field."""
    try:
        return adapter.validate_json(json.dumps(value), strict=True)
    except ValidationError as exc:
        error = exc.errors()[0]
        path = ".".join([name, *(str(part) for part in error["loc"])])
        got = "" if error["type"] == "missing" else Message("field.got_value", value=str(error["input"])[:80])
        raise FieldError(path, Message("field.reason_and_got", reason=reason_of(error), got=got)) from exc
    except (TypeError, ValueError, RecursionError) as exc:
        raise FieldError(name, Message("field.not_json_value", reason=exc)) from exc
