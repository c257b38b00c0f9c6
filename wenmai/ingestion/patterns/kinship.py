"""Kinship of a person named behind a word of kinship to a relative named before it: 艾乃令子邓忠, 操曰…其弟曹仁.

The relative is the nearest person before the word who has the same surname. Kin by marriage and of
the mother's side bear other surnames and are left to the patterns of `relations`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tools.records import Relation
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.names.names import Mention, within
from wenmai.ingestion.passages.quoting import Quotation, quote_clauses
from wenmai.ingestion.patterns.relation_records import EVIDENCE, relation_record
from wenmai.language.lexicon import surname

REACH = 60
"""Characters before the word of kinship in which the relative is looked for, within the paragraph."""
LISTING = 120
"""Characters in which several children are listed one after the other."""
FAR = 1500
"""Characters in which whoever a pronoun means must be named."""
KIN = (
    ("之子", r"(?:(?<![公太世天兄弟姊姐妹君童夫孙养义男女臣才浪父母妻孔老庄孟荀])(?<![兄弟姊妹]之)子|儿子)"),
    ("之女", r"(?:[之其长次幼]女|女儿)"),
    ("之弟", r"(?:(?<![兄徒贤吾我汝舍御])弟|弟弟)"),
    ("之兄", r"(?:[其乃之亲从族长]兄|哥哥)"),
    ("之侄", r"(?:(?<![贤吾我])侄|侄子|侄儿)"),
    ("之父", r"(?:[其之]父|父亲)"),
)
"""Words of kinship that stand right before a name, and what its bearer is to the relative."""
_WORDS = tuple((description, re.compile(rf"{words}(?:[名曰乃]|叫|叫做)?$")) for description, words in KIN)
_OWNED = re.compile(r"[他她我]的?$")
_LONGEST = 5
_OWN = ("“", "「", "‘")
"""A quotation that opens with the word of kinship is how the speaker refers to himself: “族弟刘璋."""
_LISTED = re.compile(r"[、，]|[，、]?(?:次|幼|三|长)子|[和与及]")


@dataclass(frozen=True, slots=True)
class _Kin:
    """A person named behind a word of kinship that begins at `at`."""

    one: Mention
    at: int
    description: str


def find_kin(tagged: TaggedChapter, quoted: bytearray) -> Iterator[Relation]:
    """Yield the kinships that a shared surname shows, in order of their places; `quoted` as in `quoted_mask`."""
    found_kin: dict[str, tuple[_Kin, Mention | None]] = {}
    last: _Kin | None = None
    for one in tagged.mentions:
        found = _named_as_kin(tagged, one) or _listed(tagged, last, one)
        if found is None:
            continue
        last, relative = found, _relative(tagged, found, found_kin)
        if relative is None:
            relative = _owner(tagged, found)
        elif _another_voice(tagged.chapter.text, quoted, relative.start, found.at):
            relative = None
        found_kin[one.entity] = (found, relative)
        if relative is not None:
            yield _relation(tagged, found, relative)


def _named_as_kin(tagged: TaggedChapter, one: Mention) -> _Kin | None:
    text = tagged.chapter.text
    if tagged.kinds.get(one.entity) != "Character" or not surname(text[one.start : one.end]):
        return None
    before = text[max(0, one.start - _LONGEST) : one.start]
    for description, word in _WORDS:
        found = word.search(before)
        if found and before[: found.start()][-1:] not in _OWN:
            return _Kin(one, one.start - len(before) + found.start(), description)
    return None


def _listed(tagged: TaggedChapter, last: _Kin | None, one: Mention) -> _Kin | None:
    """Return the second of 二子关平、关兴: the same kin of the same relative."""
    if last is None or _family(last.one.entity) != _family(one.entity):
        return None
    between = tagged.chapter.text[last.one.end : one.start]
    return _Kin(one, last.at, last.description) if _LISTED.fullmatch(between) else None


def _relative(tagged: TaggedChapter, kin: _Kin, found_kin: Mapping[str, tuple[_Kin, Mention | None]]) -> Mention | None:
    """Return the nearest person of the same surname; a person named as the same kin shares the relative."""
    text, family = tagged.chapter.text, _family(kin.one.entity)
    paragraph = text.rfind("\n", 0, kin.at) + 1
    for one in reversed(within(tagged.mentions, max(paragraph, kin.at - REACH), kin.at)):
        if not family or _family(one.entity) != family or one.entity == kin.one.entity:
            continue
        other, relative = found_kin.get(one.entity, (None, None))
        if other is None or kin.at - other.at > LISTING or text[one.end : kin.at] in ("", "之"):
            return one
        if other.description == kin.description and relative is not None and relative.entity != kin.one.entity:
            return relative
    return None


def _owner(tagged: TaggedChapter, kin: _Kin) -> Mention | None:
    """Return the only other bearer of the surname who is near where a pronoun says whose kin it is: 她的父亲陆怀远."""
    family = _family(kin.one.entity)
    if not family or not _OWNED.search(tagged.chapter.text, max(0, kin.at - 2), kin.at):
        return None
    near = within(tagged.mentions, max(0, kin.at - FAR), kin.at)
    others = [one for one in near if _family(one.entity) == family and one.entity != kin.one.entity]
    return others[-1] if len({one.entity for one in others}) == 1 else None


def _another_voice(text: str, quoted: bytearray, first: int, second: int) -> bool:
    """Return True if one place is quoted and the other narrated, or if different people speak them."""
    if quoted[first] != quoted[second]:
        return True
    return bool(quoted[first]) and re.search("[“「『”」』]", text[first:second]) is not None


def _evidence(text: str, start: int, end: int) -> Quotation:
    sentence = max(text.rfind(mark, 0, start) for mark in "。！？\n") + 1
    return quote_clauses(text, start, end, sentence, len(text), EVIDENCE)


def _family(name: str) -> str:
    return surname(name.split("[")[0])


def _relation(tagged: TaggedChapter, kin: _Kin, relative: Mention) -> Relation:
    chapter = tagged.chapter
    piece = _evidence(chapter.text, relative.start, kin.one.end)
    apart = "\n" in chapter.text[relative.start : kin.at]
    if apart or piece.start + len(piece.text) < kin.one.end:  # too far apart to be quoted in one
        piece = _evidence(chapter.text, kin.at, kin.one.end)
    names = kin.one.entity, relative.entity
    return relation_record(tagged, *names, type="FAMILY_OF", description=kin.description, piece=piece, at=kin.one.start)
