"""Questions about the book as a whole, its chapters, its people: the calls that fetch what they need, the drafts."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from nodes.roles import PlanRequest
from state.context import Language
from state.draft import Sentence
from state.schema import Evidence
from tools.language import characters, is_chinese
from tools.story.names import NameTable
from tools.story.read_chapters import MOST_CHAPTERS, OUTSIDE
from tools.text.numerals import NUMERAL, parse_number
from wenmai.minds.offline.book.central import LONGEST, QuotedSentence, central_sentences, sentences_of
from wenmai.minds.offline.book.people import (
    characters_listed,
    enumerated,
    first_appearance,
    narrator_lines,
    people_in,
    pieces_by,
    place_of,
)
from wenmai.minds.offline.calls import SEARCH, Call
from wenmai.minds.offline.questions.question import Kind, Question
from wenmai.minds.offline.wordings import cited, listed, say, say_cited

MOST_TITLES = 40
MOST_PEOPLE = 3
CORE_OF_CHAPTER, CORE_OF_BOOK, IN_HEAD = 5, 5, 3
"""Central sentences that are quoted, and how many of them the first line may have."""
PERSON = "Character"
UNIT = re.compile(r"^(?:.{0,12}\s)?第\s*\S{1,9}?([回章节節话話])")
LABELLED = re.compile(
    rf"^(?:第\s*|chapter\s+)?([{NUMERAL}]+|[ivxlc]+|[a-z]+(?:-[a-z]+)?)\s*[回章节節话話]?[\s:：.、—–-]+(\S.*)$",
    re.IGNORECASE,
)
BLURB = re.compile(r"^(?:内容)?(?:简介|提要|梗概)\s*[:：]")
WHOLE = [0, -1]
"""The chapters of a whole book, for read_chapters."""
BEHIND = 12
"""Titles before one that is counted from the last: extras behind the last chapter are not counted."""
PEOPLE_OF_A_SUMMARY = 6
NAMING_WORDS: Mapping[str, str] = {"zh": "我叫 我的名字是 我姓", "en": "my name is, I am called, they call me"}
Lines = Callable[[PlanRequest, Question, NameTable], list[Sentence]]


def book_calls(question: Question, toolkits: Sequence[str]) -> list[Call]:
    """Return the calls for a question about the book, [] for another one.

    Args:
        question: taken apart.
        toolkits: of the run; without a story there is no book.
    """
    if question.kind not in LINES or not SEARCH.keys() & set(toolkits):
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
    search = next(tool for kit, tool in SEARCH.items() if kit in toolkits)
    naming = NAMING_WORDS["zh" if is_chinese(question.text) else "en"]  # what narrators say of themselves
    return [("read_chapters", {"chapters": WHOLE}), (search, {"query": naming})]


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


def asks_of_book(request: PlanRequest, question: Question) -> bool:
    """Return True for a question about the book; a run without a story, and rag mode's one retrieval, have none."""
    return question.kind in LINES and request.mode != "rag" and bool(SEARCH.keys() & set(request.toolkits))


def book_lines(request: PlanRequest, question: Question, table: NameTable) -> list[Sentence]:
    """Return the lines that answer a question about the book, [] where nothing was found."""
    return LINES[question.kind](request, question, table)


def chapter_count(request: PlanRequest, question: Question, table: NameTable) -> list[Sentence]:
    """Return how many chapters there are, and their titles; [] where nothing was found."""
    rows = [row for row in pieces_by(request, "read_chapters") if row["start"] is None]
    language, chapters = request.language, [row for row in rows if _is_chapter(row)]
    if not rows:
        return []
    if len(rows) == 1 and not rows[0]["title"]:
        return [cited(say("chapters.undivided", language), rows[0]["id"])]
    titled = [row for row in rows if row in chapters or row["title"]]
    others = [row["text"] for row in titled if row not in chapters]
    hidden = max(0, _total(request) - len(rows))
    head = _counted(chapters, hidden, others, _what(question.part, request), language)
    lines = [cited(row["text"], row["id"]) for row in titled[:MOST_TITLES]]
    if left := titled[MOST_TITLES:]:
        ends = {"first": left[0]["text"], "last": left[-1]["text"]}
        rest = say("chapters.rest", language, n=len(left) + hidden, unit=_unit(chapters, language), **ends)
        lines.append(cited(rest, left[-1]["id"]))
    return [cited(head, (chapters or titled)[-1]["id"]), *lines]


