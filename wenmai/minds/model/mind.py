"""The mind that asks a model: its roles over one endpoint, and the searches that the code makes before it is asked."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nodes.modes import PASSAGES, STORIES
from nodes.policy import BOOK_CHARACTERS, BOOK_PASSAGES, CONNECTION_CHARACTERS, OPENING_ROWS, PEOPLE_CHARACTERS
from nodes.roles import Mind, PlanRequest
from state.context import Language
from state.schema import PendingCall
from tools.documents.search import SEMANTIC_SEARCH
from tools.networks.knowledge_network_retrieval import NAME as NETWORK
from tools.networks.lexicon import Lexicon, Lexicons
from tools.networks.words import identified
from tools.recall.recall_memories import NAME as RECALL
from tools.story.names import EntityLinker
from wenmai.minds.model.caller import Breaker, ModelCaller
from wenmai.minds.model.client import ModelSettings, Provider
from wenmai.minds.model.planner import ModelPlanner
from wenmai.minds.model.roles import (
    ModelExpander,
    ModelGrader,
    ModelLearner,
    ModelRecaller,
    ModelRefiner,
    ModelResolver,
)

Call = tuple[str, dict[str, Any]]
CONNECTION = "find_connection"
BESIDE = {CONNECTION: CONNECTION_CHARACTERS, "list_characters": PEOPLE_CHARACTERS}
READS_WHOLE = frozenset({*PASSAGES.values(), "read_passage"})  # their evidence is whole passages, which a grader reads
LEAST_ROWS = 3  # of each search, where several share a question
KEYWORDS = 2  # instances of networks that are looked up


@dataclass(frozen=True, slots=True)
class OpeningSearch:
    """Searches each source of a run; the names of a question lead to edges and instances.

    `asks_memories` tells whether a question leans on earlier talk: then the user's memories are looked up too;
    `of_book` gives what is looked up in the place of the question's words where it asks about a book as a whole, or
    about two people; `in_full` gives a question with whole names of instances in the place of parts, and which words
    stood for them.
    """

    lexicons: Lexicons | None = None
    asks_memories: Callable[[PlanRequest], bool] | None = None
    in_full: Callable[[str, Lexicon], tuple[str, Mapping[str, str]]] = lambda question, _: (question, {})
    of_book: Callable[[PlanRequest], Awaitable[list[Call]]] | None = None

    async def calls(self, request: PlanRequest) -> list[PendingCall]:
        """Return the calls that were not made yet in this attempt; instances come when their schema is there."""
        made = [(call["tool"], call["args"]) for call in request.calls if call["attempt"] == request.attempt]
        recalls = request.attempt == 1 and self.asks_memories is not None and self.asks_memories(request)
        own = await self.of_book(request) if self.of_book and request.attempt == 1 else []
        first = [*([(RECALL, {"query": request.resolved})] if recalls else []), *first_calls(request, own)]
        offered = {one["name"] for one in request.declarations}
        wanted = first if any(call not in made for call in first) else await self._instances(request)
        left = [call for call in wanted if call not in made and call[0] in offered]
        rows = OPENING_ROWS if request.attempt == 1 else request.limit
        numbered = enumerate(left, len(request.calls) + 1)
        calls = [PendingCall(id=f"code-{n}", name=name, args=args, rows=rows) for n, (name, args) in numbered]
        share_budget([call for call in calls if (call["name"], call["args"]) in own], rows, request.language)
        return calls

    async def _instances(self, request: PlanRequest) -> list[Call]:
        if self.lexicons is None or request.networks is None or request.attempt > 1:
            return []
        lexicon = await self.lexicons(request.networks, request.resolved)
        full, said = self.in_full(identified(request.resolved, lexicon)[0], lexicon)
        names = [one.entity for one in lexicon.named_in(full) if one.entity]
        known = [one for name in dict.fromkeys(names) for one in lexicon.known(name)]
        once = {(one.network_id, one.type.id, one.name): one for one in known}
        calls = list[Call]()
        for one in [*once.values()][:KEYWORDS]:
            words = said.get(one.name, one.name)
            args = {"query": words, "enable_keyword_context": True, "object_type_id": one.type.id}
            calls.append((NETWORK, args | ({"kn_ids": [one.network_id]} if len(request.networks.ids) > 1 else {})))
        return calls


def share_budget(calls: Sequence[PendingCall], rows: int, language: Language) -> None:
    """Let the calls of a question about a book share rows and characters; what is beside others has few of them."""
    beside = [call for call in calls if call["name"] in BESIDE] if len(calls) > 1 else []
    main = [call for call in calls if call not in beside]
    are_passages = any(call["name"] in READS_WHOLE for call in main)
    room = (BOOK_PASSAGES if are_passages else BOOK_CHARACTERS)[language]
    for call in beside:
        own = BESIDE[call["name"]]
        call["rows"], call["budget"] = rows, own
        room -= own if not are_passages else 0
    for call in main:
        call["rows"], call["budget"] = max(LEAST_ROWS, rows // len(main)), room // len(main)


def first_calls(request: PlanRequest, own: Sequence[Call] = ()) -> Iterator[Call]:
    """Give the calls that need no other's result; `own` are those for the story in the place of a plain search."""
    yield from own
    queries = request.queries if request.attempt > 1 else [request.resolved]
    for kit in request.toolkits:
        if kit in STORIES and not own:
            yield from ((PASSAGES[kit], {"query": query}) for query in queries)
    if not own and "narrative" in request.toolkits and len(request.entities) > 1 and request.attempt == 1:
        yield CONNECTION, {"entity1": request.entities[0], "entity2": request.entities[1]}
    if "documents" in request.toolkits:
        yield from ((SEMANTIC_SEARCH, {"query": query}) for query in queries)
    if request.networks is not None and request.attempt == 1:
        yield NETWORK, {"query": request.resolved}


NO_NETWORKS = OpeningSearch()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleModels:
    """The model of each role; the agent's as it searches, and as it writes."""

    agent: ModelSettings
    searcher: ModelSettings
    grader: ModelSettings
    refiner: ModelSettings
    resolver: ModelSettings


def model_mind(
    provider: Provider,
    breaker: Breaker,
    models: RoleModels,
    linker: EntityLinker,
    rules: Mind,
    opener: OpeningSearch = NO_NETWORKS,
) -> Mind:
    """Return the mind that calls models.

    `rules` is the mind for roles without a model: ranking, simple resolution, the first search for memories.
    """

    def caller(settings: ModelSettings) -> ModelCaller:
        return ModelCaller(provider, breaker, settings)

    return replace(
        rules,
        name=provider.name,
        resolver=ModelResolver(caller(models.resolver), linker, rules.resolver),
        planner=ModelPlanner(caller(models.agent), caller(models.searcher)),
        grader=ModelGrader(caller(models.grader), rules.grader),
        refiner=ModelRefiner(caller(models.refiner)),
        recaller=ModelRecaller(caller(models.searcher), rules.recaller),
        expander=ModelExpander(caller(models.refiner)),
        learner=ModelLearner(caller(models.refiner)),
        opener=opener,
        agent_model=models.agent.id,
        grader_model=models.grader.id,
    )
