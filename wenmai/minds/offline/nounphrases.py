"""Noun phrases behind a demonstrative: modifier, head, and what the head tells."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.categories import head_category, head_class, tag
from wenmai.minds.offline.reading import MASK, Reading
from wenmai.minds.offline.verbs import deed

_COMPOUND = re.compile(
    "取经人|领路人|守门人|守墓人|守塔人|撑船人|说书人|打更人|送信人|卖[^，的]人|船老大|掌柜|番王|[^，。的了即便又必终才也仍都不会\ue000]?将(?![军领士帅会要被来于在近])"
)
"""Nouns for persons that the segmenter cuts apart."""
_MODIFIED_COMPOUND = re.compile(
    r"([^，。？的是谁什哪怎\ue000]{2,6})的([^，。的了即便又必终才也仍都不会\ue000]将)(?![军领士帅会要被来于在近])"
)
_CLAUSE = re.compile(r"^(?:是|又|也|就)|[谁哪什怎]")
_PLAIN_PERSONS = phrases.PERSON_NOUNS.union(phrases.KIN)
_COUNTRY = re.compile(
    r"(?:东吴|西蜀|蜀汉|曹魏|魏国|蜀国|吴国|东晋|西凉|江东|[魏蜀吴晋汉])(?=[^，。？的]{0,3}[将臣官军帅士人使])"
)
_STOP = re.compile(r"[，。？?！!；;：:“”、\ue000]|(?<=[\u4e00-\u9fff])(?:后来|最后|究竟|到底|是(?=[谁哪什怎]))")
"""What ends a noun phrase; the segmenter would read 番王后来 as 番 and 王后, 阵是谁 as 阵是 and 谁."""


def noun_phrase(reading: Reading, start: int) -> tuple[str, str, int]:
    """Return modifier, head noun and end of the noun phrase behind a demonstrative."""
    compound = _COMPOUND.match(reading.text, start)
    if compound:
        return "", compound[0], compound.end()
    of_compound = _MODIFIED_COMPOUND.match(reading.text, start)
    if of_compound:
        return of_compound[1], of_compound[2], of_compound.end()
    stop = _stop(reading.masked, start)
    words = tag(reading.masked[start:stop])
    texts = [text for text, _ in words]
    plain = bool(words) and words[0][1] in ("n", "nr") and texts[1:2] != ["的"]  # 这位和尚用的
    begin = texts.index("的") + 1 if "的" in texts[:4] and not plain else 0
    if _CLAUSE.search("".join(texts[:begin])):
        return "", "", start  # 跟来的那位是怎么想的
    at, nouns = begin, 0
    whose = (
        words[:1]
        and not words[0][1].startswith("n")
        and texts[1:2] == ["的"]
        and head_class("".join(texts[2:3]))[0] == "person"
    )  # 送信的人
    acted = words and (words[0][1] == "v" or deed(words) or texts[0] == "即将") and texts[0] not in _PLAIN_PERSONS
    if words and not whose and not acted and head_class(texts[0])[0] and (len(texts) < 2 or not _noun(words[1])):
        return "", texts[0], start + len(texts[0])
    while at < len(words) and (
        _noun(words[at]) or (not nouns and words[at][1] in ("a", "b", "vn", "m", "nr", "ns", "nz"))
    ):
        nouns += _noun(words[at])
        at += 1
        if nouns and head_class("".join(texts[begin:at]))[0]:
            break
    if not nouns:
        return ("".join(texts[: begin - 1]) if begin else ""), "", start + sum(map(len, texts[: max(begin - 1, 0)]))
    modifier = "".join(texts[: begin - 1]) if begin else ""
    return modifier, "".join(texts[begin:at]), start + sum(map(len, texts[:at]))


def behind_country(reading: Reading, at: int) -> int:
    """Return where the noun of 那位东吴将军 begins: a country before it only says whose he is."""
    found = _COUNTRY.match(reading.text, at)
    return found.end() if found and reading.masked[found.end() : found.end() + 1] != MASK else at


def _stop(text: str, start: int) -> int:
    found = _STOP.search(text, start)
    return found.start() if found else len(text)


def _noun(word: tuple[str, str]) -> bool:
    return (
        (word[1].startswith("n") or word[1] in ("zg", "ng", "s"))
        or word[0] in phrases.PERSON_NOUNS
        or head_category(word[0]) is not None
    )
