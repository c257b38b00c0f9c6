"""How servers of the protocol differ: what each takes, ignores, and does of its own."""

from dataclasses import dataclass
from typing import Literal

Tools = Literal["called", "ignored", "refused"]
Thoughts = Literal["reasoning_content", "reasoning", "required", "think", "none"]
Way = Literal["json_schema", "json_object", "tool", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One kind of server.

    Attributes:
        tools: `ignored`: the model never sees them; `refused`: 400.
        ways: How a structured answer may be asked for; others get 400.
        echoes: Ways in which the model repeats the schema, until it is told to mend its answer.
        thoughts: Where thoughts stand in a reply; `required`: every turn has some, and a turn with calls must come
            back with them; `think`: in the text.
        stream_options: Whether they are known.
        ids: Whether calls have ids of their own; else they are empty.
        efforts: Values of `reasoning_effort`; none: the field is not known.
    """

    tools: Tools = "called"
    ways: tuple[Way, ...] = ("json_schema", "json_object", "tool", "text")
    echoes: tuple[Way, ...] = ()
    thoughts: Thoughts = "reasoning_content"
    stream_options: bool = True
    ids: bool = True
    efforts: tuple[str, ...] = ("minimal", "low", "medium", "high")


STRICT = Dialect()
DIALECTS: dict[str, Dialect] = {
    "no json_schema": Dialect(ways=("json_object", "tool", "text")),
    "forced call only": Dialect(ways=("tool", "text")),
    "text only": Dialect(ways=("text",), tools="refused", efforts=()),
    "tools ignored": Dialect(tools="ignored"),
    "schema echoed": Dialect(echoes=("json_schema",)),
    "schema echoed twice": Dialect(ways=("json_object", "text"), echoes=("json_object",)),
    "thoughts required": Dialect(ways=("json_object", "tool", "text"), thoughts="required"),
    "thoughts in the text": Dialect(thoughts="think"),
    "thoughts as reasoning": Dialect(thoughts="reasoning"),
    "no stream options": Dialect(stream_options=False),
    "no ids": Dialect(ids=False, thoughts="none"),
}
