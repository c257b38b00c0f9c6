"""The calls of an attempt, by what a question asks: the graph where it may know, then the text in several wordings."""

from collections.abc import Sequence
from typing import Any

from nodes.modes import MEMORY_TOOLKIT
from nodes.roles import PlanRequest
from tools.recall.recall_memories import NAME as RECALL
from tools.story.linking import NameTable
from wenmai.minds.offline.book.book import book_calls
from wenmai.minds.offline.calls.turns import NARRATIVE, SEARCH, STORY, Call
from wenmai.minds.offline.memories.earlier import leans
from wenmai.minds.offline.questions.order import events_asked
from wenmai.minds.offline.questions.queries import expanded, words_of
from wenmai.minds.offline.questions.question import Question
from wenmai.minds.offline.questions.speech import quoted_in

HISTORIES = ("history", "evolution")


def story_calls(question: Question, table: NameTable, toolkits: Sequence[str]) -> list[Call]:
    """Return the calls of the story toolkit that a run offers, [] without one."""
    if about_book := book_calls(question, toolkits):
        return about_book
    if NARRATIVE in toolkits:
        return [*_narrative_graph(question), *_searches(question, table)]
    return [*_story_graph(question), *_vector_searches(question, table)] if STORY in toolkits else []


def asks_memories(request: PlanRequest) -> bool:
    """Return True for a run with memories where a question leans on earlier talk, or memories are all that there is."""
    kits = list(request.toolkits)
    return kits == [MEMORY_TOOLKIT] or (MEMORY_TOOLKIT in kits and leans(request.question, request.resolved))


def memory_calls(request: PlanRequest) -> list[Call]:
    """Return the recall, where memories are asked."""
    return [(RECALL, {"query": request.resolved})] if asks_memories(request) else []


def hinted_calls(request: PlanRequest) -> list[Call]:
    """Return searches for the words of a refiner, which may be another mind's."""
    tools = [tool for kit, tool in SEARCH.items() if kit in request.toolkits]
    return [(tool, {"query": query}) for tool in tools[:1] for query in request.queries]


def _narrative_graph(question: Question) -> list[Call]:
    names = question.entities
    if len(names) > 1:
        return [("find_connection", {"entity1": names[0], "entity2": names[1]})]
    if not names:
        return []
    if question.kind in HISTORIES:
        return [("get_character_events", {"entity": names[0]})]
    return [("lookup_knowledge", {"entity": names[0]}), *_introduction(question)]


def _story_graph(question: Question) -> list[Call]:
    names = question.entities
    if not names:
        return []
    if question.kind in HISTORIES:
        bounds = _bounds(question, "chapter_range")
        track: Call = ("track_entity", {"entity": names[0], **bounds})
        return [("graph_search", {"entity": names[0]}), track] if question.kind == "evolution" else [track]
    return [("graph_search", {"entity": names[0]}), *_introduction(question)]


def _introduction(question: Question) -> list[Call]:
    """Return the call for the sentence that introduces a person, where a question asks who they are."""
    return [("list_characters", {"names": [question.entities[0]]})] if question.kind == "who" else []


def _searches(question: Question, table: NameTable) -> list[Call]:
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


def _vector_searches(question: Question, table: NameTable) -> list[Call]:
    bounds = _bounds(question, "chapter_filter")
    queries = [*_parts(question), {"query": question.text, **bounds}]
    if question.entities:
        queries.append({"query": expanded(question, table), "entity_filter": question.entities[0], **bounds})
    queries.append({"query": expanded(question, table)})
    return [("vector_search", query) for query in _once(queries)]


def _bounds(question: Question, name: str) -> dict[str, Any]:
    """Return the argument for the chapters that a question names, and their part if it names one."""
    part = {"part": question.part} if question.part else {}
    return {name: list(question.chapters), **part} if question.chapters else {}


def _parts(question: Question) -> list[dict[str, Any]]:
    """Return what is looked for by itself: words that the question quotes, events whose order it asks."""
    words = quoted_in(question.text)
    return [{"query": part} for part in ([words] if words else events_asked(question.text))]


def _once(queries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [query for at, query in enumerate(queries) if query not in queries[:at]]
