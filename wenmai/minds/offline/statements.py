"""What users say of themselves, by rule, and which earlier statement a newer one makes past."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nodes.roles import Lesson, LessonKind
from nodes.telling import told_in
from tools.language import HAN
from tools.memory.days import asks_past
from tools.memory.keywords import words
from tools.tables.names import glossary
from tools.text.scripts import folded
from tools.text.sentences import sentence_spans
from tools.text.words import stem
from wenmai.language.lexicon import patterns
from wenmai.language.segmenting import cut, tag_of
from wenmai.minds.offline.questions.speech import unquoted

PATTERNS = patterns("wenmai.minds.offline", "statements.toml")
ASKS = patterns("wenmai.minds.offline", "memories.toml")["asks"]
DECIDING = frozenset(map(stem, ("decided", "agreed", "决定", "约定", "说好", "改", "instead")))
COMMA = re.compile(r"[，,]|\b(?:but|and)\b|但是?|而")
FAVOURITE = re.compile(r"我最喜欢的([^，。是]{1,10})是|my favou?rite ([\w ]{1,20}?) (?:is|now)\b", re.IGNORECASE)
SLOTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("name", ("name", "called", "名字", "名叫")),
    ("home", ("home", "live", "moved", "住", "住在", "居住", "家")),
    ("job", ("work", "job", "living", "工作", "上班", "职业")),
)
"""What a user has one of at a time, and words that questions have for it."""
DIET = ("eat", "drink", "food", "allergic", "allergy", "diet", "吃", "忌口", "过敏")
TOPICS = {**dict(SLOTS), "diet": DIET}
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
            asked = other_words(said, slot)
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
    if asks_past(said):
        return None
    if what := FAVOURITE.search(said):
        return f"favourite {common_name(PATTERNS['newly'].sub('', what[1] or what[2]))}"
    who = person_in(said)
    own = as_own(said) if who else said
    slot = next((name for name, _ in SLOTS if PATTERNS[name].search(own)), None)
    if slot:
        return f"{slot} of {who}" if who else slot
    what = None if who else PATTERNS["attribute"].search(said)
    if what is None or not PATTERNS["single"].search(owned := attribute_of(what)):
        return None
    return f"attribute {common_name(owned)}"


def common_name(thing: str) -> str:
    """Return the first of the names that a thing has in tables, whatever its language: email for 邮箱."""
    plain = thing.strip(" 的").lower()
    return glossary().names.get(plain, (plain,))[0]


def names_of(thing: str) -> list[str]:
    """Return what a thing is called, in both languages; of several words, what their last one is called too."""
    plain = thing.strip(" 的").lower()
    if is_known(plain):
        return list(dict.fromkeys([plain, *glossary().names[plain]]))
    ends = [plain.rpartition(" ")[2], *(plain[at:] for at in range(1, len(plain) - 1) if HAN.search(plain))]
    found = next((names for one in ends if (names := glossary().names.get(one))), ())
    return list(dict.fromkeys([ends[0], *found]))


def is_known(thing: str) -> bool:
    """Return True if a thing has other names as a whole: phone number, not locker number."""
    return thing in glossary().names


def is_attribute(thing: str) -> bool:
    """Return True for what a user has one of at a time, under a name that both languages have: email, not cat."""
    return is_known(thing) and any(PATTERNS["single"].search(one) for one in names_of(thing))


def other_words(said: str, slot: str | None) -> list[str]:
    """Return words that questions may have for what a statement says, in either language."""
    topic = topic_of(said)
    if topic:
        return [*TOPICS[topic]]
    kind, _, thing = (slot or "").partition(" ")
    return names_of(thing) if kind in ("favourite", "attribute") else []


ASKED_THING = re.compile(
    r"\b(?:what|who|which)(?:['’]s| is| was| are| were)?(?: the (?:name|number) of)? my "
    r"(?P<en>(?:[\w-]+ ){0,3}?[\w-]+?)(?: is| are| was)?(?: called| named| now| currently| again)?\s*\??$"
    r"|我(?:们)?(?:最喜欢)?的?(?P<zh>[^，。是的最叫]{1,8}?)(?:现在|目前|如今|又)?(?:是|叫)(?:什么|多少|几|谁|哪)",
    re.IGNORECASE,
)


def asked_thing(question: str) -> str:
    """Return of what of the user's a question asks what it is: shoe size, 邮箱; '' of nothing of the kind."""
    found = ASKED_THING.search(question.strip())
    return (found["en"] or found["zh"]).lower().removeprefix("favourite ").removeprefix("favorite ") if found else ""


