"""Answers of the structured roles: read leniently, declared strictly to the service."""

from functools import cache
from typing import Annotated, Any, get_args

from pydantic import BaseModel, Field, RootModel, WithJsonSchema

from state.draft import QuestionType

POINTS = {"type": "integer"}  # the prompt says 0..20, and a verdict clamps them
Points = Annotated[float, WithJsonSchema(POINTS)]
UNWANTED = ("default", "title", "description")
TYPES: list[QuestionType] = list(get_args(QuestionType))


class Mention(BaseModel):
    mention: str = ""
    entity: str


class Resolved(BaseModel):
    refers_back: bool
    question: str = ""
    mentions: list[Mention] = Field(default_factory=list)
    topic: str = ""


class Dimensions(BaseModel):
    """The five dimensions; a missing one is 0."""

    tool_usage: Points = 0
    evidence: Points = 0
    completeness: Points = 0
    citation: Points = 0
    depth: Points = 0


class Claim(BaseModel):
    text: str = ""
    marks: Annotated[list[Any], WithJsonSchema({"type": "array", "items": {"type": "integer"}})] = Field(
        default_factory=list
    )
    supported: Annotated[str, WithJsonSchema({"type": "string", "enum": ["yes", "no", "contradicted"]})] = "yes"


class Graded(BaseModel):
    """The grader's answer; gates are computed by the code."""

    claims: list[Claim] = Field(default_factory=list)
    unanswered: list[str] = Field(default_factory=list)
    missing: list[str] = Field(default_factory=list)
    follows_material: bool = False
    refusal_ok: Annotated[str, WithJsonSchema({"type": "string", "enum": ["yes", "no", "none"]})] = "none"
    queries: list[str] = Field(default_factory=list)
    question_type: Annotated[str, WithJsonSchema({"type": "string", "enum": TYPES})] = "fact"
    scores: Dimensions


class Queries(RootModel[list[str]]):
    """The refiner's answer: a JSON array."""


class Keyword(BaseModel):
    keyword: str
    weight: Annotated[float, WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})]
    type: Annotated[str, WithJsonSchema({"type": "string", "enum": ["entity", "action", "concept", "time"]})]


class Keywords(BaseModel):
    """The expander's answer as declared to the service; answers are cleaned by `tools.recall.schemas`."""

    keywords: list[Keyword]
    expanded_query: str


class Learned(BaseModel):
    kind: Annotated[str, WithJsonSchema({"type": "string", "enum": ["fact", "preference", "decision"]})] = "fact"
    content: str
    summary: str = ""
    keywords: list[str] = Field(default_factory=list)
    supersedes: list[str] = Field(default_factory=list)


class Lessons(BaseModel):
    """The learner's answer; what it supersedes is checked by the code."""

    lessons: list[Learned] = Field(default_factory=list)


@cache
def declared(schema: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema for the service: every property required; no defaults, no descriptions.

    It is cached: callers must not change it.
    """
    made: dict[str, Any] = tidy(schema.model_json_schema())
    return made


def tidy(node: Any) -> Any:
    """Drop keywords that the service does not know or need, and require every property."""
    if isinstance(node, list):
        return [tidy(one) for one in node]
    if not isinstance(node, dict):
        return node
    kept = {
        key: tidy(value)
        for key, value in node.items()
        if key not in UNWANTED  # or it is the schema of a property with the same name
        or (isinstance(value, dict) and ("type" in value or "$ref" in value or "anyOf" in value))
    }
    return {**kept, "required": list(kept["properties"])} if "properties" in kept else kept
