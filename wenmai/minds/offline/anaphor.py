"""A word of a question that may refer back."""

from dataclasses import dataclass
from typing import Literal

from wenmai.minds.offline import phrases
from wenmai.minds.offline.categories import Category

Form = Literal[
    "pronoun",
    "possessive",
    "plural",
    "counterpart",
    "ordinal",
    "demonstrative",
    "description",
    "asked",
    "place",
    "matter",
]


@dataclass(frozen=True, slots=True)
class Anaphor:
    """A word or phrase at `[start:end]` that points to something named before.

    Attributes:
        form: `asked` is whom the user asked about before.
        head: the noun of a demonstrative or description, '' where there is none.
        modifier: what the phrase says about it ("守粮").
        wanted: the class of thing it may stand for, None for any.
        governed: it is an object that possesses nothing.
        female: True for 她 and for female nouns, False for male ones, None where the word does not tell.
    """

    start: int
    end: int
    text: str
    form: Form
    head: str = ""
    modifier: str = ""
    wanted: Category | None = None
    female: bool | None = None
    governed: bool = False


def opening(masked: str) -> int:
    """Return where a question begins behind its conjunctions and adverbs."""
    at = 0
    while found := phrases.LEAD.match(masked[at:]):
        at += found.end()
    return at
