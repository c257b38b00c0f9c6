"""The roles around memories: the recaller, its keywords, and the learner."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage

from nodes.plan import pending_calls
from nodes.prompts.memory import EXPANDER, LEARNER, RECALLER, SEARCHED, expanding, learning
from nodes.roles import LearnRequest, Lesson, LessonKind, Recaller, RecallRequest
from nodes.transcript import by_code, made
from state.context import Language
from tools.errors import ModelError
from tools.language import is_chinese
from tools.recall.schemas import ExpandRequest, Expansion, read_expansion
from tools.wording import Words
from wenmai.minds.model.caller import Caller
from wenmai.minds.model.schemas import Keywords, Learned, Lessons


@dataclass(frozen=True, slots=True)
class ModelRecaller:
    """The recaller's model; `rules` searches before it is asked."""

    caller: Caller
    rules: Recaller

    async def recall(self, request: RecallRequest) -> AIMessage:
        """Return one complete turn: the model's signatures must go back unchanged. Raises ModelError."""
        if is_the_code_s(request):
            return made(*pending_calls(await self.rules.recall(request)))
        messages = [SystemMessage(RECALLER[request.language]), *shown(request)]
        return await self.caller.turn(messages, request.declarations)


def is_the_code_s(request: RecallRequest) -> bool:
    """Return True for the first search, and for what follows from what it has found, or from its failure."""
    turns = [one for one in request.transcript if isinstance(one, AIMessage)]
    alone = all(map(by_code, turns)) and len(turns) == len(request.calls)
    return alone and (not request.calls or bool(request.seen) or not request.calls[-1]["ok"])


def shown(request: RecallRequest) -> Sequence[AnyMessage]:
    """Return the messages for the model: the code's search, which found nothing, is told in the first one."""
    asked, *rest = request.transcript
    if not (rest and isinstance(rest[0], AIMessage) and by_code(rest[0])):
        return request.transcript
    told = SEARCHED[request.language]
    return [HumanMessage(f"{asked.text}\n\n{told}"), *rest[1 + len(rest[0].tool_calls) :]]


NO_JSON = Words(
    "关键词模型的回答不是所要求的 JSON（{error}）。",
    "The answer of the model of keywords is not the JSON asked for ({error}).",
)


@dataclass(frozen=True, slots=True)
class ModelExpander:
    """The expander's model."""

    caller: Caller

    async def expand(self, request: ExpandRequest) -> Expansion:
        """Return the model's keywords, cleaned. Raises ModelError."""
        language: Language = "zh" if is_chinese(request.query) else "en"
        messages = [SystemMessage(EXPANDER[language]), HumanMessage(expanding(request, language))]
        text = await self.caller.json_text(messages, Keywords)
        try:
            return read_expansion(text, request.most)
        except (ValueError, RecursionError) as error:
            raise ModelError(NO_JSON.of(error=type(error).__name__)) from error


KINDS: dict[str, LessonKind] = {"fact": "fact", "preference": "preference", "decision": "decision"}


@dataclass(frozen=True, slots=True)
class ModelLearner:
    """The learner's model."""

    caller: Caller

    async def learn(self, request: LearnRequest) -> list[Lesson]:
        """Return the model's lessons; keys that it was not shown supersede nothing. Raises ModelError."""
        messages = [SystemMessage(LEARNER[request.language]), HumanMessage(learning(request))]
        answer = await self.caller.structured(messages, Lessons)
        keys = {memory.memory_key for memory in request.known}
        return [lesson_of(one, keys) for one in answer.lessons if one.content.strip()]


def lesson_of(one: Learned, keys: set[str]) -> Lesson:
    """Return one lesson; an unknown kind is a fact."""
    return Lesson(
        kind=KINDS.get(one.kind, "fact"),
        content=one.content.strip(),
        summary=one.summary.strip(),
        keywords=tuple(word.strip() for word in one.keywords if word.strip()),
        supersedes=tuple(key for key in dict.fromkeys(one.supersedes) if key in keys),
    )
