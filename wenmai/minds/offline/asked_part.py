"""What a 谁-question asks of somebody: the deed, the part in it, the words that tell it."""

import re
from dataclasses import dataclass

from wenmai.minds.offline import phrases
from wenmai.minds.offline.analysis import HISTORY_KINDS, Analysis
from wenmai.minds.offline.categories import head_category, head_class, tag
from wenmai.minds.offline.deed_claims import ATTEMPT
from wenmai.minds.offline.quotes import same_deed, telling_characters
from wenmai.minds.offline.reading import MASK, Reading, Word, between_marks
from wenmai.minds.offline.words import expansions

ASKED = re.compile(r"谁|何人|什么人|哪些人|哪[一两二三几]?[位名员](?!字)|\bwho\b", re.IGNORECASE)
_WHICH = re.compile("哪(?:[一两二三几]?[个位名员]|些)")
_CALLED = re.compile(r"([\u4e00-\u9fff]{1,3})(?:又|到底|究竟|的?名字)?(?:叫|姓)什么(?=名字|[？?]|$)")
_SAYS = re.compile("[劝说谏献建议主张提出骂告诉问答反驳喝叫喊报禀请求称夸评]")
_NOUN_BEFORE = re.compile(r"([\u4e00-\u9fff]{2,3})(?:到底|究竟|又)?是(?:谁|哪位)")
LONGEST_NOUN = 8  # words of 跟 他 有 旧 仇 的 部将
NO_PERSON = ("relation", "network", *HISTORY_KINDS)
_WHO = re.compile(phrases.WHO)
_LIGHT = frozenset("是有叫让使要想去来到在把被给向为说能会请派出死得做当成") | {"自己"}
_OPEN = re.compile("(?:^|[是时后里中下上前回]|后来|到底|究竟)，?$")
_RELATIVE = re.compile(r"的[^的，]{0,8}?(?:又|却)?是$")
_AIMED = re.compile(r"[给了过到和跟与同]$")
_DEATH = re.compile(rf"死[在于]{phrases.WHO}|命丧{phrases.WHO}|[杀斩]|害死")
_WOMEN = "妻子|妻|夫人|母亲|姐姐|妹妹|女儿|女人|女子|女将|才女|歌伎"
_WOMAN = re.compile(rf"哪一?[位个](?:{_WOMEN}|皇后|公主)|(?:{_WOMEN})(?:究竟|到底|又)?(?:是谁|是哪|叫)")


@dataclass(frozen=True, slots=True)
class AskedPart:
    """What is asked for.

    Attributes:
        wanted: each telling character of the question with those that may say the same.
        deed: finds the deed in a text; None where the question has none.
        doer: whether the doer is asked for, not whom it befalls.
        people: the persons whom the question names, `named` all of its names.
        female: whether the question says that it is a woman.
        says: whether it asks of something said.
        noun: the noun for somebody that it asks for (哪个主簿), '' for none.
    """

    wanted: dict[str, frozenset[str]]
    deed: re.Pattern[str] | None
    doer: bool
    people: frozenset[str]
    named: frozenset[str]
    female: bool
    says: bool
    noun: str


def asks_for_person(analysis: Analysis) -> bool:
    """Tell whether a question asks for somebody whom it does not name: 谁杀了华雄, not 华雄是谁."""
    introduced = analysis.kind == "who" and not analysis.words
    asks = ASKED.search(analysis.question) or noun_asked(analysis.plain) or noun_called(analysis.plain)
    return bool(asks) and not introduced and analysis.kind not in NO_PERSON


