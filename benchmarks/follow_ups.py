"""What the offline resolver makes of the turns of written talks: references resolved, other questions left alone.

    python -m benchmarks.follow_ups benchmarks/questions/talks/looked_*.txt [--reader FILE.onnx] [--list]

Talks are written as those that the reader is trained on (training/written/README.md); a story's title is the kind of
its references, its text the names that a library of it knows. In a mark `a/b` is either of two, `a+b` is both. Answers
are those of the file, resolved questions the product's own. A turn is resolved if the question holds what is meant,
no word that refers is left beside its name, and nothing stands in brackets.
"""

import argparse
import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from nodes.roles import ResolveRequest
from nodes.turn import names_in, push
from state.session import MAX_TURNS, Session, SessionTurn
from tools.ports import StoryGraph
from tools.records import PERSON, Name
from tools.story.names import EntityLinker, NameTable
from training.corpora.written import Story, names, stories, unmarked
from wenmai.minds.offline.follow_ups.resolver import OfflineResolver
from wenmai.reader.layout import NameKind
from wenmai.reader.reader import open_reader

LIBRARY = "talks"
MOST_KINDS = 20  # of more titles there is one line of figures for all
LABELS = {NameKind.PERSON: PERSON, NameKind.PLACE: "Location", NameKind.ORGANISATION: "Organization"}


@dataclass(frozen=True, slots=True)
class ResolvedTurn:
    """A turn of a talk; `meant` is [] for a question that stands by itself."""

    kind: str
    question: str
    meant: Sequence[Sequence[str]]
    resolved: str
    candidates: Sequence[str]

    @property
    def is_right(self) -> bool:
        if not self.meant:
            return self.resolved == self.question
        said = self.resolved.casefold()
        has_list = set("()（）") & (set(self.resolved) - set(self.question))
        return not has_list and all(any(name.casefold() in said for name in names) for names in self.meant)


@dataclass(frozen=True, slots=True)
class StoryNames:
    """The names of one story, as a graph gives them."""

    story: Sequence[Name]

    async def names(self, library: str, horizon: object) -> list[Name]:
        return list(self.story)


async def resolved_turns(resolver: OfflineResolver, story: Story, table: NameTable) -> AsyncIterator[ResolvedTurn]:
    """Ask the turns of a story's talks in order; the first of each has no talk before it and is not counted."""
    for talk in story.talks:
        session = Session(entities=[], topic=None, turns=[])
        for marked, answer in talk:
            question, marks = unmarked(marked)
            request = ResolveRequest(
                question=question,
                session=session,
                library=LIBRARY if table.entities else "",
                horizon=None,
                language="zh" if story.language == "zh" else "en",
            )
            found = await resolver.resolve(request)
            if session["turns"]:
                meant = [group.split("/") for _, label in marks for group in label.split("+") if label]
                yield ResolvedTurn(
                    story.title, question, meant, found.question, [one["entity"] for one in found.candidates]
                )
            turn = SessionTurn(question=question, resolved=found.question, answer=answer, entities=found.entities)
            session = Session(
                entities=push(session["entities"], [*found.entities, *names_in(answer, table)]),
                topic=found.topic,
                turns=[*session["turns"], turn][-MAX_TURNS:],
            )


async def measure(files: Sequence[Path], onnx: Path | None) -> list[ResolvedTurn]:
    reader, turns = open_reader(None, onnx), list[ResolvedTurn]()
    for story in (story for file in files for story in stories(file)):
        marked = names(story)
        known = {(marked.text[start:end], LABELS[NameKind(kind or 0)]) for start, end, kind in marked.names}
        graph = StoryNames(
            [Name(text=text, entity=text, kind=kind, first=(1, 1), mentions=9) for text, kind in sorted(known)]
        )
        linker = EntityLinker(cast("StoryGraph", graph))
        resolver = OfflineResolver(linker, None, lambda: reader)
        turns += [turn async for turn in resolved_turns(resolver, story, await linker.table(LIBRARY, None))]
    return turns


def share(turns: Sequence[ResolvedTurn]) -> str:
    return f"{sum(turn.is_right for turn in turns)}/{len(turns)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("files", type=Path, nargs="+", help="files of talks")
    parser.add_argument("--reader", type=Path, help="a reader's file; default: the shipped one")
    parser.add_argument("--list", action="store_true", help="print the turns that are not right")
    arguments = parser.parse_args()
    turns = asyncio.run(measure(arguments.files, arguments.reader))
    kinds = defaultdict[str, list[ResolvedTurn]](list)
    for turn in turns:
        kinds[turn.kind].append(turn)
        if arguments.list and not turn.is_right:
            print(f"{turn.kind}: {turn.question} -> {turn.resolved} {[*turn.meant]} {[*turn.candidates]}")
    for kind, some in [*(kinds.items() if len(kinds) <= MOST_KINDS else ()), ("all", turns)]:
        resolved, unchanged = [one for one in some if one.meant], [one for one in some if not one.meant]
        print(f"{kind:10} resolved={share(resolved)} unchanged={share(unchanged)}")


if __name__ == "__main__":
    main()
