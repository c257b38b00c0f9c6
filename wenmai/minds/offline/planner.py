"""The calls of an attempt, by what the question asks: the graph where it may know, then the text; then the draft."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from nodes.drafts import chat, written_by_code
from nodes.roles import PlanRequest, Reply
from state.draft import Draft
from tools.dispatch import STOP
from tools.documents.records import OPEN_TASK
from tools.documents.search import KEYWORD_SEARCH, LIST_DOCUMENTS, MOST_FOUND, SEMANTIC_SEARCH
from tools.networks.lexicon import Lexicon, Lexicons
from tools.ports import Embedder
from tools.recall.recall_memories import NAME as RECALL
from tools.story.names import EntityLinker, NameTable, fold
from tools.tables.rows import limits_in
from tools.text.scripts import simplified
from tools.toolboxes import DOCUMENT_TOOLKIT
from wenmai.minds.offline.book import book_calls, meeting_calls
from wenmai.minds.offline.calls import EMBEDDED, NARRATIVE, SEARCH, STORY, Call, next_calls, turn
from wenmai.minds.offline.composer import Composer
from wenmai.minds.offline.documents.asking import (
    asks_for_list,
    asks_open_tasks,
    exact_terms,
    mentioned_in_files,
)
from wenmai.minds.offline.documents.changes import asks_changes, change_call
from wenmai.minds.offline.documents.messages import message_calls, message_passage
from wenmai.minds.offline.documents.tables import table_calls
from wenmai.minds.offline.drafting import draft_from, events_asked
from wenmai.minds.offline.memories import asks_memories
from wenmai.minds.offline.networks.asking import is_network
from wenmai.minds.offline.questions.question import (
    HISTORIES,
    ParsedQuestion,
    content_words,
    expanded,
    understood,
    words_of,
)
from wenmai.minds.offline.questions.speech import quoted_in
from wenmai.minds.offline.replies import reply_to

MOST_WORDS = 6

MOST_CALLS = 5
BESIDE_STORY = frozenset({"document", "memory"})


@dataclass(frozen=True, slots=True)
class ReadingPlanner:
    """Chooses calls by rule, and lets the composer write the draft."""

    linker: EntityLinker
    composer: Composer
    embedder: Embedder
    lexicons: Lexicons | None = None

    async def plan(self, request: PlanRequest) -> Reply:
        request = replace(
            request,
            question=simplified(request.question),
            resolved=simplified(request.resolved),
            queries=[simplified(query) for query in request.queries],
        )
        if request.small_talk:
            return chat(reply_to(request))
        table = await self.linker.table(request.library, request.horizon)
        question = understood(request.resolved, table)
        if request.draft_only:
            return await self._draft(request, question, table)
        calls = next_calls(request, await self._network_turns(request, question))
        if calls:
            return turn(len(request.calls), calls)
        has_documents = DOCUMENT_TOOLKIT in request.toolkits
        words, documents = (word_calls(request), document_calls(request)) if has_documents else ([], [])
        memories: list[Call] = [(RECALL, {"query": request.resolved})] if asks_memories(request) else []
        # Searches for the words of a refiner, which may be another mind's.
        tools = [tool for kit, tool in SEARCH.items() if kit in request.toolkits][:1]
        hinted = [(tool, {"query": query}) for tool in tools for query in request.queries]
        story = story_calls(question, table, request.toolkits)
        calls = next_calls(request, [[*documents, *memories, *hinted, *story][:MOST_CALLS]])
        # Embedding a text takes longer than all else of its call.
        texts = [args["query"] for name, args in calls if "query" in args and name in EMBEDDED]
        self.embedder.expect_queries(list(dict.fromkeys(texts)))
        is_first = has_documents and not request.evidence  # tables that are found are asked next
        if calls and (words or is_first):
            return turn(len(request.calls), calls)
        if words and (draft := await self._draft(request, question, table))["status"] != "not_found":
            return draft
        calls += next_calls(request, [words])
        reason = "sufficient" if calls or request.evidence else "not_found"
        return turn(len(request.calls), [*calls, (STOP, {"reason": reason})])

    async def _network_turns(self, request: PlanRequest, question: ParsedQuestion) -> list[list[Call]]:
        """Return the calls to networks: of a run with a story too only where the question may be theirs."""
        if self.lexicons is None or request.networks is None:
            return []
        from wenmai.minds.offline.networks.guide import network_turns

        lexicon = await self._lexicon(request, self.lexicons)
        turns = await asyncio.to_thread(network_turns, request, lexicon)
        of_story = bool(request.library and question.entities)
        return turns if not of_story or any(lexicon.known(name) for name in request.entities) else []

    async def _lexicon(self, request: PlanRequest, lexicons: Lexicons) -> Lexicon:
        talk = [one["name"] for one in request.session["entities"]]
        return await lexicons(request.networks, request.resolved, talk)

    async def _draft(self, request: PlanRequest, question: ParsedQuestion, table: NameTable) -> Draft:
        """Return the draft; where a network was asked only in part, "not found" would be a lie."""
        draft = await self._found(request, question, table)
        if request.networks is None or draft["status"] != "not_found":
            return draft
        from wenmai.minds.offline.networks.guide import asked_in_part

        return written_by_code("error", request.language) if asked_in_part(request) else draft

    async def _found(self, request: PlanRequest, question: ParsedQuestion, table: NameTable) -> Draft:
        asks_nothing_else = request.networks is not None and not request.evidence and not request.library
        if not self.lexicons or not (asks_nothing_else or any(map(is_network, request.evidence))):
            return await self._rest(request, question, table)
        from wenmai.minds.offline.networks.guide import network_answer

        lexicon = await self._lexicon(request, self.lexicons)
        reply = await asyncio.to_thread(network_answer, request, lexicon)
        lines, likely = reply.lines, reply.probability
        if lines and (not request.library or not question.entities):
            return draft_from(lines, likely)
        if not request.library:
            refusal = await self.composer.refusal(request, question, table)
            is_alone = all(map(is_network, request.evidence))
            return {**refusal, "confidence": round(likely, 2)} if is_alone else refusal
        rest = await self._rest(request, question, table)
        if not lines:
            return rest
        return draft_from(lines if rest["status"] == "not_found" else [*lines, *rest["sentences"]], likely)

    async def _rest(self, request: PlanRequest, question: ParsedQuestion, table: NameTable) -> Draft:
        """Return the draft; without the story where a guarded question names what its reader has not met.

        Other people's deeds are no answer.
        """
        if request.horizon:
            whole = await self.linker.table(request.library, None)
            visible = await self.linker.table(request.library, request.horizon)
            if any(fold(mention.text) not in visible.spellings for mention in whole.find(request.resolved)):
                kept = [piece for piece in request.evidence if piece["kind"] in BESIDE_STORY or is_network(piece)]
                draft = await self.composer.draft(replace(request, evidence=kept), question, table)
                if draft["refused"] != "no_evidence":
                    return draft
                return await self.composer.refusal(request, question, table)  # how sure it is says what was found
        return await self.composer.draft(request, question, table)


def document_calls(request: PlanRequest) -> list[Call]:
    """Return the first calls: the list, or exact words, then the meaning; beside other sources only one of them."""
    question = request.resolved
    if asks_for_list(question):
        return [(LIST_DOCUMENTS, {})]
    if name := mentioned_in_files(question):
        return [(KEYWORD_SEARCH, {"keywords": f'"{name}"', "limit": MOST_FOUND})]
    if asks_open_tasks(question):
        return [(KEYWORD_SEARCH, {"keywords": OPEN_TASK, "limit": MOST_FOUND})]
    by_meaning: list[Call] = [(SEMANTIC_SEARCH, {"query": query}) for query in [question, *request.queries]]
    if calls := table_calls(question, request.evidence) or message_calls(question, request.evidence):
        return calls
    exact = " ".join(f'"{term}"' for term in exact_terms(question))
    if not exact and asks_changes(request):
        return [change_call(question), *by_meaning[1:]]
    calls = [(KEYWORD_SEARCH, {"keywords": exact}), *by_meaning] if exact else by_meaning
    return calls if len(request.toolkits) == 1 else calls[:1]


def word_calls(request: PlanRequest) -> list[Call]:
    """Return the search by words for where the first calls have found too little, [] where it cannot find more."""
    words = content_words(request.resolved)[:MOST_WORDS]
    exact = exact_terms(request.resolved) and not limits_in(request.resolved)
    if asks_for_list(request.resolved) or exact or not words:
        return []
    return [(KEYWORD_SEARCH, {"keywords": " ".join(words)})]


def story_calls(question: ParsedQuestion, table: NameTable, toolkits: Sequence[str]) -> list[Call]:
    if about_book := book_calls(question, toolkits):
        return about_book
    kit = next((kit for kit in SEARCH if kit in toolkits), None)
    if kit and (opened := message_passage(question.text, question.entities)):
        return [*opened, (SEARCH[kit], {"query": question.text})]
    if question.kind == "met" and kit:
        graph = _narrative_graph(question) if kit == NARRATIVE else _story_graph(question)
        return [*meeting_calls(question, kit, table), (SEARCH[kit], {"query": question.text}), *graph]
    if NARRATIVE in toolkits:
        return [*_narrative_graph(question), *_searches(question, table)]
    if STORY not in toolkits:
        return []
    bounds = _bounds(question, "chapter_filter")
    queries = [*_parts(question), {"query": question.text, **bounds}]
    if question.entities:
        queries.append({"query": expanded(question, table), "entity_filter": question.entities[0], **bounds})
    queries.append({"query": expanded(question, table)})
    return [*_story_graph(question), *(("vector_search", query) for query in _once(queries))]


def _narrative_graph(question: ParsedQuestion) -> list[Call]:
    names = question.entities
    if question.kind == "way":
        return [("get_character_events", {"entity": names[0]})]
    if len(names) > 1:
        return [("find_connection", {"entity1": names[0], "entity2": names[1]})]
    if not names:
        return []
    if question.kind in HISTORIES:
        return [("track_journey", {"entity": names[0]}), ("get_character_events", {"entity": names[0]})]
    return [("lookup_knowledge", {"entity": names[0]}), *_introduction(question)]


def _story_graph(question: ParsedQuestion) -> list[Call]:
    names = question.entities
    if not names:
        return []
    if question.kind in (*HISTORIES, "way"):
        bounds = _bounds(question, "chapter_range")
        track: Call = ("track_entity", {"entity": names[0], **bounds})
        return [("graph_search", {"entity": names[0]}), track] if question.kind == "evolution" else [track]
    return [("graph_search", {"entity": names[0]}), *_introduction(question)]


def _introduction(question: ParsedQuestion) -> list[Call]:
    """Return the call for the sentence that introduces a person, where a question asks who they are."""
    return [("list_characters", {"names": [question.entities[0]]})] if question.kind == "who" else []


def _searches(question: ParsedQuestion, table: NameTable) -> list[Call]:
    """Return the text searches: the question, its words, the question among passages about the person that it names."""
    queries: list[dict[str, Any]] = [{"query": question.text}, {"query": expanded(question, table)}]
    names, words = list(question.entities), " ".join(words_of(question))
    if names:
        queries.insert(1, {"query": question.text, "characters": names[:1]})
        if words:
            queries.append({"query": words, "characters": names})
    if names and question.kind in HISTORIES:
        queries.insert(1, {"query": question.text, "characters": names, "sort_by": "time"})
    if words and not names:
        queries.append({"query": words})
    return [("search_memory", query) for query in _once([*_parts(question), *queries])]


def _bounds(question: ParsedQuestion, name: str) -> dict[str, Any]:
    part = {"part": question.part} if question.part else {}
    return {name: list(question.chapters), **part} if question.chapters else {}


def _parts(question: ParsedQuestion) -> list[dict[str, Any]]:
    """Return what is looked for by itself: words that the question quotes, events whose order it asks."""
    words = quoted_in(question.text)
    return [{"query": part} for part in ([words] if words else events_asked(question.text))]


def _once(queries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [query for at, query in enumerate(queries) if query not in queries[:at]]
