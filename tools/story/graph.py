"""The tools over the story graph: who an entity is, how two are connected, what became of one, events, neighbours."""

import asyncio
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pydantic import BaseModel, Field

from state.schema import Evidence
from tools.arguments import CHOICES, shown
from tools.base import Scope, ToolResult
from tools.errors import ArgumentError
from tools.evidence import (
    Quoting,
    passage_evidence,
    passage_item,
    passage_rows,
    places_of_pieces,
    unique,
    unique_passages,
)
from tools.formatting import behind_place, lines_that_fit, lines_with_total, listing, marked, shorten, thin, within
from tools.language import cost
from tools.messages import Message, say
from tools.ports import PassageStore, StoryGraph
from tools.records import (
    Entity,
    EventType,
    MajorEvent,
    Neighbourhood,
    PassageFilter,
    Relation,
    ScoredPassage,
    story_position,
)
from tools.story.names import EntityNames, ResolvedName, echo, report
from tools.story.search import Retriever

INNER_FIELDS = frozenset({"start", "since", "until"})
RELATION_TYPES = (
    "FRIEND_OF",
    "ENEMY_OF",
    "PARTNER_OF",
    "FAMILY_OF",
    "TEACHER_OF",
    "MEMBER_OF",
    "LEADER_OF",
    "OWNER_OF",
    "LOCATED_IN",
    "INTERACTS_WITH",
)
"""Types of relations between entities that any library may have."""


async def relation_type(graph: StoryGraph, given: str | None, scope: Scope) -> str | None:
    """Return the stored spelling of a relation type. Raises ArgumentError that lists the types."""
    if given is None:
        return None
    types = await graph.relation_types(scope.library, scope.horizon)
    for known in (*types, *RELATION_TYPES):  # a declared one that the library lacks finds nothing
        if known.casefold() == given.casefold():
            return known
    raise ArgumentError(
        say(
            "argument.not_a_choice",
            name="relation",
            choices="/".join(types) or say("story.no_relation_types"),
            got=shown(given),
        )
    )


def triple(relation: Relation) -> str:
    """Return a relation in its stored direction: `恰斯卡 --friend_of--> 卡齐娜`."""
    return f"{relation.source} --{relation.type.lower()}--> {relation.target}"


def arrow(relation: Relation) -> str:
    """Return a relation in its stored direction: `恰斯卡 -[FRIEND_OF]-> 卡齐娜`."""
    return f"{relation.source} -[{relation.type}]-> {relation.target}"


def chain(start: str, path: Sequence[Relation]) -> str:
    """Return a path from `start` with the true direction of each edge: `A -[R]-> B <-[R]- C`."""
    text, here = start, start
    for edge in path:
        forward = edge.source == here
        here = edge.target if forward else edge.source
        text += f" -[{edge.type}]-> {here}" if forward else f" <-[{edge.type}]- {here}"
    return text


def relation_data(relation: Relation) -> dict[str, Any]:
    """Return a relation for a program: its ends, type, place and evidence."""
    return {key: value for key, value in asdict(relation).items() if key not in INNER_FIELDS}


def without_doubles(relations: Iterable[Relation]) -> list[Relation]:
    """Return relations in order, once each that are stated of one chapter by the same words.

    A graph file and the text itself do so, and two wordings that fit one sentence; the store keeps both. The one that
    has a place in the text is shown, with the description of the other.
    """
    shown: list[Relation] = []
    places: dict[Hashable, list[int]] = {}
    for relation in relations:
        # what two records of one statement have in common; their directions may differ
        ends = frozenset((relation.source, relation.target))
        alike = places.setdefault((relation.type, ends, relation.part, relation.chapter), [])
        at = next((at for at in alike if _is_same(relation, shown[at])), None)
        if at is None:
            alike.append(len(shown))
            shown.append(relation)
        else:
            shown[at] = _joined(shown[at], relation)
    return shown


def _is_same(one: Relation, other: Relation) -> bool:
    """Return True if one says no more than the other; in one task both are quoted, and of one place."""
    short, long = sorted((one, other), key=lambda relation: len(relation.evidence))
    if one.task_id != other.task_id:
        return short.evidence in long.evidence
    if None in (short.start, long.start) and short.start != long.start:
        return bool(short.evidence) and short.evidence in long.evidence
    return bool(short.evidence) and (short.evidence, short.start) == (long.evidence, long.start)