def noun_asked(text: str) -> str:
    """Return the noun for somebody that a question asks for by 哪个: 部将; '' where it asks for another thing."""
    found = _WHICH.search(text)
    behind = re.split("[，。？?]", text[found.end() :], maxsplit=1)[0].strip(f" {MASK}") if found else ""
    words = [(word, label) for word, label in tag(behind) if word.strip(f" {MASK}")]
    if len(words) > 1 and (head_category(words[0][0]) or words[0][1][0] == "n") and words[1][1][0] in "uv":
        words = words[:1]  # 哪个县的县令 asks for the county
    noun = ""
    for word, label in words[:LONGEST_NOUN]:
        if word == "是":
            break
        noun = "" if word == "的" or label.startswith("v") else noun + word
        if noun and head_class(noun)[0] == "person":
            return noun
    return ""


def noun_called(text: str) -> str:
    """Return the noun for somebody whose name is asked for: 县令 of 那个县令叫什么; '' where there is none."""
    found = _CALLED.search(text)
    noun = next((word for word, _ in reversed(tag(found[1]))), "") if found else ""
    return noun if noun and head_class(noun)[0] == "person" else ""


def asked_part(question: Reading, at: int = 0) -> AskedPart | None:
    """Return what a question asks of the first one whom it asks for from a place on, None where it asks for nobody."""
    found = _WHO.search(question.masked, at) or _CALLED.search(question.masked)
    if not found:
        return None
    start, end = between_marks(question.masked, *found.span(), "，？")
    verbs = [word for word in question.words if word.tag[:1] == "v" and word.text not in _LIGHT]
    verbs = [word for word in verbs if start <= word.start < end] or verbs
    forms = {form for verb in verbs for form in _forms(verb.text)}
    if _DEATH.search(question.masked[max(0, found.start() - 4) :]):
        forms.update(phrases.KILL)
    return AskedPart(
        wanted={char: frozenset({char, *same_deed(char)}) for char in telling_characters(question)},
        deed=_deed(forms),
        doer=_asks_doer(question, found, start, verbs),
        people=frozenset(one.name for one in question.people()),
        named=frozenset(one.name for one in question.named),
        female=_WOMAN.search(question.masked) is not None,
        says=_SAYS.search(question.masked) is not None,
        noun=noun_asked(question.masked) or _noun_before(question.masked) or noun_called(question.masked),
    )


def _noun_before(masked: str) -> str:
    """Return the noun that stands before 是谁: 使者."""
    found = _NOUN_BEFORE.search(masked)
    word, label = tag(found[1])[-1] if found else ("", "")
    return word if label.startswith("n") else ""


def _forms(verb: str) -> set[str]:
    """Return how a story may say a verb: itself, its synonyms, the characters of its deed."""
    deeds = [char for char in verb if same_deed(char)]
    alone = [char for char in verb if char not in _LIGHT and char not in "不了着过上下起出来去"]
    return {verb, *expansions(verb), *alone, *(form for char in deeds for form in same_deed(char))}


def _deed(forms: set[str]) -> re.Pattern[str] | None:
    """Return what finds a deed by its forms; who cuts his way (杀出, 杀进) slays nobody."""
    ways = [
        re.escape(form) + (ATTEMPT if form[-1] in phrases.KILL else "")
        for form in sorted(forms, key=lambda form: (-len(form), form))
    ]
    return re.compile("|".join(ways)) if ways else None


def _asks_doer(question: Reading, found: re.Match[str], start: int, verbs: list[Word]) -> bool:
    """Tell whether the doer is asked for: 谁杀了他, 被谁杀的, 守城的是谁; not 他杀了谁, 他拜访的是谁."""
    lead = question.masked[start : found.start()]
    relative = _RELATIVE.search(lead)
    if relative:
        at = start + relative.start()
        doers = [one for one in question.people() if start <= one.start < at]
        verb = next((word for word in verbs if word.end == at), None)
        own = verb is not None and bool(doers) and doers[0].end <= verb.start and "被" not in lead
        return not (own and question.masked[max(0, doers[0].start - 1)] not in "把将给替向对和与")
    if re.search("[被由让]$", lead) or _OPEN.search(lead):
        return True
    return not (_AIMED.search(lead) or any(word.end == found.start() for word in verbs))
