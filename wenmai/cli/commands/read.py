"""`wenmai read`: a book chapter by chapter, from where its reader was last."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from tools.errors import InputError
from tools.messages import Message, say
from wenmai.cli.options import ChapterOption, PartOption, UserOption, guard_of
from wenmai.cli.output.terminal import print_line, print_place, print_table, remark
from wenmai.cli.placing import run

if TYPE_CHECKING:
    from wenmai.application.paging import Guard
    from wenmai.application.passages import ChapterPlace, ChapterText, LastPlace
    from wenmai.application.reading import KeptPlace
    from wenmai.cli.placing import Operations


def read(
    library: Annotated[str, typer.Option("--library", "-l", help="help.read.library")],
    chapter: Annotated[int | None, typer.Argument(help="help.read.chapter", min=0)] = None,
    part: Annotated[int | None, typer.Option(min=1, help="help.read.part")] = None,
    source: Annotated[str | None, typer.Option(help="help.option.source")] = None,
    following: Annotated[bool, typer.Option("--next", help="help.read.next")] = False,
    contents: Annotated[bool, typer.Option("--contents", help="help.read.contents")] = False,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
    user: UserOption = "",
) -> None:
    """Show the chapter where the reader was last, one that is named, or the table of contents; keep the place."""
    is_named = any(one is not None for one in (chapter, part, source))
    if sum((is_named, following, contents)) > 1:
        raise InputError(say("cli.read.one_way"))
    guard = guard_of(as_of_chapter, as_of_part)

    def chosen(known: "Sequence[ChapterPlace]", kept: "KeptPlace | None") -> int:
        if is_named:
            return index_of(known, chapter, part, source, library)
        here = place_index(known, kept)
        return 0 if here is None else min(len(known) - 1, here + following)

    if contents:
        last, known, kept = run(lambda app: looked_up(app, library, guard), user)
        print_place(last)
        here = place_index(known, kept)
        print_table(Message("cli.read.columns"), (row_of(one, at == here) for at, one in enumerate(known)))
        return

    async def work(app: "Operations") -> "tuple[LastPlace | None, ChapterText, ChapterPlace | None]":
        from wenmai.application.reading import ReadingPlace

        last, known, kept = await looked_up(app, library, guard)
        if not known:
            raise InputError(say("cli.read.empty", library=library))
        at = chosen(known, kept)
        address = known[at].model_dump(include={"source", "part", "chapter", "copy_number"})
        text = await app.passages.chapter(library, **address, guard=guard)
        if kept or not await app.reading.place(library):  # one that the guard hides stays
            await app.reading.set_place(library, ReadingPlace(**address))
        return last, text, known[at + 1] if at + 1 < len(known) else None

    last, text, after = run(work, user)
    print_place(last)
    print_line(text.title, "bold")
    print_line(text.text)
    remark(say("cli.read.next", title=after.title, library=library) if after else say("cli.read.last"), "dim")


async def looked_up(
    app: "Operations", library: str, guard: "Guard | None"
) -> "tuple[LastPlace | None, list[ChapterPlace], KeptPlace | None]":
    """Return the last place that a guard shows, the table of contents, and where the reader was."""
    from wenmai.application.paging import EVERY

    last = await app.passages.last_place(library, guard)
    known = await app.passages.chapters(library, guard=guard, limit=EVERY)
    return last, known.items, await app.reading.place(library, guard=guard)


def place_index(known: "Sequence[ChapterPlace]", kept: "KeptPlace | None") -> int | None:
    """Return the index of the chapter of a place, None without one."""
    at = kept and (kept.source, kept.part, kept.chapter, kept.copy_number)
    return next((n for n, one in enumerate(known) if (one.source, one.part, one.chapter, one.copy_number) == at), None)


def index_of(
    known: "Sequence[ChapterPlace]", chapter: int | None, part: int | None, source: str | None, library: str
) -> int:
    """Return the index of the first chapter that is meant. Raises InputError."""
    for at, one in enumerate(known):
        if chapter in (None, one.chapter) and part in (None, one.part) and source in (None, one.source):
            return at
    raise InputError(say("library.unknown_or_hidden_chapter", library=library))


def row_of(place: "ChapterPlace", is_here: bool) -> tuple[str, ...]:
    number = "-" if place.chapter is None else str(place.chapter)
    return str(place.part), number, place.title, str(place.characters), say("cli.read.here") if is_here else ""