def _joined(one: Relation, other: Relation) -> Relation:
    """Return the relation that has a place in the text, the first if both have, described as the other one is."""
    kept, left = (other, one) if one.start is None and other.start is not None else (one, other)
    return replace(kept, description=left.description or kept.description)


def unknown_entity(entity: ResolvedName) -> ToolResult:
    text = say(
        "story.fact_and_advice",
        fact=say("story.unknown_entity", name=echo(entity.given)),
        advice=say("story.try_search_memory"),
    )
    return ToolResult(data={"entity": entity.name, "found": False}, text=text)


def nothing(advice: Message) -> str:
    """Return the text of an empty result with what to try next; never after a failure."""
    return say("story.fact_and_advice", fact=say("evidence.nothing_found"), advice=str(advice))


def with_report(resolved: list[ResolvedName], *lines: str) -> str:
    """Return lines, empty ones left out, after the report of resolved names."""
    return "\n".join(line for line in (report(resolved), *lines) if line)


SHOWN_RELATIONS = 10
DESCRIPTION_CHARACTERS = 100
ENTITY_CHARACTERS = 1_000


class LookupKnowledgeArguments(BaseModel):
    entity: str = Field(description="要查询的实体名称")
    relation: str | None = Field(
        default=None,
        description="只返回这种类型的关系，可选；不指定则返回所有关系",
        json_schema_extra={CHOICES: list(RELATION_TYPES)},
    )


@dataclass(frozen=True, slots=True)
class LookupKnowledge:
    """Returns an entity's type, aliases, description and first relations."""

    graph: StoryGraph
    quoting: Quoting
    names: EntityNames
    name: str = "lookup_knowledge"
    description: str = "查询知识图谱中的实体：类型、别名、描述和直接关系。用于“X是谁？”、“X是什么？”。"
    arguments: type[BaseModel] = LookupKnowledgeArguments

    async def __call__(self, arguments: LookupKnowledgeArguments, scope: Scope) -> ToolResult:
        type = await relation_type(self.graph, arguments.relation, scope)
        resolved = await self.names.resolve(arguments.entity, scope)
        entity = await self.graph.entity(scope.library, resolved.name, scope.horizon)
        if entity is None:
            return unknown_entity(resolved)
        relations = without_doubles(await self.graph.relations(scope.library, entity.name, scope.horizon, type=type))
        shown = relations[:SHOWN_RELATIONS]
        pieces = await self.quoting.relations(shown, scope)
        rows = zip(shown, pieces, places_of_pieces(pieces), strict=True)
        lines = [direct_relation(entity.name, *row) for row in rows]
        data = {
            "entity": entity.name,
            "found": True,
            "type": entity.kind,
            "aliases": list(entity.aliases),
            "description": entity.description,
            "relations": [relation_data(one) for one in shown],
            "total": len(relations),
            "shown": len(shown),
        }
        head = with_report([resolved], *entity_lines(entity))
        if lines:
            kept = lines_that_fit(lines, scope.budget - cost(head) - DESCRIPTION_CHARACTERS)
            total = say("story.relations_shown", total=len(relations), shown=len(kept))
            text = within("\n".join([head, *kept, total]), scope.budget)
        else:
            text = within(f"{head}\n{nothing(Message('story.try_search_memory'))}", scope.budget)
        return ToolResult(data=data, text=text, evidence=unique(pieces), items=len(shown))


def entity_lines(entity: Entity) -> list[str]:
    aliases = say("story.entity_aliases", names=say("sign.list").join(entity.aliases)) if entity.aliases else ""
    description = say("story.entity_description", text=entity.description) if entity.description else ""
    lines = [f"**{entity.name}**", say("story.entity_kind", kind=entity.kind), aliases, description]
    return [shorten(line, ENTITY_CHARACTERS) for line in lines if line]


def direct_relation(name: str, relation: Relation, piece: Evidence, stands: str) -> str:
    """Return `第P部 第N章：[REL] → target (type): <description>`."""
    outward = relation.source == name
    other = f"{relation.target} ({relation.target_kind})" if outward else f"{relation.source} ({relation.source_kind})"
    head = f"[{relation.type}] {'→' if outward else '←'} {other}"
    summary = shorten(relation.description or relation.evidence, DESCRIPTION_CHARACTERS)
    return marked(piece["id"], behind_place(stands, f"{head}: {summary}" if summary else head))