KIN: dict[str, str] = {
    one: names.split()[0]
    for names in (
        "mother mum mom mama 妈妈 妈 母亲",
        "father dad papa 爸爸 爸 父亲",
        "wife 妻子 老婆",
        "husband 丈夫 老公",
        "son 儿子",
        "daughter 女儿",
        "friend 朋友",
        "colleague coworker 同事",
        "neighbour neighbor 邻居",
        "boss 老板",
        "teacher 老师",
        "roommate flatmate 室友",
        "grandmother grandma 奶奶 外婆",
        "grandfather grandpa 爷爷 外公",
        "cousin 表哥 表姐 表弟 表妹 堂哥 堂姐 堂弟 堂妹",
        "cat 猫",
        "dog 狗",
    )
    for one in names.split()
}
ELDER = {"哥哥": "brother", "哥": "brother", "弟弟": "brother", "弟": "brother", "姐姐": "sister", "妹妹": "sister"}
"""Words of one language that say more than those of the other."""
ONE_ALONE = frozenset({"mother", "father", "wife", "husband"})
THIRD = re.compile(r"\b(liv|work|resid|mov|relocat|settl|start|got)(?:e?s)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Relative:
    """A person of the user's: what he is to the user, and his name where it is said."""

    kin: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kin} {self.name}".strip()

    def may_be(self, other: "Relative") -> bool:
        """Return True if both may be one: of two friends one is another, where a name is missing too."""
        is_one = self.kin == other.kin or ELDER.get(self.kin) == other.kin or ELDER.get(other.kin) == self.kin
        is_close = self.kin not in ("friend", "colleague", "neighbour", "cousin", "teacher")
        return is_one and (self.name == other.name or (is_close and "" in (self.name, other.name)))


def person_in(said: str) -> Relative | None:
    """Return of whose life a statement is, where that is not the user: my sister Ruth lives in Bristol."""
    found = PATTERNS["relative"].search(said)
    if found is None:
        return None
    word = next(filter(None, found.groups())).lower()
    kin, name = KIN.get(word, word), NAMED.match(said, found.end())
    return Relative(kin, name[1] if name and kin not in ONE_ALONE else "")


def as_own(said: str) -> str:
    """Return a statement on a relative as the user would make it of himself: I live in Bristol."""
    found = PATTERNS["relative"].search(said)
    if found is None:
        return said
    name = NAMED.match(said, found.end())
    rest = said[name.end() if name else found.end() :]
    own = "我" if HAN.search(found[0]) else "I"
    return own + THIRD.sub(lambda verb: verb[0].removesuffix("s"), rest)


def asked_person(question: str) -> Relative | None:
    """Return of whose life a question asks, None of the user's own; with my sister, it is the user's."""
    found = PATTERNS["asked_relative"].search(question)
    if found is None:
        return None
    word = next(filter(None, found.groups())).lower()
    name = NAMED.match(question, found.end())
    return Relative(KIN.get(word, word), name[1] if name else "")


NAMED = re.compile(r"[ ,]+([A-Z][\w-]+)\b")


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
    who, other = person_in(newer), person_in(older)
    is_one = who == other or (who is not None and other is not None and who.may_be(other))
    if asks_past(newer) or asks_past(older) or not is_one:
        return False
    slot, before = slot_of(newer), slot_of(older)
    if slot is not None:
        return before is not None and (slot == before or (who is not None and slot.split()[0] == before.split()[0]))
    if PATTERNS["instead"].search(newer) and all(PATTERNS["decision"].search(one) for one in (newer, older)):
        return bool((things_in(newer) & things_in(older)) - DECIDING)
    new, old = PATTERNS["attribute"].search(newer), PATTERNS["attribute"].search(older)
    if new and old and PATTERNS["newly"].search(newer) and attribute_of(new) == attribute_of(old):
        return True
    is_preference = all(PATTERNS["prefers"].search(one) for one in (newer, older))
    if is_preference and PATTERNS["newly"].search(newer) and things_in(newer) & things_in(older):
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
