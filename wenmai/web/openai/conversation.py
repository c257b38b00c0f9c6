"""From a client's messages to a question and the turns before it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from state.session import MAX_TURNS, EarlierTurn
from tools.wording import Words
from wenmai.inputs import checked_question, spoken
from wenmai.web.openai.errors import Refusal
from wenmai.web.openai.forms import Message
from wenmai.web.openai.notes import without_notes

ASKING, ANSWERING = "user", "assistant"
NO_QUESTION = Words("最后一条必须是用户的消息（role: user）", "The last message must be the user's (role: user)")
ONLY_TEXT = Words(
    "只能读文字，不能读 {kind}：请把内容写成文字，或入库后再问",
    "Only text is read, not {kind}: write it as text, or put it into a library and ask about it",
)
# What a client wraps around a question to which it has found material of its own.
ASKED, END_OF_ASKED, END_OF_MATERIAL = "<user_query>", "</user_query>", "</context>"
PROMPT = re.compile(r"#{1,6} *Task\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Conversation:
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


def conversation_of(messages: Sequence[Message], most: int) -> Conversation:
    """Return the question and what was said before; instructions to a model have no effect. Raises FieldError."""
    dialogue = [one for one in messages if one.role in (ASKING, ANSWERING)]
    if not dialogue or dialogue[-1].role != ASKING:
        raise Refusal("messages", spoken(NO_QUESTION, dialogue[-1].text if dialogue else ""), "invalid_messages")
    last = dialogue[-1]
    if last.foreign:
        raise Refusal("messages", spoken(ONLY_TEXT, last.text, kind=last.foreign), "unsupported_content")
    question = checked_question(unwrapped(last.text), most)
    return Conversation(question, earlier(dialogue[:-1]))


def earlier(dialogue: Sequence[Message]) -> list[EarlierTurn]:
    """Return the questions of a history with what was answered until the next one."""
    turns: list[EarlierTurn] = []
    for one in dialogue:
        if one.role == ASKING and (question := unwrapped(one.text)):
            turns.append(EarlierTurn(question=question, answer=""))
        elif one.role == ANSWERING and turns and one.text.strip():
            answer, guard = without_notes(one.text)
            turns[-1] = EarlierTurn(question=turns[-1]["question"], answer=answer, as_of=guard)
    return turns


def unwrapped(text: str) -> str:
    """Return a question without the material that a client has put around it."""
    _, is_marked, rest = text.partition(ASKED)
    if is_marked:
        return rest.partition(END_OF_ASKED)[0].strip()
    if PROMPT.match(text) and END_OF_MATERIAL in text:
        return text.rpartition(END_OF_MATERIAL)[2].strip()
    return text.strip()