MAX_HOPS = 4
# Places and other hubs connect everything: a path through one means nothing.
HUB_KINDS = ("Location",)
SHOWN_EDGES = 20
EDGE_CHARACTERS = 200


class FindConnectionArguments(BaseModel):
    entity1: str = Field(description="第一个实体名称")
    entity2: str = Field(description="第二个实体名称")


@dataclass(frozen=True, slots=True)
class FindConnection:
    """Finds every relation between two entities, else a shortest path."""

    graph: StoryGraph
    quoting: Quoting
    names: EntityNames
    name: str = "find_connection"
    description: str = "查找两个实体之间的全部关系；没有直接关系时查找路径。用于“X和Y是什么关系？”。"
    arguments: type[BaseModel] = FindConnectionArguments

    async def __call__(self, arguments: FindConnectionArguments, scope: Scope) -> ToolResult:
        """Return the path with true directions, and each of its edges; of a direct one all that there are."""
        ends = [await self.names.resolve(name, scope) for name in (arguments.entity1, arguments.entity2)]
        found = await asyncio.gather(*(self.graph.entity(scope.library, one.name, scope.horizon) for one in ends))
        for end, entity in zip(ends, found, strict=True):
            if entity is None:
                return unknown_entity(end)
        start, goal = (end.name for end in ends)
        if start == goal:
            return ToolResult(
                data=connection_data(start, goal, [], []),
                text=with_report(ends, say("story.same_entity", name=echo(start))),
            )
        hops = min(MAX_HOPS, scope.hops)
        path = await self.graph.path(scope.library, start, goal, hops, HUB_KINDS, scope.horizon)
        edges = path
        if len(path) == 1:
            edges = without_doubles(await self.graph.relations(scope.library, start, scope.horizon, other=goal))
        pieces = await self.quoting.relations(edges[:SHOWN_EDGES], scope)
        lines = [connecting_edge(*row) for row in zip(edges, pieces, places_of_pieces(pieces), strict=False)]
        head = with_report(ends, chain(start, path), say("story.hops", hops=len(path))) if path else with_report(ends)
        empty = with_report(ends, say("story.no_path", hops=hops))
        return ToolResult(
            data=connection_data(start, goal, path, edges[:SHOWN_EDGES]),
            text=lines_with_total(lines, len(edges), head, scope.budget) or empty,
            evidence=unique(pieces),
            items=len(pieces),
        )


def connection_data(start: str, goal: str, path: Sequence[Relation], edges: Sequence[Relation]) -> dict[str, Any]:
    return {
        "entity1": start,
        "entity2": goal,
        "found": bool(path),
        "path": chain(start, path) if path else "",
        "hops": len(path),
        "edges": [relation_data(one) for one in edges],
    }


def connecting_edge(relation: Relation, piece: Evidence, stands: str) -> str:
    """Return `第P部 第N章：A -[R]-> B: <description> 「evidence」`."""
    quoted = f"「{shorten(relation.evidence, EDGE_CHARACTERS)}」" if relation.evidence else ""
    said = " ".join(text for text in (shorten(relation.description, EDGE_CHARACTERS), quoted) if text)
    return marked(piece["id"], behind_place(stands, f"{arrow(relation)}: {said}" if said else arrow(relation)))


SHOWN_ROWS = 50
ROW_CHARACTERS = 150


class TrackJourneyArguments(BaseModel):
    entity: str = Field(description="要追踪的实体名称")
    target: str | None = Field(default=None, description="只返回与该实体之间的关系，可选")


@dataclass(frozen=True, slots=True)
class TrackJourney:
    """Lists relations of one entity, or of a pair, in story order; more than may be shown are thinned evenly."""

    graph: StoryGraph
    quoting: Quoting
    names: EntityNames
    name: str = "track_journey"
    description: str = "按故事顺序追踪实体的关系变化。用于“X是如何发展的？”、“X的经历？”。"
    arguments: type[BaseModel] = TrackJourneyArguments

    async def __call__(self, arguments: TrackJourneyArguments, scope: Scope) -> ToolResult:
        given = [name for name in (arguments.entity, arguments.target) if name]
        ends = [await self.names.resolve(name, scope) for name in given]
        for end in ends:
            if await self.graph.entity(scope.library, end.name, scope.horizon) is None:
                return unknown_entity(end)
        entity, target = ends[0].name, ends[1].name if len(ends) > 1 else None
        relations = without_doubles(await self.graph.relations(scope.library, entity, scope.horizon, other=target))
        shown = thin(relations, SHOWN_ROWS)
        rows = [relation_data(one) for one in shown]
        pieces = await self.quoting.relations(shown, scope)
        lines = [journey_row(*row) for row in zip(shown, pieces, places_of_pieces(pieces), strict=True)]
        return ToolResult(
            data={"entity": entity, "target": target, "found": True, "total": len(relations), "rows": rows},
            text=lines_with_total(lines, len(relations), report(ends), scope.budget)
            or with_report(ends, nothing(Message("story.try_get_character_events"))),
            evidence=unique(pieces),
            items=len(shown),
        )


