"""list_characters: who is in the story, with the sentence that introduces each."""

import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from state.schema import Evidence
from tools.base import Scope, ToolResult
from tools.evidence import NAMESPACE, passage_evidence, unique
from tools.formatting import COUNT_CHARACTERS, NOTHING_FOUND, counts, lines_that_fit, mark, shorten
from tools.language import is_chinese
from tools.ports import PassageStore, StoryGraph
from tools.records import Name, Passage, PassageFilter
from tools.story.names import EntityNames, report
from tools.wording import Words

PERSON = "Character"
CANDIDATES = 3
"""For each person that is shown, so many are counted: under a horizon the order may differ from the whole book's."""
EARLY_PASSAGES = 12
"""Passages among which the introducing sentence is looked for."""
SENTENCE_CHARACTERS = 200
TOLD, NAMED_AS, DESCRIBED = 3.0, 2.0, 1.5
"""Points of a sentence that says what a person is, how people call them, what they look like."""
LATE, SPOKEN, FRAGMENT, OTHER_LENGTH = 0.25, 1.5, 1.5, 1.0
"""Points off: for each passage later, for speech, for half a sentence, for an unusual length."""
USUAL_LENGTH = range(10, 121)
ROW = Words(
    "{n}. {name}{others}: {passages} 段，首见第{chapter}章: {sentence}",
    "{n}. {name}{others}: {passages} passages, first in chapter {chapter}: {sentence}",
)
OTHERS = Words("（{names}）", " ({names})")
AND = Words("、", ", ")

_CHINESE_SENTENCE = re.compile(r"[^。！？!?…\n]*[。！？!?…]+[”」』’]*|[^。！？!?…\n]+")
_ENGLISH_END = re.compile(r"(\w*)[.!?]+[\"”’']*(?=\s)|\n\s*\n")
_ABBREVIATIONS = frozenset({"Mr", "Mrs", "Ms", "Dr", "St", "Capt", "Col", "Gen", "Lt", "Sgt", "Rev", "Prof"})
_IS_TOLD = (
    r"{n}(?:[是乃]|[原本]是|[（(]|[，,](?:[是乃字号]|本是|原是|今年|年方)|今年|年方|年纪|这个?人)",
    r"(?:[是，、]|有[个位名]).{{0,16}}的(?:{n})[。，]",
    r"\b(?:{n}),? (?:who )?(?:is|was|had been) (?:an?|the|my|his|her|our|one)\b",
    r"\b(?:{n}), (?:an?|the|my|his|her|our) ",
)
_IS_NAMED = (
    r"(?:[名也]?叫做?|[唤喚][作做]|名[唤喚]|名字?是|人称|外号|绰号|姓.名){n}",
    r"\b(?:named|called|name (?:is|was)|known as|I am|I'm|I’m) (?:{n})\b",
)
_LOOKS = re.compile(
    r"[一二三四五六七八九十\d]岁|年纪|年约|个子|身材|身高|模样|高大|矮小"
    r"|\b(?:years old|years of age|tall|stout|slim|handsome)\b"
    r"|\b(?:young|old|elderly|little) (?:man|woman|lady|gentleman|fellow|girl|boy)\b"
)


class ListCharactersArguments(BaseModel):
    """Arguments of list_characters."""

    top_k: int = Field(default=10, ge=1, le=50, description="人物数量")
    names: list[str] | None = Field(default=None, description="只看这些人物，可选；不指定则按提到的多少列出")


@dataclass(frozen=True, slots=True)
class Person:
    """A person of the story: all spellings, the passages that name them in story order, and who introduces them.

    `sentence` is the half-open span of the introducing sentence in `introduced`.
    """

    name: str
    spellings: tuple[str, ...]
    passages: tuple[Passage, ...]
    introduced: Passage
    sentence: tuple[int, int]

    @property
    def others(self) -> list[str]:
        """The other spellings; one that a line breaks is the same as one on a line."""
        return list(dict.fromkeys(" ".join(text.split()) for text in self.spellings if text != self.name))

    @property
    def said(self) -> str:
        """The introducing sentence, on one line."""
        return " ".join(self.introduced.text[slice(*self.sentence)].split())


