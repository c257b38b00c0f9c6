"""Extractive drafts: the sentences of the evidence that say most of the question, each with its mark."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from nodes.prompts.chinese import user_text
from nodes.results.citations import MARK, marked_pieces
from nodes.roles import AnswerReader, PlanRequest
from state.context import Language
from state.schema import Evidence
from tools.evidence import edge_of, unique
from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import HISTORY_KINDS, Analysis, analyse
from wenmai.minds.offline.chapter_asked import with_chapter
from wenmai.minds.offline.deeds import Lead, telling_edges
from wenmai.minds.offline.document_answers import document_lines
from wenmai.minds.offline.document_guide import asks_for_documents
from wenmai.minds.offline.earlier import leans, matter
from wenmai.minds.offline.kin import telling_kin
from wenmai.minds.offline.lexicon import ASPECT_CUES
from wenmai.minds.offline.matching import Term, Weights, coverage, name_patterns, terms_of
from wenmai.minds.offline.observing import NOBODY, Observer
from wenmai.minds.offline.ranker import OfflineRanker, Ranked
from wenmai.minds.offline.refusal import LEAST_COVERAGE, answers
from wenmai.minds.offline.snippets import Cue, excerpt, unmarked
from wenmai.minds.offline.telling import telling
from wenmai.minds.reading.drafting import drafted
from wenmai.minds.reading.needs import no_reader
from wenmai.minds.reading.reading import read

SNIPPETS = 5  # passages quoted in an answer
MEMORIES = 3  # memories quoted where a question leans on earlier talk
MEMORY_GAP = 0.3  # below the best one a memory is another matter
HISTORY_SNIPPETS = 8  # and in a history, at most one a chapter
LEAST_STAGES = 3  # passages that make a history
NAMING, MOST_NAMINGS = 0.05, 4  # each naming of whose history it is, up to so many: set on 31 questions of one novel
SNIPPET_CHARACTERS = 120  # a quotation grows sentence by sentence up to this length,
SCENE_CHARACTERS = 150  # up to this one where a course of events or a speech is asked for,
LEAD_CHARACTERS = 100  # and by so many more in the best piece: who did it often stands some sentences off
SCENE_KINDS = ("how", "scene")
TEXT_KINDS = ("passage", "memory", "document")
QUOTED = re.compile(r"「([^」]+)」")
NAMED: Mapping[Language, str] = {"zh": "{name}。", "en": "{name}. "}
AND: Mapping[Language, str] = {"zh": "、", "en": ", "}
SAME_ENTITY: Mapping[Language, str] = {
    "zh": "“{first}”和“{second}”指向同一实体。[E{number}]",
    "en": "“{first}” and “{second}” are the same entity. [E{number}]",
}
QUOTE_BONUS = 2.0  # above any sentence's score: the words that the graph quotes are shown


@dataclass(frozen=True, slots=True)
class Composer:
    """Writes the offline mind's drafts."""

    ranker: OfflineRanker
    observer: Observer = NOBODY
    reader: Callable[[], AnswerReader | None] = no_reader

    async def draft(self, request: PlanRequest, analysis: Analysis, table: NameTable) -> str:
        """Return the draft from stories, from documents, or from both, the one that says more of the question first."""
        pieces = [piece for piece in request.evidence if piece["kind"] == "document"]
        if not pieces:
            return await self.from_story(request, analysis, table)
        lines = document_lines(request, pieces)
        others = [piece for piece in request.evidence if piece["kind"] != "document"]
        story = await self.from_story(replace(request, evidence=others), analysis, table) if others else ""
        missing = user_text("not_found", request.language)
        if story in ("", missing):
            return "\n".join(lines) or missing
        told = renumbered(story, others, request.evidence)
        first = bool(lines) and await self.by_documents(request, [*lines, told])
        return "\n".join([*lines, told] if first else [told, *lines])

    async def by_documents(self, request: PlanRequest, lines: Sequence[str]) -> bool:
        """Return True if documents answer first: the question speaks of them, or a chunk is the best cited piece."""
        if asks_for_documents(request.resolved):
            return True
        cited = unique(marked_pieces("\n".join(lines), request.evidence))
        ranked = await self.ranked(request, cited)
        return bool(ranked) and ranked[0].piece["kind"] == "document"

    async def ranked(self, request: PlanRequest, evidence: Sequence[Evidence]) -> list[Ranked]:
        """Return pieces of the attempt with their scores, best first."""
        calls = [call for call in request.calls if call["attempt"] == request.attempt]
        return await self.ranker.scored(request.resolved, evidence, calls, request.library, request.horizon)

    async def from_story(self, request: PlanRequest, analysis: Analysis, table: NameTable) -> str:
        """Return quoted sentences with `[E<n>]` marks, or not_found where the evidence does not answer.

        Where somebody is asked for and an edge of the graph tells who, the name comes first.
        """
        ranked = await self.ranked(request, request.evidence)
        if leans(request.question, request.resolved) or list(request.toolkits) == ["memory"]:
            asked = matter(request.resolved)
            known = terms_of(analyse(asked, table), table)
            memories = remembered(ranked, request.evidence)
            if tell(ranked, known, Weights.of(known, asked, request.evidence)):
                return memory_lines(memories, request, terms_of(analysis, table))
            if not analysis.entities:  # a story does not know what its reader said
                return user_text("not_found", request.language)
        kin, numbers = telling_kin(analysis, ranked), numbered(request.evidence)
        reader = self.reader()
        if reader and not kin and analysis.kind not in HISTORY_KINDS and not same_entity(analysis):
            pieces = [(numbers[row.piece["id"]], row.piece) for row in ranked]
            return drafted(await read(reader, request.resolved, pieces), request.language)
        if not kin and not answers(analysis, ranked, table, self.observer):
            return user_text("not_found", request.language)
        if two := same_entity(analysis):
            number = numbers[ranked[0].piece["id"]]
            return SAME_ENTITY[request.language].format(first=unmarked(two[0]), second=unmarked(two[1]), number=number)
        terms = terms_of(analysis, table)
        pool = Weights.of(terms, request.resolved, request.evidence)
        is_history = analysis.kind in HISTORY_KINDS
        leads = kin if kin or is_history else telling_edges(analysis, ranked, table)
        chosen = (
            history(of_subject(ranked, analysis, table))
            if is_history and not kin
            else best(within(ranked, analysis), analysis, leads)
        )
        told = telling(analysis, table)  # where it stands the answer does
        cue = Cue(told or ASPECT_CUES.get(analysis.aspect or ""))
        most = SCENE_CHARACTERS if analysis.kind in SCENE_KINDS else SNIPPET_CHARACTERS
        cues = [quote_of(leads, row.piece) or cue for row in chosen]
        sizes = [most + (0 if at or is_history or told else LEAD_CHARACTERS) for at in range(len(chosen))]
        quoted = zip(chosen, cues, sizes, strict=True)
        texts = [snippet(row.piece, terms, pool, cue, size) for row, cue, size in quoted]
        texts[:1] = [with_chapter(request.resolved, chosen[0].piece, text, request.language) for text in texts[:1]]
        lines = [f"{text} [E{numbers[row.piece['id']]}]" for text, row in zip(texts, chosen, strict=True)]
        return "\n".join([*named(leads, numbers, request.language), *lines])


