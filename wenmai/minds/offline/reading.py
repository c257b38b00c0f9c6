"""One reading of a text: its names, its words with part-of-speech tags, and the text with the names masked."""

import re
from dataclasses import dataclass
from itertools import pairwise

from tools.story.linking import Mention, NameTable
from wenmai.language.lexicon import surname
from wenmai.language.segmenting import segmenter
from wenmai.minds.offline import phrases
from wenmai.minds.offline.categories import Category, category, head_category, place_word, tag
from wenmai.minds.offline.common_words import FULL_NAME, is_common

MASK = "\ue000"
LONGEST_QUESTION = 2_000
"""A longer question is taken as it is, or read so far: it brings its own context."""
MODIFIERS = frozenset(["nr", "ns", "nz", "nt", "n", "b", "zg", "g", "ng", "j"])


@dataclass(frozen=True, slots=True)
class Word:
    """A segment at `[start:end]` with its tag; a name has the tag nr."""

    text: str
    tag: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Named:
    """Something with a name: an entity of the library, or a noun phrase that no table knows."""

    name: str
    category: Category
    start: int
    end: int
    known: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A text that has been read."""

    text: str
    masked: str
    words: tuple[Word, ...]
    named: tuple[Named, ...]

    def people(self) -> list[Named]:
        """Return the persons in order of mention."""
        return [one for one in self.named if one.category == "person"]

    def body(self) -> str:
        """Return the masked text without the marks at its ends."""
        return self.masked.strip("，。？?！! ")


def between_marks(text: str, start: int, end: int, marks: str) -> tuple[int, int]:
    """Return the bounds of the clause around a place of a text, without the marks that bound it."""
    first = max(text.rfind(mark, 0, start) for mark in marks) + 1
    ends = [at for at in (text.find(mark, end) for mark in marks) if at >= 0]
    return first, min(ends, default=len(text))


def read(text: str, table: NameTable, *, strangers: bool = False) -> Reading:
    """Find names, words and noun phrases of a text, with `strangers` also full names that the table does not hold."""
    mentions = [m for m in table.find(text) if not is_common(m, text)]
    masked = list(text)
    for mention in mentions:
        masked[mention.start : mention.end] = MASK * (mention.end - mention.start)
    words = _words(text, mentions)
    known = [_known(m, table, text) for m in mentions]
    borders = {*(one.start for one in known), *(one.end for one in known)}
    unlisted = _strangers(words, borders, text) if strangers else []
    named = _titled([*known, *_phrases(words, mentions), *unlisted], text)
    return Reading(text, "".join(masked), words, tuple(named))


def _titled(found: list[Named], text: str) -> list[Named]:
    """Join a title to the name before it (祝融夫人) and put the names in order."""
    joined = list[Named]()
    for one in sorted(found, key=lambda one: one.start):
        title = next((t for t in phrases.TITLES if text.startswith(t, one.end)), None)
        if title and one.category == "person" and one.known and not one.name.endswith(title):
            one = Named(text[one.start : one.end] + title, "person", one.start, one.end + len(title), False)
        if not joined or one.start >= joined[-1].end:
            joined.append(one)
    return joined


def _words(text: str, mentions: list[Mention]) -> tuple[Word, ...]:
    words, at = [], 0
    for mention in mentions:
        words += _tagged(text, at, mention.start)
        words.append(Word(mention.text, "nr", mention.start, mention.end))
        at = mention.end
    return (*words, *_tagged(text, at, len(text)))


def _tagged(text: str, start: int, end: int) -> list[Word]:
    words, at = [], start
    for part, label in tag(text[start:end]):
        words.append(Word(part, label, at, at + len(part)))
        at += len(part)
    return words


def _known(mention: Mention, table: NameTable, text: str) -> Named:
    """Return what a spelling stands for; an ambiguous one stands for itself."""
    entity = mention.entity or mention.text
    kind = category(entity, mention.candidates[0].kind)
    if kind == "person" and _located(mention, text):
        kind = "place"
    return Named(entity, kind, mention.start, mention.end, bool(mention.entity))


_TOWARDS = tuple("在到去往至赴回入取守攻来")
_ARRIVED = ("到了", "回了", "进了", "去了", "占了", "破了")


def _located(mention: Mention, text: str) -> bool:
    """Tell whether a name that may be a person's stands as a place here: 去蓝田庄上, 死在许昌."""
    before, behind = text[mention.start - 1 : mention.start], text[mention.end :]
    if before not in _TOWARDS and text[mention.start - 2 : mention.start] not in _ARRIVED:
        return False
    if place_word(mention.text):
        return True
    return (
        not surname(mention.entity or mention.text) and re.match(r"[庄城县郡关]|[，。？了]", behind) is not None
    )  # 放回夏侯尚，


