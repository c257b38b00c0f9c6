"""Names that the text itself equates: 本名沈知秋, 大家叫他小七, 字伯舟, 二舅叫孟守成, whose real name was Turner."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from tools.language import HAN
from tools.story.spellings import Spellings
from wenmai.ingestion.names.antecedents import OTHERS, STRANGER, Named, antecedent
from wenmai.ingestion.names.spans import Place
from wenmai.ingestion.names.style_names import style_name_pairs
from wenmai.language.lexicon import APART, ENGLISH_BEHIND, NICKNAME, REAL_NAME, is_surname, surname

REACH = 60
"""Characters between two names of one person."""
LEAST_SENTENCES = 2
_QUOTES = '“「『‘"”」』’'
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


def equated(
    texts: Sequence[str], names: Mapping[str, Sequence[Place]], relatives: Mapping[str, Sequence[Place]] | None = None
) -> list[tuple[str, str]]:
    """Return pairs of names that a text says to be one person's.

    Args:
        texts: the chapters.
        names: of people, with their places.
        relatives: words of kinship among them, with the places where they are names.
    """
    spellings, own = Spellings.compile(names), relatives or {}
    starts = {(place.chapter, place.start) for places in own.values() for place in places}
    found: dict[tuple[str, str], None] = {}
    for chapter, text in enumerate(texts):
        flat = text if HAN.search(text) else re.sub(r"(?<!\n)\n(?!\n)", " ", text)
        spans = [one for one in _named(flat, spellings) if one.name not in own or (chapter, one.start) in starts]
        found.update(dict.fromkeys(_pairs(flat, spans, own)))
        for said in _sayings(flat):
            others = [one for one in _named(said, spellings) if one.name not in own]
            found.update(dict.fromkeys(_pairs(said, others, ())))
        for name, style in style_name_pairs(text, names):
            found.update(dict.fromkeys((name, form) for form in (style, surname(name) + style) if form in names))
    return list(found)


def _sayings(text: str) -> Iterator[str]:
    """Yield what is said in a line without what stands between: one sentence may go on behind a speaker."""
    for line in text.splitlines() if HAN.search(text) else ():
        quotes = [match[0].strip("“「『”」』") for match in _QUOTE.finditer(line)]
        if len(quotes) > 1 and _STATES.search(line):
            yield "".join(quotes)


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
    return found is not None and not _ENDS.search(bare) and not _leads_away(bare[: found.start()])


def _leads_away(between: str) -> bool:
    """Return True for words behind a name that may bring in another person."""
    return any(pattern.search(between) for pattern in (OTHERS, STRANGER, _PRONOUN))


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
