"""Names that the text itself equates: 本名沈知秋, 大家叫他小七, 字伯舟, 二舅叫孟守成, whose real name was Turner.

Who is called so (赵虎力气大，大家都叫他铁牛) is the one person named before in the sentence; else, where that goes on
about "him", the one of the sentence before. Where two could be meant, or a person without a name steps in, nobody is.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tools.language import HAN
from tools.story.names import Spellings
from wenmai.ingestion.names.declarations import is_habit
from wenmai.ingestion.names.spans import Place
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.lexicon import (
    APART,
    CALLED,
    ENGLISH_BEHIND,
    ENGLISH_CALLED,
    ENGLISH_NAMED,
    NAMED,
    NICKNAME,
    REAL_NAME,
    is_surname,
    surname,
    word_set,
)

OTHERS = re.compile(
    r"[哥弟姐妹兄嫂妻父母爹娘妈爸夫婿侄叔伯舅徒]|儿子|女儿|(?<![医学先])生|[一之][子女]|朋友|手下|主人|的$|^的(?!本名|原名|真名)"
    r"|^['’]s?\b|\b(?:son|daughter|brother|sister|wife|husband|father|mother|friend|child)\b"
)
"""Words between a name and what somebody is called that bring in another person."""
MOST_NAMES = 8  # names before another one among which its bearer is looked for
_OWN = ("的", "'s", "’s")
_PERSONAL = re.compile(
    r"(?:[,(“\"—-]|\b(?:who|whom|he|she|him|her|was|is|had|has|been|also|better|otherwise|always|now|then|and|but))$"
)
"""What stands before "known as" where a person is: no town is meant."""
STRANGER = re.compile(
    r"一[个位名条]|有[个位]|[这那某][个位人]|另[外一]|\b(?:an?|another|some)\s+(?:\w+\s+){0,2}(?:man|woman|boy|girl|child)\b"
)
_OBJECT = re.compile(r"[他她]|\b(?:him|her|them)\b")
_QUOTES = '“「『‘"”」』’'
_CUE = {
    "zh": re.compile(f"(?:{CALLED}|(?P<named>{NAMED}))[{_QUOTES}]?$"),
    "en": re.compile(f"(?:{ENGLISH_CALLED}|(?P<named>{ENGLISH_NAMED}))[{_QUOTES}]?$"),
}
_CUE_REACH = {"zh": 24, "en": 80}
_LAST_CHARACTERS = frozenset("叫喊唤称是为作做乃号名字送他她其之声，：")
_LAST_WORDS = word_set("him her as the called nicknamed alias is was except but only simply of to named dubbed")
_SENTENCE = re.compile(rf"[。！？!?；;\n{_QUOTES}](?!s\b)|(?<!\bMr)(?<!\bMrs)(?<!\bDr)(?<!\bSt)\.(?=\s)")
_BREAK = re.compile(rf"[\n{_QUOTES}]")
_CLAUSE = re.compile(r"[，,、—]")
_SENTENCE_REACH = 240


@dataclass(frozen=True, slots=True)
class Named:
    """A name at `[start:end]` of a text."""

    start: int
    end: int
    name: str


def antecedent(text: str, spans: Sequence[Named], at: int) -> str:
    """Return the name of the person who is called by the name `spans[at]`, '' where that is not said or not sure."""
    cue = _cue(text, spans[at].start)
    if not cue or text.startswith(("'s", "’s"), spans[at].end):
        return ""
    begin, is_named = cue
    opens = _after_last(_SENTENCE, text, begin)
    head = max(opens, _after_last(_CLAUSE, text, begin))
    before = [span for span in spans[max(0, at - MOST_NAMES) : at] if span.name != spans[at].name]
    limit = begin if is_named else head
    if near := [span for span in before if opens <= span.start and span.end <= limit]:
        return _of_sentence(text, near, opens, limit, is_named=is_named)
    previous = _after_last(_SENTENCE, text, opens - 1)
    if is_named or _BREAK.search(text, previous, opens):
        return ""
    return _of_sentence_before(text, [span for span in before if previous <= span.start < opens], opens, head)


def _cue(text: str, end: int) -> tuple[int, bool] | None:
    """Return where the words begin that give a name which begins at `end`, and whether they do without "him"."""
    language = "zh" if HAN.match(text, end) else "en"
    before = text[max(0, end - _CUE_REACH[language]) : end]
    bare = before.rstrip(_QUOTES + " \n")
    if bare[-1:] not in _LAST_CHARACTERS if language == "zh" else bare.rpartition(" ")[2].lower() not in _LAST_WORDS:
        return None
    found = _CUE[language].search(before)
    if not found or found["who"] in ("我", "me"):
        return None
    begin = end - len(before) + found.start()
    if language == "zh" and not found["named"] and not found["given"] and not is_habit(text, begin):
        return None
    return begin, found["named"] is not None


def begins_clause(text: str, at: int) -> bool:
    return not at or bool(_CLAUSE.match(text, at - 1) or _SENTENCE.match(text, at - 1))


def _after_last(pattern: re.Pattern[str], text: str, end: int) -> int:
    ends = [match.end() for match in pattern.finditer(text, max(0, end - _SENTENCE_REACH), max(0, end))]
    return ends[-1] if ends else max(0, end - _SENTENCE_REACH)


def _of_sentence(text: str, near: Sequence[Named], opens: int, limit: int, *, is_named: bool) -> str:
    """Return the one person named in a sentence, or the one that it begins with and says something of (甲是…，外号)."""
    first, last = near[0], near[-1]
    is_topic = is_named and begins_clause(text, limit)
    if is_topic and not text[opens : first.start].strip() and text[first.end : first.end + 1] in ("是", "乃"):
        return first.name
    rest = text[last.end : limit]
    is_alone = len({span.name for span in near}) == 1
    if rest.strip() in _OWN or not rest.strip(" ，,、（("):
        return last.name if is_alone or is_named or begins_clause(text, last.start) else ""
    if is_named and not HAN.search(rest) and not _PERSONAL.search(rest.rstrip()):
        return ""
    return last.name if is_alone and not OTHERS.search(rest) and not STRANGER.search(rest) else ""


def _of_sentence_before(text: str, earlier: Sequence[Named], opens: int, head: int) -> str:
    """Return the one person of a sentence, or the one that it ends with, if the next goes on about the same one."""
    if not earlier:
        return ""
    last = earlier[-1]
    ends_it = not text[last.end : opens].strip(" 。.")
    rest = text[last.end : head]
    is_sure = len({span.name for span in earlier}) == 1 or ends_it
    if not is_sure or _OBJECT.search(text, last.end, opens) or OTHERS.search(rest) or STRANGER.search(rest):
        return ""
    return last.name


SPELLED_OUT = re.compile(
    r"姓([\u4e00-\u9fff]{1,2})[，,]?名([\u4e00-\u9fff]{1,2})[，,]?\s*(?:表)?字([\u4e00-\u9fff]{2})(?=[，。；、：！？\s])"
)
BY_NAME = re.compile(r"([\u4e00-\u9fff]{2,8})[，,]?\s*(?:表)?字([\u4e00-\u9fff]{2})(?=[，。；、：！？\s])")
LONGEST_NAME = 4


def style_names(texts: Sequence[str], known: Iterable[KnownName]) -> list[KnownName]:
    """Return the known people with a style name in the text as an alias, alone and behind the surname.

    A name that several entities share is left out: the style name could be that of any of them.
    """
    owners: dict[str, list[KnownName]] = defaultdict(list)
    for entry in known:
        owners[entry.base].append(entry)
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for text in texts:
        for name, style in style_name_pairs(text, owners):
            if len(owners[name]) == 1:
                found[name].update(dict.fromkeys([style, surname(name) + style]))
    return [
        KnownName(name=owners[name][0].name, kind=owners[name][0].kind, aliases=tuple(styles))
        for name, styles in found.items()
    ]


def style_name_pairs(text: str, names: Collection[str]) -> list[tuple[str, str]]:
    """Return (name, style name) for each introduction of a known name, the longest that stands there."""
    pairs = [(match[1] + match[2], match[3]) for match in SPELLED_OUT.finditer(text)]
    for match in BY_NAME.finditer(text):
        ends = (match[1][-length:] for length in range(min(LONGEST_NAME, len(match[1])), 1, -1))
        pairs.append((next((end for end in ends if end in names), ""), match[2]))
    return [(name, style) for name, style in pairs if name in names and style != name]


REACH = 60  # characters between two names of one person
LEAST_SENTENCES = 2
_SAYS = '(?:不过|其实|原来)?(?:是|为|叫|叫做|叫作|作|就是|便是|乃)?[：:，,]?[“「『‘"]?'
_NAMED = re.compile(f"(?:{NICKNAME}|{REAL_NAME}){_SAYS}$")
_ENDS = re.compile(r"[！？!?；;…“”\n]|。(?!本名|原名|真名|代号)")
_PLAINLY = re.compile(f"[，,、（(]?(?:名叫|名唤|唤作|叫做|叫作|又叫|又称|人称|表字|字|号|自号){_SAYS}")
_IS_THE = re.compile(r"[，,]?(?:就|便|正)?是")
_OF_HIM = re.compile(rf"的(?:{NICKNAME}|{REAL_NAME}|名字)")
_IS_CALLED = re.compile("(?:的?名字|大名)?(?:就?叫|叫做)")
_PRONOUN = re.compile("[他她]")
_AS = re.compile(ENGLISH_BEHIND)
_ENGLISH = re.compile(
    r",? ?(?:\(|--)?(?:whose|his|her) (?:real|true|full|own|proper|maiden|right|Christian) name (?:was|is|being) |"
    r",? ?\(?(?:alias|a\.k\.a\.|otherwise|(?:also |better |otherwise )?known as|nicknamed|née|nee|formerly) (?:the )?"
)
_QUOTE = re.compile(r"[“「『][^”」』\n]*[”」』]?")
_STATES = re.compile("[名号叫称唤字乃作]")
_END = "，。；！？、）” "


def equated_names(
    texts: Sequence[str], names: Mapping[str, Sequence[Place]], relatives: Mapping[str, Sequence[Place]] | None = None
) -> list[tuple[str, str]]:
    """Return pairs of people's names that a text says to be one person's.

    `relatives` are words of kinship among them, with the places where they are names.
    """
    spellings, own = Spellings.compile(names), relatives or {}
    starts = {(place.chapter, place.start) for places in own.values() for place in places}
    found: dict[tuple[str, str], None] = {}
    for chapter, text in enumerate(texts):
        is_chinese = HAN.search(text)
        flat = text if is_chinese else re.sub(r"(?<!\n)\n(?!\n)", " ", text)
        spans = [one for one in _named(flat, spellings) if one.name not in own or (chapter, one.start) in starts]
        found.update(dict.fromkeys(_pairs(flat, spans, own)))
        for line in text.splitlines() if is_chinese else ():
            # What is said in a line without what stands between: one sentence may go on behind a speaker.
            quotes = [match[0].strip("“「『”」』") for match in _QUOTE.finditer(line)]
            if len(quotes) > 1 and _STATES.search(line):
                said = "".join(quotes)
                others = [one for one in _named(said, spellings) if one.name not in own]
                found.update(dict.fromkeys(_pairs(said, others, ())))
        for name, style in style_name_pairs(text, names):
            found.update(dict.fromkeys((name, form) for form in (style, surname(name) + style) if form in names))
    return list(found)


def _named(text: str, spellings: Spellings) -> list[Named]:
    """Return the names of a text, those told apart (姓沈，名川) with them."""
    found = [Named(start, end, text[start:end]) for start, end in spellings.longest(text)]
    apart = [
        Named(match.start(1), match.end(2), match[1] + match[2])
        for match in APART.finditer(text)
        if match[1] + match[2] in spellings.words and is_surname(match[1])
    ]
    if not apart:
        return found
    taken = [at for one in apart for at in range(one.start, one.end)]
    return sorted([*apart, *(one for one in found if one.start not in taken)], key=lambda one: one.start)


def _pairs(text: str, spans: Sequence[Named], relatives: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a text; a name that a person is called stands for its bearer in what follows."""
    bearers = list(spans)
    for at, (one, other) in enumerate(pairwise(spans), 1):
        if one.end <= other.start <= one.end + REACH and one.name != other.name:
            between, behind = text[one.end : other.start], text[other.end : other.end + 4]
            if _equates(between, behind) or _called(text, one, other) or _introduces(text, one, other, relatives):
                yield one.name, other.name
        if bearer := antecedent(text, bearers, at):
            bearers[at] = Named(other.start, other.end, bearer)
            yield bearer, other.name


