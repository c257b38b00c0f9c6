"""The searches that the code makes before a model is asked: the question itself, or what a grader wants to know."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from nodes.modes import PASSAGES, STORIES
from nodes.policy import OPENING_ROWS
from nodes.roles import PlanRequest
from state.schema import PendingCall
from tools.documents.search import SEMANTIC_SEARCH
from tools.networks.knowledge_network_retrieval import NAME as NETWORK
from tools.networks.lexicon import Known, Lexicons
from tools.networks.words import identified
from tools.recall.recall_memories import NAME as RECALL

Call = tuple[str, dict[str, Any]]
KEYWORDS = 2  # instances of networks that are looked up


@dataclass(frozen=True, slots=True)
class OpeningSearch:
    """Searches each source of a run; the names of a question lead to edges and instances.

    `asks_memories` tells whether a question leans on earlier talk: then the user's memories are looked up too.
    """

    lexicons: Lexicons | None = None
    asks_memories: Callable[[PlanRequest], bool] | None = None

    async def calls(self, request: PlanRequest) -> list[PendingCall]:
        """Return the calls that were not made yet in this attempt; instances come when their schema is there."""
        made = [(call["tool"], call["args"]) for call in request.calls if call["attempt"] == request.attempt]
        recalls = request.attempt == 1 and self.asks_memories is not None and self.asks_memories(request)
        first = [*([(RECALL, {"query": request.resolved})] if recalls else []), *first_calls(request)]
        offered = {one["name"] for one in request.declarations}
        wanted = first if any(call not in made for call in first) else await self._instances(request)
        left = [call for call in wanted if call not in made and call[0] in offered]
        rows = OPENING_ROWS if request.attempt == 1 else request.limit
        numbered = enumerate(left, len(request.calls) + 1)
        return [PendingCall(id=f"code-{n}", name=name, args=args, rows=rows) for n, (name, args) in numbered]

    async def _instances(self, request: PlanRequest) -> list[Call]:
        """Return the calls for the instances of networks that the question names."""
        if self.lexicons is None or request.networks is None or request.attempt > 1:
            return []
        lexicon = await self.lexicons(request.networks)
        names = [one.entity for one in lexicon.table.find(identified(request.resolved, lexicon)[0]) if one.entity]
        known = [one for name in dict.fromkeys(names) for one in lexicon.known(name)]
        once = {(one.network_id, one.type.id, one.name): one for one in known}
        return [keyword_call(one, several=len(request.networks.ids) > 1) for one in [*once.values()][:KEYWORDS]]


def first_calls(request: PlanRequest) -> Iterator[Call]:
    """Give the calls that need no other's result."""
    queries = request.queries if request.attempt > 1 else [request.resolved]
    for kit in request.toolkits:
        if kit in STORIES:
            yield from ((PASSAGES[kit], {"query": query}) for query in queries)
    if "narrative" in request.toolkits and len(request.entities) > 1 and request.attempt == 1:
        yield "find_connection", {"entity1": request.entities[0], "entity2": request.entities[1]}
    if "documents" in request.toolkits:
        yield from ((SEMANTIC_SEARCH, {"query": query}) for query in queries)
    if request.networks is not None and request.attempt == 1:
        yield NETWORK, {"query": request.resolved}


def keyword_call(one: Known, *, several: bool) -> Call:
    """Return the call for an instance with its neighbours."""
    args = {"query": one.name, "enable_keyword_context": True, "object_type_id": one.type.id}
    return NETWORK, {**args, **({"kn_ids": [one.network_id]} if several else {})}