def journey_row(relation: Relation, piece: Evidence, stands: str) -> str:
    """Return `第P部 第N章：A -[R]-> B: <evidence, else description>`."""
    quoted = shorten(relation.evidence or relation.description, ROW_CHARACTERS)
    return marked(piece["id"], behind_place(stands, f"{arrow(relation)}: {quoted}" if quoted else arrow(relation)))


SHOWN_EVENTS = 20
QUOTE_CHARACTERS = 100
SUMMARY_CHARACTERS = 200


class GetCharacterEventsArguments(BaseModel):
    entity: str = Field(description="人物名称")
    event_type: EventType | None = Field(
        default=None,
        description="事件类型: 牺牲/转变/获得/失去/相遇/冲突/揭示/里程碑，可选",
    )


@dataclass(frozen=True, slots=True)
class GetCharacterEvents:
    """Lists the events that a character takes part in, in story order; more than may be shown are thinned evenly."""

    graph: StoryGraph
    quoting: Quoting
    names: EntityNames
    name: str = "get_character_events"
    description: str = "查询人物经历的重大事件。用于“X是如何做到Y的？”等抽象问题，找到具体事件后再用 search_memory。"
    arguments: type[BaseModel] = GetCharacterEventsArguments

    async def __call__(self, arguments: GetCharacterEventsArguments, scope: Scope) -> ToolResult:
        resolved = await self.names.resolve(arguments.entity, scope)
        name = resolved.name
        if await self.graph.entity(scope.library, name, scope.horizon) is None:
            return unknown_entity(resolved)
        events = await self.graph.events(scope.library, name, arguments.event_type, scope.horizon)
        # the events of one passage by where their words begin
        in_order = sorted(events, key=lambda one: (story_position(one), one.start is None, one.start or 0))
        shown = thin(in_order, SHOWN_EVENTS)
        pieces = await self.quoting.events(shown, scope)
        roles = [next((who.role for who in one.participants if who.name == name), "subject") for one in shown]
        lines = [event_line(*row) for row in zip(shown, roles, pieces, places_of_pieces(pieces), strict=True)]
        rows = [event_data(one, role) for one, role in zip(shown, roles, strict=True)]
        return ToolResult(
            data={"entity": name, "found": True, "total": len(events), "events": rows},
            text=lines_with_total(lines, len(events), report([resolved]), scope.budget)
            or with_report([resolved], nothing(Message("story.try_track_journey_or_search"))),
            evidence=pieces,
            items=len(shown),
        )


def event_data(event: MajorEvent, role: str) -> dict[str, Any]:
    fields = asdict(event)
    del fields["start"]
    return {**fields, "participants": list(fields["participants"]), "role": role}


def event_line(event: MajorEvent, role: str, piece: Evidence, stands: str) -> str:
    """Return `第P部 第N章：[event_type] name: summary (角色: role; 结果: outcome) 证据: <quote>`."""
    outcome = say("story.event_outcome", outcome=shorten(event.outcome, QUOTE_CHARACTERS)) if event.outcome else ""
    evidence = say("story.event_evidence", quote=shorten(event.evidence, QUOTE_CHARACTERS)) if event.evidence else ""
    summary = shorten(event.summary, SUMMARY_CHARACTERS)
    line = f"[{event.event_type}] {event.name}: {summary} ({say('story.event_role', role=role)}{outcome}){evidence}"
    return marked(piece["id"], behind_place(stands, line))


MAX_NEIGHBOURS = 20
PASSAGES_PER_NEIGHBOUR = 2
# Relations among neighbours grow with their square: this many are enough to cite.
MAX_RELATION_EVIDENCE = 60
# The share of the budget that triples and descriptions may take before the passages.
GRAPH_SHARE = 0.5