def _equates(between: str, behind: str) -> bool:
    """Return True if what stands between two names, and behind the second, makes them one person's."""
    if _PLAINLY.fullmatch(between) or _ENGLISH.fullmatch(between):
        return True
    if _IS_THE.fullmatch(between):
        return bool(_OF_HIM.match(behind))
    if between.strip() in ("（", "("):
        return behind[:1] in ("）", ")") or behind.startswith(" to ")
    bare = between.lstrip("”」』’").rstrip("“「『‘")
    found = _NAMED.search(bare)
    if found is None or _ENDS.search(bare):
        return False
    return not any(another.search(bare[: found.start()]) for another in (OTHERS, STRANGER, _PRONOUN))


def _called(text: str, one: Named, other: Named) -> bool:
    """Return True for 管毛建国叫老猫, 都喊毛建国老猫, and Dottie, as we called her."""
    between, before = text[one.end : other.start], text[max(0, one.start - len("都叫")) : one.start]
    if between in ("叫", "叫做", "叫作"):
        return before.endswith("管")
    if not between:
        return before in ("都叫", "都喊", "都管") and text[other.end : other.end + 1] in _END
    return between.count(".") < LEAST_SENTENCES and bool(_AS.match(text, other.end)) and not OTHERS.search(between)


def _introduces(text: str, one: Named, other: Named, relatives: Collection[str]) -> bool:
    """Return True for a relative and the name behind or before: 二舅孟守成, 二舅叫孟守成, 孟守成是我二舅."""
    between, behind = text[one.end : other.start], text[other.end : other.end + 1 + len(other.name)]
    ends = behind[:1] in _END and behind[1:] != other.name
    if one.name in relatives and other.name not in relatives:
        is_full = bool(surname(other.name)) or not HAN.search(other.name)
        return is_full and (not between or (ends and bool(_IS_CALLED.fullmatch(between))))
    return other.name in relatives and one.name not in relatives and between in ("是", "是我", "就是我") and ends
