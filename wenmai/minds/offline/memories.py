"""Memories by rule: whether they are asked, what they tell; recall, keywords, lessons (docs/spec/memory.md)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from langchain_core.messages import AIMessage

from nodes.citations import letters
from nodes.modes import MEMORY_TOOLKIT
from nodes.roles import AnswerReader, LearnRequest, Lesson, PlanRequest, RecallRequest
from state.context import Language
from state.draft import Draft
from state.recall import SeenMemory
from state.schema import Evidence
from tools.memory.days import asks_past
from tools.memory.keywords import extract_keywords
from tools.memory.records import Memory
from tools.messages import say, speaking
from tools.recall.schemas import FOUND_LIMIT, ExpandedKeyword, ExpandRequest, Expansion
from tools.story.names import fold
from wenmai.language.lexicon import patterns
from wenmai.language.segmenting import tag_of
from wenmai.minds.offline.calls import Call, turn
from wenmai.minds.offline.drafting import answer_lines, cited_line, draft_from, surest
from wenmai.minds.offline.keyword_kinds import has_content, is_time, keyword_cut, keyword_kind
from wenmai.minds.offline.questions.question import QuestionParts, content_words
from wenmai.minds.offline.questions.speech import unquoted
from wenmai.minds.offline.reading import REFUSAL, STATED, Read, read
from wenmai.minds.offline.statements import (
    TOPICS,
    asked_person,
    asked_thing,
    asked_topic,
    is_attribute,
    is_known,
    names_of,
    person_in,
    replaces,
    statements,
    topic_of,
)

PATTERNS = patterns("wenmai.minds.offline", "memories.toml")
ASKS = PATTERNS["asks"]
SURE = 0.5
"""Probability from which on a memory answers that has no word of the question."""


def asks_memories(request: PlanRequest) -> bool:
    """Return True for a run with memories where a question leans on earlier talk, or memories are all that there is."""
    kits = list(request.toolkits)
    own = [PATTERNS["narrator"].sub(" ", unquoted(one)) for one in (request.question, request.resolved)]
    # It is about earlier talk, or asks for the user's own preferences.
    leans = any(PATTERNS["earlier"].search(one) or (ASKS.search(one) and PATTERNS["own"].search(one)) for one in own)
    return kits == [MEMORY_TOOLKIT] or (MEMORY_TOOLKIT in kits and leans)


async def remembered(
    reader: AnswerReader, question: str, memories: Sequence[Evidence], language: Language, today: date | None = None
) -> Draft | None:
    """Return what memories tell: what the reader points at, else the surest one whole; None where none does.

    What was true once answers what asks for the past, and nothing else; what is dated, what asks for its day.
    """
    memories = [row for row in memories if row.get("past", False) <= asks_past(question)]
    if asks_past(question):
        memories = [row for row in memories if row.get("past") or asks_past(row["text"])] or memories
    dated = on_days(question, memories, today) if today else None
    if dated is not None and PATTERNS["what_happened"].search(question):
        return draft_from([cited_line(whole_read(row)) for row in dated[:TOLD_MOST]], STATED) if dated else None
    memories = dated or memories
    # With a word of what is asked, or of what the user has one of, or nothing but the talk itself is asked for.
    words, topic = content_words(PATTERNS["earlier"].sub(" ", question)), asked_topic(question)
    thing = "" if topic else asked_thing(question)
    if topic or thing or asked_person(question):
        memories = of_same_person(question, memories)
    on_topic = [row for row in memories if topic and topic == topic_of(UNTIL.sub("", row["text"]))]
    if thing:  # what my shoe size is, nothing tells that speaks of no size
        on_topic = [row for row in memories if says_thing(row["text"], thing)]
        if not on_topic:
            return None
    memories = on_topic or memories
    related = on_topic or [
        row for row in memories if not words or any(fold(word) in fold(row["text"]) for word in words)
    ]
    reads = await read(reader, question, QuestionParts.nameless(question), memories)
    lines = answer_lines(question, reads, language)
    if lines and reads[0].probability >= (REFUSAL if related else SURE):
        found = STATED if on_topic else reads[0].piece["score"] or 0.0  # of a topic all were looked for by a keyword
        return draft_from(lines, max(reads[0].probability, found))
    best = max(related, key=lambda row: row["score"] or 0.0, default=None)
    if best is None:
        return None
    likely = max(surest(reads, [best]), STATED if on_topic else best["score"] or 0.0)
    return draft_from([cited_line(whole_read(best))], likely)


def of_same_person(question: str, memories: Sequence[Evidence]) -> list[Evidence]:
    """Return the memories that are of the life that a question asks of: the user's own, or that of a relative."""
    who = asked_person(question)
    told = [(person_in(UNTIL.sub("", row["text"])), row) for row in memories]
    same = [row for one, row in told if one == who or (one is not None and who is not None and one.may_be(who))]
    return same if who is None else same or [*memories]


