"""Requests of the offline mind over the small story of the tools' tests, and calls as a run records them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from nodes.drafts import read_draft
from nodes.roles import GradeRequest, PlanRequest
from state.context import Language
from state.schema import CallRecord, Evidence
from tests.unit.minds.book_rig import request_of
from tests.unit.tools.world import LIBRARY, World
from tools.base import Scope
from tools.dispatch import Toolbox
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.questions.question import Question, understood

TOOLS = ("stop", "lookup_knowledge", "find_connection", "get_character_events", "list_characters", "read_chapters")
SEARCHES = ("search_memory", "vector_search", "graph_search", "track_entity", "recall_memories")
DOCUMENTS = ("semantic_search", "keyword_search", "list_documents")
DECLARATIONS: Sequence[dict[str, Any]] = [{"name": name} for name in (*TOOLS, *SEARCHES, *DOCUMENTS)]
TABLE = NameTable.build(
    [
        Name(text="恰斯卡", entity="恰斯卡", kind="Character", mentions=5),
        Name(text="卡齐娜", entity="卡齐娜", kind="Character", mentions=9),
        Name(text="Kachina", entity="卡齐娜", kind="Character", mentions=1),
    ]
)


def question_of(text: str) -> Question:
    """Take a question apart with these names."""
    return understood(text, TABLE)


def planned(text: str, language: Language = "zh", /, **fields: Any) -> PlanRequest:
    """Return the request of a turn that may call tools."""
    given: dict[str, Any] = {"draft_only": False, "declarations": DECLARATIONS} | fields
    return replace(request_of(text, language), **given)


def call_of(tool: str, args: dict[str, Any], ids: Sequence[str] = (), /, **fields: Any) -> CallRecord:
    """Return a call that succeeded."""
    base = CallRecord(
        call=1,
        attempt=1,
        round=1,
        tool=tool,
        args=args,
        limit=10,
        ok=True,
        executed=True,
        items=len(ids),
        evidence=list(ids),
        content="",
        result="",
        cut=False,
        started_at="2026-01-30T21:10:13+00:00",
        duration_ms=1,
        warning=None,
    )
    return base | fields  # type: ignore[return-value]  # the keys are those of CallRecord


def graded_of(question: str, draft: str, evidence: Sequence[Evidence], *calls: CallRecord) -> GradeRequest:
    """Return the request of a verdict."""
    return GradeRequest(
        question=question,
        draft=read_draft(draft, question, list(evidence)),
        calls=calls,
        evidence=evidence,
        library=LIBRARY,
        horizon=None,
        language="zh",
    )


@dataclass(frozen=True)
class Fetched:
    """What the story's tools answer to calls."""

    world: World

    async def __call__(self, *calls: tuple[str, dict[str, Any]]) -> list[Evidence]:
        await self.world.stock()
        tools = Toolbox(list(self.world.tools().values()))
        found: dict[str, Evidence] = {}
        for number, (name, args) in enumerate(calls, 1):
            outcome = await tools.run(name, args, Scope(library=LIBRARY), number)
            assert outcome.result is not None, outcome.error
            found |= {one["id"]: one for one in outcome.result.evidence if one["id"] not in found}
        return list(found.values())
