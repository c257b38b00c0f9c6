"""New search words of the offline mind."""

import pytest

from nodes.roles import RefineRequest
from tests.fakes import FakeStoryGraph
from tools.records import Entity
from tools.story.linking import EntityLinker
from wenmai.minds.offline.refiner import OfflineRefiner

SUGGESTION = "答案深度不足，请调用 search_memory 获取具体剧情内容"


@pytest.fixture
async def refiner() -> OfflineRefiner:
    graph = FakeStoryGraph()
    await graph.put_entities("lib", [Entity(name="努昂诺塔"), Entity(name="少女")])
    return OfflineRefiner(EntityLinker(graph))


def request(question: str, used: tuple[str, ...] = ()) -> RefineRequest:
    return RefineRequest(
        question=question, suggestion=SUGGESTION, queries_used=used, library="lib", horizon=None, language="zh"
    )


async def test_a_relation_is_searched_for_by_events(refiner: OfflineRefiner) -> None:
    """S003-20, S003-19: both names and words of events, 2-3 queries."""
    queries = await refiner.refine(request("努昂诺塔和少女是什么关系？"))
    assert 2 <= len(queries) <= 3
    assert queries[0] == "努昂诺塔 少女 相遇 见面"
    assert all("努昂诺塔" in query and "少女" in query for query in queries)


async def test_queries_are_not_repeated(refiner: OfflineRefiner) -> None:
    first = await refiner.refine(request("努昂诺塔和少女是什么关系？"))
    second = await refiner.refine(request("努昂诺塔和少女是什么关系？", tuple(first)))
    assert not set(first) & set(second)
