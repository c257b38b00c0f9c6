"""The answers of a model about pieces of chapters: lenient when read, strict as declared to the service."""

from typing import Annotated, get_args

from pydantic import BaseModel, Field, WithJsonSchema

from tools.records import EventType, Role

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


class Answer(BaseModel):
    """What a call brought about one piece, as it is kept; the costs are the piece's share of the call's.

    Attributes:
        found: None where the piece was not read.
        reason: why it was not read: the service's word, such as SAFETY.
        output_tokens: thinking included, as it is billed.
    """

    found: Findings | None = None
    reason: str = ""
    model: str = ""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


def joined(first: Answer, second: Answer) -> Answer:
    """Return the answer about two halves of a piece; half of it unread is no answer."""
    found = None
    if first.found and second.found:
        lists = {name: getattr(first.found, name) + getattr(second.found, name) for name in Findings.model_fields}
        found = Findings(**lists)
    return summed(first, second).model_copy(update={"found": found, "reason": first.reason or second.reason})


def summed(answer: Answer, cost: Answer) -> Answer:
    """Return an answer that also bears another call's cost."""
    return answer.model_copy(update={name: getattr(answer, name) + getattr(cost, name) for name in COSTS})
