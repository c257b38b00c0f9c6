"""Whether a question is about earlier talk (memory.md §1): what the user said or decided, not what a story tells."""

from wenmai.language.patterns import patterns
from wenmai.minds.offline.questions.speech import unquoted

PATTERNS = patterns("wenmai.minds.offline.memories")
ASKS = PATTERNS["asks"]


def leans(*wordings: str) -> bool:
    """Return True if a question, as asked or as resolved, is about earlier talk or the user's own preferences."""
    own = [PATTERNS["narrator"].sub(" ", unquoted(one)) for one in wordings]
    return any(PATTERNS["earlier"].search(one) or (ASKS.search(one) and PATTERNS["own"].search(one)) for one in own)


def matter(question: str) -> str:
    """Return what a question asks for, without the words about the earlier talk itself."""
    return PATTERNS["earlier"].sub(" ", question)
