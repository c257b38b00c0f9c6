"""Finds what is worth remembering in a turn, by structured output."""

from dataclasses import dataclass

from langchain_core.messages import HumanMessage, SystemMessage

from nodes.prompts.memory import LEARNER, learning
from nodes.roles import LearnRequest, Lesson, LessonKind
from wenmai.minds.model.caller import Caller
from wenmai.minds.model.schemas import Learned, Lessons

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
