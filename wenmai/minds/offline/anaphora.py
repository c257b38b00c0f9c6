"""Words of a question that may refer back: pronouns, demonstratives, definite descriptions."""

import re
from dataclasses import replace

from wenmai.language.segmenting import segmenter
from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import Anaphor, opening
from wenmai.minds.offline.asked_before import asked_before
from wenmai.minds.offline.categories import Category, head_class, tag
from wenmai.minds.offline.demonstratives import ASKED, demonstratives, headless
from wenmai.minds.offline.nounphrases import noun_phrase
from wenmai.minds.offline.reading import MASK, Reading
from wenmai.minds.offline.verbs import deed


def find_anaphors(reading: Reading) -> list[Anaphor]:
    """Return what may refer back, in order, without overlap; what only looks like it is left out."""
    text = reading.masked
    found: list[Anaphor] = []
    found += _plurals(reading)
    found += [
        _pronoun(m) for m in phrases.SINGULARS.finditer(text) if text[m.start() - 1 : m.start()] not in ("其", "吉")
    ]
    found += [_possessive(m, text) for m in phrases.POSSESSIVE.finditer(text) if _free_possessive(text, m)]
    found += [
        Anaphor(m.start(), m.end(), m[0], "counterpart", wanted="person") for m in phrases.COUNTERPART.finditer(text)
    ]
    found += [Anaphor(m.start(), m.end(), m[0], "ordinal", wanted="person") for m in phrases.ORDINALS.finditer(text)]
    found += [
        Anaphor(m.start(), m.end(), m[0], "place", wanted="place")
        for m in phrases.PLACES.finditer(text)
        if _free_place(text, m)
    ]
    found += [
        Anaphor(m.start(), m.end(), m[0], "matter") for m in phrases.MATTERS.finditer(text) if _free_matter(reading, m)
    ]
    found += [
        Anaphor(m.start(), m.end(), m[0], "demonstrative", "人", "", "person")
        for m in phrases.THE_PERSON.finditer(text)
        if m[0] == "人家" or not _told(reading, m)
    ]
    found += demonstratives(reading)
    found += _descriptions(reading)
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    free = [one for one in found if not _within(one, quoted) and not _in_word(one, reading)]
    return _with_asked(_without_overlap(free), asked_before(reading))


_QUOTED = re.compile("[“‘「『][^”’」』]*[”’」』]")


def _within(one: Anaphor, spans: list[tuple[int, int]]) -> bool:
    return any(start < one.start < end for start, end in spans)


def _in_word(one: Anaphor, reading: Reading) -> bool:
    """Tell whether a pronoun is a character of a longer word: 维他命."""
    word = next((word for word in reading.words if word.start <= one.start < word.end), None)
    inside = one.form == "pronoun" and word is not None and len(word.text) > len(one.text) + 1
    return inside and word is not None and segmenter().has_word(word.text)


