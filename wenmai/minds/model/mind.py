"""The mind that asks a model: its roles, bound together over one endpoint."""

from dataclasses import dataclass, replace

from nodes.roles import Mind
from tools.story.names import EntityLinker
from wenmai.minds.model.caller import Breaker, Caller
from wenmai.minds.model.client import ModelSettings, Provider
from wenmai.minds.model.grader import ModelGrader, ModelRefiner
from wenmai.minds.model.memories import ModelExpander, ModelLearner, ModelRecaller
from wenmai.minds.model.planner import ModelPlanner
from wenmai.minds.model.resolver import ModelResolver
from wenmai.minds.opening import OpeningSearch

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

    Args:
        provider: speaks to the service.
        breaker: ends calls while the service is down.
        models: the model of each role.
        linker: finds the names of a text.
        rules: the mind for roles without a model: ranking, simple resolution, the first search for memories.
        opener: the searches before the model's first turn.
    """

    def caller(settings: ModelSettings) -> Caller:
        return Caller(provider, breaker, settings)

    return replace(
        rules,
        name=provider.name,
        resolver=ModelResolver(caller(models.resolver), linker, rules.resolver),
        planner=ModelPlanner(caller(models.agent), caller(models.searcher)),
        grader=ModelGrader(caller(models.grader)),
        refiner=ModelRefiner(caller(models.refiner)),
        recaller=ModelRecaller(caller(models.searcher), rules.recaller),
        expander=ModelExpander(caller(models.refiner)),
        learner=ModelLearner(caller(models.refiner)),
        opener=opener,
        agent_model=models.agent.id,
        grader_model=models.grader.id,
    )
