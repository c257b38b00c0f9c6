"""What users say of themselves, by rule, and which earlier statement a newer one makes past."""

import re
from collections.abc import Iterable, Iterator

from nodes.roles import Lesson, LessonKind
from nodes.telling import told_in
from tools.language import HAN
from tools.memory.days import asks_past
from tools.memory.keywords import words
from tools.text.scripts import folded
from tools.text.sentences import sentence_spans
from tools.text.words import stem
from wenmai.language.lexicon import patterns
from wenmai.language.segmenting import cut, tag_of
from wenmai.minds.offline.questions.speech import unquoted

PATTERNS = patterns("wenmai.minds.offline", "statements.toml")
ASKS = patterns("wenmai.minds.offline", "memories.toml")["asks"]
COMMA = re.compile(r"[，,]|\b(?:but|and)\b|但是?|而")
FAVOURITE = re.compile(r"我最喜欢的([^，。是]{1,10})是|my favou?rite ([\w ]{1,20}) is", re.IGNORECASE)
SLOTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("name", ("name", "called", "名字", "名叫")),
    ("home", ("home", "live", "moved", "住", "住在", "居住", "家")),
    ("job", ("work", "job", "living", "工作", "上班", "职业")),
)
"""What a user has one of at a time, and words that questions have for it."""
TOPICS = (*(name for name, _ in SLOTS), "diet")
"""What questions ask for in other words than statements have; a user has several things not to be eaten."""
KINDS: tuple[tuple[LessonKind, str], ...] = (
    ("preference", "favourite"),
    ("preference", "taste"),
    ("decision", "decision"),
    ("preference", "wish"),
)


def statements(question: str, names: Iterable[str] = ()) -> Iterator[Lesson]:
    """Give what the user says of himself; questions, quotations and what stands in a name (我爱罗) say nothing."""
    shown = unquoted(question)
    for name in names:
        shown = shown.replace(name, "_" * len(name))
    for span in sentence_spans(shown):
        said, clause = shown[slice(*span)].strip(), question[slice(*span)].strip()
        kind = None if ASKS.search(said) else kind_of(said)
        if kind:
            slot = slot_of(said)
            asked = next((found for name, found in SLOTS if name == slot), ())
            keywords = tuple(dict.fromkeys([*asked, *words(clause, cut)])) if asked else ()
            yield Lesson(kind=kind, content=clause, summary=clause, slot=slot, keywords=keywords)


def kind_of(said: str) -> LessonKind | None:
    """Return what kind of statement a sentence is, None for one that says nothing of the user."""
    if any(PATTERNS[name].search(said) for name, _ in SLOTS):
        return "fact"
    for kind, name in KINDS:
        found = PATTERNS[name].search(said)
        if found and found.groupdict().get("verb", said) in (said, *cut(said)):
            return kind
    return "fact" if told_in(said) == "statement" else None


def slot_of(said: str) -> str | None:
    """Return what a user has one of at a time that a statement gives; what it says of the past gives none."""
    if what := FAVOURITE.search(said):
        return f"favourite {(what[1] or what[2]).strip().lower()}"
    if asks_past(said):
        return None
    slot = next((name for name, _ in SLOTS if PATTERNS[name].search(said)), None)
    what = PATTERNS["attribute"].search(said)
    if slot or what is None:
        return slot
    owned = attribute_of(what)
    return f"attribute {owned}" if PATTERNS["single"].search(owned) else None


def attribute_of(found: re.Match[str]) -> str:
    """Return what is said to be something, without what says that it is new: dentist of my new dentist is."""
    return PATTERNS["newly"].sub("", folded(found["en"] or found["zh"])).strip(" 的").lower()


def asked_topic(question: str) -> str | None:
    """Return of which common things of a user a question asks: where do I live, what may I not eat."""
    return next((name for name in TOPICS if PATTERNS[f"asks_{name}"].search(question)), None)


def topic_of(said: str) -> str | None:
    """Return of which of these a statement is, be it true now or once."""
    return next((name for name in TOPICS if PATTERNS[name].search(said)), None)


def replaces(newer: str, older: str) -> bool:
    """Return True if an earlier statement of the user is past, once the newer one is made.

    Both are of one subject; the newer one gives the same slot anew, says the opposite of the same thing (I don't like
    coffee any more), that the same attribute is another now, or that something has ended.
    """
    if asks_past(newer) or asks_past(older) or subject_of(newer) != subject_of(older):
        return False
    slot = slot_of(newer)
    if slot is not None:
        return slot == slot_of(older)
    new, old = PATTERNS["attribute"].search(newer), PATTERNS["attribute"].search(older)
    if new and old and PATTERNS["newly"].search(newer) and attribute_of(new) == attribute_of(old):
        return True
    tastes = tastes_of(older)
    if any(mine & other and sign != before for sign, mine in tastes_of(newer) for before, other in tastes):
        return True
    is_end = PATTERNS["ends"].search(newer) is not None and PATTERNS["ends"].search(older) is None
    return is_end and PATTERNS["state"].search(older) is not None and bool(things_in(newer) & things_in(older))


def tastes_of(said: str) -> list[tuple[bool, frozenset[str]]]:
    """Return what parts of a sentence say that the user likes, or does not, each with the things spoken of."""
    parts = [part for part in COMMA.split(said) if part and PATTERNS["tastes"].search(part)]
    return [(PATTERNS["no"].search(part) is None, things_in(part)) for part in parts]


def things_in(said: str) -> frozenset[str]:
    """Return the words of a statement that say of what it is, without its verbs of liking, having and ending."""
    plain = PATTERNS["frame"].sub(" ", folded(said))
    nouns = [word for word in cut(plain) if len(word) == 1 and HAN.match(word) and tag_of(word).startswith("n")]
    return frozenset(map(stem, [*words(plain, cut), *nouns]))


def subject_of(said: str) -> str:
    """Return of which person of the user's a statement is: sister of my sister works at …; '' of the user."""
    found = PATTERNS["relative"].search(said)
    return next(filter(None, found.groups()), "").lower() if found else ""