def numbered(evidence: Sequence[Evidence]) -> dict[str, int]:
    """Return the numbers of pieces by their ids, from 1."""
    return {piece["id"]: number for number, piece in enumerate(evidence, 1)}


def named(leads: Sequence[Lead], numbers: Mapping[str, int], language: Language) -> list[str]:
    """Return the line of the people who are asked for, each edge that tells one marked; [] where nobody is."""
    told = [(unmarked(lead.name.split("[")[0]), numbers[lead.row.piece["id"]]) for lead in leads if lead.name]
    if not told:
        return []
    names = AND[language].join(name for name, _ in told)
    return [NAMED[language].format(name=names) + "".join(f"[E{number}]" for _, number in told)]


def renumbered(draft: str, own: Sequence[Evidence], everything: Sequence[Evidence]) -> str:
    """Return a draft whose marks count in its own evidence with marks that count in the whole."""
    numbers = numbered(everything)
    return MARK.sub(lambda match: match[0].replace(f"E{match[1]}", f"E{numbers[own[int(match[1]) - 1]['id']]}"), draft)


def memory_lines(rows: Sequence[Ranked], request: PlanRequest, terms: Sequence[Term]) -> str:
    """Return what memories say, a line each, with its mark."""
    pool = Weights.of(terms, request.resolved, request.evidence)
    numbers = numbered(request.evidence)
    texts = [snippet(row.piece, terms, pool, Cue(None), SCENE_CHARACTERS) for row in rows]
    return "\n".join(f"{text} [E{numbers[row.piece['id']]}]" for text, row in zip(texts, rows, strict=True))


