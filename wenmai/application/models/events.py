"""What operations return of events and relations: who does what, and who is related, with the evidence."""

from pydantic import BaseModel, Field

from tools.records import EventType, Role

ID = "Its id as evidence: GET /libraries/{library}/evidence/{id}"
TEXT = "Id of the text"


class ParticipantView(BaseModel):
    """A character of an event."""

    name: str
    role: Role


class EventView(BaseModel):
    """An event; `evidence` is verbatim in the chapter from `start` on."""

    id: str = Field(description=ID)
    name: str
    type: EventType
    primary_character: str
    participants: list[ParticipantView]
    summary: str
    outcome: str | None
    evidence: str
    text_source: str | None = Field(description=TEXT)
    part: int | None
    chapter: int | None
    start: int | None


class RelationView(BaseModel):
    """A directed relation; `evidence` is verbatim in the chapter from `start` on."""

    id: str = Field(description=ID)
    source: str
    type: str = Field(examples=["FAMILY_OF"])
    target: str
    description: str
    evidence: str
    text_source: str | None = Field(description=TEXT)
    part: int | None
    chapter: int | None
    start: int | None


class RelationTypes(BaseModel):
    """The types of a library's relations."""

    types: list[str]
