"""What a session has been about: who and what was named, how lately, in which role."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from state.session import Session, SessionTurn
from tools.linking import NameTable
from wenmai.minds.offline import phrases
from wenmai.minds.offline.reading import Category, Named, Reading, category, read

CONTINUED = 10.0
CONTINUED_AS_PAIR = 5.0
NAMED_FIRST = 8.0
NAMED_LATER = 6.0
FOCUS_IDENTITY = 9.0
FOCUS_OBJECT = 8.5
FOCUS_BESIDE_TOPIC = 6.0
ANSWERED = 4.5
FIRST_IN_ANSWER = 1.0
STACKED = 1.0
DECAY = 0.7
DECAY_NEW_SUBJECT = 0.35
"""Weights of salience, after the ranking of centering: what is talked on about, subject, asked-for, the rest."""


@dataclass(slots=True)
class Referent:
    """Somebody or something that the session named; `age` counts turns back from the newest, 0 is the last."""

    name: str
    category: Category
    known: bool
    score: float = 0.0
    age: int = 99
    female: bool | None = None
    roles: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class TurnView:
    """A past turn, read: `focus` are the answers to its 谁-question, `head` the noun asked for."""

    question: Reading
    asked: str
    answer: Reading
    continued: list[str]
    focus: list[str]
    role: str | None
    head: str
    joined: set[str]


@dataclass(slots=True)
class Discourse:
    """The session as the resolver sees it; `turns` newest first."""

    referents: dict[str, Referent]
    turns: list[TurnView]
    table: NameTable
    topic: str | None

    def people(self) -> list[Referent]:
        """Return the persons, most salient first."""
        return self.ranked(lambda one: one.category == "person")

    def ranked(self, accept: Callable[[Referent], bool]) -> list[Referent]:
        """Return the referents that are accepted, most salient first."""
        return sorted((one for one in self.referents.values() if accept(one)), key=lambda one: (-one.score, one.age, one.name))


def build(session: Session, table: NameTable) -> Discourse:
    """Read a session, oldest turn first."""
    discourse = Discourse({}, [], table, session["topic"])
    count = len(session["turns"])
    for at, turn in enumerate(session["turns"]):
        view = _view(turn, table)
        _add_turn(discourse, view, count - 1 - at)
        discourse.turns.insert(0, view)
    for rank, entity in enumerate(session["entities"]):
        if entity["name"] not in discourse.referents and (not count or rank < 8):
            kind = entity["kind"] or table.kind(entity["name"])
            one = _referent(discourse, Named(entity["name"], category(entity["name"], kind), 0, 0, True))
            one.score += STACKED - rank * 0.1
            one.age = min(one.age, count + rank)
    _genders(discourse)
    return discourse


def _view(turn: SessionTurn, table: NameTable) -> TurnView:
    question, answer = read(turn["resolved"], table), read(turn["answer"], table)
    said = {one.name for one in read(turn["question"], table).named}
    continued = [one.name for one in question.named if one.name not in said]
    role, head = asked_for(question)
    inside = {one.name for one in question.named}
    fresh = [one for one in answer.people() if one.name not in inside]
    fresh.sort(key=lambda one: embedded(one, answer))
    names = list(dict.fromkeys(one.name for one in fresh)) if role else []
    return TurnView(question, turn["question"], answer, continued, names, role, head, _joined(question, continued))


def _joined(question: Reading, continued: list[str]) -> set[str]:
    """Return the restored names that stand as a pair (他俩 became 甲和乙)."""
    pairs = zip(question.named, question.named[1:], strict=False)
    joined = [(a, b) for a, b in pairs if question.text[a.end : b.start] == "和"]
    return {one.name for pair in joined for one in pair if one.name in continued}


def _several(view: TurnView) -> bool:
    """Tell whether the answer names several: 范疆、张达."""
    people = [one for one in view.answer.people() if one.name in view.focus[:2]]
    between = [view.answer.text[a.end : b.start] for a, b in zip(people, people[1:], strict=False)]
    return any(text in ("、", "和", "与") for text in between)


KILL = "杀斩害刺射"
_WHO = re.compile(phrases.WHO + r"|(?:叫|姓)什么(?=名字|？|\?|$)|哪家")


def asked_for(question: Reading) -> tuple[str | None, str]:
    """Return how a question asks for a person (identity, object, agent, beside) and the noun that describes it."""
    text = question.masked
    found = _WHO.search(text)
    if not found:
        creature = re.search(r"([怪精妖兽])[^，]{0,3}是什么", text)
        return ("identity", creature[1]) if creature else (None, "")
    before, at = text[found.start() - 1 : found.start()], found.start()
    head = _described(question, found)
    if "什么" in found[0] and found[0][0] in "叫姓":
        return "name", head
    if before in ("和", "跟", "与", "同"):
        return "beside", head
    if before in ("被", "由", "让") or text[found.end() : found.end() + 1] == "手":
        return "agent", head
    if before == "是" and text[found.end() : found.end() + 1] in ("的", "家", "府") and text[: at - 1]:
        return "beside", head
    clause = max(text.rfind("，", 0, at), -1) + 1
    lead = text[clause:at].removesuffix("是")
    if before == "是" and (found.end() >= len(text.rstrip("？?。")) or _adverbial(lead)):
        return "identity", head
    if _adverbial(lead):
        return "identity", head
    if before == "是" and text[found.end() : found.end() + 1] not in ("的", "家", "府"):
        return "identity", head
    return "object", head


def _adverbial(lead: str) -> bool:
    while found := phrases.LEAD.match(lead):
        lead = lead[found.end() :]
    return not lead or phrases.PLACE_PHRASE.fullmatch(lead) is not None


def _described(question: Reading, found: re.Match[str]) -> str:
    """Return the noun asked for: 哪位夫人, or what stands before 是谁."""
    after = [w for w in question.words if w.start == found.end()]
    if found[0][0] == "哪" and after and after[0].tag.startswith("n"):
        return after[0].text
    before = [w for w in question.words if w.end <= found.start() and w.text not in ("是", "又", "就")]
    return before[-1].text if before and before[-1].tag.startswith(("n", "b")) and question.masked[before[-1].start] != "\ue000" else ""


def _add_turn(discourse: Discourse, view: TurnView, age: int) -> None:
    fresh_subject = not view.continued and bool(view.question.people())
    for one in discourse.referents.values():
        one.score *= DECAY_NEW_SUBJECT if fresh_subject else DECAY
    named = list({one.name: one for one in view.question.named}.values())
    first = _first(view)
    for one in named:
        continued = one.name in view.continued
        weight = CONTINUED if continued else NAMED_FIRST if one.name == first else NAMED_LATER
        rank = view.continued.index(one.name) * 0.5 if continued else 0.0
        if not continued:  # named anew: what it was before does not add to it
            _referent(discourse, one).score = 0.0
        elif one.name in view.joined:
            weight = CONTINUED_AS_PAIR
        _add(discourse, one, weight - rank, age, "continued" if continued else "named")
    _add_answer(discourse, view, age)


def _first(view: TurnView) -> str | None:
    """Return the name that the question is about: the head of its first noun phrase, not a name inside a modifier."""
    heads = [one for one in view.question.named if not embedded(one, view.question)]
    people = [one for one in heads if one.category == "person"]
    return (people or heads)[0].name if heads else None



def embedded(one: Named, reading: Reading) -> bool:
    """Tell whether a name stands in the modifier of a later noun: 诸葛亮派去的马谡, 曹操拜访的才女是谁."""
    behind = reading.masked[one.end :]
    following = [other for other in reading.named if other.start >= one.end]
    if following:
        between = reading.masked[one.end : following[0].start]
        if re.fullmatch(r"[^，。；：谁哪]*[的之][^，。；：谁哪的]{0,3}", between) and following[0].category == one.category:
            return True
    return re.match(r"[^，。；：谁哪是的]{2,}的[^，。；：谁哪是的]{1,6}(?:又|到底|究竟)?(?:是谁|是哪|是什么|叫什么|字什么|姓什么)", behind) is not None


def _add_answer(discourse: Discourse, view: TurnView, age: int) -> None:
    answered = list({one.name: one for one in view.answer.named}.values())
    inside = {one.name for one in view.question.named}
    base = _focus_weight(view)
    for at, one in enumerate(answered):
        if one.name in view.focus:
            _add(discourse, one, max(base - 2.0 * view.focus.index(one.name), ANSWERED), age, "focus")
        elif one.name not in inside:
            _add(discourse, one, max(ANSWERED - 0.3 * at, 0.5), age, "answer")
        elif at == 0 and not view.role:
            _referent(discourse, one).score += FIRST_IN_ANSWER


def _focus_weight(view: TurnView) -> float:
    if re.search(r"哪[两几二些三]|[两二三四五几]个", view.question.text) or _several(view):
        return CONTINUED_AS_PAIR
    continued = any(discourse_person in view.continued for discourse_person in (p.name for p in view.question.people()))
    if view.role in ("identity", "name"):
        return FOCUS_IDENTITY
    if view.role == "object" and not continued:
        return FOCUS_OBJECT
    if view.role == "agent" and re.search(f"谁[^，]*?[{KILL}]|死在谁", view.question.masked):
        return FOCUS_BESIDE_TOPIC if continued else FOCUS_OBJECT
    return FOCUS_BESIDE_TOPIC


def _add(discourse: Discourse, one: Named, weight: float, age: int, role: str) -> None:
    referent = _referent(discourse, one)
    referent.score = max(referent.score, weight) if role == "answer" else referent.score + weight
    referent.age = min(referent.age, age)
    referent.roles.append((age, role))


def _referent(discourse: Discourse, one: Named) -> Referent:
    if not one.known:  # 卢马 is the 的卢马 of before
        longer = [name for name, other in discourse.referents.items() if name.endswith(one.name) and other.category == one.category]
        if longer:
            return discourse.referents[longer[0]]
    return discourse.referents.setdefault(one.name, Referent(one.name, one.category, one.known))


def _genders(discourse: Discourse) -> None:
    for referent in discourse.referents.values():
        if referent.category == "person":
            referent.female = _gender(discourse, referent.name)


def _gender(discourse: Discourse, name: str) -> bool | None:
    """Return what names, kinship words and earlier pronouns tell of a person's gender."""
    spellings = [name, *discourse.table.aliases(name)]
    if any(phrases.FEMALE_NAME.search(text.split("[")[0]) for text in spellings if len(text) > 1):
        return True
    for view in discourse.turns:
        told = _told(view, name, spellings)
        if told is not None:
            return told
    return None


def _told(view: TurnView, name: str, spellings: list[str]) -> bool | None:
    if name in view.continued and len([n for n in view.continued if n != name]) == 0:
        if "她" in view.asked:
            return True
        if "他" in view.asked:
            return False
    if name in view.focus[:1] and view.head:
        if phrases.FEMALE_NOUN.search(view.head):
            return True
        if phrases.MALE_NOUN.search(view.head):
            return False
    for text in (view.question.text, view.answer.text):
        for spelling in spellings:
            if spelling in text:
                told = _apposed(text, spelling)
                if told is not None:
                    return told
    return None


def _apposed(text: str, spelling: str) -> bool | None:
    at = text.find(spelling)
    before = re.sub(r"(?:是|叫|为|名叫|：|，)$", "", text[:at])
    for pattern, female in ((phrases.FEMALE_NOUN, True), (phrases.MALE_NOUN, False)):
        if pattern.search(before):
            return female
    after = re.match(r"(?:本|原|就)?是[^，。？]*?([^，。？的]{1,4})(?=[，。？]|$)", text[at + len(spelling) :])
    if after:
        for pattern, female in ((phrases.FEMALE_NOUN, True), (phrases.MALE_NOUN, False)):
            if pattern.search(after[1]):
                return female
    return None
