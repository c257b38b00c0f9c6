"""Evidence in order for a question: what it says of the question, how near it is in meaning, how high it was found."""

import asyncio
import logging
import re
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge

from state.schema import CallRecord, Evidence
from tools.errors import ModelError
from tools.ports import Embedder, PassageStore
from tools.records import Horizon
from tools.story.linking import EntityLinker
from wenmai.minds.offline.analysis import Analysis, analyse
from wenmai.minds.offline.matching import Term, Weights, coverage, overlap, terms_of
from wenmai.minds.offline.networks.ranking import FULL_SCORE, is_network
from wenmai.minds.offline.networks.ranking import ranked as network_ranked
from wenmai.minds.offline.queries import expanded_query
from wenmai.minds.offline.retrieved import found_high, worded
from wenmai.minds.offline.telling import telling
from wenmai.minds.offline.whom import whom

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankWeights:
    """Weights of the features, each 0..1; chosen on one half of a development set, checked on the other.

    `found` and `worded` are what retrieval says (`wenmai.minds.offline.retrieved`): much hangs on adding them, little
    on how much.
    """

    coverage: float = 0.5
    overlap: float = 1.0
    cosine: float = 1.0
    found: float = 0.5
    worded: float = 0.25
    chapter: float = 0.6
    telling: float = 0.5
    relation: float = -0.35


KEPT_RANKINGS = 32  # questions that may be under way at once
COSINE_FLOOR = 0.74  # multilingual-e5-small: unrelated texts lie between 0.74 and 0.86
COSINE_SPAN = 0.14


