"""How good evidence and drafts are: the order of evidence for a question; how probable a draft is, by what it cites."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from nodes.citations import cited_pieces
from nodes.policy import DIMENSION_MAX
from nodes.roles import AnswerReader, GradeRequest, Verdict
from state.draft import Draft, Scores, Sentence
from state.schema import CallRecord, Evidence
from tools.documents.scores import shares_of_best, words_of
from tools.documents.search import LIST_DOCUMENTS
from tools.errors import ModelError
from tools.evidence import is_meeting
from tools.ports import Embedder, PassageStore
from tools.records import Horizon
from tools.story.names import EntityLinker, NameTable
from tools.story.search import FUSION_CONSTANT
from tools.text.scripts import simplified
from wenmai.minds.offline.calls import SEARCH
from wenmai.minds.offline.documents.asking import said_share, whole
from wenmai.minds.offline.documents.tables import asked_rows, table_call
from wenmai.minds.offline.networks.asking import FULL_SCORE, is_network
from wenmai.minds.offline.networks.asking import ranked as network_ranked
from wenmai.minds.offline.questions.question import (
    ABOUT_THE_BOOK,
    GRADER_TYPES,
    Kind,
    ParsedQuestion,
    QuestionParts,
    expanded,
    shares,
    understood,
)
from wenmai.minds.offline.reading import EXTRACT, MET, READ_KINDS, STATED, SUMMED_UP, SentencePicker, read
from wenmai.minds.offline.wordings import say

SEARCHES = frozenset(SEARCH.values())
COSINE_FLOOR, COSINE_SPAN = 0.74, 0.14
"""multilingual-e5-small: unrelated texts lie between 0.74 and 0.86."""

OVERLAP, COSINE, FOUND, WORDED, NAMED, CHAPTER = 1.0, 1.0, 0.5, 0.25, 0.5, 0.6
"""Weights of the features, each 0..1."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReadingRanker:
    """Puts evidence in order; one read of the store for the cosines of all passages."""

    linker: EntityLinker
    passages: PassageStore
    embedder: Embedder

    async def rank(
        self,
        question: str,
        evidence: Sequence[Evidence],
        calls: Sequence[CallRecord],
        library: str,
        horizon: Horizon | None,
    ) -> list[Evidence]:
        """Return the pieces, best first; ties by story position, then id."""
        if not evidence:
            return []
        question = simplified(question)
        networks = {row.piece["id"]: row.score / FULL_SCORE for row in network_ranked(question, evidence)}
        others = [piece for piece in evidence if not is_network(piece)]
        table = await self.linker.table(library, horizon)
        cosines = await self._cosines(question, others, library)
        asked = understood(question, table)
        scores = networks | await asyncio.to_thread(self._scores, asked, table, others, calls, cosines)
        return sorted(evidence, key=lambda one: (-scores[one["id"]], one["event_order"] or 0, one["id"]))

    async def _cosines(self, question: str, evidence: Sequence[Evidence], library: str) -> dict[str, float]:
        """Return the cosine of each passage to the question; none where the embedder's service fails."""
        ids = [piece["id"] for piece in evidence if piece["kind"] == "passage"]
        if not ids:
            return {}
        try:
            vector = await self.embedder.embed_query(question)
        except ModelError as error:
            log.warning("ranked without cosines: %s", error)
            return {}
        return {row.passage.id: row.score or 0.0 for row in await self.passages.fetch(library, ids, vector)}

    def _scores(
        self,
        question: ParsedQuestion,
        table: NameTable,
        evidence: Sequence[Evidence],
        calls: Sequence[CallRecord],
        cosines: Mapping[str, float],
    ) -> dict[str, float]:
        found, asked = found_high(calls), QuestionParts.of(question, table)
        texts = [piece["text"] for piece in evidence]
        overlaps = shares(question.text, texts)
        # A chunk has no list of names: the share of the words stands for it.
        named = {
            piece["id"]: said_share(asked.words, whole(piece))
            if piece["kind"] == "document"
            else asked.named(piece["text"], piece)
            for piece in evidence
        }
        worded = shares_of_best(words_of(expanded(question, table)), list(map(words_of, texts)))
        return {
            piece["id"]: OVERLAP * share
            + COSINE * _nearness(piece, cosines)
            + FOUND * found.get(piece["id"], 0.0)
            + WORDED * words
            + NAMED * named[piece["id"]]
            + CHAPTER * question.covers(piece["chapter"])
            for piece, share, words in zip(evidence, overlaps, worded, strict=True)
        }