def says_thing(text: str, thing: str) -> bool:
    """Return True if a text speaks of a thing by one of its names in either language."""
    said = fold(text)
    known = is_known(thing)
    parts = [thing] if known or not thing.isascii() else content_words(thing)
    return all(
        any(re.search(rf"\b{re.escape(one)}" if one.isascii() else re.escape(one), said) for one in names_of(part))
        for part in parts
    )


def whole_read(piece: Evidence) -> Read:
    return Read(piece, answer="", sentence=piece["text"], score=0.0)


def on_days(question: str, memories: Sequence[Evidence], today: date) -> list[Evidence] | None:
    """Return the memories that speak of a day, month or year that a question names; None where it names none.

    A memory speaks of the days in its brackets; one without any of the day on which it was made.
    """
    from tools.text.dates import named_days

    asked = [one.days for one in named_days(question, today)]
    if not asked:
        return None
    told = [DAYS_TOLD.findall(row["text"]) or DAYS_TOLD.findall(row["location"] or "") for row in memories]
    held = [[named_days(f"in {day}", today) for day in days] for days in told]
    return [
        row
        for row, days in zip(memories, held, strict=True)
        if any(one.meets(two.days) for one in asked for found in days for two in found)
    ]


WIDE_SCORE = 0.3
SURE_SCORE = 0.5
LEAST_RELEVANCE = 0.35
"""Of a memory that a recall gives; where none has it, the user is asked (docs/reports/memories.md)."""
READ_MOST = 2  # memories that are read whole
SEARCHES_MOST = 2
KEYS_MOST = 10  # as many as a search may give
TOLD_MOST = 5  # memories that the summary names
SUMMARY_CHARACTERS = 60
KEYS_ASKED = 3  # names of what is asked for
CONTEXT_WORDS = 8  # words of older messages that a vague query is helped by
DAYS = (3, 14, 62)
"""Days back of yesterday, of last week, of last month."""
ANSWER_CHARACTERS = 300
DAYS_TOLD = re.compile(r"[（(](\d{4}(?:-\d\d){0,2})(?:/[\d-]+)?[）)]")
UNTIL = re.compile(r"^(?:\d{4}-\d\d-\d\d 以前：|Until \d{4}-\d\d-\d\d: )")


@dataclass(frozen=True, slots=True)
class OfflineRecaller:
    async def recall(self, request: RecallRequest) -> AIMessage:
        with speaking(request.language):
            return turn(len(request.calls), [next_call(request)])


def next_call(request: RecallRequest) -> Call:
    """Return the next step: what is not found yet is looked for, what is cut is read, then the recall ends.

    What a query that names nothing finds by chance is no find, unless older messages gave it words.
    """
    if not (names_something(request.query) or fresh_words(request)):
        request = replace(request, seen={})
    if (seen := request.seen) and max(one["score"] for one in seen.values()) >= LEAST_RELEVANCE:
        done = [call["args"].get("memory_key") for call in request.calls if call["tool"] == "get_memory_detail"]
        cut = [key for key in by_score(seen) if not (seen[key]["whole"] or seen[key]["sensitive"])]
        unread = [key for key in cut if key not in done]
        if unread and len(done) < READ_MOST:
            return "get_memory_detail", {"memory_key": unread[0]}
        return handoff(request)
    here = [call for call in request.calls if call["iteration"] == request.iteration.number]
    searched = [call for call in here if call["tool"] == "search_memories"]
    if searched and not searched[-1]["ok"]:  # searching on would fail as well
        return handoff(request)
    if len(searched) >= SEARCHES_MOST:  # twice the messages, once in an iteration and only where there are older ones
        at, is_wide = request.iteration, any(call["tool"] == "expand_context_window" for call in here)
        if is_wide or at.number >= at.most or at.available <= at.window:
            return handoff(request)
        return "expand_context_window", {"reason": say("recall.older_messages_needed"), "requested_size": 2 * at.window}
    return "search_memories", query_of(request, wide=bool(searched))


