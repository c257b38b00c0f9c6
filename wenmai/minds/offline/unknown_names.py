"""Whether a library names the person that a question names, however the text spells the name."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from nodes.roles import PlanRequest
from tools.language import HAN
from tools.ports import PassageStore
from tools.records import PassageFilter
from tools.story.names import NameTable, fold
from wenmai.language.lexicon import SURNAMES, surname
from wenmai.language.spans import meet
from wenmai.language.titles import is_english_title, telling_part
from wenmai.minds.offline.follow_ups.names import TalkReader
from wenmai.minds.offline.questions.question import PLACES, ParsedQuestion
from wenmai.minds.offline.questions.speech import unquoted
from wenmai.reader.layout import NameKind

SHORTEST_CHINESE, SHORTEST_LATIN = 3, 5
"""Characters of a name from which on one that differs in a single character is close to it."""
_BLANKS = re.compile(r"\s+")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A name that no text has, and one that is close to it: a part of it, or with a single other character."""

    name: str
    near: str | None


async def unknown_name(
    reader: TalkReader | None, passages: PassageStore, request: PlanRequest, question: ParsedQuestion, table: NameTable
) -> UnknownName | None:
    """Return the person that a question names and no text of its library does, None where there is none.

    李医生 may be a known 李. Of the library all is looked through that the reader may see: "not mentioned" is a fact.
    """
    if not (reader and request.library):
        return None
    text, names = PLACES["chapter"].sub(lambda place: " " * len(place[0]), unquoted(question.text)), list[str]()
    for one in await asyncio.to_thread(reader.names, text):
        # A word in Latin script ends where a Chinese one begins.
        shown = text if HAN.search(text, one.start, one.end) else HAN.sub(" ", text)
        span, part = telling_part(shown, (one.start, one.end))
        is_known = any(meet((span[1] - len(part), span[1]), (other.start, other.end)) for other in question.mentions)
        is_form = len(part) == 1 and any(fold(part) in spelling for spelling in table.spellings)
        if one.kind == NameKind.PERSON and part and not (is_known or is_form):
            names.append(text[slice(*span)])
    if not names:
        return None
    rows = await passages.scroll(request.library, PassageFilter(horizon=request.horizon))
    texts = [*(piece["text"] for piece in request.evidence), *(row.text for row in rows)]
    return await asyncio.to_thread(_unknown, names, texts, table)


def _unknown(names: Sequence[str], texts: Sequence[str], table: NameTable) -> UnknownName | None:
    """Return the first name that no text in its script has: of one in another script nothing is known."""
    for name in names:
        is_chinese = bool(HAN.search(name))
        joint = "" if is_chinese else " "
        has_own = any(bool(HAN.search(text)) == is_chinese for text in texts)
        wanted = re.compile("|".join(_chinese_forms(fold(name)) if is_chinese else [_last_word(fold(name))]))
        if has_own and not any(wanted.search(_BLANKS.sub(joint, fold(text))) for text in texts):
            return UnknownName(name, _near_name(name, table) if is_chinese else _near_words(name, texts))
    return None


def _chinese_forms(name: str) -> Iterator[str]:
    """Yield patterns of a folded name and of what tells its bearer: without its title, its given name, its parts.

    A given name behind another surname is another person's.
    """
    parts = [part for part in _BLANKS.sub("", name).split("·") if len(part) > 1]
    for part in parts:
        own, given = telling_part(part, (0, len(part)))[1], part.removeprefix(surname(part))
        yield from (re.escape(one) for one in (part, own) if len(one) > 1)
        if len(given) > 1:
            yield f"(?<![{''.join(SURNAMES)}]){re.escape(given)}"


def _last_word(name: str) -> str:
    word = telling_part(name.title(), (0, len(name)))[1] or name
    return rf"(?<![a-z0-9]){re.escape(fold(word))}(?![a-z0-9])"


def _near_name(name: str, table: NameTable) -> str | None:
    """Return a known name that differs in one character."""
    shown = fold(name)
    if len(shown) < SHORTEST_CHINESE:
        return None
    known = (spelling for rows in table.entities.values() for spelling in (row.text for row in rows))
    return next((one for one in known if len(one) == len(shown) and _differences(fold(one), shown) == 1), None)


def _differences(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def _near_words(name: str, texts: Iterable[str]) -> str | None:
    """Return a capitalised word of the texts that is a word of the name, or has one letter more, less or other."""
    own = [fold(word) for word in _WORD.findall(name) if not is_english_title(word)]
    long = [word for word in own if len(word) >= SHORTEST_LATIN]
    wanted = re.compile("|".join([*map(re.escape, own), *(form for word in long for form in _slips(word))]))
    words = (word for text in texts for word in _WORD.findall(text) if word[0].isupper())
    return next((word for word in words if wanted.fullmatch(fold(word))), None)


def _slips(word: str) -> Iterator[str]:
    for at in range(len(word)):
        before, behind = re.escape(word[:at]), re.escape(word[at + 1 :])
        yield from (rf"{before}\w?{behind}", rf"{before}\w{re.escape(word[at])}{behind}")
