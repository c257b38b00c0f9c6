"""list_characters: who is in the story, with the sentence that introduces each."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from state.schema import Evidence
from tools.base import Scope, ToolResult
from tools.evidence import excerpt, unique
from tools.formatting import lines_with_total, mark, marked, place, shorten
from tools.messages import say
from tools.ports import PassageStore, StoryGraph, SummaryStore
from tools.records import PERSON, Passage, PassageFilter, SummaryFilter
from tools.story.names import EntityNames, report
from tools.story.summaries import summary_evidence
from tools.text.sentences import statement_spans

TOLD, NAMED_AS, DESCRIBED = 3.0, 2.0, 1.5
"""Points of a sentence that says what a person is, how people call them, what they look like."""
LATE, LANGUAGE, FRAGMENT, OTHER_LENGTH = 0.25, 1.5, 1.5, 1.0
"""Points off: for each passage later, for speech, for half a sentence, for an unusual length."""
USUAL_LENGTH = range(10, 121)
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


@dataclass(frozen=True, slots=True)
class Introducing:
    named: re.Pattern[str]
    told: tuple[re.Pattern[str], ...]
    called: tuple[re.Pattern[str], ...]

    @classmethod
    def of(cls, spellings: Sequence[str]) -> "Introducing":
        either = "|".join(re.escape(text) for text in sorted(spellings, key=lambda text: (-len(text), text)))
        told, called = (
            tuple(re.compile(pattern.format(n=f"(?:{either})")) for pattern in patterns)
            for patterns in (_IS_TOLD, _IS_NAMED)
        )
        return cls(re.compile(either), told, called)

    def points(self, sentence: str) -> float:
        """Return how much a sentence says of who the person is: 0 where it does not name them, else -2.5 to 6.5."""
        if not self.named.search(sentence):
            return 0.0
        points = TOLD * any(pattern.search(sentence) for pattern in self.told)
        points += NAMED_AS * any(pattern.search(sentence) for pattern in self.called)
        points += DESCRIBED * bool(_LOOKS.search(sentence))
        return points - FRAGMENT * sentence[0].islower() - OTHER_LENGTH * (len(sentence) not in USUAL_LENGTH)


def introduction(passages: Sequence[Passage], spellings: Sequence[str]) -> tuple[Passage, tuple[int, int]]:
    """Return the sentence that says most of who a person is, early ones before late ones."""
    introducing = Introducing.of(spellings)
    found = [
        (introducing.points(text) - LANGUAGE * _is_spoken(passage.text, span[0]) - LATE * at, passage, span)
        for at, passage in enumerate(passages)
        for span in statement_spans(passage.text)
        if introducing.named.search(text := passage.text[slice(*span)])
    ]
    if not found:
        return passages[0], first_naming(passages[0], spellings)
    _, passage, span = max(found, key=lambda row: row[0])
    return passage, span


def first_naming(passage: Passage, spellings: Sequence[str]) -> tuple[int, int]:
    """Return the first sentence with a spelling, else the first of all: a passage may mean people without naming."""
    spans = statement_spans(passage.text) or [(0, len(passage.text))]
    return next((span for span in spans if any(one in passage.text[slice(*span)] for one in spellings)), spans[0])


def _is_spoken(text: str, start: int) -> bool:
    """Return True for a sentence that begins inside of a quotation, or begins one."""
    before = text[:start]
    return (
        text[start] in "“「『\"‘'" or before.count("“") > before.count("”") or before.count("「") > before.count("」")
    )


EARLY_PASSAGES = 12  # passages among which the introducing sentence is looked for
SENTENCE_CHARACTERS = 200


class ListCharactersArguments(BaseModel):
    top_k: int = Field(default=10, ge=1, le=50, description="人物数量")
    names: list[str] | None = Field(default=None, description="只看这些人物，可选；不指定则按提到的多少列出")


@dataclass(frozen=True, slots=True)
class ListCharacters:
    graph: StoryGraph
    passages: PassageStore
    names: EntityNames
    summaries: SummaryStore | None = None
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
        found = list(naming)
        if not asked:  # the most mentioned first, of equals the one who appears first
            places = {name: (one.event_order, one.entities.index(name)) for name, (one, *_) in naming.items()}
            found.sort(key=lambda name: (-len(naming[name]), *places[name], name))
        shown = {name: naming[name] for name in found[: arguments.top_k]}
        early = dict.fromkeys(one.id for passages in shown.values() for one in passages[:EARLY_PASSAGES])
        rows = await self.passages.fetch(scope.library, list(early), horizon=scope.horizon)
        read = {row.passage.id: row.passage for row in rows}
        described = await self._described({name: spelled[name] for name in shown}, scope)
        people, lines, pieces = list[dict[str, Any]](), list[str](), list[Evidence]()
        for name, passages in shown.items():
            told = [read[one.id] for one in passages[:EARLY_PASSAGES] if one.id in read]
            if not told:  # they were deleted meanwhile
                continue
            if asked:  # first the sentence where they appear first
                pieces.append(excerpt(told[0], *first_naming(told[0], spelled[name]), name))
            passage, span = introduction(told, spelled[name])
            piece = excerpt(passage, *span, name)
            pieces.append(piece)
            people.append(person_data(name, spelled[name], len(passages), told[0], piece))
            own = described.get(name, [])
            people[-1]["description"] = [text for text, _ in own]
            rows_of_one = [marked(piece["id"], person_line(len(people), people[-1]))]
            lines.append("\n".join([*rows_of_one, *(marked(one["id"], text) for text, one in own)]))
            pieces += [one for _, one in own]
        text = lines_with_total(lines, len(found), report(asked), scope.budget, is_sample=False)
        return ToolResult(
            data={"total": len(found), "people": people},
            text=text or say("evidence.nothing_found"),
            evidence=unique(pieces),
            items=len(people),
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

    async def _described(
        self, spelled: Mapping[str, Sequence[str]], scope: Scope
    ) -> dict[str, list[tuple[str, Evidence]]]:
        """Return what a model wrote of people as of the guard, each sentence with its evidence."""
        if self.summaries is None or not spelled:
            return {}
        subjects = tuple(text for spellings in spelled.values() for text in spellings)
        where = SummaryFilter(kinds=("person",), subjects=subjects, horizon=scope.horizon)
        rows = await self.summaries.summaries(scope.library, where)
        latest = {name: row for row in rows for name, spellings in spelled.items() if row.subject in spellings}
        return {name: await summary_evidence(self.passages, row, scope, name) for name, row in latest.items()}

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


def person_data(name: str, spellings: Sequence[str], count: int, first: Passage, piece: Evidence) -> dict[str, Any]:
    """Return a person with the other spellings; one that a line breaks is the same as one on a line."""
    return {
        "name": name,
        "aliases": list(dict.fromkeys(" ".join(text.split()) for text in spellings if text != name)),
        "passages": count,
        "first": {"part": first.part, "chapter": first.chapter, "title": first.chapter_title},
        "sentence": " ".join(piece["text"].split()),
        "chapter": piece["chapter"],
    }


def person_line(number: int, person: Mapping[str, Any]) -> str:
    return say(
        "story.character_row",
        n=number,
        name=person["name"],
        others=say("story.other_names", names=say("sign.list").join(person["aliases"])) if person["aliases"] else "",
        passages=person["passages"],
        place=place(**person["first"]) or mark(None),
        sentence=shorten(person["sentence"], SENTENCE_CHARACTERS),
    )
