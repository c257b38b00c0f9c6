"""A mind whose patterns are simplified, for questions in either script; evidence and quotes stay as they are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nodes.roles import (
    Grader,
    GradeRequest,
    Mind,
    Planner,
    PlanRequest,
    Ranker,
    Reply,
    Resolution,
    Resolver,
    ResolveRequest,
    Verdict,
)
from state.schema import CallRecord, Evidence
from tools.records import Horizon
from tools.text.scripts import simplified


def for_both_scripts(mind: Mind) -> Mind:
    """Return a mind that is asked in simplified script, whatever the question is written in."""
    return replace(
        mind,
        resolver=_Resolver(mind.resolver),
        planner=_Planner(mind.planner),
        grader=_Grader(mind.grader),
        ranker=_Ranker(mind.ranker),
    )


@dataclass(frozen=True, slots=True)
class _Resolver:
    inner: Resolver

    async def resolve(self, request: ResolveRequest) -> Resolution:
        """Resolve a question; one that needs nothing stays as it was written."""
        asked = simplified(request.question)
        found = await self.inner.resolve(replace(request, question=asked))
        return replace(found, question=request.question) if found.question == asked else found


@dataclass(frozen=True, slots=True)
class _Planner:
    inner: Planner

    async def plan(self, request: PlanRequest) -> Reply:
        """Return the turn for a question."""
        asked = replace(
            request,
            question=simplified(request.question),
            resolved=simplified(request.resolved),
            queries=[simplified(query) for query in request.queries],
        )
        return await self.inner.plan(asked)


@dataclass(frozen=True, slots=True)
class _Grader:
    inner: Grader

    async def grade(self, request: GradeRequest) -> Verdict:
        """Judge a draft for a question."""
        return await self.inner.grade(replace(request, question=simplified(request.question)))


@dataclass(frozen=True, slots=True)
class _Ranker:
    inner: Ranker

    async def rank(
        self,
        question: str,
        evidence: Sequence[Evidence],
        calls: Sequence[CallRecord],
        library: str,
        horizon: Horizon | None,
    ) -> list[Evidence]:
        """Rank evidence for a question."""
        return await self.inner.rank(simplified(question), evidence, calls, library, horizon)
