"""Whether a question is about earlier talk (memory.md §1): what the user said or decided, not what a story tells."""

from wenmai.minds.offline.questions.patterns import pattern
from wenmai.minds.offline.questions.speech import unquoted

ASKS = pattern("asks")
_EARLIER = pattern("earlier")
_OWN = pattern("own")
"""What users ask of themselves; a statement of this kind asks nothing."""
_NARRATOR = pattern("narrator_of_a_book")
"""Who tells a book of themselves."""


def leans(*wordings: str) -> bool:
    """Return True if a question, as asked or as resolved, is about earlier talk or the user's own preferences."""
    own = [_NARRATOR.sub(" ", unquoted(one)) for one in wordings]
    return any(_EARLIER.search(one) or (ASKS.search(one) and _OWN.search(one)) for one in own)


def matter(question: str) -> str:
    """Return what a question asks for, without the words about the earlier talk itself."""
    return _EARLIER.sub(" ", question)