def _phrases(words: tuple[Word, ...], mentions: list[Mention]) -> list[Named]:
    """Return noun phrases whose head tells a class and that carry a modifier: 赤兔马, 青釭剑, 赤壁之战, 檀溪."""
    taken = {at for mention in mentions for at in range(mention.start, mention.end)}
    found: list[Named] = []
    for i, word in enumerate(words):
        kind: Category | None = "person" if _title(word) else head_category(word.text)
        if kind is None or word.start in taken or not word.tag.startswith(("n", "m", "i", "l", "zg", "vn")):
            continue
        if word.text.startswith(tuple("匹把座件条支张艘哪这那几多")) or _moved(word, words[i + 1 : i + 2]):
            continue
        if kind == "place" and _goes_on(word, words[i + 1 : i + 2]):
            continue
        start = _phrase_start(words, i)
        text = "".join(w.text for w in words[start : i + 1])
        if (
            len(text) > 1
            and not phrases.WIELDS.search(text)
            and not _SPOKEN.search(text)
            and not (start == i and (_plain(word) or word.text in phrases.TITLES))
            and (start == i or words[start].start not in taken)
        ):
            found.append(Named(text, kind, words[start].start, word.end, False))
    return [*found, *_battles(words)]


_SPOKEN = re.compile("汝(?![南阳水州])|(?<!昆)吾|焉(?![支耆])")
"""Words of speech that the segmenter joins to a noun: 汝焉敢尽废县事."""


def _goes_on(word: Word, following: tuple[Word, ...]) -> bool:
    """Tell whether a place is but the beginning of a noun for a thing: the 传国 of 传国玉玺."""
    return len(word.text) == 1 and bool(following) and head_category(following[0].text) == "thing"


def _moved(word: Word, following: tuple[Word, ...]) -> bool:
    """Tell whether a word says what somebody does: 下山以后, 渡江时, 中箭."""
    after = following[0].text if following else ""
    if word.text[0] in "中放射拔" and word.text[-1] in "箭弓矢":
        return True  # 中箭, 放冷箭
    return len(word.text) == 2 and word.text[0] in phrases.GOING and after in ("以后", "之后", "后", "时", "的时候")


def _battles(words: tuple[Word, ...]) -> list[Named]:
    """Return battles whose name the segmenter cuts apart: 夷陵之战时, 定军山一战."""
    text, found = "".join(w.text for w in words), []
    for match in re.finditer(r"[之一][战役]", text):
        before = next((w for w in words if w.end == match.start() and w.tag in ("nr", "ns", "nz")), None)
        if before:
            found.append(Named(text[before.start : match.end()], "battle", before.start, match.end(), False))
    return found


def _strangers(words: tuple[Word, ...], borders: set[int], text: str) -> list[Named]:
    """Return full names that the library does not list.

    They stand beside a listed name (范疆、张达) or behind a noun for a person (部曲靳祥), but for 阿斗 and his like.
    """
    joints = {at for at in range(len(text)) if text[at] in "、和与"}
    found = [word for word in words if _stranger(word)]
    return [
        Named(word.text, "person", word.start, word.end, False)
        for word in found
        if (word.text[0] == "阿" and word.text not in ("阿姨", "阿弥", "阿哥", "阿婆"))
        or (word.end in joints and word.end + 1 in borders)
        or (word.start - 1 in joints and word.start - 1 in borders)
    ] + [
        Named(word.text, "person", word.start, word.end, False)
        for noun, word in pairwise(words)
        if _called(noun, word, text)
    ]


def _stranger(word: Word) -> bool:
    named = word.tag == "nr" and len(word.text) in (2, 3) and bool(surname(word.text) or word.text[0] == "阿")
    return named and word.text not in phrases.PERSON_NOUNS and word.text[-1] not in phrases.PERSON_HEADS


def _called(noun: Word, word: Word, text: str) -> bool:
    """Tell whether a word is the full name of the noun before it: 文钦的儿子文鸯, 部曲靳祥到城下."""
    if not surname(word.text) or len(word.text) not in (2, 3) or word.text[-1] in phrases.PERSON_HEADS:
        return False
    if noun.text in phrases.KIN and word.tag[:1] == "n" and text[word.end : word.end + 1] in tuple("，。、"):
        return True
    person = noun.text in phrases.PERSON_NOUNS or noun.text[-1] in phrases.PERSON_HEADS
    return (
        person
        and noun.tag[:1] in "nbz"
        and word.tag == "nr"
        and (len(word.text) == FULL_NAME or not segmenter().has_word(word.text))
    )


def _title(word: Word) -> bool:
    return word.text in phrases.TITLES or (word.tag == "nr" and word.text.endswith(tuple(phrases.TITLES)))


def _plain(word: Word) -> bool:
    return len(word.text) < 3 and word.tag not in ("nr", "ns", "nz", "nt")


_RIDES = ("是", "叫", "名叫", "骑", "乘", "跨")


def _phrase_start(words: tuple[Word, ...], head: int) -> int:
    start = head
    while start and head - start < 2 and words[start - 1].tag in MODIFIERS:
        if words[start - 1].text in phrases.RELATIONAL:
            break
        start -= 1
    doubled = start > 1 and words[start - 1].text == words[start - 2].text == "的"
    before = words[start - 2].text if start > 1 and words[start - 1].text == "的" else ""
    opens = words[start - 1].text == "的" and (start == 1 or before in _RIDES)
    if doubled or (opens and not segmenter().has_word("".join(word.text for word in words[start : head + 1]))):
        return start - 1  # the particle stands there never: 的卢马, not 的赤兔马
    return start
