"""Extractive drafts: the sentences of the evidence that say most of the question, each with its mark."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nodes.citations import pattern_of
from nodes.prompts import user_text
from nodes.roles import PlanRequest
from state.context import Language
from state.schema import Evidence
from tools.evidence import edge_of
from tools.linking import NameTable
from wenmai.minds.offline.analysis import HISTORY_KINDS, Analysis, analyse
from wenmai.minds.offline.deeds import Lead, telling_edge
from wenmai.minds.offline.earlier import leans, matter
from wenmai.minds.offline.lexicon import ASPECT_CUES
from wenmai.minds.offline.matching import Term, Weights, coverage, overlap, terms_of
from wenmai.minds.offline.ranker import OfflineRanker, Ranked
from wenmai.minds.offline.refusal import LEAST_COVERAGE, answers
from wenmai.minds.offline.telling import telling

SNIPPETS = 5  # passages quoted in an answer
MEMORIES = 3  # memories quoted where a question leans on earlier talk
MEMORY_GAP = 0.3  # below the best one a memory is another matter
HISTORY_SNIPPETS = 8  # and in a history, at most one a chapter
SNIPPET_CHARACTERS = 120  # a quotation grows sentence by sentence up to this length,
SCENE_CHARACTERS = 150  # and up to this one where a course of events or a speech is asked for
SCENE_KINDS = ("how", "scene")
QUOTED = re.compile(r"「([^」]+)」")
NAMED: Mapping[Language, str] = {"zh": "{name}。[E{number}]", "en": "{name}. [E{number}]"}
SAME_ENTITY: Mapping[Language, str] = {
    "zh": "“{first}”和“{second}”指向同一实体。[E{number}]",
    "en": "“{first}” and “{second}” are the same entity. [E{number}]",
}
CUE_BONUS = 0.25  # a sentence that has what the question asks for: a number, a place, a quotation
QUOTE_BONUS = 2.0  # above any sentence's score: the words that the graph quotes are shown
NEIGHBOUR = 0.5  # share of a neighbour's score that a sentence gets


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage at `[start:end]` of its text, with its score."""

    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class Cue:
    """What a sentence that answers has, and what it is worth."""

    pattern: re.Pattern[str] | None
    bonus: float = CUE_BONUS


@dataclass(frozen=True, slots=True)
class Composer:
    """Writes the offline mind's drafts."""

    ranker: OfflineRanker

    async def draft(self, request: PlanRequest, analysis: Analysis, table: NameTable) -> str:
        """Return quoted sentences with `[E<n>]` marks, or not_found where the evidence does not answer.

        Where somebody is asked for and an edge of the graph tells who, the name comes first.
        """
        ranked = await self.ranker.scored(request.resolved, request.evidence, request.library, request.horizon)
        if leans(request.question, request.resolved) or list(request.toolkits) == ["memory"]:
            asked = matter(request.resolved)
            known = terms_of(analyse(asked, table), table)
            memories = remembered(ranked, request.evidence)
            if tell(ranked, known, Weights.of(known, asked, request.evidence)):
                return memory_lines(memories, request, terms_of(analysis, table))
            if not analysis.entities:  # a story does not know what its reader said
                return user_text("not_found", request.language)
        if not answers(analysis, ranked, table):
            return user_text("not_found", request.language)
        if two := same_entity(analysis):
            number = 1 + next(at for at, piece in enumerate(request.evidence) if piece["id"] == ranked[0].piece["id"])
            return SAME_ENTITY[request.language].format(first=two[0], second=two[1], number=number)
        terms = terms_of(analysis, table)
        pool = Weights.of(terms, request.resolved, request.evidence)
        is_history = analysis.kind in HISTORY_KINDS
        lead = None if is_history else telling_edge(analysis, ranked, table)
        chosen = history(ranked) if is_history else best(within(ranked, analysis), analysis, lead)
        cue = Cue(telling(analysis, table) or ASPECT_CUES.get(analysis.aspect or ""))
        most = SCENE_CHARACTERS if analysis.kind in SCENE_KINDS else SNIPPET_CHARACTERS
        numbers = {piece["id"]: n for n, piece in enumerate(request.evidence, 1)}
        cues = [quote_of(lead, row.piece) or cue for row in chosen]
        texts = [snippet(row.piece, terms, pool, cue, most) for row, cue in zip(chosen, cues, strict=True)]
        lines = [f"{text} [E{numbers[row.piece['id']]}]" for text, row in zip(texts, chosen, strict=True)]
        if lead and lead.name:
            name = lead.name.split("[")[0]
            lines.insert(0, NAMED[request.language].format(name=name, number=numbers[lead.row.piece["id"]]))
        return "\n".join(lines)


def memory_lines(rows: Sequence[Ranked], request: PlanRequest, terms: Sequence[Term]) -> str:
    """Return what memories say, a line each, with its mark."""
    pool = Weights.of(terms, request.resolved, request.evidence)
    numbers = {piece["id"]: n for n, piece in enumerate(request.evidence, 1)}
    texts = [snippet(row.piece, terms, pool, Cue(None), SCENE_CHARACTERS) for row in rows]
    return "\n".join(f"{text} [E{numbers[row.piece['id']]}]" for text, row in zip(texts, rows, strict=True))


def remembered(ranked: Sequence[Ranked], evidence: Sequence[Evidence]) -> list[Ranked]:
    """Return the memories to quote in the order of their recall."""
    order = {piece["id"]: at for at, piece in enumerate(evidence)}
    rows = sorted((row for row in ranked if row.piece["kind"] == "memory"), key=lambda row: order[row.piece["id"]])
    best = max((relevance(row) for row in rows), default=0.0)
    return [row for row in rows if relevance(row) >= best - MEMORY_GAP][:MEMORIES]