def names_something(query: str) -> bool:
    """Return True if a query has a word of its own, a day, or asks for what the user is; False for 上次那个."""
    if PATTERNS["own"].search(query) or any(PATTERNS[f"days_{count}"].search(query) for count in DAYS):
        return True
    words = content_words(PATTERNS["earlier"].sub(" ", query))
    return any(has_content(word) and not is_time(word) and tag_of(word[0]) != "r" for word in words)


def fresh_words(request: RecallRequest) -> list[str]:
    """Return words of the user's older messages that the query lacks, once the window was widened."""
    if request.iteration.number == 1:
        return []
    said = " ".join(message["content"] for message in request.window if message["role"] == "user")
    known = content_words(request.query)
    return [word for word in content_words(said) if word not in known][:CONTEXT_WORDS]


def query_of(request: RecallRequest, *, wide: bool) -> dict[str, Any]:
    """Return a search within the days that the query names; in a larger window with its words; else any time."""
    topic, thing = asked_topic(request.query), asked_thing(request.query)
    asked = TOPICS[topic][:1] if topic else names_of(thing)[:KEYS_ASKED] if is_attribute(thing) else ()
    if asked and not wide and request.iteration.number == 1:  # what was kept of it has the word
        return {"query": request.query, "keywords": [*asked]}
    days = next((count for count in DAYS if PATTERNS[f"days_{count}"].search(request.query)), None)
    score = {"min_relevance_score": WIDE_SCORE} if wide else {}
    if request.iteration.number > 1:
        return {"query": " ".join([request.query, *fresh_words(request)]), **score, "limit": FOUND_LIMIT}
    if wide:
        return {"query": request.query, **score, "limit": FOUND_LIMIT}
    return {"query": request.query, **({"time_range_days": days} if days else {})}


def handoff(request: RecallRequest) -> Call:
    """Return the end: what the talk leads to and the surest memories, or a question to the user."""
    seen = request.seen
    keys = [key for key in by_score(seen) if seen[key]["score"] >= LEAST_RELEVANCE]
    if not keys:
        return "handoff", {"search_summary": say("recall.memory_not_found"), "confidence": 0.0, "needs_more_info": True}
    sure = [key for key in keys if seen[key]["score"] >= SURE_SCORE] or keys
    known = {**seen, **request.leads}
    kept = list(dict.fromkeys((*request.leads, *sure)))[:KEYS_MOST]
    told = "; ".join(" ".join(known[key]["text"].split())[:SUMMARY_CHARACTERS] for key in kept[:TOLD_MOST])
    return "handoff", {
        "search_summary": told,
        "confidence": max(known[key]["score"] for key in kept),
        "relevant_memory_keys": kept,
    }


def by_score(seen: Mapping[str, SeenMemory]) -> list[str]:
    """Return the keys, best first; the order of the search decides ties."""
    return sorted(seen, key=lambda key: -seen[key]["score"])


@dataclass(frozen=True, slots=True)
class OfflineExpander:
    """Needs no model: the words of query and context themselves."""

    async def expand(self, request: ExpandRequest) -> Expansion:
        text = " ".join(part for part in (request.query, request.context) if part)
        given = [ExpandedKeyword(keyword=word, type=keyword_kind(word, word)) for word in request.given]
        found = [
            ExpandedKeyword(keyword=one.keyword, weight=one.weight, type=keyword_kind(one.keyword, text))
            for one in extract_keywords(text, keyword_cut)
            if one.keyword not in request.given and has_content(one.keyword)
        ]
        kept = [*given, *found][: request.most]
        return Expansion(keywords=tuple(kept), expanded_query=" ".join([request.query, *request.given]))


@dataclass(frozen=True, slots=True)
class OfflineLearner:
    """Needs no model; it does not understand, so that it keeps the user's own words."""

    async def learn(self, request: LearnRequest) -> list[Lesson]:
        """Return statements of the user, else a summary of the turn."""
        said = list(statements(request.question, request.names))
        if not said and request.answer:  # the same question answered anew takes the place of the older answer
            answer = " ".join(request.answer.split())[:ANSWER_CHARACTERS]
            question, ask, told = request.resolved, *(("问", "答") if request.language == "zh" else ("Q", "A"))
            content, slot = f"{ask}: {question}\n{told}: {answer}", f"question {letters(question)}"
            said = [Lesson(kind="summary", content=content, summary=question, slot=slot)]
        return [
            replace(one, supersedes=tuple(row.memory_key for row in request.known if makes_past(one, row)))
            for one in said
        ]


def makes_past(lesson: Lesson, known: Memory) -> bool:
    """Return True if a lesson takes the place of a memory by what both say."""
    return lesson.kind != "summary" and replaces(lesson.content, known.content)
