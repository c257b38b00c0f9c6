"""A question as searches put it: its own words, its names with their other spellings, its words without names."""

from tools.networks.words import blanked
from tools.story.linking import NameTable
from wenmai.minds.offline.questions.question import Question
from wenmai.minds.offline.questions.words import content_words

SPELLINGS = 3
"""Other spellings of a name in a query, the most mentioned first."""


def words_of(question: Question) -> list[str]:
    """Return the content words beside the names."""
    return content_words(blanked(question.text, question.mentions))


def expanded(question: Question, table: NameTable) -> str:
    """Return names with their other spellings, then the words."""
    names = [spelling for name in question.entities for spelling in (name, *_spellings(name, table))]
    return " ".join(dict.fromkeys([*names, *words_of(question)])) or question.text


def _spellings(name: str, table: NameTable) -> list[str]:
    """Return the other spellings of a name, the most mentioned first."""
    others = [one for one in table.entities.get(name, ()) if one.text != name]
    return [one.text for one in sorted(others, key=lambda one: (-one.mentions, one.text))[:SPELLINGS]]