@dataclass(frozen=True, slots=True)
class ListCharacters:
    """Lists the people of a library, the most mentioned first."""

    graph: StoryGraph
    passages: PassageStore
    names: EntityNames
    name: str = "list_characters"
    description: str = (
        "列出书中人物：提到最多的在前，附别名、首次出现的章节和介绍此人的一句原文。"
        "用于“主要人物有谁？”、“X第一次出现在哪一章？”。"
    )
    arguments: type[BaseModel] = ListCharactersArguments

    async def __call__(self, arguments: ListCharactersArguments, scope: Scope) -> ToolResult:
        """Return people with their number of passages, first chapter and introducing sentence."""
        asked = await self.names.resolve_all(arguments.names or [], scope)
        people = await self._people([one.name for one in asked], arguments.top_k, scope)
        shown = people[: arguments.top_k]
        lines = [_line(number, person) for number, person in enumerate(shown, 1)]
        return ToolResult(
            data={"total": len(people), "people": [_data(person) for person in shown]},
            text=_listing(lines, len(people), report(asked), scope.budget),
            evidence=unique(piece for person in shown for piece in _evidence(person, is_asked=bool(asked))),
            items=len(shown),
        )

    async def _people(self, asked: Sequence[str], most: int, scope: Scope) -> list[Person]:
        """Return the people who are asked for, else the most mentioned ones."""
        spelled: dict[str, list[Name]] = {}
        for name in await self.graph.names(scope.library, scope.horizon):
            spelled.setdefault(name.entity, []).append(name)
        known = [entity for entity, names in spelled.items() if names[0].kind == PERSON]
        frequent = sorted(known, key=lambda entity: (-max(name.mentions for name in spelled[entity]), entity))
        wanted = [entity for entity in asked if entity in spelled] if asked else frequent[: CANDIDATES * most]
        if not wanted:
            return []
        where = PassageFilter(any_entity=tuple(wanted), horizon=scope.horizon)
        passages = await self.passages.scroll(scope.library, where)
        found = [person_in(passages, entity, [name.text for name in spelled[entity]]) for entity in wanted]
        people = [person for person in found if person]
        return people if asked else sorted(people, key=lambda one: (-len(one.passages), one.name))


def _listing(lines: Sequence[str], total: int, head: str, budget: int) -> str:
    if not lines:
        return NOTHING_FOUND.say()
    kept = lines_that_fit(lines, budget - len(head) - COUNT_CHARACTERS)
    return "\n".join(line for line in (head, *kept, counts(total, len(kept), sampled=False)) if line)


def person_in(passages: Sequence[Passage], name: str, spellings: Sequence[str]) -> Person | None:
    """Return a person with the passages that name them, None without any; `passages` are in story order."""
    naming = tuple(one for one in passages if name in one.entities)
    if not naming:
        return None
    ordered = tuple(sorted(set(spellings), key=lambda text: (text != name, text)))
    introduced, sentence = _introduction(naming[:EARLY_PASSAGES], ordered)
    return Person(name, ordered, naming, introduced, sentence)


def _introduction(passages: Sequence[Passage], spellings: Sequence[str]) -> tuple[Passage, tuple[int, int]]:
    """Return the sentence that says most of who a person is, early ones before late ones."""
    either = "|".join(re.escape(text) for text in sorted(spellings, key=lambda text: (-len(text), text)))
    named = re.compile(either)
    told = [re.compile(pattern.format(n=f"(?:{either})")) for pattern in _IS_TOLD]
    called = [re.compile(pattern.format(n=f"(?:{either})")) for pattern in _IS_NAMED]
    found = [
        (_points(text, told, called) - SPOKEN * _is_spoken(passage.text, span[0]) - LATE * at, passage, span)
        for at, passage in enumerate(passages)
        for span in sentence_spans(passage.text)
        if named.search(text := passage.text[slice(*span)])
    ]
    if not found:
        return passages[0], _first_naming(passages[0], spellings)
    _, passage, span = max(found, key=lambda row: row[0])
    return passage, span


