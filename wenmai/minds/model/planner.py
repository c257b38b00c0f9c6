"""Chooses calls by native function calling, or writes the draft; how the model sees what was found.

The transcript itself keeps results as the tools give them. The evidence list only grows, and so the numbers, the rows
and the beginning of each request stay the same within a question: a service's cache can use them.
"""

import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

from nodes.citations import without_marks
from nodes.drafts import by_code
from nodes.prompts.planner import MATERIAL, RAG, SCHEMA, SEEN, SMALL_TALK, context_block, system_prompt
from nodes.roles import PlanRequest
from nodes.usage import tokens_for_call
from state.context import Language
from state.schema import Evidence
from tools.formatting import CUT_MARK, ListRow, behind_place, dump, listing, shorten, unmarked, with_rows
from tools.messages import say, say_in, speaking
from wenmai.minds.model.caller import ModelCaller, RequestTooLong, tokens_of
from wenmai.minds.model.client import Tools
from wenmai.minds.model.providers.exchange import only_calls

FEWER = (None, 5, 2, 1)
"""Rows of each result that a request shows: all, else as many as a model's context or a question's tokens allow."""

log = logging.getLogger("wenmai.model")


@dataclass(frozen=True, slots=True)
class ModelPlanner:
    """The planner's model: the same one thinks shorter, as a rule, while it may still search."""

    caller: ModelCaller
    searcher: ModelCaller

    async def plan(self, request: PlanRequest) -> AIMessage:
        """Return one complete model turn: its signatures must go back unchanged. Raises ModelError.

        In a draft turn tools stay declared but may not be called: a request begins like the one before.
        """
        if request.small_talk:
            prompt = SMALL_TALK[request.language].format(title=request.title)
            messages: list[AnyMessage] = [SystemMessage(prompt), HumanMessage(request.question)]
            return await self.caller.turn(messages, stream=request.stream)
        tools = () if request.mode == "rag" else request.declarations
        caller = self.searcher if tools and not request.draft_only else self.caller
        shown = tools if request.declares else ()
        for most in FEWER:
            messages = [SystemMessage(instructions(request)), *turns_of(request, most)]
            is_last = most == FEWER[-1]
            if not is_last and not self.fits(messages, shown):
                continue
            try:
                reply = await caller.turn(messages, shown, request.stream, may_call=not request.draft_only)
            except RequestTooLong as error:
                if is_last:
                    raise
                log.warning("%s; asked again with fewer rows", error)
                continue
            return reply if reply.tool_calls else only_calls(reply, tools)
        raise AssertionError("the last request is sent, or raises")

    def fits(self, messages: Sequence[AnyMessage], tools: Tools) -> bool:
        """Return True if a request and its reply are within the model's context and what the question has left."""
        limits = [one for one in (self.caller.settings.context_tokens, tokens_for_call()) if one is not None]
        return not limits or tokens_of(messages, tools) + self.caller.reply_tokens <= min(limits)


def turns_of(request: PlanRequest, most: int | None) -> list[AnyMessage]:
    """Return the messages behind the system prompt, with at most so many rows of each result."""
    if not from_documents(request):
        return numbered_messages(request.transcript, request.evidence, request.language, most)
    questions = [message for message in request.transcript if isinstance(message, HumanMessage)]
    context = context_block(request.evidence[:most], request.language)
    found = MATERIAL[request.language].format(results=context)
    return [HumanMessage(f"{questions[0].text}\n\n{found}"), *questions[1:]]


def instructions(request: PlanRequest) -> str:
    """Return the system prompt, with the schema of networks where the code has asked for it."""
    if from_documents(request):
        return RAG[request.language]
    kits = () if request.mode == "rag" else request.toolkits  # rag mode has nothing to choose
    prompt = system_prompt(request.title, kits, request.max_turns, request.language)
    # Those of the schema calls that the code made.
    own = [one for one, is_own in with_callers(request.transcript) if is_own and isinstance(one, ToolMessage)]
    found = [value for value in (json.loads(one.text) for one in own) if is_schema(value)]
    return f"{prompt}\n\n{SCHEMA[request.language].format(schema=schema_text(found))}" if found else prompt


def from_documents(request: PlanRequest) -> bool:
    """Return True if rag mode has retrieved from uploaded documents."""
    return request.mode == "rag" and any(piece["kind"] == "document" for piece in request.evidence)


TAG = re.compile(r"<(?=\s*/?\s*material\b)", re.IGNORECASE)


OMITTED = "\ue103"  # stands for a row that is not shown


