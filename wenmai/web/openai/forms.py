"""The request of a completion, as clients send it.

What belongs to sampling (temperature, top_p, seed …) is taken and has no effect: the answer is what the texts say.
What would change the form of the answer is refused, as is a name that is nearly one of the guard's.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tools.reasons import reason_of
from tools.wording import Words
from wenmai.application.models.conversations import RunFields
from wenmai.inputs import FieldError, nearest
from wenmai.web.openai.errors import Refusal
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


class Lenient(BaseModel):
    """A model that ignores what clients add to the protocol."""

    model_config = ConfigDict(extra="ignore")


class Part(Lenient):
    """A part of a message's content."""

    type: str = "text"
    text: str | None = None


class Message(Lenient):
    """A message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """Its text."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or () if part.type in TEXT_PARTS and part.text)

    @property
    def foreign(self) -> str | None:
        """The kind of a part that is no text."""
        parts = self.content if isinstance(self.content, list) else ()
        return next((part.type for part in parts if part.type not in (*TEXT_PARTS, "refusal")), None)


class StreamOptions(Lenient):
    """Options of a stream."""

    include_usage: bool | None = False


class ChatRequest(RunFields):
    """A request; own fields beside the protocol's are those of a run's context."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(min_length=1)
    messages: list[Message] = Field(min_length=1)
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
        """Whether a stream ends with the usage."""
        return bool(self.stream_options and self.stream_options.include_usage)

    @property
    def format(self) -> str:
        """The kind of answer that is asked for."""
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
            raise Refusal(name, MISSPELLED.of(meant=meant), "unknown_parameter")
    return request


def check_form(request: ChatRequest) -> None:
    """Refuse what asks for another form of answer. Raises Refusal."""
    if request.n not in (None, 1):
        raise Refusal("n", ONE_CHOICE)
    for name in ("tool_choice", "function_call"):
        if getattr(request, name) not in (None, "auto", "none"):
            raise Refusal(name, OWN_TOOLS)
    if request.logprobs:
        raise Refusal("logprobs", NO_LOGPROBS)
    if set(request.modalities or ("text",)) != {"text"}:
        raise Refusal("modalities", ONLY_TEXT)
    if request.format != "text":
        raise Refusal("response_format", FREE_TEXT.of(kind=request.format))
