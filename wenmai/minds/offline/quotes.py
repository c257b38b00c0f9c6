"""Who a quotation answers a 谁-question with: the name that stands as doer beside the deed that was asked for."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.reading import Named, Reading

_SENTENCE = re.compile(r"[^。！？!?\n”]+[。！？!?\n”]*")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_EMPTY = frozenset(
    "的了着过是在有个位名那这人者后来最被把不一和与为给向对就又也都还很上下中里去来谁哪什么怎样几多少时吗呢之其手由让当初"
)
DEEDS = (
    "杀斩害刺砍诛弑戮毒死",
    "擒捉获缚抓执俘",
    "劝谏献教说",
    "救助护",
    "骂叱斥",
    "射箭",
    "举荐推",
    "嫁娶妻妾配",
    "封拜授",
    "烧焚火",
    "偷盗窃",
    "反叛",
    "降投归",
    "骗赚诈哄瞒",
    "守镇把",
)
"""Characters that name one deed, in today's language and in the story's."""
PASSIVE = "被为遭吃"
_NEAR = re.compile(r"[^。；：“]{0,8}")
_SUFFERS = re.compile(rf"[^，]{{0,2}}[{PASSIVE}]")
NAMES_OTHER = 0.3
DOES = 0.5
NOUN_COST = 0.5
SURE = 0.8
"""A quotation is relied on from here: it shows the deed beside the doer and names whom the question names."""


def ranked(question: Reading, answer: Reading, fresh: list[Named]) -> tuple[list[Named], bool]:
    """Return the new names of a quotation, likeliest first, and whether the first one can be relied on."""
    wanted = telling_characters(question)
    verbs = {char for word in question.words if word.tag[:1] == "v" for char in word.text if char in wanted}
    deed = "".join(sorted(verbs.union(*(same_deed(char) for char in wanted))))
    inside = {one.name for one in question.named}
    scores = {one.start: _score(one, answer, wanted, deed, inside) for one in fresh}
    order = sorted(fresh, key=lambda one: -scores[one.start])
    best = order[0] if order else None
    return order, best is not None and scores[best.start] >= SURE and _doing(best, answer.masked, deed) > 0


def telling_characters(question: Reading) -> list[str]:
    """Return the characters of a question that say what it is about, each once."""
    return [char for char in dict.fromkeys(_HAN.findall(question.masked)) if char not in _EMPTY]


def same_deed(char: str) -> str:
    """Return the characters that may say the same."""
    return next((deed for deed in DEEDS if char in deed), "")


def _score(one: Named, answer: Reading, wanted: list[str], deed: str, inside: set[str]) -> float:
    start, end = next(span.span() for span in _SENTENCE.finditer(answer.text) if span.start() <= one.start < span.end())
    text = answer.text[start:end]
    shared = [char for char in wanted if char in text or set(same_deed(char)) & set(text)]
    score = len(shared) / len(wanted) if wanted else 0.0
    if any(start <= other.start < end and other.name in inside for other in answer.named):
        score += NAMES_OTHER
    if one.name in phrases.PERSON_NOUNS:
        score -= NOUN_COST
    return score + DOES * _doing(one, answer.masked, deed)


def _doing(one: Named, masked: str, deed: str) -> float:
    """Tell whether somebody does the deed (1), suffers it (-1), or neither."""
    if not deed:
        return 0.0
    before, near = masked[max(0, one.start - 2) : one.start], _NEAR.match(masked, one.end)
    behind = near[0] if near else ""
    acts = bool(set(behind) & set(deed))
    if before[-1:] and before[-1] in PASSIVE:
        return 1.0 if acts else 0.5
    if set(before) & set(deed):
        return -1.0
    return 1.0 if acts and not _SUFFERS.match(behind) else 0.0
