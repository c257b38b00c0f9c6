"""Evidence in order for a question, and which of it is read: found high, near in meaning, with the question's words."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from state.schema import CallRecord, Evidence
from tools.documents.scores import shares_of_best, words_of
from tools.errors import ModelError
from tools.ports import Embedder, PassageStore
from tools.records import Horizon
from tools.story.names import EntityLinker, NameTable
from tools.story.search import FUSION_CONSTANT
from tools.text.scripts import simplified
from wenmai.minds.offline.calls import SEARCH
from wenmai.minds.offline.documents.asking import said_share, whole
from wenmai.minds.offline.networks.ranking import FULL_SCORE, is_network
from wenmai.minds.offline.networks.ranking import ranked as network_ranked
from wenmai.minds.offline.questions.asked import Asked, expanded, shares
from wenmai.minds.offline.questions.question import Question, understood

SEARCHES = frozenset(SEARCH.values())
COSINE_FLOOR, COSINE_SPAN = 0.74, 0.14
"""multilingual-e5-small: unrelated texts lie between 0.74 and 0.86."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankWeights:
    """Weights of the features, each 0..1."""

    overlap: float = 1.0
    cosine: float = 1.0
    found: float = 0.5
    worded: float = 0.25
    named: float = 0.5
    chapter: float = 0.6


@dataclass(frozen=True, slots=True)
class ReadingRanker:
    """Puts evidence in order; one read of the store for the cosines of all passages."""

    linker: EntityLinker
    passages: PassageStore
    embedder: Embedder
    weights: RankWeights = RankWeights()

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
        question: Question,
        table: NameTable,
        evidence: Sequence[Evidence],
        calls: Sequence[CallRecord],
        cosines: Mapping[str, float],
    ) -> dict[str, float]:
        weights, found, asked = self.weights, found_high(calls), Asked.of(question, table)
        texts = [piece["text"] for piece in evidence]
        overlaps = shares(question.text, texts)
        worded = shares_of_best(words_of(expanded(question, table)), list(map(words_of, texts)))
        return {
            piece["id"]: weights.overlap * share
            + weights.cosine * _nearness(piece, cosines)
            + weights.found * found.get(piece["id"], 0.0)
            + weights.worded * words
            + weights.named * named_share(asked, piece)
            + weights.chapter * question.covers(piece["chapter"])
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


def named_share(asked: Asked, piece: Evidence) -> float:
    """Return the share of the asked names that a piece has; of a chunk, which has no list of names, that of words."""
    if piece["kind"] == "document":
        return said_share(asked.words, whole(piece))
    return asked.named(piece["text"], piece)


def _nearness(piece: Evidence, cosines: Mapping[str, float]) -> float:
    """Return 0..1: nearness in meaning; the score of a chunk is a cosine, that of a memory is 0..1 already."""
    if piece["kind"] == "memory":
        return min(1.0, max(0.0, piece["score"] or 0.0))
    cosine = piece["score"] if piece["kind"] == "document" else cosines.get(piece["id"])
    return min(1.0, max(0.0, ((cosine or 0.0) - COSINE_FLOOR) / COSINE_SPAN))
