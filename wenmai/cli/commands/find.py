"""`wenmai find`: words in a book, its people and events, and one's conversations."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from tools.formatting import flat_text
from tools.messages import Message, say
from wenmai.cli.options import ChapterOption, PartOption, UserOption, guard_of
from wenmai.cli.output.terminal import TerminalLine, print_lines, print_place
from wenmai.cli.placing import run

if TYPE_CHECKING:
    from wenmai.application.conversations import FoundTurn
    from wenmai.application.entities import EntityView, EventView
    from wenmai.application.paging import Page
    from wenmai.application.passages import LastPlace
    from wenmai.application.reading import FoundText, NearestPassages
    from wenmai.cli.placing import Operations

ROWS = 10
NEAREST_CHARACTERS = 160


def find(
    words: Annotated[str, typer.Argument(help="help.find.words")],
    library: Annotated[str | None, typer.Option("--library", "-l", help="help.find.library")] = None,
    limit: Annotated[int, typer.Option(min=1, help="help.find.limit")] = ROWS,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
    user: UserOption = "",
) -> None:
    """List where words stand in a book, among its people and events, and in the user's conversations."""
    guard = guard_of(as_of_chapter, as_of_part)

    async def work(app: "Operations") -> "tuple[LastPlace | None, list[TerminalLine]]":
        last, lines = None, list[TerminalLine]()
        if library is not None:
            last = await app.passages.last_place(library, guard)
            texts = await app.reading.find(library, words, guard=guard, limit=limit)
            people = await app.entities.list(library, query=words, guard=guard, limit=limit)
            events = await app.events.list(library, query=words, guard=guard, limit=limit)
            lines += [*text_lines(texts), *people_lines(people), *event_lines(events)]
            if not texts.total:
                lines += nearest_lines(await app.reading.nearest(library, words, guard=guard))
        lines += turn_lines(await app.conversations.find(words, library=library, guard=guard, limit=limit))
        return last, lines

    last, lines = run(work, user)
    print_place(last)
    print_lines(lines or [TerminalLine(say("cli.find.nothing"))])


def text_lines(found: "Page[FoundText]") -> Iterator[TerminalLine]:
    yield from heading(Message("cli.find.exact", count=found.total), found.total)
    for one in found.items:
        yield TerminalLine("  " + say("cli.find.place", title=one.title, start=one.start), "dim")
        yield TerminalLine("    " + flat_text(f"{one.before}【{one.quote}】{one.after}"))
    yield from more(found)


def people_lines(found: "Page[EntityView]") -> Iterator[TerminalLine]:
    yield from heading(Message("cli.find.people", count=found.total), found.total)
    for one in found.items:
        yield TerminalLine("  " + say("sign.list").join([one.name, *one.aliases]))
    yield from more(found)


def event_lines(found: "Page[EventView]") -> Iterator[TerminalLine]:
    yield from heading(Message("cli.find.events", count=found.total), found.total)
    for one in found.items:
        yield TerminalLine(f"  {one.name} · {flat_text(one.summary)}")
    yield from more(found)


def turn_lines(found: "Page[FoundTurn]") -> Iterator[TerminalLine]:
    yield from heading(Message("cli.find.talks", count=found.total), found.total)
    for one in found.items:
        yield TerminalLine("  " + say("cli.find.turn", title=one.title, number=one.number), "dim")
        yield TerminalLine("    " + flat_text(f"{one.before}【{one.quote}】{one.after}"))
    yield from more(found)


def nearest_lines(found: "NearestPassages") -> Iterator[TerminalLine]:
    if found.passages:
        yield TerminalLine(say("cli.find.nearest"), "bold")
    for one in found.passages:
        yield TerminalLine("  " + say("cli.find.place", title=one.title, start=one.start), "dim")
        yield TerminalLine("    " + flat_text(one.text)[:NEAREST_CHARACTERS])


def heading(title: Message, total: int) -> Iterator[TerminalLine]:
    if total:
        yield TerminalLine(str(title), "bold")


def more(found: "Page[FoundText] | Page[EntityView] | Page[EventView] | Page[FoundTurn]") -> Iterator[TerminalLine]:
    if found.next is not None:
        yield TerminalLine("  " + say("cli.find.more", count=found.total - found.next), "dim")