@dataclass(frozen=True, slots=True)
class Ranked:
    """A piece with its score and the share of the question that it says."""

    piece: Evidence
    score: float
    coverage: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What each piece is compared with; `cosines`, `found` and `worded` by the pieces' ids."""

    analysis: Analysis
    terms: Sequence[Term]
    pool: Weights
    told: re.Pattern[str] | None
    cosines: Mapping[str, float]
    found: Mapping[str, float]
    worded: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class OfflineRanker:
    """Puts evidence in order; one read of the store for the cosines of all passages."""

    linker: EntityLinker
    passages: PassageStore
    embedder: Embedder
    weights: RankWeights = RankWeights()
    kept: OrderedDict[Hashable, list[tuple[str, float, float]]] = field(default_factory=OrderedDict)

    async def rank(
        self,
        question: str,
        evidence: Sequence[Evidence],
        calls: Sequence[CallRecord],
        library: str,
        horizon: Horizon | None,
    ) -> list[Evidence]:
        """Return the pieces, best first."""
        return [ranked.piece for ranked in await self.scored(question, evidence, calls, library, horizon)]

    async def candidates(
        self, question: str, evidence: Sequence[Evidence], library: str, horizon: Horizon | None
    ) -> dict[str, float]:
        """Return who of the passages may be meant where a question asks for somebody, likeliest first, with chances."""
        passages = [piece for piece in evidence if piece["kind"] == "passage"]
        if not passages:
            return {}
        table = await self.linker.table(library, horizon)
        return await asyncio.to_thread(whom, question, passages, table)

    async def scored(
        self,
        question: str,
        evidence: Sequence[Evidence],
        calls: Sequence[CallRecord],
        library: str,
        horizon: Horizon | None,
    ) -> list[Ranked]:
        """Return the pieces with their scores, best first; ties by story position, then id.

        Draft and answer of a question rank the same evidence: the last rankings are kept.
        """
        found = found_high(calls)
        key = (
            library,
            horizon,
            question,
            tuple(found.items()),
            tuple((piece["id"], len(piece["text"])) for piece in evidence),
        )
        if key not in self.kept:
            rows = await self.compared(question, evidence, found, library, horizon) if evidence else []
            self.kept[key] = [(row.piece["id"], row.score, row.coverage) for row in rows]
            if len(self.kept) > KEPT_RANKINGS:
                self.kept.popitem(last=False)
        pieces = {piece["id"]: piece for piece in evidence}
        return [Ranked(pieces[id], score, said) for id, score, said in self.kept[key]]

    async def compared(
        self,
        question: str,
        evidence: Sequence[Evidence],
        found: Mapping[str, float],
        library: str,
        horizon: Horizon | None,
    ) -> list[Ranked]:
        """Score every piece; those of networks by what is asked of which instance."""
        rows = network_ranked(question, evidence)
        by_network = [Ranked(row.piece, row.score / FULL_SCORE, min(1.0, row.asked)) for row in rows]
        evidence = [piece for piece in evidence if not is_network(piece)]
        if by_network and not evidence:
            return by_network
        by_story = await self.of_story(question, evidence, found, library, horizon)
        return list(merge(by_network, by_story, key=lambda row: -row.score))

    async def of_story(
        self,
        question: str,
        evidence: Sequence[Evidence],
        found: Mapping[str, float],
        library: str,
        horizon: Horizon | None,
    ) -> list[Ranked]:
        """Score the pieces of stories and memories."""
        table = await self.linker.table(library, horizon)
        analysis = analyse(question, table)
        cosines = await self.cosines(question, evidence, library)
        terms = terms_of(analysis, table)
        words = worded(expanded_query(analysis, table), evidence)
        asked = Asked(
            analysis=analysis,
            terms=terms,
            pool=Weights.of(terms, question, evidence),
            told=telling(analysis, table),
            cosines=cosines,
            found=found,
            worded={piece["id"]: share for piece, share in zip(evidence, words, strict=True)},
        )
        ranked = [self.score(piece, asked) for piece in evidence]
        return as_found(sorted(ranked, key=lambda r: (-r.score, r.piece["event_order"] or 0, r.piece["id"])), evidence)

    async def cosines(self, question: str, evidence: Sequence[Evidence], library: str) -> dict[str, float]:
        """Return the cosine of each passage to the question; none where the embedder's service fails."""
        ids = [piece["id"] for piece in evidence if piece["kind"] == "passage"]
        if not ids:
            return {}
        try:
            vector = await self.embedder.embed_query(question)
        except ModelError as error:
            log.warning("ranked without cosines: %s", error)
            return {}
        found = await self.passages.fetch(library, ids, vector)
        return {row.passage.id: row.score or 0.0 for row in found}

    def score(self, piece: Evidence, asked: Asked) -> Ranked:
        """Score one piece."""
        weights, said = self.weights, coverage(piece["text"], asked.terms, asked.pool, piece["entities"])
        total = weights.coverage * said + weights.overlap * overlap(piece["text"], asked.pool)
        total += weights.cosine * near_in_meaning(piece, asked.cosines)
        total += weights.found * asked.found.get(piece["id"], 0.0) + weights.worded * asked.worded[piece["id"]]
        total += weights.chapter * asked.analysis.covers(piece["chapter"])
        if asked.told is not None and asked.told.search(piece["text"]):
            total += weights.telling
        if piece["kind"] in ("relation", "event"):
            total += weights.relation
        return Ranked(piece, total, said)


def near_in_meaning(piece: Evidence, cosines: Mapping[str, float]) -> float:
    """Return 0..1: a passage's nearness to the question, a memory's score, the nearness that a chunk was found with."""
    if piece["kind"] == "memory":
        return piece["score"] or 0.0
    if piece["kind"] == "document" and piece["score"] is not None:
        return nearness(piece["score"])
    return nearness(cosines.get(piece["id"], COSINE_FLOOR))


def nearness(cosine: float) -> float:
    """Return 0..1: how near a text is in meaning."""
    return min(1.0, max(0.0, (cosine - COSINE_FLOOR) / COSINE_SPAN))


def as_found(ranked: Sequence[Ranked], evidence: Sequence[Evidence]) -> list[Ranked]:
    """Return a ranking in which the chunks of one search of documents stand among themselves as it found them.

    The search has compared each of them with the question and with the talk before it; this ranking has not.
    """
    found = [piece for piece in evidence if piece["kind"] == "document"]
    if len({piece["call"] for piece in found}) != 1:
        return list(ranked)
    rows = {row.piece["id"]: row for row in ranked}
    order = iter(rows[piece["id"]] for piece in found)
    return [next(order) if row.piece["kind"] == "document" else row for row in ranked]
