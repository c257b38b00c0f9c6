"""The session: the subjects of a conversation, for the resolver and the prompt."""

from typing import NotRequired

from typing_extensions import TypedDict  # pydantic reads typing's own only from Python 3.12 on

MAX_ENTITIES = 8
MAX_TURNS = 5
ANSWER_CHARACTERS = 600  # Chinese ones, or as many letters of another script as cost a model the same
TOPIC_CHARACTERS = 20


class EarlierTurn(TypedDict):
    """A question and its answer that the caller has kept; `as_of` is the spoiler guard of the answer, if it is known.

    Of an answer without one a guarded run takes nothing.
    """

    question: str
    answer: str
    as_of: NotRequired[list[int] | None]


class SessionContext(TypedDict):
    """A session from the caller: entities in order of mention, the last is the newest.

    `turns`, oldest first, stand for those of the thread where it has none of its own.
    """

    entities: list[str]
    topic: NotRequired[str | None]
    turns: NotRequired[list[EarlierTurn]]


class SessionEntity(TypedDict):
    """A name on the stack; `kind` is the graph's label, `gloss` a short explanation where one is known."""

    name: str
    kind: str | None
    gloss: str | None


class SessionTurn(TypedDict):
    """A finished turn; `entities` are the names of the resolved question in order of mention.

    `as_of` is the spoiler guard of the turn, as [part, chapter]; None without one.
    """

    question: str
    resolved: str
    answer: str
    entities: list[str]
    as_of: NotRequired[list[int] | None]


class Session(TypedDict):
    """Entity stack (newest first), topic phrase, last turns (oldest first), the user's words of the very first turn."""

    entities: list[SessionEntity]
    topic: str | None
    turns: list[SessionTurn]
    first: NotRequired[str]
