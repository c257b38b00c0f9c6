"""What a model found in pieces of chapters: one table of names, and records whose evidence stands in the text.

Every spelling that the model names becomes an entity of its own, and what it calls an alias is a merge of one into
another: so each can be undone by itself. An alias that the model gives to several entities is no merge; it is left to
the rules of `names`, and a generic term (父亲, 老人) is none at all. What a person's dictionary holds is never merged
away.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tools.language import HAN
from tools.records import MajorEvent, Participant, Relation
from wenmai.ingestion.contracts import Extraction, TaggedChapter
from wenmai.ingestion.model.pieces import (
    KINDS,
    RELATION_TYPES,
    FoundEntity,
    FoundEvent,
    FoundReference,
    FoundRelation,
    Piece,
    Read,
    Readings,
)
from wenmai.ingestion.names.names import Namer, TextMention
from wenmai.ingestion.patterns.extraction import EVENT_EVIDENCE, extract
from wenmai.ingestion.patterns.quoting import EVIDENCE, Quotation, order_at, relation_record
from wenmai.ingestion.sources.aliases import KnownName, merge
from wenmai.ingestion.sources.imports import EVENT_TYPES, ROLES
from wenmai.language.lexicon import proper_names

LONGEST_NAME = 40
_PRONOUN = re.compile(
    r"[我你您他她它俺咱吾汝尔余予朕孤彼其](?:们|等|辈|俩)?|自己|大家|众人|那人|此人|这人|那个人|这个人|"
    r"(?:i|me|he|she|it|they|we|you|him|her|them|us|his|its|their|the|a|an)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Votes:
    """What the pieces say: how often a name is one, of which kind, which spelling is whose."""

    named: Counter[str] = field(default_factory=Counter)
    kinds: dict[str, Counter[str]] = field(default_factory=dict)
    owners: dict[str, Counter[str]] = field(default_factory=dict)
    dropped: int = 0


def merge_found_entities(
    rows: Iterable[Read], known: Sequence[KnownName], texts: Mapping[tuple[str, int], str]
) -> tuple[list[KnownName], dict[str, str], int]:
    """Return the names of all pieces, the merges that the model proposes, and how many do not stand in the text.

    `known` are the names that a person gave.
    """
    given = _spellings(known)
    everything = "\n".join(texts.values())
    votes = _Votes()
    for piece, answer in rows:
        text = texts.get((piece.task_id, piece.chapter), "")
        for entity in answer.found.entities if answer.found else ():
            _vote(votes, entity, given, text, everything)
    shared = {alias for alias, owners in votes.owners.items() if len(owners) > 1 and alias not in votes.named}
    proposals = _proposals(votes, {entry.name for entry in known}, shared)
    return _names(votes, shared, given), proposals, votes.dropped


def _spellings(known: Sequence[KnownName]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for entry in known:
        for spelling in dict.fromkeys((entry.name, entry.base, *entry.aliases)):
            found[spelling] = entry.name if found.get(spelling, entry.name) == entry.name else None
    return found


def _vote(votes: _Votes, entity: FoundEntity, given: dict[str, str | None], text: str, everything: str) -> None:
    """Count an entity: its name stands somewhere in the source, its aliases in the chapter."""
    spellings = proper_names(list(dict.fromkeys(s.strip() for s in (entity.name, *entity.aliases) if s.strip())))
    usable = [
        s
        for at, s in enumerate(spellings)
        if is_name(s) and s in (everything if at == 0 and s == entity.name else text)
    ]
    votes.dropped += sum(is_name(s) for s in spellings) - len(usable)
    if not usable:
        return
    head = given.get(usable[0], usable[0])
    if head is None:  # a spelling that a person gave to several entities decides nothing
        return
    votes.named[head] += 1
    votes.kinds.setdefault(head, Counter())[entity.kind if entity.kind in KINDS else "Character"] += 1
    for alias in usable[1:]:
        if alias not in given and alias != head:
            votes.owners.setdefault(alias, Counter())[head] += 1


def is_name(spelling: str) -> bool:
    """Return True for what may be a name: no pronoun, no single Chinese character, no sentence."""
    if _PRONOUN.fullmatch(spelling) or len(spelling) > LONGEST_NAME or "\n" in spelling:
        return False
    return len(spelling) > 1 or not HAN.match(spelling)


def _proposals(votes: _Votes, given: set[str], shared: set[str]) -> dict[str, str]:
    """Return name -> entity for each group of spellings that the model takes for one."""
    heads: dict[str, str] = {}

    def head(name: str) -> str:
        while heads.get(name, name) != name:
            name = heads[name]
        return name

    def rank(name: str) -> tuple[bool, int, int, str]:
        """Order what may give a group its name: a person's choice, the most frequent name, the longest."""
        return name not in given, -votes.named[name], -len(name), name

    for alias, owners in votes.owners.items():
        if alias in shared or len(owners) > 1:
            continue
        ends = sorted({head(alias), head(next(iter(owners)))}, key=rank)
        if len(ends) == 2 and not set(ends) <= given:
            heads[ends[1]] = ends[0]
    return {name: head(name) for name in heads}


def _names(votes: _Votes, shared: set[str], given: dict[str, str | None]) -> list[KnownName]:
    """Return every spelling as an entity; shared ones as aliases of each that may be meant."""
    entities = [
        KnownName(
            name=name,
            kind=votes.kinds[name].most_common(1)[0][0],
            aliases=tuple(sorted(alias for alias in shared if name in votes.owners[alias])),
        )
        for name in votes.named
    ]
    own = [
        KnownName(name=alias, kind=votes.kinds[next(iter(owners))].most_common(1)[0][0])
        for alias, owners in votes.owners.items()
        if alias not in shared and alias not in votes.named and alias not in given
    ]
    return merge(entities, own)


