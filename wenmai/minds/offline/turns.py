"""Past turns, read: who was named, what was asked for, who answers it."""

import re
from dataclasses import dataclass
from itertools import pairwise

from state.session import SessionTurn
from tools.story.linking import NameTable
from wenmai.language.lexicon import surname
from wenmai.minds.offline import phrases
from wenmai.minds.offline.answers import QUOTING, reliable, told
from wenmai.minds.offline.categories import head_category, tag
from wenmai.minds.offline.nounphrases import noun_phrase
from wenmai.minds.offline.reading import MASK, Named, Reading, read


@dataclass(slots=True)
class TurnView:
    """A past turn, read: `focus` are the answers to its 谁-question, `head` the noun asked for.

    `sure` tells that the answer says so itself; without it the names only stand near the question's words.
    `guesses` are those of whom the turn keeps that the evidence may answer with them, likeliest first, with chances.
    """

    question: Reading
    asked: str
    answer: Reading
    continued: list[str]
    focus: list[str]
    role: str | None
    head: str
    joined: set[str]
    sure: bool
    end: int
    guesses: dict[str, float]

    def answerers(self) -> list[Named]:
        """Return the persons of the part of the answer that can be relied on."""
        return [one for one in self.answer.people() if one.end <= self.end]


def view_of(turn: SessionTurn, table: NameTable) -> TurnView:
    """Read a turn: question as it was understood, answer, and who was restored or asked for."""
    prose = not QUOTING.search(turn["answer"])
    question, answer = read(turn["resolved"], table, strangers=True), read(turn["answer"], table, strangers=prose)
    said = {one.name for one in read(turn["question"], table).named}
    continued = [one.name for one in question.named if one.name not in said]
    role, head = asked_for(question)
    fresh, sure = told(question, answer)
    if sure:
        fresh = sorted(fresh, key=lambda one: embedded(one, answer))
    names = list(dict.fromkeys(one.name for one in fresh)) if role else []
    guesses = _kept(turn, question, table)
    if role and not sure:
        names = [] if _TOPIC.search(question.masked) else [*list(guesses)[:1], *names]
    pairs = joined(question, continued)
    return TurnView(
        question,
        turn["question"],
        answer,
        continued,
        list(dict.fromkeys(names)),
        role,
        head,
        pairs,
        sure,
        reliable(answer, sure),
        guesses,
    )


_ANSWER = re.compile(
    r"\s*[他她]?(?:就?是|名?叫)(?!一[个位名]|[被由在因从为]|[他她])([\u4e00-\u9fff]{2,3})(?=[，。、；（]|$)"
)


def answered_by(question: str, answer: str, table: NameTable) -> list[str]:
    """Return the name of somebody whom no table lists and whom an answer begins with: 是文鸯，年方十八岁."""
    found = _ANSWER.match(answer)
    name = found[1] if found else ""
    if not found or not asked_for(read(question, table))[0] or table.find(name):
        return []
    return [name] if is_full_name(name) else []


def is_full_name(name: str) -> bool:
    """Tell whether a text is one word that may be somebody's full name: 文鸯, not 大火, 伏兵, 江油城."""
    words = tag(name)
    if len(words) != 1 or not surname(name) or name in phrases.PERSON_NOUNS:
        return False
    ends = phrases.PERSON_HEADS | phrases.TROOPS | phrases.PLACE_HEADS
    return words[0][1].startswith("n") and name[-1] not in ends


# The talk goes on about whom these name, where the answer does not surely tell the other.
_RECOMMENDED = (
    rf"{MASK}(?:当初|后来|最初|究竟|到底|原来)?是(?:{phrases.WHO})[^，]{{0,30}}的[？?]?$"  # 管辂是谁推荐给曹操的
)
_SERVED = rf"{MASK}[^，]{{0,12}}在(?:{phrases.WHO})[手部麾帐]"  # 姜维归降以前在谁手下
_TOPIC = re.compile(f"{_RECOMMENDED}|{_SERVED}")


EVEN = 0.5  # the chance of who may answer in a turn that was kept without chances


def _kept(turn: SessionTurn, question: Reading, table: NameTable) -> dict[str, float]:
    """Return the persons whom the turn kept for its answer: it had read more than the words that are left of it.

    Whom the table does not show, the reader has not come to.
    """
    inside = {one.name for one in question.named}
    focus = turn.get("focus", [])
    kept = zip(focus, turn.get("chances", []) or [EVEN] * len(focus), strict=False)
    return {name: chance for name, chance in kept if name not in inside and table.find(name)}


def joined(question: Reading, continued: list[str]) -> set[str]:
    """Return the restored names that stand as a pair (他俩 became 甲和乙)."""
    pairs = pairwise(question.named)
    joined = [(a, b) for a, b in pairs if question.text[a.end : b.start] in tuple(phrases.CONJUNCTIONS)]
    return {one.name for pair in joined for one in pair if one.name in continued}


def several(view: TurnView) -> bool:
    """Tell whether the answer names several: 范疆、张达."""
    people = [one for one in view.answerers() if one.name in view.focus[:2]]
    between = [view.answer.text[a.end : b.start] for a, b in pairwise(people)]
    return any(text in ("、", "和", "与") for text in between)


_OWN_NAME = re.compile(rf"[^，]{{0,4}}{MASK}+(?:又|也|到底|究竟|原来|本来|以前|小时候|原|本|后来)*$")
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
    if before == "是" and text[at - 2 : at - 1] == MASK and not text[found.end() :].strip("的呢啊？?。 "):
        return None, ""  # 关羽是谁 asks about 关羽, whoever the answer names
    if "什么" in found[0] and _OWN_NAME.match(text, 0, at):
        return None, ""  # 香菱原来叫什么 too
    if found[0] in ("哪个", "哪一个") and head and head_category(head):
        return None, ""
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
    if found[0][0] == "哪" and after and (head := noun_phrase(question, found.end())[1]) in phrases.PERSON_NOUNS:
        return head  # 哪个番王, which the segmenter cuts apart
    before = [w for w in question.words if w.end <= found.start() and w.text not in ("是", "又", "就")]
    return (
        before[-1].text
        if before and before[-1].tag.startswith(("n", "b")) and question.masked[before[-1].start] != "\ue000"
        else ""
    )


def embedded(one: Named, reading: Reading) -> bool:
    """Tell whether a name stands in the modifier of a later noun: 诸葛亮派去的马谡, 曹操拜访的才女是谁."""
    behind = reading.masked[one.end :]
    following = [other for other in reading.named if other.start >= one.end]
    if following:
        between = reading.masked[one.end : following[0].start]
        if (
            re.fullmatch(r"[^，。；：谁哪]*[的之][^，。；：谁哪的]{0,3}", between)
            and following[0].category == one.category
        ):
            return True
    return (
        re.match(
            r"[^，。；：谁哪是的]{2,}的[^，。；：谁哪是的]{1,6}(?:又|到底|究竟)?(?:是谁|是哪|是什么|叫什么|字什么|姓什么)",
            behind,
        )
        is not None
    )
