"""get_character_events: the major events of a character."""

from dataclasses import asdict, dataclass
from typing import Any

from pydantic import BaseModel, Field

from state.schema import Evidence
from tools.base import Scope, ToolResult
from tools.evidence import Quoting, place_of
from tools.formatting import counted, shorten, thin, told
from tools.messages import Message, say
from tools.ports import StoryGraph
from tools.records import EventType, MajorEvent, story_position
from tools.story.advice import headed, nothing, unknown_entity
from tools.story.names import EntityNames, report
from tools.text.marking import marked

SHOWN_EVENTS = 20
QUOTE_CHARACTERS = 100
SUMMARY_CHARACTERS = 200


class GetCharacterEventsArguments(BaseModel):
    """Arguments of get_character_events."""

    entity: str = Field(description="人物名称")
    event_type: EventType | None = Field(
        default=None,
        description="事件类型: 牺牲/转变/获得/失去/相遇/冲突/揭示/里程碑，可选",
    )


@dataclass(frozen=True, slots=True)
class GetCharacterEvents:
    """Lists a character's events in story order; more than may be shown are thinned evenly."""

    graph: StoryGraph
    quoting: Quoting
    names: EntityNames
    name: str = "get_character_events"
    description: str = "查询人物经历的重大事件。用于“X是如何做到Y的？”等抽象问题，找到具体事件后再用 search_memory。"
    arguments: type[BaseModel] = GetCharacterEventsArguments

    async def __call__(self, arguments: GetCharacterEventsArguments, scope: Scope) -> ToolResult:
        """Return the events that the character takes part in."""
        resolved = await self.names.resolve(arguments.entity, scope)
        name = resolved.name
        if await self.graph.entity(scope.library, name, scope.horizon) is None:
            return unknown_entity(resolved)
        events = await self.graph.events(scope.library, name, arguments.event_type, scope.horizon)
        shown = thin(sorted(events, key=_told_at), SHOWN_EVENTS)
        pieces = await self.quoting.events(shown, scope)
        lines = [_line(one, _role(one, name), piece) for one, piece in zip(shown, pieces, strict=True)]
        empty = headed([resolved], nothing(Message("story.try_track_journey_or_search")))
        return ToolResult(
            data={"entity": name, "found": True, "total": len(events), "events": [_data(one, name) for one in shown]},
            text=counted(lines, len(events), report([resolved]), scope.budget) or empty,
            evidence=pieces,
            items=len(shown),
        )


def _told_at(event: MajorEvent) -> tuple[object, ...]:
    """Return where an event stands in the text; the events of one passage by where their words begin."""
    return story_position(event), event.start is None, event.start or 0


def _data(event: MajorEvent, name: str) -> dict[str, Any]:
    """Return an event for a program, with the character's role."""
    fields = asdict(event)
    del fields["start"]
    return {**fields, "participants": list(fields["participants"]), "role": _role(event, name)}


def _role(event: MajorEvent, name: str) -> str:
    return next((one.role for one in event.participants if one.name == name), "subject")


def _line(event: MajorEvent, role: str, piece: Evidence) -> str:
    """Return `第P部 第N章：[event_type] name: summary (角色: role; 结果: outcome) 证据: <quote>`."""
    outcome = say("story.event_outcome", outcome=shorten(event.outcome, QUOTE_CHARACTERS)) if event.outcome else ""
    evidence = say("story.event_evidence", quote=shorten(event.evidence, QUOTE_CHARACTERS)) if event.evidence else ""
    summary = shorten(event.summary, SUMMARY_CHARACTERS)
    line = f"[{event.event_type}] {event.name}: {summary} ({say('story.event_role', role=role)}{outcome}){evidence}"
    return marked(piece["id"], told(place_of(piece), line))
