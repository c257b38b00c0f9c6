"""Two judges of answers, each a model with a public prompt: one fair, one strict."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, WithJsonSchema

from nodes.policy import Price
from nodes.results.usage import metered, usage_record
from state.context import Language
from tools.errors import ModelError
from wenmai.experiments.datasets import Turn
from wenmai.experiments.judge_prompts import JUDGE, STRICT, judging, language_of
from wenmai.minds.choice import breaker_of, role_model
from wenmai.minds.model.caller import PATIENCE, Caller, Patience, retrying
from wenmai.minds.model.client import ModelSettings

if TYPE_CHECKING:
    from wenmai.app.container import Services
    from wenmai.settings.settings import Settings

MOST = 10
Points = Annotated[float, WithJsonSchema({"type": "integer", "minimum": 0, "maximum": MOST})]

log = logging.getLogger("wenmai.experiments")


class Judgement(BaseModel):
    """What a judge answers."""

    correct: Points
    supported: Points
    complete: Points
    reason: str = ""

    @property
    def points(self) -> list[float]:
        """The three scores, 0..1 each."""
        return [max(0.0, min(float(MOST), value)) / MOST for value in (self.correct, self.supported, self.complete)]


def mean(points: Sequence[float]) -> float:
    """Return the fair judge's score."""
    return sum(points) / len(points)


@dataclass(frozen=True, slots=True)
class Judged:
    """The opinions on one turn: score and reason by judge, None where a judge failed, and what they cost."""

    scores: Mapping[str, float | None]
    reasons: Mapping[str, str | None]
    usage: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Judge:
    """One judge; its score is what `total` makes of the three."""

    name: str
    caller: Caller
    prompts: Mapping[Language, str]
    total: Callable[[Sequence[float]], float]
    patience: Patience = PATIENCE

    async def judge(self, turn: Turn, record: Mapping[str, Any]) -> tuple[float | None, str | None]:
        """Return score and reason; without a score what went wrong."""
        messages = [SystemMessage(self.prompts[language_of(turn)]), HumanMessage(judging(turn, record))]
        try:
            opinion: Judgement = await retrying(self.patience)(self.caller.structured, messages, Judgement)
        except ModelError as error:
            log.warning("%s did not judge %s: %s", self.name, turn.id, error)
            return None, str(error)
        return self.total(opinion.points), opinion.reason


@dataclass(frozen=True, slots=True)
class Judges:
    """Both judges, asked at once."""

    judges: Sequence[Judge]
    prices: Mapping[str, Price]
    clock: Callable[[], datetime] = field(repr=False)

    async def __call__(self, turn: Turn, record: Mapping[str, Any]) -> Judged:
        """Return what the judges say of a turn."""
        with metered("judge", 1, self.clock) as rows:
            opinions = await asyncio.gather(*(judge.judge(turn, record) for judge in self.judges))
        return Judged(
            scores={judge.name: score for judge, (score, _) in zip(self.judges, opinions, strict=True)},
            reasons={judge.name: reason for judge, (_, reason) in zip(self.judges, opinions, strict=True)},
            usage=usage_record(rows, self.prices),
        )


def judge_models(settings: "Settings") -> tuple[ModelSettings, ModelSettings]:
    """Return the models of both judges: the agent's where none is named, the strict one's the other's."""
    fair = role_model(settings, "judge")
    return fair, role_model(settings, "strict_judge") if settings.strict_judge_model else fair


def judges_of(services: "Services", patience: Patience = PATIENCE) -> Judges:
    """Return the judges on the process's endpoint.

    They have a circuit breaker of their own: their failures must not make the planner give up, nor its theirs.
    """
    from wenmai.app.clock import now

    fair, strict = judge_models(services.settings)
    breaker = breaker_of(services.settings)
    judges = [
        Judge("judge", Caller(services.assembly.provider, breaker, fair), JUDGE, mean, patience),
        Judge("strict", Caller(services.assembly.provider, breaker, strict), STRICT, min, patience),
    ]
    return Judges(judges, services.settings.policy().prices, now)