def _total(request: PlanRequest) -> int:
    """Return how many chapters the list has, of which the evidence may hold the ends alone; 0 where no call tells."""
    calls = [call for call in request.calls if call["tool"] == "read_chapters" and call["ok"]]
    return next((call["items"] for call in reversed(calls) if not {"chapters", "title"} & call["args"].keys()), 0)


def _what(part: int | None, request: PlanRequest) -> str:
    """Return what has the chapters: the book, a part of it, or what its reader has read."""
    so_far = say("chapters.so_far", request.language) if request.horizon else ""
    what = "chapters.part" if part else "chapters.it" if request.horizon else "chapters.whole"
    return so_far + say(what, request.language, n=part)


def _counted(chapters: Sequence[Evidence], hidden: int, others: Sequence[str], what: str, language: Language) -> str:
    parts = len({piece["part"] for piece in chapters})
    told = say("chapters.parts", language, n=parts) if parts > 1 else ""
    more = say("chapters.more", language, titles=enumerated(others, language)) if others else ""
    n, unit = len(chapters) + hidden, _unit(chapters, language)
    text = say("chapters.counted", language, what=what, n=n, unit=unit, parts=told, more=more)
    return text[0].upper() + text[1:]


def _is_chapter(row: Evidence) -> bool:
    """Return True for a chapter of the story: neither a preface without a title nor what stands outside the count."""
    title, number = row["title"] or "", row["chapter"]
    return not OUTSIDE.match(title) and not (number == 0 and not title)


def _unit(rows: Sequence[Evidence], language: Language) -> str:
    """Return what the book calls its chapters."""
    if language == "en":
        return "chapter" if len(rows) == 1 else "chapters"
    found = Counter(match[1] for piece in rows if (match := UNIT.match(piece["title"] or "")))
    return found.most_common(1)[0][0] if found else "章"


def chapter_titles(request: PlanRequest, question: Question, table: NameTable) -> list[Sentence]:
    """Return the titles of the chapters that are asked for; [] where there are none."""
    rows, section = pieces_by(request, "read_chapters"), question.section
    if section == -1:
        return _last_title(rows, request)
    if isinstance(section, int):
        rows = [row for row in rows if _is_chapter(row)][section : section + 1]
    unit = _unit(rows, request.language)
    return [_title(piece, unit, request.language) for piece in rows]


def _title(piece: Evidence, unit: str, language: Language) -> Sentence:
    chapter, title = piece["chapter"], piece["title"]
    place = say("chapters.number", language, n=chapter, unit=unit) if chapter else say("people.preface", language)
    key, bare = ("chapters.title", _bare(title, chapter)) if title else ("chapters.untitled", "")
    text = say(key, language, place=place, title=bare)
    return cited(text[0].upper() + text[1:], piece["id"])


def _bare(title: str, number: int | None) -> str:
    """Return a title without the number that was told already; a number that is printed otherwise stays."""
    match = LABELLED.match(title)
    return match[2] if match and parse_number(match[1]) == number else title


def _last_title(rows: Sequence[Evidence], request: PlanRequest) -> list[Sentence]:
    """Return the last chapter's title, and what follows it outside the count."""
    language, chapters = request.language, [row for row in rows if _is_chapter(row)]
    if not chapters:
        return []
    last = chapters[-1]
    behind = [piece["text"] for piece in rows[rows.index(last) + 1 :]]
    between = say("chapters.between_titles", language)
    after = say("chapters.after", language, titles=between.join(behind)) if behind else ""
    so_far = say("chapters.so_far", language) if request.horizon else ""
    unit = _unit(chapters, language)
    text = say("chapters.last", language, so_far=so_far, title=last["text"], unit=unit, after=after)
    return [cited(text, last["id"])]