def tell(ranked: Sequence[Ranked], asked: Sequence[Term], pool: Weights) -> bool:
    """Tell whether memories say anything of what is asked; where it has no word of its own, any memory does."""
    texts = [row.piece["text"] for row in ranked if row.piece["kind"] == "memory"]
    said = max((coverage(text, asked, pool) for text in texts), default=0.0)
    return bool(texts) and (not asked or said >= LEAST_COVERAGE)


def relevance(row: Ranked) -> float:
    """Return how well a recall thought a memory to fit, 0..1."""
    return row.piece["score"] or 0.0


def same_entity(analysis: Analysis) -> tuple[str, ...]:
    """Return the two names of one entity whose relation is asked (S003-D14), () for any other question."""
    one = analysis.kind == "relation" and len(analysis.entities) == 1 and len(analysis.spellings) == 2
    return analysis.spellings if one else ()


def within(ranked: Sequence[Ranked], analysis: Analysis) -> Sequence[Ranked]:
    """Return the pieces of the chapters that the question names, in story order where it asks what they tell.

    All of them for a question that names no chapter.
    """
    if analysis.chapters is None:
        return ranked
    rows = [row for row in ranked if analysis.covers(row.piece["chapter"])]
    return sorted(rows, key=lambda row: row.piece["event_order"] or 0) if analysis.is_outline else rows


def best(ranked: Sequence[Ranked], analysis: Analysis, lead: Lead | None) -> list[Ranked]:
    """Return the pieces to quote, best first.

    A relation's question begins with the graph's own words, another one with its lead and the passage that tells it.
    """
    edges = [row for row in ranked if row.piece["kind"] == "relation"][:1] if analysis.kind == "relation" else []
    passages = [row for row in ranked if row.piece["kind"] == "passage"]
    if lead:
        edges = [lead.row]
        passages = sorted(passages, key=lambda row: quote_of(lead, row.piece) is None)
    return edges + passages[:SNIPPETS] if passages else list(ranked[:SNIPPETS])


def quote_of(lead: Lead | None, passage: Evidence) -> Cue | None:
    """Return the words of a passage that the leading edge quotes, None where there are none."""
    quoted = QUOTED.search(lead.row.piece["text"]) if lead else None
    held = quoted is not None and quoted[1] in passage["text"] and passage["kind"] == "passage"
    return Cue(re.compile(re.escape(quoted[1])), QUOTE_BONUS) if quoted and held else None


def history(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return the best piece of each of the best chapters, in story order."""
    chapters: dict[tuple[int | None, int | None], Ranked] = {}
    for row in ranked:
        if row.piece["kind"] == "passage" or row.piece["start"] is not None:
            chapters.setdefault((row.piece["part"], row.piece["chapter"]), row)
    rows = list(chapters.values())[:HISTORY_SNIPPETS]
    return sorted(rows, key=lambda row: (row.piece["event_order"] or 0, row.piece["id"]))


def snippet(piece: Evidence, terms: Sequence[Term], pool: Weights, cue: Cue, most: int) -> str:
    """Return the part of a piece that answers: its best sentence, grown by its better neighbours up to `most`."""
    text = piece["text"]
    if piece["kind"] not in ("passage", "memory"):
        return readable(piece)
    sentences = scored_sentences(text, terms, pool, cue)
    first = last = max(range(len(sentences)), key=lambda i: (sentences[i].score, -i))
    while True:
        sides = [i for i in (first - 1, last + 1) if 0 <= i < len(sentences)]
        fitting = [i for i in sides if grown(sentences, first, last, i) <= most]
        if not fitting:
            break
        side = max(fitting, key=lambda i: (sentences[i].score, i))
        first, last = min(first, side), max(last, side)
    return " ".join(text[sentences[first].start : sentences[last].end].split())


def readable(piece: Evidence) -> str:
    """Return a relation or an event for a reader: 石敢 → 孟鸢：舍命相救 「…」, the type where nothing describes it."""
    edge, text = edge_of(piece), " ".join(piece["text"].split())
    if edge is None:
        return text
    quoted = QUOTED.search(text)
    told = edge.description or edge.type
    return f"{edge.source} → {edge.target}：{told}{f' {quoted[0]}' if quoted else ''}"


def grown(sentences: Sequence[Sentence], first: int, last: int, side: int) -> int:
    """Return the length of a quotation with one more sentence."""
    return sentences[max(last, side)].end - sentences[min(first, side)].start


def scored_sentences(text: str, terms: Sequence[Term], pool: Weights, cue: Cue) -> list[Sentence]:
    """Return the sentences of a text with their scores; one with the cue has what the question asks for."""
    spans = [match.span() for match in pattern_of(text).finditer(text)] or [(0, len(text))]
    rows = []
    for start, end in spans:
        sentence = text[start:end]
        bonus = cue.bonus if cue.pattern and cue.pattern.search(sentence) else 0.0
        score = coverage(sentence, terms, pool) + overlap(sentence, pool) + bonus
        rows.append(Sentence(start, end, score if sentence.strip() else -1.0))
    return [Sentence(row.start, row.end, row.score + NEIGHBOUR * beside(rows, at)) for at, row in enumerate(rows)]


def beside(rows: Sequence[Sentence], at: int) -> float:
    """Return the better score of a sentence's neighbours: an answer often stands beside the words of its question."""
    return max((row.score for row in [*rows[max(0, at - 1) : at], *rows[at + 1 : at + 2]]), default=0.0)