class Showing:
    """Shows results one after another; a row whose words were all shown before is only named."""

    def __init__(self, evidence: Sequence[Evidence], language: Language, most: int | None = None) -> None:
        self._pieces = {piece["id"]: piece for piece in evidence}
        self._numbers = {piece["id"]: number for number, piece in enumerate(evidence, 1)}
        self._language: Language = language
        self._seen: dict[str, str] = {}
        self._most = sys.maxsize if most is None else most
        self._left = self._most

    def text(self, message: ToolMessage) -> str | None:
        """Return what a result retrieved, its rows numbered, inside of delimiters; None for any other result."""
        value: dict[str, Any] = json.loads(message.text)
        pieces = [self._pieces[id] for id in message.artifact or () if id in self._pieces]
        result = value.get("result")
        with speaking(self._language):
            if is_schema(value):
                return material(schema_text([value]))
            if isinstance(result, str):
                return self._material(result) if unmarked(result) != result else None
            return self._material(evidence_rows(value, pieces)) if pieces else None

    def _material(self, rows: str) -> str:
        """Return the rows of a result, at most as many as may be shown, and how many are not."""
        self._left = self._most
        text = with_rows(without_marks(rows), self._row)
        if self._left >= 0:
            return material(text)
        lines = [line for line in text.split("\n") if line != OMITTED]
        return material("\n".join([*lines, say("model.prompt.rows_omitted", count=-self._left)]))

    def _row(self, id: str, words: str) -> str:
        if id not in self._numbers:
            return words
        self._left -= 1
        if self._left < 0:
            return OMITTED
        number = self._numbers[id]
        before, separator = self._seen.get(id, ""), say("evidence.at_place", place="", text="")
        said = words.partition(separator)[2] or words  # its place may be worded in another way
        if before and all(part in before for part in said.split(CUT_MARK)):
            return SEEN[self._language].format(number=number)
        self._seen[id] = before + words
        return f"[E{number}] {words}"


def numbered_messages(
    transcript: Sequence[AnyMessage], evidence: Sequence[Evidence], language: Language, most: int | None = None
) -> list[AnyMessage]:
    """Return the messages for a model; what the code's own calls found is told as text of the user's turn."""
    showing, made = Showing(evidence, language, most), list[AnyMessage]()
    for own, messages in groupby(with_callers(transcript), key=lambda pair: pair[1]):
        if own:
            answers = [(one, json.loads(one.text)) for one, _ in messages if isinstance(one, ToolMessage)]
            shown = [(showing.text(one), value) for one, value in answers if not is_schema(value)]
            told = [text for text, _ in shown if text]
            if not told and (not shown or any("error" in value for _, value in shown)):
                continue  # a search that failed is not one that found nothing
            results = MATERIAL[language].format(results="\n".join(told))
            found = results if told else say_in(language, "evidence.nothing_found")
            if isinstance(made[-1], HumanMessage):  # behind the last words of the user
                made[-1] = HumanMessage(f"{made[-1].text}\n\n{found}")
            else:
                made.append(HumanMessage(found))
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


def is_schema(value: dict[str, Any]) -> bool:
    return isinstance(value.get("object_types"), list)


def material(text: str) -> str:
    """Return a text inside of delimiters that it cannot close."""
    return f"<material>\n{TAG.sub('‹', text)}\n</material>"


CONTEXT = "keyword_context"
ROOM = 5_000  # characters of one result
VALUE_CHARACTERS = 200
JOINT = " — "
BETWEEN = "; "
UNTOLD = frozenset({"matched_field", "failed", "session_id", "new_instances", "new_neighbors", "returned_instances"})


def evidence_rows(result: Mapping[str, Any], pieces: Sequence[Evidence]) -> str:
    """Return a result as its figures and its evidence, a row for each piece, all values of an instance in one."""
    grouped = [list(group) for _, group in groupby(pieces, key=instance_of)]
    rows = [ListRow(text=row_of(group), evidence=group[0]["id"]) for group in grouped]
    figures = result.get(CONTEXT, result)
    plain = {**figures, **figures.get("statistics", {})} if CONTEXT in result else figures
    parts = [
        f"{name}: {value}"
        for name, value in plain.items()
        if name not in UNTOLD and value not in (None, "", False) and not isinstance(value, list | dict)
    ]
    return listing(rows, ROOM, before=[BETWEEN.join([*parts, *map(str, figures.get("warnings", ()))])])


def instance_of(piece: Evidence) -> tuple[str, ...]:
    """Return what pieces of one instance have in common; any other piece stands alone."""
    if piece["kind"] != "property":
        return (piece["id"],)
    return piece["library"], piece["source"] or "", piece["text"].partition(JOINT)[0]


def row_of(group: Sequence[Evidence]) -> str:
    """Return the words of a row: the text of a piece behind its place, or an instance with its values."""
    first = group[0]
    if first["kind"] == "property":
        head = first["text"].partition(JOINT)[0]
        values = [shorten(piece["text"].partition(JOINT)[2], VALUE_CHARACTERS) for piece in group]
        return f"{head}{JOINT}{BETWEEN.join(values)}"
    if first["kind"] == "relation":
        return first["text"]
    source = first["source"] if first["kind"] == "document" else None
    return behind_place(" · ".join(part for part in (source, first["location"]) if part), first["text"])


MOST_PROPERTIES = 12


def schema_text(answers: Sequence[Mapping[str, Any]]) -> str:
    """Return what the answers of schema calls tell, each type and relation once."""
    types = dict[str, str]()
    for one in (one for answer in answers for one in answer["object_types"]):
        props = one.get("properties", ())[:MOST_PROPERTIES]
        names = ", ".join(labelled(prop.get("name", ""), prop.get("display_name")) for prop in props)
        types[one["concept_id"]] = f"- {labelled(one['concept_id'], one.get('concept_name'))}: {names}"
    links = {
        one["concept_id"]: f"- {labelled(one['concept_id'], one.get('concept_name'))}: "
        f"{one.get('source_object_type_id')} → {one.get('target_object_type_id')}"
        for answer in answers
        for one in answer["relation_types"]
    }
    lines = [
        say("model.prompt.schema_types"),
        *types.values(),
        *([say("model.prompt.schema_relations"), *links.values()] if links else []),
    ]
    return "\n".join(lines)


def labelled(id: str, name: str | None) -> str:
    return id if not name or name == id else f"{id} ({name})"