def chapter_summary(request: PlanRequest, question: Question, table: NameTable) -> list[Sentence]:
    """Return what chapters tell: the people with the most central sentence, the opening, more of the core, the end."""
    rows = pieces_by(request, "read_chapters")
    if not rows:
        return []
    first, last = rows[0], rows[-1]
    chapter = place_of(first["chapter"], first["title"], request.language)
    if (last["part"], last["chapter"]) != (first["part"], first["chapter"]):
        end = place_of(last["chapter"], last["title"], request.language)
        chapter = say("chapters.range", request.language, first=chapter, last=end)
    names = _people(rows, table)
    head = "chapters.chapter_head" if names else "chapters.bare_head"
    shown = enumerated(names[:MOST_PEOPLE], request.language) if names else ""
    summary = _Summary(rows, spelled(names, table), first["title"] or "", CORE_OF_CHAPTER, "chapters.ending")
    return summary.lines(head, {"chapter": chapter, "names": shown}, request.language)


def book_summary(request: PlanRequest, question: Question, table: NameTable) -> list[Sentence]:
    """Return what a book tells: its main characters, its opening, its most central sentences, its end."""
    rows = pieces_by(request, "read_chapters")
    if not rows:
        return []
    names = list(dict.fromkeys(name for _, name, _ in people_in(request))) or _people(rows, table)
    head = "chapters.book_head" if names else "chapters.bare_book_head"
    shown = enumerated(names[: MOST_PEOPLE + 2], request.language) if names else ""
    ending = "chapters.last_read" if request.horizon else "chapters.ending"
    summary = _Summary(rows, spelled(names, table), request.title, CORE_OF_BOOK, ending)
    return summary.lines(head, {"names": shown}, request.language)


def spelled(names: Sequence[str], table: NameTable) -> dict[str, str]:
    """Return people by all their spellings."""
    return {alias: name for name in names for alias in (name, *table.aliases(name))}


@dataclass(frozen=True, slots=True)
class _Summary:
    """What is summed up: passages, people by spelling, a title, the most sentences, the wording of the last one."""

    rows: Sequence[Evidence]
    people: Mapping[str, str]
    title: str
    most: int
    ending: str

    def lines(self, head: str, words: Mapping[str, str], language: Language) -> list[Sentence]:
        """Return the lines: the core of it behind `head`, then the rest in story order, each sentence once."""
        told = sentences_of(self.rows)
        core = central_sentences(told, self.people, self.most, self.title) or told[: self.most]
        if not core:
            return []
        blurb = [one for one in told if BLURB.match(one.text)]
        best = blurb[:1] or [one for one in told if one in _first_ones(core)]
        ends = {told[0]: "chapters.opening", told[-1]: self.ending}
        rest = [one for one in told if one not in best and (one in core or one in ends)]
        lines = [say_cited(ends.get(one, "chapters.core"), language, text=one.cited) for one in rest]
        core_text = listed(say("chapters.between_sentences", language), [_bare_sentence(one) for one in best])
        return [say_cited(head, language, **words, core=core_text), *lines]


def _first_ones(core: Sequence[QuotedSentence]) -> Sequence[QuotedSentence]:
    """Return the best sentences that fit together in one line."""
    lengths = accumulate(len(one.text) for one in core[:IN_HEAD])
    fitting = sum(length <= characters(core[0].text, LONGEST) for length in lengths)
    return core[: max(1, fitting)]


def _bare_sentence(one: QuotedSentence) -> Sentence:
    """Return a sentence without its stop, which cites its piece."""
    return cited(one.text.rstrip("。."), one.piece)


def _people(rows: Sequence[Evidence], table: NameTable) -> list[str]:
    """Return the people that passages name, the most often named first."""
    counts = Counter(
        mention.entity
        for piece in rows
        for mention in table.find(piece["text"])
        if mention.entity and table.kind(mention.entity) == PERSON
    )
    return [name for name, _ in sorted(counts.items(), key=lambda row: (-row[1], row[0]))]


LINES: Mapping[Kind, Lines] = {
    "characters": characters_listed,
    "first": first_appearance,
    "chapters": chapter_count,
    "title": chapter_titles,
    "chapter": chapter_summary,
    "book": book_summary,
    "narrator": narrator_lines,
}