def _without_overlap(found: list[Anaphor]) -> list[Anaphor]:
    kept: list[Anaphor] = []
    for one in sorted(found, key=lambda a: (a.start, -a.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _with_asked(found: list[Anaphor], asked: list[Anaphor]) -> list[Anaphor]:
    """Put those whom the user asked about in the place of what else was seen there."""
    clear = [one for one in found if not any(_taken_up(one, other) for other in asked)]
    return sorted([*clear, *asked], key=lambda one: one.start)


def _taken_up(one: Anaphor, asked: Anaphor) -> bool:
    """Tell whether a word stands in such a phrase or right behind it: 再看最先问的那位，他的长子是谁."""
    behind = one.form in ("pronoun", "possessive") and one.start == asked.end + 1
    return behind or (one.start < asked.end and asked.start < one.end)


def _plurals(reading: Reading) -> list[Anaphor]:
    """Return the plurals but for 杀他的两个人是谁, which asks for them."""
    text = reading.masked
    matches = [m for m in phrases.PLURALS.finditer(text) if _free_plural(text, m) and not _counts_things(m, reading)]
    found = [_plural(m, reading) for m in matches]
    return [one for one in found if text[one.start - 1 : one.start] != "的" or not ASKED.match(text, one.end)]


def _plural(match: re.Match[str], reading: Reading) -> Anaphor:
    """Return 他们, 那两个投降的, 那两员被擒的蜀将 with what counts them."""
    text, end = match[0], match.end()
    modifier, head, behind = noun_phrase(reading, end) if text[-1] in "个位名员" else ("", "", end)
    if head_class(head)[0] == "person" and reading.masked[behind : behind + 1] not in ("里", "中", MASK):
        bare = not head and headless(modifier, reading.masked[behind:])
        end, modifier = (behind + bare, modifier) if head or bare else (end, "")
    else:
        modifier, head = "", ""
    wanted: Category | None = "thing" if text.startswith("它") else "person"
    female = True if "她" in text or text in ("姐妹俩", "母女俩") else None
    return Anaphor(match.start(), end, reading.text[match.start() : end], "plural", head, modifier, wanted, female)


def _counts_things(match: re.Match[str], reading: Reading) -> bool:
    """Tell whether 这两个 counts 字 or 计策."""
    if match[0][-1] != "个" or match[0][:2] in ("他们", "她们"):
        return False
    head = noun_phrase(reading, match.end())[1]
    following = tag(reading.masked[match.end() : match.end() + 4])
    noun = head or (following[0][0] if following and following[0][1] in ("n", "ng", "zg") else "")
    return bool(noun) and head_class(noun)[0] != "person" and not (following and deed(following))


def _free_plural(text: str, match: re.Match[str]) -> bool:
    """Leave out 哪两个人, 有两人, 关张二人: a number that is asked for or that stands with names."""
    before = text[match.start() - 1 : match.start()]
    if before == MASK and match[0][0] in "这那":
        return False  # 桂阳那两个将领
    return match[0][0] in "他她它这那此" or before not in ("哪", "有", "这", "那", "第", "名", "十", MASK)


def _pronoun(match: re.Match[str]) -> Anaphor:
    word = match[0]
    wanted: Category | None = None if word == "它" else "person"
    return Anaphor(
        match.start(), match.end(), word, "pronoun", wanted=wanted, female={"他": False, "她": True}.get(word)
    )


def _possessive(match: re.Match[str], text: str) -> Anaphor:
    return Anaphor(match.start(), match.end(), "其", "possessive", head=text[match.end() : match.end() + 2])


def _told(reading: Reading, match: re.Match[str]) -> bool:
    """Tell whether somebody is named before it in the question, who may be the 人 of 把人抓了."""
    return any(one.start < match.start() for one in reading.people())


def _free_possessive(text: str, match: re.Match[str]) -> bool:
    before = text[match.start() - 1 : match.start()]
    return before not in phrases.NOT_POSSESSIVE_AFTER and text[match.end() : match.end() + 1] not in (
        "",
        "？",
        "?",
        "，",
        "乐",
    )


def _free_place(text: str, match: re.Match[str]) -> bool:
    """Leave out 曹操那里 and 谁那里: somebody's place."""
    before = text[match.start() - 1 : match.start()]
    return before not in (MASK, "谁", "他", "她", "它", "们")


def _free_matter(reading: Reading, match: re.Match[str]) -> bool:
    """Leave out 吉平给曹操下毒这件事: the clause before it says which."""
    clause = reading.masked.rfind("，", 0, match.start()) + 1
    return len([one for one in reading.named if clause <= one.start < match.start()]) < 2


_HEADS = "|".join(sorted((one for one in phrases.PERSON_NOUNS if len(one) > 1), key=len, reverse=True))
_RELATIVE = re.compile(
    rf"(?:^|(?<=[，。]))([^，。\ue000谁哪什最]{{2,8}})的({_HEADS}|人)"
    r"(?!是|就是|又是|究竟是|到底是|叫|姓|物|数|有|们|里|中|呢|\ue000|[^，。]{0,8}是谁)"
)
FATED = ("死者", "遇害者", "被害者", "受害者", "被害人", "受害人")
_PART = re.compile(r"(?:做|当|身为)(弟弟|哥哥|兄长|姐姐|妹妹|父亲|母亲|儿子|女儿|丈夫|妻子|师父|徒弟)的(?=[^，？?])")
"""做弟弟的: the one of several who is that to the other."""
_ROLE = re.compile(
    r"^(父亲|母亲|妻子|丈夫|儿子|女儿|老将军|老人家|老太太|将军|主人|凶手|刺客|军师|哥哥|弟弟|姐姐|妹妹|兄长|主公|师父|老师|大徒弟|二徒弟|皇帝|都督|丞相|妖怪|妖精)(?=[^的们\ue000])"
)


def _descriptions(reading: Reading) -> list[Anaphor]:
    """Return 献计的人 and a bare role noun that opens the question."""
    found = []
    relative = _RELATIVE.search(reading.masked)
    if relative and _longer(reading, relative.end()):
        relative = None
    if relative and not re.search(r"[他她它其这那此]", relative[1]) and _acts(relative[1]):
        found.append(
            Anaphor(relative.start(), relative.end(), relative[0], "description", relative[2], relative[1], "person")
        )
    for fated in re.finditer("|".join(FATED), reading.masked):
        found.append(Anaphor(fated.start(), fated.end(), fated[0], "description", "人", "被杀", "person"))
    for part in _PART.finditer(reading.masked):
        found.append(Anaphor(part.start(), part.end(), part[0], "description", part[1], "", "person"))
    lead = opening(reading.masked)
    role = _ROLE.match(reading.masked[lead:])
    head = role[1] if role else _office(reading, lead)
    if head and not _ASKED_AFTER.match(reading.masked, lead + len(head)):
        base = Anaphor(lead, lead + len(head), head, "description", head, "", "person")
        found.append(replace(base, female=head_class(head)[1]))
    return found


def _longer(reading: Reading, end: int) -> bool:
    """Tell whether the noun goes on: 人头 of 提着义父的人头."""
    return any(word.start < end < word.end for word in reading.words)


_ASKED_AFTER = re.compile(rf"{ASKED.pattern}|(?:究竟|到底|又)?是(?:什么|啥|谁|哪)|有几|在三国|在书")
_OF_WHOM = re.compile(
    rf"的(?![两几三]|{phrases.ANY_KIN})|[们里中{MASK}]|都|一般|通常|[^，]{{0,3}}有(?:哪|谁|几|多少|什么)"
)


def _office(reading: Reading, lead: int) -> str:
    """Return the noun for a person that opens a question without a person's name: 县令 of 县令为什么把他放了."""
    word = next((word for word in reading.words if word.start == lead), None)
    if word is None or word.tag != "n" or len(word.text) < 2 or word.text[-1] in phrases.TROOPS or reading.people():
        return ""
    person = word.text in phrases.PERSON_NOUNS or word.text[-1] in phrases.PERSON_HEADS
    if not person or word.text in phrases.RELATIONAL or word.text in phrases.DEEDS_READ_AS_NOUNS:
        return ""
    return "" if _OF_WHOM.match(reading.masked, word.end) or word.text in _ANYBODY else word.text


_ANYBODY = ("女人", "男人", "古人", "后人", "今人", "老人", "别人", "旁人", "人物", "名将", "美女")


def _acts(modifier: str) -> bool:
    """Tell whether a modifier is a clause (告密的人), not a noun: 荆州的太守."""
    words = tag(modifier[opening(modifier) :] or modifier)
    if modifier[-1] in "见到":
        return False  # 抓到的俘虏 leaves out who caught him
    if len(modifier) == 2 and tag(modifier[0])[0][1][0] == "v" and tag(modifier[1])[0][1][0] == "n":
        return True  # 送马, which the segmenter takes for a noun
    return words[0][1][0] in "vpadzic" or deed(words) or any(label[0] == "v" for _, label in words[1:])
