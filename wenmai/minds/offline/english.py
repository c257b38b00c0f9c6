"""English follow-ups: he, she, it, they, their possessives, and this or that with a noun."""

import re

from state.schema import ResolvedMention
from state.session import Session
from tools.story.linking import NameTable
from wenmai.minds.offline.english_recall import Told, genders, named, order
from wenmai.minds.offline.english_topics import another_thing, phrase
from wenmai.minds.offline.topics import beginning

_PRONOUN = re.compile(
    r"\b(he|him|his|she|her|hers|it|its|they|them|their|theirs|this|that|these|those)\b", re.IGNORECASE
)
_POSSESSIVE = frozenset(["his", "her", "hers", "its", "their", "theirs"])
_PERSONAL = frozenset(["he", "him", "his", "she", "her", "hers"])
_PLURAL = frozenset(["they", "them", "their", "theirs", "these", "those"])
_FEMALE = frozenset(["she", "her", "hers"])
_EXPLETIVE = re.compile(
    r"\b(?:is|was) (?:it|that) (?:true|possible|likely|important|necessary|worth|safe|ok|okay|"
    r"better|normal|raining)\b|\bit (?:takes?|is|was|seems?) .*\b(?:to|that)\b"
    r"|\b(?:that|this) (?:is|was) (?:all|it)\b|\b(?:how|what) (?:long|much) does it (?:take|cost)\b",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(
    r"(?:(?:and|but|so|then|ok|okay)\W+)*(?:why|why not|how|how so|when|where|and then|then|what then|what next|"
    r"and after that|what happened (?:next|then|after that|afterwards)|"
    r"and (?:why|how|when|where)|for what|since when|how come)\W*",
    re.IGNORECASE,
)
_FRAGMENT = re.compile(
    r"(?:(?:and|but|so|then|ok|okay)\W+)*(?:how (?!do|did|is|are|was|were|can|could|will|would|about|come\b)[a-z]+|"
    r"any [a-z]+(?: [a-z]+)?|(?:married|single|alive|dead|children|kids|siblings|parents|family|friends|enemies)|"
    r"(?:in the end|at first|at last|before that|after that|since then|afterwards?|later|earlier|eventually))\W*",
    re.IGNORECASE,
)
"""A question without a verb: How rich? Any children? And in the end?"""
_PERSON_NOUN = re.compile(
    r"\b(?:(?:this|that) (?P<told>man|woman|boy|girl|lady|gentleman|person|captain|place|town|city|island|village|"
    r"harbou?r)|the (?P<known>man|woman|boy|girl|lady|gentleman))\b(?! (?:who|that|which|of|in|with|from)\b)",
    re.IGNORECASE,
)
_THERE = re.compile(r"\bthere(?=\W*$|\s+(?:when|before|after|alone|again|first|with)\b)", re.IGNORECASE)
_EXISTENTIAL = re.compile(r"\bhow (?:many|much)\b|^\W*(?:is|are|was|were) there\b", re.IGNORECASE)
_MOTION = re.compile(
    r"\b(?:go|goes|went|gone|going|come|came|travel\w*|move[ds]?|return\w*|sent|get|got)\s$", re.IGNORECASE
)
_CAPITALISED = re.compile(r"(?<![.?!]\s)(?<!^)\b[A-Z][\w'’-]*(?:\s+(?:of|the|de|van)?\s*[A-Z][\w'’-]*)*")
_NOUN_AFTER = re.compile(
    r"\s+(?!is\b|are\b|was\b|were\b|do\b|does\b|did\b|has\b|have\b|can\b|will\b|would\b|could\b|"
    r"should\b|mean\b|happen|work|cause|help|[?.!,])[a-z]",
    re.IGNORECASE,
)


def rewrite(question: str, session: Session, table: NameTable) -> tuple[str, list[ResolvedMention]]:
    """Return the question with names for pronouns that nothing in it explains, and which became which."""
    found = [match for match in _PRONOUN.finditer(question) if _refers(question, match)]
    bare = question.strip()
    if _ELLIPSIS.fullmatch(bare) or _FRAGMENT.fullmatch(bare) or _PERSON_NOUN.search(question):
        return _elliptic(question, recall(session, table), table)
    if not found and _THERE.search(question) and not _EXISTENTIAL.search(question):
        return _placed(question, recall(session, table), table)
    if not found or _EXPLETIVE.search(question):
        return question, []
    told, taken = recall(session, table), [m.entity for m in table.find(question) if m.entity]
    edits: list[tuple[int, int, str]] = []
    mentions: list[ResolvedMention] = []
    chosen: dict[str, tuple[str, ...]] = {}
    for match in found:
        if _bound(question, match, table):
            continue
        word = match[0].lower()
        names = chosen.get(_group(word)) or _choose(word, told, [*taken, *sum(chosen.values(), ())])
        if names:
            chosen[_group(word)] = names
            edits.append((match.start(), match.end(), _form(names, word, question[match.end() :])))
            mentions += [ResolvedMention(mention=match[0], entity=name) for name in names]
    for start, end, text in reversed(edits):
        question = question[:start] + text + question[end:]
    return question, mentions


def _elliptic(question: str, told: Told, table: NameTable) -> tuple[str, list[ResolvedMention]]:
    """Why? And then? get the name that the talk is about; that man and that place get theirs."""
    noun = _PERSON_NOUN.search(question)
    if noun is None:
        name = next(iter(told.names), None)
        if name is None:
            return question, []
        return f"{question.rstrip('?.! ')} ({name})?", [ResolvedMention(mention="", entity=name)]
    taken = {m.entity for m in table.find(question)}
    word = (noun["told"] or noun["known"]).lower()
    place = word in ("place", "town", "city", "island", "village", "harbour", "harbor")
    woman = word in ("woman", "girl", "lady")
    people = sorted(told.fitting(woman), key=lambda one: one not in told.latest)
    pool = [one for one in told.names if told.kinds.get(one) == "Location"] if place else people
    name = next((one for one in pool if one not in taken), None)
    if name is None:
        return question, []
    text = question[: noun.start()] + name + question[noun.end() :]
    return text, [ResolvedMention(mention=noun[0], entity=name)]


def _placed(question: str, told: Told, table: NameTable) -> tuple[str, list[ResolvedMention]]:
    """Who else was there: the place that was named last."""
    taken = {m.entity for m in table.find(question)}
    name = next((one for one in told.names if told.kinds.get(one) == "Location" and one not in taken), None)
    there = _THERE.search(question)
    if name is None or there is None:
        return question, []
    where = "to" if _MOTION.search(question, 0, there.start()) else "at"
    text = f"{question[: there.start()]}{where} {name}{question[there.end() :]}"
    return text, [ResolvedMention(mention=there[0], entity=name)]


def _refers(question: str, match: re.Match[str]) -> bool:
    """Leave out that as a conjunction and this or that with a noun of its own."""
    word = match[0].lower()
    if word not in ("this", "that", "these", "those"):
        return True
    before = question[: match.start()].rstrip().rsplit(" ", 1)[-1].lower()
    if word == "that" and before not in (
        "",
        "is",
        "was",
        "does",
        "did",
        "of",
        "about",
        "for",
        "to",
        "in",
        "like",
        "with",
        "by",
        "can",
        "do",
    ):
        return False
    return _NOUN_AFTER.match(question, match.end()) is None


def _group(word: str) -> str:
    return "she" if word in _FEMALE else "he" if word in _PERSONAL else "they" if word in _PLURAL else "it"


def _bound(question: str, match: re.Match[str], table: NameTable) -> bool:
    """Tell whether a name stands before the pronoun in its own question."""
    before = question[: match.start()]
    word = match[0].lower()
    named = [m for m in table.find(before) if m.entity] or _CAPITALISED.findall(before)
    if word in _PERSONAL:
        object_of_subject = word in ("him", "her") and not re.search(r",|\bwhen\b|\bafter\b|\bbefore\b|\bwho\b", before)
        return bool(named) and not object_of_subject
    if word in _PLURAL:
        return (
            len(named) > 1 or re.search(r"\b[a-z]{3,}s\b(?<!\bdoes)(?<!\bwas)(?<!\bhas)(?<!\bthis)", before) is not None
        )
    return (
        bool(named)
        or re.search(r"\b(?:the|an?) [a-z]+ .*(?:,|\band\b|\bbefore\b|\bif\b|\bwhen\b)", before, re.IGNORECASE)
        is not None
    )


def recall(session: Session, table: NameTable) -> Told:
    """Read names of the last turns, genders, and the newest topic phrase."""
    names: list[str] = []
    topic = None
    for turn in reversed(session["turns"]):
        names += order(turn, table)
        other = another_thing(turn["question"])
        if other or turn["question"] == turn["resolved"]:  # another follow-up goes on about what was opened before
            topic = topic or phrase(turn["resolved"]) or other
    names += [entity["name"] for entity in session["entities"]]
    kinds = {name: table.kind(name) for name in names}
    latest = named(session["turns"][-1]["answer"], table) if session["turns"] else []
    return Told(list(dict.fromkeys(names)), topic or given_topic(session), genders(session, table), kinds, latest)


def given_topic(session: Session) -> str | None:
    """Return the topic that was handed over; what is kept of a question itself is none."""
    told = session["topic"]
    return None if told in [beginning(turn["resolved"]) for turn in session["turns"]] else told


def _choose(word: str, told: Told, taken: list[str]) -> tuple[str, ...]:
    names = [name for name in told.names if name not in taken]
    people = [name for name in names if told.kinds.get(name) in (None, "Character")]
    if word in _PLURAL and len(people) > 1:
        return tuple(people[:2])
    if word in _PERSONAL:
        fitting = told.fitting(word in _FEMALE)
        return tuple(name for name in fitting if name not in taken)[:1]
    if word in _PLURAL and told.topic:
        names = [name for name in names if told.kinds.get(name) not in (None, "Character")]
    things = [name for name in names if told.kinds.get(name) not in (None, "Character")]
    if word in _PLURAL:  # a place is not they
        things = [name for name in things if told.kinds.get(name) != "Location"]
        names = [name for name in names if told.kinds.get(name) != "Location"]
    if things:
        return tuple(things[:1])
    found = names[:1] or ([told.topic] if told.topic else [])
    return tuple(found)


def _form(names: tuple[str, ...], word: str, after: str) -> str:
    text = " and ".join(names)
    owns = word in _POSSESSIVE and (word != "her" or re.match(r"\s+\w", after) is not None)
    return f"{text}'s" if owns else text