def _first_naming(passage: Passage, spellings: Sequence[str]) -> tuple[int, int]:
    """Return the first sentence with a spelling, else the first of all: a passage may mean people without naming."""
    spans = list(sentence_spans(passage.text)) or [(0, len(passage.text))]
    return next((span for span in spans if any(one in passage.text[slice(*span)] for one in spellings)), spans[0])


def _points(text: str, told: Sequence[re.Pattern[str]], called: Sequence[re.Pattern[str]]) -> float:
    """Return how much a sentence says of who is named in it."""
    points = TOLD * any(pattern.search(text) for pattern in told)
    points += NAMED_AS * any(pattern.search(text) for pattern in called) + DESCRIBED * bool(_LOOKS.search(text))
    return points - FRAGMENT * text[0].islower() - OTHER_LENGTH * (len(text) not in USUAL_LENGTH)


def _is_spoken(text: str, start: int) -> bool:
    """Return True for a sentence that begins inside of a quotation, or begins one."""
    before = text[:start]
    return (
        text[start] in "“「『\"‘'" or before.count("“") > before.count("”") or before.count("「") > before.count("」")
    )


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the half-open spans of a text's sentences, without the blanks around them."""
    chinese = (match.span() for match in _CHINESE_SENTENCE.finditer(text))
    for start, end in chinese if is_chinese(text) else _english(text):
        body = text[start:end]
        if body.strip():
            yield start + len(body) - len(body.lstrip()), start + len(body.rstrip())


def _english(text: str) -> Iterator[tuple[int, int]]:
    """Yield sentences; neither a title nor an initial ends one."""
    start = 0
    for match in _ENGLISH_END.finditer(text):
        word = match[1] or ""
        if word not in _ABBREVIATIONS and not (len(word) == 1 and word.isupper() and word != "I"):
            yield start, match.end()
            start = match.end()
    yield start, len(text)


def _evidence(person: Person, *, is_asked: bool) -> Iterator[Evidence]:
    """Yield what introduces a person; of one who is asked for, first the sentence where they appear first."""
    first = person.passages[0]
    if is_asked:
        yield _extract(first, _first_naming(first, person.spellings), person.name)
    yield _extract(person.introduced, person.sentence, person.name)


def _extract(passage: Passage, span: tuple[int, int], name: str) -> Evidence:
    """Return a sentence of a passage as evidence of its own, verbatim, that tells of one person."""
    piece = passage_evidence(passage, None)
    piece["start"], piece["end"] = start, end = passage.start + span[0], passage.start + span[1]
    piece["id"] = str(uuid.uuid5(NAMESPACE, f"{passage.id} {start} {end} {name}"))
    piece["text"] = passage.text[slice(*span)]
    piece["entities"] = [name]
    return piece


def _data(person: Person) -> dict[str, Any]:
    first = person.passages[0]
    return {
        "name": person.name,
        "aliases": person.others,
        "passages": len(person.passages),
        "first": {"part": first.part, "chapter": first.chapter, "title": first.chapter_title},
        "sentence": person.said,
        "chapter": person.introduced.chapter,
    }


def _line(number: int, person: Person) -> str:
    return ROW.say(
        n=number,
        name=person.name,
        others=OTHERS.say(names=AND.say().join(person.others)) if person.others else "",
        passages=len(person.passages),
        chapter=mark(person.passages[0].chapter),
        sentence=shorten(person.said, SENTENCE_CHARACTERS),
    )
