"""Full Chinese names in a talk that no library lists: whom 她 may mean in a follow-up on documents (LOP-09)."""

import re

from state.schema import ResolvedMention
from state.session import Session, SessionTurn
from wenmai.ingestion.lexicon import surname
from wenmai.minds.offline import phrases
from wenmai.segmenting import segmenter

PRONOUN = re.compile("(?<!其)[他她](?![们人])")
WHOSE = re.compile("[由的](?:[^，]{1,8})?是?谁")  # asks for another person, not who somebody is
LENGTHS = (2, 3)
# What may follow a name: the segmenter cuts rare given names (林海 of 林海生), and what goes on is no whole name.
NO_END = "的是在和与跟等也都说由被把呢吗有叫"
FOLLOWED = re.compile(rf"$|[^\u3400-\u9fff]|[{NO_END}曾任于哪几为]|什么|多大|怎么")


def with_person(question: str, session: Session) -> tuple[str, list[ResolvedMention]]:
    """Return a question with the one person of the last turn in the place of its first 他 or 她."""
    pronoun = PRONOUN.search(question)
    if pronoun is None or not session["turns"] or people(question):
        return question, []
    person = person_of(session["turns"][-1])
    if person is None:
        return question, []
    start, end = pronoun.span()
    return question[:start] + person + question[end:], [ResolvedMention(mention=pronoun[0], entity=person)]


def person_of(turn: SessionTurn) -> str | None:
    """Return whom a turn was about: who answers 的经理是谁, else whom it asked of, else whom its answer names.

    Where several are named nobody is guessed, nor where the name may be cut short.
    """
    asked, told = people(turn["resolved"]), people(turn["answer"])
    answering = {name: is_whole for name, is_whole in told.items() if name not in asked}
    found = (answering if WHOSE.search(turn["resolved"]) else {}) or asked or told
    name, is_whole = next(iter(found.items()), (None, False))
    return name if len(found) == 1 and is_whole else None


def people(text: str) -> dict[str, bool]:
    """Return the names of people in a text, each with whether it surely ends where the segmenter ends it."""
    found, at = dict[str, bool](), 0
    for word, tag in segmenter().tag(text, True):
        at = text.index(word, at)
        name = word[:-1] if len(word) == LENGTHS[1] and word[-1] in NO_END else word  # 苏婉是谁: 苏婉是, 谁
        if tag == "nr" and is_full_name(name):
            found[name] = found.get(name, False) or FOLLOWED.match(text, at + len(name)) is not None
    return found


def is_full_name(word: str) -> bool:
    """Tell whether a word that is tagged as a name has a surname and is no title or kin."""
    return (
        len(word) in LENGTHS
        and bool(surname(word))
        and word not in phrases.PERSON_NOUNS
        and word[-1] not in phrases.PERSON_HEADS
    )
