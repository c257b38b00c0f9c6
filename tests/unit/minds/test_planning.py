"""What the offline planner has embedded before its searches ask for it."""

from collections.abc import Sequence

from nodes.roles import PlanRequest
from state.schema import CallRecord
from tests.fakes import FakeEmbedder, FakePassageStore, FakeStoryGraph
from tools.story.linking import EntityLinker
from wenmai.minds.offline.composer import Composer
from wenmai.minds.offline.planner import OfflinePlanner
from wenmai.minds.offline.ranker import OfflineRanker
from wenmai.minds.offline.resolver import NO_SESSION

QUESTION = "长弓卖了多少钱？"


class Eager(FakeEmbedder):
    """Keeps what it is told to expect."""

    def __init__(self) -> None:
        super().__init__()
        self.expected: list[list[str]] = []

    def expect_queries(self, texts: Sequence[str]) -> None:
        self.expected.append(list(texts))


def planner(embedder: Eager) -> OfflinePlanner:
    linker, passages = EntityLinker(FakeStoryGraph()), FakePassageStore()
    return OfflinePlanner(linker, Composer(OfflineRanker(linker, passages, embedder)), embedder, passages)


def request(attempt: int, calls: Sequence[CallRecord], queries: Sequence[str] = ()) -> PlanRequest:
    return PlanRequest(
        question=QUESTION,
        resolved=QUESTION,
        entities=[],
        hint=None,
        queries=list(queries),
        transcript=[],
        calls=calls,
        evidence=[],
        attempt=attempt,
        limit=10,
        declarations=[{"name": "search_memory"}],
        toolkits=["narrative"],
        mode="agent",
        draft_only=False,
        small_talk=False,
        library="",
        title="",
        horizon=None,
        language="zh",
        session=NO_SESSION,
    )


def called(attempt: int, query: str) -> CallRecord:
    return CallRecord(
        call=1,
        attempt=attempt,
        round=1,
        tool="search_memory",
        args={"query": query},
        limit=10,
        ok=True,
        executed=True,
        items=0,
        evidence=[],
        result="",
        cut=False,
        started_at="2026-01-30T21:10:13+00:00",
        duration_ms=1,
        warning=None,
    )


async def test_each_attempt_begins_all_of_its_queries_at_once() -> None:
    """The refiner's queries are embedded beside each other, not each when its search has come to it."""
    embedder = Eager()
    plan = planner(embedder).plan
    await plan(request(1, []))
    first = called(1, QUESTION)
    await plan(request(1, [first]))
    await plan(request(2, [first], ["长弓 集市", "卖 银子"]))
    await plan(request(2, [first, called(2, "长弓 集市")], ["长弓 集市", "卖 银子"]))
    assert len(embedder.expected) == 2
    assert embedder.expected[0][0] == QUESTION
    assert embedder.expected[1][:2] == ["长弓 集市", "卖 银子"]
