"""The Gemini mind: its roles, bound together over one endpoint."""

from dataclasses import dataclass, replace

from nodes.roles import Mind
from tools.story.linking import EntityLinker
from wenmai.minds.model.breaker import Breaker
from wenmai.minds.model.caller import Caller
from wenmai.minds.model.client import Clients, ModelSettings
from wenmai.minds.model.expander import GeminiExpander
from wenmai.minds.model.grader import GeminiGrader
from wenmai.minds.model.learner import GeminiLearner
from wenmai.minds.model.planner import GeminiPlanner
from wenmai.minds.model.recaller import GeminiRecaller
from wenmai.minds.model.refiner import GeminiRefiner
from wenmai.minds.model.resolver import GeminiResolver

NAME = "gemini"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleModels:
    """The model of each role."""

    agent: ModelSettings
    grader: ModelSettings
    refiner: ModelSettings
    resolver: ModelSettings


def gemini_mind(clients: Clients, breaker: Breaker, models: RoleModels, linker: EntityLinker, rules: Mind) -> Mind:
    """Return the mind that calls Gemini; `rules` is the mind for roles without a model: ranking, simple resolution."""

    def caller(settings: ModelSettings) -> Caller:
        return Caller(clients, breaker, settings)

    return replace(
        rules,
        name=NAME,
        resolver=GeminiResolver(caller(models.resolver), linker, rules.resolver),
        planner=GeminiPlanner(caller(models.agent)),
        grader=GeminiGrader(caller(models.grader)),
        refiner=GeminiRefiner(caller(models.refiner)),
        recaller=GeminiRecaller(caller(models.agent)),
        expander=GeminiExpander(caller(models.refiner)),
        learner=GeminiLearner(caller(models.refiner)),
        agent_model=models.agent.id,
        grader_model=models.grader.id,
    )