DESCRIPTION = 100
NAME, SUMMARY = {"zh": 15, "en": 60}, {"zh": 50, "en": 200}
"""Characters of what a model writes of its own; an English word takes about four times as many."""


@dataclass(frozen=True, slots=True)
class ReadingExtractor:
    """The Extractor that hands out what a model answered; patterns stand in where it did not read."""

    readings: Readings
    namer: Namer

    async def extract(self, tagged: TaggedChapter) -> Extraction:
        rows = self.readings.of((tagged.chapter.task_id, tagged.chapter.number))
        return await asyncio.to_thread(self._extract, tagged, rows)

    def _extract(self, tagged: TaggedChapter, rows: Sequence[Read]) -> Extraction:
        """Return what the pieces tell that the text bears out; the rest is counted."""
        own = extract(tagged)
        read = [(piece, answer.found) for piece, answer in rows if answer.found]
        told_of = [piece for piece, answer in rows if answer.found and not answer.names_only]
        relations, events = list[Relation](), list[MajorEvent]()
        dropped = own.dropped if len(read) < len(rows) else 0
        for piece, found in read:
            stated = [relation for row in found.relations if (relation := self._relation(row, tagged, piece))]
            told = [event for row in found.events if (event := self._event(row, tagged, piece))]
            dropped += len(found.relations) - len(stated) + len(found.events) - len(told)
            relations += stated
            # The key of a library's events is (chapter, type, primary character, name).
            events += {(event.event_type, event.primary_character, event.name): event for event in told}.values()
        pairs = {frozenset((row.source, row.target)) for row in relations}
        relations += [row for row in own.relations if frozenset((row.source, row.target)) not in pairs]
        events += [
            event for event in own.events if not any(one.start <= (event.start or 0) < one.end for one in told_of)
        ]
        return Extraction(tuple(relations), tuple(sorted(events, key=lambda event: event.start or 0)), dropped)

    def _relation(self, row: FoundRelation, tagged: TaggedChapter, piece: Piece) -> Relation | None:
        """Return a relation of known names and a known type whose evidence stands in the piece."""
        ends = source, target = self.namer.canonical(row.source.strip()), self.namer.canonical(row.target.strip())
        evidence = row.evidence.strip()[:EVIDENCE]
        start = _place(evidence, tagged.chapter.text, piece)
        if start < 0 or not self.namer.entries.keys() >= {*ends} or source == target or row.type not in RELATION_TYPES:
            return None
        description, quoted = row.description.strip()[:DESCRIPTION], Quotation(evidence, start)
        record = relation_record(tagged, *ends, type=row.type, description=description, piece=quoted, at=start)
        return replace(record, source_kind=self.namer.kind(source), target_kind=self.namer.kind(target))

    def _event(self, row: FoundEvent, tagged: TaggedChapter, piece: Piece) -> MajorEvent | None:
        """Return an event of a known type and known people whose evidence stands in the piece.

        The primary character is the first subject, else the first person.
        """
        evidence, name = row.evidence.strip()[:EVENT_EVIDENCE], row.name.strip()[: NAME[piece.language]]
        chapter, event_type = tagged.chapter, EVENT_TYPES.get(row.event_type)
        start = _place(evidence, chapter.text, piece)
        people = tuple(
            Participant(known, ROLES.get(person.role, "witness"))
            for person in row.characters
            if (known := self.namer.canonical(person.name)) in self.namer.entries
        )
        if start < 0 or not people or not name or event_type is None:
            return None
        return MajorEvent(
            name=name,
            event_type=event_type,
            primary_character=next((person for person in people if person.role == "subject"), people[0]).name,
            participants=people,
            part=chapter.part,
            chapter=chapter.number,
            task_id=chapter.task_id,
            event_order=order_at(tagged.passages, start),
            summary=row.summary.strip()[: SUMMARY[piece.language]],
            evidence=evidence,
            outcome=row.outcome or None,
            start=start,
        )


def _place(words: str, text: str, piece: Piece) -> int:
    """Return where words stand in a piece of a chapter's text, -1 where they don't."""
    return text.find(words, piece.start, piece.end) if words else -1


def resolve_references(
    rows: Sequence[Read], text: str, mentions: Sequence[TextMention], namer: Namer, resolve: Callable[[str], str]
) -> tuple[list[TextMention], int]:
    """Return the entities that pronouns and titles refer to, and how many findings the text does not confirm.

    Only entities that the chapter names, under any name, count: a reader cannot know others by then.
    """
    named = {resolve(mention.entity) for mention in mentions}
    found = [
        (reference, _resolve_reference(reference, piece, text, namer))
        for piece, answer in rows
        if answer.found
        for reference in answer.found.references
    ]
    kept = [mention for _, mention in found if mention and resolve(mention.entity) in named]
    return kept, len(found) - len(kept)


def _resolve_reference(reference: FoundReference, piece: Piece, text: str, namer: Namer) -> TextMention | None:
    """Find the word of a reference: its quotation stands once in the piece and holds the word."""
    quote, word = reference.quote.strip(), reference.word.strip()
    entity = namer.canonical(reference.entity.strip())
    start = _place(quote, text, piece)
    again = text.find(quote, start + 1, piece.end) if start >= 0 else -1
    inside = quote.find(word) if word else -1
    if start < 0 or again >= 0 or inside < 0 or entity not in namer.entries:
        return None
    return TextMention(start + inside, start + inside + len(word), entity, sure=False)
