"""How good evidence is: its order for a question, and how probable an answer is by what it cites alone."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from state.schema import CallRecord, Evidence
from tools.documents.scores import shares_of_best
from tools.documents.search import LIST_DOCUMENTS
from tools.errors import ModelError
from tools.evidence import is_meeting
from tools.ports import Embedder, PassageStore
from tools.records import Horizon
from tools.story.names import EntityLinker, NameTable
from tools.story.search import FUSION_CONSTANT
from tools.text.scripts import simplified
from tools.text.words import words_of
from wenmai.minds.offline.calls import SEARCH
from wenmai.minds.offline.documents.asking import said_share, whole
from wenmai.minds.offline.documents.tables import table_probability
from wenmai.minds.offline.networks.asking import FULL_SCORE, is_network
from wenmai.minds.offline.networks.asking import ranked as network_ranked
from wenmai.minds.offline.networks.understanding import row_probability
from wenmai.minds.offline.questions.question import (
    ABOUT_THE_BOOK,
    Kind,
    ParsedQuestion,
    QuestionParts,
    expanded,
    shares,
    understood,
)
from wenmai.minds.offline.reading import MET, READ_KINDS, STATED, SUMMED_UP

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


BOOK_TOOLS = frozenset({"read_chapters", "list_characters", "read_passage"})
SUMMARIES: frozenset[Kind] = frozenset({"book", "chapter", "recap", "order"})


def stated_probability(
    question: ParsedQuestion, evidence: Sequence[Evidence], cited: Sequence[Evidence]
) -> float | None:
    """Return the probability of an answer that needs no reading, by what its first line cites; None for any other."""
    if not cited:
        return None
    asks_of_book = question.kind in ABOUT_THE_BOOK or question.kind in ("first", "last")
    is_told = any(piece["tool"] in BOOK_TOOLS for piece in evidence)  # by its own chapters and lists
    if asks_of_book and is_told and not any(piece["kind"] in ("document", "memory") for piece in cited):
        return SUMMED_UP if question.kind in SUMMARIES else STATED
    if question.kind == "relation" and "edge" in cited[0]:
        return MET if is_meeting(cited[0]) else STATED
    if all(map(is_network, cited)):
        return row_probability(question.text, evidence, cited[0]["id"])
    if (likely := table_probability(question.text, evidence, cited)) is not None:
        return likely
    is_listed = all(is_network(one) or one["kind"] not in READ_KINDS or one["tool"] == LIST_DOCUMENTS for one in cited)
    return STATED if is_listed else None
