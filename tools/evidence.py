"""Pieces of evidence and items made from records: one passage, one relation, one event each."""

import asyncio
import json
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict, Unpack

from state.schema import Edge, Evidence, EvidenceKind
from tools.base import Scope
from tools.formatting import ListRow, behind_place, place, rarity_of
from tools.ports import PassageStore
from tools.records import MajorEvent, Passage, PassageFilter, Relation, ScoredPassage

NAMESPACE = uuid.UUID("6f1c1f8e-0b57-5d0c-9d0e-3b6f6d2a6c11")

KNOWN_TITLES = 10_000
BLANK_LINES = re.compile(r"\n\s*\n")
MEETING = "INTERACTS_WITH"  # the relation that only says that two people have to do with each other

Place = tuple[str | None, int | None, int | None]
Titles = Mapping[Place, str]


class EvidenceFields(TypedDict, total=False):
    """Optional fields of a piece beside its kind, id and text."""

    score: float | None
    library: str
    source: str | None
    part: int | None
    chapter: int | None
    title: str | None
    event_order: int | None
    entities: list[str]
    location: str | None
    start: int | None
    end: int | None


def blank(kind: EvidenceKind, id: str, text: str, **known: Unpack[EvidenceFields]) -> Evidence:
    """Return a piece with the given fields alone; the dispatcher adds its call."""
    return Evidence(
        id=id,
        kind=kind,
        tool="",
        call=0,
        text=text,
        score=known.get("score"),
        library=known.get("library", ""),
        source=known.get("source"),
        part=known.get("part"),
        chapter=known.get("chapter"),
        title=known.get("title"),
        event_order=known.get("event_order"),
        entities=known.get("entities", []),
        location=known.get("location"),
        start=known.get("start"),
        end=known.get("end"),
    )


def passage_item(passage: Passage, score: float | None) -> dict[str, Any]:
    return {
        "id": passage.id,
        "text": passage.text,
        "chapter": passage.chapter,
        "entities": list(passage.entities),
        "score": score,
        "event_order": passage.event_order,
        "part": passage.part,
        "task_id": passage.task_id,
        "title": passage.chapter_title,
    }


def unscored_item(passage: Passage) -> dict[str, Any]:
    """Return a passage of a list without scores as an item of a tool's data."""
    item = passage_item(passage, None)
    del item["score"]
    return item


def passage_evidence(passage: Passage, score: float | None) -> Evidence:
    return blank(
        "passage",
        passage.id,
        passage.text,
        score=score,
        library=passage.library,
        source=passage.task_id,
        part=passage.part,
        chapter=passage.chapter,
        title=passage.chapter_title or None,
        event_order=passage.event_order,
        entities=list(passage.entities),
        start=passage.start,
        end=passage.end,
    )


def excerpt(passage: Passage, start: int, end: int, *names: str) -> Evidence:
    """Return a part of a passage as evidence of its own, verbatim; with names it tells of those alone."""
    piece = passage_evidence(passage, None)
    piece["start"], piece["end"] = passage.start + start, passage.start + end
    parts = (passage.id, piece["start"], piece["end"], *names)
    piece["id"] = str(uuid.uuid5(NAMESPACE, " ".join(map(str, parts))))
    piece["text"] = passage.text[start:end]
    piece["entities"] = [*names] or piece["entities"]
    return piece


def passage_rows(passages: Iterable[Passage], query: str = "") -> list[ListRow]:
    """Return passages as rows; where one is cut, what says most of the query stays."""
    found = list(passages)
    places = places_of((one.part, one.chapter, one.chapter_title) for one in found)
    texts = [BLANK_LINES.sub("\n", one.text) for one in found]
    rarity = rarity_of(query, texts) if query else {}
    return [
        ListRow(head=behind_place(stands, ""), text=text, evidence=one.id, rarity=rarity)
        for one, stands, text in zip(found, places, texts, strict=True)
    ]


def places_of(rows: Iterable[tuple[int | None, int | None, str | None]]) -> list[str]:
    """Return where rows of a list stand; of a chapter with a number the title is named once."""
    named, places = set[tuple[int | None, int | None, str | None]](), list[str]()
    for part, chapter, title in rows:
        is_known = chapter is not None and (part, chapter, title) in named
        named.add((part, chapter, title))
        places.append(place(part, chapter, None if is_known else title))
    return places


def places_of_pieces(pieces: Iterable[Evidence]) -> list[str]:
    return places_of((one["part"], one["chapter"], one["title"]) for one in pieces)


