"""The working messages as a model sees them: each row of a result with the number by which it is cited.

The transcript itself keeps results as the tools give them. The evidence list only grows, and so the numbers, the rows
and the beginning of each request stay the same within a question: a service's cache can use them.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from nodes.prompts.planner import MATERIAL, SEEN
from nodes.transcript import by_code
from state.context import Language
from state.schema import Evidence
from tools.formatting import dump
from tools.text.marking import unmarked, with_rows
from tools.wording import speaking
from wenmai.minds.model.showing.rows import evidence_rows
from wenmai.minds.model.showing.schema import schema_text

TAG = re.compile(r"<(?=\s*/?\s*material\b)", re.IGNORECASE)
MARK = re.compile(r"\[(E\d+)\]")


class Showing:
    """Shows results one after another; a row that was shown before, with as many words, is only named."""

    def __init__(self, evidence: Sequence[Evidence], language: Language) -> None:
        """Number the pieces of an attempt."""
        self._pieces = {piece["id"]: piece for piece in evidence}
        self._numbers = {piece["id"]: number for number, piece in enumerate(evidence, 1)}
        self._language: Language = language
        self._seen: dict[str, int] = {}

    def text(self, message: ToolMessage) -> str | None:
        """Return what a result retrieved, its rows numbered, inside of delimiters; None for any other result."""
        value: dict[str, Any] = json.loads(message.text)
        pieces = [self._pieces[id] for id in message.artifact or () if id in self._pieces]
        result = value.get("result")
        with speaking(self._language):
            if is_schema(value):
                return material(schema_text([value]))
            if isinstance(result, str):
                return material(with_rows(safe(result), self._row)) if unmarked(result) != result else None
            return material(with_rows(safe(evidence_rows(value, pieces)), self._row)) if pieces else None

    def _row(self, id: str, words: str) -> str:
        if id not in self._numbers:
            return words
        number = self._numbers[id]
        if len(words) <= self._seen.get(id, -1):
            return SEEN[self._language].format(number=number)
        self._seen[id] = len(words)
        return f"[E{number}] {words}"


def shown(transcript: Sequence[AnyMessage], evidence: Sequence[Evidence], language: Language) -> list[AnyMessage]:
    """Return the messages for a model; what the code's own calls found is told as text of the user's turn."""
    showing, made = Showing(evidence, language), list[AnyMessage]()
    for own, messages in groupby(with_callers(transcript), key=lambda pair: pair[1]):
        if own:
            results = [one for one, _ in messages if isinstance(one, ToolMessage)]
            told = [showing.text(one) or material(one.text) for one in results if not is_schema(json.loads(one.text))]
            made = with_material(made, told, language) if told else made
            continue
        for message, _ in messages:
            text = showing.text(message) if isinstance(message, ToolMessage) else None
            made.append(message if text is None else message.model_copy(update={"content": dump({"result": text})}))
    return made


def with_callers(transcript: Sequence[AnyMessage]) -> Iterator[tuple[AnyMessage, bool]]:
    """Give each message, and whether it is a turn of the code or an answer to one."""
    own = False
    for message in transcript:
        own = by_code(message) if isinstance(message, AIMessage) else own and isinstance(message, ToolMessage)
        yield message, own


def with_material(messages: Sequence[AnyMessage], told: Sequence[str], language: Language) -> list[AnyMessage]:
    """Return messages with what the code found behind the last words of the user."""
    text = MATERIAL[language].format(results="\n".join(told))
    *before, last = messages
    if isinstance(last, HumanMessage):
        return [*before, HumanMessage(f"{last.text}\n\n{text}")]
    return [*messages, HumanMessage(text)]


def schemas(transcript: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    """Return the answers of the schema calls that the code made: the system prompt tells them."""
    results = [json.loads(one.text) for one, own in with_callers(transcript) if own and isinstance(one, ToolMessage)]
    return [value for value in results if is_schema(value)]


def is_schema(value: dict[str, Any]) -> bool:
    """Return True for the answer of a schema call."""
    return isinstance(value.get("object_types"), list)


def material(text: str) -> str:
    """Return a text inside of delimiters that it cannot close."""
    return f"<material>\n{TAG.sub('‹', text)}\n</material>"


def safe(words: str) -> str:
    """Return retrieved words without what reads like a number of evidence."""
    return MARK.sub(r"\1", words)
