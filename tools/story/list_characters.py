"""list_characters: who is in the story, with the sentence that introduces each."""

import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from state.schema import Evidence
from tools.base import Scope, ToolResult
from tools.evidence import NAMESPACE, passage_evidence, unique
from tools.formatting import COUNT_CHARACTERS, counts, lines_that_fit, mark, place, shorten
from tools.messages import say
from tools.ports import PassageStore, StoryGraph
from tools.records import Passage, PassageFilter
from tools.story.introductions import first_naming, introduction
from tools.story.names import EntityNames, report
from tools.text.marking import marked

PERSON = "Character"
EARLY_PASSAGES = 12
"""Passages among which the introducing sentence is looked for."""
SENTENCE_CHARACTERS = 200


class ListCharactersArguments(BaseModel):
    """Arguments of list_characters."""

    top_k: int = Field(default=10, ge=1, le=50, description="人物数量")
    names: list[str] | None = Field(default=None, description="只看这些人物，可选；不指定则按提到的多少列出")


@dataclass(frozen=True, slots=True)
class Person:
    """A person of the story.

    Attributes:
        name: the canonical name.
        spellings: all of them, the name first.
        count: how many passages name the person.
        first: the first of them.
        introduced: the passage that introduces the person.
        sentence: half-open span of the introducing sentence in it.
    """

    name: str
    spellings: tuple[str, ...]
    count: int
    first: Passage
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
        spelled = await self._spelled([one.name for one in asked], scope)
        naming = await self._naming(spelled, scope, only=tuple(spelled) if asked else ())
        found = list(naming) if asked else sorted(naming, key=lambda name: _rank(name, naming[name]))
        shown = await self._people({name: naming[name] for name in found[: arguments.top_k]}, spelled, scope)
        lines = [_line(number, person) for number, person in enumerate(shown, 1)]
        return ToolResult(
            data={"total": len(found), "people": [_data(person) for person in shown]},
            text=_listing(lines, len(found), report(asked), scope.budget),
            evidence=unique(piece for person in shown for piece in _evidence(person, is_asked=bool(asked))),
            items=len(shown),
        )

    async def _spelled(self, asked: Sequence[str], scope: Scope) -> dict[str, tuple[str, ...]]:
        """Return the visible spellings of those who are asked for, in this order, else of all people."""
        spelled: dict[str, set[str]] = defaultdict(set)
        people: list[str] = []
        for name in await self.graph.names(scope.library, scope.horizon):
            spelled[name.entity].add(name.text)
            people += [name.entity] if name.kind == PERSON else []
        wanted = dict.fromkeys(asked or people)
        return {
            name: tuple(sorted(spelled[name], key=lambda text: (text != name, text)))
            for name in wanted
            if name in spelled
        }

    async def _naming(
        self, names: Mapping[str, object], scope: Scope, only: tuple[str, ...]
    ) -> dict[str, list[Passage]]:
        """Return for each name that stands in the story the passages that it stands in, without their texts."""
        found: dict[str, list[Passage]] = {name: [] for name in names}
        where = PassageFilter(any_entity=only, horizon=scope.horizon)
        for passage in await self.passages.scroll(scope.library, where, texts=False) if names else ():
            for name in found.keys() & set(passage.entities):
                found[name].append(passage)
        return {name: passages for name, passages in found.items() if passages}

    async def _people(
        self, naming: Mapping[str, Sequence[Passage]], spelled: Mapping[str, tuple[str, ...]], scope: Scope
    ) -> list[Person]:
        """Return people with the sentence among their early passages that introduces each."""
        early = [one.id for passages in naming.values() for one in passages[:EARLY_PASSAGES]]
        rows = await self.passages.fetch(scope.library, list(dict.fromkeys(early)), horizon=scope.horizon)
        read = {row.passage.id: row.passage for row in rows}
        found = []
        for name, passages in naming.items():
            told = [read[one.id] for one in passages[:EARLY_PASSAGES] if one.id in read]
            if told:  # else they were deleted meanwhile
                found.append(Person(name, spelled[name], len(passages), told[0], *introduction(told, spelled[name])))
        return found


def _rank(name: str, passages: Sequence[Passage]) -> tuple[int, int, int, str]:
    """Return what orders people: the most mentioned first, of equals the one who appears first."""
    first = passages[0]
    return -len(passages), first.event_order, first.entities.index(name), name


def _listing(lines: Sequence[str], total: int, head: str, budget: int) -> str:
    if not lines:
        return say("evidence.nothing_found")
    kept = lines_that_fit(lines, budget - len(head) - COUNT_CHARACTERS)
    return "\n".join(line for line in (head, *kept, counts(total, len(kept), sampled=False)) if line)


def _evidence(person: Person, *, is_asked: bool) -> Iterator[Evidence]:
    """Yield what introduces a person; of one who is asked for, first the sentence where they appear first."""
    if is_asked:
        yield _extract(person.first, first_naming(person.first, person.spellings), person.name)
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
    first = person.first
    return {
        "name": person.name,
        "aliases": person.others,
        "passages": person.count,
        "first": {"part": first.part, "chapter": first.chapter, "title": first.chapter_title},
        "sentence": person.said,
        "chapter": person.introduced.chapter,
    }


def _line(number: int, person: Person) -> str:
    row = say(
        "story.character_row",
        n=number,
        name=person.name,
        others=say("story.other_names", names=say("sign.list").join(person.others)) if person.others else "",
        passages=person.count,
        place=place(person.first.part, person.first.chapter, person.first.chapter_title) or mark(None),
        sentence=shorten(person.said, SENTENCE_CHARACTERS),
    )
    return marked(_extract(person.introduced, person.sentence, person.name)["id"], row)
