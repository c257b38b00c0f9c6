"""A follow-up behind one turn of a talk, resolved with a story's passages at hand."""

from collections.abc import Sequence

from nodes.roles import ResolveRequest
from state.session import Session, SessionTurn
from tests.fakes import FakeStoryGraph
from tests.unit.tools.world import LIBRARY, Passages, passage
from tools.records import Entity, Horizon
from tools.story.linking import EntityLinker
from wenmai.minds.offline.resolver import OfflineResolver

Text = tuple[int, int, str, tuple[str, ...]]
"""Part, chapter, words and people of a passage."""


async def follow_up(
    people: Sequence[str],
    texts: Sequence[Text],
    question: str,
    asked: str,
    answer: str,
    store: Passages,
    horizon: Horizon | None = None,
) -> str:
    """Resolve a question behind one turn, over a library of some people and passages."""
    graph = FakeStoryGraph()
    await graph.put_entities(LIBRARY, [Entity(name=name, first=(1, 1), mentions=9) for name in people])
    rows = [passage(order, *row) for order, row in enumerate(texts)]
    await store.upsert(LIBRARY, rows, [[1.0, 0.0]] * len(rows))
    turn = SessionTurn(question=asked, resolved=asked, answer=answer, entities=[])
    session = Session(entities=[], topic=None, turns=[turn])
    request = ResolveRequest(question=question, session=session, library=LIBRARY, horizon=horizon, language="zh")
    return (await OfflineResolver(EntityLinker(graph), passages=store).resolve(request)).question
