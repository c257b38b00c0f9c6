"""Chapters in pieces, the calls in which a model reads them, its answers, and how it fails.

Answers are lenient when read, strict as declared to the service. A piece has a key that depends on its content alone.

The answer to a call is shared out among its pieces: a quotation belongs to the piece that the model names. Where it
stands in a later one alone it belongs there: what is told a chapter too late gives nothing away. It never moves to an
earlier chapter.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Protocol, TypeVar, get_args

from pydantic import BaseModel, Field, WithJsonSchema

from state.context import Language
from tools.errors import ModelError
from tools.records import EventType, Role
from wenmai.ingestion.chapters.records import SourceChapter
from wenmai.ingestion.passages import digest
from wenmai.ingestion.sources.aliases import KnownName

KINDS = ("Character", "Organization", "Location", "Object", "Event")
# without the types that ingestion itself writes (CONTAINS, NEXT, MENTIONED_IN …)
RELATION_TYPES = (
    "FRIEND_OF", "ENEMY_OF", "PARTNER_OF", "FAMILY_OF", "TEACHER_OF", "MEMBER_OF", "LEADER_OF", "OWNER_OF",
    "LOCATED_IN", "PARTICIPATED_IN", "OCCURRED_AT", "INTERACTS_WITH",
)  # fmt: skip

COSTS = ("calls", "input_tokens", "output_tokens", "cached_tokens")


def one_of(values: tuple[str, ...]) -> WithJsonSchema:
    """Declare a closed list; what lies outside it is dropped later, not refused with the whole answer."""
    return WithJsonSchema({"type": "string", "enum": list(values)})


class FoundEntity(BaseModel):
    """A name with the other spellings that the piece uses for it."""

    name: str
    kind: Annotated[str, one_of(KINDS)] = "Character"
    aliases: list[str] = Field(default_factory=list)


class FoundRelation(BaseModel):
    """A relation that the piece tells, `source -type-> target`."""

    source: str
    type: Annotated[str, one_of(RELATION_TYPES)]
    target: str
    description: str = ""
    evidence: str = ""


class FoundPerson(BaseModel):
    """A character of an event."""

    name: str
    role: Annotated[str, one_of(get_args(Role))] = "witness"


class FoundEvent(BaseModel):
    """A major event."""

    name: str
    event_type: Annotated[str, one_of(get_args(EventType))]
    characters: list[FoundPerson] = Field(default_factory=list)
    summary: str = ""
    outcome: str = ""
    evidence: str = ""


class FoundReference(BaseModel):
    """A word that stands for an entity: `word` is inside `quote`, which is verbatim in the piece."""

    quote: str
    word: str
    entity: str


class Findings(BaseModel):
    """Everything that a model found in a piece."""

    entities: list[FoundEntity] = Field(default_factory=list)
    relations: list[FoundRelation] = Field(default_factory=list)
    events: list[FoundEvent] = Field(default_factory=list)
    references: list[FoundReference] = Field(default_factory=list)


class Told(BaseModel):
    """What the piece of this number tells."""

    number: int
    relations: list[FoundRelation] = Field(default_factory=list)
    events: list[FoundEvent] = Field(default_factory=list)
    references: list[FoundReference] = Field(default_factory=list)


class Reading(BaseModel):
    """The answer to a call: the names of all its pieces, and what each of them tells."""

    entities: list[FoundEntity] = Field(default_factory=list)
    pieces: list[Told] = Field(default_factory=list)


MOST_PEOPLE, MOST_SPELLINGS = 20, 4


class PersonName(BaseModel):
    """A person as a piece calls them."""

    name: str
    aliases: list[str] = Field(default_factory=list, json_schema_extra={"maxItems": MOST_SPELLINGS})


class People(BaseModel):
    """The answer of a small model: the people of a piece, no more of them than it can tell without going round."""

    people: list[PersonName] = Field(default_factory=list, json_schema_extra={"maxItems": MOST_PEOPLE})

    def reading(self, pieces: Sequence["Piece"]) -> Reading:
        """Return it as the answer of a larger model, which tells of every piece."""
        entities = [FoundEntity(name=one.name, aliases=one.aliases) for one in self.people]
        return Reading(entities=entities, pieces=[Told(number=at) for at in range(1, len(pieces) + 1)])


class CallCost(BaseModel):
    """What a call cost: calls and tokens; the output includes thinking, as it is billed."""

    model: str = ""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


class Answer(CallCost):
    """What a call brought about one piece, as it is kept; the costs are the piece's share of the call's.

    Attributes:
        found: None where the piece was not read.
        reason: why it was not read: the service's word, such as SAFETY.
        names_only: the model was asked for people alone: patterns find the rest.
    """

    found: Findings | None = None
    reason: str = ""
    names_only: bool = False


def joined(first: Answer, second: Answer) -> Answer:
    """Return the answer about two halves of a piece; half of it unread is no answer."""
    found = None
    if first.found and second.found:
        lists = {name: getattr(first.found, name) + getattr(second.found, name) for name in Findings.model_fields}
        found = Findings(**lists)
    return summed(first, second).model_copy(update={"found": found, "reason": first.reason or second.reason})


Priced = TypeVar("Priced", bound=CallCost)


def summed(answer: Priced, cost: CallCost) -> Priced:
    """Return an answer that also bears another call's cost."""
    return answer.model_copy(update={name: getattr(answer, name) + getattr(cost, name) for name in COSTS})


