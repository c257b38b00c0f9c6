"""The offline mind by its doors: over a small story, with requests and calls as a run makes them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import AIMessage

from nodes.citations import marked_text
from nodes.drafts import read_draft
from nodes.roles import GradeRequest, Mind, PlanRequest, Reply
from state.context import Language
from state.draft import Draft
from state.schema import CallRecord, Evidence
from state.session import Session
from tests.unit.minds.scripted import ScriptedReader
from tests.unit.tools.world import LIBRARY, World
from tools.base import Scope
from tools.dispatch import STOP, Toolbox
from tools.records import Horizon
from tools.story.names import EntityLinker
from wenmai.minds.offline.mind import offline_mind
from wenmai.reader.reader import Reader

TOOLS = (
    "stop",
    "lookup_knowledge",
    "find_connection",
    "track_journey",
    "get_character_events",
    "list_characters",
    "read_chapters",
    "read_passage",
)
SEARCHES = ("search_memory", "vector_search", "graph_search", "track_entity", "recall_memories")
DOCUMENTS = ("semantic_search", "keyword_search", "list_documents")
DECLARATIONS: Sequence[dict[str, Any]] = [{"name": name} for name in (*TOOLS, *SEARCHES, *DOCUMENTS)]
Call = tuple[str, dict[str, Any]]
Words = Mapping[str, float | Mapping[str, float]]


async def mind_of(reader: ScriptedReader | Reader | None = None, world: World | None = None) -> Mind:
    """Return the mind; without a reader it picks sentences by their words."""
    world = await (world or World()).stock()
    opened = cast("Callable[[], Reader | None]", lambda: reader)  # a scripted one does all that the mind asks of it
    return offline_mind(EntityLinker(world.graph), world.passages, world.embedder, reader=opened)


def planned(text: str, language: Language = "zh", /, **fields: Any) -> PlanRequest:
    """Return the request of a turn that may call tools."""
    given: dict[str, Any] = {
        "question": text,
        "resolved": text,
        "entities": [],
        "queries": [],
        "transcript": [],
        "calls": [],
        "evidence": [],
        "attempt": 1,
        "limit": 10,
        "declarations": DECLARATIONS,
        "toolkits": ["narrative"],
        "mode": "agent",
        "draft_only": False,
        "small_talk": False,
        "library": LIBRARY,
        "title": "夜宵店",
        "horizon": None,
        "language": language,
        "session": Session(entities=[], topic=None, turns=[]),
    }
    return PlanRequest(**given | fields)


def made(reply: Reply) -> list[Call]:
    """Return the calls of a turn."""
    assert isinstance(reply, AIMessage)
    return [(call["name"], call["args"]) for call in reply.tool_calls]


async def calls_of(text: str, world: World | None = None, **fields: Any) -> list[Call]:
    """Return the first calls for a question, without the one that ends the retrieval."""
    reply = await (await mind_of(world=world)).planner.plan(planned(text, **fields))
    return [call for call in made(reply) if call[0] != STOP]


async def drafted(
    text: str,
    evidence: Sequence[Evidence] = (),
    reader: ScriptedReader | Words | None = None,
    world: World | None = None,
    language: Language = "zh",
    **fields: Any,
) -> Draft:
    """Return the draft over evidence by a reader, or by one that finds these words."""
    mind = await mind_of(ScriptedReader(reader) if isinstance(reader, Mapping) else reader, world)
    reply = await mind.planner.plan(planned(text, language, evidence=evidence, **{"draft_only": True} | fields))
    assert not isinstance(reply, AIMessage)
    return reply


async def told(text: str, evidence: Sequence[Evidence], *reader: Any, **fields: Any) -> str:
    """Return the text of that draft."""
    return marked_text((await drafted(text, evidence, *reader, **fields))["sentences"], evidence)


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

    async def __call__(self, *calls: Call, horizon: Horizon | None = None) -> list[Evidence]:
        await self.world.stock()
        tools = Toolbox(list(self.world.tools().values()))
        found: dict[str, Evidence] = {}
        for number, (name, args) in enumerate(calls, 1):
            outcome = await tools.run(name, args, Scope(library=LIBRARY, horizon=horizon), number)
            assert outcome.result is not None, outcome.error
            found |= {one["id"]: one for one in outcome.result.evidence if one["id"] not in found}
        return list(found.values())