def relation_evidence(relation: Relation, scope: Scope, titles: Titles) -> Evidence:
    """Return a relation as evidence: `A --TYPE--> B: description 「evidence」`."""
    edge = f"{relation.source} --{relation.type}--> {relation.target}"
    key = ("relation", relation.source, relation.type, relation.target, relation.evidence)
    text = _summary_text(edge, relation.description, relation.evidence)
    piece = _extracted("relation", relation, scope, titles, key, text)
    ends = Edge(
        source=relation.source, type=relation.type, target=relation.target, description=relation.description.strip()
    )
    return {**piece, "edge": ends}


def label_of(piece: Evidence) -> str:
    """Return what a row of a network says of its instance: the name of the property or relation."""
    return (piece["location"] or "").rpartition(" / ")[2]


def is_meeting(piece: Evidence) -> bool:
    """Return True if a relation only says that two people have to do with each other."""
    return "edge" in piece and piece["edge"]["type"] == MEETING


def event_evidence(event: MajorEvent, scope: Scope, titles: Titles) -> Evidence:
    key = ("event", event.event_type, event.primary_character, event.name)
    return _extracted("event", event, scope, titles, key, _summary_text(event.name, event.summary, event.evidence))


def _summary_text(head: str, description: str, quote: str) -> str:
    rest = " ".join(part for part in (description, f"「{quote}」" if quote else "") if part)
    return f"{head}: {rest}" if rest else head


def _extracted(
    kind: EvidenceKind, record: Relation | MajorEvent, scope: Scope, titles: Titles, key: Sequence[str], text: str
) -> Evidence:
    start = record.start if record.evidence else None
    place = [scope.library, record.task_id, record.part, record.chapter]
    piece = blank(
        kind,
        str(uuid.uuid5(NAMESPACE, json.dumps([*place, *key], ensure_ascii=False))),
        text,
        library=scope.library,
        source=record.task_id,
        part=record.part,
        chapter=record.chapter,
        title=titles.get(_place(record)),
        event_order=record.event_order,
        entities=names_of(record),
        start=start,
        end=None if start is None else start + len(record.evidence),
    )
    return piece if start is None else {**piece, "quote": record.evidence}


def _place(record: Relation | MajorEvent) -> Place:
    return record.task_id, record.part, record.chapter


def names_of(record: Relation | MajorEvent) -> list[str]:
    if isinstance(record, Relation):
        return list(dict.fromkeys((record.source, record.target)))
    return list(dict.fromkeys((record.primary_character, *(one.name for one in record.participants))))


def unique(pieces: Iterable[Evidence]) -> list[Evidence]:
    kept: dict[str, Evidence] = {}
    for piece in pieces:
        kept.setdefault(piece["id"], piece)
    return list(kept.values())


def unique_passages(found: Iterable[ScoredPassage]) -> list[ScoredPassage]:
    kept: dict[str, ScoredPassage] = {}
    for one in found:
        kept.setdefault(one.passage.id, one)
    return list(kept.values())


@dataclass(frozen=True, slots=True)
class Quoting:
    """Turn relations and events into evidence with the title of its chapter.

    Titles are cached: a history of fifty chapters would otherwise cost fifty queries each time.
    """

    passages: PassageStore
    _known: dict[tuple[str, Place], str] = field(default_factory=dict, repr=False)

    async def relations(self, relations: Sequence[Relation], scope: Scope) -> list[Evidence]:
        titles = await self._titles(relations, scope)
        return [relation_evidence(one, scope, titles) for one in relations]

    async def events(self, events: Sequence[MajorEvent], scope: Scope) -> list[Evidence]:
        titles = await self._titles(events, scope)
        return [event_evidence(one, scope, titles) for one in events]

    async def _titles(self, records: Sequence[Relation] | Sequence[MajorEvent], scope: Scope) -> Titles:
        places = list(dict.fromkeys(_place(record) for record in records))
        titles = await asyncio.gather(*(self._title(place, scope) for place in places))
        return {place: title for place, title in zip(places, titles, strict=True) if title}

    async def _title(self, place: Place, scope: Scope) -> str | None:
        task_id, part, chapter = place
        if part is None or chapter is None:
            return None
        if (known := self._known.get((scope.library, place))) is not None:
            return known
        # An imported record's task is its file, which has no passages: the chapter's first passage has the title.
        for source in (task_id, None):
            where = PassageFilter(chapters=(chapter, chapter), part=part, task_id=source, horizon=scope.horizon)
            found = await self.passages.scroll(scope.library, where, limit=1)
            if found:
                while len(self._known) >= KNOWN_TITLES:
                    self._known.pop(next(iter(self._known)))
                self._known[scope.library, place] = found[0].chapter_title
                return found[0].chapter_title
        return None
