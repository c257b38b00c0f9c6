"""read_passage: a passage with its neighbours, by words in it, or the first or last one that names some people."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from tools.base import Scope, ToolResult
from tools.errors import ArgumentError
from tools.evidence import passage_evidence, passage_rows, unscored_item
from tools.formatting import COUNT_CHARACTERS, counts, listing, marked
from tools.language import cost
from tools.messages import Names, say
from tools.ports import PassageStore
from tools.records import Passage, PassageFilter, story_position
from tools.story.names import EntityNames, report, spelling_key
from tools.story.telling import MARK

CANDIDATES = 20  # passages among which the words of a quotation are looked for


class ReadPassageArguments(BaseModel):
    quote: str | None = Field(default=None, description="原文里的一句话或几个字，可选")
    names: list[str] | None = Field(default=None, description="段落里都提到的人物，可选")
    which: Literal["first", "last"] = Field(default="first", description="最早或最后提到的")
    count: int = Field(default=1, ge=1, le=5, description="段落数")
    around: int = Field(default=1, ge=0, le=5, description="前后各带几段")


@dataclass(frozen=True, slots=True)
class ReadPassage:
    passages: PassageStore
    names: EntityNames
    name: str = "read_passage"
    description: str = (
        "读一个段落及其前后文：按其中的原话找，或找最早、最后提到某人（或几人同时）的段落。"
        "用于“A和B怎么认识的？”、“X最后一次出现在哪？”。"
    )
    arguments: type[BaseModel] = ReadPassageArguments

    async def __call__(self, arguments: ReadPassageArguments, scope: Scope) -> ToolResult:
        """Return whole passages in story order; where the budget has no room the furthest neighbours are left out."""
        if not (arguments.quote or arguments.names):
            raise ArgumentError(say("story.passage_needed"))
        resolved = await self.names.resolve_all(arguments.names or [], scope)
        names = [one.name for one in resolved]
        every = await self.passages.scroll(scope.library, PassageFilter(horizon=scope.horizon), texts=False)
        every.sort(key=lambda one: (story_position(one), one.id))
        naming = [at for at, one in enumerate(every) if set(names) <= set(one.entities)]
        missed = ""
        if arguments.quote:
            found, is_verbatim = await self._quoting(arguments.quote, every, naming, scope)
            missed = "" if is_verbatim else say("story.no_passage_with_quote")
        else:
            found = naming if arguments.which == "first" else naming[::-1]
            if not naming and len(names) > 1:
                missed = say("story.no_passage_with_all", names=Names(names))
        found = found[: arguments.count]
        wanted = list(dict.fromkeys([*found, *around(found, arguments.around, len(every))]))
        rows = await self.passages.fetch(scope.library, [every[at].id for at in wanted], horizon=scope.horizon)
        read = sorted(fitting([row.passage for row in rows], scope.budget), key=story_position)
        lines = [marked(row.evidence, row.head + row.text) for row in passage_rows(read)]
        head = [line for line in (report(resolved), missed) if line]
        if read and cost("".join(lines)) > scope.budget:  # one passage above the budget is cut
            text = listing(passage_rows(read), scope.budget, before=head)
        elif read:
            text = "\n".join([*head, *lines, counts(len(wanted), len(read), sampled=False)])
        else:
            text = "\n".join([*head, say("evidence.nothing_found")])
        ids = {every[at].id for at in found}
        return ToolResult(
            data={
                "total": len(naming) if not arguments.quote else len(found),
                "found": [one.id for one in read if one.id in ids],
                "items": [unscored_item(one) for one in read],
            },
            text=text,
            evidence=[passage_evidence(one, None) for one in read],
            items=len(read),
        )

    async def _quoting(
        self, quote: str, every: Sequence[Passage], naming: Sequence[int], scope: Scope
    ) -> tuple[list[int], bool]:
        """Return where the passages stand that have words, else the one that shares most with them, and which it is."""
        ranked = await self.passages.sparse(scope.library, quote, PassageFilter(horizon=scope.horizon), CANDIDATES)
        rows = await self.passages.fetch(scope.library, [one.id for one in ranked], horizon=scope.horizon)
        places = {one.id: at for at, one in enumerate(every)}
        near = [row.passage for row in rows if places.get(row.passage.id) in set(naming)]
        key = spelling_key(quote)
        exact = [places[one.id] for one in near if key in spelling_key(one.text)]
        return (sorted(exact), True) if exact else ([places[one.id] for one in near[:1]], not near)


def around(found: Sequence[int], reach: int, count: int) -> list[int]:
    """Return where the neighbours of passages stand, the nearest first."""
    steps = [sign * step for step in range(1, reach + 1) for sign in (-1, 1)]
    return [at + step for step in steps for at in found if 0 <= at + step < count]


def fitting(passages: Sequence[Passage], budget: int) -> list[Passage]:
    """Return the passages that have room whole, in the order of their importance; at least the first."""
    left, kept = budget - COUNT_CHARACTERS, list[Passage]()
    for one, row in zip(passages, passage_rows(passages), strict=True):
        left -= cost(row.head + row.text) + MARK
        if kept and left < 0:
            break
        kept.append(one)
    return kept
