"""A story of three chapters, and questions about it through the tools and the drafts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from nodes.roles import PlanRequest
from state.context import Language
from state.schema import CallRecord, Evidence
from state.session import Session, SessionTurn
from tests.unit.tools.world import LIBRARY, World, passage
from tools.base import Scope
from tools.dispatch import Toolbox
from tools.language import is_chinese
from tools.records import Entity, Horizon, Passage
from tools.story.linking import EntityLinker
from wenmai.minds.offline.book.book import book_calls, book_draft
from wenmai.minds.offline.questions.question import understood


def rows_of(chapters: Sequence[tuple[int, str, str]], names: Sequence[str]) -> list[Passage]:
    """Return one passage for each (number, title, text), tagged with the names that it holds."""
    return [
        replace(passage(at, 1, number, text, tuple(n for n in names if n in text)), chapter_title=title)
        for at, (number, title, text) in enumerate(chapters)
    ]


@dataclass(frozen=True)
class Book:
    """A story and the names of its people."""

    chapters: Sequence[tuple[int, str, str]]
    people: Sequence[Entity]

    def world(self) -> World:
        return World(
            rows=rows_of(self.chapters, [one.name for one in self.people]),
            entities=self.people,
            relations=[],
            events=[],
        )

    async def ask(self, text: str, horizon: Horizon | None = None, toolkit: str = "narrative") -> str:
        """Return the draft for a question, '' for one that is not about the book."""
        world = await self.world().stock()
        language: Language = "zh" if is_chinese(text) else "en"
        table = await EntityLinker(world.graph).table(LIBRARY, horizon)
        question = understood(text, table)
        evidence: list[Evidence] = []
        calls: list[CallRecord] = []
        tools = Toolbox(list(world.tools().values()))
        for number, (name, arguments) in enumerate(book_calls(question, [toolkit]), 1):
            outcome = await tools.run(
                name, arguments, Scope(library=LIBRARY, horizon=horizon, language=language), number
            )
            assert outcome.result is not None, outcome.error
            calls.append(record_of(number, name, arguments, outcome.result.items))
            known = {piece["id"] for piece in evidence}
            evidence += [piece for piece in outcome.result.evidence if piece["id"] not in known]
        request = request_of(text, language, evidence, calls=calls, horizon=horizon)
        return book_draft(request, question, table) or ""


def record_of(number: int, tool: str, arguments: dict[str, Any], items: int) -> CallRecord:
    """Return the record of a call that found so much."""
    return CallRecord(
        call=number,
        attempt=1,
        round=1,
        tool=tool,
        args=arguments,
        limit=10,
        ok=True,
        executed=True,
        items=items,
        evidence=[],
        content="",
        result="",
        cut=False,
        started_at="",
        duration_ms=0,
        warning=None,
    )


def request_of(
    text: str,
    language: Language = "zh",
    evidence: Sequence[Evidence] = (),
    *,
    calls: Sequence[CallRecord] = (),
    horizon: Horizon | None = None,
    turns: Sequence[SessionTurn] = (),
    toolkits: Sequence[str] = ("narrative",),
    library: str = LIBRARY,
) -> PlanRequest:
    """Return the request of a draft."""
    return PlanRequest(
        question=text,
        resolved=text,
        entities=[],
        queries=[],
        transcript=[],
        calls=calls,
        evidence=evidence,
        attempt=1,
        limit=10,
        declarations=[],
        toolkits=toolkits,
        mode="agent",
        draft_only=True,
        small_talk=False,
        library=library,
        title="夜宵店",
        horizon=horizon,
        language=language,
        session=Session(entities=[], topic=None, turns=list(turns)),
    )
