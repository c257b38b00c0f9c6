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
from tools.language import is_chinese
from tools.reasons import reason_of
from tools.wording import Text, Words, speaking
from wenmai.stores.files.folder import check_name

if TYPE_CHECKING:
    from state.recall import HistoryMessage

TYPO_SIMILARITY = 0.75
"""Likeness from which a name is a misspelled field; what langgraph-sdk and Studio send stays below 0.7."""
TOO_LONG = Words(
    "问题有 {length} 个字符，最多 {most} 个（MAX_QUESTION_CHARS）；长文请先用 wenmai ingest 入库或作为文档上传，再提问",
    "The question has {length} characters, at most {most} are accepted (MAX_QUESTION_CHARS): put a long text into a "
    "library (wenmai ingest) or upload it as a document, then ask about it",
)
QUERY_TOO_LONG = Words(
    "要回忆的内容有 {length} 个字符，最多 {most} 个（MAX_QUESTION_CHARS）",
    "The query has {length} characters, at most {most} are accepted (MAX_QUESTION_CHARS)",
)
WORDLESS = Words("问题里没有文字，请写出想问的内容", "the question has no words: write what you want to know")
NO_INPUT = Words("必须是对象 {form}", "must be an object {form}")
NO_FIELD = Words("没有这个字段，可用的有 {known}", "there is no such field, but {known}")
RAG_MEMORY = Words("rag 模式只检索资料，不能使用 memory", "the mode rag only retrieves: memory cannot be used")
RAG_KNOWLEDGE = Words(
    "rag 模式只检索故事原文，不能使用 knowledge", "the mode rag only retrieves from stories: knowledge cannot be used"
)
WHICH_NETWORK = Words(
    "用 knowledge 时必须给出知识网络的 ID（见 wenmai knowledge list）",
    "knowledge needs the ids of networks (see wenmai knowledge list)",
)
NO_NETWORK_ASKED = Words('只在 toolkits 含 "knowledge" 时有用', 'of use only where toolkits has "knowledge"')
NO_QUERY = Words("要回忆的内容不能为空", "the query cannot be empty")
QUERY_NOT_TEXT = Words(
    "要回忆的内容不是有效的 UTF-8 文本：请检查终端或文件的编码",
    "the query is not valid UTF-8: check the encoding of the terminal or of the file",
)
NOT_TEXT = Words(
    "问题不是有效的 UTF-8 文本：请检查终端或文件的编码",
    "the question is not valid UTF-8: check the encoding of the terminal or of the file",
)
NO_MESSAGES = Words("必须是非空的消息列表", "must be a list of messages that is not empty")
MESSAGE_FORM = Words(
    '每条消息的写法是 {{"role": "user", "content": "…"}}：{reason}',
    'a message is written {{"role": "user", "content": "…"}}: {reason}',
)
NOT_USERS = Words(
    "最后一条必须是用户的消息（role: user），收到 {kind}",
    "the last message must be the user's (role: user), got {kind}",
)
GOT = Words("，收到 {value!r}", ", got {value!r}")
WRONG = Words("{reason}{got}", "{reason}{got}")
NO_JSON = Words("必须是 JSON 值（{reason}）", "must be a JSON value ({reason})")
NO_THREAD = Words(
    "没有名为 {id} 的会话：请用 --thread 或 thread_id 换一个",
    "there is no conversation {id}: name another by --thread or thread_id",
)
ONE_OWNER = Words(
    "请给出 thread_id 和 user_id，或者 preloaded=True，二者选一",
    "give thread_id and user_id, or preloaded=True, one of both",
)
PART_ALONE = Words(
    "需要与 as_of_chapter 一起使用，单独使用不会遮住任何内容", "needs as_of_chapter: alone it hides nothing"
)
NO_FILE = Words("没有这个文件：{path}", "there is no file {path}")
FIELDS = tuple(field.name for field in fields(Context))


class FieldError(InputError):
    """An input field is wrong.

    Attributes:
        field: its name, as the caller wrote it.
        status: how a server answers; 503 where the field is well but what it names cannot be used now.
    """

    def __init__(self, field: str, message: Text, status: int = 422) -> None:
        super().__init__(message)
        self.field = field
        self.status = status

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
            raise FieldError(f"context.{name}", NO_FIELD.of(known=", ".join(FIELDS)))
    context: Context = validated(adapter_of(Context), dict(values), "context")
    if context.mode == "rag" and "memory" in context.toolkits:
        raise FieldError("context.toolkits", RAG_MEMORY)
    asks_networks = "knowledge" in context.toolkits
    if asks_networks and not context.kn_ids:
        raise FieldError("context.kn_ids", WHICH_NETWORK)
    if context.kn_ids and not asks_networks:
        raise FieldError("context.kn_ids", NO_NETWORK_ASKED)
    if asks_networks and context.mode == "rag":
        raise FieldError("context.toolkits", RAG_KNOWLEDGE)
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
        raise FieldError("query", NO_QUERY)
    if not is_unicode(query):
        raise FieldError("query", QUERY_NOT_TEXT)
    if len(query) > most:
        raise FieldError("query", spoken(QUERY_TOO_LONG, query, length=len(query), most=most))
    return query


def session_context_from(value: object) -> SessionContext:
    session: SessionContext = validated(adapter_of(SessionContext), value, "session_context")
    return session


def question_from(messages: object, most: int) -> str:
    """Return the question in a list of messages: the text of the last. Raises FieldError."""
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes) or not messages:
        raise FieldError("messages", NO_MESSAGES)
    return checked_question(text_of(user_message(messages)), most)


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
        raise FieldError("input", NO_INPUT.of(form=form))
    for name in given:
        if name not in fields:
            raise FieldError(f"input.{name}", NO_FIELD.of(known=", ".join(sorted(fields))))
    return given


def checked_question(text: str, most: int) -> str:
    if not text.strip():
        raise FieldError("messages", "Question cannot be empty")
    if not any(char.isalnum() for char in text):
        raise FieldError("messages", WORDLESS)
    if not is_unicode(text):
        raise FieldError("messages", NOT_TEXT)
    if len(text) > most:
        raise FieldError("messages", spoken(TOO_LONG, text, length=len(text), most=most))
    return text


def spoken(words: Words, text: str, **values: object) -> str:
    with speaking("zh" if is_chinese(text) else "en"):
        return words.say(**values)


def is_unicode(text: str) -> bool:
    """Return True if a text can be encoded: bytes that no encoding explains come as lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def file_bytes(path: Path, most: int) -> bytes:
    """Return the bytes of a file, at most one more than the limit, so that its excess shows. Raises InputError."""
    if not path.is_file():
        raise InputError(NO_FILE.of(path=path))
    with path.open("rb") as file:
        return file.read(most + 1)


def user_message(messages: Sequence[Any]) -> object:
    """Return the last message. Raises FieldError where one is no message or the last is not the user's."""
    from langchain_core.messages import HumanMessage, convert_to_messages

    try:
        last = convert_to_messages(messages)[-1]
    except (ValueError, TypeError, KeyError, NotImplementedError) as exc:
        raise FieldError("messages", MESSAGE_FORM.of(reason=str(exc)[:200])) from exc
    if not isinstance(last, HumanMessage):
        raise FieldError("messages", NOT_USERS.of(kind=last.type))
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
        got = "" if error["type"] == "missing" else GOT.of(value=str(error["input"])[:80])
        raise FieldError(path, WRONG.of(reason=reason_of(error), got=got)) from exc
    except (TypeError, ValueError, RecursionError) as exc:
        raise FieldError(name, NO_JSON.of(reason=exc)) from exc