PIECE = 4_000
"""Characters of a piece: long enough to know who `he` is, short enough to cost little where it stays unread."""
CALL = 8_000  # characters of the pieces of a call, unless the settings say otherwise
LENGTH_FACTOR: dict[Language, int] = {"zh": 1, "en": 2}
"""How many characters say as much as a Chinese one; half a word takes about as many tokens."""
LEAST = 400  # a piece whose answer is too long is halved down to this
_PARAGRAPH = re.compile(r"[^\n]*\n*")

ChapterId = tuple[str, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A span of a chapter; `text` is the chapter's from `start` on."""

    task_id: str
    chapter: int
    title: str
    text: str
    start: int
    language: Language

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def content(self) -> str:
        return digest(self.language, self.title, self.text)

    def key(self, mark: str) -> str:
        """Identity of its answer under a model and prompt version."""
        return digest(mark, self.content)


def pieces_of(chapters: Sequence[SourceChapter], language: Language) -> list[Piece]:
    """Cut chapters at ends of paragraphs into pieces of nearly equal length."""
    pieces: list[Piece] = []
    for chapter in chapters:
        task_id, number, title, text = chapter.task_id, chapter.number, chapter.title, chapter.text
        count = max(1, -(-len(text) // PIECE))
        pieces += [
            Piece(task_id=task_id, chapter=number, title=title, text=text[start:end], start=start, language=language)
            for start, end in spans_of(text, -(-len(text) // count))
            if text[start:end].strip()
        ]
    return pieces


def calls_of(pieces: Sequence[Piece], size: int = CALL) -> list[tuple[Piece, ...]]:
    """Join pieces in reading order to calls of at most `size` characters, in English twice as many, or of one piece."""
    calls: list[tuple[Piece, ...]] = []
    room = 0
    for piece in pieces:
        if calls and len(piece.text) <= room:
            calls[-1] = (*calls[-1], piece)
        else:
            calls.append((piece,))
            room = size * LENGTH_FACTOR[piece.language]
        room -= len(piece.text)
    return calls


def halves(piece: Piece) -> tuple[Piece, Piece] | None:
    """Cut a piece in two at the paragraph nearest to its middle; None where it is too short for that."""
    spans = list(spans_of(piece.text, -(-len(piece.text) // 2)))
    if len(piece.text) < 2 * LEAST or len(spans) < 2:
        return None
    cut = spans[0][1]
    return replace(piece, text=piece.text[:cut]), replace(piece, text=piece.text[cut:], start=piece.start + cut)


def spans_of(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Yield spans of whole paragraphs, of `size` characters or little more; a longer paragraph is cut hard."""
    start = 0
    for match in _PARAGRAPH.finditer(text):
        while match.end() - start > 2 * size and match.end() - match.start() > size:
            yield start, start + size
            start += size
        if match.end() - start >= size:
            yield start, match.end()
            start = match.end()
    if start < len(text):
        yield start, len(text)


def shared_findings(reading: Reading, pieces: Sequence[Piece]) -> list[Findings | None]:
    """Return the findings in each piece; None for those of several behind the last one that the answer tells of."""
    numbers = [told.number for told in reading.pieces if told.number <= len(pieces)]
    last = max(numbers, default=0) if len(pieces) > 1 else 1
    made = [Findings() if number <= last else None for number in range(1, len(pieces) + 1)]
    for entity in reading.entities:
        for at, own in _by_piece(entity, pieces):
            if (findings := made[at]) is not None:
                findings.entities.append(own)
    for told in reading.pieces:
        for relation in told.relations:
            _holder(made, pieces, told.number, relation.evidence).relations.append(relation)
        for event in told.events:
            _holder(made, pieces, told.number, event.evidence).events.append(event)
        for reference in told.references:
            _holder(made, pieces, told.number, reference.quote).references.append(reference)
    return made


def _holder(made: Sequence[Findings | None], pieces: Sequence[Piece], number: int, quotation: str) -> Findings:
    """Return the findings of the named piece, or of the first later one that has the quotation.

    Where none has it, it stays with the named one, which drops and counts it.
    """
    first = min(max(number - 1, 0), len(pieces) - 1)
    words = quotation.strip()
    at = next((at for at in range(first, len(pieces)) if words and words in pieces[at].text), first)
    return made[at] or made[first] or Findings()


def _by_piece(entity: FoundEntity, pieces: Sequence[Piece]) -> Iterable[tuple[int, FoundEntity]]:
    """Give an entity to each piece that has one of its spellings, with the aliases of that piece.

    The first of them also gets the aliases that stand nowhere: they are dropped there, and counted.
    """
    here = [[one for one in entity.aliases if one.strip() in piece.text] for piece in pieces]
    names = [one.strip() for one in (entity.name, *entity.aliases) if one.strip()]
    holding = [at for at, piece in enumerate(pieces) if any(name in piece.text for name in names)]
    nowhere = [one for one in entity.aliases if not any(one in found for found in here)]
    for at in holding or [0]:
        aliases = [*here[at], *nowhere]
        nowhere = []
        yield at, entity.model_copy(update={"aliases": aliases})


def shared_costs(cost: CallCost, pieces: Sequence[Piece]) -> list[Answer]:
    """Return a call's cost in shares by the length of the pieces; the first one bears the call and the rest."""
    whole = sum(len(piece.text) for piece in pieces)
    shares = [{name: getattr(cost, name) * len(piece.text) // whole for name in COSTS} for piece in pieces]
    for name in COSTS:
        shares[0][name] += getattr(cost, name) - sum(share[name] for share in shares)
    return [Answer(model=cost.model, **share) for share in shares]


NOT_ASKED = "没有要求模型阅读（--mind model 可补读）"
PASSED_OVER = "模型的回答没有写到这一段"


class WithoutAnswer(ModelError):
    """A call brought no answer; `cost` is what it cost nevertheless."""

    def __init__(self, message: str, cost: CallCost) -> None:
        super().__init__(message)
        self.cost = cost


class TooLong(WithoutAnswer):
    """The answer does not fit; one about half of the text may.

    Its message says why a piece that cannot be halved stays unread.
    """


class Unread(WithoutAnswer):
    """The model was asked twice and gave no usable answer."""


class Declined(WithoutAnswer):
    """The service refuses the request, perhaps for its text alone."""


class PieceReader(Protocol):
    @property
    def mark(self) -> str:
        """Identity of the model, its settings and prompt; answers are kept under it."""
        ...

    async def read(self, pieces: Sequence[Piece], known: Sequence[KnownName]) -> list[Answer]:
        """Return the findings in each piece, or why it was not read, in one call.

        Raises:
            ModelError: the service fails.
            WithoutAnswer: these pieces get no answer; parts of them may.
        """
        ...


@dataclass(frozen=True, slots=True)
class KeptReader:
    """Stands for a model that is not to be asked: kept answers count, the rest is left to patterns."""

    mark: str

    async def read(self, pieces: Sequence[Piece], known: Sequence[KnownName]) -> list[Answer]:
        return [Answer(reason=NOT_ASKED) for _ in pieces]


Read = tuple[Piece, Answer]


@dataclass(frozen=True, slots=True)
class Readings:
    """The answers about a source's pieces, in reading order."""

    rows: Sequence[Read] = ()

    def of(self, chapter: ChapterId) -> list[Read]:
        return [(piece, answer) for piece, answer in self.rows if (piece.task_id, piece.chapter) == chapter]

    @property
    def unread(self) -> list[str]:
        """The pieces that were not read, as "chapter: reason"."""
        rows = [f"{piece.title or piece.task_id}：{answer.reason}" for piece, answer in self.rows if not answer.found]
        return list(dict.fromkeys(rows))

    @property
    def complete(self) -> bool:
        """Whether every piece was shown to the model."""
        return all(answer.found or answer.reason != NOT_ASKED for _, answer in self.rows)
