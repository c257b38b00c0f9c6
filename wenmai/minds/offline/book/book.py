"""Questions about the book as a whole: the calls that fetch what they need, and the draft from it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nodes.roles import PlanRequest
from tools.language import is_chinese
from tools.story.chapters.headings import MOST_CHAPTERS
from tools.story.linking import NameTable
from wenmai.minds.offline.book.chapters import about_the_book, chapter_told, chapters_counted, titles_told
from wenmai.minds.offline.book.narrator import narrator_told
from wenmai.minds.offline.book.people import characters_listed, first_told
from wenmai.minds.offline.calls.turns import SEARCH, Call
from wenmai.minds.offline.questions.question import Kind, Question

Drafting = Callable[[PlanRequest, Question, NameTable], str]

WHOLE = [0, -1]
"""The chapters of a whole book, for read_chapters."""
BEHIND = 12
"""Titles before one that is counted from the last: extras behind the last chapter are not counted."""
PEOPLE_OF_A_SUMMARY = 6
NAMING_WORDS: Mapping[str, str] = {"zh": "我叫 我的名字是 我姓", "en": "my name is, I am called, they call me"}
DRAFTS: Mapping[Kind, Drafting] = {
    "characters": characters_listed,
    "first": first_told,
    "chapters": chapters_counted,
    "title": titles_told,
    "chapter": chapter_told,
    "book": about_the_book,
    "narrator": narrator_told,
}


def book_calls(question: Question, toolkits: Sequence[str]) -> list[Call]:
    """Return the calls for a question about the book, [] for another one.

    Args:
        question: taken apart.
        toolkits: of the run; without a story there is no book.
    """
    if question.kind not in DRAFTS or not SEARCH.keys() & set(toolkits):
        return []
    if question.kind == "characters":
        return [("list_characters", {})]
    if question.kind == "first":
        return [("list_characters", {"names": [question.entities[0]]})]
    if question.kind == "chapters":
        return [("read_chapters", {"part": question.part} if question.part else {})]
    if question.kind in ("title", "chapter"):
        return [("read_chapters", which)] if (which := chapter_arguments(question)) else []
    if question.kind == "book":
        return [("read_chapters", {"chapters": WHOLE}), ("list_characters", {"top_k": PEOPLE_OF_A_SUMMARY})]
    return [("read_chapters", {"chapters": WHOLE}), _naming_search(question, toolkits)]


def chapter_arguments(question: Question) -> dict[str, Any]:
    """Return which chapters a question means, as read_chapters takes them; {} where nothing tells."""
    titles = {"titles_only": True} if question.kind == "title" else {}
    part = {"part": question.part} if question.part else {}
    if question.chapters:
        named = {"title": question.section} if isinstance(question.section, str) else {}
        return {"chapters": list(question.chapters), **named, **part, **titles}
    if isinstance(question.section, int):
        ends = [max(question.section - BEHIND, -MOST_CHAPTERS), -1] if titles else [question.section] * 2
        return {"chapters": ends, **part, **titles}
    return {"title": question.section, **part, **titles} if question.section else {}


def _naming_search(question: Question, toolkits: Sequence[str]) -> Call:
    """Return the search for what a narrator says of themselves."""
    query = NAMING_WORDS["zh" if is_chinese(question.text) else "en"]
    return next(tool for kit, tool in SEARCH.items() if kit in toolkits), {"query": query}


def book_draft(request: PlanRequest, question: Question, table: NameTable) -> str | None:
    """Return the lines for a question about the book with their marks, '' for none; None for another question.

    A run without a story, and the one retrieval of rag mode, have no book to tell of.
    """
    draft = DRAFTS.get(question.kind)
    if draft is None or request.mode == "rag" or not SEARCH.keys() & set(request.toolkits):
        return None
    return draft(request, question, table)