def found_high(calls: Sequence[CallRecord]) -> dict[str, float]:
    """Return 0..1 for each piece: the fused reciprocal ranks of the searches, 1 for what each of them found first."""
    searches = (call for call in calls if call["tool"] in SEARCHES and call["ok"] and call["executed"])
    rankings = [call["evidence"] for call in searches if call["args"].get("sort_by") != "time"]
    found: dict[str, float] = {}
    for ranking in rankings:
        for rank, id in enumerate(ranking, 1):
            found[id] = found.get(id, 0.0) + (FUSION_CONSTANT + 1) / (FUSION_CONSTANT + rank) / len(rankings)
    return found


def _nearness(piece: Evidence, cosines: Mapping[str, float]) -> float:
    """Return 0..1: nearness in meaning; the score of a chunk is a cosine, that of a memory is 0..1 already."""
    if piece["kind"] == "memory":
        return min(1.0, max(0.0, piece["score"] or 0.0))
    cosine = piece["score"] if piece["kind"] == "document" else cosines.get(piece["id"])
    return min(1.0, max(0.0, ((cosine or 0.0) - COSINE_FLOOR) / COSINE_SPAN))


BOOK_TOOLS = frozenset({"read_chapters", "list_characters"})
SUMMARIES: frozenset[Kind] = frozenset({"book", "chapter"})


@dataclass(frozen=True, slots=True)
class ReaderGrader:
    """Scores a draft by its probability: that of its writer, of a model's draft what the reader thinks of it."""

    linker: EntityLinker
    reader: Callable[[], AnswerReader | None]

    async def grade(self, request: GradeRequest) -> Verdict:
        """Return five scores: evidence, completeness and depth are the probability of the answer."""
        request = replace(request, question=simplified(request.question))
        table = await self.linker.table(request.library, request.horizon)
        question, probability = understood(request.question, table), request.draft["confidence"]
        if probability is None:
            probability = await self._probability(request, question, table)
        points, lines = round(DIMENSION_MAX * probability), lines_of(request.draft)
        citing = [line for line in lines if any(one["marks"] for one in line)]
        return Verdict(
            question_type=GRADER_TYPES.get(question.kind, "fact"),
            scores=Scores(
                tool_usage=DIMENSION_MAX * any(call["ok"] and call["executed"] for call in request.calls),
                evidence=points,
                completeness=points,
                citation=round(DIMENSION_MAX * len(citing) / len(lines)) if lines else 0,
                depth=points,
            ),
            reason=f"reader: {probability:.2f}",
            suggestion=say("offline.reading.suggestion", request.language),
            confidence=round(probability, 2),
        )

    async def _probability(self, request: GradeRequest, question: ParsedQuestion, table: NameTable) -> float:
        """Return how surely the first line of a model's draft answers."""
        lines = (cited_pieces(line, request.evidence) for line in lines_of(request.draft))
        cited = next(filter(None, lines), [])
        if not cited:
            return 0.0
        is_doubted = any(one["action"] == "flagged" for one in request.draft["notes"])  # its pieces may not say it
        stated = None if is_doubted else stated_probability(question, request.evidence, cited)
        if stated is not None:
            return stated
        reader, asked = self.reader(), QuestionParts.of(question, table)
        found = await read(reader or SentencePicker(), request.question, asked, cited)
        recalled = [piece["score"] or 0.0 for piece in cited if piece["kind"] == "memory"]
        probability = max([*(one.probability for one in found), *recalled], default=0.0)
        return probability if reader else min(probability, EXTRACT)


def stated_probability(
    question: ParsedQuestion, evidence: Sequence[Evidence], cited: Sequence[Evidence]
) -> float | None:
    """Return the probability of an answer that needs no reading, by what its first line cites; None for any other."""
    if not cited:
        return None
    asks_of_book = question.kind in ABOUT_THE_BOOK or question.kind == "first"
    is_told = any(piece["tool"] in BOOK_TOOLS for piece in evidence)  # by its own chapters and lists
    if asks_of_book and is_told and not any(piece["kind"] in ("document", "memory") for piece in cited):
        return SUMMED_UP if question.kind in SUMMARIES else STATED
    if question.kind == "relation" and "edge" in cited[0]:
        return MET if is_meeting(cited[0]) else STATED
    if all(is_network(one) or one["kind"] not in READ_KINDS or one["tool"] == LIST_DOCUMENTS for one in cited):
        return STATED
    chunks = [piece for piece in cited if piece["kind"] == "document"]
    is_row = bool(asked_rows(question.text, chunks)) or table_call(question.text, chunks) is not None
    return STATED if is_row else None


def lines_of(draft: Draft) -> list[list[Sentence]]:
    lines: list[list[Sentence]] = [[]]
    for one in draft["sentences"]:
        lines[-1].append(one)
        if "\n" in one["text"]:
            lines.append([])
    return [line for line in lines if any(one["text"].strip() for one in line)]
