"""The records that stores hold: passages of a text, entities, relations and events of a story graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from state.context import Language
from tools.messages import Text
from tools.text.books import Books

PERSON = "Character"  # the label of people in story graphs
EntityKind = Literal["Character", "Location", "Organization", "Event", "Object"]
UNTYPED = "Entity"  # of what neither a file nor the text says what it is
Position = tuple[int, int]  # (part, chapter)


@dataclass(frozen=True, slots=True, order=True)
class Horizon:
    """Spoiler guard: earlier parts are visible, and this part up to this chapter."""

    part: int
    chapter: int

    def shows(self, part: int | None, chapter: int | None) -> bool:
        """Return True if a record at (part, chapter) is visible; one without a chapter is hidden."""
        return part is not None and chapter is not None and (part, chapter) <= (self.part, self.chapter)

    def covers(self, guard: Mapping[str, Any] | Sequence[int] | None) -> bool:
        """Return True if a question that was asked under a guard saw no more; one without a guard saw everything."""
        place = (guard.get("part"), guard.get("chapter")) if isinstance(guard, Mapping) else guard
        return place is not None and self.shows(*place)


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleName:
    """The name under which a reader knows an entity from `since` to before `until`; '': it is unknown then."""

    entity: str
    known_as: str
    since: Position
    until: Position

    def worn(self, horizon: Horizon) -> bool:
        """Return True if a reader at the horizon knows the entity by this name."""
        return horizon.shows(*self.since) and not horizon.shows(*self.until)


COPIES = 10_000_000  # above every chapter number: keeps apart the slots of chapters that bear one number


def slot_of(number: int | None, copy: int) -> int | None:
    """Return the number under which a chapter is kept: its own, or for a second one with that number a free one."""
    return None if number is None else number + copy * COPIES


def number_of(slot: int | None) -> tuple[int | None, int]:
    """Return the number and the copy that are kept under a slot."""
    return (None, 0) if slot is None else (slot % COPIES, slot // COPIES)


EventType = Literal[
    "sacrifice", "transformation", "acquisition", "loss", "encounter", "conflict", "revelation", "milestone"
]
Role = Literal["subject", "object", "witness"]
GRAPH_COUNTS = "counts"  # key of the catalog's note of the graph's counts, for processes that cannot open the graph
PLACE_NOTE = "place:"  # begins the key of the catalog's note of where a user was last in a library


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One chunk of a story. `text` equals the stored chapter's `[start:end]`.

    `entities` and `characters` have the final names; `guises` name those who are not known by it here.
    """

    id: str
    library: str
    text: str
    part: int
    chapter: int | None
    event_order: int
    start: int
    end: int
    task_id: str
    task_name: str = ""
    chapter_title: str = ""
    series_name: str = ""
    scene_title: str = ""
    scene_order: int = 0
    chunk_order: int = 0
    has_choice: bool = False
    source_file: str = ""
    entities: tuple[str, ...] = ()
    characters: tuple[str, ...] = ()
    guises: tuple[VisibleName, ...] = ()

    def as_of(self, horizon: Horizon | None) -> "Passage":
        if horizon is None or not self.guises:
            return self
        names = {name: self._names(name, horizon) for name in self.entities}
        known = [tuple(dict.fromkeys(n for t in tags for n in names[t])) for tags in (self.entities, self.characters)]
        return replace(self, entities=known[0], characters=known[1], guises=())

    def _names(self, entity: str, horizon: Horizon) -> tuple[str, ...]:
        hidden = [one for one in self.guises if one.entity == entity and not horizon.shows(*one.until)]
        return tuple(one.known_as for one in hidden if one.known_as and one.worn(horizon)) if hidden else (entity,)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row of one ranking: enough to fuse it with another."""

    id: str
    score: float
    event_order: int


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage with its cosine to the query, clipped to 0..1; None where nothing was compared."""

    passage: Passage
    score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageFilter:
    """Conditions joined by AND; a default means no condition. They are part of the store's query.

    Attributes:
        chapters: inclusive bounds of the chapter number; `part` it counts in.
        entity: exact member of `entities`.
        any_entity: at least one of these is a member of `entities`.
        task_id: the source.
        horizon: the spoiler guard; under it an entity is a member where a reader at the horizon knows it.
    """

    chapters: tuple[int, int] | None = None
    part: int | None = None
    entity: str | None = None
    any_entity: tuple[str, ...] = ()
    task_id: str | None = None
    horizon: Horizon | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A node of the story graph. `first` is the position (part, chapter) of its first passage, None if it has none.

    `alias_first` has, for each of `aliases`, the position from which a reader knows its owner; () if none is known.
    With `until` the entity exists only for readers who do not know its owner yet, and not without a guard.
    """

    name: str
    kind: str = "Character"
    description: str = ""
    aliases: tuple[str, ...] = ()
    alias_first: tuple[tuple[int, int] | None, ...] = ()
    first: tuple[int, int] | None = None
    mentions: int = 0
    until: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A spelling of an entity: the canonical name itself or an alias; `first` as in Entity.

    An alias of several entities appears once per entity. The canonical name has the entity's description, but none
    under a guard.
    """

    text: str
    entity: str
    kind: str
    first: tuple[int, int] | None = None
    mentions: int = 0
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A directed edge `source -type-> target`. `evidence` is verbatim in the chapter when `start` is given.

    Under a guard it is visible from `since`, if that is later than its chapter. With `until` it is the form that
    readers before that position know; it does not exist without a guard.
    """

    source: str
    type: str
    target: str
    part: int | None = None
    chapter: int | None = None
    task_id: str | None = None
    event_order: int | None = None
    evidence: str = ""
    description: str = ""
    start: int | None = None
    source_kind: str = "Character"
    target_kind: str = "Character"
    since: Position | None = None
    until: Position | None = None


@dataclass(frozen=True, slots=True)
class Participant:
    name: str
    role: Role = "subject"


@dataclass(frozen=True, slots=True, kw_only=True)
class MajorEvent:
    """An event, unique by (library, task_id, chapter, event_type, primary_character, name).

    `since` and `until` as in Relation.
    """

    name: str
    event_type: EventType
    primary_character: str
    participants: tuple[Participant, ...] = ()
    part: int | None = None
    chapter: int | None = None
    task_id: str | None = None
    event_order: int | None = None
    summary: str = ""
    evidence: str = ""
    outcome: str | None = None
    start: int | None = None
    since: Position | None = None
    until: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """An entity at `hop` steps from the start; relation, direction and description are those of its last edge."""

    name: str
    kind: str
    relation: str
    direction: Literal["out", "in"]
    hop: int
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """The first neighbours by (hop, relation, name), the edges among start and them, and how many there are in all."""

    neighbours: tuple[Neighbour, ...] = ()
    edges: tuple[Relation, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A stored chapter: the text that offsets refer to. `copy` counts chapters of one number in a part, from 0."""

    library: str
    task_id: str
    part: int
    number: int | None
    title: str
    text: str
    digest: str
    order: int
    source_file: str = ""
    copy: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterOutline:
    """A stored chapter without its text; `characters` is how long that is, 0 if not measured; `passages` its count."""

    task_id: str
    part: int
    number: int | None
    digest: str
    order: int
    passages: int
    copy: int = 0
    title: str = ""
    characters: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryInfo:
    """A library with its counts, and the book of each of its parts; `problem` says why its catalog cannot be read."""

    name: str
    title: str
    embedder: str
    dimension: int
    language: Language = "zh"
    sources: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    books: Books = field(default_factory=dict)
    problem: Text | None = None


