"""A follow-up that names another instance and nothing that is asked of it: 那云雀号呢？ asks what was asked before."""

import re
from collections.abc import Sequence

from state.session import Session
from tools.networks.lexicon import Lexicon
from tools.networks.words import blanked, types_named
from tools.story.linking import Mention
from wenmai.minds.offline.networks.focus import meant

# What stands around the name where nothing else is asked.
BARE = re.compile(r"(?:那么?|还有|至于|换成)?[\s，,]+呢[\s？?]*")
BARE_EN = re.compile(r"(?:and\s+|so\s+)?(?:(?:what|how)\s+about\s+)?(?:the\s+)?\s+[\s?]*", re.IGNORECASE)
ABOUT_EN = re.compile(r"\b(?:and|about)\b", re.IGNORECASE)


def carried(question: str, session: Session, lexicon: Lexicon) -> str | None:
    """Return the last question with the instance that this one names; None where this one asks something itself."""
    mentions = lexicon.table.find(question)
    if len(mentions) != 1 or not session["turns"] or not is_bare(blanked(question, mentions)):
        return None
    before = session["turns"][-1]["resolved"]
    replaced = counterpart(lexicon.table.find(before), mentions[0], lexicon)
    if replaced is None:
        return None
    return f"{before[: replaced.start]}{mentions[0].text}{before[replaced.end :]}"


def carried_type(question: str, session: Session, lexicon: Lexicon) -> tuple[str, str] | None:
    """Return the last question with the type that this one names, and its word: 有哪些商号, then 那泊位呢."""
    if not session["turns"] or lexicon.table.find(question):
        return None
    new, before = types_named(question, lexicon), session["turns"][-1]["resolved"]
    old = types_named(before, lexicon)
    if len(new) != 1 or not old or lexicon.table.find(before):
        return None
    (start, end, _), (first, last, _) = new[0], old[0]
    if not is_bare(f"{question[:start]} {question[end:]}"):
        return None
    word = question[start:end]
    return f"{before[:first]}{word}{before[last:]}", word


def is_bare(plain: str) -> bool:
    """Return True if a question, its name blanked, has nothing else to ask."""
    return bool(BARE.fullmatch(plain)) or bool(ABOUT_EN.search(plain) and BARE_EN.fullmatch(plain))


def counterpart(before: Sequence[Mention], new: Mention, lexicon: Lexicon) -> Mention | None:
    """Return the instance of the last question that the new one takes the place of: one of its type, else the first."""
    types = {one.type.id for one in meant(new, lexicon)}
    alike = [mention for mention in before if any(one.type.id in types for one in meant(mention, lexicon))]
    return next(iter([*alike, *before]), None)
