"""What a session has been about: who and what was named, how lately, in which role."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from state.session import Session, SessionTurn
from tools.linking import NameTable
from wenmai.minds.offline import phrases
from wenmai.minds.offline.reading import Category, Named, Reading, category, read

CONTINUED = 10.0
NAMED_FIRST = 8.0
NAMED_LATER = 6.0
FOCUS_IDENTITY = 9.0
FOCUS_OBJECT = 8.5
FOCUS_BESIDE_TOPIC = 6.0
ANSWERED = 2.5
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
    fresh = list(dict.fromkeys(one.name for one in answer.people() if one.name not in inside))
    return TurnView(question, turn["question"], answer, continued, fresh if role else [], role, head)


_WHO = re.compile(phrases.WHO + r"|叫什么(?=名字|？|\?|$)|哪家")


def asked_for(question: Reading) -> tuple[str | None, str]:
    """Return how a question asks for a person (identity, object, agent, beside) and the noun that describes it."""
    text = question.masked
    found = _WHO.search(text)
    if not found:
        return None, ""
    before, at = text[found.start() - 1 : found.start()], found.start()
    head = _described(question, found)
    if found[0].startswith("叫什么"):
        return ("identity", head) if "的" in text[:at] or head else (None, "")
    if before in ("和", "跟", "与", "同"):
        return "beside", head
    if before in ("被", "由", "让") or text[found.end() : found.end() + 1] == "手":
        return "agent", head
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
    first = _first(view, named)
    for one in named:
        continued = one.name in view.continued
        weight = CONTINUED if continued else NAMED_FIRST if one.name == first else NAMED_LATER
        rank = view.continued.index(one.name) * 0.5 if continued else 0.0
        _add(discourse, one, weight - rank, age, "continued" if continued else "named")
    _add_answer(discourse, view, age)


def _first(view: TurnView, named: list[Named]) -> str | None:
    people = [one for one in named if one.category == "person"]
    return (people or named)[0].name if named else None


def _add_answer(discourse: Discourse, view: TurnView, age: int) -> None:
    answered = list({one.name: one for one in view.answer.named}.values())
    inside = {one.name for one in view.question.named}
    base = _focus_weight(view)
    for at, one in enumerate(answered):
        if one.name in view.focus:
            place = view.focus.index(one.name)
            _add(discourse, one, max(base - 2.0 * place, ANSWERED), age, "focus")
        elif one.name not in inside:
            _add(discourse, one, max(ANSWERED - 0.3 * at, 0.5), age, "answer")
        elif at == 0:
            discourse.referents[one.name].score += FIRST_IN_ANSWER


def _focus_weight(view: TurnView) -> float:
    continued = any(discourse_person in view.continued for discourse_person in (p.name for p in view.question.people()))
    if view.role == "identity":
        return FOCUS_IDENTITY
    if view.role in ("object", "agent") and not continued:
        return FOCUS_OBJECT
    return FOCUS_BESIDE_TOPIC


def _add(discourse: Discourse, one: Named, weight: float, age: int, role: str) -> None:
    referent = _referent(discourse, one)
    referent.score += weight
    referent.age = min(referent.age, age)
    referent.roles.append((age, role))


def _referent(discourse: Discourse, one: Named) -> Referent:
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