def remembered(ranked: Sequence[Ranked], evidence: Sequence[Evidence]) -> list[Ranked]:
    """Return the memories to quote in the order of their recall."""
    order = {piece["id"]: at for at, piece in enumerate(evidence)}
    rows = sorted((row for row in ranked if row.piece["kind"] == "memory"), key=lambda row: order[row.piece["id"]])
    best = max((relevance(row) for row in rows), default=0.0)
    return [row for row in rows if relevance(row) >= best - MEMORY_GAP][:MEMORIES]


def tell(ranked: Sequence[Ranked], asked: Sequence[Term], pool: Weights) -> bool:
    """Return True if memories say anything of what is asked; where it has no word of its own, any memory does."""
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


def best(ranked: Sequence[Ranked], analysis: Analysis, leads: Sequence[Lead]) -> list[Ranked]:
    """Return the pieces to quote, best first.

    A relation's question begins with the graph's own words, another one with its leads and the passages that tell them.
    """
    edges = [row for row in ranked if row.piece["kind"] == "relation"][:1] if analysis.kind == "relation" else []
    passages = [row for row in ranked if row.piece["kind"] == "passage"]
    if leads:
        edges = [lead.row for lead in leads]
        passages = sorted(passages, key=lambda row: quote_of(leads, row.piece) is None)
    return edges + passages[:SNIPPETS] if passages else list(ranked[:SNIPPETS])


def quote_of(leads: Sequence[Lead], passage: Evidence) -> Cue | None:
    """Return the words of a passage that a leading edge quotes, None where there are none."""
    quotes = [found[1] for lead in leads for found in [QUOTED.search(lead.row.piece["text"])] if found]
    held = [quote for quote in quotes if quote in passage["text"] and passage["kind"] == "passage"]
    return Cue(re.compile("|".join(map(re.escape, held))), QUOTE_BONUS) if held else None


def of_subject(ranked: Sequence[Ranked], analysis: Analysis, table: NameTable) -> Sequence[Ranked]:
    """Return the pieces that name whose history is asked, the most often first; all where next to none do."""
    subjects = name_patterns(analysis.entities[: 2 if analysis.kind == "evolution" else 1], table)
    named = [(row, max((len(name.findall(row.piece["text"])) for name in subjects), default=0)) for row in ranked]
    rows = [(row.score + NAMING * min(count, MOST_NAMINGS), row) for row, count in named if count]
    if len(rows) < LEAST_STAGES:
        return ranked
    return [row for _, row in sorted(rows, key=lambda pair: -pair[0])]


def history(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return the best piece of each of the best chapters, in story order."""
    chapters: dict[tuple[int | None, int | None], Ranked] = {}
    for row in ranked:
        if row.piece["kind"] == "passage" or row.piece["start"] is not None:
            chapters.setdefault((row.piece["part"], row.piece["chapter"]), row)
    rows = list(chapters.values())[:HISTORY_SNIPPETS]
    return sorted(rows, key=lambda row: (row.piece["event_order"] or 0, row.piece["id"]))


def snippet(piece: Evidence, terms: Sequence[Term], pool: Weights, cue: Cue, most: int) -> str:
    """Return the part of a text that answers; a relation or an event whole."""
    if piece["kind"] not in TEXT_KINDS:
        return unmarked(readable(piece))
    return unmarked(excerpt(piece["text"], terms, pool, cue, most))


def readable(piece: Evidence) -> str:
    """Return a relation or an event for a reader: 石敢 → 孟鸢：舍命相救 「…」, the type where nothing describes it."""
    edge, text = edge_of(piece), " ".join(piece["text"].split())
    if edge is None:
        return text
    quoted = QUOTED.search(text)
    told = edge.description or edge.type
    return f"{edge.source} → {edge.target}：{told}{f' {quoted[0]}' if quoted else ''}"