SummaryKind = Literal["chapter", "section", "part", "book", "person"]
"""A section is a run of chapters of a long part."""


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence of a summary with the ids of the passages that bear it out."""

    text: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a model wrote of a stretch of a story, or of a person as of a chapter. Every sentence has been checked.

    Attributes:
        part: the part, and `chapter` the number, of the last chapter that it covers: a guard before that hides it.
        first: place of the first chapter that it covers.
        subject: the person, by the name that readers know there; '' for other kinds.
        digest: of what it was made from.
    """

    library: str
    kind: SummaryKind
    task_id: str
    part: int
    chapter: int | None
    copy: int = 0
    first: tuple[int, int | None]
    subject: str = ""
    sentences: tuple[SummarySentence, ...]
    language: Language = "zh"
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryFilter:
    """Conditions joined by AND; a default means no condition. They are part of the store's query.

    Attributes:
        kinds, subjects: one of these.
        part: the part of the last chapter covered; `chapters` are inclusive bounds of its number.
        horizon: the spoiler guard; a summary that covers what it hides is not returned.
    """

    kinds: tuple[SummaryKind, ...] = ()
    subjects: tuple[str, ...] = ()
    part: int | None = None
    chapters: tuple[int, int] | None = None
    horizon: Horizon | None = None


def story_position(record: Passage | Relation | MajorEvent) -> tuple[tuple[bool, int], ...]:
    """Return the sort key of a record by its place in the story; missing values come last."""
    return tuple((number is None, number or 0) for number in (record.part, record.chapter, record.event_order))
