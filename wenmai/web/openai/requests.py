"""What clients of OpenAI's protocol ask: the request of a completion, its library, its question and the turns before.

What belongs to sampling (temperature, top_p, seed …) is taken and has no effect: the answer is what the texts say.
What would change the form of the answer is refused, as is a name that is nearly one of the guard's.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from state.session import MAX_TURNS, EarlierTurn
from tools.reasons import reason_of
from tools.wording import Words
from wenmai.application.conversations import RunFields
from wenmai.inputs import FieldError, checked_question, nearest, spoken
from wenmai.web.openai.replies import UnsupportedRequest, without_notes
from wenmai.web.problems import NO_OBJECT

TEXT_PARTS = ("text", "input_text")
MISSPELLED = Words("没有这个字段，是否应为 {meant}？", "unknown field, did you mean {meant}?")
ONE_CHOICE = Words("只给一个回答：n 必须是 1", "only one choice: n must be 1")
OWN_TOOLS = Words(
    "不会调用客户端的工具：tool_choice 只能是 auto 或 none",
    "the tools of a client are never called: tool_choice must be auto or none",
)
NO_LOGPROBS = Words("没有词的概率", "there are no log probabilities")
ONLY_TEXT = Words("回答只有文字", "answers are text alone")
FREE_TEXT = Words("回答是带引用的文字，不能按 {kind} 的格式写", "answers are text with citations, not {kind}")
GUARDED = re.compile(r"(?P<library>[^@]+)@(?:(?P<part>\d{1,6})\.)?(?P<chapter>\d{1,6})")
TWICE = Words(
    "模型名里已经有防剧透的章节，不能再写别的值", "the model's name has another guard already: leave this one out"
)
ASKING, ANSWERING = "user", "assistant"
NO_QUESTION = Words("最后一条必须是用户的消息（role: user）", "The last message must be the user's (role: user)")
NO_MEDIA = Words(
    "只能读文字，不能读 {kind}：请把内容写成文字，或入库后再问",
    "Only text is read, not {kind}: write it as text, or put it into a library and ask about it",
)
# What a client wraps around a question to which it has found material of its own.
ASKED, END_OF_ASKED, END_OF_MATERIAL = "<user_query>", "</user_query>", "</context>"
PROMPT = re.compile(r"#{1,6} *Task\b", re.IGNORECASE)


class Lenient(BaseModel):
    """A model that ignores what clients add to the protocol."""

    model_config = ConfigDict(extra="ignore")


class MessagePart(Lenient):
    """A part of a message's content."""

    type: str = "text"
    text: str | None = None


class ChatMessage(Lenient):
    """A message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[MessagePart] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or () if part.type in TEXT_PARTS and part.text)

    @property
    def foreign(self) -> str | None:
        parts = self.content if isinstance(self.content, list) else ()
        return next((part.type for part in parts if part.type not in (*TEXT_PARTS, "refusal")), None)


class StreamOptions(Lenient):
    """Options of a stream."""

    include_usage: bool | None = False


class ChatRequest(RunFields):
    """A request; own fields beside the protocol's are those of a run's context."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(min_length=1)
    messages: list[ChatMessage] = Field(min_length=1)
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    response_format: dict[str, Any] | None = None
    n: int | None = None
    tool_choice: str | dict[str, Any] | None = None
    function_call: str | dict[str, Any] | None = None
    logprobs: bool | None = None
    modalities: list[str] | None = None

    @property
    def wants_usage(self) -> bool:
        return bool(self.stream_options and self.stream_options.include_usage)

    @property
    def format(self) -> str:
        return str((self.response_format or {}).get("type", "text"))


def request_from(given: object) -> ChatRequest:
    """Return a checked request. Raises FieldError for the first thing that is wrong with it."""
    if not isinstance(given, Mapping):
        raise FieldError("body", NO_OBJECT)
    try:
        request = ChatRequest.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise FieldError(".".join(str(part) for part in first["loc"] if part != "str"), reason_of(first)) from error
    for name in request.model_extra or ():
        if meant := nearest(name, ("as_of_chapter", "as_of_part")):
            raise UnsupportedRequest(name, MISSPELLED.of(meant=meant), "unknown_parameter")
    return request


def check_form(request: ChatRequest) -> None:
    """Refuse what asks for another form of answer. Raises Refusal."""
    if request.n not in (None, 1):
        raise UnsupportedRequest("n", ONE_CHOICE)
    for name in ("tool_choice", "function_call"):
        if getattr(request, name) not in (None, "auto", "none"):
            raise UnsupportedRequest(name, OWN_TOOLS)
    if request.logprobs:
        raise UnsupportedRequest("logprobs", NO_LOGPROBS)
    if set(request.modalities or ("text",)) != {"text"}:
        raise UnsupportedRequest("modalities", ONLY_TEXT)
    if request.format != "text":
        raise UnsupportedRequest("response_format", FREE_TEXT.of(kind=request.format))


def run_of(model: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the context of a run on a model. Raises FieldError where name and fields have two guards."""
    named = GUARDED.fullmatch(model)
    if named is None:
        return {**given, "library": model}
    guard = {"as_of_chapter": int(named["chapter"])} | ({"as_of_part": int(named["part"])} if named["part"] else {})
    for name in ("as_of_chapter", "as_of_part"):
        if given.get(name) not in (None, guard.get(name)):
            raise FieldError(name, TWICE)
    return {**given, **guard, "library": named["library"]}


@dataclass(frozen=True, slots=True)
class ChatHistory:
    """A question, and the turns that the client has kept, oldest first."""

    question: str
    turns: Sequence[EarlierTurn]

    @property
    def session(self) -> dict[str, Any] | None:
        """What a run is handed of the turns: the first and the last ones."""
        if not self.turns:
            return None
        kept = self.turns if len(self.turns) <= MAX_TURNS else [self.turns[0], *self.turns[-MAX_TURNS:]]
        return {"entities": [], "turns": list(kept)}


def conversation_of(messages: Sequence[ChatMessage], most: int) -> ChatHistory:
    """Return the question and what was said before; instructions to a model have no effect. Raises FieldError."""
    dialogue = [one for one in messages if one.role in (ASKING, ANSWERING)]
    if not dialogue or dialogue[-1].role != ASKING:
        raise UnsupportedRequest(
            "messages", spoken(NO_QUESTION, dialogue[-1].text if dialogue else ""), "invalid_messages"
        )
    last = dialogue[-1]
    if last.foreign:
        raise UnsupportedRequest("messages", spoken(NO_MEDIA, last.text, kind=last.foreign), "unsupported_content")
    turns: list[EarlierTurn] = []
    for one in dialogue[:-1]:
        if one.role == ASKING and (asked := question_text(one.text)):
            turns.append(EarlierTurn(question=asked, answer=""))
        elif one.role == ANSWERING and turns and one.text.strip():
            answer, guard = without_notes(one.text)
            turns[-1] = EarlierTurn(question=turns[-1]["question"], answer=answer, as_of=guard)
    return ChatHistory(checked_question(question_text(last.text), most), turns)


def question_text(text: str) -> str:
    """Return a question without the material that a client has put around it."""
    _, is_marked, rest = text.partition(ASKED)
    if is_marked:
        return rest.partition(END_OF_ASKED)[0].strip()
    if PROMPT.match(text) and END_OF_MATERIAL in text:
        return text.rpartition(END_OF_MATERIAL)[2].strip()
    return text.strip()
