"""Five scores by rule: the right tools, answer in the evidence, aspects present, citations that resolve, depth."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nodes.policy import DIMENSION_MAX
from nodes.results.citations import marked_pieces
from nodes.roles import GradeRequest, Verdict
from state.schema import CallRecord, Scores
from tools.documents.keyword_search import NAME as KEYWORD_SEARCH
from tools.documents.list_documents import NAME as LIST_DOCUMENTS
from tools.documents.semantic_search import NAME as SEMANTIC_SEARCH
from tools.networks.knowledge_network_retrieval import NAME as RETRIEVAL
from tools.recall.recall_memories import NAME as RECALL
from tools.story.linking import EntityLinker, NameTable
from wenmai.minds.offline.analysis import Analysis, analyse
from wenmai.minds.offline.earlier import leans
from wenmai.minds.offline.lexicon import ASPECT_CUES
from wenmai.minds.offline.matching import Weights, coverage, terms_of
from wenmai.minds.offline.networks.ranking import is_network
from wenmai.minds.reading.grader import citation, supported

DOCUMENT_TOOLS = (SEMANTIC_SEARCH, KEYWORD_SEARCH, LIST_DOCUMENTS)
SEARCHES = ("search_memory", "vector_search", *DOCUMENT_TOOLS)
# story.md §1: the tools that a type's answer rests on; any one of each group.
WANTED_TOOLS: dict[str, tuple[tuple[str, ...], ...]] = {
    "relation": (("find_connection", "lookup_knowledge", "graph_search"), SEARCHES),
    "journey": (("track_journey", "get_character_events", "track_entity"), SEARCHES),
    "fact": (("lookup_knowledge", "graph_search", *SEARCHES),),
    "detail": (SEARCHES,),
}
QUOTE = re.compile(r"[“「\"]")
MEMORY_SCORE = 16  # of a memory in its own words, for a question that leans on it
NETWORK_SCORE = 16  # of the very value under the asked label
STORY_TOOLS = frozenset(tool for groups in WANTED_TOOLS.values() for group in groups for tool in group)
BARE_RELATION_MAX = 5  # S003-18: a relation without a concrete event


@dataclass(frozen=True, slots=True)
class OfflineGrader:
    """The grader's row of loop.md §8."""

    linker: EntityLinker

    async def grade(self, request: GradeRequest) -> Verdict:
        """Score a draft from its calls and evidence alone."""
        table = await self.linker.table(request.library, request.horizon)
        analysis = analyse(request.question, table)
        cited = marked_pieces(request.draft, request.evidence)  # nearly all of a draft stands in what it cites
        scores = Scores(
            tool_usage=tool_usage(analysis, request.calls),
            evidence=supported(request.draft, [*cited, *request.evidence]),
            completeness=completeness(analysis, request, table),
            citation=citation(request),
            depth=depth(analysis, request),
        )
        weakest = min(scores, key=lambda name: scores[name])  # type: ignore[literal-required]  # keys of Scores
        return Verdict(
            question_type=analysis.grader_type,
            scores=scores,
            reason=f"offline rules; weakest: {weakest}",
            suggestion=SUGGESTIONS[weakest],
        )


SUGGESTIONS = {
    "tool_usage": "请按问题类型选用图谱工具与原文检索查证",
    "evidence": "请只使用检索到的原文作答",
    "completeness": "请检索问题中尚未覆盖的人物与事项",
    "citation": "请为每个论断注明证据",
    "depth": "答案深度不足，请检索具体情节与原文",
}


def tool_usage(analysis: Analysis, calls: Sequence[CallRecord]) -> int:
    """Score the share of the wanted groups of tools that were used with success."""
    used = {call["tool"] for call in calls if call["ok"] and call["executed"]}
    if used and used <= set(DOCUMENT_TOOLS):
        return DIMENSION_MAX
    if leans(analysis.question):
        return DIMENSION_MAX if RECALL in used else 0
    if RETRIEVAL in used and not used & STORY_TOOLS:
        return DIMENSION_MAX
    groups = WANTED_TOOLS[analysis.grader_type]
    graph_free = [group for group in groups if analysis.entities or group == SEARCHES]
    met = sum(bool(used & set(group)) for group in graph_free or groups)
    return round(DIMENSION_MAX * met / len(graph_free or groups))


def completeness(analysis: Analysis, request: GradeRequest, table: NameTable) -> int:
    """Score how much of the question the cited evidence says: its names and its aspect."""
    terms = terms_of(analysis, table)
    cited = marked_pieces(request.draft, request.evidence)
    if not terms or not cited:
        return DIMENSION_MAX // 2 if cited else 0
    if leans(request.question) and any(piece["kind"] == "memory" for piece in cited):
        return MEMORY_SCORE
    if any(is_network(piece) for piece in cited):
        return NETWORK_SCORE
    pool = Weights.of(terms, request.question, request.evidence)
    text = "\n".join(piece["text"] for piece in cited)
    tags = {name for piece in cited for name in piece["entities"]}
    return round(DIMENSION_MAX * min(1.0, 1.25 * coverage(text, terms, pool, tags)))


def depth(analysis: Analysis, request: GradeRequest) -> int:
    """Score by type (S003-18): concrete events, precision with a source, ordered events, quotation."""
    cited = marked_pieces(request.draft, request.evidence)
    passages = [piece for piece in cited if piece["kind"] in ("passage", "document")]
    if any(piece["kind"] == "memory" for piece in cited):
        return MEMORY_SCORE
    if any(is_network(piece) for piece in cited):
        return NETWORK_SCORE
    kind = analysis.grader_type
    if kind == "relation" or analysis.kind == "how":  # a manner, like a relation, is told by concrete scenes
        return min(DIMENSION_MAX, 8 + 3 * len(passages)) if passages else BARE_RELATION_MAX
    if cited and all(piece["kind"] == "document" for piece in cited):
        return 14  # a document has no order of events; its words stand in the answer
    if kind == "journey":
        return min(DIMENSION_MAX, 3 * longest_ascent([(p["part"] or 0, p["chapter"] or 0) for p in cited]) + 2)
    if kind == "detail":
        return 16 if QUOTE.search(request.draft) else 10 if passages else 4
    cue = ASPECT_CUES.get(analysis.aspect or "")
    precise = cue is None or cue.search(request.draft) is not None
    return (14 if precise else 9) if cited else 0


def longest_ascent(places: Sequence[tuple[int, int]]) -> int:
    """Return how many places stand in strictly ascending story order, at most: events told out of order count less."""
    best: list[int] = []
    for at, place in enumerate(places):
        best.append(1 + max((best[i] for i in range(at) if places[i] < place), default=0))
    return max(best, default=0)