class GraphSearchArguments(BaseModel):
    entity: str = Field(description="起始实体名称")
    relation: str | None = Field(
        default=None, description="关系类型(friend_of/enemy_of/member_of等)，不指定则查询所有关系"
    )
    depth: int = Field(default=2, ge=1, le=3, description="图遍历深度")


@dataclass(frozen=True, slots=True)
class GraphSearch:
    graph: StoryGraph
    passages: PassageStore
    quoting: Quoting
    retriever: Retriever
    names: EntityNames
    name: str = "graph_search"
    description: str = "图结构检索。用于关系查询（如'A和B什么关系'）、社交网络查询（如'A的朋友有谁'）。"
    arguments: type[BaseModel] = GraphSearchArguments

    async def __call__(self, arguments: GraphSearchArguments, scope: Scope) -> ToolResult:
        """Return the entity's neighbours, the relations among them and the passages that show them."""
        relation = await relation_type(self.graph, arguments.relation, scope)
        resolved = await self.names.resolve(arguments.entity, scope)
        start = resolved.name
        if await self.graph.entity(scope.library, start, scope.horizon) is None:
            return ToolResult(
                data=neighbourhood_data(start, Neighbourhood(), [], []),
                text=say("story.unknown_entity", name=echo(start)),
            )
        around = await self.graph.neighbourhood(
            scope.library, start, relation, arguments.depth, MAX_NEIGHBOURS, scope.horizon
        )
        if not around.neighbours:
            text = with_report([resolved], say("story.no_relation", name=echo(start)))
            return ToolResult(data=neighbourhood_data(start, Neighbourhood(), [], []), text=text)
        found = await asyncio.gather(*(self._shared(start, one.name, scope) for one in around.neighbours))
        chunks = unique_passages(passage for passages in found for passage in passages)
        edges = sorted(without_doubles(around.edges), key=lambda edge: start not in (edge.source, edge.target))
        pieces = await self.quoting.relations(edges[:MAX_RELATION_EVIDENCE], scope)
        ids: dict[str, str] = dict.fromkeys(map(triple, edges), "")  # each triple once, marked where it is evidence
        for edge, piece in zip(edges, pieces, strict=False):
            ids[triple(edge)] = ids[triple(edge)] or piece["id"]
        lines = [marked(id, text) for text, id in ids.items()]
        lines += [
            f"- {one.name} ({say('story.hop_heading', hop=one.hop)}): {one.description}"
            for one in around.neighbours
            if one.description
        ]
        total = say("story.related_entities_shown", total=around.total, shown=len(around.neighbours))
        before = [report([resolved]), *lines_that_fit(lines, int(scope.budget * GRAPH_SHARE)), total]
        text = within("\n".join(line for line in before if line), scope.budget)
        if chunks:
            text = listing(passage_rows(one.passage for one in chunks), scope.budget, before=before)
        return ToolResult(
            data=neighbourhood_data(start, around, edges, chunks),
            text=text,
            evidence=[*unique(pieces), *(passage_evidence(one.passage, one.score) for one in chunks)],
            items=len(around.neighbours) + len(chunks),
        )

    async def _shared(self, start: str, neighbour: str, scope: Scope) -> list[ScoredPassage]:
        """Return the first passages that name both, else the best ones of the neighbour."""
        both = PassageFilter(entity=start, any_entity=(neighbour,), horizon=scope.horizon)
        first = await self.passages.scroll(scope.library, both, limit=PASSAGES_PER_NEIGHBOUR)
        if first:
            return [ScoredPassage(passage, None) for passage in first]
        alone = PassageFilter(entity=neighbour, horizon=scope.horizon)
        return await self.retriever.search(scope.library, neighbour, alone, PASSAGES_PER_NEIGHBOUR)


def neighbourhood_data(
    entity: str, around: Neighbourhood, edges: Sequence[Relation], chunks: Sequence[ScoredPassage]
) -> dict[str, Any]:
    return {
        "entity": entity,
        "neighbors": [
            {
                "name": one.name,
                "relation": one.relation,
                "direction": one.direction,
                "hop": one.hop,
                "description": one.description,
            }
            for one in around.neighbours
        ],
        "triples": list(dict.fromkeys(map(triple, edges))),
        "chunks": [passage_item(one.passage, one.score) for one in chunks],
        "total_neighbors": around.total,
        "truncated": around.total > len(around.neighbours),
    }
